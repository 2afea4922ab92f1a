package fabrictest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/hw"
)

func builtIn(s *starloom.Scenario) fabric.Network {
	switch {
	case s.Fabric.POPS != nil:
		return *s.Fabric.POPS
	case s.Fabric.EJ != nil:
		return *s.Fabric.EJ
	case s.Fabric.Crossbar != nil:
		return *s.Fabric.Crossbar
	}
	return *s.Fabric.Bus
}

func parsed(t testing.TB, text string) *starloom.Scenario {
	s, err := starloom.ParseScenario("netlist.yaml", []byte("starloom: 1\nname: netlist\n"+text+"\n"))
	require.NoError(t, err)
	return s
}

// mirrored holds runs on networks of links and of stars.
var mirrored = map[string]string{
	"offline":          "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/offline}",
	"one to all":       "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 7}}",
	"random":           "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/random}\nstop: {slots: 200}",
	"corrected":        "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/random-corrected}",
	"sort":             "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/sort}",
	"two hops":         "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/two-hops}\nstop: {slots: 300}",
	"traffic":          "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/traffic}\nworkload: {traffic: {rate: 0.1, warm_up: 20, measure: 60, drain: 60}}",
	"half":             "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}",
	"full":             "fabric: {ej: {a: 3, b: 4, dimensions: 1, duplex: full}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 5}}",
	"misprinted":       "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/misprinted}\nworkload: {one_to_all: {source: 0}}",
	"credits, half":    "fabric: {ej: {a: 3, b: 4, dimensions: 1, credits: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 3}}",
	"credits, full":    "fabric: {ej: {a: 3, b: 4, dimensions: 1, duplex: full, credits: {depth: 1, round_trip_slots: 3}}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}\nstop: {slots: 60}",
	"credits, lost":    wiredScenarios["lost credits"],
	"credits, waiting": wiredScenarios["credits"],
	"credits, traffic": "fabric: {ej: {a: 3, b: 4, dimensions: 1, duplex: full, credits: {depth: 1, round_trip_slots: 3}}}\nfirmware: {program: ej/traffic}\nworkload: {traffic: {rate: 0.3, warm_up: 20, measure: 60, drain: 60}}",
	"star faults":      wiredScenarios["star faults"],
	"link faults":      wiredScenarios["link faults"],
	"half, crowded":    wiredScenarios["all to all"],
}

// TestNetlistOf compares networks of links or stars with their netlists: report, digest and capture in both engines.
func TestNetlistOf(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mirrored)) {
		t.Run(name, func(t *testing.T) {
			Reflected(t, func(t testing.TB, mirror func(fabric.Network) fabric.Network) *starloom.Scenario {
				s := parsed(t, mirrored[name])
				s.Fabric = starloom.Fabric{Custom: mirror(builtIn(s))}
				return s
			})
		})
	}
	t.Run("all permutations", func(t *testing.T) {
		var texts []string
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, reflected := range []bool{false, true} {
				s := parsed(t, "fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/offline}\nworkload: {permutation: all}")
				n, err := fabric.Network(*s.Fabric.POPS), error(nil)
				if reflected {
					n, err = Mirror(n)
					require.NoError(t, err)
				}
				s.Fabric = starloom.Fabric{Custom: n}
				o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}}
				report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 1}, o)
				require.NoError(t, err)
				var b bytes.Buffer
				require.NoError(t, report.WriteJSON(&b))
				texts = append(texts, strings.Replace(b.String(), `"engine": "cycle"`, `"engine": "slot"`, 1))
			}
		}
		require.Contains(t, texts[0], `"runs": 720`)
		require.Equal(t, slices.Repeat(texts[:1], 4), texts)
	})
}

