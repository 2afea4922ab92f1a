package lockstep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/traces"
	"starloom/traces/vcd"
)

// Schema is the version of Report's JSON.
const Schema = 1

// Report says how Run ended. Its JSON is stable.
type Report struct {
	Schema     int             `json:"schema"`
	Map        string          `json:"map,omitempty"`
	Model      string          `json:"model"`
	Parameters twin.Parameters `json:"parameters"`
	Top        string          `json:"top"`
	Backend    string          `json:"backend"`
	Verdict    string          `json:"verdict"` // pass or fail
	Runs       int             `json:"runs"`
	Cycles     uint64          `json:"cycles"` // of all runs
	Divergence *Divergence     `json:"divergence,omitempty"`

	Extent

	// LongestStretch is the largest number of cycles compared without a reset between them:
	// what takes more of them to show was not looked for.
	LongestStretch uint64 `json:"longest_stretch_cycles"`

	// Warnings are those of Verilator or Icarus that bear on the verdict.
	Warnings []cosim.Warning `json:"warnings"`

	// Unexercised is what the inputs never did, in cycles without reset.
	Unexercised []Gap     `json:"unexercised"`
	Coverage    *Coverage `json:"-"`

	// Shown is a run: that of the divergence, or the first cycles of the first one.
	Shown *Waves `json:"-"`

	clocked bool
	ofRun   bool // the stimulus is that of a run
}

// Extent is what was compared, and on which inputs.
type Extent struct {
	// Inputs are cycles with inputs of their own; runs from another power-on state, of PowerOns,
	// repeat them.
	Inputs   uint64 `json:"input_cycles"`
	PowerOns uint64 `json:"power_on_states"`

	// Outputs of the model, how many of them were compared, and the others.
	Outputs  int      `json:"outputs"`
	Compared int      `json:"outputs_compared"`
	Absent   []string `json:"outputs_absent"`
}

// Divergence is the first difference between model and RTL.
type Divergence struct {
	Kind   string   `json:"kind"` // value, unknown, or that of a fault
	Text   string   `json:"text"`
	Cycle  uint64   `json:"cycle"` // of the case that is shown; of the run, if that is shown
	Signal string   `json:"signal,omitempty"`
	Pins   []string `json:"pins,omitempty"` // of the RTL
	Model  string   `json:"model,omitempty"`
	RTL    string   `json:"rtl,omitempty"`

	// BeforeRun: the stimulus is that of a run, and the RTL differs while the machine is reset,
	// before cycle 0. Cycles are those of the stimulus then.
	BeforeRun bool `json:"before_run,omitempty"`

	Found struct {
		Cycle    uint64 `json:"cycle"` // of the run, where its inputs are those of one
		Seed     uint64 `json:"seed"`
		PowerOn  uint64 `json:"power_on"`
		Directed bool   `json:"directed,omitempty"` // by a given stimulus
	} `json:"found"`
	Shrunk bool `json:"shrunk"`

	// Undefined: something survives a reset of the RTL. The run as it was found, from
	// its last reset on, was repeated with the same inputs after another Past, and the
	// RTL had other outputs. MissingReset: in one of them it agreed with the model.
	// ShortReset: there is no difference if the last reset is longer.
	Undefined    bool   `json:"undefined"`
	MissingReset bool   `json:"missing_reset"`
	ShortReset   bool   `json:"short_reset,omitempty"`
	Past         string `json:"past,omitempty"`

	// Printed is the end of what the RTL has printed.
	Printed string `json:"printed,omitempty"`
}

// Waves are cycles of model and RTL.
type Waves struct {
	Stimulus *Stimulus // from power-on; nil if it is too long to keep
	cycles   []uint64  // by sample
	end      bool      // Stimulus is only the end of the run
	ports    []cosim.Port
	absent   []bool
	fourWay  bool // the RTL knows X and Z
	failed   int  // port that differs, -1 for none
	fails    bool // the last sample is the divergence
	samples  []sample
}

