package outputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/systemtest"
	"starloom/nic"
	"starloom/traces/pcapng/pcapngtest"
	"starloom/traces/vcd"
)

// kinds are the outputs of a run.
var kinds = []string{"vcd", "gtkw", "pcapng", "lua", "log", "json", "junit", "csv", "stats-csv"}

// outputsTo gives every output of a run its place.
func outputsTo(to func(kind string) starloom.Output) starloom.RunOptions {
	return starloom.RunOptions{Record: starloom.RecordOptions{VCD: to("vcd"), GTKW: to("gtkw"), PCAPNG: to("pcapng"), Lua: to("lua"), Log: to("log")},
		Reports: starloom.ReportFiles{JSON: to("json"), JUnit: to("junit"), CSV: to("csv"), StatsCSV: to("stats-csv")}}
}

// buffers are writers of all kinds.
type buffers map[string]*bytes.Buffer

func (b buffers) output(kind string) starloom.Output {
	b[kind] = new(bytes.Buffer)
	return starloom.Writer(b[kind])
}

// TestWritersGetTheBytesOfFiles writes runs to files and to writers: one that passes, one
// whose firmware logs, and one whose waveform is begun again, because its first violation
// is a packet that was lost long before. A machine that is stepped writes the same.
func TestWritersGetTheBytesOfFiles(t *testing.T) {
	lost := systemtest.ImageScenario(t, "loses")
	lost.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.slot", "**.light.**"}, Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}
	talks := systemtest.ImageScenario(t, "talks")
	talks.Rules = &starloom.Rules{}
	for name, s := range map[string]*starloom.Scenario{"routes": systemtest.Routing(8, 8), "loses": lost, "talks": talks} {
		t.Run(name, func(t *testing.T) {
			s.Name = name
			dir := t.TempDir()
			path := func(kind string) string { return filepath.Join(dir, name+"."+kind) }
			o := outputsTo(func(kind string) starloom.Output { return starloom.File(path(kind)) })
			o.Record.GTKW, o.Record.Lua = starloom.Output{}, starloom.Output{} // beside the others
			files, err := starloom.Run(t.Context(), s, o)
			require.NoError(t, err)

			written := buffers{}
			report, err := starloom.Run(t.Context(), s, outputsTo(written.output))
			require.NoError(t, err)
			require.Equal(t, systemtest.ReportText(t, files), systemtest.ReportText(t, report))
			require.Len(t, report.Files, len(kinds))
			want := map[string]string{}
			for _, kind := range kinds {
				data, err := os.ReadFile(path(kind))
				require.NoError(t, err)
				want[kind] = systemtest.WithoutTimes(string(data))
				require.True(t, want[kind] == systemtest.WithoutTimes(written[kind].String()), kind)
				require.Equal(t, kind == "log" && name != "talks", want[kind] == "", kind)
			}
			for _, f := range report.Files {
				require.Empty(t, f.Path)
			}

			if name == "loses" {
				return // a stepped machine does not run twice
			}
			stepped, m := buffers{}, systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
			all := outputsTo(stepped.output)
			recording,
				err := m.Record(starloom.RecordOptions{VCD: all.Record.VCD, GTKW: all.Record.GTKW, PCAPNG: all.Record.PCAPNG,
				Lua: all.Record.Lua, Log: all.Record.Log})
			require.NoError(t, err)
			for !m.Ended() {
				require.NoError(t, m.Step())
				lines := 0
				for line := range strings.Lines(want["log"]) {
					var cycle, slot uint32
					_, err := fmt.Sscanf(line, "cycle %d slot %d", &cycle, &slot)
					require.NoError(t, err)
					if slot <= m.Slots() {
						lines++
					}
				}
				require.Equal(t, lines, strings.Count(stepped["log"].String(), "\n"), "a log is there after each step")
			}
			require.NoError(t, recording.Close())
			require.NoError(t, recording.Close())
			for _, kind := range kinds[:5] {
				require.True(t, want[kind] == stepped[kind].String(), kind)
			}
			require.Equal(t, systemtest.ReportText(t, report), systemtest.ReportText(t, m.Report()))
		})
	}
}

