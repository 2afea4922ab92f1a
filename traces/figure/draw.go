package figure

import (
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"starloom/traces/svg"
)

// Width is the default width of a figure in points, half of a page's width.
const Width = 576

// WidthNarrow is the width of a page on a phone.
const WidthNarrow = 344

// WidthMin and WidthMax are the bounds of Figure.Width.
const WidthMin, WidthMax = 240, 4000

const (
	height      = 380
	textSize    = 12
	titleSize   = 14
	margin      = 10
	noteSize    = 12
	noteLine    = 16   // line distance
	noteLetter  = 6.3  // width of a letter
	tickSpace   = 54   // of a tick on the x axis
	tickRows    = 28   // of a tick on the y axis
	otherFont   = 1.08 // ratio between text widths in the reader's font and measured widths
	titleLetter = 7.4
	leftSpace   = 60 // of the y axis and its labels
)

// WriteSVG draws the figure. It returns an error for an empty figure, for a point that is not finite or not positive
// on a logarithmic axis, and errors of w.
func (f *Figure) WriteSVG(w io.Writer) error { return WriteSheet(w, f.Title, f) }

// WriteSheet draws figures below each other. It returns the errors of WriteSVG.
func WriteSheet(w io.Writer, title string, figures ...*Figure) error {
	var said []string
	var whole, high vg.Length
	for _, f := range figures {
		if err := f.check(); err != nil {
			return err
		}
		d := drawing{Figure: f}
		whole, high = max(whole, d.width()), high+d.height()
		if f.Title != title {
			said = append(said, f.Title+".")
		}
		said = append(said, f.describe())
	}
	d := svg.New(w, float64(whole), float64(high), title, strings.Join(said, " "))
	all := draw.NewCanvas(newCanvas(d, whole, high), whole, high)
	for _, f := range figures {
		d := drawing{Figure: f}
		d.draw(draw.Crop(all, 0, 0, all.Max.Y-all.Min.Y-d.height(), 0))
		all = draw.Crop(all, 0, 0, 0, -d.height())
	}
	return d.Close()
}

// WritePNG draws the figure at 192 dots per inch, on light or dark paper. It returns the errors of WriteSVG.
func (f *Figure) WritePNG(w io.Writer, dark bool) error {
	if err := f.check(); err != nil {
		return err
	}
	d := drawing{Figure: f, dark: dark}
	whole, high := d.width(), d.height()
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(whole, high), vgimg.UseDPI(192),
		vgimg.UseBackgroundColor(d.colour(svg.Paper)))}
	all := draw.NewCanvas(c, whole, high)
	all.SetColor(d.colour(svg.Paper))
	all.Fill(all.Rectangle.Path())
	d.draw(all)
	_, err := c.WriteTo(w)
	return err
}

