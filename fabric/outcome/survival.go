package outcome

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/input"
	"starloom/traces/rounded"
)

// Survival is the survival curve of many runs with faults: over the slots of a run, or over
// the rates of faults.random.
type Survival []SurvivalPoint

// SurvivalPoint says how many runs have broken no rule: up to the end of a slot, or with a rate up
// to their end. Low and High are the ends of the interval of Wilson (1927) for the
// probability of that, with a confidence of 95%.
type SurvivalPoint struct {
	Rate     *float64 `json:"rate,omitempty"` // of a curve over rates, nil of others
	Slot     *uint64  `json:"slot,omitempty"` // of a curve over slots, nil of others
	Runs     uint64   `json:"runs"`
	Survived uint64   `json:"survived"`
	Fraction float64  `json:"fraction"` // Survived of Runs
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
}

// NewSurvivalPoint is the point of so many runs, one or more.
func NewSurvivalPoint(runs, survived uint64) SurvivalPoint {
	low, high := rounded.Wilson(survived, runs)
	return SurvivalPoint{Runs: runs, Survived: survived, Fraction: float64(survived) / float64(runs), Low: low, High: high}
}

// SurvivalBySlot is the curve of so many runs of which those that failed broke their first rule in
// the slots of breaks: a point for each such slot, after one at the start.
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

// WriteCSV writes a row for each point.
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
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\n", p.at(), p.Runs, p.Survived, FormatFloat(p.Fraction), FormatFloat(p.Low), FormatFloat(p.High))
	}
	return table.Flush()
}

// Plot is the curve with the intervals as its band: steps over slots, straight lines between rates. It
// has nothing to draw if no run has ended.
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
			if i > 0 { // the fraction of before holds until this slot
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
