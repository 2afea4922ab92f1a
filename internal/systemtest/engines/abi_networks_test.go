package engines

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar"
	"starloom/fabric/ej"
	"starloom/fabric/pops"
	"starloom/fabric/traffic"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// between is what stands between two marks of firmware/ABI.md.
func between(t *testing.T, mark string) string {
	t.Helper()
	text, err := os.ReadFile("firmware/ABI.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "<!-- "+mark+" -->\n")
	require.True(t, found, mark)
	part, _, found := strings.Cut(rest, "<!-- /"+mark+" -->\n")
	require.True(t, found, mark)
	return part
}

// tableRows are the rows of a table of firmware/ABI.md, cell by cell, without its head.
func tableRows(t *testing.T, mark string) (rows [][]string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(between(t, mark)), "\n")[2:] {
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// inCode are the words of a cell that stand in backquotes.
func inCode(cell string) (words []string) {
	for k, part := range strings.Split(cell, "`") {
		if k%2 == 1 {
			words = append(words, part)
		}
	}
	return words
}

// abiNetworks are networks of every kind, no two of whose sizes are the same.
func abiNetworks() map[string][]fabric.Network {
	adapted := func(n fabric.Network) fabric.Network { return n.Abilities().Adapt("", "", nil) }
	return map[string][]fabric.Network{
		"pops":     {pops.Network{Groups: 3, GroupSize: 5}},
		"crossbar": {adapted(crossbar.Network{Ports: 7}), adapted(crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{Cap: 4}})},
		"bus": {adapted(bus.Network{Vertices: 9, Buses: [][]int{{0, 1, 2, 3}, {3, 4}, {8, 1, 3, 5, 6}}, ArbiterKeys: contend.ArbiterKeys{Arbiter: "fixed"}}),
			adapted(bus.Network{Vertices: 9, Length: 4, Buses: [][]int{{0, 1}, {1, 2, 3}}}),
			adapted(bus.Network{Vertices: 9, Length: 12, Buses: [][]int{{0, 1}}})},
		"ej": {adapted(ej.Network{A: 2, B: 4, Dimensions: 2, PacketsPerLink: 9}), adapted(ej.Network{A: 3, B: 4, Dimensions: 1})},
	}
}

// TestABIShape holds the table of shape in ABI.md to the networks, word by word.
func TestABIShape(t *testing.T) {
	words := map[string]func(fabric.Network) int{
		"":                             func(fabric.Network) int { return 0 },
		"groups":                       func(n fabric.Network) int { return n.(pops.Network).Groups },
		"processors of a group":        func(n fabric.Network) int { return n.(pops.Network).GroupSize },
		"`cap`, 0 for none":            func(n fabric.Network) int { return n.(crossbar.Network).Cap },
		"vertices":                     func(n fabric.Network) int { return n.(bus.Network).Vertices },
		"buses":                        func(n fabric.Network) int { return len(n.(bus.Network).Buses) },
		"residues N in each dimension": func(n fabric.Network) int { return residues(n.(ej.Network)) },
		"dimensions n":                 func(n fabric.Network) int { return n.(ej.Network).Dimensions },
		"diameter M of one dimension, (a+2*b)/3 rounded down": func(n fabric.Network) int { return (n.(ej.Network).A + 2*n.(ej.Network).B) / 3 },
		"`packets_per_link`, 0 for no limit":                  func(n fabric.Network) int { return n.(ej.Network).PacketsPerLink },
		"1 if the buses have arbiters, else 0": func(n fabric.Network) int {
			if n.(bus.Network).Arbiter == "fixed" {
				return 1
			}
			return 0
		},
		"vertices that may be on a bus in one slot: `length`, not above the vertices": func(n fabric.Network) int {
			longest := 0
			for _, b := range n.(bus.Network).Buses {
				longest = max(longest, len(b))
			}
			if length := n.(bus.Network).Length; length > 0 {
				longest = length
			}
			return min(longest, n.(bus.Network).Vertices)
		},
	}
	networks := abiNetworks()
	for b := 2; b < 9; b++ { // diameters of all forms
		for a := range b + 1 {
			if n := (ej.Network{A: a, B: b, Dimensions: 1}); n.Check() == nil {
				networks["ej"] = append(networks["ej"], n)
			}
		}
	}
	for _, row := range tableRows(t, "shape") {
		kind := inCode(row[0])[0]
		for _, n := range networks[kind] {
			var want [nic.ShapeWords]uint32
			for k, cell := range row[1:] {
				require.Contains(t, words, cell)
				want[k] = uint32(words[cell](n))
			}
			require.Equal(t, want, n.Shape().Words, "%+v", n)
		}
		delete(networks, kind)
	}
	require.Empty(t, networks, "not in the table")
}

func residues(n ej.Network) int { return n.A*n.A + n.A*n.B + n.B*n.B }

// TestABIPorts holds what ABI.md says of where ports lead.
func TestABIPorts(t *testing.T) {
	networks := abiNetworks()
	p := networks["pops"][0].(pops.Network)
	for a := range p.Groups {
		for i := range p.GroupSize {
			for port := range p.Groups {
				self, names := a*p.GroupSize+i, p.Names()
				require.Equal(t, fmt.Sprintf("pops.group[%d].coupler[%d]", a, port), names.Medium(names.SentOn(self, uint16(port), -1)))
				require.Equal(t, fmt.Sprintf("pops.group[%d].coupler[%d]", port, a), names.Medium(names.HeardOn(self, uint16(port))))
			}
		}
	}
	for _, n := range networks["ej"] {
		e := n.(ej.Network)
		size, names := residues(e), e.Names()
		for node := range e.Shape().Processors() {
			for port := range e.Shape().Ports {
				power := 1
				for range port / 6 {
					power *= size
				}
				c := node / power % size
				unit := [][2]int{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}[port%6]
				w := size / gcd(e.A, e.B)
				to := node + (residue(e, c%w+unit[0], c/w+unit[1])-c)*power
				opposite := uint16(port/6*6 + (port+3)%6)
				require.Equal(t, names.SentOn(node, uint16(port), -1), names.HeardOn(to, opposite), "node %d port %d", node, port)
				require.Equal(t, names.HeardOn(node, uint16(port)), names.SentOn(to, opposite, -1))
			}
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// residue numbers x + y*rho modulo a + b*rho as ABI.md says: multiples of it are subtracted until the number
// has 0 <= y < h and 0 <= x < w.
func residue(e ej.Network, x, y int) int {
	h := gcd(e.A, e.B)
	w := residues(e) / h
	for u := -9; u <= 9; u++ {
		for v := -9; v <= 9; v++ { // rho^2 = rho - 1
			x0, y0 := x-(e.A*u-e.B*v), y-(e.A*v+e.B*u+e.B*v)
			if 0 <= y0 && y0 < h {
				return y0*w + ((x0%w)+w)%w
			}
		}
	}
	panic("no multiple is near")
}

// TestABIWorkload holds the words of the workload to the referees, and which networks carry which.
func TestABIWorkload(t *testing.T) {
	const source = 4
	list := []uint32{0: 3}
	workloads := map[string]fabric.Workload{
		"one_to_all": {OneToAll: &fabric.OneToAll{Source: source}}, "all_to_all": {AllToAll: &fabric.AllToAll{}}, "gossip": {Gossip: &fabric.Gossip{Sessions: 3}},
		"scatter": {Scatter: &fabric.Scatter{Origin: source}}, "permutation": {Permutation: fabric.Permutation{Kind: fabric.PermutationReverse}}, "adversary": {},
		"traffic": {Traffic: &fabric.Traffic{Rate: 0.1, Closed: 3}},
	}
	words := map[string]func(n, self int) uint32{
		"destination of the packet that starts there": func(n, self int) uint32 { return uint32(n - 1 - self) },
		"the speaker, the same for all":               func(int, int) uint32 { return source },
		"0":                                           func(int, int) uint32 { return 0 },
		"number of sessions":                          func(int, int) uint32 { return 3 },
		"`closed`, 0 for any number":                  func(int, int) uint32 { return 3 },
		"the processor that has the item at first":    func(int, int) uint32 { return source },
	}
	carried := map[string][]string{}
	for _, row := range tableRows(t, "workload") {
		name, kinds := inCode(row[0])[0], inCode(row[1])
		if row[1] == "all" {
			kinds = slices.Sorted(maps.Keys(abiNetworks()))
		}
		workload, known := workloads[name]
		require.True(t, known, name)
		require.Contains(t, words, row[2])
		for _, kind := range kinds {
			carried[kind] = append(carried[kind], name)
			if name == "adversary" {
				continue // a permutation that is made from the firmware's choices
			}
			for _, n := range abiNetworks()[kind] {
				referee := n.Referee(&workload, nil)
				if workload.Traffic != nil { // the same on all networks
					spec, err := traffic.Settle(workload.Traffic, n, nil, fabric.TimebaseOf(n, false, 7))
					require.NoError(t, err)
					referee = traffic.New(&traffic.Config{Spec: spec, Network: n, Rules: &fabric.Rules{}, Timing: nic.Timing{Tick: 7},
						Shards: n.Shape().Shards(1)})
				}
				require.NoError(t, referee.Load(&fabric.Load{Workload: &workload, Seed: 1, Shards: 1}))
				got := make([]uint32, n.Shape().Processors())
				referee.Tell(0, got)
				for self := range got {
					list = append(list[:0], words[row[2]](len(got), self))
					require.Equal(t, list[0], got[self], "%s on %s", name, kind)
				}
			}
		}
	}
	for kind, networks := range abiNetworks() {
		s := starloom.DefaultScenario()
		s.Fabric.Custom = networks[0]
		want := inside.Decided(s).Carried
		require.ElementsMatch(t, want, carried[kind], kind)
	}
}

// TestABISchedulesAndROMs holds the names of the schedules and what the ROMs hold. What the words of schedules
// mean is held beside their planners.
func TestABISchedulesAndROMs(t *testing.T) {
	networks := abiNetworks()
	named := map[string][]string{}
	for _, row := range tableRows(t, "schedule") {
		named[inCode(row[0])[0]] = inCode(row[1])
	}
	roms := map[string][]string{}
	for _, row := range tableRows(t, "rom") {
		roms[inCode(row[0])[0]] = row[1:]
	}
	for kind, n := range networks {
		require.Equal(t, n[0].Abilities().Schedules.Names, named[kind], kind)
		require.Contains(t, roms, kind)
	}
	gossips := &fabric.Workload{Gossip: &fabric.Gossip{Orders: "identity"}}
	rom, err := fabric.ROMOf(networks["pops"][0], &fabric.Workload{}, nil)
	require.NoError(t, err)
	require.Nil(t, rom)

	rom, err = fabric.ROMOf(networks["crossbar"][0], gossips, nil)
	require.NoError(t, err)
	each, machine := rom.Words()
	require.Equal(t, []int{6, 0}, []int{each, machine})
	order := make([]uint32, 6)
	rom.Processor(2, 1, order)
	require.Equal(t, []uint32{0, 1, 3, 4, 5, 6}, order)
	votes := &fabric.Workload{Gossip: &fabric.Gossip{Vector: []int64{7, 8, 1<<40 + 9, 10, 11, 12, 13}}}
	rom, err = fabric.ROMOf(networks["crossbar"][0], votes, nil)
	require.NoError(t, err)
	each, machine = rom.Words()
	require.Equal(t, []int{6 + 1 + 2*7, 0}, []int{each, machine})
	order = make([]uint32, each)
	rom.Processor(2, 1, order)
	require.Equal(t, []uint32{0, 9, 1 << 8, 9, 1 << 8}, order[6:11])

	rom, err = fabric.ROMOf(networks["bus"][0], &fabric.Workload{}, nil)
	require.NoError(t, err)
	each, machine = rom.Words()
	require.Equal(t, []int{1 + 3, 0}, []int{each, machine})
	taps := make([]uint32, each)
	rom.Processor(3, 1, taps)
	require.Equal(t, []uint32{3, 0, 1, 2}, taps)
	clear(taps)
	rom.Processor(5, 1, taps)
	require.Equal(t, []uint32{1, 2, 0, 0}, taps)

	rom, err = fabric.ROMOf(networks["ej"][1], &fabric.Workload{}, nil)
	require.NoError(t, err)
	each, machine = rom.Words()
	require.Zero(t, each)
	stairs := make([]uint32, machine)
	rom.Machine(1, stairs)
	require.EqualValues(t, 7, stairs[0])
	require.EqualValues(t, machine, stairs[6])
	require.Equal(t, []uint32{2, 1, 0}, stairs[7:10], "alpha = 3+4rho: sectors of diameter 3, in which both directions together take no more hops")

	rom, err = fabric.ROMOf(networks["ej"][1], &fabric.Workload{Traffic: &fabric.Traffic{Rate: 0.1}}, nil)
	require.NoError(t, err)
	each, machine = rom.Words()
	require.Equal(t, []int{0, 3 + (37+7)/8}, []int{each, machine})
	routes := make([]uint32, machine)
	rom.Machine(1, routes)
	require.Equal(t, []uint32{37, 1, 10}, routes[:3])
	for residue, direction := range []uint32{1: 0, 10: 4, 11: 5, 26: 2, 27: 1, 36: 3} { // the neighbours of node 0
		if residue == 1 || direction > 0 {
			require.Equal(t, direction, routes[3+residue/8]>>(4*(residue%8))&0xF, residue)
		}
	}
}

// TestABICalls holds the names of calls to the programs that have them.
func TestABICalls(t *testing.T) {
	var named []string
	for _, row := range tableRows(t, "calls") {
		name, _, _ := strings.Cut(inCode(row[0])[0], "(")
		named = append(named, name)
	}
	have := map[string]bool{}
	for _, program := range firmware.Programs() {
		view, err := firmware.View(t.Context(), program, "unit", nil, nil, firmware.Shown{})
		require.NoError(t, err)
		for _, export := range view.Static.Exports {
			if strings.HasPrefix(export, "starloom_call_") {
				name, _, _ := strings.Cut(export, "(")
				have[name] = true
			}
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(have)), named)
}

// TestABIAloneInC builds an image that was written from ABI.md and REGISTERS.md with the commands in ABI.md,
// and runs it on two kinds of networks. On buses it does what the program with the SDK does.
func TestABIAloneInC(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("firmware/testdata/alone.c")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "image.c"), text, 0o644))
	for _, line := range strings.Split(strings.Trim(strings.TrimSpace(between(t, "flags")), "`\n"), "\n") {
		words := strings.Fields(line)
		command := exec.Command(words[0], words[1:]...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
	}
	digests := map[string]string{}
	for name, text := range map[string]string{
		"ej":        "fabric: {ej: {a: 2, b: 3, dimensions: 2, duplex: full}}\nfirmware: {image: image.wasm}\nworkload: {one_to_all: {source: 5}}\n",
		"bus":       "fabric: {bus: {vertices: 21, length: 4}}\nfirmware: {image: image.wasm, schedule: two-phase}\n",
		"bus, long": "fabric: {bus: {vertices: 70, length: 6}}\nfirmware: {image: image.wasm, schedule: improved}\n",
	} {
		s, err := starloom.ParseScenario(filepath.Join(dir, "alone.yaml"), []byte("starloom: 1\n"+text+"stop: {slots: 60}\n"))
		require.NoError(t, err)
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineSlot, BankSize: 7, Workers: 2},
				{Engine: starloom.EngineCycle}} {
				s.Firmware.Mode = mode
				m := systemtest.Machine(t, s, o)
				require.NoError(t, m.Run(t.Context(), nil))
				report := m.Report()
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%s: %+v", name, report.Violations)
				require.Equal(t, cmp.Or(digests[name], report.Digest), report.Digest)
				digests[name] = report.Digest
				if name == "ej" {
					require.EqualValues(t, 0, report.Metrics.Get("missing"))
				}
			}
		}
	}
	for name, text := range map[string]string{
		"bus":       "fabric: {bus: {vertices: 21, length: 4}}\nfirmware: {program: bus/two-phase}\n",
		"bus, long": "fabric: {bus: {vertices: 70, length: 6}}\nfirmware: {program: bus/improved}\n",
	} {
		s, err := starloom.ParseScenario("program.yaml", []byte("starloom: 1\n"+text))
		require.NoError(t, err)
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, report.Digest, digests[name], name)
	}
}
