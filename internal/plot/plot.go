// Package plot draws tables of results: of a sweep, of a study, or any CSV file with a header.
//
//	table --Read--> Table --Draw--> a figure
package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/input"
)

// Options select the drawn part of a table, and its form.
type Options struct {
	X, Y, Z    string       // columns, or figures of a sweep; with Z a heat map
	By         []string     // columns with a curve for each value; nil selects the other varying axes
	Where      []string     // COLUMN=VALUE filters of rows
	LogX, LogY figure.Scale // scales of the axes
	Title      string       // "" for the default
	XLabel     string       // "" for the default
	YLabel     string       // "" for the default
	Width      float64      // width of the figure in points, 0 for the default
	Published  string       // path of a CSV file with columns x and y: points beside the curves
	Histogram  string       // column or figure for a histogram, in place of X and Y

	Unit func(name string) string // unit of a figure, "" for none or unknown; nil for no units
}

// Draw returns the figure, and a note about omitted rows, "" for none. Errors are *input.Errors.
func Draw(t *Table, o Options) (f *figure.Figure, note string, err error) {
	own := *t
	t = &own
	for _, where := range o.Where {
		if err := t.keep(where); err != nil {
			return nil, "", err
		}
	}
	switch {
	case o.Histogram != "":
		f, note, err = t.histogram(o)
	case o.X == "" || o.Y == "":
		return nil, "", input.Mistake(t.Path, "no columns are named", "give --x and --y, or --histogram; "+t.known())
	case o.Z != "":
		f, note, err = t.heat(o)
	default:
		f, note, err = t.lines(o)
	}
	if err != nil {
		return nil, "", err
	}
	f.Title, f.Width = cmp.Or(o.Title, f.Title), o.Width
	f.X.Label, f.Y.Label = cmp.Or(o.XLabel, f.X.Label), cmp.Or(o.YLabel, f.Y.Label)
	return f, note, nil
}

func (t *Table) known() string {
	if m := t.Metrics(); m != nil {
		return fmt.Sprintf("axes are %s; figures are %s", strings.Join(t.Axes, ", "), strings.Join(m, ", "))
	}
	return "columns are " + strings.Join(t.Columns, ", ")
}

// by returns the columns with a curve for each value: the named columns, or the other varying axes.
func (t *Table) by(o Options) (columns []int, err error) {
	names := o.By
	if names == nil {
		for _, axis := range t.Axes {
			if at := slices.Index(t.Columns, axis); axis != o.X && t.varies(at) {
				names = append(names, axis)
			}
		}
	}
	for _, name := range names {
		at := slices.Index(t.Columns, name)
		if at < 0 {
			return nil,
				&input.Error{Place: "--by", Reason: fmt.Sprintf("%s has no column %q", t.Path, name),
					Remedy: input.RemedyOf(name, t.Columns)}
		}
		columns = append(columns, at)
	}
	return columns, nil
}

func (t *Table) curveName(row int, by []int, of string) string {
	var words []string
	for _, column := range by {
		words = append(words, t.Columns[column]+" "+t.rows[row][column])
	}
	if words == nil {
		return of
	}
	return strings.Join(words, ", ")
}

