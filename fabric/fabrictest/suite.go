// Package fabrictest is the test suite for every fabric. The folder of a fabric contains its network. The tests in
// this folder pass scenarios to the suite; some of these scenarios break rules.
//
//	Suite.Run   engines, banks, workers, modes and runtimes agree
//	            a run saved, rebuilt and restored at any slot continues unchanged
//	            a reset machine equals a new one; tracing and drawing change nothing
//	            RTL in the loop yields the same digest and report
//	            exactly the expected rules are broken
//	Flood.Run   for any network: firmware that floods it, faults of each kind and
//	            illegal firmware, in tiny windows and banks and odd shards
//
// Networks of scenarios are tested in this folder, one per file. Three folders hold fabrics written in Go: stars from
// docs/how-to/add-a-network.md, ring with two ports, and tuned, which has its own discipline and many mutations of
// its slot engine that Flood must detect.
package fabrictest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/hw"
)

// Suite holds the test cases of a fabric.
type Suite struct {
	Cases []Case
	// RTL that replaces hardware in the first case, one after the other
	RTL []starloom.RTL
}

// Case is a scenario on the fabric.
type Case struct {
	Name     string
	Scenario func(t testing.TB) *starloom.Scenario // returns a new one on each call
	Breaks   string                                // the only broken rule, "" for none
}

// Run tests a fabric.
func (s *Suite) Run(t *testing.T) {
	for _, c := range s.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Run("names", func(t *testing.T) { c.names(t) })
			want := c.verdict(t)
			t.Run("execution", func(t *testing.T) { c.execution(t, want) })
			t.Run("state", func(t *testing.T) { c.state(t, want) })
			t.Run("reset", func(t *testing.T) { c.reset(t, want) })
			t.Run("traces", func(t *testing.T) { c.traces(t) })
			t.Run("pictures", func(t *testing.T) { c.pictures(t) })
		})
	}
	t.Run("rtl", s.rtl)
}

// names compares names with the wiring, in networks with both: reports use the names, frames the wiring.
func (c *Case) names(t *testing.T) {
	network := networkOf(c.Scenario(t).Fabric)
	shape := network.Shape()
	w := shape.Wired()
	if w == nil {
		return
	}
	_, mixed := shape.Chosen().(fabric.Mixed) // lanes that ask have names alone
	names, own := network.Names(), shape.NIC().Own
	for processor := range shape.Processors() {
		for port := range shape.PortsOf(processor) {
			sends := w.Sends[w.SendRow(processor, shape.Ports)+port]
			if (own == nil || own.Sends(processor, uint16(port))) && (!mixed || sends != fabric.NoMedium) {
				require.EqualValues(t, sends, names.SentOn(processor, uint16(port), 0),
					"SentOn of port %d of processor %d", port, processor)
			}
			if hears := w.Hears[w.HearRow(processor, shape.Ports)+port]; hears != fabric.NoMedium {
				require.EqualValues(t, hears, names.HeardOn(processor, uint16(port)),
					"HeardOn of port %d of processor %d", port, processor)
			}
		}
	}
}

// rtl replaces hardware by RTL. The report must not change.
func (s *Suite) rtl(t *testing.T) {
	want := s.Cases[0].run(t, starloom.MachineOptions{Engine: starloom.EngineCycle})
	for _, rtl := range s.RTL {
		t.Run(rtl.Replace+"="+rtl.Twin, func(t *testing.T) {
			scenario := s.Cases[0].Scenario(t)
			scenario.RTL = []starloom.RTL{rtl}
			m := machine(t, scenario, starloom.MachineOptions{})
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.NotEmpty(t, report.RTL)
			report.RTL = nil
			require.Equal(t, want, text(t, report))
		})
	}
}

