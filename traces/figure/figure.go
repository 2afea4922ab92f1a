// Package figure draws results as SVG and PNG: lines with bands, points with bars, published points, histograms and
// heat maps, on linear or logarithmic axes. Equal figures yield equal bytes.
//
//	1 |      ___----   -- exact
//	  |   .*'          *  measured, with its band
//	  | .*
//	0 +---------
//	  1  2  4  8
//
// Curves differ in colour, marker and dashes.
package figure

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"starloom/traces/svg"
)

// Figure holds curves over one x axis, cells in rows and columns, or spans of time.
type Figure struct {
	Title  string
	X, Y   Axis
	Curves []Curve
	Cells  *Cells  // below the curves; nil for none
	Spans  []Spans // below the curves
	Note   string  // small print below the figure, such as a list of omissions; "" for none
	Width  float64 // in points, from WidthMin to WidthMax; 0 for the default
	Height float64 // height of axes and title in points; 0 for the default
}

// Axis is the label, the scale and the range of an axis.
type Axis struct {
	Label string
	Scale Scale
	Names []string // names of 0, 1, 2 and so on, in place of numbers
	Whole bool     // a count: ticks are whole numbers
	// the axis includes the range from Least to Most, in addition to all points; both 0 for none
	Least, Most float64
}

// Scale divides an axis.
type Scale int

// Scales. Values on a logarithmic axis are positive.
const (
	Linear Scale = iota // equal distances
	Log2                // powers of two
	Log10               // powers of ten
)

// Curve is a named list of points. Colours and markers follow the order of curves. Curves with equal Of share a
// colour and a marker; "" stands for the curve's name.
type Curve struct {
	Name     string
	Of       string
	Style    Style
	Unlisted bool // the legend omits the curve
	Points   []Point
}

// Style draws the points of a curve.
type Style int

const (
	Line      Style = iota // a line
	Dashed                 // a dashed line
	Dots                   // markers
	Marked                 // a line with markers
	Published              // crosses in the colour of text
	Bars                   // bars from 0
	Alerts                 // large triangles in the colour of text
	Beyond                 // a dashed line with hollow markers, without a marker at its first point
)

// Point is a point with its band: Low <= Y <= High, or both 0 for none. The band of a line is an area; other styles
// have a bar at each point.
type Point struct{ X, Y, Low, High float64 }

func (p Point) hasBand() bool { return p.Low != 0 || p.High != 0 }

// Spans holds rectangles of one kind in units of the axes.
type Spans struct {
	Name   string
	Colour int // index of a curve's colour; -1 for the colour of grid lines, -2 for grey
	Rects  []Rect
}

// Rect is a rectangle in units of the axes.
type Rect struct{ Left, Right, Low, High float64 }

// Cells holds the values of a heat map, rows from the bottom. NaN is an empty cell.
type Cells struct {
	Label  string // of the values
	Values [][]float64
	// The first column begins at From on the x axis; each column is Step wide. Step 0 numbers the columns from 0.
	From, Step float64
}

// points returns the number of points of all curves.
func (f *Figure) points() (count int) {
	for i := range f.Curves {
		count += len(f.Curves[i].Points)
	}
	return count
}

// value formats a value of the axis.
func (a *Axis) value(v float64) string {
	if i := int(v); a.Names != nil && i >= 0 && i < len(a.Names) && float64(i) == v {
		return a.Names[i]
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func (c *Cells) edge(column int) float64 {
	if c.Step == 0 {
		return float64(column) - 0.5
	}
	return c.From + float64(c.Step*float64(column))
}

// XY returns a curve of points without bands; x and y have equal lengths.
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

func (c *Curve) joined() bool {
	return c.Style == Line || c.Style == Dashed || c.Style == Marked || c.Style == Beyond
}

func (c *Curve) marked() bool { return !c.joined() || c.Style == Marked || c.Style == Beyond }

// check returns an error for a figure without points, or with a point beyond its axes.
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
				return fmt.Errorf("figure %q: curve %q has the point %+v, which a logarithmic axis cannot show", f.Title, c.Name,
					point)
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
		points += len(s.Rects) + 1 // axes alone are a picture
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
		said = append(said,
			fmt.Sprintf("%s: %d points, from %s to %s.", c.Name, len(c.Points), tickText(s.least), tickText(s.most)))
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
