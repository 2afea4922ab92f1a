package starloom

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"starloom/nic"
	"starloom/traces"
	"starloom/traces/vcd"
)

// RecordOptions say what is written while a machine runs. What waveform and capture hold
// is said by the scenario's Traces.
type RecordOptions struct {
	VCD    Output // waveform
	GTKW   Output // save file that arranges it in GTKWave; beside VCD if that is a file
	PCAPNG Output // packet capture
	Lua    Output // dissector for Wireshark and tshark; beside PCAPNG if that is a file
	Log    Output // what firmware logs: a line for each call of sl_log
}

// Recording is what is written while a machine is stepped, from the boundary at which it
// began to that at which it is closed. It changes nothing of what the machine does.
//
//	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
//	for !m.Ended() {
//		err := m.Step()
//	}
//	err = recording.Close()
type Recording struct {
	machine *Machine
	out     *outputs
	vcd     *traces.File // of wave
	wave    *waveform
	gtkw    *traces.File // nil for none...
	save    vcd.SaveFile // ...else what it will be
	capture *capture
	log     *traces.File
	err     error // the first one
	closed  bool
}

// Record begins to write what the machine does from here on, between two steps. Begun
// before the first Step, the bytes are those that Run writes, but for two things that need
// the whole run twice: places of lost packets, and a trigger at a packet that was lost. Begun
// later, a waveform starts with the first cycle of the next slot; capture and log start
// with the boundary after it.
//
// A machine has one recording at a time. A waveform needs MachineOptions.Engine
// EngineCycle. The error is an *InputError if an output or a setting of the scenario's
// Traces cannot be used.
func (m *Machine) Record(o RecordOptions) (*Recording, error) {
	if err := m.enterWhole("recording"); err != nil {
		return nil, err
	}
	defer m.leave()
	switch {
	case m.recording != nil:
		return nil, errors.New("recording: the machine has a recording already; close it first")
	case m.ended:
		return nil, errors.New("recording: the run has ended; reset the machine, or build another")
	}
	out := new(outputs)
	r, err := m.record(o, out)
	if err != nil {
		out.abort()
		return nil, err
	}
	return r, nil
}

// record begins a recording whose files belong to out.
func (m *Machine) record(o RecordOptions, out *outputs) (_ *Recording, err error) {
	r := &Recording{machine: m, out: out}
	if r.vcd, err = out.open("--vcd", "vcd", o.VCD); err != nil {
		return nil, err
	}
	if r.vcd != nil {
		if m.plant == nil {
			return nil, errNoCycles("--engine slot")
		}
		if m.config.VCD.Triggered {
			r.vcd.Hold() // see repeatWaveform
		}
		if r.wave, err = m.openWaveform(r.vcd); err != nil {
			return nil, err
		}
	}
	if err := r.openGTKW(o); err != nil {
		return nil, err
	}
	packets, err := out.open("--pcapng", "pcapng", o.PCAPNG)
	if err != nil {
		return nil, err
	}
	if packets != nil {
		if r.capture, err = m.openCapture(packets); err != nil {
			return nil, err
		}
	}
	lua, err := out.open("--pcapng", "lua", o.PCAPNG.beside(o.Lua, ".lua"))
	if err != nil {
		return nil, err
	}
	if lua != nil {
		if err := nic.WriteDissector(lua); err != nil {
			return nil, err
		}
	}
	if r.log, err = out.open("--log", "log", o.Log); err != nil {
		return nil, err
	}
	m.attach(r)
	return r, nil
}

// errNoCycles refuses what shows single cycles.
func errNoCycles(place string) error {
	return &InputError{Place: place, Reason: "a waveform shows single cycles, which this engine does not have", Remedy: "use --engine cycle or auto; in Go, MachineOptions.Engine EngineCycle"}
}

// openGTKW opens the save file that goes with the waveform. It names it by its base name:
// what goes to writers is called after the scenario.
func (r *Recording) openGTKW(o RecordOptions) (err error) {
	if r.wave == nil {
		if o.GTKW.given() {
			return &InputError{Place: "RecordOptions.GTKW", Reason: "a save file arranges a waveform, and there is none", Remedy: "set VCD, too"}
		}
		return nil
	}
	to := o.VCD.beside(o.GTKW, ".gtkw")
	r.gtkw, err = r.out.open("--vcd", "gtkw", to)
	vcdPath, savePath := o.VCD.path, to.path
	switch name := filepath.Base(r.machine.config.Name); {
	case vcdPath == "" && savePath == "":
		vcdPath, savePath = name+".vcd", name+".gtkw"
	case vcdPath == "":
		vcdPath = withExtension(savePath, ".vcd")
	case savePath == "":
		savePath = withExtension(vcdPath, ".gtkw")
	}
	r.save.Path, r.save.VCD = savePath, vcdPath
	return err
}

