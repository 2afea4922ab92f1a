package picture

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/traces"
	"starloom/traces/figure"
)

// Timeline is what processors do over time: a row for each, which sends in its upper half and hears in its lower.
type Timeline struct {
	Title string
	From  uint32 // slot of the first column
	Width uint32 // slots of a column
	Slots uint32 // that the run took from there on
	Lanes []Lane
	Marks []Mark
	Note  string
}

// Lane is a processor: in what part of the slots of each column it did what, from 0 to 1.
type Lane struct {
	Name                         string
	Sends, Waits, Hears, Damaged []float64
	Done, Faulty                 int64 // the slot at which it was first; -1 for never
}

// Mark is a violation. Its lane is -1 where it is not that of a processor that is drawn.
type Mark struct {
	Slot uint32
	Lane int
	What string
}

// Violation is a rule that was broken, and where: a path of the machine.
type Violation struct {
	Slot       uint64
	Rule, Path string
}

// Timeline is what was seen of the processors of a run. Those that have broken rules are drawn before others.
func (c *Collector) Timeline(title string, violations []Violation) *Timeline {
	t := &Timeline{Title: title, From: c.from, Slots: c.slots, Width: 1}
	processors := c.shape.Processors()
	drawn := c.lanes(violations)
	for _, processor := range drawn {
		k := processor / c.stride
		l := Lane{Name: c.names.Processor(processor), Done: -1, Faulty: -1}
		for action, parts := range [actions]*[]float64{sends: &l.Sends, waits: &l.Waits, hears: &l.Hears, harmed: &l.Damaged} {
			s := &c.acts[action]
			if c.slots > 0 {
				s.extend(c.slots - 1)
			}
			for column := range s.sums {
				*parts = append(*parts, float64(s.sums[column][k])/float64(s.slots(column, c.slots)))
			}
			t.Width = s.width
		}
		if c.done[k] != never {
			l.Done = int64(c.done[k])
		}
		if c.faulty[k] != never {
			l.Faulty = int64(c.faulty[k])
		}
		t.Lanes = append(t.Lanes, l)
	}
	for _, v := range violations {
		lane := slices.IndexFunc(t.Lanes, func(l Lane) bool { return l.Name == v.Path })
		t.Marks = append(t.Marks, Mark{uint32(v.Slot), lane, v.Rule + " at " + v.Path})
	}
	if len(drawn) < processors {
		t.Note = fmt.Sprintf("Drawn are %d of %s. ", len(drawn), traces.Plural(processors, "processor", "processors"))
	}
	t.Note += column(t.Width) + c.since()
	return t
}

// lanes are the processors that are drawn: all, or those of violations and others, equally far apart.
func (c *Collector) lanes(violations []Violation) (drawn []int) {
	watched := len(c.done)
	if watched <= lanesMax {
		for k := range watched {
			drawn = append(drawn, k*c.stride)
		}
		return drawn
	}
	paths := map[string]bool{}
	for _, v := range violations {
		paths[v.Path] = true
	}
	for processor := range watched {
		if len(drawn) < lanesMax/2 && paths[c.names.Processor(processor)] {
			drawn = append(drawn, processor)
		}
	}
	others := lanesMax - len(drawn)
	for k := range others {
		if processor := k * watched / others; !slices.Contains(drawn, processor) {
			drawn = append(drawn, processor)
		}
	}
	slices.Sort(drawn)
	return drawn
}

// Colours of what processors do.
const (
	sendColour   = 0
	hearColour   = 2
	waitColour   = 4
	damageColour = 1
)

// SVG draws it.
func (t *Timeline) SVG() ([]byte, error) {
	var names []string
	elsewhere := slices.ContainsFunc(t.Marks, func(m Mark) bool { return m.Lane < 0 })
	if elsewhere {
		names = append(names, "elsewhere")
	}
	first := len(names)
	for _, l := range t.Lanes {
		names = append(names, l.Name)
	}
	top := func(row int) float64 { return float64(len(names)-1-row) + 0.5 } // of a row, whose height is 1
	f := &figure.Figure{
		Title: t.Title + ": what processors do", X: figure.Axis{Label: "slot", Whole: true}, Y: figure.Axis{Names: reversed(names)},
		Note: t.Note, Height: max(140, float64(80+18*len(names))),
	}
	end := float64(t.From) + float64(t.Slots)
	add := func(name string, colour int, rects []figure.Rect) {
		if len(rects) > 0 {
			f.Spans = append(f.Spans, figure.Spans{Name: name, Colour: colour, Rects: rects})
		}
	}
	var over []figure.Rect
	for i, l := range t.Lanes {
		if from := max(l.Done, l.Faulty); from >= 0 {
			if l.Done >= 0 && l.Faulty >= 0 {
				from = min(l.Done, l.Faulty)
			}
			y := top(first + i)
			over = append(over, figure.Rect{Left: max(float64(from), float64(t.From)), Right: max(end, float64(from)), Low: y - 0.9, High: y - 0.1, Part: 1})
		}
	}
	add("done or faulty", -1, over)
	add("sends", sendColour, t.rects(first, top, 0.1, 0.5, func(l *Lane) []float64 { return l.Sends }))
	add("waits to send", waitColour, t.rects(first, top, 0.1, 0.5, func(l *Lane) []float64 { return l.Waits }))
	add("hears", hearColour, t.rects(first, top, 0.5, 0.9, func(l *Lane) []float64 { return l.Hears }))
	add("hears in vain", damageColour, t.rects(first, top, 0.5, 0.9, func(l *Lane) []float64 { return l.Damaged }))
	if len(f.Spans) == 0 {
		f.Spans = append(f.Spans, figure.Spans{Name: "nothing", Colour: -1})
	}
	f.Spans[0].Rects = append(f.Spans[0].Rects, figure.Rect{Left: float64(t.From), Right: max(end, float64(t.From)+1), Low: -0.5, High: top(0), Part: 0})
	broken := figure.Curve{Name: "rule broken", Style: figure.Alerts}
	marks := slices.Clone(t.Marks)
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Slot, b.Slot) })
	for _, m := range marks {
		row := 0
		if m.Lane >= 0 {
			row = first + m.Lane
		}
		broken.Points = append(broken.Points, figure.Point{X: min(float64(m.Slot)+0.5, max(end, float64(t.From)+1)), Y: top(row) - 0.5})
	}
	if len(broken.Points) > 0 {
		f.Curves = append(f.Curves, broken)
	}
	return svg(t.Title, f)
}

// rects are what lanes do, equal columns joined, between two depths of a row.
func (t *Timeline) rects(first int, top func(row int) float64, from, to float64, parts func(*Lane) []float64) (all []figure.Rect) {
	width := float64(t.Width)
	for i := range t.Lanes {
		y := top(first + i)
		end := float64(t.From) + float64(t.Slots)
		for column, part := range parts(&t.Lanes[i]) {
			if part == 0 {
				continue
			}
			left := float64(t.From) + float64(float64(column)*width)
			r := figure.Rect{Left: left, Right: min(left+width, end), Low: y - to, High: y - from, Part: part}
			if last := len(all) - 1; last >= 0 && all[last].Right == r.Left && all[last].Low == r.Low && all[last].Part == r.Part {
				all[last].Right = r.Right
				continue
			}
			all = append(all, r)
		}
	}
	return all
}