// TestSeedsToWriters holds that many seeds write their reports to writers, too, and refuse
// what shows one run.
func TestSeedsToWriters(t *testing.T) {
	s := systemtest.Routing(4, 4)
	_, want := systemtest.SeedsFiles(t, s, starloom.Seeds{First: 1, Last: 20}, starloom.RunOptions{})
	written := buffers{}
	_, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 20},
		starloom.RunOptions{Reports: starloom.ReportFiles{JSON: written.output("json"), JUnit: written.output("junit"), CSV: written.output("csv"), StatsCSV: written.output("stats-csv")}})
	require.NoError(t, err)
	for kind, b := range written {
		require.Equal(t, want[kind], systemtest.WithoutTimes(b.String()), kind)
	}
	_, err = starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 2},
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(io.Discard)}})
	require.ErrorContains(t, err, "--vcd: a waveform shows one run")
}

// errFull is what a full writer says.
var errFull = errors.New("full")

// fullWriter takes some bytes.
type fullWriter struct{ left int }

func (f *fullWriter) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestFailingWriterEndsTheRun lets one output after the other fail, at once and after some
// bytes: the run ends with that error, and no file appears or changes.
func TestFailingWriterEndsTheRun(t *testing.T) {
	s := systemtest.ImageScenario(t, "talks")
	s.Rules = &starloom.Rules{}
	for _, failing := range kinds {
		for _, left := range []int{0, 10} {
			dir := t.TempDir()
			before := filepath.Join(dir, "json")
			require.NoError(t, os.WriteFile(before, []byte("before"), 0o666))
			o := outputsTo(func(kind string) starloom.Output {
				if kind == failing {
					return starloom.Writer(&fullWriter{left})
				}
				return starloom.File(filepath.Join(dir, kind))
			})
			report, err := starloom.Run(t.Context(), s, o)
			require.ErrorIs(t, err, errFull, failing)
			require.ErrorContains(t, err, "output "+failing+": full")
			require.Nil(t, report)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, left, 1, "%s: %v", failing, left)
			text, err := os.ReadFile(before)
			require.NoError(t, err)
			require.Equal(t, "before", string(text))
		}
	}

	// In the middle of a run: it does not go on.
	long, slots := systemtest.Routing(16, 16), uint32(0)
	_, err := starloom.Run(t.Context(), long,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&fullWriter{1 << 20})},
			Progress: func(p starloom.Progress) { slots = p.Slots }})
	require.ErrorIs(t, err, errFull)
	require.Positive(t, slots)
	require.Less(t, uint64(slots), systemtest.MachineReport(t, long).Slots)
}

// TestFailingWriterOfAStep holds that a step says once that its recording has failed, and
// that the machine goes on as if there had been none.
func TestFailingWriterOfAStep(t *testing.T) {
	s := systemtest.Routing(16, 16)
	m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	dir := t.TempDir()
	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&fullWriter{1 << 20}), PCAPNG: starloom.File(filepath.Join(dir, "run.pcapng"))})
	require.NoError(t, err)
	failed := 0
	for !m.Ended() {
		if err := m.Step(); err != nil {
			require.ErrorIs(t, err, errFull)
			failed++
		}
	}
	require.Equal(t, 1, failed)
	require.ErrorIs(t, recording.Close(), errFull)
	requireEmpty(t, dir)
	require.Equal(t, systemtest.Result(t, s, starloom.MachineOptions{}), systemtest.ReportText(t, m.Report()))
}

func requireEmpty(t *testing.T, dir string) {
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestOutputsOfTheirOwn refuses two outputs with one writer, and a save file alone.
func TestOutputsOfTheirOwn(t *testing.T) {
	var b bytes.Buffer
	_, err := starloom.Run(t.Context(), systemtest.Routing(2, 2),
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&b)},
			Reports: starloom.ReportFiles{JSON: starloom.Writer(&b)}})
	require.EqualError(t, err, "--vcd: output vcd: output json has the same writer: give each its own")
	require.Zero(t, b.Len())
	_, err = starloom.Run(t.Context(), systemtest.Routing(2, 2),
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(io.Discard), Log: starloom.Writer(nil)},
			Reports: starloom.ReportFiles{JSON: starloom.Writer(io.Discard)}})
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), systemtest.Routing(2, 2),
		starloom.RunOptions{Record: starloom.RecordOptions{GTKW: starloom.Writer(&b)}})
	require.ErrorContains(t, err, "a save file arranges a waveform")
}

