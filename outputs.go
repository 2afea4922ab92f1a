package starloom

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/pcapng"
	"starloom/traces/vcd"
)

// outputs are the files that a run writes. They appear together when all went
// well, and not at all otherwise.
type outputs struct {
	files   traces.Files
	written []OutputFile
	reports []reportFile
	rows    *traces.File // a row for each run
	vcd     *traces.File // of wave
	wave    *waveform
	capture *capture
	log     *traces.File
}

// reportForms are the forms that every report has for scripts.
type reportForms interface {
	WriteJSON(io.Writer) error
	WriteJUnit(io.Writer) error
}

// reportFile is a report in one of its forms, written at the end.
type reportFile struct {
	OutputFile
	file  *traces.File
	write func(reportForms, *tally, io.Writer) error
}

// create opens a file. Nothing is visible before commit.
func (o *outputs) create(option, kind, path string) (*traces.File, error) {
	file, err := o.files.Create(path)
	if err != nil {
		return nil, &InputError{Place: option, Reason: err.Error()}
	}
	o.written = append(o.written, OutputFile{Kind: kind, Path: path})
	return file, nil
}

// openReports opens the files of the report before the run: one that cannot be
// written is refused before a long run, not after it.
func (o *outputs) openReports(options RunOptions) error {
	for _, r := range []struct {
		kind, path string
		write      func(reportForms, *tally, io.Writer) error
	}{
		{"json", options.JSON, func(r reportForms, _ *tally, w io.Writer) error { return r.WriteJSON(w) }},
		{"junit", options.JUnit, func(r reportForms, _ *tally, w io.Writer) error { return r.WriteJUnit(w) }},
		{"csv", options.CSV, func(_ reportForms, t *tally, _ io.Writer) error { return t.flush() }},
		{"stats-csv", options.StatsCSV, func(_ reportForms, t *tally, w io.Writer) error { return t.statistics().writeCSV(w) }},
	} {
		if r.path == "" {
			continue
		}
		file, err := o.files.Create(r.path)
		if err != nil {
			return &InputError{Place: "--" + r.kind, Reason: err.Error()}
		}
		if r.kind == "csv" {
			o.rows = file
		}
		o.reports = append(o.reports, reportFile{OutputFile{Kind: r.kind, Path: r.path}, file, r.write})
	}
	return nil
}

// openTraces opens what is written while the machine runs.
func (o *outputs) openTraces(m *Machine, options RunOptions) (err error) {
	if options.VCD != "" {
		file, err := o.create("--vcd", "vcd", options.VCD)
		if err != nil {
			return err
		}
		o.vcd = file
		if o.wave, err = m.openWaveform(file); err != nil {
			return err
		}
		if save, ok := beside(options.VCD, ".gtkw"); ok {
			gtkw, err := o.create("--vcd", "gtkw", save)
			if err != nil {
				return err
			}
			if err := vcd.WriteGTKW(gtkw, save, options.VCD, o.wave.vcd.Signals()); err != nil {
				return err
			}
		}
		m.plant.Watch = o.wave.sample
	}
	if options.PCAPNG != "" {
		file, err := o.create("--pcapng", "pcapng", options.PCAPNG)
		if err != nil {
			return err
		}
		if o.capture, err = m.openCapture(file); err != nil {
			return err
		}
		if script, ok := beside(options.PCAPNG, ".lua"); ok {
			lua, err := o.create("--pcapng", "lua", script)
			if err != nil {
				return err
			}
			if err := nic.WriteDissector(lua); err != nil {
				return err
			}
		}
	}
	if options.Log != "" {
		if o.log, err = o.create("--log", "log", options.Log); err != nil {
			return err
		}
	}
	return nil
}

// beside returns the path of a file that goes with another one. Nothing goes with
// standard output.
func beside(path, extension string) (string, bool) {
	return strings.TrimSuffix(path, filepath.Ext(path)) + extension, path != "-"
}