// sample is one cycle, settled.
type sample struct{ inputs, model, rtl, unknown []uint64 }

// What is kept of a run.
const (
	shownCyclesMax = 10_000
	drawnCycles    = 16
	// drawnRowsAlways is how many signals are drawn, even if they do not change.
	drawnRowsAlways = 6
)

func newReport(m *pinmap.Map, model *twin.Model) *Report {
	r := &Report{
		Schema: Schema, Map: m.File, Model: m.Model, Parameters: m.Parameters,
		Top: m.Source.Top, Backend: m.Backend, Verdict: "pass",
		clocked: model.Clocked(),
	}
	if r.Backend == "" {
		r.Backend = cosim.BackendWasm
	}
	if m.Image != "" && r.Top == "" {
		r.Top = m.Image
	}
	return r
}

// countOutputs says what was compared; nothing if the RTL ended before its first cycle.
func (r *Report) countOutputs(l *pair) {
	r.Absent = []string{}
	for _, p := range l.model.Ports() {
		switch {
		case p.Input:
			continue
		case l.mask == nil:
		case l.mask[p.Word] != 0:
			r.Compared++
		default:
			r.Absent = append(r.Absent, p.Name)
		}
		r.Outputs++
	}
}

// comparedText is what a run compared: 1 of 2 outputs (index_o is absent).
func (r *Report) comparedText() string {
	text := fmt.Sprintf("%d of %s", r.Compared, cosim.Count(uint64(r.Outputs), "output"))
	switch len(r.Absent) {
	case 0:
		return text
	case 1:
		return fmt.Sprintf("%s (%s is absent)", text, r.Absent[0])
	}
	return fmt.Sprintf("%s (%s are absent)", text, strings.Join(r.Absent, ", "))
}

// inputsText is what it was compared on: 100,000 cycles of inputs, 3 times, each from another
// power-on state.
func (r *Report) inputsText() string {
	text := cosim.Count(r.Inputs, "cycle") + " of inputs"
	if r.PowerOns > 1 {
		text += fmt.Sprintf(", %d times, each from another power-on state", r.PowerOns)
	}
	return text
}

// show runs a case once more and keeps its cycles. stimulus is nil for
// the options' own.
func (l *pair) show(r *Report, f *finding, stimulus *Stimulus) error {
	next, length := l.stimulusOf(f.seed), min(l.options.Cycles, shownCyclesMax)
	if stimulus != nil {
		next, length = stimulus.drive(), uint64(stimulus.Cycles())
	} else if r.Divergence != nil {
		length = f.cycle + 1
	}
	waves := &Waves{ports: l.model.Ports(), failed: -1, fails: r.Divergence != nil, Stimulus: stimulus}
	first := length - min(length, shownCyclesMax) // of the samples
	keep := uint64(0)                             // first cycle of the stimulus that is kept
	if stimulus == nil {
		waves.Stimulus = newStimulus(l.model)
		if most := uint64(l.options.keptWords / len(l.model.Inputs())); length > most {
			keep, waves.end = length-most, true
		}
	}
	r.Shown = waves
	if waves.fails {
		waves.failed = f.port
	}
	exchanged := l.exchanged
	defer func() { l.exchanged, l.ending = exchanged, nil }()
	if r.Divergence != nil && !l.repeatable(f) {
		l.ending = &f.difference
	}
	if at, err := l.power(f.powerOn); err != nil || at != nil {
		waves.absent = make([]bool, len(waves.ports))
		if stimulus == nil && next(0, l.model.Inputs()) { // any inputs lead there
			waves.Stimulus.rows = append(waves.Stimulus.rows, l.model.Inputs()...)
			waves.Stimulus.mask()
		}
		return err
	}
	d := l.rtl.(*pinmap.Device)
	waves.absent, waves.fourWay = d.Absent(), d.Unknown() != nil
	limited := func(cycle uint64, inputs []uint64) bool { return cycle < length && next(cycle, inputs) }
	_, err := l.run(limited, func(cycle uint64, settled bool) {
		if stimulus == nil && cycle >= keep {
			waves.Stimulus.rows = append(waves.Stimulus.rows, l.model.Inputs()...)
		}
		if cycle >= first {
			sample := sample{
				slices.Clone(l.model.Inputs()), slices.Clone(l.wanted), slices.Clone(d.Outputs()), slices.Clone(d.Unknown()),
			}
			if !settled {
				waves.unsettle(&sample)
			}
			waves.samples = append(waves.samples, sample)
			waves.cycles = append(waves.cycles, cycle)
		}
	})
	if stimulus == nil {
		waves.Stimulus.mask()
		waves.number(l.options.Stimulus)
	}
	return err
}

