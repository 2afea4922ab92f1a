package sweep

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"starloom/fabric/outcome"
	"starloom/internal/slurm"
)

const (
	OnLocal = "local" // points run in this process
	OnSlurm = "slurm" // points run as jobs of a Slurm cluster
)

func (s *sweeper) openSlurm(ctx context.Context, path string) (err error) {
	if s.settings, err = slurm.Read(path, s.plan.Slurm); err == nil && s.On == OnSlurm && s.DryRun == nil {
		s.cluster, err = slurm.Open(ctx, s.settings)
	}
	return err
}

func (s *sweeper) runSlurm(ctx context.Context, r *Report, points []*point) error {
	w, err := s.work(ctx, points)
	if err != nil || len(w.Units) == 0 {
		return err
	}
	if s.DryRun != nil {
		return slurm.WriteScripts(s.DryRun, w)
	}
	out, err := s.cluster.Run(ctx, w)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, u := range w.Units {
		names[u.Key] = u.Name
	}
	for _, f := range out.Failed {
		r.Unfinished = append(r.Unfinished, Unfinished{Point: names[f.Key], Key: f.Key, Reason: f.Reason})
	}
	r.Jobs = out.Jobs
	return nil
}

func (s *sweeper) work(ctx context.Context, points []*point) (*slurm.Work, error) {
	out, err := filepath.Abs(s.Out)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	byKey := map[string][]*point{} // points with the same key may differ in seeds
	var wanted []*point
	for _, x := range points {
		if len(x.missing) > 0 {
			byKey[x.key], wanted = append(byKey[x.key], x), append(wanted, x)
		}
	}
	times, err := s.times(ctx, wanted, timingOfTasks)
	if err != nil && ctx.Err() != nil {
		return &slurm.Work{}, nil
	} else if err != nil {
		return nil, err
	}
	w := &slurm.Work{Name: jobName(s.plan.Name), Folder: filepath.Join(out, "slurm"), Dir: dir,
		Settings: s.settings, Command: s.Command}
	at := map[string]int{}
	for i, x := range wanted {
		k, known := at[x.key]
		if !known {
			k, at[x.key] = len(w.Units), len(w.Units)
			w.Units = append(w.Units, slurm.Unit{Key: x.key, Name: x.String(s.plan.Names()), Memory: x.memory})
		}
		w.Units[k].Time += times[i]
	}
	w.Done = func(key string) (bool, error) {
		missing := 0
		for _, x := range byKey[key] {
			before := len(x.missing)
			if err := s.findMissing(x); err != nil {
				return false, err
			}
			s.done += uint64(before - len(x.missing))
			missing += len(x.missing)
		}
		return missing == 0, nil
	}
	begun := time.Now()
	w.Told = func(p slurm.Progress) {
		if s.Progress != nil {
			var left time.Duration
			if p.Done > 0 {
				left = time.Since(begun) * time.Duration(p.Units-p.Done) / time.Duration(p.Done)
			}
			s.Progress(Progress{Runs: s.done, RunsTotal: s.total, Left: left})
		}
	}
	return w, nil
}

func jobName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '_'
	}, name)
	return "starloom-" + outcome.Printable(plain)
}
