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
	wideGrant   = "\tx.vcGrant[w.vc+out] = next(member, w.members)\n"
	wideAccept  = "\tx.vcAccept[w.vc+member] = next(out, w.members)\n"
	wideSwitch  = "\tx.switchGrant[w.port+o], x.switchAccept[w.port+i] = uint8(next(i, w.ports)), uint8(next(o, w.ports))\n"
	wideChoice  = "\tx.choice[w.port+i] = uint8(next(vc, vcs))\n"
	wideRequest = "w.wide.requests = append(w.wide.requests, request{member, out})\n"
	wideMatches = "\tsomething = something || len(matches) > 0\n"
	wideGive    = "\t\tx.give(w, m.in, m.out)\n"
	wideMove    = "\t\tempty, full, tail := x.move(w, m.in, vc, m.out)\n"
	wideReady   = "\t\tsomething = something || w.wide.ready[member]\n"
	wideCand    = "\t\t\t\tw.wide.cand[i*w.ports+o] = vc\n"
)

func routerMutants() []wrongRule {
	const wide, allocate, source, wiring = "router_wide.go", "router_allocate.go", "packet_source.go", "router_wiring.go"
	return []wrongRule{
		{"no mutant", [5]int{}, true, nil},
		{"VA requests only output VCs with credit", [5]int{2, 1939, 1381, 384, 0}, true, []string{
			wide, "if !has(used, out) {", "if !has(used, out) && !(MUTANT && int(x.sent[w.vc+out]) >= x.config.Depth) {"}},
		{"VA requests only the lowest free VC", [5]int{1842, 4837, 1264, 678, 15620}, true, []string{
			wide, wideRequest, wideRequest + "if MUTANT { break }\n"}},
		{"VA input index v*P+i", [5]int{957, 4349, 1282, 603, 15898}, true, []string{
			wide, "request{member, out})", "request{mutantIndex(MUTANT, member, w.ports, x.config.VCs), out})",
			wide, "int(accept[member]) })", "int(accept[mutantMember(MUTANT, member, w.ports, x.config.VCs)]) })",
			wide, wideGive, "m.in = mutantMember(MUTANT, m.in, w.ports, x.config.VCs)\n" + wideGive +
				"if MUTANT { x.vcGrant[w.vc+m.out] = next(mutantIndex(true, m.in, w.ports, x.config.VCs), w.members) }\n"}},
		{"unaccepted grants and lost picks move the pointer", [5]int{721, 3929, 1509, 599, 15864}, true, []string{
			wide, wideMatches, `if MUTANT {
				for _, q := range w.wide.requests {
					if w.wide.best[q.out] == q.in && x.config.VCAllocator == ISLIP { x.vcGrant[w.vc+q.out] = next(q.in, w.members) }
					if w.wide.accept[q.in] == q.out && x.config.VCAllocator != ISLIP { x.vcAccept[w.vc+q.in] = next(q.out, w.members) }
				}
			}
			` + wideMatches,
			wide, "\tfor _, m := range matches {\n\t\tvc :=", `if MUTANT {
				for _, q := range w.wide.requests {
					if w.wide.best[q.out] == q.in && x.config.SwitchAllocator == ISLIP { x.switchGrant[w.port+q.out] = uint8(next(q.in, w.ports)) }
					if w.wide.accept[q.in] == q.out && x.config.SwitchAllocator != ISLIP { x.switchAccept[w.port+q.in] = uint8(next(q.out, w.ports)) }
				}
			}
			for _, m := range matches {
				vc :=`}},
		{"a second iteration of islip over the unmatched", [5]int{750, 3370, 1200, 381, -1}, true, []string{
			wide, "\treturn w.islip(requests, ins, outs, grant, accept)\n",
			"if MUTANT { return w.mutantTwice(requests, ins, outs, grant, accept) }\n\treturn w.islip(requests, ins, outs, grant, accept)\n",
			wide, wideGive, "g0, a0 := x.vcGrant[w.vc+m.out], x.vcAccept[w.vc+m.in]\n" + wideGive +
				"if MUTANT && routerMutantSecond[m] { x.vcGrant[w.vc+m.out], x.vcAccept[w.vc+m.in] = g0, a0 }\n",
			wide, wideMove, "g0, a0 := x.switchGrant[w.port+m.out], x.switchAccept[w.port+m.in]\n" + wideMove +
				"if MUTANT && routerMutantSecond[m] { x.switchGrant[w.port+m.out], x.switchAccept[w.port+m.in] = g0, a0 }\n"}},
		{"output-side pointers stay 0", [5]int{1558, 6234, 2289, 1727, 16298}, true, []string{
			allocate, wideGrant, "if !MUTANT {\n" + wideGrant + "}\n",
			allocate, wideSwitch, wideSwitch + "if MUTANT { x.switchGrant[w.port+o] = 0 }\n"}},
		{"input-side pointers stay 0", [5]int{1862, 5034, 2273, 1654, 15423}, true, []string{
			allocate, wideAccept, "if !MUTANT {\n" + wideAccept + "}\n",
			allocate, wideSwitch, wideSwitch + "if MUTANT { x.switchAccept[w.port+i] = 0 }\n"}},
		{"the choice of a VC stays 0", [5]int{177, 645, 2083, 1354, 15567}, true, []string{
			allocate, wideChoice, "if !MUTANT {\n" + wideChoice + "}\n"}},
		{"the choice moves without a grant", [5]int{0, 0, 0, 0, 15626}, true, []string{
			wide, "\tgrant, accept := x.switchGrant[w.port:]", `if MUTANT {
				for i := range w.ports {
					for o := range w.ports {
						if vc := w.wide.cand[i*w.ports+o]; vc >= 0 { x.choice[w.port+i] = uint8(next(vc, vcs)) }
					}
				}
			}
			grant, accept := x.switchGrant[w.port:]`}},
		{"the choice comes before the credit check", [5]int{0, 36, 1361, 247, 0}, true, []string{
			wide, wideReady, "if MUTANT { w.wide.ready[member] = has(active, member) }\n" + wideReady,
			wide, wideCand, wideCand + "if MUTANT && int(x.sent[w.vc+int(x.out[w.vc+member])]) >= x.config.Depth { continue }\n"}},
		{"a body flit waits for a cycle", [5]int{0, 0, 1818, 1037, 0}, true, []string{
			wide, wideReady, `if MUTANT && w.wide.ready[member] && x.count[w.vc+member] == 1 && arrivedNow[member] {
				w.wide.ready[member], something = false, true
			}
			` + wideReady,
			wide, "\tclear(arrived)\n", `arrivedNow := map[int]bool{}
			for i := range members(arrived) { arrivedNow[i*x.config.VCs+Flit(flits[w.port+i]).VC()] = true }
			clear(arrived)
			`}},
		{"the head after a leaving tail is routed at once", [5]int{1992, -1, 1593, 1196, -1}, true, []string{
			wide, "exclude(x.of(x.active, r), member)\n", `exclude(x.of(x.active, r), member)
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
			wiring, "wireEnd{uint32(at), uint16(1 + n.Latency)}", "wireEnd{uint32(at), uint16(1 + n.Latency + mutantOne(MUTANT))}"}},
		{"a source's credit of one cycle more", [5]int{}, false, []string{
			wiring, "wireEnd{ports + uint32(place), uint16(1 + n.Latency)}", "wireEnd{ports + uint32(place), uint16(1 + n.Latency + mutantOne(MUTANT))}"}},
		{"a sink's credit of one cycle more", [5]int{}, false, []string{
			wiring, "uint16(1 + n.Latency + config.CreditDelay)}", "uint16(1 + n.Latency + config.CreditDelay + mutantOne(MUTANT))}"}},
		{"ejection of one cycle more", [5]int{}, false, []string{wiring, "uint16(2 + n.Latency", "uint16(mutantOne(MUTANT) + 2 + n.Latency"}},
		{"a link of one cycle less", [5]int{}, false, []string{wiring, "2 + l.Latency", "2 - mutantOne(MUTANT) + l.Latency"}},
		{"injection of one cycle less", [5]int{}, false, []string{wiring, "wireEnd{uint32(at), uint16(1", "wireEnd{uint32(at), uint16(1 - mutantOne(MUTANT)"}},
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

var (
	routerMutant       int
	routerMutantSecond = map[request]bool{}
	routerMutantsWide  = []bool{%s}
)

func mutantOne(mutant bool) int {
	if mutant {
		return 1
	}
	return 0
}

func mutantIndex(mutant bool, member, ports, vcs int) int {
	if mutant {
		return member%%vcs*ports + member/vcs
	}
	return member
}

func mutantMember(mutant bool, index, ports, vcs int) int {
	if mutant {
		return index%%ports*vcs + index/ports
	}
	return index
}

func (w *wideScratch) mutantTwice(requests []request, ins, outs int, grant, accept func(i int) int) []request {
	clear(routerMutantSecond)
	first := append([]request(nil), w.islip(requests, ins, outs, grant, accept)...)
	hasIn, hasOut := map[int]bool{}, map[int]bool{}
	for _, m := range first {
		hasIn[m.in], hasOut[m.out] = true, true
	}
	var rest []request
	for _, r := range requests {
		if !hasIn[r.in] && !hasOut[r.out] {
			rest = append(rest, r)
		}
	}
	for _, m := range w.islip(rest, ins, outs, grant, accept) {
		routerMutantSecond[m] = true
		first = append(first, m)
	}
	return first
}
`

// TestLongRouterMutants requires that every mutant changes as many packets of each log as in another model of the
// specification, or at least one. One program holds all mutants.
func TestLongRouterMutants(t *testing.T) {
	mutants, texts, dir := routerMutants(), map[string]string{}, t.TempDir()
	var wides []string
	for i, m := range mutants {
		wides = append(wides, fmt.Sprint(m.edits == nil || slices.Contains(m.edits, "router_wide.go")))
		for e := m.edits; len(e) > 0; e = e[3:] {
			if _, ok := texts[e[0]]; !ok {
				text, err := os.ReadFile(e[0])
				require.NoError(t, err)
				texts[e[0]] = string(text)
			}
			require.Contains(t, texts[e[0]], e[1], m.name)
			texts[e[0]] = strings.Replace(texts[e[0]], e[1], strings.ReplaceAll(e[2], "MUTANT", fmt.Sprintf("(routerMutant == %d)", i)), 1)
		}
	}
	texts["router_mutants.go"] = fmt.Sprintf(routerMutantsFile, strings.Join(wides, ", "))
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
	command.Env = append(os.Environ(), fmt.Sprintf("ROUTER_MUTANTS=%d", len(mutants)))
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	lines := regexp.MustCompile(`MUTANT \d+ (.*)`).FindAllStringSubmatch(string(out), -1)
	require.Len(t, lines, len(mutants))
	for i, m := range mutants {
		if !m.exact {
			assert.NotEqual(t, "0 0 0 0 0", lines[i][1], m.name)
			continue
		}
		var want []string
		for _, n := range m.want {
			want = append(want, fmt.Sprint(max(0, n)))
		}
		assert.Equal(t, strings.Join(want, " "), lines[i][1], m.name)
	}
}
