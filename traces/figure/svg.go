package figure

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starloom/traces/input"
)

// canvas writes SVG. Its origin is at the bottom left, that of SVG at the top left. Colours by role are
// classes, which a style sheet makes light or dark.
type canvas struct {
	body bytes.Buffer
	w, h vg.Length

	now    state
	stack  []state
	anchor Align // of words; "" is Begin
}

type state struct {
	line   vg.Length
	dashes []vg.Length
	colour color.Color
	move   vg.Point
	turn   float64 // radians
}

func newCanvas(w, h vg.Length, title, description string) *canvas {
	c := &canvas{w: w, h: h}
	vg.Initialize(c)
	c.body.WriteString(head(w, h, title, description))
	return c
}

func head(w, h vg.Length, title, description string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" class="figure" `+
		`font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n<title>%s</title>\n<desc>%s</desc>\n<style>\n%s</style>\n",
		number(w), number(h), number(w), number(h), html.EscapeString(input.Printable(title)), html.EscapeString(input.Printable(description)), styleSheet())
}

func styleSheet() string {
	rules := func(colours []uint32) string {
		var b strings.Builder
		for r, rgb := range colours {
			fmt.Fprintf(&b, ".figure .f%d{fill:#%06x}.figure .s%d{stroke:#%06x}\n", r, rgb, r, rgb)
		}
		return b.String()
	}
	return rules(light[:]) + "@media screen and (prefers-color-scheme:dark){\n" + rules(dark[:]) + "}\n"
}

func (c *canvas) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, input.PrintableLines(c.body.String())+"</svg>\n")
	return int64(n), err
}

// titled puts what is drawn until its result is called into a group with a title, for readers of screens and
// as a tooltip. Other canvases have no titles.
func titled(d draw.Canvas, title string) (end func()) {
	c := inner(d)
	if c == nil || title == "" {
		return func() {}
	}
	return c.titled(title)
}

// inner is the canvas of a part of one, nil if it writes no SVG.
func inner(part draw.Canvas) *canvas {
	whole := part.Canvas
	for { // a part of a canvas is one around it
		around, ok := whole.(draw.Canvas)
		if !ok {
			break
		}
		whole = around.Canvas
	}
	c, _ := whole.(*canvas)
	return c
}

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
		fmt.Fprintf(&b, "M%sH%sV%sH%sZ", c.xy(r.Min), number(r.Max.X), number(c.h-r.Max.Y), number(r.Min.X))
	}
	fmt.Fprintf(&c.body, `<path d="%s" %s shape-rendering="crispEdges"/>`+"\n", b.String(), c.colours("f"))
}

func (c *canvas) titled(title string) (end func()) {
	fmt.Fprintf(&c.body, "<g><title>%s</title>\n", html.EscapeString(input.Printable(title)))
	return func() { c.body.WriteString("</g>\n") }
}

// number writes a length in points with at most two decimals. What is beyond the sixth is noise of the
// processor's arithmetic.
func number(l vg.Length) string {
	value := math.Round(math.Round(float64(l)*1e6)/1e4) / 100
	if value == 0 { // not -0
		return "0"
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

func (c *canvas) Size() (w, h vg.Length) { return c.w, c.h }

func (c *canvas) SetLineWidth(w vg.Length) { c.now.line = w }

func (c *canvas) SetLineDash(pattern []vg.Length, _ vg.Length) { c.now.dashes = pattern }

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

func (c *canvas) xy(at vg.Point) string {
	at = c.place(at)
	return number(at.X) + " " + number(c.h-at.Y)
}

// colours is the attribute of a colour, of "f"ill or "s"troke.
func (c *canvas) colours(kind string) string { return attribute(kind, c.now.colour) }

func attribute(kind string, c color.Color) string {
	name := map[string]string{"f": "fill", "s": "stroke"}[kind]
	opacity := func(alpha uint8) string {
		if alpha == 255 {
			return ""
		}
		return fmt.Sprintf(` %s-opacity="%s"`, name, number(vg.Length(float64(alpha)/255)))
	}
	if p, ok := c.(paint); ok {
		return fmt.Sprintf(`class="%s%d"`, kind, p.role) + opacity(p.alpha)
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf(`%s="#%02x%02x%02x"`, name, n.R, n.G, n.B) + opacity(n.A)
}

func (c *canvas) Stroke(path vg.Path) {
	if c.now.line <= 0 {
		return
	}
	dashes := ""
	if len(c.now.dashes) > 0 {
		lengths := make([]string, len(c.now.dashes))
		for i, d := range c.now.dashes {
			lengths[i] = number(d)
		}
		dashes = ` stroke-dasharray="` + strings.Join(lengths, " ") + `"`
	}
	fmt.Fprintf(&c.body, `<%s fill="none" %s stroke-width="%s"%s/>`+"\n", c.shape(path), c.colours("s"), number(c.now.line), dashes)
}

func (c *canvas) Fill(path vg.Path) {
	sharp := ""
	if _, cell := c.now.colour.(color.NRGBA); cell { // no seams between cells
		sharp = ` shape-rendering="crispEdges"`
	}
	fmt.Fprintf(&c.body, "<%s %s%s/>\n", c.shape(path), c.colours("f"), sharp)
}

// shape is the element of a path: a circle, or any other.
func (c *canvas) shape(path vg.Path) string {
	if len(path) >= 2 && path[0].Type == vg.MoveComp && path[1].Type == vg.ArcComp && math.Abs(path[1].Angle) > 6.28 {
		at := c.place(path[1].Pos)
		return fmt.Sprintf(`circle cx="%s" cy="%s" r="%s"`, number(at.X), number(c.h-at.Y), number(path[1].Radius))
	}
	return `path d="` + c.path(path) + `"`
}

// path writes a path. Its only arcs are whole circles, and stand alone; figures have no other curves.
func (c *canvas) path(path vg.Path) string {
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
	return b.String()
}

func (c *canvas) FillString(face font.Face, at vg.Point, text string) {
	if face.Font.Size == 0 {
		return
	}
	place := c.place(at)
	x, y, turned := number(place.X), number(c.h-place.Y), ""
	if c.now.turn != 0 {
		turned = fmt.Sprintf(` transform="rotate(%s %s %s)"`, number(vg.Length(-c.now.turn*180/math.Pi)), x, y)
	}
	if c.anchor != "" && c.anchor != Begin {
		turned += fmt.Sprintf(` text-anchor="%s"`, c.anchor)
	}
	length := ""
	if face.Face != nil { // words take the room that was measured, whatever font the reader has
		length = fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, number(face.Width(text)))
	}
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s" %s%s%s>%s</text>`+"\n",
		x, y, number(face.Font.Size), c.colours("f"), turned, length, html.EscapeString(input.Printable(text)))
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// role is what a colour is for. Drawings name roles; a palette says what they look like.
type role uint8

