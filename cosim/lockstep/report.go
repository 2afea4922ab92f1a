package lockstep

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/coverage"
	"starloom/cosim/flatten"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/traces"
	"starloom/traces/input"
)

// hintCycles is the number of random cycles in which model and RTL must agree before a changed map is suggested.
const hintCycles = 2_000

// Schema is the version of Report's JSON.
const Schema = 1

// Report is the result of Run. Its JSON form is stable.
type Report struct {
	Schema     int             `json:"schema"`
	Map        string          `json:"map,omitempty"`
	Model      string          `json:"model"`
	Parameters twin.Parameters `json:"parameters"`
	Top        string          `json:"top"`
	Backend    string          `json:"backend"`
	Verdict    string          `json:"verdict"`
	Runs       int             `json:"runs"`
	Cycles     uint64          `json:"cycles"`

	Divergence *Divergence `json:"divergence,omitempty"`

	Extent

	// LongestStretch is the longest run of compared cycles without a reset. Bugs that need a longer run stay
	// undetected.
	LongestStretch uint64 `json:"longest_stretch_cycles"`

	Explored []Exploration `json:"explored,omitempty"`

	// Warnings are tool warnings of Verilator or Icarus that affect the verdict.
	Warnings []cosim.Warning `json:"warnings"`

	// Bounds are the ranges that joins and functions of the map allow for inputs: give_i is [0, credit].
	Bounds []string `json:"bounds,omitempty"`

	// Unexercised lists values and events of inputs that did not occur in any cycle without reset.
	Unexercised []Gap `json:"unexercised"`

	Covers

	Drawn

	clocked bool
	ofRun   bool // the stimulus was recorded from a run
}

// Drawn is material for texts and pages that is not part of the JSON.
type Drawn struct {
	// Shown is the run with the divergence, or the end of the first run.
	Shown *Waves `json:"-"`

	Does  string   `json:"-"` // the model, in one line
	Files []string `json:"-"` // files of the RTL, as named in the map
}

// Covers holds the provenance, and coverage of RTL and model. Covered is nil unless Options.Coverage is set.
type Covers struct {
	Provenance      *traces.Provenance `json:"provenance,omitempty"`
	Coverage        *Coverage          `json:"-"`
	Covered         *coverage.Coverage `json:"-"`
	CoverageSummary *coverage.Summary  `json:"coverage,omitempty"`
}

// Extent describes the compared outputs and the tested inputs.
type Extent struct {
	// Inputs counts cycles with distinct inputs. These inputs are repeated from each of the PowerOns states.
	Inputs   uint64 `json:"input_cycles"`
	PowerOns uint64 `json:"power_on_states"`

	// Outputs and Compared count outputs of the model. Absent lists outputs omitted in the map.
	Outputs  int      `json:"outputs"`
	Compared int      `json:"outputs_compared"`
	Absent   []string `json:"outputs_absent"`

	// Unread lists outputs of the RTL that the map does not use.
	Unread []string `json:"rtl_outputs_not_looked_at,omitempty"`

	// Tied lists inputs of the RTL that the map holds constant, such as "scan is 0". No other value was tried.
	Tied []string `json:"rtl_inputs_tied,omitempty"`

	// Left lists outputs that the model leaves to the RTL within bounds.
	Left []string `json:"outputs_left_to_the_rtl,omitempty"`

	// ModelChecks counts $fatal and similar checks of a model that is RTL. No check of the model is made.
	ModelChecks int `json:"model_checks_not_made,omitempty"`

	// Assertions states the evaluation of assertions of the RTL that are goals of a proof; "" for no goals.
	Assertions string `json:"assertions,omitempty"`

	// Uncounted lists outputs whose condition never held in a run. Compared excludes them.
	Uncounted []string `json:"outputs_never_counted,omitempty"`

	// Open lists bits of outputs that were X in all cycles in a model that is RTL, and so were never compared.
	Open []string `json:"outputs_always_x,omitempty"`

	Contract *Contract `json:"contract,omitempty"`

	// Second is the result of running passing RTL in Icarus Verilog, on inputs guided to the RTL's branches or on
	// random inputs. It is nil if Icarus cannot read the RTL, or if the result of Icarus differs.
	Second *flatten.Second `json:"second_reader,omitempty"`

	// Third is the result of comparing passing RTL with slang's reading; nil if not requested, or if slang differs.
	Third *flatten.Third `json:"third_reader,omitempty"`
}

