package pops

import (
	"fmt"
	"slices"

	"starloom/fabric/studies"
	"starloom/traces/figure"
	"starloom/traces/rounded"
)

// ratios are those of group sizes to groups that the tables have.
var ratios = []int{1, 4, 16}

func ratioName(ratio int) string {
	if ratio == 1 {
		return "d = g"
	}
	return fmt.Sprintf("d = %dg", ratio)
}

// measured is what a study has found for one size.
type measured struct {
	row       *tableRow
	mean, se  float64 // of iterations
	deviating bool    // the mean hangs on a few runs, and is not drawn
	sorting   float64 // slots
}

var sizes = figure.Axis{Label: "n = dg processors", Scale: figure.Log2}

func iterationsPlot(all []measured) *figure.Figure {
	f := &figure.Figure{Title: "Randomised routing: iterations until all is acknowledged (Table II)", X: sizes,
		Y: figure.Axis{Label: "iterations, mean and 95 % band", Scale: figure.Log2}}
	published := figure.Curve{Name: "published", Style: figure.Published}
	for _, ratio := range ratios {
		c := figure.Curve{Name: ratioName(ratio), Style: figure.Marked}
		for _, m := range all {
			if m.row.groupSize != ratio*m.row.groups {
				continue
			}
			n := float64(m.row.groupSize * m.row.groups)
			published.Points = append(published.Points, figure.Point{X: n, Y: m.row.iterations})
			if !m.deviating {
				c.Points = append(c.Points, m.point(n, 1))
			}
		}
		if c.Points != nil {
			f.Curves = append(f.Curves, c)
		}
	}
	if slices.ContainsFunc(all, func(m measured) bool { return m.deviating }) {
		f.Note = "Not drawn: means of d = 16g with 8 groups or fewer, which hang on a few runs of thousands of iterations."
	}
	f.Curves = append(f.Curves, published)
	return f
}

func (m *measured) point(n, scale float64) figure.Point {
	mean, half := float64(scale*m.mean), float64(scale*float64(rounded.Z95*m.se))
	p := figure.Point{X: n, Y: mean}
	if half > 0 {
		p.Low, p.High = mean-half, mean+half
	}
	return p
}

// slotsPlot draws Table I for one ratio: slots over processors, randomised, previous and by sorting.
func slotsPlot(all []measured, ratio int) *figure.Figure {
	f := &figure.Figure{Title: "Slots to route a permutation, " + ratioName(ratio) + " (Table I)", X: sizes, Y: figure.Axis{Label: "slots", Scale: figure.Log2}}
	random := figure.Curve{Name: "randomised, 5 slots an iteration", Style: figure.Marked}
	before := figure.Curve{Name: "deterministic, before (column B)", Style: figure.Dashed}
	sorting := figure.Curve{Name: "sorting (Batcher)", Style: figure.Dashed}
	published := figure.Curve{Name: "published (column A)", Style: figure.Published}
	for _, m := range all {
		if m.row.groupSize != ratio*m.row.groups {
			continue
		}
		n := float64(m.row.groupSize * m.row.groups)
		if !m.deviating {
			random.Points = append(random.Points, m.point(n, 5))
		}
		before.Points = append(before.Points, figure.Point{X: n, Y: float64(PreviousSlots(Network{Groups: m.row.groups, GroupSize: m.row.groupSize}))})
		sorting.Points = append(sorting.Points, figure.Point{X: n, Y: m.sorting})
		published.Points = append(published.Points, figure.Point{X: n, Y: m.row.slots})
	}
	for _, c := range []figure.Curve{random, before, sorting, published} {
		if c.Points != nil {
			f.Curves = append(f.Curves, c)
		}
	}
	return f
}

func correctedPlot(all, corrected []measured) *figure.Figure {
	f := &figure.Figure{Title: "Steps of the corrected rule, which delivers every packet", X: sizes,
		Y: figure.Axis{Label: "steps, mean and 95 % band", Scale: figure.Log2}}
	for _, ratio := range ratios {
		of, its := ratioName(ratio), func(m measured) bool { return m.row.groupSize == ratio*m.row.groups }
		if !slices.ContainsFunc(corrected, its) {
			continue
		}
		for _, set := range []struct {
			name  string
			style figure.Style
			of    []measured
		}{{"corrected", figure.Marked, corrected}, {"as published", figure.Dashed, all}} {
			c := figure.Curve{Name: of + ", " + set.name, Of: of, Style: set.style}
			for _, m := range set.of {
				if its(m) && !m.deviating {
					c.Points = append(c.Points, m.point(float64(m.row.groupSize*m.row.groups), 1))
				}
			}
			if c.Points != nil {
				f.Curves = append(f.Curves, c)
			}
		}
	}
	return f
}

func (s *study) draw() error {
	type plot struct {
		name string
		of   *figure.Figure
	}
	var plots []plot
	if s.measured != nil {
		plots = append(plots, plot{"pops-iterations", iterationsPlot(s.measured)})
	}
	for _, ratio := range ratios {
		if slices.ContainsFunc(s.measured, func(m measured) bool { return m.row.groupSize == ratio*m.row.groups }) {
			plots = append(plots, plot{fmt.Sprintf("pops-slots-%d", ratio), slotsPlot(s.measured, ratio)})
		}
	}
	if f := correctedPlot(s.measured, s.delivering); s.delivering != nil && f.Curves != nil {
		plots = append(plots, plot{"pops-corrected", f})
	}
	for _, p := range plots {
		if err := s.File(studies.StudyPlot, p.name, p.of.WriteSVG); err != nil {
			return err
		}
	}
	return nil
}