func (t *Table) lines(o Options) (*figure.Figure, string, error) {
	x, _, _, err := t.column("--x", o.X)
	if err != nil {
		return nil, "", err
	}
	y, low, high, err := t.column("--y", o.Y)
	if err != nil {
		return nil, "", err
	}
	by, err := t.by(o)
	if err != nil {
		return nil, "", err
	}
	labels, err := t.labels(&o, []labelled{{"--x", o.X, x}, {"--y", o.Y, y}})
	if err != nil {
		return nil, "", err
	}
	f := &figure.Figure{
		Title: fmt.Sprintf("%s over %s", o.Y, o.X),
		X:     figure.Axis{Label: labels[0], Scale: o.LogX}, Y: figure.Axis{Label: labels[1], Scale: o.LogY},
	}
	f.X.Names = t.names(x)
	if low >= 0 {
		f.Note = intervalNote
	}
	curves, left, beyond := map[string]int{}, 0, map[string]float64{}
	var few []string // points without a value in some runs
	bare := 0        // number of points whose interval extends below the logarithmic axis
	for row := range t.rows {
		point, there, err := t.point(row, x, y, low, high, f.X.Names)
		if err != nil {
			return nil, "", err
		}
		if !there || f.Y.Scale != figure.Linear && point.Y <= 0 || f.X.Scale != figure.Linear && point.X <= 0 {
			left++
			continue
		}
		if f.Y.Scale != figure.Linear && point.Low <= 0 {
			if point.High > 0 {
				bare++
			}
			point.Low, point.High = 0, 0
		}
		name := t.curveName(row, by, o.Y)
		if runs := t.arrivedOnly(row, o.Y); runs != "" {
			few = append(few, fmt.Sprintf("%s of %s at %s %s", runs, name, o.X, t.rows[row][x]))
		}
		at, ok := curves[name]
		if !ok {
			at = len(f.Curves)
			curves[name] = at
			f.Curves = append(f.Curves, figure.Curve{Name: name, Style: figure.Marked})
		}
		c := &f.Curves[at]
		if slices.ContainsFunc(c.Points, func(p figure.Point) bool { return p.X == point.X }) {
			return nil, "",
				&input.Error{Place: t.line(row), Reason: fmt.Sprintf("%s has several values for %s %s", name, o.X, t.rows[row][x]),
					Remedy: "name the column in which they differ: --by COLUMN, or --where COLUMN=VALUE"}
		}
		c.Points = append(c.Points, point)
		if first, ok := beyond[name]; t.saturated(row, o.Y) && (!ok || point.X < first) {
			beyond[name] = point.X
		}
	}
	split(f, beyond)
	if len(f.Curves) == 0 {
		return nil, "", input.Mistake(t.Path, fmt.Sprintf("no row has a value for %s that can be drawn", o.Y),
			"name another column; "+t.known())
	}
	if o.Published != "" {
		if err := published(f, o.Published); err != nil {
			return nil, "", err
		}
	}
	notes := []string{t.leftOut(left, o.Y), fewText(few), bareText(bare), hidden(f.Curves)}
	return f, strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; "), nil
}

// Notes below curves.
const (
	intervalNote  = "Means with intervals of 95%."
	saturatedNote = "Hollow markers: saturated."
)

// split draws each curve in another style from its first saturated point on.
func split(f *figure.Figure, beyond map[string]float64) {
	for i := range len(f.Curves) {
		c := &f.Curves[i]
		from, ok := beyond[c.Name]
		if !ok {
			continue
		}
		slices.SortFunc(c.Points, func(a, b figure.Point) int { return cmp.Compare(a.X, b.X) })
		first := slices.IndexFunc(c.Points, func(p figure.Point) bool { return p.X >= from })
		rest := figure.Curve{Name: c.Name + ", saturated", Of: c.Name, Style: figure.Beyond, Unlisted: true,
			Points: slices.Clone(c.Points[max(0, first-1):])}
		if first == 0 {
			rest.Points = slices.Insert(rest.Points, 0, rest.Points[0])
		}
		c.Points = c.Points[:first]
		f.Curves = append(f.Curves, rest)
	}
	if len(beyond) > 0 {
		f.Note = strings.TrimSpace(f.Note + " " + saturatedNote)
	}
}

// saturated reports whether the figure is a latency, and most runs of the row are saturated.
func (t *Table) saturated(row int, figure string) bool {
	column, _, _, err := t.column("--y", "saturated")
	if err != nil || !latency(figure) {
		return false
	}
	mean, known, err := t.number(row, column)
	return err == nil && known && mean >= 0.5
}

func latency(figure string) bool {
	return strings.HasPrefix(figure, "latency") || strings.HasPrefix(figure, "network_latency")
}

