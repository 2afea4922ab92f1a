package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/figure"
)

// Timeline shows the actions of processors over time. The upper half of a row is for sending, the lower half for
// receiving.
type Timeline struct {
	Title string
	From  uint32 // slot of the first column
	Width uint32 // slots of a column
	Slots uint32 // slots of the run after From
	Lanes []Lane
	Marks []Mark
	// slots of faults that a scenario places, in the run
	Faults []uint32
	Note   string
	unit   string // unit of time
}

// Lane is a processor. Each action has, by column, its share of slots from 0 to 1.
type Lane struct {
	Name                         string
	Sends, Waits, Hears, Damaged []float64
	Done, Faulty                 int64 // first slot in which it was done or faulty, -1 for never
}

// Mark is a violation in a lane. Lane -1 is a place other than a drawn processor, with its own row.
type Mark struct {
	Slot uint32
	Lane int
	Name string
}

// Violation is a broken rule at a path of the machine.
type Violation struct {
	Slot       uint64
	Rule, Path string
}

// Timeline returns the timeline of the actions of processors in a run. Processors with violations come first.
func (c *Collector) Timeline(title string, violations []Violation) *Timeline {
	t := &Timeline{Title: title, From: c.from, Slots: c.slots, Width: 1, unit: cmp.Or(c.unit, unitSlot)}
	processors := c.shape.Processors()
	drawn := c.lanes(violations)
	for _, processor := range drawn {
		k := processor / c.stride
		l := Lane{Name: c.names.Processor(processor), Done: -1, Faulty: -1}
		acts := [actions]*[]float64{sends: &l.Sends, waits: &l.Waits, hears: &l.Hears, harmed: &l.Damaged}
		for action, parts := range acts {
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
		mark := Mark{Slot: uint32(v.Slot), Lane: lane}
		switch {
		case lane >= 0:
		case strings.Contains(v.Path, "."):
			mark.Name = v.Path
		default:
			mark.Name = v.Path + ": the whole network"
		}
		t.Marks = append(t.Marks, mark)
	}
	t.Note = brokenNote(violations)
	if len(drawn) < processors {
		t.Note += fmt.Sprintf("The picture shows %d of %s%s. ", len(drawn),
			traces.Plural(processors, "processor", "processors"), leftOut(drawn, processors))
	}
	if t.Width > 1 {
		t.Note += fmt.Sprintf("The height of a bar shows its share of the column's %ss. ", t.unit)
	}
	t.Note += columnOf(t.Width, t.unit) + c.since()
	return t
}

const leftOutMax = 16

// leftOut lists a few omitted processors, or explains the choice among many.
func leftOut(drawn []int, processors int) string {
	if processors-len(drawn) > leftOutMax {
		return ": those that broke a rule (the first of many), and others at equal distances"
	}
	var left []string
	for processor := range processors {
		if !slices.Contains(drawn, processor) {
			left = append(left, fmt.Sprint(processor))
		}
	}
	return ", all but " + strings.Join(left, ", ")
}

const namedMax = 3

func brokenNote(violations []Violation) string {
	if len(violations) == 0 {
		return ""
	}
	var named []string
	for _, v := range violations[:min(len(violations), namedMax)] {
		named = append(named, fmt.Sprintf("%s at %s in slot %d", v.Rule, v.Path, v.Slot))
	}
	if more := len(violations) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return "Broken: " + strings.Join(named, "; ") + ". "
}

// lanes returns the drawn processors: all, or those with violations and others at equal distances.
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

const (
	sendColour   = 0
	hearColour   = 2
	waitColour   = 4
	damageColour = 1
)

// SVG draws the timeline.
func (t *Timeline) SVG() ([]byte, error) { return drawn(t.Title, 0, t.figure()) }

// Narrow is SVG for a phone.
func (t *Timeline) Narrow() ([]byte, error) { return drawn(t.Title, figure.WidthNarrow, t.figure()) }

func (t *Timeline) figure() *figure.Figure {
	d := timelineDrawing{Timeline: t, end: max(float64(t.From)+float64(t.Slots), float64(t.From)+1)}
	d.nameOthers()
	d.first = len(d.names)
	for _, l := range t.Lanes {
		d.names = append(d.names, l.Name)
	}
	f := &figure.Figure{
		Title: t.Title + ": what processors do", Note: t.Note, Height: max(140, float64(80+18*len(d.names))),
		X: figure.Axis{Label: cmp.Or(t.unit, unitSlot), Whole: true, Least: float64(t.From), Most: d.end},
		Y: figure.Axis{Names: reversed(d.names)},
	}
	none := func(*Lane) []float64 { return nil }
	sent, heard := func(l *Lane) []float64 { return l.Sends }, func(l *Lane) []float64 { return l.Hears }
	for _, s := range []figure.Spans{
		{Name: "done", Colour: -1, Rects: d.over(func(l *Lane) (from, to int64) { return l.Done, l.Faulty })},
		{Name: "faulty", Colour: -2, Rects: d.over(func(l *Lane) (from, to int64) { return l.Faulty, -1 })},
		{Name: "sends", Colour: sendColour, Rects: d.bars(1, none, sent)},
		{Name: "waits to send", Colour: waitColour, Rects: d.bars(1, sent, func(l *Lane) []float64 { return l.Waits })},
		{Name: "hears", Colour: hearColour, Rects: d.bars(-1, none, heard)},
		{Name: "hears in vain", Colour: damageColour, Rects: d.bars(-1, heard, func(l *Lane) []float64 { return l.Damaged })},
	} {
		if len(s.Rects) > 0 {
			f.Spans = append(f.Spans, s)
		}
	}
	if len(f.Spans) == 0 {
		f.Spans = []figure.Spans{{Name: "nothing happens", Colour: -1}}
	}
	broken := figure.Curve{Name: "rule broken", Style: figure.Alerts}
	marks := slices.Clone(t.Marks)
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Slot, b.Slot) })
	for _, m := range marks {
		row := d.first + m.Lane
		if m.Lane < 0 {
			if row = slices.Index(d.names[:d.first], m.Name); row < 0 {
				row = d.first - 1 // other places
			}
		}
		broken.Points = append(broken.Points,
			figure.Point{X: min(max(float64(m.Slot)+0.5, float64(t.From)), d.end), Y: d.middle(row)})
	}
	if len(broken.Points) > 0 {
		f.Curves = append(f.Curves, broken)
	}
	struck := figure.Curve{Name: "fault", Style: figure.Published}
	for _, slot := range t.Faults {
		struck.Points = append(struck.Points, figure.Point{X: float64(slot) + 0.5, Y: d.middle(0) + half})
	}
	if len(struck.Points) > 0 {
		f.Curves = append(f.Curves, struck)
	}
	return f
}