const drawnPOPS = `fabric:
  netlist:
    name: pops
    access: one
    words: [2, 2]
    nodes:
      "group[0..1].nic[0..1]": processor
      "group[0..1].coupler[0..1]": star
    links:            # port p of a transmitter leads to group p, that of a receiver hears group p
      - {endpoints: ["group[0].nic[0..1]:0", "group[0].coupler[0]"], oneway: true}
      - {endpoints: ["group[0].nic[0..1]:1", "group[0].coupler[1]"], oneway: true}
      - {endpoints: ["group[1].nic[0..1]:0", "group[1].coupler[0]"], oneway: true}
      - {endpoints: ["group[1].nic[0..1]:1", "group[1].coupler[1]"], oneway: true}
      - {endpoints: ["group[0].coupler[0]", "group[0].nic[0..1]:0"], oneway: true}
      - {endpoints: ["group[1].coupler[0]", "group[0].nic[0..1]:1"], oneway: true}
      - {endpoints: ["group[0].coupler[1]", "group[1].nic[0..1]:0"], oneway: true}
      - {endpoints: ["group[1].coupler[1]", "group[1].nic[0..1]:1"], oneway: true}
`

// TestNetlistDrawn compares POPS(2,2) drawn by hand with the built-in one: digest and capture. So the reader is not
// compared with itself.
func TestNetlistDrawn(t *testing.T) {
	for _, program := range []string{"random", "random-corrected", "two-hops"} {
		image, err := os.ReadFile(filepath.Join("..", "..", "firmware", "images", "pops", program+".wasm"))
		require.NoError(t, err)
		requireSameRuns(t, image, "firmware: {image: x.wasm}\nworkload: {permutation: [3, 2, 0, 1]}\nrules: {exactly_once: true}\nstop: {slots: 200}",
			drawnPOPS, "fabric: {pops: {groups: 2, group_size: 2}}\n")
	}
}

const drawnGrid = `fabric:
  netlist:
    nodes:
      "p[0..5]": {kind: processor, ports: [east, west, north, south], open: [east, west, north, south]}
    links:
      - ["p[0]:east", "p[1]:west"]
      - ["p[1]:east", "p[2]:west"]
      - ["p[3]:east", "p[4]:west"]
      - ["p[4]:east", "p[5]:west"]
      - ["p[0]:north", "p[3]:south"]
      - ["p[1]:north", "p[4]:south"]
      - ["p[2]:north", "p[5]:south"]
`

// TestNetlistDrawnMesh compares a drawn mesh with its shorthand: digest and capture.
func TestNetlistDrawnMesh(t *testing.T) {
	for _, keys := range []string{"firmware: {program: netlist/next-hop}\n", "firmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 4}}\n",
		"firmware: {program: netlist/gossip}\nworkload: {gossip: {}}\n"} {
		requireSameRuns(t, nil, keys, drawnGrid, "fabric: {netlist: {mesh: {k: [3, 2]}}}\n")
	}
}

// requireSameRuns requires one digest and one capture of an image or program on several networks, in both engines.
func requireSameRuns(t *testing.T, image []byte, keys string, networks ...string) {
	t.Helper()
	var digests []string
	var captures [][]byte
	for _, network := range networks {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			s := parsed(t, network+keys)
			s.Firmware.ImageBytes = image
			var capture bytes.Buffer
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine},
				Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)}}
			report, err := starloom.Run(t.Context(), s, o)
			require.NoError(t, err)
			require.Positive(t, report.Frames.Delivered)
			digests = append(digests, report.Digest)
			captures = append(captures, bytes.ReplaceAll(capture.Bytes(), []byte(s.Hash()), make([]byte, 64)))
		}
	}
	require.Equal(t, slices.Repeat(digests[:1], 2*len(networks)), digests)
	for _, capture := range captures[1:] {
		require.True(t, bytes.Equal(captures[0], capture))
	}
}

// aligned is a star whose links may have latencies that differ.
const aligned = "{kind: star, align: true}"