// TestRecordingBeginsAnywhere begins recordings in the middle of a run, in the machine that
// has run so far and in one that restores its state: a waveform is that of the whole run
// from there on, a capture has its packets from the next boundary on.
func TestRecordingBeginsAnywhere(t *testing.T) {
	s := systemtest.Routing(4, 4)
	o := starloom.MachineOptions{Engine: starloom.EngineCycle}
	slotCycles := uint64(systemtest.Machine(t, s, o).Timing().SlotCycles())
	for _, stop := range []uint32{1, 7} {
		whole := *s
		whole.Traces.VCD = &starloom.VCDTrace{From: uint64(stop) * slotCycles}
		all := buffers{}
		_, err := starloom.Run(t.Context(), &whole, starloom.RunOptions{Record: starloom.RecordOptions{VCD: all.output("vcd"), PCAPNG: all.output("pcapng")}})
		require.NoError(t, err)

		first := systemtest.Machine(t, s, o)
		for range stop {
			require.NoError(t, first.Step())
		}
		var state bytes.Buffer
		require.NoError(t, first.Save(&state))
		second := systemtest.Machine(t, s, o)
		require.NoError(t, second.Restore(&state))
		for _, m := range []*starloom.Machine{first, second} {
			got := buffers{}
			recording, err := m.Record(starloom.RecordOptions{VCD: got.output("vcd"), PCAPNG: got.output("pcapng")})
			require.NoError(t, err)
			require.NoError(t, m.Run(t.Context(), nil))
			require.NoError(t, recording.Close())
			_, wantChanges, _ := strings.Cut(all["vcd"].String(), "$enddefinitions")
			_, changes, _ := strings.Cut(got["vcd"].String(), "$enddefinitions")
			require.Contains(t, changes, "#")
			require.Equal(t, wantChanges, changes)

			want, err := pcapngtest.Read(all["pcapng"].Bytes())
			require.NoError(t, err)
			capture, err := pcapngtest.Read(got["pcapng"].Bytes())
			require.NoError(t, err)
			require.NotEmpty(t, capture.Packets)
			tail := want.Packets[len(want.Packets)-len(capture.Packets):]
			for i, p := range capture.Packets {
				require.Equal(t, tail[i].PseudoHeader, p.PseudoHeader)
				require.Equal(t, tail[i].Interface, p.Interface)
			}
			require.Equal(t, stop, capture.Packets[0].PseudoHeader.Slot(), "what the slot has brought that crosses next")
		}
	}
}

// TestTriggerOfALaterRecording begins a recording after the first violation: its trigger is
// the next one.
func TestTriggerOfALaterRecording(t *testing.T) {
	s := systemtest.ProgramScenario("pops/random", 16, 4)
	s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.slot"}, Trigger: starloom.TriggerFirstViolation}
	m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	for len(m.Violations()) == 0 {
		require.NoError(t, m.Step())
	}
	first := len(m.Violations())
	var wave bytes.Buffer
	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
	require.NoError(t, err)
	for len(m.Violations()) == first {
		require.NoError(t, m.Step())
	}
	at := m.Violations()[first].Cycle
	require.Less(t, m.Violations()[0].Cycle, at)
	require.NoError(t, recording.Close())
	require.Contains(t, wave.String(), fmt.Sprintf("trigger in cycle %d,", at))
}

// TestRepeatedWaveformToAWriter writes a waveform that is begun again when much of it is
// written: the window of a collision, before which a packet was lost.
func TestRepeatedWaveformToAWriter(t *testing.T) {
	s := systemtest.ProgramScenario("pops/random", 40, 10)
	s.Rules = &starloom.Rules{ExactlyOnce: true, CollisionFree: &starloom.CollisionFree{Period: 1000, Slots: []int{41}}}
	s.Traces.VCD = &starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}
	path := filepath.Join(t.TempDir(), "run.vcd")
	_, err := starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(path)}})
	require.NoError(t, err)
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Greater(t, len(want), 256<<10, "more than any buffer")
	var wave bytes.Buffer
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave)}})
	require.NoError(t, err)
	require.Contains(t, wave.String()[:2000], fmt.Sprintf("trigger in cycle %d,", report.Violations[0].Cycle))
	require.Equal(t, starloom.RuleExactlyOnce, report.Violations[0].Rule)
	require.True(t,
		slices.ContainsFunc(report.Violations,
			func(v starloom.Violation) bool { return v.Rule == starloom.RuleCollisionFree }))
	require.True(t, bytes.Equal(want, wave.Bytes()))
}