// timelineDrawing draws a timeline. A row has height 1.
type timelineDrawing struct {
	*Timeline
	names []string // names of rows from the top
	first int      // row of the first lane
	end   float64  // end of the axis
}

func (d *timelineDrawing) middle(row int) float64 { return float64(len(d.names) - 1 - row) }

// half is the height of either half of a lane, and barMin the minimum height of a bar relative to it.
const half, barMin = 0.42, 0.12

// othersMax is the maximum number of named rows for places other than processors. One more row combines the rest.
const othersMax = 4

const otherPlaces = "other places"

func (d *timelineDrawing) nameOthers() {
	for _, m := range d.Marks {
		switch {
		case m.Lane >= 0 || slices.Contains(d.names, m.Name):
		case len(d.names) < othersMax:
			d.names = append(d.names, m.Name)
		case len(d.names) == othersMax:
			d.names = append(d.names, otherPlaces)
		}
	}
}

// over returns the spans of lanes between two slots. A negative end is the end of the picture.
func (d *timelineDrawing) over(when func(*Lane) (from, to int64)) (all []figure.Rect) {
	for i := range d.Lanes {
		from, to := when(&d.Lanes[i])
		left, right := max(float64(from), float64(d.From)), d.end
		if to >= 0 {
			right = min(right, float64(to))
		}
		if y := d.middle(d.first + i); from >= 0 && left < right {
			all = append(all, figure.Rect{Left: left, Right: right, Low: y - half, High: y + half})
		}
	}
	return all
}

// bars returns bars as high as the share of each column, upwards (way 1) or downwards (way -1), stacked on the bars
// of below. Adjacent bars of equal height are merged.
func (d *timelineDrawing) bars(way float64, below, parts func(*Lane) []float64) (all []figure.Rect) {
	width := float64(d.Width)
	for i := range d.Lanes {
		y, under := d.middle(d.first+i), below(&d.Lanes[i])
		for column, part := range parts(&d.Lanes[i]) {
			if part == 0 {
				continue
			}
			base := 0.0
			if under != nil {
				base = high(under[column])
			}
			left := float64(d.From) + float64(float64(column)*width)
			from, to := y+float64(way*half*base), y+float64(way*half*min(1, base+high(part)))
			r := figure.Rect{Left: left, Right: min(left+width, d.end), Low: min(from, to), High: max(from, to)}
			if k := len(all) - 1; k >= 0 && all[k].Right == r.Left && all[k].Low == r.Low && all[k].High == r.High {
				all[k].Right = r.Right
				continue
			}
			all = append(all, r)
		}
	}
	return all
}

// high rounds a share to eighths. A positive share stays visible.
func high(part float64) float64 {
	if part == 0 {
		return 0
	}
	return max(barMin, math.Round(float64(part*8))/8)
}