// randomNetlist returns a random netlist of 2 to 12 nodes: processors of any degree, stars, links of every kind.
func randomNetlist(draw *rand.Rand) string {
	processors, stars := 2+draw.IntN(7), draw.IntN(5)
	var b strings.Builder
	access := []string{"all", "one"}[draw.IntN(2)]
	fmt.Fprintf(&b, "fabric:\n  netlist:\n    access: %s\n    apart: true\n    nodes: {\"p[0..%d]\": processor", access, processors-1)
	kinds := make([]string, stars)
	for s := range kinds {
		kinds[s] = []string{"star", "star", aligned}[draw.IntN(3)]
		fmt.Fprintf(&b, ", \"s[%d]\": %s", s, kinds[s])
	}
	b.WriteString("}\n    links:\n")
	randomLinks(&b, draw, processors, kinds, access)
	return b.String()
}

// randomCredits returns random credits of a link, usually none.
func randomCredits(draw *rand.Rand) string {
	switch draw.IntN(6) {
	case 0:
		return fmt.Sprintf(", credits: %d", 1+draw.IntN(2))
	case 1:
		return fmt.Sprintf(", credits: {depth: %d, round_trip_slots: %d, resync_slots: %d}", 1+draw.IntN(2), 2+draw.IntN(3), draw.IntN(3)*5)
	}
	return ""
}

// randomLinks writes random links to stars of some kinds or their substitutes, and other links.
func randomLinks(b *strings.Builder, draw *rand.Rand, processors int, kinds []string, access string) {
	ports := make([]int, processors)
	port := func(p int) string { ports[p]++; return fmt.Sprintf("\"p[%d]:%d\"", p, ports[p]-1) }
	option := func() string {
		if draw.IntN(3) == 0 {
			return fmt.Sprintf(", latency: %d", 1+draw.IntN(4))
		}
		return ""
	}
	for s, kind := range kinds {
		into, latency, sends, hears := func() string { return "" }, option(), map[int]bool{}, map[int]bool{}
		out := func() string { return latency }
		if strings.Contains(kind, "align") {
			into = func() string { return fmt.Sprintf(", latency: %d", 1+draw.IntN(6)) }
			out = into
		}
		fmt.Fprintf(b, "      - {endpoints: [%s, \"s[%d]\"]%s}\n", port(s%processors), s, out()) // sender and listener
		sends[s%processors], hears[s%processors] = true, true
		for range draw.IntN(4) {
			of, way := draw.IntN(processors), draw.IntN(3)
			switch { // by one port each way
			case sends[of] && hears[of]:
				continue
			case sends[of]:
				way = 1
			case hears[of]:
				way = 0
			}
			p := port(of)
			sends[of], hears[of] = sends[of] || way != 1, hears[of] || way != 0
			switch way {
			case 0:
				fmt.Fprintf(b, "      - {endpoints: [%s, \"s[%d]\"], oneway: true%s}\n", p, s, into())
			case 1:
				fmt.Fprintf(b, "      - {endpoints: [\"s[%d]\", %s]%s, oneway: true}\n", s, p, out())
			default:
				fmt.Fprintf(b, "      - {endpoints: [%s, \"s[%d]\"]%s}\n", p, s, out())
			}
		}
	}
	for p := range processors { // no processor stays isolated
		more := []string{"", ", oneway: true", ", duplex: half"}[draw.IntN(3)]
		if access != "one" {
			more += randomCredits(draw)
		}
		fmt.Fprintf(b, "      - {endpoints: [%s, %s]%s%s}\n", port(p), port((p+1+draw.IntN(processors-1))%processors), more, option())
	}
}

// TestRandomNetlists compares engines, divisions and restored runs on random netlists.
func TestRandomNetlists(t *testing.T) { randomNetlists(t, 1, 40) }

// TestLongRandomNetlists tests 500 netlists per seed, 100,000 under -full.
func TestLongRandomNetlists(t *testing.T) {
	seeds, count := uint64(2), 250
	if *full {
		seeds, count = 200, 500
	}
	for i := range seeds {
		t.Run(fmt.Sprint("seed ", 5+i), func(t *testing.T) {
			t.Parallel()
			randomNetlists(t, 5+i, count)
		})
	}
}

