// Package record writes the activity of a running machine. Its observer records signals, frames and log lines.
//
//	emulator.Machine --cycle, boundary--> Recording --+--> waveform (VCD) and its save files
//	                                                  +--> packet capture (pcapng)
//	                                                  +--> log of the firmware
package record

import (
	"context"
	"errors"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Recording writes traces of a machine between two boundaries: the beginning of the recording and its Close. It does
// not affect the machine.
//
//	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
//	for !m.Ended() {
//		err := m.Step()
//	}
//	err = recording.Close()
type Recording struct {
	waves
	machine *emulator.Machine
	capture *capture
	bare    *bareCapture // replaces capture for a run without firmware
	log     *traces.File
	err     error
	closed  bool
}

// Alone begins a recording with its own set of files.
func Alone(m *emulator.Machine, o Options) (*Recording, error) {
	if err := m.MayRecord(); err != nil {
		return nil, err
	}
	out := new(outputs.Set)
	r, err := Begin(m, o, out)
	if err != nil {
		out.Abort()
		return nil, err
	}
	return r, nil
}

// Begin begins a recording whose files belong to out.
func Begin(m *emulator.Machine, o Options, out *outputs.Set) (_ *Recording, err error) {
	r := &Recording{machine: m}
	err = r.open(m.Config.Name, o, out, func() (*shown, error) {
		if m.Hardware == nil {
			return nil, ErrNoCycles("--engine slot")
		}
		return shownOf(m), nil
	})
	if err != nil {
		return nil, err
	}
	packets, err := out.Open("--pcapng", "pcapng", o.PCAPNG)
	if err != nil {
		return nil, err
	}
	if packets != nil && m.Config.Bare() {
		r.bare = &bareCapture{packets, m.Cycles()}
	} else if packets != nil {
		if r.capture, err = openCapture(m, packets); err != nil {
			return nil, err
		}
	}
	lua, err := out.Open("--pcapng", "lua", o.PCAPNG.Beside(o.Lua, ".lua"))
	if err != nil {
		return nil, err
	}
	if lua != nil {
		if err := nic.WriteDissector(lua, m.Shape.PortLabels); err != nil {
			return nil, err
		}
	}
	if r.log, err = out.Open("--log", "log", o.Log); err != nil {
		return nil, err
	}
	m.Attach(r, r.wave != nil, r.capture != nil)
	return r, nil
}

// ErrNoCycles returns the error for outputs that require single cycles.
func ErrNoCycles(place string) error {
	return input.Mistake(place, "a waveform shows single cycles, but this engine has no cycles",
		"use --engine cycle or auto; in Go, MachineOptions.Engine EngineCycle")
}

func (r *Recording) Cycle(cycle uint64) {
	if r.wave != nil && r.err == nil {
		r.err = r.wave.sample(cycle)
	}
}

func (r *Recording) Dropped() error {
	r.err = errors.New("recording: the machine was closed first; its outputs are incomplete, and no file has " +
		"appeared")
	r.drop()
	return r.err
}

// Boundary implements Observer. It writes the events of a boundary. After an error, the recording ends and none of
// its files appears.
func (r *Recording) Boundary() error {
	if r.err == nil {
		r.err = r.write()
	}
	if r.err != nil {
		r.drop()
	}
	return r.err
}

func (r *Recording) write() error {
	m := r.machine
	if r.wave != nil {
		r.wave.boundary(m.Findings.Kept)
	}
	if r.capture != nil {
		if err := r.capture.slot(m); err != nil {
			return err
		}
	}
	if r.log != nil && !m.Log.Empty() {
		if err := m.WriteLog(r.log); err != nil {
			return err
		}
		return r.log.Flush()
	}
	return nil
}

// Close ends the recording after the last whole slot. Writers get their remaining bytes, then all files appear, or
// none. Close returns the error of an earlier write. A second call returns the result of the first call.
func (r *Recording) Close() error {
	if r.closed {
		return r.err
	}
	m := r.machine
	if err := m.Enter("closing a recording"); err != nil {
		return err
	}
	defer m.Leave()
	violations, cycles := m.ViolationsNow(), m.Cycles()
	if r.err = r.Finish(violations, cycles); r.err == nil {
		r.err = r.out.Files.Commit()
	}
	r.drop()
	return r.err
}

// Files lists the outputs in the order of RecordOptions. After Close, the entry of an empty waveform includes the
// reason why it is empty.
func (r *Recording) Files() []outcome.OutputFile { return r.out.Written }

func (r *Recording) drop() {
	r.closed = true
	r.out.Abort()
	r.machine.Detach(r)
}

// MarkLatest marks, in the waveform, the sending of the packet with the largest delay after its deadline. The save
// file opens at this mark if the first violation is a deadline and faults are not the cause.
func (r *Recording) MarkLatest(report *outcome.Report) {
	late := report.Aside.Late
	if r.save == nil || late == nil || late.Worst == nil || !late.Worst.Known {
		return
	}
	r.save.struck = append(r.save.struck, vcd.Marker{Cycle: late.Worst.Cycle, Name: outcome.MarkerCame})
	if !report.ByFaults() && report.Violations[0].Rule == fabric.RuleDeadline {
		r.save.main = outcome.MarkerCame
	}
}

// End writes the outputs of a complete run before the machine runs again.
func (r *Recording) End() error {
	if r.bare == nil {
		return nil
	}
	return r.bare.write(r.machine)
}

// Finish ends waveform and capture.
func (r *Recording) Finish(violations []outcome.Violation, cycles uint64) error {
	if err := r.finish(violations, cycles); err != nil {
		return err
	}
	if r.capture != nil {
		return r.capture.pcapng.Close()
	}
	return nil
}

// RepeatWaveform repeats the run if the first violation, such as a lost packet, was detected only after its window
// had passed. The waveform of the repetition contains that window.
func (r *Recording) RepeatWaveform(ctx context.Context, m *emulator.Machine, report *outcome.Report,
	each func() error) error {
	if r.wave == nil || !r.wave.trigger || len(report.Violations) == 0 {
		return nil
	}
	first := report.Violations[0].Cycle
	if first >= report.Cycles || r.wave.triggered && r.wave.at <= first || !r.wave.triggered && first+1 >= report.Cycles {
		return nil
	}
	if err := r.vcd.Restart(); err != nil {
		r.wave.unshown = "shows the window of a later violation: " + err.Error()
		return nil
	}
	r.of = shownOf(m)
	wave, err := openWaveform(r.of, r.vcd)
	if err != nil {
		return err
	}
	wave.triggered, wave.pending, wave.at = true, true, first
	r.wave = wave
	if err := m.Repeat(ctx, report, wave.sample, each); err != nil {
		return err
	}
	if wave.pending {
		wave.pending, wave.unshown = false, "is empty: interrupted while the run was repeated up to the first violation"
	}
	return nil
}