func machine(t *testing.T, s *starloom.Scenario, o starloom.MachineOptions) *starloom.Machine {
	m, err := starloom.NewMachine(t.Context(), s, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func text(t *testing.T, r *starloom.Report) string {
	result := *r
	result.Engine, result.Firmware.Mode, result.Firmware.Trusted = "", "", false
	var b bytes.Buffer
	require.NoError(t, result.WriteJSON(&b))
	return b.String()
}

func (c *Case) run(t *testing.T, o starloom.MachineOptions) string {
	m := machine(t, c.Scenario(t), o)
	require.NoError(t, m.Run(t.Context(), nil))
	return text(t, m.Report())
}

// verdict runs once and checks the verdict of the case.
func (c *Case) verdict(t *testing.T) string {
	m := machine(t, c.Scenario(t), starloom.MachineOptions{Engine: starloom.EngineCycle})
	require.NoError(t, m.Run(t.Context(), nil))
	report := m.Report()
	require.Positive(t, report.Frames.Sent, "a case in which nothing moves tests nothing")
	if c.Breaks == "" {
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.Positive(t, report.Frames.Delivered)
	} else {
		require.Equal(t, starloom.VerdictFail, report.Verdict)
	}
	for _, v := range report.Violations {
		require.Equal(t, c.Breaks, v.Rule, "%+v", v)
		_, err := hw.CompilePattern(v.Path)
		require.NoError(t, err, "a path that no pattern can name")
	}
	return text(t, report)
}

// execution requires equal reports from all engines, divisions and runtimes.
func (c *Case) execution(t *testing.T, want string) {
	n := c.Scenario(t).Processors()
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, runtime := range []string{"compiler", "interpreter"} {
				for _, bank := range []int{1, (n + 2) / 3, n} {
					s := c.Scenario(t)
					s.Firmware.Mode = mode
					o := starloom.MachineOptions{Engine: engine, Runtime: runtime, BankSize: bank, Workers: 1 + bank%2}
					m := machine(t, s, o)
					require.NoError(t, m.Run(t.Context(), nil))
					require.Equal(t, want, text(t, m.Report()), "%s %+v", mode, o)
				}
			}
		}
	}
}

// state saves and restores a run at every boundary, alternating between two machines.
func (c *Case) state(t *testing.T, want string) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		o := starloom.MachineOptions{Engine: engine}
		m := machine(t, c.Scenario(t), o)
		other := machine(t, c.Scenario(t), o)
		for last := uint32(1<<32 - 1); m.Slots() != last; {
			var state bytes.Buffer
			require.NoError(t, m.Save(&state))
			require.NoError(t, other.Restore(&state))
			last = m.Slots()
			other.Step()
			m, other = other, m
		}
		require.Equal(t, want, text(t, m.Report()), engine)
	}
}

func (c *Case) reset(t *testing.T, want string) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		s := c.Scenario(t)
		m := machine(t, s, starloom.MachineOptions{Engine: engine})
		for range s.Stop.Slots / 2 {
			m.Step()
		}
		require.NoError(t, m.Reset(s.Seed))
		require.NoError(t, m.Run(t.Context(), nil))
		require.Equal(t, want, text(t, m.Report()), engine)
	}
}

// traces requires that a waveform and a capture are reproducible and change no result, and that the captures of both
// engines are equal.
func (c *Case) traces(t *testing.T) {
	captures := map[string][]byte{}
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		path := filepath.Join(t.TempDir(), "run.pcapng")
		options := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine},
			Record: starloom.RecordOptions{PCAPNG: starloom.File(path)}}
		_, err := starloom.Run(context.Background(), c.Scenario(t), options)
		require.NoError(t, err)
		captures[engine], err = os.ReadFile(path)
		require.NoError(t, err)
	}
	require.True(t, bytes.Equal(captures[starloom.EngineSlot], captures[starloom.EngineCycle]),
		"the engines capture other bytes")
	var before []byte
	for range 2 {
		folder := t.TempDir()
		report, err := starloom.Run(context.Background(), c.Scenario(t), starloom.RunOptions{
			Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(folder, "run.vcd")),
				PCAPNG: starloom.File(filepath.Join(folder, "run.pcapng"))},
		})
		require.NoError(t, err)
		plain, err := starloom.Run(context.Background(), c.Scenario(t), starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, text(t, plain), text(t, report))
		var files []byte
		for _, name := range []string{"run.vcd", "run.pcapng"} {
			data, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			files = append(files, data...)
		}
		if before != nil {
			require.True(t, bytes.Equal(before, files), "other bytes the second time")
		}
		before = files
	}
}
