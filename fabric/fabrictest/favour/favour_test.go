package favour

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/lockstep"
	"starloom/cosim/twin"
	"starloom/fabric/fabrictest"
)

// TestFavour requires that machines with the arbiter pass the suite of all fabrics, with Verilog in the loop.
func TestFavour(t *testing.T) {
	scenario := func(network, program string) func(testing.TB) *starloom.Scenario {
		return func(t testing.TB) *starloom.Scenario {
			s, err := starloom.ParseScenario("favour.yaml", []byte("starloom: 1\nname: favour\nfabric: {"+network+"}\nfirmware: {program: "+program+"}\n"+
				"workload: {traffic: {rate: 0.1, warm_up: 0, measure: 40}}\n"))
			require.NoError(t, err)
			return s
		}
	}
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{{Name: "bus", Scenario: scenario("bus: {vertices: 5, buses: [[2, 0, 1, 4, 3]], arbiter: favour}", "bus/traffic")}},
		RTL:   []starloom.RTL{{Replace: "bus.bus[0].arbiter", Twin: "arbiter_favour"}},
	}).Run(t)
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{{Name: "crossbar", Scenario: scenario("crossbar: {ports: 5, arbiter: favour}", "crossbar/traffic")}},
		RTL:   []starloom.RTL{{Replace: "crossbar.output[*].arbiter", Twin: "arbiter_favour"}},
	}).Run(t)
}

// TestTwin compares Verilog and Go for 20,000 cycles, and requires a difference for each mutant.
func TestTwin(t *testing.T) {
	own, err := twin.Find(twin.All(), "arbiter_favour")
	require.NoError(t, err)
	verdict := func(write func(dir string) ([]string, error)) string {
		m, err := starloom.TwinMap(own.Name, twin.Parameters{"REQUESTERS": 5}, "")
		require.NoError(t, err)
		m.Source.Files, err = write(t.TempDir())
		require.NoError(t, err)
		report, err := starloom.CosimCheck(t.Context(), m, starloom.CheckOptions{Options: lockstep.Options{Cycles: 20000}})
		require.NoError(t, err)
		return report.Verdict
	}
	require.Equal(t, "pass", verdict(own.WriteSources))
	for _, mutant := range twin.Mutants([]twin.Twin{own}) {
		require.Equal(t, "fail", verdict(mutant.WriteSources), mutant.Name)
	}
}
