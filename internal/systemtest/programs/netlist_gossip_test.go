package programs

import (
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// gossiped are netlists of every kind, of few processors.
var gossiped = map[string]string{
	"links":    "ring: {n: 6}",
	"half":     "mesh: {k: [3, 2], duplex: half}",
	"stars":    "access: one, nodes: {'p[0..4]': processor, 's[0..1]': star}, links: [['p[0..2]', 's[0]'], ['p[2..4]', 's[1]']]",
	"buses":    "access: switch, nodes: {'p[0..4]': processor, 'b[0..1]': {kind: bus, arbiter: tdma}}, links: [['p[0..2]', 'b[0]'], ['p[2..4]', 'b[1]']]",
	"crossbar": "nodes: {'p[0..4]': processor, x: {kind: crossbar, cap: 2}}, links: [['p[0..4]', x]]",
	"mixed":    "nodes: {'p[0..4]': processor, x: crossbar, s: star}, links: [['p[0..3]', x], ['p[2..4]', s], ['p[0]', 'p[1]']]",
	"routers":  "mesh: {k: [3, 2]}, router: {}",
	"ports":    "mesh: {k: [2, 3]}, router: {classes: 2}, streaming: {ports: 2}",
}

// TestNetlistGossip checks that gossip and all-to-all are equal on any netlist: frames, their order and findings.
func TestNetlistGossip(t *testing.T) {
	for name, netlist := range gossiped {
		var reports []*starloom.Report
		for _, workload := range []string{"gossip: {sessions: 1}", "all_to_all: {}"} {
			report, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, netlist,
				"firmware: {program: netlist/gossip}\nworkload: {"+workload+"}"), starloom.RunOptions{})
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%s: %v", name, report.Violations)
			require.Contains(t, report.Rules, starloom.RuleNoCreation)
			reports = append(reports, report)
		}
		require.Equal(t, reports[0].Frames, reports[1].Frames, name)
		require.Equal(t, reports[0].Metrics, reports[1].Metrics, name)
	}
}

// TestNetlistGossipCreated: who sends what no frame has brought to it breaks a rule, in both engines.
func TestNetlistGossipCreated(t *testing.T) {
	for name, engines := range map[string][]string{"links": {starloom.EngineSlot, starloom.EngineCycle}, "routers": {starloom.EngineCycle}} {
		for _, engine := range engines {
			s := systemtest.RoutedScenario(t, gossiped[name], "workload: {gossip: {}}\nfirmware: {image: x.wasm}\nrules: {no_creation: true}\nstop: {slots: 20}")
			require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: systemtest.Image(t, "invents")}))
			m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, m.Run(t.Context(), nil))
			var found []string
			for _, v := range m.Report().Violations {
				if v.Rule == starloom.RuleNoCreation {
					found = append(found, v.Path+": "+v.Message)
				}
			}
			require.Equal(t, []string{"netlist.p[2]: processor 2 sent the item of processor 0, but had received no frame " +
				"with it"}, found)
		}
	}
}

// TestNetlistGossipRefused: what gossip has on crossbars only is refused where it stands, and is not if what the remedy
// says is deleted.
func TestNetlistGossipRefused(t *testing.T) {
	const votes = "faulty modules belong to votes, which need a crossbar; the scenario's key faults is for processors " +
		"that fail; "
	const told, valued = "on a netlist the network determines the orders; ", "on a netlist each processor sends its " +
		"number, not values; "
	for _, netlist := range []string{gossiped["links"], gossiped["routers"]} {
		build := func(keys string) error {
			m, err := starloom.NewMachine(t.Context(), systemtest.RoutedScenario(t, netlist,
				"firmware: {program: netlist/gossip}\nworkload:\n  gossip: {"+keys+"}"), starloom.MachineOptions{})
			if err == nil {
				err = m.Close()
			}
			return err
		}
		for _, c := range []struct{ keys, says, mended string }{
			{"orders: pipelined", "5:20: " + told + "delete orders", ""},
			{"sessions: 1, orders: none.csv", "5:33: " + told + "delete orders", "sessions: 1"},
			{"sessions: 2", "5:22: gossip has 2 sessions, but only one on a netlist; delete sessions", ""},
			{"values: random", "5:20: " + valued + "delete values", ""},
			{"values: none.csv", "5:20: " + valued + "delete values", ""},
			{"faulty: [1]", "5:20: " + votes + "delete faulty", ""},
			{"faulty: [1], fault: two-faced", "5:20: " + votes + "delete faulty and fault", ""},
			{"fault: silent", "5:19: " + votes + "delete fault", ""},
		} {
			require.EqualError(t, build(c.keys), "routed.yaml:"+c.says)
			require.NoError(t, build(c.mended))
		}
	}
}