// number gives samples the cycles of the run that a stimulus is from, and leaves out those before
// its cycle 0, unless it is there that model and RTL differ.
func (v *Waves) number(s *Stimulus) {
	if s == nil || s.cycles == nil {
		return
	}
	v.Stimulus.Place, v.Stimulus.cycles = s.Place, s.cycles[:v.Stimulus.Cycles()]
	if len(v.cycles) == 0 || s.cycleOf(v.cycles[len(v.cycles)-1]) == hw.CycleOfReset {
		return
	}
	from := 0
	for i, row := range v.cycles {
		if v.cycles[i] = s.cycleOf(row); v.cycles[i] == hw.CycleOfReset {
			from = i + 1
		}
	}
	v.cycles, v.samples = v.cycles[from:], v.samples[from:]
}

// unsettle makes the RTL's outputs of a cycle X: they have no values yet. Samples before
// it get the plane of unknown bits that two-valued RTL does not have.
func (v *Waves) unsettle(s *sample) {
	if !v.fourWay {
		v.fourWay = true
		for i := range v.samples {
			v.samples[i].unknown = make([]uint64, len(s.rtl))
		}
	}
	s.unknown = make([]uint64, len(s.rtl))
	for i := range s.rtl {
		s.rtl[i], s.unknown[i] = 0, ^uint64(0)
	}
}

// newDivergence says where a difference was found, in the cycles of the stimulus; nil is a random
// one.
func newDivergence(f *finding, s *Stimulus) *Divergence {
	d := &Divergence{Kind: f.kind, Cycle: f.cycle}
	if d.BeforeRun = s.cycleOf(f.cycle) == hw.CycleOfReset; !d.BeforeRun {
		d.Cycle = s.cycleOf(f.cycle)
	}
	d.Found.Cycle, d.Found.Seed, d.Found.PowerOn, d.Found.Directed = d.Cycle, f.seed, f.powerOn, s != nil
	return d
}

// explain shrinks what was found and says what it is.
func (l *pair) explain(r *Report, f *finding) error {
	d := r.Divergence
	d.Printed = l.printed()
	if err := l.show(r, f, nil); err != nil {
		return err
	}
	if l.repeatable(f) && !r.Shown.end {
		if err := l.findPast(d, f, r.Shown.Stimulus); err != nil {
			return err
		}
	}
	at, fault := f.difference, f.fault
	if l.repeatable(f) && !l.options.NoShrink && len(r.Shown.samples) > 0 {
		smallest, smaller, err := l.shrink(f, r.Shown.Stimulus)
		if err != nil {
			return err
		}
		d.Shrunk = smallest.Cycles() < r.Shown.Stimulus.Cycles() || smallest.ones() < r.Shown.Stimulus.ones()
		if d.Shrunk {
			if at = smaller; at.fault != nil {
				fault = at.fault
			}
			if err := l.show(r, &finding{at, f.seed, f.powerOn}, smallest); err != nil {
				return err
			}
		}
	}
	if r.Shown.end {
		r.Shown.Stimulus = nil // it does not lead there
	}
	if d.Shrunk { // no cycle of a run
		d.Cycle, d.BeforeRun = at.cycle, false
	}
	l.describe(r, d, at, fault)
	return nil
}

