// Package sweep runs a scenario at many points: every combination of the values of some keys, each with some seeds.
//
//	plan (file) --elaborate--> checked cases --missing runs--> pool --> folder --> tables
//	                                                  alone: <--- points that ended processes
//
// All runs share one process. Each worker executes one run at a time, first of its own point, then of other workers'
// points if memory permits. The results, stored in the folder, do not depend on this order.
package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"starloom/fabric/outcome"
	"starloom/internal/sweep/folder"
	"starloom/internal/sweep/plan"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Run runs the sweep of the file at path. Invalid input yields an *input.Error before the first run. After the end of
// ctx, the folder contains the finished runs, and the tables are unchanged.
func Run(ctx context.Context, path string, o Options, elaborate Elaborate) (*Report, error) {
	s := &sweeper{Options: o, path: path, make: elaborate, workers: o.Workers}
	if s.workers <= 0 {
		s.workers = runtime.GOMAXPROCS(0)
	}
	if o.Out == "" {
		return nil, input.Mistake("--out", "no folder is named for the results", "give one, for example --out results")
	}
	begun := time.Now()
	var err error
	if s.plan, err = plan.Load(path); err != nil {
		return nil, err
	}
	if err := s.openSlurm(ctx, path); err != nil {
		return nil, err
	}
	all, err := s.plan.Points()
	if err != nil {
		return nil, err
	}
	b, err := s.bisection(all)
	if err != nil {
		return nil, err
	}
	if s.executable, err = ExecutableHash(); err != nil {
		return nil, err
	}
	points, err := (&checker{sweeper: s}).checkAll(ctx, all)
	if err != nil {
		return nil, err
	}
	if o.DryRun != nil {
		s.folder = &folder.Folder{Path: o.Out}
	} else if s.folder, err = folder.Open(o.Out); err != nil {
		return nil, err
	}
	s.folder.Step = o.Step
	if len(o.Keys) > 0 {
		points = slices.DeleteFunc(points, func(x *point) bool { return !slices.Contains(o.Keys, x.key) })
		if len(points) < len(o.Keys) {
			return nil, &input.Error{Place: path,
				Reason: "the sweep lacks some of the requested points: its files, or this executable, differ from those of the " +
					"requesting command",
				Remedy: "do not change them while a sweep runs, and start the command again"}
		}
	}
	r, err := s.open(ctx, points)
	if err != nil {
		return nil, err
	}
	if b != nil {
		points, err = s.bisect(ctx, r, b, points)
	} else {
		err = s.runAll(ctx, r, points)
	}
	if err != nil {
		return nil, err
	}
	r.Cut, r.Took = ctx.Err() != nil, time.Since(begun)
	if r.Runs = s.done; len(s.Keys) > 0 || r.Cut || s.DryRun != nil {
		return r, nil
	}
	return r, s.write(r, points)
}

