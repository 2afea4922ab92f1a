package hw

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRouterSettings checks the exact number of differing packets in each log after a change of one setting. The
// numbers come from another model of the same specification; -1: the change does not apply.
func TestRouterSettings(t *testing.T) {
	type settings = func(g *golden)
	other := func(a RouterAllocator) RouterAllocator { return ISLIP + SeparableInputFirst - a }
	changes := []struct {
		name   string
		change settings
		want   [5]int
	}{
		{"depth 3", func(g *golden) { g.config.Depth = 3 }, [5]int{38, 5296, 2614, 2467, 15985}},
		{"depth 5", func(g *golden) { g.config.Depth = 5 }, [5]int{0, 639, 2478, 2165, 14740}},
		{"1 VC", func(g *golden) { g.config.VCs = 1 }, [5]int{5482, 12977, 2671, 3110, 19476}},
		{"3 VCs", func(g *golden) { g.config.VCs = 3 }, [5]int{1921, 4975, 1967, 1523, 16327}},
		{"routing delay", func(g *golden) { g.config.RoutingDelay = 1 - g.config.RoutingDelay }, [5]int{6463, 12840, 2632, 3139, 17713}},
		{"credit delay 0", func(g *golden) { g.config.CreditDelay = 0 }, [5]int{-1, 629, -1, -1, 0}},
		{"credit delay 1", func(g *golden) { g.config.CreditDelay = 1 }, [5]int{0, 598, 2177, 1409, 0}},
		{"wait for tail credit", func(g *golden) { g.config.WaitForTail = true }, [5]int{6390, 12994, 2559, 2661, 19429}},
		{"VC allocator", func(g *golden) { g.config.VCAllocator = other(g.config.VCAllocator) }, [5]int{658, 3361, 686, 123, 15853}},
		{"switch allocator", func(g *golden) { g.config.SwitchAllocator = other(g.config.SwitchAllocator) }, [5]int{7, 379, 1155, 296, 16763}},
		{"latency 2", func(g *golden) {
			if len(g.top.graph.Ports) > 1 {
				g.top = cube(4, 2, 2, false)
			}
		}, [5]int{5924, 11772, 2596, 3027, -1}},
	}
	for i, g := range goldens() {
		packets, logged := readGolden(t, g.name)
		for _, c := range changes {
			g := g
			c.change(&g)
			k, n := newTestNetwork(t, g.top, g.config, packets, 16, 1)
			runNetwork(k, n)
			assert.Equal(t, max(0, c.want[i]), differ(packets, logged), "%s: %s", g.name, c.name)
		}
	}
}

// wrongRule is a mutant: in a copy of the file, old is replaced by text in which MUTANT selects this mutant.
type wrongRule struct {
	name  string
	want  [5]int   // differing packets in each log, -1: none possible
	exact bool     // want comes from another model; otherwise some log must differ
	edits []string // file, old, new, ...
}

const (
	wideGrant      = "\tx.vcGrant[w.vc+out] = next(member, w.members)\n"
	wideAccept     = "\tx.vcAccept[w.vc+member] = next(out, w.members)\n"
	wideSwitch     = "\tx.switchGrant[w.port+o], x.switchAccept[w.port+i] = uint8(next(i, w.ports)), uint8(next(o, w.ports))\n"
	wideChoice     = "\tx.choice[w.port+i] = uint8(next(vc, vcs))\n"
	generalRequest = "\t\t\tw.vcs.requests = append(w.vcs.requests, request{int32(in), int32(out), int32(member), inPriority, priority})\n"
	generalMatch   = "\t\tif m.best[q.out] != int32(k) || m.pick[q.in] != int32(k) {\n"
	generalPick    = "\tfor k := range m.requests {\n\t\tq := &m.requests[k]\n\t\tif m.pick[q.in] != int32(k) {\n"
	generalClear   = "\tfor i := range m.requests {\n\t\tq := &m.requests[i]\n\t\tcandidates["
)

