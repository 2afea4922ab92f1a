package picture

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/traces"
	"starloom/traces/figure"
)

// Heat shows the use of media over time, with a row for each medium or for several neighbours.
type Heat struct {
	Title  string
	From   uint32 // slot of the first column
	Width  uint32 // slots of a column
	Rows   []string
	Panels []Panel
	Note   string // omitted or joined rows
	unit   string // unit of time, "" for slots
}

// Panel holds one figure by row and column.
type Panel struct {
	Label  string
	Values [][]float64
}

// Heat returns the use of media in a run.
func (c *Collector) Heat(title string) *Heat {
	if c.slots > 0 {
		for k := range c.heat {
			c.heat[k].extend(c.slots - 1)
		}
	}
	h := &Heat{Title: title, From: c.from, Width: c.heat[carried].width}
	one, many := c.names.MediumNoun()
	for first := 0; first < c.shape.Media; first += c.perRow {
		h.Rows = append(h.Rows, c.rowName(first, min(first+c.perRow, c.shape.Media)-1))
	}
	per := "in a slot"
	if h.Width > 1 || c.perRow > 1 {
		per = "per slot"
	}
	if c.perRow > 1 {
		per += " and " + one
		h.Note = fmt.Sprintf("A row combines up to %d of %s%s. ", c.perRow,
			traces.Plural(c.shape.Media, one, many), c.ledText())
	}
	labels := [heats]string{"frames " + per, "collisions " + per, "frames that wait " + per}
	none := [heats]string{"", "No frames met. ", "No frame had to wait. "}
	for k := range c.heat {
		if p := c.panel(labels[k], &c.heat[k]); k == carried || p != nil {
			if p == nil {
				p = &Panel{Label: labels[k]} // a run without frames
				for range h.Rows {
					p.Values = append(p.Values, make([]float64, max(1, len(c.heat[k].sums))))
				}
			}
			h.Panels = append(h.Panels, *p)
		} else {
			h.Note += none[k]
		}
	}
	h.Note += columnOf(h.Width, unitSlot) + c.since() + c.counted()
	if c.unassigned > 0 {
		h.Note += fmt.Sprintf("Not drawn: %s for no %s in particular. ", traces.Plural(c.unassigned, "frame", "frames"), one)
	}
	return h
}

func (c *Collector) rowName(first, last int) string {
	if first == last {
		return c.names.Medium(first)
	}
	if each := c.shape.Media / c.shape.Units; each > 1 && c.perRow%each == 0 {
		if first/each == last/each {
			return fmt.Sprintf("%s[%d]", c.names.Unit(), first/each)
		}
		return fmt.Sprintf("%s[%d..%d]", c.names.Unit(), first/each, last/each)
	}
	_, many := c.names.MediumNoun()
	return fmt.Sprintf("%s %d to %d", many, first, last)
}

// ledText names the unit reached by all media of a row, "" for several units.
func (c *Collector) ledText() string {
	if each := c.shape.Media / c.shape.Units; c.names.Unit() == "" || each <= 1 || c.perRow%each != 0 {
		return ""
	}
	from, to := false, false
	for processor := range c.shape.PerUnit {
		for port := range uint16(c.shape.Ports) {
			from = from || c.names.SentOn(processor, port, processor) < c.perRow
			heard := c.names.HeardOn(processor, port)
			to = to || heard >= 0 && heard < c.perRow
		}
	}
	text := map[[2]bool]string{
		{true, true}:  ", some of them from the labelled unit, the others to it",
		{true, false}: ", all from the labelled unit", {false, true}: ", all to the labelled unit",
	}[[2]bool{from, to}]
	if to && slices.ContainsFunc(c.faulty, func(slot uint32) bool { return slot != never }) {
		text += ": the row of a faulty processor shows the frames that others send to it"
	}
	return text
}

// panel returns the averages of a series, nil if all are 0.
func (c *Collector) panel(label string, s *series) *Panel {
	p, any := &Panel{Label: label}, false
	for row := range s.rows {
		media := min(c.perRow, c.shape.Media-row*c.perRow)
		values := make([]float64, len(s.sums))
		for k := range s.sums {
			values[k] = float64(s.sums[k][row]) / float64(media) / float64(s.slots(k, c.slots))
			any = any || s.sums[k][row] > 0
		}
		p.Values = append(p.Values, values)
	}
	if !any {
		return nil
	}
	return p
}

// SVG draws a heat map for each panel.
func (h *Heat) SVG() ([]byte, error) { return drawn(h.Title, 0, h.figures()...) }

// Narrow is SVG for a phone.
func (h *Heat) Narrow() ([]byte, error) { return drawn(h.Title, figure.WidthNarrow, h.figures()...) }

func (h *Heat) figures() (all []*figure.Figure) {
	for _, p := range h.Panels {
		all = append(all, &figure.Figure{
			Title: h.Title + ": " + p.Label, X: figure.Axis{Label: cmp.Or(h.unit, unitSlot), Whole: true},
			Y:      figure.Axis{Names: reversed(h.Rows)},
			Cells:  &figure.Cells{Values: reversed(p.Values), From: float64(h.From), Step: float64(h.Width)},
			Height: max(140, float64(80+rowHeight*len(h.Rows))),
		})
	}
	all[len(all)-1].Note = h.Note
	return all
}

const rowHeight = 15

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// columnsMax is the maximum number of columns over time. Beyond it, pairs of columns are merged.
const columnsMax = 96

// series holds sums by row over time.
type series struct {
	rows  int
	width uint32     // slots of a column
	sums  [][]uint64 // by column and row
}

func newSeries(rows int) series { return series{rows: rows, width: 1} }

// add adds count to a row in a slot; slots start at 0.
func (s *series) add(slot uint32, row int, count uint64) {
	s.extend(slot)
	s.sums[slot/s.width][row] += count
}

func (s *series) extend(slot uint32) {
	for slot/s.width >= columnsMax {
		half := 0
		for k := 0; k < len(s.sums); k += 2 {
			if k+1 < len(s.sums) {
				for row, sum := range s.sums[k+1] {
					s.sums[k][row] += sum
				}
			}
			s.sums[half] = s.sums[k]
			half++
		}
		s.sums, s.width = s.sums[:half], 2*s.width
	}
	for int(slot/s.width) >= len(s.sums) {
		s.sums = append(s.sums, make([]uint64, s.rows))
	}
}

func (s *series) slots(column int, all uint32) uint32 {
	return min(s.width, all-uint32(column)*s.width)
}