// Exploration is the progress of the exploration of one seed.
type Exploration struct {
	Seed    uint64 `json:"seed"`
	Cycles  uint64 `json:"cycles"`
	Shown   int    `json:"shown"`          // values, pairs of events and declared events
	New     int    `json:"new"`            // number of items in Shown that earlier seeds did not show
	LastNew uint64 `json:"last_new_cycle"` // last cycle in which something new appeared
	Places  int    `json:"places"`         // saved states that later phases can start from
	RunUps  uint64 `json:"run_up_cycles"`
	Deep    uint64 `json:"deep_cycles"` // cycles spent on passes and bursts, long after a reset
}

func (r *Report) addExploration(seed uint64, e *explorer, earlier *novelty) {
	b := &e.budget
	r.Explored = append(r.Explored, Exploration{
		Seed: seed, Cycles: b.spent, Shown: e.novelty.count(), LastNew: b.lastNew, Places: len(e.corpus) + len(e.marks),
		RunUps: b.runUps, Deep: b.deep, New: e.novelty.beyond(earlier),
	})
	r.Cycles = e.exchanged
	r.LongestStretch = max(r.LongestStretch, e.longest)
}

// Divergence is the first difference between model and RTL.
type Divergence struct {
	Kind   string   `json:"kind"` // value, unknown, limit, or the kind of a fault
	Text   string   `json:"text"`
	Cycle  uint64   `json:"cycle"` // cycle of the shown case, or of the run if the run is shown
	Signal string   `json:"signal,omitempty"`
	Pins   []string `json:"pins,omitempty"`
	Model  string   `json:"model,omitempty"`
	RTL    string   `json:"rtl,omitempty"`
	Place  string   `json:"place,omitempty"` // part of the model whose outputs differ: ports and VCs of a router

	// BeforeRun means that the RTL differs in the reset before cycle 0 of a recorded run. Cycle is then a cycle of
	// the stimulus.
	BeforeRun bool `json:"before_run,omitempty"`

	Found struct {
		// cycle of the recorded run if there is one, otherwise of the run that showed the difference
		Cycle    uint64 `json:"cycle"`
		Seed     uint64 `json:"seed"`
		PowerOn  uint64 `json:"power_on"`
		Directed bool   `json:"directed,omitempty"` // a given stimulus showed the difference
		Explored bool   `json:"explored,omitempty"`
		OfRun    int    `json:"of_run,omitempty"` // number of leading cycles taken from a recorded run
	} `json:"found"`
	Shrunk bool `json:"shrunk"`

	Survivors

	// Hint is a change of the map with which the RTL agrees: reset: {pin: rst_n, active: low}.
	Hint string `json:"hint,omitempty"`

	// Alone is set if Icarus Verilog, with its independent parser, shows no difference on the same inputs.
	Alone bool `json:"alone,omitempty"`

	// Printed is the tail of the RTL's output.
	Printed string `json:"printed,omitempty"`
}

func newReport(m *pinmap.Map, model *twin.Model) *Report {
	r := &Report{
		Schema: Schema, Map: m.File, Model: m.Model, Parameters: m.Parameters,
		Top: m.Source.Top, Backend: m.Backend, Verdict: "pass",
		clocked: model.Clocked(), Drawn: Drawn{Files: m.Source.Files},
	}
	if t, err := m.Twin(); err == nil && (t.Given != nil || slices.ContainsFunc(twin.All(), func(o twin.Twin) bool {
		return o.Name == t.Name
	})) {
		r.Does = t.Does
	}
	r.Left, r.Tied = model.Left(), m.Tied()
	if g := m.Given(); g != nil {
		r.ModelChecks = g.Shape.Checks
	}
	if r.Backend == "" {
		r.Backend = cosim.BackendWasm
	}
	r.Assertions = m.AssertionsText()
	if m.Image != "" && r.Top == "" {
		r.Top = m.Image
	}
	return r
}