// writeGTKW writes the save file: the slot and what has broken rules come first, with markers where
// they did, if the waveform shows that. One that only the end of the run shows is at its last cycle.
func (r *Recording) writeGTKW(violations []Violation, end uint64) error {
	if r.gtkw == nil {
		return nil
	}
	r.save.Signals, r.save.First = r.wave.vcd.Signals(), []string{r.machine.slotProbe().Path}
	for _, v := range violations {
		if v.Path != r.machine.network.Kind() && !slices.Contains(r.save.First, v.Path) { // not all of it
			r.save.First = append(r.save.First, v.Path)
		}
		if last := len(r.save.Markers) - 1; !r.wave.vcd.Shows(min(v.Cycle, max(end, 1)-1)) {
			continue
		} else if last < 0 || r.save.Markers[last].Cycle != v.Cycle {
			r.save.Markers = append(r.save.Markers, vcd.Marker{Cycle: v.Cycle, Name: v.Rule})
		}
	}
	return r.save.Write(r.gtkw)
}

// attach lets a recording see what the machine does; nil ends that.
func (m *Machine) attach(r *Recording) {
	m.recording = r
	for i := range m.shards {
		m.shards[i].ledger.Capture = r != nil && r.capture != nil
	}
	m.setWatch()
}

// setWatch lets the plant call back in every cycle if somebody looks at cycles.
func (m *Machine) setWatch() {
	if m.plant == nil {
		return
	}
	m.plant.Watch, m.plant.WatchError = nil, nil
	if m.watch != nil || m.recording != nil && m.recording.wave != nil {
		m.plant.Watch = m.watchCycle
	}
}

// watchCycle is called in every cycle between Settle and Latch. An error of one who looks
// keeps nobody else from looking.
func (m *Machine) watchCycle(cycle uint64) error {
	if r := m.recording; r != nil && r.wave != nil && r.err == nil {
		r.err = r.wave.sample(cycle)
	}
	if m.watch != nil && m.watchError == nil {
		m.watchError = m.watch(cycle)
	}
	return nil
}

// boundary writes what a boundary has brought. After an error the recording is over, and
// none of its files appears.
func (r *Recording) boundary() error {
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
		r.wave.boundary(m.findings.kept)
	}
	if r.capture != nil {
		if err := r.capture.slot(m); err != nil {
			return err
		}
	}
	if r.log != nil && !m.log.empty() {
		if err := m.log.write(r.log, m); err != nil {
			return err
		}
		return r.log.Flush()
	}
	return nil
}

// Close ends the recording after the last whole slot: writers get the rest of their bytes,
// and files appear, all or none. When a write has failed before, it returns that error
// again. Closed twice, it returns what it returned first.
func (r *Recording) Close() error {
	if r.closed {
		return r.err
	}
	m := r.machine
	if err := m.enter("closing a recording"); err != nil {
		return err
	}
	defer m.leave()
	violations, cycles := m.findings.kept, m.cycles()
	if m.ended {
		violations = m.report().Violations
	}
	if r.err = r.finish(violations, cycles); r.err == nil {
		r.err = r.out.files.Commit()
	}
	r.drop()
	return r.err
}

// Files lists what the recording writes to, in the order of RecordOptions, and, once it is
// closed, why a waveform shows nothing.
func (r *Recording) Files() []OutputFile { return r.out.written }

// drop takes the recording off its machine and drops what is not complete.
func (r *Recording) drop() {
	r.closed = true
	r.out.abort()
	if r.machine.recording == r {
		r.machine.attach(nil)
	}
}

// finish ends waveform and capture.
func (r *Recording) finish(violations []Violation, cycles uint64) error {
	if r.wave != nil {
		if err := r.wave.close(violations, cycles); err != nil {
			return err
		}
		r.out.note("vcd", r.wave.note(cycles))
		if err := r.writeGTKW(violations, cycles); err != nil {
			return err
		}
	}
	if r.capture != nil {
		return r.capture.pcapng.Close()
	}
	return nil
}

// repeatWaveform runs the machine once more if the first violation of the report is one
// that was found when its window had passed: a packet that was lost. That window is in the
// file then.
func (r *Recording) repeatWaveform(ctx context.Context, m *Machine, report *Report, each func() error) error {
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
	wave, err := m.openWaveform(r.vcd)
	if err != nil {
		return err
	}
	wave.triggered, wave.pending, wave.at = true, true, first
	r.wave = wave
	if err := m.repeat(ctx, report, wave.sample, each); err != nil {
		return err
	}
	if wave.pending {
		wave.pending, wave.unshown = false, "shows nothing: interrupted while the run was repeated up to the first violation"
	}
	return m.plant.WatchError
}

// traceComments say what a trace is of, in printable ASCII and without the
// dollar signs that mean something in a VCD.
func (m *Machine) traceComments() []string {
	lines := []string{
		"scenario " + m.config.Name,
		"scenario-sha256 " + m.config.Source.Hash(),
		fmt.Sprintf("seed %d", m.seed),
		"firmware " + m.image.name + " sha256 " + m.image.sha256,
	}
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' || r == '$' {
				return '?'
			}
			return r
		}, line)
	}
	return lines
}