// TestRecordingAndState saves a machine in a recording, which changes neither; what would
// let it jump in time is refused.
func TestRecordingAndState(t *testing.T) {
	s := systemtest.Routing(4, 4)
	o := starloom.MachineOptions{Engine: starloom.EngineCycle}
	want := buffers{}
	_, err := starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: want.output("vcd")}})
	require.NoError(t, err)

	m, got := systemtest.Machine(t, s, o), buffers{}
	recording, err := m.Record(starloom.RecordOptions{VCD: got.output("vcd")})
	require.NoError(t, err)
	for range 4 {
		require.NoError(t, m.Step())
	}
	var state, alone bytes.Buffer
	require.NoError(t, m.Save(&state))
	unwatched := systemtest.Machine(t, s, o)
	for range 4 {
		require.NoError(t, unwatched.Step())
	}
	require.NoError(t, unwatched.Save(&alone))
	require.True(t, bytes.Equal(alone.Bytes(), state.Bytes()), "a recording is no state")
	require.ErrorContains(t, m.Restore(&alone), "restoring state: the recording would jump in time; close it first")
	require.ErrorContains(t, m.Reset(1), "resetting: the recording would jump in time")
	require.NoError(t, m.Run(t.Context(), nil))
	require.NoError(t, recording.Close())
	require.True(t, want["vcd"].String() == got["vcd"].String())
	held, err := m.Signals("**.held")
	require.NoError(t, err)
	require.NoError(t, m.Restore(&state))
	require.EqualValues(t, 4, m.Slots())
	sum := 0
	for i, signal := range held { // they are of the restored state
		p, err := unwatched.Processor(i)
		require.NoError(t, err)
		require.EqualValues(t, p.Held, signal.Value())
		sum += p.Held
	}
	require.Positive(t, sum)
}

// TestSignalsAreThoseOfTheWaveform reads all signals in every cycle and compares them with
// the waveform, and the registers of processors with their signals.
func TestSignalsAreThoseOfTheWaveform(t *testing.T) {
	s := systemtest.ImageScenario(t, "talks")
	s.Rules = &starloom.Rules{}
	m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	signals, err := m.Signals()
	require.NoError(t, err)
	var wave bytes.Buffer
	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
	require.NoError(t, err)
	var seen [][]uint64
	require.NoError(t, m.Watch(func(cycle uint64) error {
		require.EqualValues(t, len(seen), cycle)
		row := make([]uint64, len(signals))
		for i, signal := range signals {
			row[i] = signal.Value()
		}
		seen = append(seen, row)
		return nil
	}))
	answers, held := 0, 0
	for !m.Ended() {
		require.NoError(t, m.Step())
		for i := range s.Processors() {
			p, err := m.Processor(i)
			require.NoError(t, err)
			for name, value := range map[string]uint64{"held": uint64(p.Held), "rx_status": uint64(p.RxStatus), "firmware.answer": p.Probes["answer"]} {
				signal, err := m.Signal(p.Path + "." + name)
				require.NoError(t, err)
				require.Equal(t, signal.Value(), value, signal.Path)
			}
			if p.Probes["answer"] != 0 {
				answers++
			}
			held += p.Held
		}
	}
	require.Positive(t, answers)
	require.NoError(t, recording.Close())

	r, err := vcd.NewReader(&wave, "wave")
	require.NoError(t, err)
	require.NoError(t, r.WatchAll())
	vars := r.Header().Index()
	require.Len(t, vars, len(signals))
	at := 0
	compare := func(end uint64) {
		for ; uint64(at) < end; at++ {
			for i, signal := range signals {
				v := r.Header().Vars[vars[signal.Path]]
				require.Equal(t, valueText(signal, seen[at][i]), r.Value(v.Net).Label(), "%s in cycle %d", signal.Path, at)
			}
		}
	}
	for r.Next() {
		compare(r.NextTime())
		_, err := r.Step()
		require.NoError(t, err)
	}
	require.NoError(t, r.Err())
	compare(uint64(len(seen)))
}

// valueText is a value as vcd.Value.Label has it.
func valueText(s *starloom.Signal, value uint64) string {
	if s.States != nil {
		return s.States[value]
	}
	return fmt.Sprintf("%0*x", (s.Bits+3)/4, value)
}