func routerMutants() []wrongRule {
	const allocate, source, wiring = "router_allocate.go", "packet_source.go", "router_wiring.go"
	return []wrongRule{
		{"no mutant", [5]int{}, true, []string{general, "latch is the latch", "latch is the latch"}},
		{"VA requests only output VCs with credit", [5]int{2, 1939, 1381, 384, 0}, true, []string{
			general, "\t\tif s.BusyWhenFull {", "\t\tif s.BusyWhenFull || MUTANT {"}},
		{"VA requests only the lowest free VC", [5]int{1842, 4837, 1264, 678, 15620}, true, []string{
			general, generalRequest, generalRequest + "if MUTANT { return }\n"}},
		{"VA input index v*P+i", [5]int{957, 4349, 1282, 603, 15898}, true, []string{
			general, "if s.ShuffleRequests {", "if s.ShuffleRequests || MUTANT {"}},
		{"unaccepted grants and lost picks move the pointer", [5]int{721, 3929, 1509, 599, 15864}, true, []string{
			rounds, generalPick, `if MUTANT {
				for k := range m.requests {
					if q := &m.requests[k]; m.best[q.out] == int32(k) { a.grant.set(m.out+int(q.out), next(int(q.in), m.ins)) }
				}
			}
			` + generalPick,
			separables, generalMatch, "if MUTANT && m.pick[q.in] == int32(k) { a.accept.set(m.in+int(q.in), next(int(q.out), m.outs)) }\n" + generalMatch}},
		{"a second iteration of islip over the unmatched", [5]int{750, 3370, 1200, 381, -1}, true, []string{
			rounds, "\tm.begin()\n", "if MUTANT { a = &islip{2, a.grant, a.accept} }\n\tm.begin()\n"}},
		{"output-side pointers stay 0", [5]int{1558, 6234, 2289, 1727, 16298}, true, []string{
			allocate, wideGrant, "if !MUTANT {\n" + wideGrant + "}\n",
			allocate, wideSwitch, wideSwitch + "if MUTANT { x.switchGrant[w.port+o] = 0 }\n"}},
		{"input-side pointers stay 0", [5]int{1862, 5034, 2273, 1654, 15423}, true, []string{
			allocate, wideAccept, "if !MUTANT {\n" + wideAccept + "}\n",
			allocate, wideSwitch, wideSwitch + "if MUTANT { x.switchAccept[w.port+i] = 0 }\n"}},
		{"the choice of a VC stays 0", [5]int{177, 645, 2083, 1354, 15567}, true, []string{
			allocate, wideChoice, "if !MUTANT {\n" + wideChoice + "}\n"}},
		{"the choice moves without a grant", [5]int{0, 0, 0, 0, 15626}, true, []string{
			general, generalClear, `if MUTANT {
				for ei := range m.ins {
					for eo := range outs {
						if k := candidates[ei*outs+eo]; k > 0 {
							x.choice[m.in+ei] = uint8(next(int(s.memberVC[m.requests[k-1].member]), x.config.VCs))
						}
					}
				}
			}
			` + generalClear}},
		{"the choice comes before the credit check", [5]int{0, 36, 1361, 247, 0}, true, []string{
			general, "\tif x.sends(w, member) {", "\tif x.sends(w, member) || MUTANT {",
			general, "\ta.match(m)\n", `if MUTANT {
				kept := []request{}
				for _, q := range m.requests {
					if x.sends(w, int(q.member)) { kept = append(kept, q) } else { candidates[int(q.in)*outs+int(q.out)] = 0 }
				}
				m.requests = kept
			}
			a.match(m)
			`}},
		{"a body flit waits for a cycle", [5]int{0, 0, 1818, 1037, 0}, true, []string{
			general, "\tif s.ordered {\n\t\tw.asks", `if MUTANT && x.count[w.vc+member] == 1 && x.moved[w.vc+member] == uint32(x.flits.clock.cycle) { return }
			if s.ordered {
				w.asks`,
			general, "\tsomething = len(w.idle)", "\tsomething = MUTANT || len(w.idle)"}},
		{"the head after a leaving tail is routed at once", [5]int{1992, -1, 1593, 1196, -1}, true, []string{
			general, "exclude(x.of(x.active, r), member)\n", `exclude(x.of(x.active, r), member)
			if MUTANT && !empty && x.config.RoutingDelay == 1 {
				x.routeHeadWide(w, member)
				include(x.of(x.waiting, r), member)
			}
			`}},
		{"a source takes the lowest free VC", [5]int{3970, 9413, 2423, 2317, 18830}, true, []string{
			source, "\tfor range high - low + 1 {\n", "if MUTANT { vc = high }\n\tfor range high - low + 1 {\n"}},
		{"a source tries the next free VC only", [5]int{0, 0, 0, 147, 1274}, true, []string{
			source, "\tif g := place*x.config.VCs + vc; x.used[g] == 0", "\tif g := place*x.config.VCs + vc; MUTANT && x.used[g] == 0 && int(x.sent[g]) >= x.config.Depth { return -1 }\n" +
				"\t\tif g := place*x.config.VCs + vc; x.used[g] == 0"}},
		{"no output register", [5]int{6414, 12662, 2630, 3147, 19499}, true, []string{
			wiring, "2 + l.Latency)", "2 + l.Latency - mutantOne(MUTANT))",
			wiring, "2 + n.Latency)", "2 + n.Latency - mutantOne(MUTANT))"}},
		{"grant pointers of VCs stay 0", [5]int{}, false, []string{allocate, wideGrant, "if !MUTANT {\n" + wideGrant + "}\n"}},
		{"accept pointers of VCs stay 0", [5]int{}, false, []string{allocate, wideAccept, "if !MUTANT {\n" + wideAccept + "}\n"}},
		{"grant pointers of the switch stay 0", [5]int{}, false, []string{allocate, wideSwitch, wideSwitch + "if MUTANT { x.switchGrant[w.port+o] = 0 }\n"}},
		{"accept pointers of the switch stay 0", [5]int{}, false, []string{allocate, wideSwitch, wideSwitch + "if MUTANT { x.switchAccept[w.port+i] = 0 }\n"}},
		{"a link of one cycle more", [5]int{}, false, []string{wiring, "uint16(2 + l.Latency", "uint16(mutantOne(MUTANT) + 2 + l.Latency"}},
		{"a credit of one cycle less", [5]int{}, false, []string{
			wiring, "1 + l.Latency + config.CreditDelay)", "1 + l.Latency + config.CreditDelay - mutantOne(MUTANT))"}},
		{"a credit of one cycle more", [5]int{}, false, []string{
			wiring, "uint16(1 + l.Latency + config.CreditDelay", "uint16(mutantOne(MUTANT) + 1 + l.Latency + config.CreditDelay"}},
		{"injection of one cycle more", [5]int{}, false, []string{
			wiring, "wireEnd{uint32(in), uint16(1 + from.Latency)}", "wireEnd{uint32(in), uint16(1 + from.Latency + mutantOne(MUTANT))}"}},
		{"a source's credit of one cycle more", [5]int{}, false, []string{
			wiring, "wireEnd{ports + uint32(place), uint16(1 + from.Latency)}", "wireEnd{ports + uint32(place), uint16(1 + from.Latency + mutantOne(MUTANT))}"}},
		{"a sink's credit of one cycle more", [5]int{}, false, []string{
			wiring, "uint16(1 + n.Latency + config.CreditDelay)}", "uint16(1 + n.Latency + config.CreditDelay + mutantOne(MUTANT))}"}},
		{"ejection of one cycle more", [5]int{}, false, []string{wiring, "uint16(2 + n.Latency", "uint16(mutantOne(MUTANT) + 2 + n.Latency"}},
		{"a link of one cycle less", [5]int{}, false, []string{wiring, "2 + l.Latency", "2 - mutantOne(MUTANT) + l.Latency"}},
		{"injection of one cycle less", [5]int{}, false, []string{wiring, "wireEnd{uint32(in), uint16(1", "wireEnd{uint32(in), uint16(1 - mutantOne(MUTANT)"}},
		{"a source's credit of one cycle less", [5]int{}, false, []string{
			wiring, "wireEnd{ports + uint32(place), uint16(1", "wireEnd{ports + uint32(place), uint16(1 - mutantOne(MUTANT)"}},
		{"a sink's credit of one cycle less", [5]int{}, false, []string{
			wiring, "1 + n.Latency + config.CreditDelay", "1 - mutantOne(MUTANT) + n.Latency + config.CreditDelay"}},
		{"ejection of one cycle less", [5]int{}, false, []string{wiring, "2 + n.Latency", "2 - mutantOne(MUTANT) + n.Latency"}},
		{"on sets: no pointer", [5]int{}, false, []string{allocate, "; above != 0 {", "; above != 0 && !MUTANT {"}},
		{"on sets: what others ask for is given", [5]int{}, false, []string{
			allocate, "w.ask[member&63]&^contended | w.given[member&63]", "w.ask[member&63]&^(contended*uint64(1-mutantOne(MUTANT))) | w.given[member&63]"}},
		{"on sets: a tail keeps its output VC", [5]int{}, false, []string{allocate, "if !x.config.WaitForTail {", "if !x.config.WaitForTail && !MUTANT {"}},
		{"on sets: a credit is not seen", [5]int{}, false, []string{allocate, "\t\tw.credit |= bit\n", "if !MUTANT { w.credit |= bit }\n"}},
	}
}

