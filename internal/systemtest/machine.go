package systemtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
)

// Routing returns a scenario of pops/random on POPS(d,g).
func Routing(d, g int) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Name = fmt.Sprintf("pops-%dx%d", d, g)
	s.Fabric.POPS = &pops.Network{Groups: g, GroupSize: d}
	s.Firmware.Program = "pops/random"
	return s
}

// Machine builds a machine and closes it at the end of the test.
func Machine(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) *starloom.Machine {
	m, err := starloom.NewMachine(context.Background(), s, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// Captured builds a machine that keeps the frames of each boundary in its ledgers.
func Captured(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) *starloom.Machine {
	m := Machine(t, s, o)
	recording, err := m.Record(starloom.RecordOptions{PCAPNG: starloom.Writer(io.Discard)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, recording.Close()) })
	return m
}

// Result runs a machine and returns its report in the form of ReportText.
func Result(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) string {
	m := Machine(t, s, o)
	require.NoError(t, m.Run(context.Background(), nil))
	return ReportText(t, m.Report())
}

// ReportText returns a report as JSON without version, engine, mode and image.
func ReportText(t testing.TB, r *starloom.Report) string {
	r.Provenance = nil // it names the version
	r.Engine, r.Firmware.SHA256, r.Firmware.Mode, r.Firmware.Trusted = "", "", "", false
	var text bytes.Buffer
	require.NoError(t, r.WriteJSON(&text))
	return text.String()
}

// MachineReport runs a scenario in a machine and returns its report.
func MachineReport(t *testing.T, s *starloom.Scenario) *starloom.Report {
	m := Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}

// ReportBytes returns the JSON form of a report.
func ReportBytes(t *testing.T, r *starloom.Report) string {
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return string(data)
}

var junitTimes = regexp.MustCompile(` time="[0-9]+\.[0-9]{3}"`)

// WithoutTimes replaces the times in a JUnit file, its only content that differs between runs.
func WithoutTimes(text string) string { return junitTimes.ReplaceAllString(text, ` time="TIME"`) }
