package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starloom/traces/rounded"
	"starloom/traces/svg"
)

var markers = [svg.Curves]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, outline{}, outline{4, true}, outline{3, false},
	strokes{}, strokes{true},
}

type curve struct {
	d      *drawing
	c      *Curve
	number int // of its colour and marker
}

// curve returns curve i with its colour. Curves with equal Of share a colour.
func (d *drawing) curve(index int) curve {
	var of []string
	for i := range index + 1 {
		if name := d.Curves[i].of(); !slices.Contains(of, name) && d.Curves[i].Style != Published &&
			d.Curves[i].Style != Alerts {
			of = append(of, name)
		}
	}
	return curve{d, &d.Curves[index], max(0, slices.Index(of, d.Curves[index].of()))}
}

func (c curve) colour() svg.Colour {
	if c.c.Style == Published || c.c.Style == Alerts {
		return svg.Ink.On(c.d.dark)
	}
	return svg.Of(c.number).On(c.d.dark)
}

func (c curve) line() draw.LineStyle {
	l := draw.LineStyle{Color: c.colour(), Width: 1.5}
	if c.c.Style == Dashed || c.c.Style == Beyond {
		l.Dashes = []vg.Length{5, 3}
	}
	return l
}

func (c curve) glyph() draw.GlyphStyle {
	switch c.c.Style {
	case Published:
		return draw.GlyphStyle{Color: c.colour(), Radius: 4.5, Shape: strokes{true}}
	case Alerts:
		return draw.GlyphStyle{Color: c.colour(), Radius: 5, Shape: draw.PyramidGlyph{}}
	case Beyond:
		return draw.GlyphStyle{Color: c.colour(), Radius: 3, Shape: outline{}}
	}
	// repeated colours have other markers
	shape, radius := markers[(c.number+c.number/svg.Curves)%len(markers)], vg.Length(2.5)
	switch shape.(type) {
	case strokes: // lines alone
		radius = 4
	}
	return draw.GlyphStyle{Color: c.colour(), Radius: radius, Shape: shape}
}

func (c curve) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	at := func(px, py float64) vg.Point { return vg.Point{X: x(px), Y: y(py)} }
	defer titled(canvas, c.c.Name)()
	points := c.c.Points
	if c.c.joined() {
		points = slices.Clone(points)
		slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
	switch {
	case c.c.Style == Bars:
		half := float64(c.c.barWidth() / 2)
		for _, point := range points {
			base := math.Max(0, p.Y.Min)
			end := func() {}
			if c.d.points() <= hoverMax {
				end = titled(canvas, c.values(point))
			}
			canvas.FillPolygon(c.colour(), []vg.Point{
				at(point.X-half, base), at(point.X-half, point.Y), at(point.X+half, point.Y), at(point.X+half, base)})
			end()
		}
	case c.c.joined():
		c.band(canvas, points, at)
		line := make([]vg.Point, len(points))
		for i, point := range points {
			line[i] = at(point.X, point.Y)
		}
		canvas.StrokeLines(c.line(), line)
	}
	if !c.c.marked() || c.c.Style == Bars {
		return
	}
	if c.c.Style == Beyond {
		points = points[min(1, len(points)):]
	}
	for _, point := range points {
		end := c.hover(canvas, point, at(point.X, point.Y))
		if point.hasBand() && !c.c.joined() {
			canvas.StrokeLine2(draw.LineStyle{Color: c.colour(), Width: 1}, x(point.X), y(point.Low), x(point.X), y(point.High))
		}
		canvas.DrawGlyph(c.glyph(), at(point.X, point.Y))
		end()
	}
}

// limits of tooltips: the maximum number of points of a figure with tooltips, and the radius around a point
const hoverMax, hoverRadius = 150, 8

// hover begins a group with the values of a point as its tooltip. Only an SVG with at most hoverMax points has
// tooltips.
func (c curve) hover(canvas draw.Canvas, point Point, at vg.Point) (end func()) {
	d := inner(canvas)
	if d == nil || c.d.points() > hoverMax {
		return func() {}
	}
	end = titled(canvas, c.values(point))
	x, y := d.fromTop(at)
	d.d.Circle(x, y, hoverRadius, svg.NoFill, svg.Hovered)
	return end
}

// values formats a point as "curve: Y at X".
func (c curve) values(point Point) string {
	x, y := c.d.X.value(point.X), c.d.Y.value(point.Y)
	if half := float64(float64(point.High-point.Low) / 2); point.hasBand() {
		if y = rounded.PlusMinus(point.Y, half); math.Abs(float64(point.High-point.Y)-half) > half/100 {
			y = c.d.Y.value(point.Y) + " (" + c.d.Y.value(point.Low) + " to " + c.d.Y.value(point.High) + ")"
		}
	}
	return c.c.Name + ": " + y + " at " + x
}

func (c curve) band(canvas draw.Canvas, points []Point, at func(x, y float64) vg.Point) {
	for first := 0; first < len(points); first++ {
		end := first
		for end < len(points) && points[end].hasBand() {
			end++
		}
		if end-first > 1 {
			var area []vg.Point
			for _, point := range points[first:end] {
				area = append(area, at(point.X, point.High))
			}
			for _, point := range slices.Backward(points[first:end]) {
				area = append(area, at(point.X, point.Low))
			}
			canvas.FillPolygon(c.colour().Pale(0.2), area)
		}
		first = max(first, end-1)
	}
}

func (c curve) Thumbnail(canvas *draw.Canvas) {
	middle := middleOf(canvas.Rectangle)
	if c.c.Style == Bars {
		canvas.FillPolygon(c.colour(), []vg.Point{{X: canvas.Min.X, Y: middle.Y - 3}, {X: canvas.Min.X, Y: middle.Y + 3},
			{X: canvas.Max.X, Y: middle.Y + 3}, {X: canvas.Max.X, Y: middle.Y - 3}})
		return
	}
	if c.c.joined() {
		canvas.StrokeLine2(c.line(), canvas.Min.X, middle.Y, canvas.Max.X, middle.Y)
	}
	if c.c.marked() {
		canvas.DrawGlyphNoClip(c.glyph(), middle)
	}
}

// barWidth returns nine tenths of the minimum distance between bars, 0.9 for a single bar.
func (c *Curve) barWidth() float64 {
	var xs []float64
	for _, p := range c.Points {
		xs = append(xs, p.X)
	}
	slices.Sort(xs)
	least := math.Inf(1)
	for i := 1; i < len(xs); i++ {
		if gap := xs[i] - xs[i-1]; gap > 0 {
			least = min(least, gap)
		}
	}
	if math.IsInf(least, 1) {
		least = 1
	}
	return float64(least * 0.9)
}

// glyphLine is the line width of hollow markers; gonum's lines are too thin.
const glyphLine = 1.2

// outline is a hollow polygon with a corner at the top or, if turned, an edge at the top. 0 corners draw a ring.
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
		corner := vg.Point{X: at.X + vg.Length(float64(1.3*float64(style.Radius)*sin)),
			Y: at.Y + vg.Length(float64(1.3*float64(style.Radius)*cos))}
		if k == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.Stroke(path)
}

// strokes is a marker of two crossed lines, upright or diagonal.
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