// traceComments say what a trace is of, in printable ASCII and without the
// dollar signs that mean something in a VCD.
func (m *Machine) traceComments() []string {
	lines := []string{
		"scenario " + m.scenario.Name,
		"scenario-sha256 " + m.scenario.Hash(),
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

// repeatWaveform runs the machine once more if the first violation of the report is one
// that was found when its window had passed: a packet that was lost. That window is in the
// file then.
func (o *outputs) repeatWaveform(ctx context.Context, m *Machine, report *Report, each func() error) error {
	if o.wave == nil || !o.wave.trigger || len(report.Violations) == 0 {
		return nil
	}
	first := report.Violations[0].Cycle
	if first >= report.Cycles || o.wave.triggered && o.wave.at <= first || !o.wave.triggered && first+1 >= report.Cycles {
		return nil
	}
	if err := o.vcd.Restart(); err != nil {
		o.wave.unshown = "shows the window of a later violation: " + err.Error()
		return nil
	}
	wave, err := m.openWaveform(o.vcd)
	if err != nil {
		return err
	}
	wave.triggered, wave.pending, wave.at = true, true, first
	o.wave = wave
	if err := m.repeat(ctx, wave.sample, each); err != nil {
		return err
	}
	if wave.pending {
		wave.pending, wave.unshown = false, "shows nothing: interrupted while the run was repeated up to the first violation"
	}
	return m.plant.WatchError
}

// slot writes what a boundary has brought.
func (o *outputs) slot(m *Machine) error {
	if o.wave != nil {
		if err := m.plant.WatchError; err != nil {
			return err
		}
		o.wave.boundary(m.findings.kept)
	}
	if o.capture != nil {
		if err := o.capture.slot(m); err != nil {
			return err
		}
	}
	if o.log != nil {
		if err := m.log.write(o.log, m); err != nil {
			return err
		}
	}
	return nil
}

// commit ends the files and makes them visible.
func (o *outputs) commit(report *Report, t *tally) (err error) {
	if o.wave != nil {
		if err := o.wave.close(report); err != nil {
			return err
		}
		i := slices.IndexFunc(o.written, func(f OutputFile) bool { return f.Kind == "vcd" })
		o.written[i].Note = o.wave.note(report)
	}
	if o.capture != nil {
		if err := o.capture.pcapng.Close(); err != nil {
			return err
		}
	}
	report.Files, err = o.commitReports(report, t)
	return err
}

// commitReports writes the reports and makes all files visible.
func (o *outputs) commitReports(report reportForms, t *tally) ([]OutputFile, error) {
	for _, r := range o.reports {
		if err := r.write(report, t, r.file); err != nil {
			return nil, err
		}
		o.written = append(o.written, r.OutputFile)
	}
	return o.written, o.files.Commit()
}

// abort removes what is not committed.
func (o *outputs) abort() { o.files.Abort() }

// waveform samples signals into a VCD.
type waveform struct {
	machine *Machine
	vcd     *vcd.Writer

	// Signals of the hardware may change in every cycle, those of the firmware
	// and its registers only at the boundary of a slot.
	cycle []watched
	slot  []watched

	slotID  vcd.SignalID
	slotOn  bool
	sampled int64 // slot whose signals have been set, -1 for none

	trigger   bool // wait for the first violation
	triggered bool
	pending   bool
	at        uint64
	unshown   string // why the first violation is not shown, for note
}

// watched is a selected signal.
type watched struct {
	probe hw.Probe
	id    vcd.SignalID
	limit uint64 // largest value that the signal can show
}

func (m *Machine) openWaveform(file *traces.File) (*waveform, error) {
	w := &waveform{machine: m, sampled: -1}
	options := vcd.Options{Comments: m.traceComments(), SlackCycles: 2 * uint64(m.timing.SlotCycles())}
	globs := []string{"**"}
	if t := m.scenario.Traces.VCD; t != nil {
		options.From, options.To, options.Before, options.After = t.From, t.To, t.Before, t.After
		options.OnTrigger = t.Trigger == TriggerFirstViolation
		w.trigger = options.OnTrigger
		if len(t.Signals) > 0 {
			globs = t.Signals
		}
	}
	patterns := make([]*hw.Pattern, len(globs))
	matched := make([]bool, len(globs))
	for i, glob := range globs {
		var err error
		if patterns[i], err = hw.CompilePattern(glob); err != nil {
			return nil, &InputError{Place: m.scenario.Place(fmt.Sprintf("traces.vcd.signals[%d]", i)), Reason: err.Error(), Remedy: "correct the pattern"}
		}
	}
	selected := func(path string) (yes bool) {
		for i, p := range patterns {
			if p.Match(path) {
				matched[i], yes = true, true
			}
		}
		return yes
	}

	var err error
	if w.vcd, err = vcd.NewWriter(file, options); err != nil {
		return nil, err
	}
	declare := func(list *[]watched, p hw.Probe) {
		if err != nil || !selected(p.Path) {
			return
		}
		signal := watched{probe: p, limit: 1<<p.Bits - 1}
		if p.States != nil {
			signal.limit = uint64(len(p.States) - 1)
			signal.id, err = w.vcd.DeclareStates(p.Path, p.States)
		} else {
			signal.id, err = w.vcd.Declare(p.Path, p.Bits)
		}
		*list = append(*list, signal)
	}
	slot := m.network.Kind() + ".slot"
	if w.slotOn = selected(slot); w.slotOn {
		if w.slotID, err = w.vcd.Declare(slot, 32); err != nil {
			return nil, err
		}
	}
	m.firmwareProbes(func(p hw.Probe) { declare(&w.slot, p) })
	m.plant.Probes(func(p hw.Probe) { declare(&w.cycle, p) })
	if err != nil {
		return nil, &InputError{Place: m.scenario.Place("traces.vcd.signals"), Reason: err.Error(), Remedy: "select other signals"}
	}
	for i, ok := range matched {
		if !ok {
			return nil, &InputError{
				Place:  m.scenario.Place(fmt.Sprintf("traces.vcd.signals[%d]", i)),
				Reason: fmt.Sprintf("no signal matches %q", globs[i]),
				Remedy: fmt.Sprintf("signals are, for example, %s.tx.light.rail1, %s.violation, %s.rx_status; * stands for a part of a name, ** for any number of names, [2..5] for a range",
					m.names.Processor(0), m.names.Medium(0), m.names.Processor(0)),
			}
		}
	}
	return w, w.vcd.Begin()
}

// statusStates are the states of rx_status in a waveform. Firmware can write
// anything into its registers; what is no status shows as the last state.
var statusStates = append(slices.Clone(nic.StatusNames), "overwritten")

// firmwareProbes yields what firmware and NIC registers show at the boundary of a
// slot: the columns of the register map and sl_probe's values.
func (m *Machine) firmwareProbes(yield func(hw.Probe)) {
	if m.rxPorts == nil {
		m.rxPorts = make([]uint16, m.shape.Processors())
	}
	for i := range m.shards {
		for _, instance := range m.shards[i].instances {
			bank, values := instance.Bank(), instance.Probes()
			for cell := range bank.Cells {
				path, r := m.names.Processor(bank.First+cell), &bank.Registers[cell]
				status := hw.ProbeOf(path+".rx_status", 3, &bank.RxStatus[cell])
				status.States = statusStates
				yield(status)
				yield(hw.NewProbe(path+".rx_port", 16, m.rxPorts, bank.First+cell))
				yield(hw.ProbeOf(path+".held", 8, &r.Held))
				yield(hw.ProbeOf(path+".flags", 8, &r.Flags))
				for k, name := range m.image.probes {
					yield(hw.NewProbe(path+".firmware."+name, 64, values, cell*len(m.image.probes)+k))
				}
			}
		}
	}
}

// sample is called in every cycle, between Settle and Latch.
func (w *waveform) sample(cycle uint64) error {
	if w.vcd.NeedsCycle(cycle) {
		if err := w.vcd.Cycle(cycle); err != nil {
			return err
		}
		if slot := int64(w.machine.slot); slot != w.sampled {
			w.sampled = slot
			if w.slotOn {
				w.vcd.Set(w.slotID, uint64(slot))
			}
			w.set(w.slot)
		}
		w.set(w.cycle)
	}
	if w.pending && cycle >= w.at {
		w.pending = false
		return w.vcd.Trigger(w.at)
	}
	return nil
}

func (w *waveform) set(signals []watched) {
	for i := range signals {
		w.vcd.Set(signals[i].id, min(signals[i].probe.Value(), signals[i].limit))
	}
}

// boundary arms the trigger at the first violation. Its cycle may still lie
// ahead: what a handler does wrong at a boundary belongs to the slot that begins.
func (w *waveform) boundary(violations []Violation) {
	if w.trigger && !w.triggered && len(violations) > 0 {
		w.triggered, w.pending, w.at = true, true, violations[0].Cycle
	}
}

// close ends the waveform. A violation that only the end of the run shows
// triggers at the last cycle.
func (w *waveform) close(report *Report) error {
	w.boundary(report.Violations)
	if w.pending && report.Cycles > 0 {
		if err := w.vcd.Trigger(min(w.at, report.Cycles-1)); err != nil {
			return err
		}
	}
	return w.vcd.Close(report.Cycles)
}

// note says why the waveform shows nothing, or "".
func (w *waveform) note(report *Report) string {
	if w.unshown != "" || !w.vcd.Empty() {
		return w.unshown
	}
	t := w.machine.scenario.Traces.VCD
	switch {
	case report.Cycles == 0:
		return "shows nothing: the run took no cycle"
	case t != nil && t.From >= report.Cycles:
		return fmt.Sprintf("shows nothing: traces.vcd.from is %d, and the run ended with cycle %d", t.From, report.Cycles-1)
	case w.trigger && !w.triggered:
		return "shows nothing: no rule was broken, so the trigger first_violation never came"
	case w.trigger:
		return fmt.Sprintf("shows nothing: the first violation, in cycle %d, is not between traces.vcd.from and to", w.at)
	}
	return "shows nothing"
}

// capture writes every frame at every port into a pcapng file.
type capture struct {
	pcapng     *pcapng.Writer
	interfaces map[uint64]pcapng.InterfaceID // by processor and port
}

func (m *Machine) openCapture(file *traces.File) (*capture, error) {
	out, err := pcapng.NewWriter(file, strings.Join(m.traceComments(), "\n"))
	if err != nil {
		return nil, err
	}
	return &capture{pcapng: out, interfaces: map[uint64]pcapng.InterfaceID{}}, nil
}

// slot writes what was heard in the slot before and what is sent in this one, in
// the order of the processors.
func (c *capture) slot(m *Machine) error {
	for i := range m.shards {
		l := &m.shards[i].ledger
		byProcessor(l.Heard)
		for _, heard := range l.Heard {
			slot := m.slot - 1
			if err := c.packet(m, heard, heard.Port, pcapng.Received, slot, m.timing.LastPhitCycle(slot)); err != nil {
				return err
			}
		}
	}
	for i := range m.shards {
		l := &m.shards[i].ledger
		byProcessor(l.Sent)
		for _, sent := range l.Sent {
			cycle := m.timing.FirstPhitCycle(m.slot)
			if sent.Port != nic.PortAll {
				if err := c.packet(m, sent, sent.Port, pcapng.Sent, m.slot, cycle); err != nil {
					return err
				}
				continue
			}
			for port := range uint16(m.shape.Ports) {
				if err := c.packet(m, sent, port, pcapng.Sent, m.slot, cycle); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// byProcessor sorts frames, which come window by window.
func byProcessor(frames []fabric.Captured) {
	slices.SortStableFunc(frames, func(a, b fabric.Captured) int { return cmp.Compare(a.Processor, b.Processor) })
}

func (c *capture) packet(m *Machine, captured fabric.Captured, port uint16, direction pcapng.Direction, slot uint32, cycle uint64) error {
	key := uint64(captured.Processor)<<16 | uint64(port)
	id, ok := c.interfaces[key]
	if !ok {
		var err error
		if id, err = c.pcapng.Interface(m.names.Port(captured.Processor, port)); err != nil {
			return err
		}
		c.interfaces[key] = id
	}
	return c.pcapng.Packet(id, direction, uint8(captured.Status), slot, cycle, captured.Frame)
}
