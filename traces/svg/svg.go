// Package svg writes pictures as SVG. A picture has a title and a description for readers who cannot see it. Colours
// have roles; the style sheet maps roles to colours for light and dark paper, by the preference of the reader's
// system. Equal calls write equal bytes.
//
//	d := svg.New(w, 300, 200, "title", "description")
//	d.Text(12, 24, "words", svg.Size(14), svg.Fill(svg.Ink))
//	err := d.Close()
package svg

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// Drawing writes the elements of one SVG in call order. Lengths are in points, and coordinates start at the top left.
// Text becomes printable and is escaped.
type Drawing struct{ out *bufio.Writer }

// New begins a picture with the style sheet and the paper of figures.
func New(w io.Writer, width, height float64, title, description string) *Drawing {
	d := begin(w, "figure", width, height, title, ` font-family="Liberation Sans, Arial, Helvetica, sans-serif"`)
	d.printf("<desc>%s</desc>\n<style>\n%s</style>\n", escaped(description), styleSheet())
	d.Areas(Paper, Line{{0, height}, {width, height}, {width, 0}, {0, 0}})
	return d
}

// Bare begins a picture with a class and without paper. The style sheet of the surrounding page sets its colours.
func Bare(w io.Writer, class string, width, height float64, title, description string) *Drawing {
	d := begin(w, class, width, height, title, "")
	if description != "" {
		d.printf("<desc>%s</desc>\n", escaped(description))
	}
	return d
}

func begin(w io.Writer, class string, width, height float64, title, more string) *Drawing {
	d := &Drawing{bufio.NewWriter(w)}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" class="%s"%s>`+
		"\n<title>%s</title>\n",
		Number(width), Number(height), Number(width), Number(height), class, more, escaped(title))
	return d
}

// printf writes to the buffer, which keeps the first error for Close.
func (d *Drawing) printf(format string, values ...any) { fmt.Fprintf(d.out, format, values...) }

// Close ends the picture. It returns the first error of the writer.
func (d *Drawing) Close() error {
	_, _ = d.out.WriteString("</svg>\n")
	return d.out.Flush()
}

func escaped(words string) string { return html.EscapeString(input.Printable(words)) }

