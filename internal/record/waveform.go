package record

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/outputs"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

type waveform struct {
	of  *shown
	vcd *vcd.Writer

	cycle   []watched // hardware signals, except grouped signals
	groups  [][]watched
	slot    []watched // signals of firmware and NIC registers
	sampled int64     // last slot whose signals were set, -1 for none

	trigger   bool // the waveform waits for the first violation
	triggered bool
	pending   bool
	at        uint64
	unshown   string // reason why the waveform lacks the first violation, for note
}

type watched struct {
	probe hw.Probe
	id    vcd.SignalID
	limit uint64 // largest value that the signal can show
}

func openWaveform(of *shown, file *traces.File) (*waveform, error) {
	w := &waveform{of: of, sampled: -1}
	options := vcd.Options{Comments: of.comments, SlackCycles: of.slack}
	globs, window := []string{"**"}, &of.config.VCD
	options.From, options.To, options.Before, options.After = window.From, window.To, window.Before, window.After
	options.OnTrigger, w.trigger = window.Triggered, window.Triggered
	if len(window.Signals) > 0 {
		globs = window.Signals
	}
	patterns := make([]*hw.Pattern, len(globs))
	matched := make([]bool, len(globs))
	for i, glob := range globs {
		var err error
		if patterns[i], err = hw.CompilePattern(glob); err != nil {
			return nil, of.config.Source.Refuse(fmt.Sprintf("traces.vcd.signals[%d]", i), err.Error(), "correct the pattern")
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
	add := func(list *[]watched, p hw.Probe, form vcd.Form) {
		if err != nil {
			return
		}
		signal := watched{probe: p, limit: 1<<p.Bits - 1}
		if p.States != nil {
			signal.limit = uint64(len(p.States) - 1)
			signal.id, err = w.vcd.DeclareStates(p.Path, p.States)
		} else {
			signal.id, err = w.vcd.Declare(p.Path, p.Bits)
		}
		if err == nil {
			w.vcd.Show(signal.id, form)
		}
		*list = append(*list, signal)
	}
	declare := func(list *[]watched, p hw.Probe, form vcd.Form) {
		if selected(p.Path) {
			add(list, p, form)
		}
	}
	of.boundary(func(p hw.Probe, form vcd.Form) { declare(&w.slot, p, form) })
	of.variables(func(p hw.Probe, form vcd.Form) { add(&w.slot, p, form) })
	of.hardware(func(p hw.Probe) { declare(&w.cycle, p, vcd.Form{}) })
	if of.routers != nil {
		of.routers.Groups(func(group int, p hw.Probe) {
			for len(w.groups) <= group {
				w.groups = append(w.groups, nil)
			}
			declare(&w.groups[group], p, vcd.Form{Decimal: p.Decimal})
		})
	}
	if err != nil {
		return nil, of.config.Source.Refuse("traces.vcd.signals", err.Error(), "select other signals")
	}
	for i, ok := range matched {
		if !ok {
			return nil,
				of.config.Source.Refuse(fmt.Sprintf("traces.vcd.signals[%d]", i),
					fmt.Sprintf("no signal matches %q", globs[i]), of.examples())
		}
	}
	return w, w.vcd.Begin()
}

// sample records the signals of a cycle. It is called between Settle and Latch.
func (w *waveform) sample(cycle uint64) error {
	if w.vcd.NeedsCycle(cycle) {
		if err := w.vcd.Cycle(cycle); err != nil {
			return err
		}
		if slot := int64(w.of.slot()); slot != w.sampled {
			w.sampled = slot
			w.set(w.slot)
		}
		w.set(w.cycle)
		if w.groups != nil {
			w.of.routers.Moved(func(group int) { w.set(w.groups[group]) })
		}
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

// boundary arms the trigger at the first violation. The cycle of the violation may be in the future, because a
// handler's violation at a boundary belongs to the beginning slot.
func (w *waveform) boundary(violations []outcome.Violation) {
	if !w.trigger || w.triggered {
		return
	}
	if i := slices.IndexFunc(violations, func(v outcome.Violation) bool { return v.Cycle >= w.of.begin }); i >= 0 {
		w.triggered, w.pending, w.at = true, true, violations[i].Cycle
	}
}

// close ends the waveform before cycle end. A violation detected at the end triggers at the last cycle.
func (w *waveform) close(violations []outcome.Violation, end uint64) error {
	w.boundary(violations)
	if w.pending && end > w.of.begin {
		if err := w.vcd.Trigger(min(w.at, end-1)); err != nil {
			return err
		}
	}
	return w.vcd.Close(end)
}

// note returns the reason why a waveform that ended before cycle end is empty, "" for other waveforms.
func (w *waveform) note(end uint64) string {
	if w.unshown != "" || !w.vcd.Empty() {
		return w.unshown
	}
	from := w.of.config.VCD.From
	switch {
	case end <= w.of.begin:
		return "shows nothing: the run took no cycle"
	case from >= end:
		return fmt.Sprintf("is empty: traces.vcd.from is %d, but the run ended with cycle %d", from, end-1)
	case w.trigger && !w.triggered:
		return "is empty: no rule was broken, so the trigger first_violation never occurred"
	case w.trigger:
		return fmt.Sprintf("is empty: the first violation, in cycle %d, is not between traces.vcd.from and to", w.at)
	}
	return "shows nothing"
}

type saveFile struct {
	vcd.SaveFile
	file   *traces.File
	struck []vcd.Marker // first strikes of faults that broke a rule, and send times of late packets
	surfer *traces.File
	main   string // marker at which both save files open, "" for the first marker
}

// openSaveFile opens the save file of a waveform, nil for none. The save file refers to the waveform by its base
// name. For writers, the names derive from the scenario's name.
func openSaveFile(scenario string, o Options, out *outputs.Set) (*saveFile, error) {
	if !o.VCD.Given() {
		if o.GTKW.Given() {
			return nil, input.Mistake("RecordOptions.GTKW", "a save file arranges a waveform, but no waveform is requested",
				"set VCD, too")
		}
		return nil, nil
	}
	to := o.VCD.Beside(o.GTKW, ".gtkw")
	file, err := out.Open("--vcd", "gtkw", to)
	vcdPath, savePath := o.VCD.Path, to.Path
	switch name := filepath.Base(scenario); {
	case vcdPath == "" && savePath == "":
		vcdPath, savePath = name+".vcd", name+".gtkw"
	case vcdPath == "":
		vcdPath = outputs.WithExtension(savePath, ".vcd")
	case savePath == "":
		savePath = outputs.WithExtension(vcdPath, ".gtkw")
	}
	if err != nil {
		return nil, err
	}
	surfer, err := out.Open("--vcd", "sucl", o.VCD.Beside(outputs.Output{}, ".sucl"))
	return &saveFile{SaveFile: vcd.SaveFile{Path: savePath, VCD: vcdPath}, file: file, surfer: surfer}, err
}

// write writes the save files. The slot and the signals of broken rules come first. Markers show violations and the
// first strikes of their faults, if the waveform covers these cycles. A violation detected at the end of the run is
// marked at the last cycle.
func (s *saveFile) write(of *shown, wave *vcd.Writer, violations []outcome.Violation, end uint64) error {
	s.Signals, s.First = wave.Signals(), slices.Clone(of.first)
	mark := func(marker vcd.Marker) {
		taken := slices.ContainsFunc(s.Markers, func(m vcd.Marker) bool { return m.Cycle == marker.Cycle })
		if !taken && wave.Shows(min(marker.Cycle, max(end, 1)-1)) {
			s.Markers = append(s.Markers, marker)
		}
	}
	for _, v := range violations {
		if v.Path != of.config.Network.Kind() && !slices.Contains(s.First, v.Path) { // the path names a part of the network
			s.First = append(s.First, v.Path)
		}
	}
	for _, fault := range s.struck {
		mark(fault)
	}
	for _, v := range violations {
		mark(vcd.Marker{Cycle: v.Cycle, Name: v.Rule})
	}
	slices.SortStableFunc(s.Markers, func(a, b vcd.Marker) int { return cmp.Compare(a.Cycle, b.Cycle) })
	s.Main = max(0, slices.IndexFunc(s.Markers, func(m vcd.Marker) bool { return m.Name == s.main }))
	if s.file != nil {
		if err := s.Write(s.file); err != nil {
			return err
		}
	}
	if s.surfer == nil {
		return nil
	}
	return s.WriteSurfer(s.surfer)
}
