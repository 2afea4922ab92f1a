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
	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/input"
	"starloom/traces/rounded"
)

// Statistic summarises a figure of several runs. Undefined values are nil: every value without runs, SD and SE of a
// single run.
type Statistic struct {
	Name      string   `json:"-"`
	Runs      uint64   `json:"runs"` // runs with this figure
	Mean      *float64 `json:"mean"`
	SD        *float64 `json:"sd"` // standard deviation of a run, with Runs-1
	SE        *float64 `json:"se"` // standard error of the mean, sd / sqrt(Runs)
	Min       *float64 `json:"min"`
	Median    *float64 `json:"median"` // mean of the two middle values for an even number of runs
	Max       *float64 `json:"max"`
	Histogram []Bin    `json:"histogram"` // all values in ascending order
}

// Figures lists the statistic's values, with the number of runs first and nil for undefined values.
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

// Bin is a value and the number of its runs.
type Bin struct {
	Value float64 `json:"value"`
	Count uint64  `json:"count"`
}

// Statistics are the figures of several runs, in report order.
type Statistics []Statistic

// Get returns the named statistic, or nil.
func (s Statistics) Get(name string) *Statistic {
	if i := slices.IndexFunc(s, func(x Statistic) bool { return x.Name == name }); i >= 0 {
		return &s[i]
	}
	return nil
}

// MarshalJSON writes an object with its keys in the order of the statistics.
func (s Statistics) MarshalJSON() ([]byte, error) {
	return fabric.MarshalObject(len(s), func(i int) (string, any) { return s[i].Name, &s[i] })
}

// Histogram counts values. Its results do not depend on their order.
type Histogram map[float64]uint64

// Add counts a value.
func (h Histogram) Add(value float64) { h[value]++ }

// Statistic computes the summary. Values are summed in sorted order, so rounding does not depend on the order in
// which they were added. Deviations from a large mean keep their digits. Explicit conversions round products, because
// fused multiply-add would change the last digits.
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

// rank returns the value with index k in ascending order.
func (s *Statistic) rank(k uint64) float64 {
	for _, bin := range s.Histogram {
		if k < bin.Count {
			return bin.Value
		}
		k -= bin.Count
	}
	return math.NaN() // unreachable: k is below Runs
}

var sparks = []rune("▁▂▃▄▅▆▇█")

const sparkBins = 16

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

// WriteCSV writes a row per figure. The field of a histogram contains value:count pairs, separated by spaces.
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

const entriesShown = 32

// inList returns the name of the list that contains the statistic, "" for none, and the number of entries up to this
// one. before and entries are the results for the previous statistic.
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

// Survival is the survival curve of several runs with faults, over slots or over the rates of faults.random.
type Survival []SurvivalPoint

// SurvivalPoint counts the runs without a broken rule up to the end of a slot, or at a rate. Low and High bound the
// Wilson interval (1927) of the survival probability at 95% confidence.
type SurvivalPoint struct {
	Rate     *float64 `json:"rate,omitempty"` // rate, nil in a curve over slots
	Slot     *uint64  `json:"slot,omitempty"` // slot, nil in a curve over rates
	Runs     uint64   `json:"runs"`
	Survived uint64   `json:"survived"`
	Fraction float64  `json:"fraction"` // Survived of Runs
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
}

// NewSurvivalPoint returns the point for at least one run.
func NewSurvivalPoint(runs, survived uint64) SurvivalPoint {
	low, high := rounded.Wilson(survived, runs)
	return SurvivalPoint{Runs: runs, Survived: survived, Fraction: float64(survived) / float64(runs), Low: low, High: high}
}

// SurvivalBySlot returns a point at the start and a point at each slot of breaks, which holds the slots of the first
// broken rules.
func SurvivalBySlot(runs uint64, breaks Histogram) (curve Survival) {
	add := func(slot, alive uint64) {
		point := NewSurvivalPoint(runs, alive)
		point.Slot = &slot
		curve = append(curve, point)
	}
	alive := runs
	if breaks[0] == 0 {
		add(0, runs)
	}
	for _, slot := range slices.Sorted(maps.Keys(breaks)) {
		alive -= breaks[slot]
		add(uint64(slot), alive)
	}
	return curve
}

// WriteCSV writes a row per point.
func (s Survival) WriteCSV(w io.Writer) error {
	rows := input.NewCSVWriter(w)
	over := "slot"
	if len(s) > 0 && s[0].Rate != nil {
		over = "rate"
	}
	err := rows.Write([]string{over, "runs", "survived", "fraction", "low", "high"})
	for i := range s {
		p := &s[i]
		row := []string{p.at(), strconv.FormatUint(p.Runs, 10), strconv.FormatUint(p.Survived, 10)}
		for _, value := range []float64{p.Fraction, p.Low, p.High} {
			row = append(row, ExactFloat(value))
		}
		if err == nil {
			err = rows.Write(row)
		}
	}
	rows.Flush()
	if err == nil {
		err = rows.Error()
	}
	return err
}

func (p *SurvivalPoint) at() string {
	if p.Rate != nil {
		return ExactFloat(*p.Rate)
	}
	return strconv.FormatUint(*p.Slot, 10)
}

func (s Survival) writeText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "rate\truns\tsurvived\tfraction\tlow\thigh")
	for i := range s {
		p := &s[i]
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\n", p.at(), p.Runs, p.Survived, FormatFloat(p.Fraction),
			FormatFloat(p.Low), FormatFloat(p.High))
	}
	return table.Flush()
}

// Plot draws the curve with its intervals as a band. Steps join points over slots, and straight lines join points
// over rates. Without a finished run, the figure is empty.
func (s Survival) Plot(name string) *figure.Figure {
	p := &figure.Figure{
		Title: "Survival of " + name + ", with intervals of 95%",
		X:     figure.Axis{Label: "slot"}, Y: figure.Axis{Label: "fraction of runs that broke no rule"},
	}
	if len(s) == 0 { // interrupted
		return p
	}
	curve := figure.Curve{Name: traces.Plural(s[0].Runs, "run", "runs"), Style: figure.Line}
	if s[0].Rate != nil {
		p.X.Label = "rate of faults.random"
		curve.Name += " for each rate"
		if s[len(s)-1].Runs < s[0].Runs { // interrupted
			curve.Name += " but the last"
		}
	}
	for i := range s {
		now := figure.Point{Y: s[i].Fraction, Low: s[i].Low, High: s[i].High}
		if s[i].Rate != nil {
			now.X = *s[i].Rate
		} else {
			now.X = float64(*s[i].Slot)
			if i > 0 { // the previous fraction applies until this slot
				before := curve.Points[len(curve.Points)-1]
				before.X = now.X
				curve.Points = append(curve.Points, before)
			}
		}
		curve.Points = append(curve.Points, now)
	}
	p.Curves = []figure.Curve{curve}
	return p
}