// printed is the end of what the RTL has printed.
func (l *pair) printed() string {
	if l.rtl == nil {
		return ""
	}
	const most = 2000
	text := l.rtl.(*pinmap.Device).Log()
	return text[max(0, len(text)-most):]
}

// repeatable reports whether a finding can be tried again: a hang costs the time limit in
// every trial, as oscillation does in Icarus.
func (l *pair) repeatable(f *finding) bool {
	switch cosim.FaultKind(f.kind) {
	case cosim.FaultHang, cosim.FaultDied:
		return false
	case cosim.FaultOscillation:
		return l.pinMap.Backend != cosim.BackendIcarus
	}
	return true
}

// describe puts the difference into words.
func (l *pair) describe(r *Report, d *Divergence, at difference, fault *cosim.Fault) {
	if at.port < 0 {
		d.Text = fmt.Sprintf("the RTL ends %s: %s", d.where(), at.kind)
		if fault != nil && fault.Text != "" {
			d.Text += ": " + fault.Text
		}
		return
	}
	p := r.Shown.ports[at.port]
	d.Signal, d.Pins = p.Name, l.pinMap.PinsOf(p.Name)
	last := r.Shown.samples[len(r.Shown.samples)-1]
	d.Model = labelOf(p, last.model, nil)
	d.RTL = labelOf(p, last.rtl, last.unknown)
	name := p.Name
	if pins := strings.Join(d.Pins, ", "); pins != "" && pins != name {
		name += " (" + pins + ")"
	}
	differs, model, rtl := "differs", d.Model, d.RTL
	if at.kind == DivergenceUnknown {
		differs = "is unknown"
	}
	where := d.where()
	if p.Bits > 64 { // too long to be compared by eye
		where += fmt.Sprintf(", first in bit %d", firstBit(p, last))
		model, rtl = brief(model), brief(rtl)
	}
	d.Text = fmt.Sprintf("%s %s %s: the model says %s, the RTL %s", name, differs, where, model, rtl)
}