const (
	paper role = iota
	ink
	faint // grid lines
	first // of the curves
)

// curveColours is how many curves have a colour of their own.
const curveColours = 8

// Colours of roles on light and on dark paper. Those of curves are from Okabe and Ito; where they are too pale
// or too dark for the paper, in another lightness.
var (
	light = [...]uint32{0xffffff, 0x1a1a1a, 0xdddddd, 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x8a7d00, 0x000000}
	dark  = [...]uint32{0x14171c, 0xe8e8e8, 0x3a4048, 0x4aa8e0, 0xff8a3c, 0x2ec99c, 0xe39ac4, 0xf0b429, 0x8fd0f7, 0xf0e442, 0xffffff}
)

func colourOf(number int) role { return first + role(number%curveColours) }

// paint is a colour by its role, as transparent as alpha says. RGBA is its look on light paper, for canvases
// that know no roles.
type paint struct {
	role  role
	alpha uint8 // 255 is opaque
	dark  bool
}

func (p paint) RGBA() (r, g, b, a uint32) {
	rgb := light[p.role]
	if p.dark {
		rgb = dark[p.role]
	}
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), p.alpha}.RGBA()
}

// ramp is the colour of a value from 0 to 1 in a heat map: cividis (J. Nuñez, C. Anderton, R. Renslow, 2018),
// in nine steps with straight lines between them.
func ramp(value float64) color.NRGBA {
	steps := [...]uint32{0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838}
	at := float64(min(max(value, 0), 1) * float64(len(steps)-1))
	k := min(int(at), len(steps)-2)
	part := at - float64(k)
	mix := func(shift uint) uint8 {
		a, b := float64(steps[k]>>shift&0xff), float64(steps[k+1]>>shift&0xff)
		return uint8(a + float64((b-a)*part) + 0.5)
	}
	return color.NRGBA{mix(16), mix(8), mix(0), 255}
}
