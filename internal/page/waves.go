package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"starloom/traces"
	"starloom/traces/svg"
)

// Waves is a timing diagram: signals over cycles, possibly with gaps.
type Waves struct {
	Caption string
	Note    string
	Legend  string   // explanation of the notation, shown once on a page
	Columns []uint64 // cycles, ascending
	Rows    []traces.WaveRow
	Marked  int // marked column, -1 for none
	Also    int // later marked column, 0 for none

	svg string
}

// sizes in pixels; the names of signals are next to the picture, line by line
const (
	waveRow     = 20
	waveLow     = 16 // of a line that is 0
	waveHigh    = 5
	waveCellMin = 24
	waveAgain   = 160 // distance after which a value is repeated, less than the width of a phone
	waveCellMax = 58  // of many columns
	waveWidth   = 870 // of all columns: what fits on paper
)

// char10 is the width of ten characters in the font of diagrams and flame graphs.
const char10 = 73

// WaveName is the name of a row: of a signal, or of the scope of the signals below it.
type WaveName struct {
	Text  string
	Scope bool
}

// lines returns the rows, with an additional row without values for each scope.
func (w *Waves) lines() (names []WaveName, rows []*traces.WaveRow) {
	scope := ""
	for i := range w.Rows {
		name := w.Rows[i].Name
		at := strings.LastIndexByte(name, '.') + 1
		if fabric := strings.Count(name[:at], "."); fabric > 2 { // nic[0].tx.light.rail1: one line for the NIC
			if nic := strings.Index(name, ".nic["); nic >= 0 {
				if end := strings.IndexByte(name[nic+1:], '.'); end >= 0 {
					at = nic + 1 + end + 1
				}
			}
		}
		if inside := strings.TrimSuffix(name[:at], "."); inside != scope {
			scope = inside
			if scope != "" {
				names, rows = append(names, WaveName{scope, true}), append(rows, nil)
			}
		}
		names, rows = append(names, WaveName{name[at:], false}), append(rows, &w.Rows[i])
	}
	return names, rows
}

// Names returns the names of the lines below the line of cycles.
func (w *Waves) Names() []WaveName {
	names, _ := w.lines()
	return names
}

// Drawn returns the picture in the form for a page.
func (w *Waves) Drawn() template.HTML {
	return template.HTML(w.SVG()) //nolint:gosec // texts are escaped
}

// SVG draws the values.
func (w *Waves) SVG() string {
	if w.svg == "" {
		w.svg = w.draw()
	}
	return w.svg
}

// cell returns the width of a column, which fits the longest label up to a limit.
func (w *Waves) cell() int {
	most := 0
	for _, c := range w.Columns {
		most = max(most, len(fmt.Sprint(c)))
	}
	for _, row := range w.Rows {
		if row.Bits == 1 {
			continue
		}
		for i, value := range row.Values {
			run := 1
			for i+run < len(row.Values) && row.Values[i+run] == value {
				run++
			}
			most = max(most, (utf8.RuneCountInString(value)+run-1)/run)
		}
	}
	return min(max(waveCellMin, char10*most/10+10), max(waveCellMax, waveWidth/max(1, len(w.Columns))))
}

// narrow omits the columns farthest from the marked columns until the others fit on paper.
func (w *Waves) narrow() {
	most := max(waveWidth/w.cell(), 1)
	if len(w.Columns) <= most {
		return
	}
	points := []int{w.Marked}
	if w.Marked < 0 {
		points[0] = len(w.Columns)
	}
	if w.Also > 0 {
		points = append(points, w.Also)
		most /= 2
	}
	kept := around(len(w.Columns), most, points...)
	columns, rows := make([]uint64, len(kept)), slices.Clone(w.Rows)
	for i, c := range kept {
		columns[i] = w.Columns[c]
	}
	for i := range rows {
		values := rows[i].Values
		rows[i].Values = make([]string, len(kept))
		for k, c := range kept {
			rows[i].Values[k] = values[c]
		}
	}
	w.Columns, w.Rows, w.Marked, w.Also = columns, rows, slices.Index(kept, w.Marked), max(slices.Index(kept, w.Also), 0)
}

// around returns, in ascending order, up to most numbers below count around each point. A third of them follows the
// point.
func around(count, most int, points ...int) (kept []int) {
	taken := map[int]bool{}
	for _, at := range points {
		first := max(0, min(at-most*2/3, count-most))
		for c := first; c < min(count, first+most); c++ {
			taken[c] = true
		}
	}
	return slices.Sorted(maps.Keys(taken))
}

