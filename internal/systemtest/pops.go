package systemtest

import (
	"context"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// ProgramScenario returns a scenario of a built-in program on POPS(d,g).
func ProgramScenario(name string, d, g int) *starloom.Scenario {
	s := Routing(d, g)
	s.Firmware.Program = name
	if name == "pops/one-to-all" {
		s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{Source: d*g - 1}}
	}
	return s
}

// RouterScenario returns the scenario of the study and the benchmarks: packets of 8 bytes and the smallest buffers.
func RouterScenario(program string, d, g int) *starloom.Scenario {
	s := ProgramScenario(program, d, g)
	s.NIC = starloom.NIC{PayloadBytes: 8, RXFrames: 1, TXFrames: 1}
	s.Stop.Slots = 10_000_000
	return s
}

// Finish runs a scenario and returns its report, which must pass.
func Finish(t *testing.T, s *starloom.Scenario, o starloom.MachineOptions) *starloom.Report {
	m := Machine(t, s, o)
	require.NoError(t, m.Run(context.Background(), nil))
	report := m.Report()
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%s on POPS(%d,%d): %+v", s.Firmware.Program, s.Fabric.POPS.GroupSize,
		s.Fabric.POPS.Groups, report.Violations)
	return report
}

// ViolationsText lists the violations of a report.
func ViolationsText(report *starloom.Report) (text string) {
	for _, v := range report.Violations {
		text += v.Message + "\n"
	}
	return text
}
