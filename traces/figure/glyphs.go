package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// glyphLine is the width of the lines of markers that are not filled: gonum's own are hardly seen.
const glyphLine = 1.2

// outline is a marker of so many corners that is not filled, the first above the middle or beside that; 0 is a ring.
type outline struct {
	corners int
	turned  bool
}

func (o outline) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: glyphLine})
	var path vg.Path
	if o.corners == 0 {
		path.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
		path.Arc(at, style.Radius, 0, 2*math.Pi)
	}
	for k := range o.corners {
		turn := float64(k)
		if o.turned {
			turn += 0.5
		}
		sin, cos := math.Sincos(float64(2 * math.Pi * turn / float64(o.corners)))
		corner := vg.Point{X: at.X + vg.Length(float64(1.3*float64(style.Radius)*sin)), Y: at.Y + vg.Length(float64(1.3*float64(style.Radius)*cos))}
		if k == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.Stroke(path)
}

// strokes is a marker of two lines, upright or askew.
type strokes struct{ askew bool }

func (s strokes) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: glyphLine})
	r, zero := style.Radius, vg.Length(0)
	first, second := vg.Point{X: r, Y: zero}, vg.Point{X: zero, Y: r}
	if s.askew {
		r = vg.Length(float64(0.75 * float64(r)))
		first, second = vg.Point{X: r, Y: r}, vg.Point{X: r, Y: -r}
	}
	for _, to := range []vg.Point{first, second} {
		var path vg.Path
		path.Move(at.Sub(to))
		path.Line(at.Add(to))
		c.Stroke(path)
	}
}