func (s *sweeper) open(ctx context.Context, points []*point) (*Report, error) {
	r := &Report{Name: s.plan.Name, Axes: s.plan.Names(), Out: s.Out,
		Extent: Extent{Points: len(points), Workers: s.workers, Notes: s.plan.Notes}}
	e := &r.Extent
	for _, x := range points {
		if e.Runs += x.total; e.Runs > runsMax {
			return nil,
				&input.Error{Place: s.plan.Place("seeds"), Reason: fmt.Sprintf("the sweep has more than %d runs", runsMax),
					Remedy: "take fewer seeds or points"}
		}
	}
	for _, x := range points {
		if err := s.findMissing(x); err != nil {
			return nil, err
		}
		e.RunsThere += x.total - uint64(len(x.missing))
		e.Memory = max(e.Memory, x.memory)
		if len(x.missing) > 0 || s.DryRun != nil {
			continue
		}
		if err := s.folder.End(x.key, true); err != nil { // a process that was killed after its last run has left its mark
			return nil, err
		}
	}
	s.done, s.total = e.RunsThere, e.Runs
	if s.Checked == nil {
		return r, nil
	}
	if e.RunsThere < e.Runs && s.On != OnSlurm {
		var err error
		if e.Time, err = s.timeHere(ctx, points); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	s.Checked(*e)
	return r, nil
}

// runsMax is the maximum number of runs of a sweep, because their indices are held in memory.
const runsMax = 100_000_000

func (s *sweeper) runAll(ctx context.Context, r *Report, points []*point) error {
	if s.On == OnSlurm {
		return s.runSlurm(ctx, r, points)
	}
	p := newPool(s, points)
	err := p.run(ctx)
	if err == nil {
		err = s.runAlone(ctx, p)
	}
	if err != nil {
		return err
	}
	slices.SortFunc(p.over, func(a, b *job) int { return a.index - b.index })
	for _, j := range p.over {
		r.Unfinished = append(r.Unfinished, Unfinished{Point: j.String(r.Axes), Key: j.key, Reason: j.err.Error()})
	}
	return nil
}

func (s *sweeper) write(r *Report, points []*point) error {
	t := &folder.Tables{Axes: r.Axes, UnitOf: map[string]string{}}
	for _, a := range s.plan.Axes {
		if slices.Equal(a.Keys, []string{rateKey}) {
			t.UnitOf[a.Name] = "offered"
		}
	}
	for _, x := range points {
		t.Entries = append(t.Entries, folder.Entry{Labels: x.Labels, Key: x.key})
	}
	t.Wanted = func(i int, run *folder.Record) bool { return points[i].wants(run) }
	r.Runs, r.Broken = 0, map[string]uint64{}
	t.Each = func(i int, runs []folder.Record) {
		r.Runs += uint64(len(runs))
		p := PointRuns{Name: points[i].String(r.Axes), Runs: uint64(len(runs)), Took: points[i].took}
		defer func() { r.Points = append(r.Points, p) }()
		for k := range runs {
			if runs[k].Verdict == outcome.VerdictPass {
				continue
			}
			r.Broken[runs[k].Rule]++
			if p.Failed++; p.Failed == 1 {
				p.First = s.failed(r.Axes, points[i], &runs[k])
			}
			if r.Failed++; len(r.FailedRuns) < failedRunsMax {
				r.FailedRuns = append(r.FailedRuns, s.failed(r.Axes, points[i], &runs[k]))
			}
		}
	}
	if err := s.folder.Write(t); err != nil {
		return err
	}
	names := []string{folder.ResultsCSV, folder.RunsCSV, folder.ReportsJSONL}
	if r.Limits != nil {
		if err := s.folder.WriteLimits(r.Limits.rows()); err != nil {
			return err
		}
		names = append(names, folder.LimitsCSV)
	}
	for _, name := range names {
		r.Files = append(r.Files, filepath.Join(s.Out, name))
	}
	return nil
}

func (s *sweeper) failed(axes []string, x *point, run *folder.Record) FailedRun {
	words := " --seed " + strconv.FormatUint(run.Seed, 10)
	if run.Permutation != nil {
		words += " --permutation " + strconv.FormatUint(*run.Permutation, 10)
	}
	f := FailedRun{Point: x.String(axes) + words, Rule: run.Rule}
	var stored struct{ Violations []outcome.Violation }
	if json.Unmarshal(run.Report, &stored) == nil && len(stored.Violations) > 0 {
		f.First = stored.Violations[0]
	}
	if s.plan.Scenario.Place == s.path {
		return f
	}
	f.Command = "starloom run " + outcome.ShellQuote(s.plan.Scenario.Place)
	for _, a := range s.sets(&x.Point) {
		f.Command += " " + strict.SetOption + " " + outcome.ShellQuote(a.Key+"="+a.Value)
	}
	f.Command += words
	return f
}

// Merge copies the runs of other folders into one.
func Merge(out string, from []string) (points, files int, err error) {
	f, err := folder.Open(out)
	if err != nil {
		return 0, 0, err
	}
	for _, path := range from {
		p, n, err := f.Join(path)
		points, files = points+p, files+n
		if err != nil {
			return points, files, err
		}
	}
	return points, files, nil
}
