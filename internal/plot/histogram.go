package plot

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/input"
)

// barsMax is the most whole numbers that have a bar each, and the most bins in which others are counted.
const barsMax = 40

func (t *Table) histogram(o Options) (*figure.Figure, string, error) {
	column, _, _, err := t.column("--histogram", o.Histogram)
	if err != nil {
		return nil, "", err
	}
	for _, axis := range t.Axes {
		if t.varies(slices.Index(t.Columns, axis)) {
			return nil, "", &input.Error{Place: "--histogram", Reason: fmt.Sprintf("%s has runs of several points: %s varies", t.Path, axis),
				Remedy: fmt.Sprintf("choose one: --where %s=%s", axis, t.rows[0][slices.Index(t.Columns, axis)])}
		}
	}
	labels, err := t.labels(&o, []labelled{{"--histogram", o.Histogram, column, -1}})
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
		return nil, "", &input.Error{Place: t.Path, Reason: fmt.Sprintf("%s has no values", o.Histogram), Remedy: "name another column; " + t.known()}
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

// bins are equally wide, about as many as the square root of the number of values; a bin's value is its middle.
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
