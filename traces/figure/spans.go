package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// spans draws spans of one kind, those that are equally pale as one shape.
type spans struct {
	d *drawing
	s *Spans
}

// pales are how many parts a rectangle may show.
const pales = 4

func (s spans) colour(part float64) paint {
	r := faint
	if s.s.Colour >= 0 {
		r = colourOf(s.s.Colour)
	}
	return paint{r, uint8(255 * math.Ceil(part*pales) / pales), s.d.dark}
}

// Plot implements plot.Plotter.
func (s spans) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	defer titled(c, s.s.Name)()
	for k := 1; k <= pales; k++ {
		var path vg.Path
		for _, r := range s.s.Rects {
			if int(math.Ceil(r.Part*pales)) == k {
				left, right, low, high := x(r.Left), x(r.Right), y(r.Low), y(r.High)
				path.Move(vg.Point{X: left, Y: low})
				path.Line(vg.Point{X: left, Y: high})
				path.Line(vg.Point{X: right, Y: high})
				path.Line(vg.Point{X: right, Y: low})
				path.Close()
			}
		}
		if path != nil {
			c.SetColor(s.colour(float64(k) / pales))
			c.Fill(path)
		}
	}
}