// TestWatchCanFail holds that an error of Watch is that of the step, and that neither the
// recording nor the machine minds.
func TestWatchCanFail(t *testing.T) {
	s := systemtest.Routing(2, 2)
	m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	got, want := buffers{}, buffers{}
	recording, err := m.Record(starloom.RecordOptions{VCD: got.output("vcd")})
	require.NoError(t, err)
	var calls int
	require.NoError(t, m.Watch(func(cycle uint64) error {
		if calls++; cycle == 8 {
			return fmt.Errorf("cycle %d: seen", cycle)
		}
		return nil
	}))
	require.NoError(t, m.Step())
	require.EqualError(t, m.Step(), "cycle 8: seen")
	require.Equal(t, 9, calls, "not in the rest of this slot")
	require.EqualValues(t, 2, m.Slots())
	require.NoError(t, m.Watch(nil))
	require.NoError(t, m.Run(t.Context(), nil))
	require.Equal(t, 9, calls)
	require.NoError(t, recording.Close())
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: want.output("vcd")}})
	require.NoError(t, err)
	require.Equal(t, want["vcd"].String(), got["vcd"].String())
}

// TestMisuse calls what must not be called, when it must not: errors, no panics, and a
// machine that is none the worse.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	s := systemtest.Routing(2, 2)
	m, err := starloom.NewMachine(ctx, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	require.NoError(t, err)
	everything := func(m *starloom.Machine) map[string]error {
		_, record := m.Record(starloom.RecordOptions{})
		return map[string]error{
			"stepping": m.Step(), "running": m.Run(ctx, nil), "resetting": m.Reset(1), "saving state": m.Save(io.Discard),
			"restoring state": m.Restore(strings.NewReader("")), "recording": record, "watching": m.Watch(nil),
		}
	}
	calls := 0
	inside := func() {
		calls++
		for what, err := range everything(m) {
			require.ErrorContains(t, err, what+": another call is in progress")
		}
		require.ErrorContains(t, m.Close(), "closing: another call is in progress")
		require.Empty(t, m.Violations())
		require.NotNil(t, m.Report())
		_, err := m.Processor(0)
		require.NoError(t, err)
	}
	require.NoError(t, m.Watch(func(uint64) error { inside(); return nil }))
	require.NoError(t, m.Step())
	stop := errors.New("stop")
	require.ErrorIs(t, m.Run(ctx, func() error { inside(); return stop }), stop)
	require.EqualValues(t, 2, m.Slots(), "it stops at this boundary")
	require.Equal(t, 2*m.Timing().SlotCycles()+1, calls)
	require.NoError(t, m.Watch(nil))

	_, err = m.Processor(4)
	require.EqualError(t, err, "processor 4 does not exist: the machine has processors 0 to 3")
	_, err = m.Processor(-1)
	require.Error(t, err)
	_, err = m.Signal("pops.group[0].nothing")
	require.ErrorContains(t, err, "no signal matches")
	_, err = m.Signals("**[")
	require.ErrorContains(t, err, "correct the pattern")

	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(io.Discard)})
	require.NoError(t, err)
	_, err = m.Record(starloom.RecordOptions{})
	require.ErrorContains(t, err, "already has a recording")
	require.NoError(t, recording.Close())
	require.NoError(t, m.Run(ctx, nil))
	_, err = m.Record(starloom.RecordOptions{})
	require.ErrorContains(t, err, "the run has ended")
	want := systemtest.ReportText(t, m.Report())
	require.Equal(t, systemtest.Result(t, s, starloom.MachineOptions{}), want)

	require.NoError(t, m.Reset(1))
	var state bytes.Buffer
	require.NoError(t, m.Save(&state))
	state.Bytes()[state.Len()-1] ^= 1
	require.Error(t, m.Restore(&state))
	require.ErrorContains(t, m.Step(), "stepping: a Restore has failed halfway; reset the machine first")
	require.NoError(t, m.Reset(1))
	dir := t.TempDir()
	open, err := m.Record(starloom.RecordOptions{VCD: starloom.File(filepath.Join(dir, "x.vcd"))})
	require.NoError(t, err)
	signal, err := m.Signal("pops.group[0].nic[0].held")
	require.NoError(t, err)
	require.NoError(t, m.Run(ctx, nil))
	require.ErrorContains(t, m.Close(), "the machine was closed first")
	requireEmpty(t, dir)
	require.ErrorContains(t, open.Close(), "the machine was closed first")
	require.NoError(t, m.Close())
	for what, err := range everything(m) {
		require.EqualError(t, err, what+": the machine is closed")
	}
	require.Equal(t, want, systemtest.ReportText(t, m.Report()))
	require.Zero(t, signal.Value())
	_, err = m.Processor(0)
	require.EqualError(t, err, "processor 0: the machine is closed")
	_, err = m.Signals()
	require.EqualError(t, err, "signals: the machine is closed")

	slot := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
	_, err = slot.Record(starloom.RecordOptions{VCD: starloom.Writer(io.Discard)})
	require.ErrorContains(t, err, "MachineOptions.Engine EngineCycle")
	require.ErrorContains(t, slot.Watch(func(uint64) error { return nil }), "the slot engine has no cycles")
	_, err = slot.Signals("**.light.**")
	require.ErrorContains(t, err, "the slot engine has no hardware signals")
}

