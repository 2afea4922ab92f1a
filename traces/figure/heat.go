package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// heat draws cells.
type heat struct{ d *drawing }

// span is the range of the values of cells.
func (c *Cells) span() span {
	s := span{math.Inf(1), math.Inf(-1)}
	for _, row := range c.Values {
		for _, value := range row {
			if !math.IsNaN(value) {
				s.take(value)
			}
		}
	}
	return s
}

// shade is the colour of a value.
func (s span) shade(value float64) color.Color {
	if s.most == s.least {
		return ramp(1)
	}
	return ramp((value - s.least) / (s.most - s.least))
}

// Plot implements plot.Plotter.
func (h heat) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s := h.d.Cells.span()
	defer titled(c, h.d.Cells.Label)()
	for i, row := range h.d.Cells.Values {
		for j, value := range row {
			if math.IsNaN(value) {
				continue
			}
			left, right, low, high := x(float64(j)-0.5), x(float64(j)+0.5), y(float64(i)-0.5), y(float64(i)+0.5)
			c.FillPolygon(s.shade(value), []vg.Point{{X: left, Y: low}, {X: left, Y: high}, {X: right, Y: high}, {X: right, Y: low}})
		}
	}
}

// rampSteps are the values of cells that a legend shows.
const rampSteps = 5

// rampLegend names values of cells, and returns how many.
func (d *drawing) rampLegend(l *plot.Legend) int {
	s := d.Cells.span()
	if math.IsInf(s.least, 1) {
		return 0
	}
	l.Add(d.Cells.Label)
	for k := rampSteps - 1; k >= 0; k-- {
		value := s.least + float64((s.most-s.least)*float64(k)/(rampSteps-1))
		l.Add(tickText(math.Round(value*1000)/1000), swatch{s.shade(value)})
		if s.least == s.most {
			return 2
		}
	}
	return rampSteps + 1
}

// swatch is a colour in a legend.
type swatch struct{ colour color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.colour, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
}