func (r *Report) countOutputs(l *pair) {
	r.Absent = []string{}
	if d, ok := l.rtl.(*pinmap.Device); ok {
		r.Unread, r.Tied = d.Unread(), d.Tied()
	}
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

func (r *Report) take(c *contract) {
	if c != nil {
		r.Contract = &c.is
	}
}

// uncounted removes outputs whose condition never held from Compared. Only a recorded run may have such outputs, and
// at least one output must remain.
func (r *Report) uncounted(c *contract) error {
	if c == nil || c.is.Cycles == 0 {
		return nil
	}
	names := c.never()
	if len(names) > 0 && (!r.ofRun || len(names) == r.Compared) {
		return c.neverCompared(names[0])
	}
	r.Uncounted, r.Compared = names, r.Compared-len(names)
	return nil
}

// ComparedText counts the compared outputs: 1 of 2 outputs (index_o is absent).
func (r *Report) ComparedText() string {
	text := fmt.Sprintf("%d of %s", r.Compared, cosim.Count(uint64(r.Outputs), "output"))
	var others []string
	for _, of := range []struct {
		names     []string
		one, many string
	}{{r.Absent, "is absent", "are absent"}, {r.Uncounted, "never counted", "never counted"}} {
		switch len(of.names) {
		case 0:
		case 1:
			others = append(others, of.names[0]+" "+of.one)
		default:
			others = append(others, strings.Join(of.names, ", ")+" "+of.many)
		}
	}
	if len(others) > 0 {
		text += fmt.Sprintf(" (%s)", strings.Join(others, "; "))
	}
	return text + pinmap.UnreadText(r.Unread)
}

func (r *Report) bound(l *pair) error {
	d, ok := l.rtl.(*pinmap.Device)
	if !ok || len(d.Limits) == 0 {
		return nil
	}
	r.Bounds = d.Bounds()
	s := l.options.Stimulus
	if s == nil {
		return nil
	}
	for cycle := range s.Cycles() {
		row := s.row(cycle)
		if l.model.Clocked() && row[l.model.ResetWord()]&1 != 0 {
			continue
		}
		if limit := d.BrokenBy(row); limit != nil {
			p := d.Ports()[limit.Port]
			return &cosim.InputError{
				Place: s.Place,
				Reason: fmt.Sprintf("%s is %#x in cycle %d, but the map states %s", p.Name,
					numberOf(row[p.Word:][:p.Words()]), cycle, limit.Text),
				Remedy: "give the RTL a pin for the whole value, or keep the inputs within the limits of the map",
			}
		}
	}
	return nil
}

// InputsText counts the input cycles: 100,000 cycles of inputs, 3 times, each time from a different power-on state.
func (r *Report) InputsText() string {
	text := cosim.Count(r.Inputs, "cycle") + " of inputs"
	if r.PowerOns > 1 {
		text += fmt.Sprintf(", %d times, each from a different power-on state", r.PowerOns)
	}
	return text
}

// ExploredCycles returns the explored cycles of all seeds.
func (r *Report) ExploredCycles() (cycles uint64) {
	for _, e := range r.Explored {
		cycles += e.Cycles
	}
	return cycles
}

// ExploredText summarises exploration, "" for none. An example is: then 800,000 cycles guided by coverage of the
// model, which stopped growing after 512,345 cycles.
func (r *Report) ExploredText() string {
	cycles, before, last := r.ExploredCycles(), uint64(0), uint64(0)
	for _, e := range r.Explored {
		if e.LastNew > 0 {
			last = before + e.LastNew
		}
		before += e.Cycles
	}
	if cycles == 0 {
		return ""
	}
	return fmt.Sprintf(", then %s guided by coverage of the model, which stopped growing after %s",
		cosim.Count(cycles, "cycle"), cosim.Count(last, "cycle"))
}

func newDivergence(f *finding, s *Stimulus) *Divergence {
	d := &Divergence{Kind: f.kind, Cycle: f.cycle}
	if f.way != nil {
		begin := f.way
		for ; begin.from != nil; begin = begin.from {
		}
		s, d.Found.Explored, d.Found.OfRun = nil, true, begin.rows
	}
	if d.BeforeRun = s.cycleOf(f.cycle) == hw.CycleOfReset; !d.BeforeRun {
		d.Cycle = s.cycleOf(f.cycle)
	}
	d.Found.Cycle, d.Found.Seed, d.Found.PowerOn, d.Found.Directed = d.Cycle, f.seed, f.powerOn, s != nil
	return d
}

// Compare orders divergences by the time of their detection. Scheduled or given inputs precede exploration; then the
// power-on state, the reset before a run and the cycle decide, in this order.
func (d *Divergence) Compare(other *Divergence) int {
	number := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(number(d.Found.Explored), number(other.Found.Explored)),
		cmp.Compare(d.Found.PowerOn, other.Found.PowerOn),
		cmp.Compare(number(other.BeforeRun), number(d.BeforeRun)),
		cmp.Compare(d.Found.Cycle, other.Found.Cycle))
}