// Compare orders differences in time: the power-on state first, then what is before cycle 0 of a
// run, then the cycle.
func (d *Divergence) Compare(other *Divergence) int {
	before := func(d *Divergence) int {
		if d.BeforeRun {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(d.Found.PowerOn, other.Found.PowerOn),
		cmp.Compare(before(d), before(other)),
		cmp.Compare(d.Found.Cycle, other.Found.Cycle))
}

// where says in which cycle of the case model and RTL differ.
func (d *Divergence) where() string {
	if d.BeforeRun {
		return fmt.Sprintf("in cycle %d of the reset before the run", d.Cycle)
	}
	return fmt.Sprintf("in cycle %d", d.Cycle)
}

// firstBit is the lowest bit of an output that differs or is unknown.
func firstBit(p cosim.Port, s sample) int {
	for w := range p.Words() {
		word := s.model[p.Word+w] ^ s.rtl[p.Word+w]
		if s.unknown != nil {
			word |= s.unknown[p.Word+w]
		}
		if word != 0 {
			return 64*w + bits.TrailingZeros64(word)
		}
	}
	return 0
}

// labelOf is the value of a port: hexadecimal, one bit as 0, 1, x or z.
func labelOf(p cosim.Port, values, unknown []uint64) string {
	value, plane := planesOf(p, values, unknown)
	return vcd.BitsValue(p.Bits, value, plane).Label()
}

// planesOf converts a device's planes (0 for X, 1 for Z) to those of a VCD (1 for x).
func planesOf(p cosim.Port, values, unknown []uint64) (value, plane []uint64) {
	value, plane = make([]uint64, p.Words()), make([]uint64, p.Words())
	copy(value, values[p.Word:][:p.Words()])
	if p.Bits%64 != 0 {
		value[len(value)-1] &= 1<<(p.Bits%64) - 1
	}
	if unknown != nil {
		copy(plane, unknown[p.Word:][:p.Words()])
		for i := range plane {
			value[i] ^= plane[i]
		}
	}
	return value, plane
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Title says in one line what was compared.
func (r *Report) Title() string {
	text := r.Model
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		text += fmt.Sprintf(" %s=%d", name, r.Parameters[name])
	}
	return fmt.Sprintf("%s on %s beside the model %s", r.Top, r.Backend, text)
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Title())
	d := r.Divergence
	if d == nil {
		fmt.Fprintf(&b, "pass: no difference found in %s: %s", r.comparedText(), r.inputsText())
		if r.clocked {
			fmt.Fprintf(&b, "; longest stretch without reset: %s", cosim.Count(r.LongestStretch, "cycle"))
		}
		r.writeReservations(&b)
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "fail: %s", d.Text)
	cosim.WriteWarnings(&b, r.Warnings, r.Backend)
	fmt.Fprintln(&b)
	if len(r.Shown.samples) > 0 {
		if err := r.Shown.draw(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	how := fmt.Sprintf("found in cycle %d with seed %d, power-on %d", d.Found.Cycle, d.Found.Seed, d.Found.PowerOn)
	if d.Found.Directed {
		of := "the stimulus"
		if r.ofRun && !d.BeforeRun {
			of = "the run"
		}
		how = fmt.Sprintf("found in cycle %d of %s, power-on %d", d.Found.Cycle, of, d.Found.PowerOn)
	}
	if d.Shrunk {
		shown := r.Shown.Stimulus
		how += fmt.Sprintf("; this case was made of it: %s, %s",
			cosim.Count(uint64(shown.Cycles()), "cycle"), cosim.Count(uint64(shown.ones()), "one"))
	}
	fmt.Fprintln(&b, how)
	if text := d.pastText(); text != "" {
		fmt.Fprintln(&b, text)
	}
	if d.Printed != "" {
		fmt.Fprintf(&b, "the RTL has printed:\n%s\n", strings.TrimRight(d.Printed, "\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeReservations ends the line of a verdict with what makes it worth less.
func (r *Report) writeReservations(w io.Writer) {
	cosim.WriteWarnings(w, r.Warnings, r.Backend)
	if len(r.Unexercised) > 0 {
		fmt.Fprintf(w, "inputs never exercised: %s\n", GapsText(r.Unexercised))
	}
}

// draw draws the last cycles: inputs, then outputs, of model and RTL where they differ. Of
// many ports only those that change are drawn.
func (v *Waves) draw(w io.Writer) error {
	from := max(0, len(v.samples)-drawnCycles)
	samples := v.samples[from:]
	columns := make([]uint64, len(samples))
	copy(columns, v.cycles[from:])
	var rows [2][]traces.WaveRow // inputs, outputs
	add := func(at int, p cosim.Port, name string, label func(s *sample) string) traces.WaveRow {
		row := traces.WaveRow{Name: name, Bits: p.Bits}
		for i := range samples {
			row.Values = append(row.Values, label(&samples[i]))
		}
		rows[at] = append(rows[at], row)
		return row
	}
	for i, p := range v.ports {
		switch {
		case p.Clock || v.absent[i]:
		case p.Input:
			add(0, p, p.Name, func(s *sample) string { return labelOf(p, s.inputs, nil) })
		default:
			model := add(1, p, "model."+p.Name, func(s *sample) string { return labelOf(p, s.model, nil) })
			rtl := add(1, p, "rtl."+p.Name, func(s *sample) string { return labelOf(p, s.rtl, s.unknown) })
			if slices.Equal(model.Values, rtl.Values) {
				rows[1] = rows[1][:len(rows[1])-1]
				rows[1][len(rows[1])-1].Name = p.Name
			}
		}
	}
	all, still := append(rows[0], rows[1]...), []string(nil)
	if len(all) > drawnRowsAlways {
		all = slices.DeleteFunc(all, func(row traces.WaveRow) bool {
			constant := !strings.Contains(row.Name, ".") && len(slices.Compact(slices.Clone(row.Values))) == 1
			if constant {
				still = append(still, row.Name+" "+brief(row.Values[0]))
			}
			return constant
		})
	}
	marked := -1
	if v.fails {
		marked = len(samples) - 1
	}
	err := traces.WriteWaves(w, "cycle", columns, all, marked)
	if err == nil && len(still) > 0 {
		_, err = fmt.Fprintf(w, "unchanged: %s\n", strings.Join(still, ", "))
	}
	return err
}

// brief is a label for running text.
func brief(label string) string {
	switch {
	case strings.Trim(label, "0") == "":
		return "0"
	case len(label) > 16:
		return label[:7] + ".." + label[len(label)-7:]
	}
	return label
}

// partName names bits of a port that is wider than a signal of a waveform.
func partName(port string, low, bits int) string {
	return fmt.Sprintf("%s_%d_%d", port, low+bits-1, low)
}

// WriteVCD writes the run as a waveform, one cycle a nanosecond: scope model and
// scope rtl have all ports by the model's names, the outputs of the model as they are
// compared; lockstep.differs is 1 in the cycle of the divergence. Bits that are X or
// Z are ones of NAME_unknown. It returns the save file that goes with it, without its two paths:
// the signal that differs comes first, with a marker where it does.
func (v *Waves) WriteVCD(w io.Writer, comments []string) (*vcd.SaveFile, error) {
	out, err := vcd.NewWriter(w, vcd.Options{Comments: comments})
	if err != nil {
		return nil, err
	}
	const differs = "lockstep.differs"
	save := &vcd.SaveFile{First: []string{differs}}
	var set []func(s *sample)
	declare := func(path string, port int, of func(s *sample) []uint64) {
		p := v.ports[port]
		for low := 0; low < p.Bits; low += 64 {
			width, name := min(64, p.Bits-low), path
			if p.Bits > 64 {
				name = partName(path, low, width)
			}
			id, declared := out.Declare(name, width)
			if declared != nil && err == nil {
				err = declared
			}
			if port == v.failed {
				save.First = append(save.First, name)
			}
			set = append(set, func(s *sample) { out.Set(id, hw.GetBits(of(s)[p.Word:], low, width)) })
		}
	}
	for _, side := range []struct {
		scope string
		of    func(s *sample) []uint64
	}{{"model.", func(s *sample) []uint64 { return s.model }}, {"rtl.", func(s *sample) []uint64 { return s.rtl }}} {
		for i, p := range v.ports {
			switch {
			case p.Clock || v.absent[i]:
			case p.Input:
				declare(side.scope+p.Name, i, func(s *sample) []uint64 { return s.inputs })
			default:
				declare(side.scope+p.Name, i, side.of)
				if v.fourWay && side.scope == "rtl." {
					declare(side.scope+p.Name+"_unknown", i, func(s *sample) []uint64 { return s.unknown })
				}
			}
		}
	}
	differ, declared := out.Declare(differs, 1)
	if err != nil || declared != nil {
		return nil, fmt.Errorf("the waveform of %s: %v%v", v.ports[0].Name, err, declared)
	}
	if err := out.Begin(); err != nil {
		return nil, err
	}
	for i := range v.samples {
		if err := out.Cycle(v.cycles[i]); err != nil {
			return nil, err
		}
		for _, f := range set {
			f(&v.samples[i])
		}
		if v.fails && i == len(v.samples)-1 {
			out.Set(differ, 1)
			save.Markers = []vcd.Marker{{Cycle: v.cycles[i], Name: "differs"}}
		}
	}
	end := uint64(0)
	if n := len(v.cycles); n > 0 {
		end = v.cycles[n-1] + 1
	}
	save.Signals = out.Signals()
	return save, out.Close(end)
}
