package estimate

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/page"
	"starloom/traces/figure"
)

// WriteHTML writes the estimate as a page for a browser.
func (e *Estimate) WriteHTML(w io.Writer) error { return e.page().Write(w) }

func (e *Estimate) page() *page.Page {
	p := &page.Page{Subject: "estimate", Name: outcome.Printable(e.Scenario), Summary: e.sentence(), Measured: true}
	var next []page.Block
	if e.RunCommand != "" {
		again := strings.Replace(e.RunCommand, "starloom run", "starloom estimate", 1) + " --recalibrate"
		next = []page.Block{{Text: "Run it:"}, {Command: e.RunCommand}, {Text: "This measures and estimates again:"},
			{Command: again}}
	}
	if e.refused() {
		p.Cause = fmt.Sprintf("A run is refused here: it takes about %s of memory, but only %s are available.",
			MemoryText(e.MemoryBytes), MemoryText(e.MemoryAvailable))
		next = append([]page.Block{{Text: "Choose a smaller network or smaller buffers with `--set`, or a machine with " +
			"more memory."}}, next[min(2, len(next)):]...)
	}
	p.Answers = page.Passed(nil, next...)
	for _, x := range []*page.Picture{page.FigurePicture(e.memoryCaption(), e.memoryFigure()),
		page.FigurePicture("Time of all processors together: measured runs, and predictions for sizes without a "+
			"complete run.", e.timeFigure())} {
		if x != nil {
			p.Lead = append(p.Lead, page.Block{Picture: x})
		}
	}
	p.Add("Sizes", page.Block{Table: e.sizesTable()})
	p.Add("Parts of the memory", page.Block{Table: e.partsTable()})
	if len(e.Measurements) > 0 {
		p.Add("Measured runs", page.Block{Text: "The time is " + e.Time.text() + ", based on " + e.Time.basis() + "."},
			page.Block{Table: e.measuredTable()})
	}
	p.Add("What was estimated", page.About("The run.", [2]string{"scenario", e.Scenario}, [2]string{"engine", e.Engine},
		[2]string{"processors", strconv.Itoa(e.Processors)}, [2]string{"slots at most", fmt.Sprint(e.SlotsMax)}))
	return p
}

func (e *Estimate) refused() bool { return e.MemoryAvailable > 0 && e.MemoryBytes > e.MemoryAvailable }

func (e *Estimate) sentence() string {
	text := fmt.Sprintf("A run takes about %s of memory", MemoryText(e.MemoryBytes))
	if e.MemoryAvailable > 0 && !e.refused() {
		text += fmt.Sprintf(", of %s available", MemoryText(e.MemoryAvailable))
	}
	if e.Time.Basis == BasisNothing {
		return text + ". Its time is unknown: the run is too large to begin here, and has no smaller sizes."
	}
	return fmt.Sprintf("%s, and %s on this machine. The time is based on %s.", text, e.Time.text(), e.Time.basis())
}

const mebibyte = 1 << 20

// partsOther is the share of a part, in hundredths, below which it is drawn with others.
const partsOther = 2

// sizes lists this size and the larger ones.
func (e *Estimate) sizes() []Larger {
	return append([]Larger{{Processors: e.Processors, MemoryBytes: e.MemoryBytes, MemoryParts: e.MemoryParts,
		Time: e.Time}}, e.Larger...)
}

// parts names the parts of all sizes that are drawn separately, and then "other" if there are more.
func parts(sizes []Larger) (names []string) {
	large := map[string]bool{}
	for _, size := range sizes {
		for _, x := range size.MemoryParts {
			if !slices.Contains(names, x.Part) {
				names = append(names, x.Part)
			}
			large[x.Part] = large[x.Part] || x.Bytes*100 >= size.MemoryBytes*partsOther
		}
	}
	all := len(names)
	if names = slices.DeleteFunc(names, func(name string) bool { return !large[name] }); len(names) < all {
		names = append(names, partOther)
	}
	return names
}

const partOther = "other"

// lineThin divides the height of the figure to yield the width of a line.
const lineThin = 200

// barWide is the width of a bar, in distances between bars.
const barWide = 0.6