// wideRange is the minimum ratio of the values of a latency that a page draws on a logarithmic axis.
const wideRange = 50

// Wide reports whether a figure is a latency whose values need a logarithmic axis.
func (t *Table) Wide(name string) bool {
	column, _, _, err := t.column("--y", name)
	if err != nil || !latency(name) {
		return false
	}
	least, most := math.Inf(1), 0.0
	for row := range t.rows {
		if value, there, err := t.number(row, column); err == nil && there {
			least, most = min(least, value), max(most, value)
		}
	}
	return least > 0 && most >= float64(least*wideRange)
}

// hidden names a curve that a later curve with equal points covers.
func hidden(curves []figure.Curve) string {
	for k := range curves {
		for _, later := range curves[k+1:] {
			if slices.Equal(curves[k].Points, later.Points) {
				return fmt.Sprintf("%s has the same values as %s, which is drawn over it", curves[k].Name, later.Name)
			}
		}
	}
	return ""
}

func (t *Table) leftOut(rows int, of string) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("left out: %s of %d, without a drawable %s",
		traces.Plural(uint64(rows), "row", "rows"), len(t.rows), of)
}

// labelled is the column of an axis.
type labelled struct {
	option, name string
	column       int
}

// labels returns the labels of axes with units. It rejects figures with several units.
func (t *Table) labels(o *Options, axes []labelled) (labels []string, err error) {
	for _, a := range axes {
		label := a.name
		unit, err := t.oneUnit(a.option, a.name, a.column, o)
		if err != nil {
			return nil, err
		}
		if unit != "" && unit != label {
			label += " (" + unit + ")"
		}
		labels = append(labels, label)
	}
	return labels, nil
}

