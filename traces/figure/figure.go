// Package figure draws what runs and studies have found, as SVG and PNG: lines with bands, points with bars,
// published points beside measured ones, histograms, heat maps; linear axes or by powers of two or ten. It does
// not know what it draws. The same figure gives the same bytes.
//
//	1 |      ___----   -- exact
//	  |   .*'          *  measured, with its band
//	  | .*
//	0 +---------
//	  1  2  4  8
//
// Curves differ by colour, marker and dashes; the colours are those of M. Okabe and K. Ito, "Color Universal
// Design" (2008), which most people with a colour vision deficiency tell apart. An SVG is light or dark as the
// reader's system is.
package figure

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"starloom/traces/svg"
)

// Figure is a set of curves over one x axis, or cells in rows and columns, or spans of time.
type Figure struct {
	Title  string
	X, Y   Axis
	Curves []Curve
	Cells  *Cells  // beneath the curves; nil for none
	Spans  []Spans // likewise
	Note   string  // in small letters below, what is left out for example; "" for none
	Height float64 // in points; 0 for the usual one
}

// Axis is the label of an axis and how it is divided.
type Axis struct {
	Label string
	Scale Scale
	Names []string // of 0, 1, 2 ..., in place of numbers
	Whole bool     // it counts something: no ticks between whole numbers
	// It reaches from Least to Most, and further if there are points; both 0: as far as there are points.
	Least, Most float64
}

// Scale is how an axis is divided.
type Scale int

// Values on a logarithmic axis are above 0.
const (
	Linear Scale = iota // equal distances
	Log2                // by powers of two
	Log10               // by powers of ten
)

// Curve is a named list of points. Colours and markers follow the order of the curves, and repeat after
// eight; Of is the name of what has one colour and marker in several curves, "" for the curve's own.
type Curve struct {
	Name   string
	Of     string
	Style  Style
	Points []Point
}

// Style is how the points of a curve are drawn.
type Style int

const (
	Line      Style = iota // joined
	Dashed                 // joined by dashes
	Dots                   // as markers
	Marked                 // joined, with markers
	Published              // as crosses in the colour of text
	Bars                   // as bars from 0
	Alerts                 // as large triangles in the colour of text
)

// Point is a point with its band: Low <= Y <= High where there is one, both 0 where there is none.
// The band of a line is an area, that of others a bar each.
type Point struct{ X, Y, Low, High float64 }

func (p Point) hasBand() bool { return p.Low != 0 || p.High != 0 }

// Spans are rectangles of one kind, in the units of the axes.
type Spans struct {
	Name   string
	Colour int // of the curves' colours, from 0 on; -1 that of grid lines, -2 a darker one
	Rects  []Rect
}

// Rect is a rectangle.
type Rect struct{ Left, Right, Low, High float64 }

// Cells are the values of a heat map, row by row from the bottom. NaN is an empty cell.
type Cells struct {
	Label  string // of the values
	Values [][]float64
	// The first column begins at From of the x axis, and each is Step wide. Step 0: they are numbered from 0.
	From, Step float64
}

func (c *Cells) edge(column int) float64 {
	if c.Step == 0 {
		return float64(column) - 0.5
	}
	return c.From + float64(c.Step*float64(column))
}

// XY makes a curve of points without bands; x and y have the same length.
func XY(name string, style Style, x, y []float64) Curve {
	c := Curve{Name: name, Style: style}
	for i := range x {
		c.Points = append(c.Points, Point{X: x[i], Y: y[i]})
	}
	return c
}

func (c *Curve) of() string {
	if c.Of == "" {
		return c.Name
	}
	return c.Of
}

func (c *Curve) joined() bool { return c.Style == Line || c.Style == Dashed || c.Style == Marked }

// check says why a figure cannot be drawn: it has no points, or one that is not on its axes.
func (f *Figure) check() error {
	points := 0
	for _, c := range f.Curves {
		for _, point := range c.Points {
			for _, value := range []float64{point.X, point.Y, point.Low, point.High} {
				if math.IsNaN(value) || math.IsInf(value, 0) {
					return fmt.Errorf("figure %q: curve %q has the point %+v", f.Title, c.Name, point)
				}
			}
			low := f.Y.Scale != Linear && (point.Y <= 0 || point.Low < 0 || point.hasBand() && point.Low == 0)
			if f.X.Scale != Linear && point.X <= 0 || low {
				return fmt.Errorf("figure %q: curve %q has the point %+v, which is not on a logarithmic axis", f.Title, c.Name, point)
			}
			points++
		}
	}
	if f.Cells != nil {
		for _, row := range f.Cells.Values {
			points += len(row)
		}
	}
	for _, s := range f.Spans {
		points += len(s.Rects) + 1 // without any, the axes are a picture
	}
	if points == 0 {
		return errors.New("figure " + f.Title + " has no points")
	}
	return nil
}

func (f *Figure) describe() string {
	var said []string
	if f.X.Label != "" || f.Y.Label != "" {
		said = append(said, fmt.Sprintf("%s over %s.", f.Y.Label, f.X.Label))
	}
	for i := range f.Curves {
		c := &f.Curves[i]
		if len(c.Points) == 0 {
			continue
		}
		s := span{math.Inf(1), math.Inf(-1)}
		for _, p := range c.Points {
			s.take(p.Y)
		}
		said = append(said, fmt.Sprintf("%s: %d points, from %s to %s.", c.Name, len(c.Points), tickText(s.least), tickText(s.most)))
	}
	if f.Note != "" {
		said = append(said, f.Note)
	}
	return strings.Join(said, " ")
}

type drawing struct {
	*Figure
	dark bool
}

func (d *drawing) colour(c svg.Colour) svg.Colour { return c.On(d.dark) }
