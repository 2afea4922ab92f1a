package figure

import (
	"cmp"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starloom/traces/svg"
)

type heat struct{ d *drawing }

// shades+1 is the maximum number of colours of cells, and of their shapes.
const shades = 64

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

func (s span) shade(value float64) color.NRGBA {
	if s.most == s.least {
		return svg.Ramp(1)
	}
	return svg.Ramp(math.Round((value-s.least)/(s.most-s.least)*shades) / shades)
}

// Plot implements plot.Plotter. Cells of one colour form one shape, and neighbouring cells form one rectangle.
func (h heat) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	cells, s := h.d.Cells, h.d.Cells.span()
	defer titled(c, cmp.Or(cells.Label, h.d.Title))()
	shapes, shades := map[color.NRGBA][]vg.Rectangle{}, []color.NRGBA{}
	for i, row := range cells.Values {
		for j := 0; j < len(row); j++ {
			if math.IsNaN(row[j]) {
				continue
			}
			shade, first := s.shade(row[j]), j
			for j+1 < len(row) && !math.IsNaN(row[j+1]) && s.shade(row[j+1]) == shade {
				j++
			}
			if shapes[shade] == nil {
				shades = append(shades, shade)
			}
			left, right, low, high := x(cells.edge(first)), x(cells.edge(j+1)), y(float64(i)-0.5), y(float64(i)+0.5)
			shapes[shade] = append(shapes[shade], vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: right, Y: high}})
		}
	}
	for _, shade := range shades {
		fillRects(c, shade, shapes[shade])
	}
}

// rampSteps is the maximum number of values in a legend of cells.
const rampSteps = 5

func (d *drawing) rampLegend() (entries []entry) {
	s := d.Cells.span()
	if math.IsInf(s.least, 1) {
		return nil
	}
	if d.Cells.Label != "" {
		entries = append(entries, entry{text: d.Cells.Label})
	}
	steps := rampSteps - 1
	if wide := s.most - s.least; wide < rampSteps && d.Cells.whole() {
		steps = int(wide)
	}
	for k := range steps + 1 {
		value := s.least
		if steps > 0 {
			value += float64((s.most - s.least) * float64(k) / float64(steps))
		}
		entries = append(entries, entry{text: tickText(math.Round(value*1000) / 1000), sign: swatch{s.shade(value)}})
	}
	return entries
}

func (c *Cells) whole() bool {
	for _, row := range c.Values {
		for _, value := range row {
			if value != math.Trunc(value) && !math.IsNaN(value) {
				return false
			}
		}
	}
	return true
}

type swatch struct{ colour color.Color }

func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.colour, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
}