// names returns the distinct values of a column of words in order of appearance, nil for numbers.
func (t *Table) names(column int) (names []string) {
	words := false
	for row := range t.rows {
		if _, _, err := t.number(row, column); err != nil {
			words = true
		}
		if text := t.rows[row][column]; !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	if !words {
		return nil
	}
	return names
}

func (t *Table) at(row, column int, names []string) (float64, bool, error) {
	if names != nil {
		return float64(slices.Index(names, t.rows[row][column])), true, nil
	}
	return t.number(row, column)
}

func (t *Table) point(row, x, y, low, high int, names []string) (p figure.Point, there bool, err error) {
	if p.X, there, err = t.at(row, x, names); err != nil || !there {
		return p, false, err
	}
	if p.Y, there, err = t.number(row, y); err != nil || !there {
		return p, false, err
	}
	if low >= 0 {
		var both [2]bool
		if p.Low, both[0], err = t.number(row, low); err != nil {
			return p, false, err
		}
		if p.High, both[1], err = t.number(row, high); err != nil {
			return p, false, err
		}
		if !both[0] || !both[1] {
			p.Low, p.High = 0, 0
		}
	}
	return p, true, nil
}

func published(f *figure.Figure, path string) error {
	t, err := Read(path, "")
	if err != nil {
		return err
	}
	x, y := slices.Index(t.Columns, "x"), slices.Index(t.Columns, "y")
	if x < 0 || y < 0 {
		return input.Mistake(path+":1", "there are no columns x and y", "begin the file with the line x,y")
	}
	c := figure.Curve{Name: "published", Style: figure.Published}
	for row := range t.rows {
		point, there, err := t.point(row, x, y, -1, -1, f.X.Names)
		if err != nil {
			return err
		}
		if point.X < 0 && f.X.Names != nil {
			return &input.Error{Place: t.line(row), Reason: fmt.Sprintf("x is %q", t.rows[row][x]),
				Remedy: input.RemedyOf(t.rows[row][x], f.X.Names)}
		}
		if there {
			c.Points = append(c.Points, point)
		}
	}
	f.Curves = append(f.Curves, c)
	return nil
}

func (t *Table) heat(o Options) (*figure.Figure, string, error) {
	axes := []labelled{{option: "--x", name: o.X}, {option: "--y", name: o.Y}, {option: "--z", name: o.Z}}
	for i := range axes {
		column, _, _, err := t.column(axes[i].option, axes[i].name)
		if err != nil {
			return nil, "", err
		}
		axes[i].column = column
	}
	labels, err := t.labels(&o, axes)
	if err != nil {
		return nil, "", err
	}
	x, y, z := axes[0].column, axes[1].column, axes[2].column
	f := &figure.Figure{
		Title: fmt.Sprintf("%s by %s and %s", o.Z, o.X, o.Y),
		X:     figure.Axis{Label: labels[0], Names: t.values(x)}, Y: figure.Axis{Label: labels[1], Names: t.values(y)},
		Cells: &figure.Cells{Label: labels[2]},
	}
	for range f.Y.Names {
		f.Cells.Values = append(f.Cells.Values, slices.Repeat([]float64{math.NaN()}, len(f.X.Names)))
	}
	left := 0
	for row := range t.rows {
		value, there, err := t.number(row, z)
		if err != nil {
			return nil, "", err
		}
		if !there {
			left++
			continue
		}
		cell := &f.Cells.Values[slices.Index(f.Y.Names, t.rows[row][y])][slices.Index(f.X.Names, t.rows[row][x])]
		if !math.IsNaN(*cell) {
			return nil, "", input.Mistake(t.line(row),
				fmt.Sprintf("there are several values for %s %s and %s %s", o.X, t.rows[row][x], o.Y, t.rows[row][y]),
				"choose one: --where COLUMN=VALUE")
		}
		*cell = value
	}
	return f, t.leftOut(left, o.Z), nil
}

// values returns the distinct values of a column: numbers ascending, words in order of appearance.
func (t *Table) values(column int) (names []string) {
	if names = t.names(column); names != nil {
		return names
	}
	var rows []int
	for row := range t.rows {
		if !slices.ContainsFunc(rows, func(other int) bool { return t.rows[other][column] == t.rows[row][column] }) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		va, _, _ := t.number(a, column)
		vb, _, _ := t.number(b, column)
		return cmp.Compare(va, vb)
	})
	for _, row := range rows {
		names = append(names, t.rows[row][column])
	}
	return names
}

// unit returns the unit of a figure in a row, "" for none. A column NAME.unit, for figures whose unit differs between
// networks, takes precedence over the declaration.
func (t *Table) unit(row int, name string, o *Options) string {
	for at := name; ; {
		if column := slices.Index(t.Columns, at+".unit"); column >= 0 {
			return t.rows[row][column]
		}
		dot := strings.LastIndexByte(at, '.')
		if dot < 0 {
			break
		}
		at = at[:dot]
	}
	if o.Unit == nil || slices.Contains(t.Axes, name) {
		return ""
	}
	return o.Unit(name)
}

// oneUnit returns the common unit of a figure in all rows with a value. It rejects several units.
func (t *Table) oneUnit(option, name string, column int, o *Options) (unit string, err error) {
	first := -1
	for row := range t.rows {
		switch own := t.unit(row, name, o); {
		case t.rows[row][column] == "" || t.rows[row][column] == "-":
		case first < 0:
			first, unit = row, own
		case own != unit:
			remedy := "draw the rows of one unit: --where COLUMN=VALUE"
			for _, axis := range t.Axes {
				if at := slices.Index(t.Columns, axis); t.rows[row][at] != t.rows[first][at] && t.rows[row][at] != "" {
					remedy = fmt.Sprintf("draw the rows of one unit: --where %s=%s, or --where %s=%s", axis,
						t.rows[first][at], axis, t.rows[row][at])
				}
			}
			return "", &MixedUnits{&input.Error{Place: option, Remedy: remedy,
				Reason: fmt.Sprintf("%s is in %s in line %d of %s, and in %s in line %d", name, unit, first+2,
					filepath.Base(t.Path), own, row+2)}}
		}
	}
	return unit, nil
}

