package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starloom/traces/svg"
)

// Lengths of a legend: of a thumbnail, between it and its text, between entries, and between rows.
const (
	thumbWide = 22
	thumbHigh = 8
	thumbGap  = 5
	entryGap  = 16
	legendRow = 18
)

// entry is a text of the legend with its sign, or without one.
type entry struct {
	text string
	sign plot.Thumbnailer
	x    vg.Length
	row  int
}

// legend lays the entries in rows below the axes.
func (d *drawing) legend() (entries []entry, rows int) {
	if d.Cells != nil {
		entries = d.rampLegend()
	}
	for i := range d.Spans {
		entries = append(entries, entry{text: d.Spans[i].Name, sign: swatch{spans{d, &d.Spans[i]}.colour()}})
	}
	if len(d.Curves) > 1 || len(d.Spans) > 0 {
		for i := range d.Curves {
			if !d.Curves[i].Unlisted {
				entries = append(entries, entry{text: d.Curves[i].Name, sign: d.curve(i)})
			}
		}
	}
	x := vg.Length(0)
	for i := range entries {
		e := &entries[i]
		wide := d.textWidth(e.text)
		if e.sign != nil {
			wide += thumbWide + thumbGap
		}
		if x > 0 && x+wide > d.width()-2*margin {
			x = 0
			rows++
		}
		e.x, e.row = x, rows
		x += wide + entryGap
	}
	if len(entries) == 0 {
		return nil, 0
	}
	return entries, rows + 1
}

// textWidth is the width of a text in the widest of usual fonts.
func (d *drawing) textWidth(words string) vg.Length {
	face := font.DefaultCache.Lookup(d.font(textSize), textSize)
	return vg.Length(float64(float64(face.Width(words)) * otherFont))
}

// writeLegend draws the legend at the bottom, and returns its height.
func (d *drawing) writeLegend(c draw.Canvas) vg.Length {
	entries, rows := d.legend()
	style := text.Style{Font: d.font(textSize), Color: d.colour(svg.Ink), Handler: plot.DefaultTextHandler}
	for i := range entries {
		e := &entries[i]
		x, y := c.Min.X+margin+e.x, c.Min.Y+margin+legendHeight(rows-1-e.row)
		if e.sign != nil {
			e.sign.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + thumbWide, Y: y + thumbHigh}}})
			x += thumbWide + thumbGap
		}
		c.FillText(style, vg.Point{X: x, Y: y}, e.text)
	}
	return legendHeight(rows)
}

// legendHeight rounds the height before any sum, for equal bytes on all processors.
func legendHeight(rows int) vg.Length { return vg.Length(float64(float64(rows) * legendRow)) }
