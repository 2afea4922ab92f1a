package figure

import (
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starloom/traces/svg"
)

// canvas makes gonum draw on an SVG. Its origin is at the bottom left.
type canvas struct {
	d    *svg.Drawing
	w, h vg.Length

	now   state
	stack []state
}

type state struct {
	line   vg.Length
	dashes []float64
	colour color.Color
	move   vg.Point
	turn   float64 // radians
}

func newCanvas(d *svg.Drawing, w, h vg.Length) *canvas {
	c := &canvas{d: d, w: w, h: h}
	vg.Initialize(c)
	return c
}

// titled begins a group with a title, which only an SVG has.
func titled(d draw.Canvas, title string) (end func()) {
	c := inner(d)
	if c == nil || title == "" {
		return func() {}
	}
	return c.d.Group(title)
}

// inner returns the SVG under a part of a canvas, nil for none.
func inner(part draw.Canvas) *canvas {
	whole := part.Canvas
	for {
		around, ok := whole.(draw.Canvas)
		if !ok {
			break
		}
		whole = around.Canvas
	}
	c, _ := whole.(*canvas)
	return c
}

// fillRects fills rectangles as one shape.
func fillRects(d draw.Canvas, colour color.Color, rects []vg.Rectangle) {
	if len(rects) == 0 {
		return
	}
	d.SetColor(colour)
	c := inner(d)
	if c == nil {
		var path vg.Path
		for _, r := range rects {
			path = append(path, r.Path()...)
		}
		d.Fill(path)
		return
	}
	var b strings.Builder
	for _, r := range rects {
		b.WriteString("M" + c.xy(r.Min) + "H" + number(r.Max.X) + "V" + number(c.h-r.Max.Y) + "H" + number(r.Min.X) + "Z")
	}
	c.d.Path(b.String(), svg.Fill(colour), svg.Crisp)
}

func number(l vg.Length) string { return svg.Number(float64(l)) }

func (c *canvas) Size() (w, h vg.Length) { return c.w, c.h }

func (c *canvas) SetLineWidth(w vg.Length) { c.now.line = w }

func (c *canvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	c.now.dashes = nil
	for _, length := range pattern {
		c.now.dashes = append(c.now.dashes, float64(length))
	}
}

func (c *canvas) SetColor(colour color.Color) { c.now.colour = colour }

func (c *canvas) Rotate(radians float64) { c.now.turn += radians }

func (c *canvas) Translate(by vg.Point) { c.now.move = c.place(by) }

// Scale implements vg.Canvas. Figures are not scaled.
func (c *canvas) Scale(float64, float64) {}

func (c *canvas) Push() { c.stack = append(c.stack, c.now) }

func (c *canvas) Pop() { c.now, c.stack = c.stack[len(c.stack)-1], c.stack[:len(c.stack)-1] }

func (c *canvas) place(at vg.Point) vg.Point {
	if c.now.turn == 0 {
		return c.now.move.Add(at)
	}
	sin, cos := math.Sincos(c.now.turn)
	return vg.Point{
		X: c.now.move.X + vg.Length(float64(float64(at.X)*cos)-float64(float64(at.Y)*sin)),
		Y: c.now.move.Y + vg.Length(float64(float64(at.X)*sin)+float64(float64(at.Y)*cos)),
	}
}

// fromTop converts a position to coordinates from the top left.
func (c *canvas) fromTop(at vg.Point) (x, y float64) {
	at = c.place(at)
	return float64(at.X), float64(c.h - at.Y)
}

func (c *canvas) xy(at vg.Point) string {
	x, y := c.fromTop(at)
	return svg.Number(x) + " " + svg.Number(y)
}

func (c *canvas) Stroke(path vg.Path) {
	if c.now.line > 0 {
		c.shape(path, svg.NoFill, svg.Stroke(c.now.colour), svg.Width(float64(c.now.line)), svg.Dashes(c.now.dashes...))
	}
}

func (c *canvas) Fill(path vg.Path) {
	var edges svg.Attr
	if _, cell := c.now.colour.(color.NRGBA); cell {
		edges = svg.Crisp
	}
	c.shape(path, svg.Fill(c.now.colour), edges)
}

// shape draws a path. An arc is a whole circle and the only element of its path; figures have no other curves.
func (c *canvas) shape(path vg.Path, attrs ...svg.Attr) {
	if len(path) >= 2 && path[0].Type == vg.MoveComp && path[1].Type == vg.ArcComp && math.Abs(path[1].Angle) > 6.28 {
		x, y := c.fromTop(path[1].Pos)
		c.d.Circle(x, y, float64(path[1].Radius), attrs...)
		return
	}
	var b strings.Builder
	for _, step := range path {
		switch step.Type {
		case vg.MoveComp:
			b.WriteString("M" + c.xy(step.Pos))
		case vg.LineComp:
			b.WriteString("L" + c.xy(step.Pos))
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	c.d.Path(b.String(), attrs...)
}

// FillString writes text in the reader's font, as wide as gonum measures it.
func (c *canvas) FillString(face font.Face, at vg.Point, text string) {
	if face.Font.Size == 0 {
		return
	}
	x, y := c.fromTop(at)
	var turned svg.Attr
	if c.now.turn != 0 {
		turned = svg.Turned(-c.now.turn*180/math.Pi, x, y)
	}
	c.d.Text(x, y, text, svg.Size(float64(face.Font.Size)), svg.Fill(c.now.colour), turned,
		svg.TextLength(float64(face.Width(text))))
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}
