package prove

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// Verdicts.
const (
	Equal     = "equal"
	Differs   = "differs"
	Undecided = "undecided"
)

// Report says how a proof has ended.
type Report struct {
	Schema     int             `json:"schema"`
	Map        string          `json:"map,omitempty"`
	Model      string          `json:"model"`
	Parameters twin.Parameters `json:"parameters"`
	Top        string          `json:"top"`
	Verdict    string          `json:"verdict"`
	Reason     string          `json:"reason,omitempty"` // why it is undecided
	FoundBy    string          `json:"found_by,omitempty"`

	Outputs      int      `json:"outputs"`
	Compared     int      `json:"outputs_compared"`
	Absent       []string `json:"outputs_absent"`
	Bits         int      `json:"bits"`
	BitsProved   int      `json:"bits_proved"`
	Depth        int      `json:"depth_cycles"` // cycles from power-on without a difference, where bits are not proved
	KeepsInitial bool     `json:"keeps_initial_values"`

	Engines map[string]int `json:"engines"` // bits by the engine that proved them

	AgreeCycles uint64 `json:"agree_cycles"` // of random inputs, in which the miter was compared with model and RTL
	AgreeBits   uint64 `json:"agree_bits"`

	Case *lockstep.Report `json:"case,omitempty"` // the difference, as lockstep shows it
	Took time.Duration    `json:"-"`
}

func newReport(m *pinmap.Map) *Report {
	return &Report{
		Schema: 1, Map: m.File, Model: m.Model, Parameters: m.Parameters, Top: m.Source.Top, Verdict: Undecided,
		Absent: []string{}, Engines: map[string]int{},
	}
}

func (r *Report) count(w *pinmap.Wires) {
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

func (r *Report) undecided(reason string) { r.Verdict, r.Reason = Undecided, reason }

func (r *Report) differs(found *lockstep.Report, by string) {
	r.Verdict, r.Case, r.FoundBy = Differs, found, by
}

// took keeps what a race has decided.
func (r *Report) took(race *race, m *miter) {
	clear(r.Engines)
	r.BitsProved, r.Depth, r.Took = len(race.proved), race.frames, time.Since(race.begun)
	for _, engine := range race.proved {
		r.Engines[engine]++
	}
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
	for _, name := range sortedKeys(r.Parameters) {
		text += fmt.Sprintf(" %s=%d", name, r.Parameters[name])
	}
	return fmt.Sprintf("%s against the twin of %s", r.Top, text)
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Title())
	switch r.Verdict {
	case Equal:
		fmt.Fprintf(&b, "equal: %d of %s", r.Compared, cosim.Count(uint64(r.Outputs), "output"))
		fmt.Fprintln(&b)
	case Undecided:
		fmt.Fprintf(&b, "undecided: %s", r.Reason)
		if r.Depth > 0 {
			fmt.Fprintf(&b, "; no difference in the first %s", cosim.Count(uint64(r.Depth), "cycle"))
		}
		fmt.Fprintln(&b)
	case Differs:
		fmt.Fprintf(&b, "differs, found by %s\n", r.FoundBy)
		if err := r.Case.WriteText(&b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
