package check

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/internal/page"
	"starloom/traces"
	"starloom/traces/figure"
)

// FunctionBranches counts the branches of a function of the firmware. Inlined branches belong to their own function.
type FunctionBranches struct {
	Function string `json:"function"`
	Reached  int    `json:"reached"`
	Branches int    `json:"branches"`
}

// byFunction counts the branches of an image by function, those of a set and all, most branches first. It returns nil
// for an image without names.
func byFunction(image firmware.Coverer, set []uint64) (list []FunctionBranches) {
	for _, l := range emulator.LinesOf(image, set) {
		i := slices.IndexFunc(list, func(f FunctionBranches) bool { return f.Function == l.Function })
		if i < 0 {
			i, list = len(list), append(list, FunctionBranches{Function: l.Function})
		}
		list[i].Branches += l.Branches
		list[i].Reached += l.Reached
	}
	slices.SortStableFunc(list, func(a, b FunctionBranches) int { return cmp.Compare(b.Branches, a.Branches) })
	return list
}

// limits of pictures: rows, characters of a row's name, and lengths in points
const (
	rowsMax   = 12
	nameMax   = 26
	rowHigh   = 30
	axesHigh  = 80
	rowsLeast = 3
	halfRow   = 0.32
)

// rows is a picture with a name for each row, the first at the top.
type rows struct {
	names []string
	*figure.Figure
}

func newRows(title, axis string, spans ...string) *rows {
	r := &rows{Figure: &figure.Figure{Title: title, X: figure.Axis{Label: axis, Whole: true}}}
	for i, name := range spans {
		r.Spans = append(r.Spans, figure.Spans{Name: name, Colour: i})
	}
	r.Spans[len(spans)-1].Colour = -1
	return r
}

func (r *rows) add(name string) (row int) {
	if len(name) > nameMax {
		name = name[:nameMax-3] + "..."
	}
	r.names = append(r.names, name)
	return len(r.names) - 1
}

func (r *rows) span(kind, row int, left, right float64) {
	if right > left {
		y := float64(-row)
		r.Spans[kind].Rects = append(r.Spans[kind].Rects, figure.Rect{Left: left, Right: right, Low: y - halfRow,
			High: y + halfRow})
	}
}

// done turns the rows, whose y axis goes upwards, and drops kinds of spans and curves without a part.
func (r *rows) done() *figure.Figure {
	if len(r.names) == 0 {
		return nil
	}
	last := float64(len(r.names) - 1)
	for i := range r.Spans {
		for k := range r.Spans[i].Rects {
			r.Spans[i].Rects[k].Low += last
			r.Spans[i].Rects[k].High += last
		}
	}
	for i := range r.Curves {
		for k := range r.Curves[i].Points {
			r.Curves[i].Points[k].Y += last
		}
	}
	r.Spans = slices.DeleteFunc(r.Spans, func(s figure.Spans) bool { return len(s.Rects) == 0 })
	r.Curves = slices.DeleteFunc(r.Curves, func(c figure.Curve) bool { return len(c.Points) == 0 })
	slices.Reverse(r.names)
	r.Y.Names, r.Height = r.names, float64(axesHigh+rowHigh*max(rowsLeast, len(r.names)))
	return r.Figure
}

// kinds of spans of the timeline
const (
	spanInput = iota
	spanRun
)

// timeline shows the runs and the findings by slot, and where they fail.
func (r *Report) timeline() *figure.Figure {
	t := newRows("Where it fails", "slot", "arbitrary input", "run")
	alerts := figure.Curve{Name: "failure", Style: figure.Alerts}
	mark := func(row int, slot uint64) {
		alerts.Points = append(alerts.Points, figure.Point{X: float64(slot), Y: float64(-row)})
	}
	for _, stop := range r.Stopped {
		if len(t.names) == rowsMax {
			break
		}
		row := t.add(stop.Path)
		t.span(spanRun, row, 0, float64(stop.Slot))
		mark(row, uint64(stop.Slot))
	}
	r.runRows(t, mark)
	for i := range r.Writes {
		if w := &r.Writes[i]; w.Fails() && len(t.names) < rowsMax {
			row := t.add(w.Path)
			t.span(spanRun, row, 0, float64(r.Watched.Slots))
			mark(row, uint64(w.Slot))
		}
	}
	for i := range r.Fuzz {
		if x := &r.Fuzz[i]; x.Fails() && len(t.names) < rowsMax {
			row, begin := t.add(x.Rule), uint64(x.Input.Slots)
			end := begin + uint64(max(1, len(x.Input.Steps)))
			t.span(spanRun, row, 0, float64(begin))
			t.span(spanInput, row, float64(begin), float64(end))
			mark(row, end)
		}
	}
	t.Curves = []figure.Curve{alerts}
	return t.done()
}

// runRows adds a row for each rule that the run breaks, and with a difference a row for each of both ways.
func (r *Report) runRows(t *rows, mark func(row int, slot uint64)) {
	if len(r.Runs) == 0 {
		return
	}
	seen := map[string]bool{}
	for i := range r.Violations {
		v := &r.Violations[i]
		if seen[v.Rule] || len(t.names) == rowsMax {
			continue
		}
		seen[v.Rule] = true
		row := t.add(v.Rule)
		t.span(spanRun, row, 0, float64(r.Runs[0].Slots))
		mark(row, v.Slot)
	}
	if d := r.Difference; d != nil {
		for _, k := range d.Runs {
			row := t.add(r.Runs[k].short())
			t.span(spanRun, row, 0, float64(r.Runs[k].Slots))
			if d.Found {
				mark(row, uint64(d.Slot))
			}
		}
	}
}

// short names the way to execute in a few words.
func (r *Run) short() string {
	name := r.Mode
	if r.Mode != "isolated" {
		name = fmt.Sprintf("banks of %d", r.BankSize)
	}
	switch {
	case r.Runtime == "interpreter":
		name += ", " + r.Runtime
	case r.Engine == emulator.EngineCycle:
		name += ", engine cycle"
	case r.Metered:
		name += ", metered"
	}
	return name
}

// coverage shows the branches that arbitrary input has reached, by function.
func (r *Report) coverage() *figure.Figure {
	t := newRows("Branches of the firmware, by function", "branches", "reached by arbitrary input", "not reached")
	for i, f := range r.Branches.Functions {
		if i == rowsMax {
			t.Note = traces.Plural(len(r.Branches.Functions)-rowsMax, "smaller function is", "smaller functions are") +
				" not drawn."
			break
		}
		row := t.add(fmt.Sprintf("%s %d/%d", f.Function, f.Reached, f.Branches))
		t.span(spanInput, row, 0, float64(f.Reached))
		t.span(spanRun, row, float64(f.Reached), float64(f.Branches))
	}
	return t.done()
}

// pictures returns where the check fails, and the coverage of arbitrary input.
func (r *Report) pictures() (list []page.Block) {
	const fails = "A row is a broken rule, a processor, or a way to run the scenario, by slot; a triangle marks the " +
		"first failure."
	const reached = "Sides of branches, entries of functions and heads of loops. Branches of the SDK are left out."
	for _, x := range []*page.Picture{page.FigurePicture(fails, r.timeline()),
		page.FigurePicture(reached, r.coverage())} {
		if x != nil {
			list = append(list, page.Block{Picture: x})
		}
	}
	return list
}
