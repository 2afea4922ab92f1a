package starloom

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/lockstep"
)

// routedExchange is firmware on a mesh of routers, some of which may be RTL.
func routedExchange(t *testing.T, rtl string) *Scenario {
	return routedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}, streaming: {tick: 7}",
		"nic: {rx_frames: 1}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"+rtl)
}

// TestLongFirmwareAmongRTLRouters: firmware on Verilog routers sees what it sees on models, every frame in the same cycle, at whatever
// tick the run is saved; and a check of the scenario runs each router beside its model on the inputs of that run.
func TestLongFirmwareAmongRTLRouters(t *testing.T) {
	model, want := frameRows(t, routedExchange(t, ""), MachineOptions{})
	all := routedExchange(t, "rtl: [{replace: 'netlist.router[*]'}]")
	report, rows := frameRows(t, all, MachineOptions{})
	require.Equal(t, VerdictPass, report.Verdict)
	require.Len(t, report.RTL, 9)
	require.Equal(t, model.Digest, report.Digest)
	require.Equal(t, want, rows)
	require.Equal(t, VerdictPass, savedAtEveryTick(t, routedExchange(t, "rtl: [{replace: 'netlist.router[4]'}]")).Verdict)

	packets := "source,destination,size,created\n0,8,5,0\n4,4,1,0\n6,2,3,1\n8,0,4,2\n"
	file := filepath.Join(t.TempDir(), "packets.csv")
	require.NoError(t, os.WriteFile(file, []byte(packets), 0o644))
	bare := routedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}", "workload: {traffic: {file: "+file+"}}\nrtl: [{replace: 'netlist.router[*]'}]")
	for _, s := range []*Scenario{all, bare} {
		run, err := RecordRTL(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, run.Parts, 9)
		require.Greater(t, run.Parts[4].Stimulus.Cycles(), 20)
		check, err := CheckRTL(t.Context(), run, CheckOptions{Options: lockstep.Options{Explore: 1000}}, nil)
		require.NoError(t, err)
		require.Empty(t, check.Differs)
		require.NoError(t, run.Close())
	}
}

// TestLongRTLRouterBreaksItsNetwork: RTL that sends what no router sends ends the run where the network meets it, with firmware and
// without.
func TestLongRTLRouterBreaksItsNetwork(t *testing.T) {
	pins := mistakenRouter(t, "flit_q <= cross_q;", "flit_q <= cross_q ^ 8;") // destinations of what leaves at port 0
	for _, rest := range []string{"workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}", "workload: {traffic: {rate: 0.2, measure: 100}}"} {
		s := routedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}", rest+"\nrtl: [{replace: 'netlist.router[4]', map: "+pins+"}]")
		report, err := Run(t.Context(), s, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, VerdictFail, report.Verdict)
		require.Equal(t, "rtl_fault", report.Violations[0].Rule)
		require.Regexp(t, "its destination is [0-9]: RTL in this network has sent what no model sends|a head for processor 9, there are 9", report.Violations[0].Message)
	}
}

// mistakenRouter is the map of a router in Verilog with a mistake.
func mistakenRouter(t *testing.T, old, mistake string) (file string) {
	dir := t.TempDir()
	for _, name := range []string{"vc_router.v", "vc_matcher.v"} {
		text, err := cosim.RTL.ReadFile("rtl/" + name)
		require.NoError(t, err)
		if name == "vc_router.v" {
			require.Equal(t, 1, strings.Count(string(text), old))
			text = []byte(strings.Replace(string(text), old, mistake, 1))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	text, err := os.ReadFile("examples/rtl/twins/vc_router.yml")
	require.NoError(t, err)
	own := strings.NewReplacer("../../../cosim/rtl/", "", "include: [../../../cosim/rtl]\n", "").Replace(string(text))
	own = regexp.MustCompile(`(?m)^parameters: .*\n`).ReplaceAllString(own, "") // they are the machine's
	file = filepath.Join(dir, "router.yml")
	require.NoError(t, os.WriteFile(file, []byte(own), 0o644))
	return file
}

// TestLongForeignRouter: a router in another style, with words as flits and pulses as credits, attaches as it is; what is wrong at
// one output VC of it is found, and the verdict names that output and VC; all three mistakes under -full.
func TestLongForeignRouter(t *testing.T) {
	text, err := os.ReadFile("examples/rtl/word_router.sv")
	require.NoError(t, err)
	for old, c := range map[string]struct{ mistake, place string }{
		"": {},
		"if (credit_in[w / VCs][w % VCs] && owed[w] != 0) owed[w]--;": {
			"if (credit_in[w / VCs][w == 5 ? 0 : w % VCs] && owed[w] != 0) owed[w]--;", "(to output 2 VC 1)"},
		"vc_grant_d[w] = after(v, N);":                {"vc_grant_d[w] = w == 3'd3 ? vc_grant_q[w] : after(v, N);", "(to output 1 VC 1)"},
		"state_d[v] = Idle; used_d[out_q[v]] = 1'b0;": {"state_d[v] = Idle; used_d[out_q[v]] = out_q[v] == 3'd1;", "(to output 0 VC 1)"},
	} {
		if c.place != "" && c.place != "(to output 2 VC 1)" && !*full {
			continue
		}
		m, err := LoadPinMap("examples/rtl/word_router.yml")
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		m.Source.Files = []string{filepath.Join(t.TempDir(), "word_router.sv")}
		require.NoError(t, os.WriteFile(m.Source.Files[0], []byte(strings.Replace(string(text), old, c.mistake, 1)), 0o644))
		report, err := CosimCheck(t.Context(), m, CheckOptions{Options: lockstep.Options{Cycles: 20_000, Explore: 20_000}})
		require.NoError(t, err)
		require.Equal(t, old != "", report.Divergence != nil, old)
		if old != "" {
			require.Contains(t, report.Divergence.Place, c.place)
		}
		require.NoError(t, m.Close())
	}
}