func (d *Divergence) where() string {
	if d.BeforeRun {
		return fmt.Sprintf("in cycle %d of the reset before the run", d.Cycle)
	}
	return fmt.Sprintf("in cycle %d", d.Cycle)
}

func (r *Report) WriteJSON(w io.Writer) error {
	return input.WriteJSON(w, r)
}

// Title names RTL, backend, model and parameters in one line.
func (r *Report) Title() string {
	text := r.Model
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		text += fmt.Sprintf(" %s=%d", name, r.Parameters[name])
	}
	return fmt.Sprintf("%s on %s beside the model %s", r.Top, r.Backend, text)
}

// WriteText writes the report as plain text.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Title())
	d := r.Divergence
	if d == nil {
		fmt.Fprintf(&b, "pass: no difference found in %s: %s%s", r.ComparedText(), r.InputsText(), r.ExploredText())
		if r.clocked {
			fmt.Fprintf(&b, "; longest stretch without reset: %s", cosim.Count(r.LongestStretch, "cycle"))
		}
		r.writeReservations(&b)
		r.writeCoverage(&b)
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "fail: %s", d.Text)
	cosim.WriteWarnings(&b, r.Warnings)
	fmt.Fprintln(&b)
	if len(r.Shown.samples) > 0 {
		if err := r.Shown.draw(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	for _, line := range r.HowFound() {
		fmt.Fprintln(&b, line)
	}
	r.writeCoverage(&b)
	if d.Printed != "" {
		fmt.Fprintf(&b, "the RTL has printed:\n%s\n", strings.TrimRight(d.Printed, "\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MergeCoverage replaces the coverage of r by the merged coverage of several reports.
func (r *Report) MergeCoverage(of []*Report) {
	if r.Covered == nil {
		return
	}
	r.Covered = &coverage.Coverage{}
	for _, other := range of {
		r.Covered.Merge(other.Covered)
	}
	r.summarise()
}

// CheckExclusions returns an *input.Error for an exclusion of the coverage without a point.
func (r *Report) CheckExclusions() error {
	if r.Covered == nil {
		return nil
	}
	return r.Covered.CheckExclusions()
}

func (r *Report) summarise() {
	if r.Covered != nil {
		s := r.Covered.Summary()
		r.CoverageSummary = &s
	}
}

func (r *Report) writeCoverage(w io.Writer) {
	if r.CoverageSummary == nil {
		return
	}
	fmt.Fprintln(w, r.CoverageSummary.Text())
	if text := r.CoverageSummary.UncoveredText(); text != "" {
		fmt.Fprintln(w, text)
	}
}

// Replay returns the options, each with a leading space, that `cosim check --stimulus` needs to reproduce the case.
func (r *Report) Replay() (options string) {
	if r.Backend == cosim.BackendIcarus {
		options += " --backend " + r.Backend
	}
	if d := r.Divergence; d != nil && d.Found.PowerOn > PowerOnDefault {
		options += fmt.Sprintf(" --reset-seeds %d", d.Found.PowerOn)
	}
	return options
}

// HowFound describes the run that found the divergence, its contract, cause and hint, one line each.
func (r *Report) HowFound() (lines []string) {
	d := r.Divergence
	how := fmt.Sprintf("found in cycle %d with seed %d, power-on %d", d.Found.Cycle, d.Found.Seed, d.Found.PowerOn)
	if d.Found.OfRun > 0 {
		how = fmt.Sprintf("found by random inputs from a state that the run reached after %s, in cycle %d from there, "+
			"with seed %d",
			cosim.Count(uint64(d.Found.OfRun), "cycle"), int(d.Found.Cycle)+1-d.Found.OfRun, d.Found.Seed)
	}
	if d.Found.Directed {
		of := "the stimulus"
		if r.ofRun && !d.BeforeRun {
			of = "the run"
		}
		how = fmt.Sprintf("found in cycle %d of %s, power-on %d", d.Found.Cycle, of, d.Found.PowerOn)
	}
	if d.Shrunk {
		shown := r.Shown.Stimulus
		how += fmt.Sprintf("; shortened to %s with %s in the inputs",
			cosim.Count(uint64(shown.Cycles()), "cycle"), cosim.Count(uint64(shown.ones()), "one"))
	}
	lines = append([]string{how}, r.Contract.Lines()...)
	if text := d.Survivors.text(d.Signal == ""); text != "" {
		lines = append(lines, text)
	}
	if d.Hint != "" {
		lines = append(lines, fmt.Sprintf("is the map right? with %s the RTL does not differ in %s of random inputs", d.Hint,
			cosim.Count(hintCycles, "cycle")))
	}
	if d.Alone {
		lines = append(lines,
			"Icarus Verilog, which reads the RTL independently, shows no difference with these inputs: one simulator "+
				"misreads the RTL")
	}
	return lines
}

// ModelChecksText states that checks of a model that is RTL were not made.
func ModelChecksText(checks int) string {
	return fmt.Sprintf("not examined: %s of the model itself ($fatal and similar checks)",
		cosim.Count(uint64(checks), "check"))
}

func (r *Report) writeReservations(w io.Writer) {
	cosim.WriteWarnings(w, r.Warnings)
	if r.Second != nil {
		fmt.Fprintln(w, r.Second.Text())
	}
	if r.Third != nil {
		fmt.Fprintln(w, r.Third.Text())
	}
	if len(r.Tied) > 0 {
		fmt.Fprintln(w, pinmap.TiedText(r.Tied))
	}
	if len(r.Bounds) > 0 {
		fmt.Fprintf(w, "inputs kept within the limits of the map: %s\n", strings.Join(r.Bounds, "; "))
	}
	if len(r.Left) > 0 {
		fmt.Fprintf(w, "left to the RTL, within the freedom of %s: %s\n", r.Model, strings.Join(r.Left, ", "))
	}
	for _, line := range r.Contract.Lines() {
		fmt.Fprintln(w, line)
	}
	if r.Assertions != "" {
		fmt.Fprintln(w, r.Assertions)
	}
	if r.ModelChecks > 0 {
		fmt.Fprintln(w, ModelChecksText(r.ModelChecks))
	}
	if len(r.Open) > 0 {
		fmt.Fprintf(w, "never compared, since X in the model in all cycles: %s\n", strings.Join(r.Open, ", "))
	}
	if len(r.Unexercised) > 0 {
		fmt.Fprintf(w, "inputs never exercised: %s\n", GapsText(r.Unexercised))
	}
}
