package systemtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
)

// OnOneBus returns bus/sensors on one bus, with the controller in the last place.
func OnOneBus(sensors int, arbiter string, params map[string]int64) *starloom.Scenario {
	s := starloom.DefaultScenario()
	members := make([]int, sensors+1)
	for i := range sensors {
		members[i] = i + 1
	}
	s.Fabric.Bus = &bus.Network{Vertices: sensors + 1, Buses: [][]int{members},
		ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}}
	s.Firmware.Program, s.Firmware.Params = "bus/sensors", params
	return s
}

// RunBoth runs a scenario in both engines, requires equal results, and returns the report.
func RunBoth(t testing.TB, s *starloom.Scenario) *starloom.Report {
	var texts []string
	var report *starloom.Report
	for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineCycle, Workers: 2, BankSize: 2},
		{Engine: starloom.EngineSlot}} {
		var err error
		report, err = starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o})
		require.NoError(t, err)
		shown := *report
		texts = append(texts, ReportText(t, &shown))
	}
	require.Equal(t, texts[1], texts[0])
	return report
}

// ViolationsOf returns the number of listed violations of a rule.
func ViolationsOf(report *starloom.Report, rule string) (count uint64) {
	for _, v := range report.Violations {
		if v.Rule == rule {
			count++
		}
	}
	return count
}

// BusGossipScenario returns a gossip of n vertices on buses of length l, with additional keys.
func BusGossipScenario(t testing.TB, program string, n, l int, more string) *starloom.Scenario {
	s, err := starloom.ParseScenario("bus.yaml", fmt.Appendf(nil,
		"starloom: 1\nfabric: {bus: {vertices: %d, length: %d}}\nfirmware: {program: bus/%s}\n%s", n, l, program, more))
	require.NoError(t, err)
	return s
}
