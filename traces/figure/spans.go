package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// spans draws spans of one kind as one shape.
type spans struct {
	d *drawing
	s *Spans
}

func (s spans) colour() paint {
	switch s.s.Colour {
	case -1:
		return s.d.colour(faint)
	case -2:
		grey := s.d.colour(ink)
		grey.alpha = 128
		return grey
	}
	return s.d.colour(colourOf(s.s.Colour))
}

func (s spans) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	defer titled(c, s.s.Name)()
	var rects []vg.Rectangle
	for _, r := range s.s.Rects {
		rects = append(rects, vg.Rectangle{Min: vg.Point{X: x(r.Left), Y: y(r.Low)}, Max: vg.Point{X: x(r.Right), Y: y(r.High)}})
	}
	fillRects(c, s.colour(), rects)
}