// memoryFigure stacks the parts of the memory, for this network and for larger networks.
func (e *Estimate) memoryFigure() *figure.Figure {
	sizes := e.sizes()
	f := &figure.Figure{Title: "Memory", X: figure.Axis{Label: "processors"}, Y: figure.Axis{Label: "MiB"}}
	names := parts(sizes)
	f.Spans = make([]figure.Spans, len(names))
	for i, name := range names {
		f.Spans[i] = figure.Spans{Name: name, Colour: i}
	}
	for column, size := range sizes {
		f.X.Names = append(f.X.Names, strconv.Itoa(size.Processors))
		bytes := make([]uint64, len(names))
		for _, x := range size.MemoryParts {
			i := slices.Index(names, x.Part)
			if i < 0 {
				i = len(names) - 1
			}
			bytes[i] += x.Bytes
		}
		low := 0.0
		for i, part := range bytes {
			high := low + float64(float64(part)/mebibyte)
			if part > 0 {
				f.Spans[i].Rects = append(f.Spans[i].Rects, figure.Rect{Left: float64(column) - barWide/2,
					Right: float64(column) + barWide/2, Low: low, High: high})
			}
			low = high
		}
	}
	if largest := sizes[len(sizes)-1].MemoryBytes; e.MemoryAvailable > 0 && e.MemoryAvailable/2 <= largest {
		y := float64(float64(e.MemoryAvailable) / mebibyte)
		high := float64(max(largest, e.MemoryAvailable)) / mebibyte
		f.Spans = append(f.Spans, figure.Spans{Name: "available now", Colour: -2, Rects: []figure.Rect{
			{Left: -0.5, Right: float64(len(sizes)) - 0.5, Low: y, High: y + float64(high/lineThin)}}})
	}
	return f
}

func (e *Estimate) memoryCaption() string {
	largest := slices.MaxFunc(e.MemoryParts, func(a, b emulator.MemoryPart) int { return int(a.Bytes) - int(b.Bytes) })
	return fmt.Sprintf("Memory of this size, the first bar, and of larger sizes. The largest part of this size: %s, %s.",
		largest.Part, MemoryText(largest.Bytes))
}

// timeFigure shows measured and predicted processor times by the number of processors.
func (e *Estimate) timeFigure() *figure.Figure {
	measured, predicted := figure.Curve{Name: "measured", Style: figure.Dots},
		figure.Curve{Name: "predicted", Style: figure.Beyond}
	for _, m := range e.Measurements {
		if m.Whole && m.total() > 0 {
			measured.Points = append(measured.Points, figure.Point{X: float64(m.Processors), Y: m.total()})
		}
	}
	if last := len(measured.Points) - 1; last >= 0 {
		predicted.Points = append(predicted.Points, measured.Points[last]) // the line begins without a marker
	}
	for _, size := range e.sizes() {
		if size.Time.Processor > 0 && size.Time.Basis != BasisItself {
			predicted.Points = append(predicted.Points, figure.Point{X: float64(size.Processors), Y: size.Time.Processor})
		}
	}
	f := &figure.Figure{Title: "Time", X: figure.Axis{Label: "processors", Scale: figure.Log2},
		Y: figure.Axis{Label: "processor seconds", Scale: figure.Log10}}
	for _, c := range []figure.Curve{measured, predicted} {
		if len(c.Points) > 0 {
			f.Curves = append(f.Curves, c)
		}
	}
	return f
}

func (e *Estimate) sizesTable() *page.Table {
	t := &page.Table{Caption: "This size, and the next larger ones.", Columns: []page.Column{{Name: "size"},
		{Name: "processors", Number: true}, {Name: "memory", Number: true}, {Name: "time", Number: true}}}
	for _, l := range e.sizes() {
		t.Rows = append(t.Rows, []string{l.text(), strconv.Itoa(l.Processors), MemoryText(l.MemoryBytes), l.Time.text()})
	}
	return t
}

// text names the keys of the size, "this scenario" without keys.
func (l *Larger) text() string {
	if len(l.Keys) == 0 {
		return "this scenario"
	}
	keys := make([]string, len(l.Keys))
	for k, key := range l.Keys {
		keys[k] = fmt.Sprintf("%s=%d", key.Key, key.Value)
	}
	return strings.Join(keys, " ")
}

func (e *Estimate) partsTable() *page.Table {
	t := &page.Table{Caption: "Parts of the memory of this scenario; a run is refused if their sum is not available.",
		Columns: []page.Column{{Name: "part"}, {Name: "bytes", Number: true}}}
	for _, x := range e.MemoryParts {
		t.Rows = append(t.Rows, []string{x.Part, fmt.Sprint(x.Bytes)})
	}
	return t
}

func (e *Estimate) measuredTable() *page.Table {
	t := &page.Table{Caption: "Measured runs, in seconds of all processors together.",
		Columns: []page.Column{{Name: "processors"}, {Name: "slots or runs", Number: true},
			{Name: "until the first", Number: true}, {Name: "slots", Number: true}, {Name: "report", Number: true},
			{Name: "ended"}}}
	for _, m := range e.Measurements {
		ended := "yes"
		if !m.Whole {
			ended = "stopped"
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(m.Processors), fmt.Sprint(m.Places), outcome.FormatFloat(m.Begin),
			outcome.FormatFloat(m.Between), outcome.FormatFloat(m.Rest), ended})
	}
	return t
}
