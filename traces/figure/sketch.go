package figure

import (
	"io"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Sketch is a picture without axes: lines, discs, boxes and words, where the caller puts them, in points from the
// top left. It has the colours and the style sheet of figures.
type Sketch struct {
	c    *canvas
	high float64
}

// Colour is one of a sketch, by its role.
type Colour struct{ paint }

// Colours by their role.
var (
	Ink   = Colour{paint{ink, 255, false}}   // of words
	Faint = Colour{paint{faint, 255, false}} // of what stands back
	Paper = Colour{paint{paper, 255, false}} // beneath all
)

// Of is the colour of the curve with a number, from 0 on.
func Of(number int) Colour { return Colour{paint{colourOf(number), 255, false}} }

// Pale is the colour with so much of it, from 0 to 1.
func (c Colour) Pale(part float64) Colour {
	c.alpha = uint8(math.Round(float64(255 * part)))
	return c
}

// Fill is the attribute of an element of SVG that is filled with the colour.
func (c Colour) Fill() string { return attribute("f", c.paint) }

// Stroke is the attribute of a line in the colour.
func (c Colour) Stroke() string { return attribute("s", c.paint) }

// Head begins an SVG that is written by hand: with title, style sheet and paper. It ends with </svg>.
func Head(width, height float64, title, description string) string {
	return head(vg.Length(width), vg.Length(height), title, description) + `<rect width="100%" height="100%" ` + Paper.Fill() + "/>\n"
}

// XYs are places in points from the top left.
type XYs []struct{ X, Y float64 }

// NewSketch begins a picture. The description is for who cannot see it.
func NewSketch(width, height float64, title, description string) *Sketch {
	s := &Sketch{newCanvas(vg.Length(width), vg.Length(height), title, description), height}
	s.c.SetColor(paint{paper, 255, false})
	s.c.Fill(vg.Rectangle{Max: vg.Point{X: vg.Length(width), Y: vg.Length(height)}}.Path())
	return s
}

func (s *Sketch) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(s.high - y)}
}

// Titled puts what is drawn until its result is called into a group with a title.
func (s *Sketch) Titled(title string) (end func()) { return s.c.titled(title) }

// Lines draws lines through places, all as one shape.
func (s *Sketch) Lines(c Colour, width float64, dashed bool, lines ...XYs) {
	s.c.SetColor(c.paint)
	s.c.SetLineWidth(vg.Length(width))
	s.c.SetLineDash(nil, 0)
	if dashed {
		s.c.SetLineDash([]vg.Length{4, 3}, 0)
	}
	if path := s.path(lines, false); path != nil {
		s.c.Stroke(path)
	}
}

// Areas fills what is within lines, all as one shape.
func (s *Sketch) Areas(c Colour, lines ...XYs) {
	s.c.SetColor(c.paint)
	if path := s.path(lines, true); path != nil {
		s.c.Fill(path)
	}
}

func (s *Sketch) path(lines []XYs, closed bool) (path vg.Path) {
	for _, line := range lines {
		for i, p := range line {
			if i == 0 {
				path.Move(s.at(p.X, p.Y))
			} else {
				path.Line(s.at(p.X, p.Y))
			}
		}
		if closed {
			path.Close()
		}
	}
	return path
}

// Box is the outline of a box, for Lines and Areas.
func Box(x, y, width, height float64) XYs {
	return XYs{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}}
}

// Disc draws a disc with an edge.
func (s *Sketch) Disc(fill, edge Colour, x, y, radius float64) {
	var path vg.Path
	path.Move(s.at(x+radius, y))
	path.Arc(s.at(x, y), vg.Length(radius), 0, 2*math.Pi)
	path.Close()
	s.c.SetColor(fill.paint)
	s.c.Fill(path)
	s.c.SetColor(edge.paint)
	s.c.SetLineWidth(1)
	s.c.SetLineDash(nil, 0)
	s.c.Stroke(path)
}

// Align is which part of a word stands at its place.
type Align string

// Parts of words.
const (
	Begin  Align = "start"  // where they begin
	Middle Align = "middle" // their middle
	End    Align = "end"    // where they end
)

// Text writes words, whose base line is at y.
func (s *Sketch) Text(c Colour, size float64, align Align, x, y float64, words string) {
	s.c.SetColor(c.paint)
	s.c.anchor = align
	s.c.FillString(font.Face{Font: font.Font{Size: vg.Length(size)}}, s.at(x, y), words)
	s.c.anchor = ""
}

// Upright writes words from the bottom up, whose base line is at x.
func (s *Sketch) Upright(c Colour, size, x, y float64, words string) {
	s.c.now.turn = math.Pi / 2
	defer func() { s.c.now.turn = 0 }()
	s.c.SetColor(c.paint)
	at := s.at(x, y)
	s.c.FillString(font.Face{Font: font.Font{Size: vg.Length(size)}}, vg.Point{X: at.Y, Y: -at.X}, words)
}

// WriteSVG ends the picture.
func (s *Sketch) WriteSVG(w io.Writer) error {
	_, err := s.c.WriteTo(w)
	return err
}