// Number formats a length with at most two decimals. Digits after the sixth decimal are rounding errors and differ
// between processors.
func Number(length float64) string {
	value := math.Round(math.Round(length*1e6)/1e4) / 100
	if value == 0 { // not -0
		return "0"
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// Attr is an attribute of an element in the form NAME="VALUE". An empty attribute is not written.
type Attr string

// Attributes without parameters.
const (
	Middle Attr = `text-anchor="middle"` // centres a text horizontally
	End    Attr = `text-anchor="end"`    // right-aligns a text
	NoFill Attr = `fill="none"`          // draws the outline only
	// Hovered shows the tooltip of a group also inside an unfilled element.
	Hovered Attr = `pointer-events="all"`
	Crisp   Attr = `shape-rendering="crispEdges"` // leaves no seams between adjacent cells
)

func attribute(name, value string) Attr { return Attr(name + `="` + value + `"`) }

// Size returns the attribute for the size of a text in points.
func Size(points float64) Attr { return attribute("font-size", Number(points)) }

// Width returns the attribute for the width of a line in points.
func Width(points float64) Attr { return attribute("stroke-width", Number(points)) }

// TextLength stretches a text to a width in points.
func TextLength(points float64) Attr {
	return attribute("textLength", Number(points)) + ` lengthAdjust="spacingAndGlyphs"`
}

// Class sets a class of the page's style sheet; "" sets none.
func Class(name string) Attr {
	if name == "" {
		return ""
	}
	return attribute("class", name)
}

// Turned rotates an element clockwise around (x, y).
func Turned(degrees, x, y float64) Attr {
	return attribute("transform", "rotate("+Number(degrees)+" "+Number(x)+" "+Number(y)+")")
}

// Dashes sets the alternating lengths of dashes and gaps. Without lengths the line is solid.
func Dashes(lengths ...float64) (a Attr) {
	if len(lengths) == 0 {
		return ""
	}
	text := Number(lengths[0])
	for _, length := range lengths[1:] {
		text += " " + Number(length)
	}
	return attribute("stroke-dasharray", text)
}

func (d *Drawing) attributes(all []Attr) {
	for _, a := range all {
		if a != "" {
			d.printf(" %s", a)
		}
	}
}

func (d *Drawing) element(attrs []Attr, format string, values ...any) {
	d.printf("<"+format, values...)
	d.attributes(attrs)
	_, _ = d.out.WriteString("/>\n")
}

// Path draws path data.
func (d *Drawing) Path(data string, attrs ...Attr) { d.element(attrs, `path d="%s"`, data) }

// Rect draws a rectangle; (x, y) is its top left corner.
func (d *Drawing) Rect(x, y, width, height float64, attrs ...Attr) {
	d.element(attrs, `rect x="%s" y="%s" width="%s" height="%s"`, Number(x), Number(y), Number(width), Number(height))
}

// Circle draws a circle.
func (d *Drawing) Circle(x, y, radius float64, attrs ...Attr) {
	d.element(attrs, `circle cx="%s" cy="%s" r="%s"`, Number(x), Number(y), Number(radius))
}

// Text writes words from (x, y) to the right; y is the baseline.
func (d *Drawing) Text(x, y float64, words string, attrs ...Attr) {
	d.printf(`<text x="%s" y="%s"`, Number(x), Number(y))
	d.attributes(attrs)
	d.printf(">%s</text>\n", escaped(words))
}

// Upright writes words from (x, y) upwards; x is the baseline.
func (d *Drawing) Upright(x, y float64, words string, attrs ...Attr) {
	d.Text(x, y, words, append(attrs, Turned(-90, x, y))...)
}

// Group groups the elements drawn before the call of end. Screen readers speak its title, and browsers show it as a
// tooltip; "" means no title.
func (d *Drawing) Group(title string, attrs ...Attr) (end func()) {
	_, _ = d.out.WriteString("<g")
	d.attributes(attrs)
	_, _ = d.out.WriteString(">")
	if title != "" {
		d.printf("<title>%s</title>", escaped(title))
	}
	_, _ = d.out.WriteString("\n")
	return func() { _, _ = d.out.WriteString("</g>\n") }
}

// Line is a polyline, or the outline of an area.
type Line []struct{ X, Y float64 }

// Segment returns the line from (x, y) to (toX, toY).
func Segment(x, y, toX, toY float64) Line { return Line{{x, y}, {toX, toY}} }

// Arrowhead returns the outline of the head of an arrow from (x, y) to (toX, toY), beginning with the tip. before is
// the distance from the tip to (toX, toY), long the length of the head, and half half its width.
func Arrowhead(x, y, toX, toY, before, long, half float64) Line {
	dx, dy := toX-x, toY-y
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	dx, dy = dx/length, dy/length
	tipX, tipY := toX-float64(before*dx), toY-float64(before*dy)
	neckX, neckY := tipX-float64(long*dx), tipY-float64(long*dy)
	dx, dy = float64(half*dx), float64(half*dy)
	return Line{{tipX, tipY}, {neckX - dy, neckY + dx}, {neckX + dy, neckY - dx}}
}

// Box returns the outline of a rectangle around (x, y).
func Box(x, y, halfWidth, halfHeight float64) Line {
	return Line{{x - halfWidth, y - halfHeight}, {x + halfWidth, y - halfHeight}, {x + halfWidth, y + halfHeight},
		{x - halfWidth, y + halfHeight}}
}

// Lines draws lines of one width as a single element.
func (d *Drawing) Lines(c Colour, width float64, lines []Line, attrs ...Attr) {
	if data := joined(lines, ""); data != "" {
		d.Path(data, append([]Attr{NoFill, Stroke(c), Width(width)}, attrs...)...)
	}
}

// Line draws a straight line.
func (d *Drawing) Line(c Colour, width, x, y, toX, toY float64) {
	d.Lines(c, width, []Line{Segment(x, y, toX, toY)})
}

// Areas fills outlines as a single element.
func (d *Drawing) Areas(c Colour, outlines ...Line) {
	if data := joined(outlines, "Z"); data != "" {
		d.Path(data, Fill(c))
	}
}

func joined(lines []Line, end string) string {
	var data strings.Builder
	for _, line := range lines {
		for i, p := range line {
			_ = data.WriteByte("ML"[min(i, 1)])
			data.WriteString(Number(p.X) + " " + Number(p.Y))
		}
		data.WriteString(end)
	}
	return data.String()
}

// Disc draws a disc with an edge.
func (d *Drawing) Disc(x, y, radius float64, fill, edge Colour) {
	d.Circle(x, y, radius, Fill(fill))
	d.Circle(x, y, radius, NoFill, Stroke(edge), Width(1))
}
