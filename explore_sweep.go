package starloom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/sweep"
	"starloom/internal/sweep/folder"
	"starloom/internal/sweep/plan"
	"starloom/traces"
	"starloom/traces/input"
)

// ExploreSweepReport are the verdicts at the points of a sweep.
type ExploreSweepReport = outcome.ExploredSweep

// ExploreSweepOptions control explorations at the points of a sweep. Set holds keys of the scenario for all points.
// Out is a folder for searches and tables.
type ExploreSweepOptions struct {
	ExploreOptions
	Set []Assignment
}

// ExploreSweep explores a scenario at every point of the sweep file at path, each with some seeds. Invalid input at
// any point yields an *InputError before the first exploration. If ctx ends, the report has the points explored so
// far.
func ExploreSweep(ctx context.Context, path string, o ExploreSweepOptions) (*ExploreSweepReport, error) {
	return Networks(nil).ExploreSweep(ctx, path, o)
}

// ExploreSweep is like the function ExploreSweep, for scenarios that may name these networks.
func (list Networks) ExploreSweep(ctx context.Context, path string, o ExploreSweepOptions) (*ExploreSweepReport,
	error) {
	p, err := plan.Load(path)
	if err != nil {
		return nil, err
	}
	points, err := p.Points()
	if err != nil {
		return nil, err
	}
	for _, axis := range p.Names() {
		if slices.Contains(outcome.ExploredColumns, axis) {
			return nil, input.Mistake(p.Place("axes"), "the table of an exploration has a column "+axis+" already",
				"give the axis another name")
		}
	}
	r := &ExploreSweepReport{Schema: outcome.ExploredSchema, Name: p.Name, Axes: p.Names()}
	var scenarios []*Scenario
	var labels [][]string
	for i := range points {
		s, err := list.ParseScenario(p.Scenario.Place, p.Scenario.Data, slices.Concat(o.Set, points[i].Settings)...)
		if err == nil {
			_, err = s.elaborate()
		}
		if err != nil {
			return nil, sweep.AtPoint(err, &points[i], r.Axes)
		}
		seeds := outcome.Seeds{First: s.Seed, Last: s.Seed}
		if p.Seeds != nil {
			seeds = *p.Seeds
		}
		if seeds.Count() > plan.PointsMax || len(scenarios) > plan.PointsMax-int(seeds.Count()) {
			return nil, input.Mistake(p.Place("seeds"), fmt.Sprintf("there are more than %d points with their seeds",
				plan.PointsMax), "take fewer seeds or points")
		}
		for n := range seeds.Count() {
			one := *s
			one.Seed = seeds.First + n
			scenarios, labels = append(scenarios, &one), append(labels, points[i].Labels)
		}
	}
	r.Total = len(scenarios)
	out := o.Out
	for i, s := range scenarios {
		own := o.ExploreOptions
		if out != "" {
			if own.Out, err = s.exploredIn(out); err != nil {
				return nil, err
			}
		}
		found, err := Explore(ctx, s, own)
		if err != nil {
			return nil, err
		}
		found.Provenance = nil // of the sweep's file
		if p.Scenario.Place == path {
			found.Repeat = "" // no command runs a scenario within a sweep
		}
		if r.Points = append(r.Points, outcome.ExploredPoint{Labels: labels[i], Report: found}); ctx.Err() != nil {
			return r, nil
		}
	}
	if out == "" {
		return r, nil
	}
	return r, writeExplored(r, out)
}

// exploredIn returns the folder of a point: its name is a hash of the search.
func (s *Scenario) exploredIn(folder string) (string, error) {
	saved, err := s.savedExploration(folder)
	if err != nil {
		return "", err
	}
	bounds, err := json.Marshal(s.Explore)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", saved.Program, saved.Scenario, bounds))
	return filepath.Join(folder, "points", hex.EncodeToString(sum[:])[:40]), nil
}

// writeExplored writes the tables of a folder together.
func writeExplored(r *ExploreSweepReport, out string) error {
	var files traces.Files
	defer files.Abort()
	results, err := files.Create(filepath.Join(out, folder.ResultsCSV))
	if err != nil {
		return err
	}
	reports, err := files.Create(filepath.Join(out, folder.ReportsJSONL))
	if err != nil {
		return err
	}
	if err := r.WriteCSV(results); err != nil {
		return err
	}
	if err := r.WriteJSONL(reports); err != nil {
		return err
	}
	return files.Commit()
}
