package plot

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The picture: the plotting area, in pixels, and what is around it.
const (
	width, height = 860, 500
	left, right   = 80, 640 // the legend is right of it
	top, bottom   = 50, 440
	dotRadius     = 3
	legendRow     = 20
)

// colours can be told apart by everyone, and on paper (M. Okabe and K. Ito, "Color
// Universal Design", without its yellow, and with grey).
var colours = [8]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#888888"}

// WriteSVG draws the plot. It has an error when there is nothing to draw, or a point that
// is not a number or not on a logarithmic axis, and those of w.
func (p *Plot) WriteSVG(w io.Writer) error {
	if err := p.check(); err != nil {
		return err
	}
	d := drawing{Plot: p, out: bufio.NewWriter(w)}
	d.scale()
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	d.printf("<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", escape(p.Title))
	d.text((left+right)/2, top-24, `text-anchor="middle" font-size="16"`, p.Title)
	d.axes()
	for i, c := range p.Curves {
		d.curve(c, colours[i%len(colours)])
		d.legend(c, colours[i%len(colours)], top+10+i*legendRow)
	}
	d.printf("</svg>\n")
	return d.out.Flush() // the first error stays until here
}

// drawing is a plot that is being drawn.
type drawing struct {
	*Plot
	out  *bufio.Writer
	x, y scale
}

func (d *drawing) printf(format string, values ...any) { fmt.Fprintf(d.out, format, values...) }

func escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a strings.Builder has no errors
	return out.String()
}

func (d *drawing) text(x, y float64, attributes, text string) {
	d.printf(`<text x="%.1f" y="%.1f" %s>%s</text>`+"\n", x, y, attributes, escape(text))
}

// scale finds the ranges of both axes.
func (d *drawing) scale() {
	least := Point{X: math.Inf(1), Y: math.Inf(1)}
	most := Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, c := range d.Curves {
		for _, point := range c.Points {
			least.X, most.X = min(least.X, point.X), max(most.X, point.X)
			least.Y, most.Y = min(least.Y, point.Y), max(most.Y, point.Y)
			if point.hasBand() {
				least.Y, most.Y = min(least.Y, point.Low), max(most.Y, point.High)
			}
		}
	}
	d.x = newScale(d.X, least.X, most.X, left, right)
	d.y = newScale(d.Y, least.Y, most.Y, bottom, top)
}

// axes draws the frame, a grid at the ticks, their values and the labels.
func (d *drawing) axes() {
	for _, tick := range d.x.ticks() {
		d.printf(`<path d="M%.1f %dV%d" stroke="#ddd"/>`+"\n", tick.at, top, bottom)
		d.text(tick.at, bottom+18, `text-anchor="middle"`, tick.text)
	}
	for _, tick := range d.y.ticks() {
		d.printf(`<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", left, tick.at, right)
		d.text(left-8, tick.at+4, `text-anchor="end"`, tick.text)
	}
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#000"/>`+"\n", left, top, right-left, bottom-top)
	d.text((left+right)/2, bottom+42, `text-anchor="middle"`, d.X.Label)
	d.text(0, 0, fmt.Sprintf(`text-anchor="middle" transform="translate(20 %d) rotate(-90)"`, (top+bottom)/2), d.Y.Label)
}

// curve draws the band, then the points.
func (d *drawing) curve(c Curve, colour string) {
	if c.Style == Dots {
		for _, point := range c.Points {
			x := d.x.at(point.X)
			if point.hasBand() {
				d.printf(`<path d="M%.1f %.1fV%.1f" stroke="%s"/>`+"\n", x, d.y.at(point.Low), d.y.at(point.High), colour)
			}
			d.printf(`<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"/>`+"\n", x, d.y.at(point.Y), dotRadius, colour)
		}
		return
	}
	points := slices.SortedStableFunc(slices.Values(c.Points), func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	d.band(points, colour)
	d.printf(`<path d="%s" fill="none" stroke="%s" stroke-width="1.5"%s/>`+"\n", d.path(points, func(p Point) float64 { return p.Y }), colour, dashes(c.Style))
}

// band draws the area between Low and High of the points that have a band.
func (d *drawing) band(points []Point, colour string) {
	banded := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !p.hasBand() })
	if len(banded) == 0 {
		return
	}
	upper := d.path(banded, func(p Point) float64 { return p.High })
	slices.Reverse(banded)
	lower := d.path(banded, func(p Point) float64 { return p.Low })
	d.printf(`<path d="%sL%sZ" fill="%s" fill-opacity="0.2"/>`+"\n", upper, lower[1:], colour)
}

// path joins points at the given heights.
func (d *drawing) path(points []Point, height func(Point) float64) string {
	var path strings.Builder
	for i, point := range points {
		command := 'L'
		if i == 0 {
			command = 'M'
		}
		fmt.Fprintf(&path, "%c%.1f %.1f", command, d.x.at(point.X), d.y.at(height(point)))
	}
	return path.String()
}

func dashes(style Style) string {
	if style == Dashed {
		return ` stroke-dasharray="6 4"`
	}
	return ""
}

// legend draws a curve's name with its line or dot.
func (d *drawing) legend(c Curve, colour string, y int) {
	if c.Style == Dots {
		d.printf(`<circle cx="%d" cy="%d" r="%d" fill="%s"/>`+"\n", right+26, y, dotRadius, colour)
	} else {
		d.printf(`<path d="M%d %dh24" stroke="%s" stroke-width="1.5"%s/>`+"\n", right+14, y, colour, dashes(c.Style))
	}
	d.text(right+44, float64(y)+4, "", c.Name)
}