func randomNetlists(t *testing.T, seed uint64, count int) {
	draw := rand.New(rand.NewPCG(26, seed))
	for i := range count {
		text := randomNetlist(draw)
		if i%8 > 3 {
			text = randomShared(draw)
		}
		s := parsed(t, text+"firmware: {image: x.wasm}")
		flood := Flood{Fabric: s.Fabric}
		kinds := flood.traffic()
		kind := kinds[draw.IntN(len(kinds))]
		kind.happens = func(*starloom.Report) error { return nil }
		kind.cuts = flood.oddCuts()
		if i%4 > 0 {
			kind.further = nil
		}
		require.NoError(t, flood.agree(t.Context(), &kind), "%d: %s\n%s", i, kind.name, text)
	}
}

// TestNetlistPrograms runs the built-in programs with their workloads on random netlists, in both engines.
func TestNetlistPrograms(t *testing.T) { netlistPrograms(t, 5, 48) }

// TestLongNetlistPrograms tests more netlists under -full.
func TestLongNetlistPrograms(t *testing.T) {
	if !*full {
		t.Skip("-full")
	}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", 100+seed), func(t *testing.T) {
			t.Parallel()
			netlistPrograms(t, 100+seed, 500)
		})
	}
}

func netlistPrograms(t *testing.T, seed uint64, count int) {
	draw := rand.New(rand.NewPCG(26, seed))
	waited := map[string]uint64{"access: switch": 0, "access: mixed": 0, "credits: ": 0, "x: {kind: crossbar": 0}
	for ran := 0; ran < count; {
		network := randomNetlist(draw)
		if ran%2 > 0 {
			network = randomShared(draw)
		}
		network = strings.Replace(network, "    apart: true\n", "", 1)
		if _, err := starloom.ParseScenario("n.yaml", []byte("starloom: 1\n"+network+"firmware: {program: netlist/next-hop}\n")); err != nil {
			require.Regexp(t, "no way leads|fewer credits", err.Error()) // a random netlist may be disconnected, and frames may wait
			continue
		}
		ran++
		for _, work := range []string{"firmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 1}}",
			"firmware: {program: netlist/gossip}\nworkload: {" + []string{"gossip", "all_to_all"}[ran%3/2] + ": {}}", fmt.Sprintf("seed: %d\nfirmware: {program: netlist/next-hop}", ran),
			"firmware: {program: netlist/traffic}\nworkload: {traffic: {rate: 0.005, size: [1, 2], warm_up: 5, measure: 80, drain: 3000}}"} {
			c := Case{Scenario: func(t testing.TB) *starloom.Scenario { return parsed(t, network+work) }}
			want := ""
			for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineCycle}, {Engine: starloom.EngineSlot},
				{Engine: []string{starloom.EngineCycle, starloom.EngineSlot}[draw.IntN(2)], BankSize: 1 + draw.IntN(4),
					Workers: 1 + draw.IntN(2)}} {
				report, err := starloom.Run(t.Context(), c.Scenario(t), starloom.RunOptions{MachineOptions: o})
				require.NoError(t, err)
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v: %+v\n%s%s", o, report.Violations, network, work)
				require.Zero(t, report.Frames.Overflow, "a frame that waits is in the NIC, and no other one goes there\n%s%s", network, work)
				for kind := range waited {
					if strings.Contains(network, kind) {
						waited[kind] += report.Frames.Blocked + report.Frames.Collided
					}
				}
				if want == "" {
					want = text(t, report)
				}
				require.Equal(t, want, text(t, report), "%+v\n%s%s", o, network, work)
			}
			if draw.IntN(16) == 0 {
				c.state(t, want)
			}
		}
	}
	for kind, frames := range waited {
		require.Positive(t, frames, "no frame has waited: %s", kind)
	}
}

