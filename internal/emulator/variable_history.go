package emulator

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"starloom/fabric/outcome"
	"starloom/firmware/variables"
	"starloom/traces"
)

// Limits of the page.
const (
	variableRowsMax    = 120      // calls
	variableRowsMin    = 8        // calls with large states
	variableBytesMax   = 16 << 20 // states kept for the calls
	variableColumnsMax = 24
)

// calmChanges is the number of changes from which a variable may count as restless.
const calmChanges = 16

// telling writes the variables of a replay, and collects the last changes up to the first violation for the page. The
// page omits calls that change only restless variables, such as a slot counter. A restless variable changes in more
// than half of the calls with a change.
type telling struct {
	layout  *variables.Layout
	first   []byte // state before the first call
	last    []byte // state after the last call
	calls   int
	changes int               // calls that changed the state
	history []variableHistory // of each variable

	end   uint64     // last kept slot
	all   lastStates // states after the first call and after all changes
	calm  lastStates // the same, without changes of only restless variables
	final *toldState // state after the last call up to the last kept slot
	cut   bool       // calls after that slot
}

// lastStates keeps the last states of a list.
type lastStates struct {
	before []byte // state before the first kept one
	states []toldState
	left   int // earlier states
}

func (l *lastStates) add(s *toldState) {
	most := max(variableRowsMin, min(variableRowsMax, variableBytesMax/max(len(s.bytes), 1)))
	if len(l.states) == most {
		l.before, l.states = l.states[0].bytes, l.states[1:]
		l.left++
	}
	l.states = append(l.states, *s)
}

type variableHistory struct {
	changes    int
	since, was string // last change, and the value before
}

type toldState struct {
	when, what string
	slot       uint32
	bytes      []byte
}

func newTelling(layout *variables.Layout, r *replay, report *outcome.Report) *telling {
	if layout == nil {
		return nil
	}
	t := &telling{layout: layout, end: math.MaxUint64, history: make([]variableHistory, len(layout.Rows))}
	if len(report.Violations) > 0 {
		t.end = report.Violations[0].Slot
	}
	t.first = bytes.Clone(r.instance.Bank().State(0))
	t.last, t.all.before, t.calm.before = t.first, t.first, t.first
	return t
}

// begin describes the state, and writes it for a run that continued from a saved state.
func (t *telling) begin(out io.Writer, restored bool) {
	fmt.Fprintln(out, t.layout.About())
	if restored {
		fmt.Fprintf(out, "restored state: %s\n", t.layout.Line(t.first))
	}
}

// add returns the changes of a call.
func (t *telling) add(call *ReplayCall, what string, memory []byte) (changes string) {
	state := bytes.Clone(memory)
	changes = t.layout.Changes(t.last, state)
	now := toldState{call.when(), strings.TrimPrefix(what, call.when()+":"), call.slot, state}
	if !bytes.Equal(t.last, state) {
		t.changes++
	}
	calm, first := false, t.calls == 0
	for i := range t.layout.Rows {
		r, h := &t.layout.Rows[i], &t.history[i]
		if !r.Changed(t.last, state) {
			continue
		}
		h.changes, h.since, h.was = h.changes+1, now.when, r.Cell(t.last, t.last)
		calm = calm || 2*h.changes <= t.changes+calmChanges
	}
	changed := !bytes.Equal(t.last, state)
	t.last = state
	if t.calls++; uint64(call.slot) > t.end {
		t.cut = true
		return changes
	}
	t.final = &now
	if changed || first {
		t.all.add(&now)
	}
	if changed && calm || first {
		t.calm.add(&now)
	}
	return changes
}

// kept returns the states for the page.
func (t *telling) kept() (kept lastStates, calm bool) {
	const enough = variableRowsMax / 8
	kept, calm = t.all, t.all.left > 0 && len(t.calm.states) >= enough
	if calm {
		kept = t.calm
	}
	if n := len(kept.states); t.final != nil && kept.states[n-1].slot != t.final.slot {
		kept.states = append(kept.states, *t.final)
	}
	return kept, calm
}

// finish writes the last change of each variable.
func (t *telling) finish(out io.Writer) {
	for _, h := range t.summary() {
		fmt.Fprintf(out, "variable %s: %s", h.Name, h.Value)
		if h.Changes > 0 {
			fmt.Fprintf(out, " since %s, before that %s; %s", h.Since, h.Before,
				traces.Plural(h.Changes, "change", "changes"))
		} else {
			fmt.Fprint(out, "; no change")
		}
		fmt.Fprintf(out, "; %s\n", h.Type)
	}
}

// summary returns changed variables first. Elements of an array that are equal and have not changed are one entry.
func (t *telling) summary() (list []outcome.VariableHistory) {
	var still []outcome.VariableHistory
	for i := range t.layout.Rows {
		r, h := &t.layout.Rows[i], &t.history[i]
		now := outcome.VariableHistory{Name: r.Name, Type: r.Declared(), Value: r.Cell(t.last, t.last), Since: h.since,
			Before: h.was, Changes: h.changes}
		switch {
		case r.Gone != "":
		case h.changes > 0:
			list = append(list, now)
		default:
			still = append(still, now)
		}
	}
	return append(list, folded(still)...)
}

var lastIndex = regexp.MustCompile(`^(.*)\[(\d+)\]([^\[\]]*)$`)

// folded joins entries that differ only in successive last indices.
func folded(list []outcome.VariableHistory) (short []outcome.VariableHistory) {
	type series struct {
		name, value string
		next        int
	}
	type run struct{ entry, first int }
	runs := map[series]run{}
	for _, h := range list {
		parts := lastIndex.FindStringSubmatch(h.Name)
		if parts == nil {
			short = append(short, h)
			continue
		}
		index, _ := strconv.Atoi(parts[2])
		key := series{parts[1] + "[]" + parts[3], h.Value, index}
		r, goesOn := runs[key]
		if !goesOn {
			r = run{len(short), index}
			short = append(short, h)
		} else {
			short[r.entry].Name = fmt.Sprintf("%s[%d..%d]%s", parts[1], r.first, index, parts[3])
		}
		key.next++
		runs[key] = r
	}
	return short
}

// table returns the variables for the page: the last change of each variable, and a column for each changing
// variable.
func (t *telling) table(path string, cycle func(slot uint32) uint64) *outcome.Variables {
	kept, calm := t.kept()
	v := &outcome.Variables{Path: path, About: t.layout.About(), History: t.summary(), Calm: calm, Earlier: kept.left,
		Later: t.cut}
	var shown []*variables.Row
	for i := range t.layout.Rows {
		row, before, changes := &t.layout.Rows[i], kept.before, false
		for _, s := range kept.states {
			changes, before = changes || row.Changed(before, s.bytes), s.bytes
		}
		switch {
		case !changes:
		case len(shown) == variableColumnsMax:
			v.Left = append(v.Left, row.Name)
		default:
			shown = append(shown, row)
			v.Columns = append(v.Columns, row.Name)
		}
	}
	before := kept.before
	for _, s := range kept.states {
		r := outcome.VariableRow{When: s.when, Cycle: cycle(s.slot), What: strings.TrimSpace(s.what)}
		for _, row := range shown {
			r.Cells = append(r.Cells, row.Cell(before, s.bytes))
		}
		v.Rows, before = append(v.Rows, r), s.bytes
	}
	return v
}