// arrivedOnly returns the number of measured packets per run that had not arrived if the figure covers only arrived
// packets, otherwise "".
func (t *Table) arrivedOnly(row int, figure string) string {
	pending, _, _, err := t.column("--y", "pending")
	if err != nil || !latency(figure) {
		return ""
	}
	if left, known, err := t.number(row, pending); err == nil && known && left > 0 {
		return fmt.Sprintf("%.4g", left)
	}
	return ""
}

const fewShown = 4

func fewText(points []string) string {
	if len(points) == 0 {
		return ""
	}
	more := ""
	if len(points) > fewShown {
		points, more = points[:fewShown], fmt.Sprintf(" and %d more points", len(points)-fewShown)
	}
	return "some points cover only the packets that arrived, the quicker ones; not yet arrived, per run: " +
		strings.Join(points, ", ") + more
}

func bareText(points int) string {
	if points == 0 {
		return ""
	}
	return fmt.Sprintf("the interval of %s extends to 0, which a logarithmic axis cannot show",
		traces.Plural(points, "point", "points"))
}

// barsMax is the maximum number of bars, one for each integer or bin.
const barsMax = 40

func (t *Table) histogram(o Options) (*figure.Figure, string, error) {
	column, _, _, err := t.column("--histogram", o.Histogram)
	if err != nil {
		return nil, "", err
	}
	for _, axis := range t.Axes {
		if t.varies(slices.Index(t.Columns, axis)) {
			return nil, "", input.Mistake("--histogram", fmt.Sprintf("%s has runs of several points: %s varies", t.Path, axis),
				fmt.Sprintf("choose one: --where %s=%s", axis, t.rows[0][slices.Index(t.Columns, axis)]))
		}
	}
	labels, err := t.labels(&o, []labelled{{"--histogram", o.Histogram, column}})
	if err != nil {
		return nil, "", err
	}
	counts, left := map[float64]int{}, 0
	for row := range t.rows {
		value, there, err := t.number(row, column)
		if err != nil {
			return nil, "", err
		}
		if !there {
			left++
			continue
		}
		counts[value]++
	}
	if len(counts) == 0 {
		return nil, "",
			&input.Error{Place: t.Path, Reason: fmt.Sprintf("%s has no values", o.Histogram),
				Remedy: "name another column; " + t.known()}
	}
	values := slices.Sorted(maps.Keys(counts))
	whole := !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	if len(values) > barsMax || !whole && len(values) > 1 {
		counts, values = bins(counts, values)
	}
	c := figure.Curve{Name: o.Histogram, Style: figure.Bars}
	for _, value := range values {
		c.Points = append(c.Points, figure.Point{X: value, Y: float64(counts[value])})
	}
	f := &figure.Figure{
		Title:  fmt.Sprintf("%s in %s", o.Histogram, traces.Plural(uint64(len(t.rows)-left), "run", "runs")),
		X:      figure.Axis{Label: labels[0]},
		Y:      figure.Axis{Label: "runs", Whole: true},
		Curves: []figure.Curve{c},
	}
	return f, t.leftOut(left, o.Histogram), nil
}

// bins counts values in bins of equal width, about as many as the square root of the number of values. A bin's value
// is its middle.
func bins(counts map[float64]int, values []float64) (binned map[float64]int, middles []float64) {
	total := 0
	for _, count := range counts {
		total += count
	}
	bars := min(max(2, int(math.Ceil(math.Sqrt(float64(total))))), barsMax)
	least, most := values[0], values[len(values)-1]
	wide := (most - least) / float64(bars)
	binned = map[float64]int{}
	for k := range bars {
		middle := least + float64(wide*(float64(k)+0.5))
		middles = append(middles, middle)
		binned[middle] = 0
	}
	for _, value := range values {
		k := min(int(math.Floor((value-least)/wide)), bars-1)
		binned[middles[k]] += counts[value]
	}
	return binned, middles
}