const routerMutantsFile = `package hw

import "math/bits"

var (
	routerMutant         int
	routerMutantGeneral  = []bool{%s}
	routerMutantStages   = []bool{%s}
	routerMutantStep     int
	routerMutantPointers = map[int]uint8{}
	routerMutantSince    = map[int]uint64{}
)

func mutantOne(mutant bool) int {
	if mutant {
		return 1
	}
	return 0
}

func mutantBank(mutant bool, vc, vcs, speedup int) int {
	if mutant {
		return vc / ((vcs + speedup - 1) / speedup)
	}
	return vc %% speedup
}

func (x *generalRouters) mutantMembers(w *generalScratch, sets []uint64, without []int32) bool {
	count := -len(without)
	for k, word := range x.of(sets, w.router) {
		count += bits.OnesCount64(word & x.of(x.filled, w.router)[k])
	}
	return count > 0
}
`

// TestLongRouterMutants requires that every mutant changes as many packets of each log as in another model of the
// specification, or at least one. One program holds all mutants.
func TestLongRouterMutants(t *testing.T) {
	mutants, stages, texts, dir := routerMutants(), stageMutants(), map[string]string{}, t.TempDir()
	var generals, staged []string
	edit := func(i int, name string, edits []string) {
		isGeneral := false
		for e := edits; len(e) > 0; e = e[3:] {
			isGeneral = isGeneral || slices.Contains(generalFiles, e[0])
			if _, ok := texts[e[0]]; !ok {
				text, err := os.ReadFile(e[0])
				require.NoError(t, err)
				texts[e[0]] = string(text)
			}
			require.True(t, strings.Contains(texts[e[0]], e[1]), "%s: %s", name, e[1])
			texts[e[0]] = strings.Replace(texts[e[0]], e[1], strings.ReplaceAll(e[2], "MUTANT", fmt.Sprintf("(routerMutant == %d)", i)), 1)
		}
		generals = append(generals, fmt.Sprint(isGeneral))
	}
	for i, m := range mutants {
		edit(i, m.name, m.edits)
		staged = append(staged, "false")
	}
	for i, m := range stages {
		edit(len(mutants)+i, m.name, m.edits)
		staged = append(staged, "true")
	}
	texts["router_mutants.go"] = fmt.Sprintf(routerMutantsFile, strings.Join(generals, ", "), strings.Join(staged, ", "))
	lines := runMutants(t, dir, texts, len(generals))
	for i, m := range mutants {
		if !m.exact {
			assert.NotEqual(t, "0 0 0 0 0", lines[i], m.name)
			continue
		}
		var want []string
		for _, n := range m.want {
			want = append(want, fmt.Sprint(max(0, n)))
		}
		assert.Equal(t, strings.Join(want, " "), lines[i], m.name)
	}
	for i, m := range stages {
		var want []string
		for _, g := range stageGoldens(t) {
			want = append(want, fmt.Sprintf("%s=%d", g.name, m.want[g.name]))
		}
		assert.Equal(t, strings.Join(want, " "), lines[len(mutants)+i], m.name)
	}
}

// runMutants returns the line of each mutant.
func runMutants(t *testing.T, dir string, texts map[string]string, count int) (said []string) {
	here, err := os.Getwd()
	require.NoError(t, err)
	replace := map[string]string{filepath.Join(here, "router_mutants_run_test.go"): filepath.Join(here, "testdata/router_mutants/run_test.go")}
	for name, text := range texts {
		copied := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(copied, []byte(text), 0o644))
		replace[filepath.Join(here, name)] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644))
	command := exec.Command("go", "test", "-vet=off", "-count=1", "-overlay", filepath.Join(dir, "overlay.json"), "-run", "^TestRunRouterMutants$", "-v", ".")
	command.Env = append(os.Environ(), fmt.Sprintf("ROUTER_MUTANTS=%d", count))
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	lines := regexp.MustCompile(`MUTANT \d+ (.*)`).FindAllStringSubmatch(string(out), -1)
	require.Len(t, lines, count)
	for _, line := range lines {
		said = append(said, line[1])
	}
	return said
}