// TestMachineKeepsItsScenario changes a scenario after the machine was built.
func TestMachineKeepsItsScenario(t *testing.T) {
	s := systemtest.Routing(4, 4)
	want := systemtest.Result(t, s, starloom.MachineOptions{})
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	s.Stop.Slots, s.Name = 1, "other"
	require.NoError(t, m.Run(t.Context(), nil))
	require.Equal(t, want, systemtest.ReportText(t, m.Report()))
}

// TestImageFromBytes runs an image that is not a file: all is as if it were one, rules and
// schedule of the program included that it replaces.
func TestImageFromBytes(t *testing.T) {
	for _, name := range []string{"pops/random", "pops/offline"} {
		wasm, err := firmware.ProgramImage(name)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "router.wasm")
		require.NoError(t, os.WriteFile(path, wasm, 0o666))
		fromFile, fromBytes := systemtest.ProgramScenario(name, 4, 4), systemtest.ProgramScenario(name, 4, 4)
		require.NoError(t, fromFile.Override(t.Context(), starloom.Overrides{Image: path}))
		require.NoError(t, fromBytes.Override(t.Context(), starloom.Overrides{Image: "router.wasm", ImageBytes: wasm}))
		require.Equal(t, fromFile.Hash(), fromBytes.Hash())
		require.Equal(t, []string{path}, fromFile.Inputs())
		require.Empty(t, fromBytes.Inputs())
		want, err := starloom.Run(t.Context(), fromFile, starloom.RunOptions{})
		require.NoError(t, err)
		got, err := starloom.Run(t.Context(), fromBytes, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, want.Firmware, got.Firmware)
		require.Equal(t, systemtest.ReportText(t, want), systemtest.ReportText(t, got))
		require.Equal(t, starloom.VerdictPass, got.Verdict)
	}

	s := systemtest.Routing(2, 2)
	s.Firmware.ImageBytes = []byte("no image")
	require.ErrorContains(t, s.Check(), "firmware has both program and image")
	s.Firmware.Program = ""
	_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, "the firmware image image.wasm: not a WebAssembly module")
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "pops/random"}))
	require.Equal(t, systemtest.Result(t, systemtest.Routing(2, 2), starloom.MachineOptions{}),
		systemtest.Result(t, s, starloom.MachineOptions{}))
}

// TestScenarioFromBytes reads a scenario that is in no file.
func TestScenarioFromBytes(t *testing.T) {
	s, err := starloom.ParseScenario("", []byte("{starloom: 1, fabric: {pops: {groups: 2, group_size: 2}}, firmware: {program: pops/random}}"))
	require.NoError(t, err)
	require.Equal(t, "scenario", s.Name)
	_, err = starloom.ParseScenario("", []byte("starloom: 2"))
	require.ErrorContains(t, err, "scenario:1:11: ")
}

// TestProcessorBeforeTheFirstStep holds what a processor's registers are after reset.
func TestProcessorBeforeTheFirstStep(t *testing.T) {
	m := systemtest.Machine(t, systemtest.Routing(2, 2), starloom.MachineOptions{})
	p, err := m.Processor(3)
	require.NoError(t, err)
	require.Equal(t, starloom.Processor{Number: 3, Path: "pops.group[1].nic[1]", RxPort: -1, RxStatus: nic.StatusIdle}, p)
	hears, err := m.Signal(p.Path + ".rx_port")
	require.NoError(t, err)
	require.EqualValues(t, nic.PortNone, hears.Value())
	require.NoError(t, m.Run(t.Context(), nil))
	p, err = m.Processor(3)
	require.NoError(t, err)
	require.True(t, p.Done)
}