func (d *drawing) font(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func (d *drawing) width() vg.Length {
	if d.Width > 0 {
		return vg.Length(d.Width)
	}
	return Width
}

func (d *drawing) height() vg.Length {
	high := vg.Length(height)
	if d.Height > 0 {
		high = vg.Length(d.Height)
	}
	_, rows := d.legend()
	return high + noteHeight(len(d.note())) + legendHeight(rows) + d.titleHeight()
}

// titleHeight returns the height of all title lines except the first.
func (d *drawing) titleHeight() vg.Length {
	return noteHeight(max(0, len(Wrapped(d.Title, int(float64(d.width())/titleLetter)))-1))
}

// noteHeight rounds the height before any sum, for equal bytes on all processors.
func noteHeight(lines int) vg.Length { return vg.Length(float64(float64(lines) * noteLine)) }

func (d *drawing) note() []string {
	return Wrapped(d.Note, int(float64(d.width()-2*margin)/noteLetter))
}

// Wrapped splits a text into lines of at most letters characters. A longer word has its own line.
func Wrapped(text string, letters int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+len(word) < letters {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func (d *drawing) draw(all draw.Canvas) {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = strings.Join(Wrapped(d.Title, int(float64(d.width())/titleLetter)), "\n")
	p.Title.TextStyle.Font, p.Title.TextStyle.Color, p.Title.Padding = d.font(titleSize), d.colour(svg.Ink), 8
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = d.colour(svg.Ink), d.colour(svg.Ink)
		axis.Tick.Label.Font, axis.Tick.Label.Color = d.font(textSize), d.colour(svg.Ink)
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = d.font(textSize), d.colour(svg.Ink)
		axis.Label.Padding = 4
	}
	x, y := d.spans()
	notes := d.note()
	_, rows := d.legend()
	inner := d.height() - noteHeight(len(notes)) - legendHeight(rows)
	d.X.lay(&p.X, x, int(d.width()/(2*textSize)), int((d.width()-leftSpace)/tickSpace))
	d.Y.lay(&p.Y, y, int(inner/(1.2*textSize)), int(inner/tickRows))
	p.Add(grid{d})
	if d.Cells != nil {
		p.Add(heat{d})
	}
	for i := range d.Spans {
		p.Add(spans{d, &d.Spans[i]})
	}
	for i := range d.Curves {
		p.Add(d.curve(i))
	}
	all = draw.Crop(all, 0, d.width()-all.Size().X, d.writeNote(all, notes), 0)
	all = draw.Crop(all, 0, 0, d.writeLegend(all), 0)
	axes := draw.Crop(all, margin, -margin, margin, -margin)
	if p.Y.Label.Text != "" { // gonum puts it outside a logarithmic axis
		style := p.Y.Label.TextStyle
		style.Rotation, style.YAlign = math.Pi/2, text.YTop
		lines := Wrapped(p.Y.Label.Text, int(float64(axes.Size().Y)/noteLetter))
		axes.FillText(style, vg.Point{X: axes.Min.X, Y: middleOf(axes.Rectangle).Y}, strings.Join(lines, "\n"))
		axes, p.Y.Label.Text = draw.Crop(axes, 4+noteHeight(len(lines)), 0, 0, 0), ""
	}
	p.Draw(axes)
}

func (d *drawing) writeNote(c draw.Canvas, lines []string) vg.Length {
	style := text.Style{Font: d.font(noteSize), Color: d.colour(svg.Ink), Handler: plot.DefaultTextHandler}
	for i, line := range lines {
		c.FillText(style, vg.Point{X: c.Min.X + margin, Y: c.Min.Y + margin + noteHeight(len(lines)-1-i)}, line)
	}
	return noteHeight(len(lines))
}

// middleOf returns the middle of r. It rounds before any sum, for equal bytes on all processors.
func middleOf(r vg.Rectangle) vg.Point {
	half := func(sum vg.Length) vg.Length { return vg.Length(float64(float64(sum) / 2)) }
	return vg.Point{X: half(r.Min.X + r.Max.X), Y: half(r.Min.Y + r.Max.Y)}
}

func (d *drawing) spans() (x, y span) {
	none := span{math.Inf(1), math.Inf(-1)}
	x, y = none, none
	for axis, s := range map[*Axis]*span{&d.X: &x, &d.Y: &y} {
		if axis.Least != 0 || axis.Most != 0 {
			s.take(axis.Least, axis.Most)
		}
	}
	for _, c := range d.Curves {
		for _, point := range c.Points {
			x.take(point.X)
			y.take(point.Y)
			if point.hasBand() {
				y.take(point.Low, point.High)
			}
			if c.Style == Bars {
				half := float64(c.barWidth() / 2)
				x.take(point.X-half, point.X+half)
				y.take(0)
			}
		}
	}
	for _, s := range d.Spans {
		for _, r := range s.Rects {
			x.take(r.Left, r.Right)
			y.take(r.Low, r.High)
		}
	}
	if d.Cells != nil {
		for i, row := range d.Cells.Values {
			y.take(float64(i)-0.5, float64(i)+0.5)
			x.take(d.Cells.edge(0), d.Cells.edge(len(row)))
		}
	}
	return x, y
}

// lengths in a legend: width of a thumbnail, and distances between thumbnail and text, between entries, and between
// rows
const (
	thumbWide = 22
	thumbHigh = 8
	thumbGap  = 5
	entryGap  = 16
	legendRow = 18
)

// entry is a text of the legend, with or without a thumbnail.
type entry struct {
	text string
	sign plot.Thumbnailer
	x    vg.Length
	row  int
}

// legend arranges the entries in rows below the axes.
func (d *drawing) legend() (entries []entry, rows int) {
	if d.Cells != nil {
		entries = d.rampLegend()
	}
	for i := range d.Spans {
		entries = append(entries, entry{text: d.Spans[i].Name, sign: swatch{spans{d, &d.Spans[i]}.colour()}})
	}
	if len(d.Curves) > 1 || len(d.Spans) > 0 {
		for i := range d.Curves {
			if !d.Curves[i].Unlisted {
				entries = append(entries, entry{text: d.Curves[i].Name, sign: d.curve(i)})
			}
		}
	}
	x := vg.Length(0)
	for i := range entries {
		e := &entries[i]
		wide := d.textWidth(e.text)
		if e.sign != nil {
			wide += thumbWide + thumbGap
		}
		if x > 0 && x+wide > d.width()-2*margin {
			x = 0
			rows++
		}
		e.x, e.row = x, rows
		x += wide + entryGap
	}
	if len(entries) == 0 {
		return nil, 0
	}
	return entries, rows + 1
}

// textWidth returns the width of a text in the widest common font.
func (d *drawing) textWidth(words string) vg.Length {
	face := font.DefaultCache.Lookup(d.font(textSize), textSize)
	return vg.Length(float64(float64(face.Width(words)) * otherFont))
}

// writeLegend draws the legend at the bottom, and returns its height.
func (d *drawing) writeLegend(c draw.Canvas) vg.Length {
	entries, rows := d.legend()
	style := text.Style{Font: d.font(textSize), Color: d.colour(svg.Ink), Handler: plot.DefaultTextHandler}
	for i := range entries {
		e := &entries[i]
		x, y := c.Min.X+margin+e.x, c.Min.Y+margin+legendHeight(rows-1-e.row)
		if e.sign != nil {
			e.sign.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + thumbWide, Y: y + thumbHigh}}})
			x += thumbWide + thumbGap
		}
		c.FillText(style, vg.Point{X: x, Y: y}, e.text)
	}
	return legendHeight(rows)
}

// legendHeight rounds the height before any sum, for equal bytes on all processors.
func legendHeight(rows int) vg.Length { return vg.Length(float64(float64(rows) * legendRow)) }

type grid struct{ d *drawing }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	if g.d.Cells != nil || g.d.Spans != nil {
		return
	}
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: g.d.colour(svg.Faint), Width: 0.5}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(style, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
}

// spans draws the spans of one kind as one shape.
type spans struct {
	d *drawing
	s *Spans
}

func (s spans) colour() svg.Colour {
	switch s.s.Colour {
	case -1:
		return s.d.colour(svg.Faint)
	case -2:
		return s.d.colour(svg.Ink).Pale(0.5)
	}
	return s.d.colour(svg.Of(s.s.Colour))
}

func (s spans) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	defer titled(c, s.s.Name)()
	var rects []vg.Rectangle
	for _, r := range s.s.Rects {
		rects = append(rects,
			vg.Rectangle{Min: vg.Point{X: x(r.Left), Y: y(r.Low)}, Max: vg.Point{X: x(r.Right), Y: y(r.High)}})
	}
	fillRects(c, s.colour(), rects)
}