func (w *Waves) draw() string {
	w.narrow()
	cell := w.cell()
	_, rows := w.lines()
	width, height := cell*len(w.Columns)+1, waveRow*(len(rows)+1)
	var b strings.Builder
	d := svg.Bare(&b, "wave", float64(width), float64(height), w.Caption, w.describe())
	for _, c := range w.marks() {
		d.Rect(float64(c*cell), 0, float64(cell), float64(height), svg.Class("now"))
	}
	w.drawCycles(d, cell, height)
	for i, row := range rows {
		y := waveRow * (i + 1)
		switch {
		case row == nil:
		case row.Bits == 1:
			drawLine(d, row.Values, cell, y)
		default:
			drawLabels(d, row.Values, cell, y)
		}
	}
	_ = d.Close() // a builder has no errors
	return b.String()
}

// drawCycles writes the numbers of those columns that have room for them, and marks omitted cycles.
func (w *Waves) drawCycles(d *svg.Drawing, cell, height int) {
	free, marks := 0, w.marks()
	text := func(c int) {
		number := fmt.Sprint(w.Columns[c])
		class := "t"
		if slices.Contains(marks, c) {
			class = "m"
		}
		d.Text(float64(c*cell+3), waveLow-2, number, svg.Class(class))
		free = c*cell + char10*len(number)/10 + 8
	}
	for c := range w.Columns {
		at, end := c*cell, c*cell+char10*len(fmt.Sprint(w.Columns[c]))/10+8
		covers := slices.ContainsFunc(marks, func(mark int) bool { return c < mark && end > mark*cell })
		if at >= free && !covers {
			text(c)
		}
	}
	for _, c := range w.gaps() {
		d.Path(fmt.Sprintf("M%d 0V%d", c*cell, height), svg.Class("gap"))
	}
}

func (w *Waves) marks() (columns []int) {
	if w.Marked >= 0 {
		columns = append(columns, w.Marked)
	}
	if w.Also > 0 {
		columns = append(columns, w.Also)
	}
	return columns
}

// gaps returns the columns before which cycles are omitted.
func (w *Waves) gaps() (before []int) {
	for c := 1; c < len(w.Columns); c++ {
		if w.Columns[c] != w.Columns[c-1]+1 {
			before = append(before, c)
		}
	}
	return before
}

// drawLine draws a single bit, with x and z between the levels.
func drawLine(d *svg.Drawing, values []string, cell, y int) {
	level := func(value string) int {
		switch value {
		case "0":
			return y + waveLow
		case "1":
			return y + waveHigh
		}
		return y + (waveLow+waveHigh)/2
	}
	unknown := func(value string) bool { return value != "0" && value != "1" }
	for i := 0; i < len(values); { // a path for each stretch of known values, and of unknown values
		class := ""
		if unknown(values[i]) {
			class = "x"
		}
		path := fmt.Sprintf("M%d %d", i*cell, level(values[i]))
		if i > 0 {
			path += fmt.Sprintf("V%dV%d", level(values[i-1]), level(values[i]))
		}
		k := i
		for ; k < len(values) && unknown(values[k]) == unknown(values[i]); k++ {
			if k > i && values[k] != values[k-1] {
				path += fmt.Sprintf("H%dV%d", k*cell, level(values[k]))
			}
		}
		d.Path(fmt.Sprintf("%sH%d", path, k*cell), svg.Class(class))
		i = k
	}
}

// drawLabels draws a vector: two lines that cross at each change, with the value between them.
func drawLabels(d *svg.Drawing, values []string, cell, y int) {
	path := ""
	for i := 0; i < len(values); {
		k := i + 1
		for k < len(values) && values[k] == values[i] {
			k++
		}
		x, end := i*cell, k*cell
		for _, level := range []int{waveHigh - 1, waveLow + 1} {
			path += fmt.Sprintf("M%d %dL%d %dH%dL%d %d", x, y+(waveLow+waveHigh)/2, x+3, y+level, end-3,
				end, y+(waveLow+waveHigh)/2)
		}
		again := max(1, waveAgain/cell)
		for at := i; at < k; at += again {
			shown, end := cut(values[i], ((min(k, at+again)-at)*cell-8)*10/char10), func() {}
			if shown != values[i] {
				end = d.Group(values[i])
			}
			d.Text(float64(at*cell+6), float64(y+waveLow-2), shown)
			end()
		}
		i = k
	}
	d.Path(path)
}

// cut returns the beginning of a text, at most most characters.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(most-1, 1)]) + "\u2026"
}

func (w *Waves) describe() string {
	at := w.Marked
	if at < 0 {
		at = len(w.Columns) - 1
	}
	if at < 0 {
		return ""
	}
	said := make([]string, len(w.Rows))
	for i, row := range w.Rows {
		said[i] = row.Name + " is " + row.Values[at]
	}
	return fmt.Sprintf("In cycle %d %s.", w.Columns[at], strings.Join(said, ", "))
}