// TestNetlistProgramsRefused checks the requirements of programs on networks, and the remedies.
func TestNetlistProgramsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"{" + drawnMesh + "}\nfirmware: {program: pops/sort}":                                                                                                                             "the program pops/sort is for another fabric; known are netlist/flood",
		"{netlist: {mesh: {k: [2, 2]}}}\nfirmware: {program: netlist/direct}":                                                                                                             "the program netlist/direct is for processors at routers, but this network has none; use netlist/next-hop",
		"{netlist: {mesh: {k: [2, 2]}, routes: none}}\nfirmware: {program: netlist/next-hop}":                                                                                             "the program netlist/next-hop reads the table of the network's routes",
		"{netlist: {access: switch, nodes: {'p[0..2]': processor, b: {kind: bus, length: 2}}, links: [['p[0..2]', b]]}}\nfirmware: {program: netlist/flood}":                              "all NICs of a bus on it in one slot, but netlist.b accepts only 2 of 3; delete length",
		"{netlist: {nodes: {'p[0..1]': processor}, links: [{endpoints: ['p[0]', 'p[1]'], duplex: half, credits: {depth: 1, round_trip_slots: 3}}]}}\nfirmware: {program: netlist/gossip}": "half-duplex links have fewer credits than this needs",
		"{netlist: {nodes: {'p[0..4999]': processor, x: crossbar}, links: [['p[0..4999]', x]]}}\nfirmware: {program: netlist/flood}":                                                      "reads the table of a crossbar's listeners, which does not exist",
	} {
		_, err := starloom.ParseScenario("n.yaml", []byte("starloom: 1\nfabric: "+text+"\n"))
		require.ErrorContains(t, err, says)
	}
}

// TestNetlistTells requires that a processor that hears a star at a port forwards over another star by the same port.
func TestNetlistTells(t *testing.T) {
	text := "fabric: {netlist: {" +
		"nodes: {a: processor, b: processor, c: processor, 's[0..1]': star, y: {kind: bus, arbiter: fixed}}, links: [\n" +
		"{endpoints: ['a:0', 's[0]'], oneway: true}, {endpoints: ['s[0]', 'b:0'], oneway: true}, {endpoints: ['b:0', 's[1]'], oneway: true},\n" +
		"{endpoints: ['s[1]', 'c:0'], oneway: true}, {endpoints: ['b:1', y], oneway: true}, {endpoints: [y, 'a:1'], oneway: true}, {endpoints: ['c:1', 'a:2'], oneway: true}]" +
		"}}\nfirmware: {program: netlist/gossip}\nworkload: {all_to_all: {}}\nstop: {slots: 60}\n"
	report, err := starloom.Run(t.Context(), parsed(t, text), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v\n%s", report.Violations, text)
}

// TestNetlistProgramsWait requires that a requesting frame waits in the NIC while the program queues no other.
func TestNetlistProgramsWait(t *testing.T) {
	var networks []string
	for _, arbiter := range hw.ArbitersFor(hw.ForBuses) {
		networks = append(networks, "access: mixed, nodes: {'p[0..5]': processor, 'b[0..1]': {kind: bus, arbiter: "+arbiter+"}},\n"+
			"  links: [['p[0..3]', 'b[0]'], ['p[3..5]', 'b[1]']]")
	}
	for _, keys := range []string{"cap: 1", "arbiter: none", "matching: list, cap: 1"} {
		networks = append(networks, "nodes: {'p[0..5]': processor, x: {kind: crossbar, "+keys+"}}, links: [['p[0..5]', x]]")
	}
	for _, network := range networks {
		text := "fabric: {netlist: {" + network + "}}\n"
		for _, work := range []string{"firmware: {program: netlist/next-hop}\nworkload: {permutation: [5, 4, 3, 2, 1, 0]}\nnic: {tx_frames: 2}\n",
			"firmware: {program: netlist/traffic, params: {queue: 512}}\nnic: {tx_frames: 2}\nworkload: {traffic: {rate: 0.1, warm_up: 0, measure: 500}}\n"} {
			report, err := starloom.Run(t.Context(), parsed(t, text+work), starloom.RunOptions{})
			require.NoError(t, err)
			require.Zero(t, report.Frames.Overflow, "%s%s", text, work)
			require.Positive(t, report.Frames.Blocked)
		}
	}
}
