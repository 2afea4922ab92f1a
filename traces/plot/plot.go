package plot

import (
	"errors"
	"fmt"
	"math"
)

// Plot is a set of curves over one x axis.
type Plot struct {
	Title  string
	X, Y   Axis
	Curves []Curve
}

// Axis is the label of an axis and how it is divided.
type Axis struct {
	Label string
	Log2  bool // by powers of two; values are above 0
}

// Curve is a named list of points, drawn in one colour. Colours follow the order of the
// curves, and repeat after eight.
type Curve struct {
	Name   string
	Style  Style
	Points []Point
}

// Style is how the points of a curve are drawn.
type Style int

const (
	Line   Style = iota // joined
	Dashed              // joined by dashes
	Dots                // as dots
)

// Point is a point with its band: Low <= Y <= High where there is one, both 0 where there is none.
// The band of a Line is an area, that of Dots a bar each.
type Point struct{ X, Y, Low, High float64 }

func (p Point) hasBand() bool { return p.Low != 0 || p.High != 0 }

// XY makes a curve of points without bands; x and y have the same length.
func XY(name string, style Style, x, y []float64) Curve {
	c := Curve{Name: name, Style: style}
	for i := range x {
		c.Points = append(c.Points, Point{X: x[i], Y: y[i]})
	}
	return c
}

// check says why a plot cannot be drawn: it has no points, or one that is not on its axes.
func (p *Plot) check() error {
	points := 0
	for _, c := range p.Curves {
		for _, point := range c.Points {
			for _, value := range []float64{point.X, point.Y, point.Low, point.High} {
				if math.IsNaN(value) || math.IsInf(value, 0) {
					return fmt.Errorf("plot %q: curve %q has the point %+v", p.Title, c.Name, point)
				}
			}
			if p.X.Log2 && point.X <= 0 || p.Y.Log2 && (point.Y <= 0 || point.Low < 0 || point.hasBand() && point.Low == 0) {
				return fmt.Errorf("plot %q: curve %q has the point %+v, which is not on a logarithmic axis", p.Title, c.Name, point)
			}
			points++
		}
	}
	if points == 0 {
		return errors.New("plot " + p.Title + " has no points")
	}
	return nil
}
