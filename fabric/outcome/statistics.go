package outcome

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"starloom/fabric"
	"starloom/traces/input"
)

// Statistic sums up one figure of many runs. What there is not is nil: everything of
// no run, sd and se of one.
type Statistic struct {
	Name      string   `json:"-"`
	Runs      uint64   `json:"runs"` // that have the figure
	Mean      *float64 `json:"mean"`
	SD        *float64 `json:"sd"` // standard deviation of a run, with Runs-1
	SE        *float64 `json:"se"` // standard error of the mean, sd / sqrt(Runs)
	Min       *float64 `json:"min"`
	Median    *float64 `json:"median"` // of an even number of runs the mean of the two in the middle
	Max       *float64 `json:"max"`
	Histogram []Bin    `json:"histogram"` // every value that occurred, in ascending order
}

// Figures are those of a run that has counted what: how many have the figure, and the others, nil where
// there are none.
func (s *Statistic) Figures(what string) (m fabric.Metrics) {
	m.Add(s.Name+"."+what, s.Runs)
	for _, x := range []struct {
		name  string
		value *float64
	}{{"mean", s.Mean}, {"sd", s.SD}, {"min", s.Min}, {"median", s.Median}, {"max", s.Max}} {
		if x.value == nil {
			m.Add(s.Name+"."+x.name, nil)
		} else {
			m.Add(s.Name+"."+x.name, *x.value)
		}
	}
	return m
}

// Bin is a value and the number of runs that have it.
type Bin struct {
	Value float64 `json:"value"`
	Count uint64  `json:"count"`
}

// Statistics are the figures of many runs, in the order of the report.
type Statistics []Statistic

// Get returns the statistic of that name, or nil.
func (s Statistics) Get(name string) *Statistic {
	if i := slices.IndexFunc(s, func(x Statistic) bool { return x.Name == name }); i >= 0 {
		return &s[i]
	}
	return nil
}

// MarshalJSON writes an object whose keys are in the statistics' order.
func (s Statistics) MarshalJSON() ([]byte, error) {
	return fabric.MarshalObject(len(s), func(i int) (string, any) { return s[i].Name, &s[i] })
}

// Histogram counts values. What is made of it does not depend on the order in which
// they came.
type Histogram map[float64]uint64

// Add counts a value.
func (h Histogram) Add(value float64) { h[value]++ }

// Statistic sums up. The sums run over sorted values, so that rounding is the same in
// all orders, and the deviations are taken from the mean, so that they keep their
// digits when it is large. Products are rounded by a conversion: a processor that
// multiplies and adds in one go would give other last digits.
func (h Histogram) Statistic(name string) Statistic {
	s := Statistic{Name: name, Histogram: make([]Bin, 0, len(h))}
	sum := 0.0
	for _, value := range slices.Sorted(maps.Keys(h)) {
		s.Histogram = append(s.Histogram, Bin{value, h[value]})
		s.Runs += h[value]
		sum += float64(value * float64(h[value]))
	}
	if s.Runs == 0 {
		return s
	}
	mean, last := sum/float64(s.Runs), len(s.Histogram)-1
	median := (s.rank((s.Runs-1)/2) + s.rank(s.Runs/2)) / 2
	s.Mean, s.Min, s.Median, s.Max = &mean, &s.Histogram[0].Value, &median, &s.Histogram[last].Value
	if s.Runs > 1 {
		squares := 0.0
		for _, bin := range s.Histogram {
			deviation := bin.Value - mean
			squares += float64(deviation * deviation * float64(bin.Count))
		}
		sd := math.Sqrt(squares / float64(s.Runs-1))
		se := sd / math.Sqrt(float64(s.Runs))
		s.SD, s.SE = &sd, &se
	}
	return s
}

// rank returns value k of all values in ascending order.
func (s *Statistic) rank(k uint64) float64 {
	for _, bin := range s.Histogram {
		if k < bin.Count {
			return bin.Value
		}
		k -= bin.Count
	}
	return math.NaN() // not reached: k is below Runs
}

var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkBins is how many columns a drawn histogram has at most.
const sparkBins = 16

// draw draws the histogram from the smallest value to the largest: a column for each
// value, or, if there are many, for each of sparkBins bins of equal width. A column
// without runs is blank.
func (s *Statistic) draw() string {
	if s.Runs == 0 {
		return "-"
	}
	counts := make([]uint64, min(len(s.Histogram), sparkBins))
	for i, bin := range s.Histogram {
		if len(s.Histogram) > sparkBins {
			share := (bin.Value - *s.Min) / (*s.Max - *s.Min)
			i = min(int(share*sparkBins), sparkBins-1)
		}
		counts[i] += bin.Count
	}
	most := float64(slices.Max(counts))
	var b strings.Builder
	for _, count := range counts {
		if count == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(sparks[int(math.Ceil(float64(count)/most*float64(len(sparks))))-1])
	}
	return b.String()
}

// WriteCSV writes a table with a row for each figure; a histogram is one field of
// value:count, separated by blanks.
func (s Statistics) WriteCSV(w io.Writer) error {
	table := input.NewCSVWriter(w)
	rows := [][]string{{"metric", "runs", "mean", "sd", "se", "min", "median", "max", "histogram"}}
	for i := range s {
		x := &s[i]
		row := []string{x.Name, strconv.FormatUint(x.Runs, 10)}
		for _, value := range []*float64{x.Mean, x.SD, x.SE, x.Min, x.Median, x.Max} {
			text := ""
			if value != nil {
				text = ExactFloat(*value)
			}
			row = append(row, text)
		}
		bins := make([]string, len(x.Histogram))
		for k, bin := range x.Histogram {
			bins[k] = ExactFloat(bin.Value) + ":" + strconv.FormatUint(bin.Count, 10)
		}
		rows = append(rows, append(row, strings.Join(bins, " ")))
	}
	return table.WriteAll(rows)
}

// entriesShown is how many entries of a list the text shows.
const entriesShown = 32

// inList returns the list that the statistic is an entry of, "" for none, and how many of its entries
// there were with this one; before are those of the statistic before.
func (s *Statistic) inList(before string, entries int) (list string, count int) {
	list, _, ok := strings.Cut(s.Name, "[")
	switch {
	case !ok || !strings.HasSuffix(s.Name, "]"):
		return "", 0
	case list != before:
		return list, 1
	}
	return list, entries + 1
}

func (s Statistics) writeText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "metric\truns\tmean\tsd\tse\tmin\tmedian\tmax\thistogram")
	list, entries := "", 0
	for i := range s {
		x := &s[i]
		if list, entries = x.inList(list, entries); entries > entriesShown {
			if i+1 == len(s) || !strings.HasPrefix(s[i+1].Name, list+"[") {
				fmt.Fprintf(table, "%s[...]\t\t\t\t\t\t\t\tand %d more; --stats-csv has all\n", list, entries-entriesShown)
			}
			continue
		}
		fmt.Fprintf(table, "%s\t%d", x.Name, x.Runs)
		for _, value := range []*float64{x.Mean, x.SD, x.SE, x.Min, x.Median, x.Max} {
			text := "-"
			switch {
			case value == nil:
			case *value == math.Trunc(*value) && math.Abs(*value) < 1e15:
				text = strconv.FormatFloat(*value, 'f', 0, 64)
			default:
				text = FormatFloat(*value)
			}
			fmt.Fprintf(table, "\t%s", text)
		}
		fmt.Fprintf(table, "\t%s\n", x.draw())
	}
	return table.Flush()
}
