package prove

import (
	"fmt"
	"io"
	"strings"
	"time"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/traces"
	"starloom/traces/input"
)

const (
	Equal     = "equal"     // proved
	Differs   = "differs"   // lockstep shows a difference
	Bounded   = "bounded"   // equal for a number of cycles after the first reset
	Undecided = "undecided" // see Reason
	GoalsOnly = "goals"     // nothing was compared: see Goals
)

// Report is the result of Run.
type Report struct {
	Schema     int             `json:"schema"`
	Map        string          `json:"map,omitempty"`
	Model      string          `json:"model"`
	ModelRTL   *ModelRTL       `json:"model_rtl,omitempty"` // nil unless the model is RTL
	Parameters twin.Parameters `json:"parameters"`
	Top        string          `json:"top"`
	Values     []string        `json:"values,omitempty"` // RTL parameters derived from the model's: D=4
	Verdict    string          `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	FoundBy    string          `json:"found_by,omitempty"`

	Provenance *traces.Provenance `json:"provenance,omitempty"`

	Scope
	Basis

	Depth int              `json:"depth_cycles"` // cycles from power-on without a difference, if not all bits are proved
	Case  *lockstep.Report `json:"case,omitempty"`
	Goals []*Goal          `json:"goals,omitempty"`
	Took  time.Duration    `json:"-"`
	Late  bool             `json:"-"` // the verdict is undecided because of the time limit
}

// ModelRTL is a model that is RTL.
type ModelRTL struct {
	Source string         `json:"source"` // old.sv: fifo
	Second flatten.Second `json:"second_reader"`

	Dropped []string `json:"dropped"` // parts of the model that the print omits
	Checks  int      `json:"checks"`  // $fatal and similar checks of the model, which a proof ignores
}

// Scope is the range of validity of a verdict.
type Scope struct {
	Outputs    int      `json:"outputs"`
	Compared   int      `json:"outputs_compared"`
	Absent     []string `json:"outputs_absent"`
	Unread     []string `json:"rtl_outputs_not_looked_at,omitempty"` // outputs that the map does not use
	Bits       int      `json:"bits"`
	BitsProved int      `json:"bits_proved"`
	Assumed    []string `json:"assumed"` // assumptions of the map about inputs
	Tied       []string `json:"rtl_inputs_tied,omitempty"`
	Checks     int      `json:"rtl_checks"`  // $fatal and similar checks of the RTL, which a proof ignores
	Dropped    []string `json:"rtl_dropped"` // parts of the RTL that the print omits

	Warnings []cosim.Warning `json:"warnings"`

	NoReset      bool   `json:"no_reset,omitempty"`     // the RTL has no reset; only the model's first reset counts
	ResetCycles  int    `json:"reset_cycles,omitempty"` // number of cycles between that reset and the first comparison
	KeepsInitial bool   `json:"keeps_initial_values"`   // registers start at the values declared in the RTL
	RuleBroken   string `json:"rule_broken,omitempty"`  // rule of neighbours; the RTL was refuted without it
}

// Basis is the evidence for a verdict.
type Basis struct {
	Front   string         `json:"front_end"` // reader of the RTL
	Second  flatten.Second `json:"second_reader"`
	Third   *flatten.Third `json:"third_reader,omitempty"` // nil if not requested
	Engines map[string]int `json:"engines"`
	Cached  bool           `json:"cached"` // the verdict on this miter was cached
	Tools   []string       `json:"tools"`
	Mutants int            `json:"twin_mutants"` // mutants of the twin, all detected by lockstep

	AgreeCycles uint64 `json:"agree_cycles"` // number of random cycles in which the miter was compared with model and RTL
	AgreeBits   uint64 `json:"agree_bits"`

	commands []string
	only     bool // goals: only
}

func newReport(m *pinmap.Map) *Report {
	mutants := 0
	if t, err := m.Twin(); err == nil {
		mutants = len(t.Mutants)
	}
	var rtl *ModelRTL
	only := m.Goals != nil && m.Goals.Only
	if g := m.Given(); g != nil && !only {
		rtl = &ModelRTL{Source: g.Source.Name()}
	}
	return &Report{
		Schema: 1, Map: m.File, Model: m.Model, ModelRTL: rtl,
		Parameters: m.Parameters, Top: m.Source.Top, Verdict: Undecided,
		Scope: Scope{Absent: []string{}, Tied: m.Tied(), Warnings: []cosim.Warning{},
			NoReset: m.KeepsState(), ResetCycles: m.Timing.ResetCycles},
		Basis: Basis{Engines: map[string]int{}, Mutants: mutants, only: only},
	}
}

func (r *Report) count(w *pinmap.Wires) {
	r.Unread, r.Tied = w.Unread(), w.Tied()
	for i, p := range w.Model {
		switch {
		case p.Input:
			continue
		case w.Absent[i]:
			r.Absent = append(r.Absent, p.Name)
		default:
			r.Compared++
			r.Bits += p.Bits
		}
		r.Outputs++
	}
}

func (r *Report) neighbours() string {
	return fmt.Sprintf("inputs that neighbours of %s may send; with other inputs the RTL is refuted "+
		"(%s)", r.Model, r.RuleBroken)
}

func (r *Report) undecided(reason string) { r.Verdict, r.Reason = Undecided, reason }

func (r *Report) differs(found *lockstep.Report, by string) {
	r.Verdict, r.Case, r.FoundBy = Differs, found, by
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	return input.WriteJSON(w, r)
}

// Title names both sides in one line.
func (r *Report) Title() string {
	text := r.Model
	for _, name := range sortedKeys(r.Parameters) {
		text += fmt.Sprintf(" %s=%d", name, r.Parameters[name])
	}
	own := strings.Join(append([]string{r.Top}, r.Values...), " ")
	if r.only {
		return "assertions of " + own
	}
	if r.ModelRTL != nil {
		return fmt.Sprintf("%s against %s (%s)", own, text, r.ModelRTL.Source)
	}
	return fmt.Sprintf("%s against the twin of %s", own, text)
}

// WriteText writes the report as plain text.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Title())
	switch r.Verdict {
	case Equal:
		resets, when := "all later resets and ", "in every cycle after\na reset in which reset is inactive"
		if r.NoReset {
			resets, when = "", "in every cycle\nafter"
			if r.ResetCycles > 0 {
				when = fmt.Sprintf("from %s on\nafter", cosim.Count(uint64(r.ResetCycles), "cycle"))
			}
			when += " the first reset of the model; the RTL has no reset, and later resets were not examined"
		}
		fmt.Fprintf(&b, "equal: %s, for all inputs, %s%s, %s\n", r.ComparedText(), resets, map[bool]string{
			false: "all values of registers at power-on", true: "the values at power-on that the RTL declares",
		}[r.KeepsInitial], when)
	case Bounded:
		fmt.Fprintf(&b, "equal up to %s after the first reset: %s, for all inputs; later cycles are not proved\n",
			cosim.Count(uint64(r.Depth), "cycle"), r.ComparedText())
	case Undecided:
		fmt.Fprintf(&b, "undecided: %s\n", r.Reason)
		if r.Depth > 0 {
			fmt.Fprintf(&b, "no difference in the first %s after a reset at power-on\n", cosim.Count(uint64(r.Depth), "cycle"))
		}
	case Differs:
		fmt.Fprintf(&b, "differs: found by %s; in lockstep:\n", r.FoundBy)
		if err := r.Case.WriteText(&b); err != nil {
			return err
		}
	}
	for _, line := range r.GoalLines() {
		fmt.Fprintln(&b, line)
	}
	for _, line := range r.Reservations() {
		fmt.Fprintln(&b, "  "+line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Sentence returns the verdict as a sentence.
func (r *Report) Sentence() string {
	if r.Verdict == GoalsOnly {
		return r.GoalsSentence()
	}
	of := "the twin of the model"
	if r.ModelRTL != nil {
		of = "its model"
	}
	switch r.Verdict {
	case Equal:
		return "Proved equal to " + of + " for all inputs, in all cycles after a reset."
	case Bounded:
		return fmt.Sprintf("Proved equal to %s up to %s after the first reset.", of,
			cosim.Count(uint64(r.Depth), "cycle"))
	case Differs:
		return fmt.Sprintf("The RTL differs from its model in cycle %d; found by %s.", r.Case.Divergence.Cycle, r.FoundBy)
	}
	return "Not proved, and not refuted: " + r.Reason + "."
}

// ComparedText counts compared outputs and bits: 1 of 2 outputs (index_o is absent), 4 bits.
func (r *Report) ComparedText() string {
	text := fmt.Sprintf("%d of %s", r.Compared, cosim.Count(uint64(r.Outputs), "output"))
	if len(r.Absent) > 0 {
		text += fmt.Sprintf(" (not compared: %s)", strings.Join(r.Absent, ", "))
	}
	return text + ", " + cosim.Count(uint64(r.Bits), "bit") + pinmap.UnreadText(r.Unread)
}

// taken lists assumptions, and parts of the RTL that the proof does not examine.
func (r *Report) taken() (lines []string) {
	for _, text := range r.Assumed {
		lines = append(lines, "assumed: "+text)
	}
	if len(r.Tied) > 0 {
		lines = append(lines, pinmap.TiedText(r.Tied))
	}
	for _, text := range cosim.WarningLines(r.Warnings) {
		lines = append(lines, "warning: "+text)
	}
	if r.Checks > 0 {
		lines = append(lines,
			fmt.Sprintf("not examined: %s of the RTL itself ($fatal and similar checks)",
				cosim.Count(uint64(r.Checks), "check")))
	}
	for _, text := range r.Dropped {
		lines = append(lines, "not in the proof: "+text)
	}
	return lines
}

// Reservations lists the conditions of a proof and the tools on which it depends. It returns nil for other verdicts.
func (r *Report) Reservations() (lines []string) {
	if r.Verdict == GoalsOnly {
		return r.goalReservations()
	}
	if r.Verdict != Equal && r.Verdict != Bounded {
		return nil
	}
	lines = append(lines, "holds for these parameters, one clock, two states: X and undriven nets may have any value "+
		"in every cycle")
	if r.KeepsInitial {
		lines = append(lines, "registers begin with the values that the RTL declares: with other values the RTL differs, "+
			"as a "+
			"chip without such values may")
	}
	lines = append(lines, r.taken()...)
	lines = append(lines, r.twinLines()...)
	how := "decided by " + r.enginesText()
	if r.Cached {
		how += " in an earlier run"
	}
	how += "; the miter was simulated beside model and RTL"
	if r.Verdict == Equal {
		how += ", and refuted with a bit inverted"
	}
	return append(append(lines, how+"; RTL read by "+r.Front), r.readers()...)
}

// readers returns the lines about other readers of the RTL and about the tools.
func (r *Basis) readers() []string {
	lines := []string{r.Second.Text()}
	if r.Third != nil {
		lines = append(lines, r.Third.Text())
	}
	return append(lines, strings.Join(r.Tools, ", "))
}

func (r *Report) twinLines() []string {
	if r.ModelRTL != nil {
		var dropped []string
		for _, text := range r.ModelRTL.Dropped {
			dropped = append(dropped, "not in the model: "+text)
		}
		if r.ModelRTL.Checks > 0 {
			dropped = append(dropped, lockstep.ModelChecksText(r.ModelRTL.Checks))
		}
		return append(dropped,
			"not compared: a bit of an output in the cycles in which it is X in the model: of a register before its first "+
				"value, of an undriven net, of an index beyond the end",
			fmt.Sprintf("the model is RTL, read by %s; here it agreed with the miter in %s of random inputs", r.Front,
				cosim.Count(r.AgreeCycles, "cycle")),
			"the model: "+r.ModelRTL.Second.Text())
	}
	return []string{fmt.Sprintf("equal to the twin, Starloom's Verilog of the model: here both agreed in %s of "+
		"random inputs; %s planted in the twin "+
		"are found by lockstep", cosim.Count(r.AgreeCycles, "cycle"), cosim.Count(uint64(r.Mutants), "mistake"))}
}

func (r *Report) enginesText() string {
	var all []string
	for _, name := range sortedKeys(r.Engines) {
		all = append(all, fmt.Sprintf("%s (%s)", name, cosim.Count(uint64(r.Engines[name]), "bit")))
	}
	if len(all) == 0 {
		return "bmc3"
	}
	return strings.Join(all, ", ")
}
