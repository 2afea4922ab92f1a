package routers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/internal/systemtest"
)

// TestLongFirmwareAmongRTLRouters checks that firmware receives every frame in the same cycle from Verilog routers as
// from models, with the run saved at any tick. A check of the scenario runs each router beside its model on the
// inputs of that run.
func TestLongFirmwareAmongRTLRouters(t *testing.T) {
	model, want := frameRows(t, systemtest.RoutedExchange(t, ""), starloom.MachineOptions{})
	all := systemtest.RoutedExchange(t, "rtl: [{replace: 'netlist.router[*]'}]")
	report, rows := frameRows(t, all, starloom.MachineOptions{})
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Len(t, report.RTL, 9)
	require.Equal(t, model.Digest, report.Digest)
	require.Equal(t, want, rows)
	require.Equal(t, starloom.VerdictPass, savedAtEveryTick(t, systemtest.RoutedExchange(t, "rtl: [{replace: 'netlist.router[4]'}]")).Verdict)

	packets := "source,destination,size,created\n0,8,5,0\n4,4,1,0\n6,2,3,1\n8,0,4,2\n"
	file := filepath.Join(t.TempDir(), "packets.csv")
	require.NoError(t, os.WriteFile(file, []byte(packets), 0o644))
	bare := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}",
		"workload: {traffic: {file: "+file+"}}\nrtl: [{replace: 'netlist.router[*]'}]")
	for _, s := range []*starloom.Scenario{all, bare} {
		run, err := starloom.RecordRTL(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, run.Parts, 9)
		require.Greater(t, run.Parts[4].Stimulus.Cycles(), 20)
		check, err := starloom.CheckRTL(t.Context(), run,
			starloom.CheckOptions{Options: lockstep.Options{Explore: 1000}}, nil)
		require.NoError(t, err)
		require.Empty(t, check.Differs)
		require.NoError(t, run.Close())
	}
}

// TestLongRTLRouterBreaksItsNetwork: RTL that sends what no router sends ends the run where the network meets it, with
// firmware and without.
func TestLongRTLRouterBreaksItsNetwork(t *testing.T) {
	pins := mistakenRouter(t, "flit_q <= cross_q;", "flit_q <= cross_q ^ 8;") // data of what leaves at port 0
	for _, rest := range []string{"workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}", "workload: {traffic: {rate: 0.2, measure: 100}}"} {
		s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}", rest+"\nrtl: [{replace: 'netlist.router[4]', map: "+pins+"}]")
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		require.Equal(t, "rtl_fault", report.Violations[0].Rule)
		require.Regexp(t, "a flit of packet [0-9]+ with changed data", report.Violations[0].Message)
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

// TestLongForeignRouter checks that routers in other styles, with words as flits and credits as pulses or running
// counts, attach unchanged, and that the verdict names output and VC of a mistake; all mistakes under -full.
func TestLongForeignRouter(t *testing.T) {
	for _, c := range []struct {
		router, old, mistake, place string
		always                      bool
	}{
		{router: "word_router", always: true},
		{"word_router", "if (credit_in[w / VCs][w % VCs] && owed[w] != 0) owed[w]--;",
			"if (credit_in[w / VCs][w == 5 ? 0 : w % VCs] && owed[w] != 0) owed[w]--;", "(to output 2 VC 1)", true},
		{"word_router", "vc_grant_d[w] = after(v, N);", "vc_grant_d[w] = w == 3'd3 ? vc_grant_q[w] : after(v, N);", "(to output 1 VC 1)", false},
		{"word_router", "state_d[v] = Idle; used_d[out_q[v]] = 1'b0;", "state_d[v] = Idle; used_d[out_q[v]] = out_q[v] == 3'd1;", "(to output 0 VC 1)", false},
		{router: "running_router", always: true},
		// a count that is compared as if it never began again
		{"running_router", "int'(4'(sent_q[w] - freed_in[w])) < Depth;",
			"w == 3 ? int'(sent_q[w]) - int'(freed_in[w]) < Depth && sent_q[w] >= freed_in[w] : int'(4'(sent_q[w] - freed_in[w])) < Depth;",
			"(to output 1 VC 1)", true},
		{"running_router", "from_q[taken[v]] <= v == 5", "if (taken[v] != 3'd4) from_q[taken[v]] <= v == 5", "(to output 2 VC 0)", false},
		{"running_router", "if (!waits_q[v]) way_q[v] <= front[v][6:1];", "way_q[v] <= front[v][6:1] & 6'o75;", "(to output 0 VC 1)", false},
	} {
		if !c.always && !*systemtest.Full {
			continue
		}
		text, err := os.ReadFile("examples/rtl/" + c.router + ".sv")
		require.NoError(t, err)
		m, err := starloom.LoadPinMap("examples/rtl/" + c.router + ".yml")
		require.NoError(t, err)
		require.Contains(t, string(text), c.old)
		m.Source.Files = []string{filepath.Join(t.TempDir(), c.router+".sv")}
		require.NoError(t, os.WriteFile(m.Source.Files[0], []byte(strings.Replace(string(text), c.old, c.mistake, 1)), 0o644))
		report, err := starloom.CosimCheck(t.Context(), m,
			starloom.CheckOptions{Options: lockstep.Options{Cycles: 20_000, Explore: 20_000}})
		require.NoError(t, err)
		require.Equal(t, c.old != "", report.Divergence != nil, c.mistake)
		if c.old != "" {
			require.Contains(t, report.Divergence.Place, c.place, c.mistake)
		}
		require.NoError(t, m.Close())
	}
}
