package sweep

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/runs"
	"starloom/internal/sweep/folder"
)

// job is the runs of a point that are missing. The pool's lock guards it.
type job struct {
	*point
	need    uint64 // bytes of a machine
	threads int    // of a machine

	next      int // of point.missing
	workers   int // that run it now
	done      int // runs
	took      time.Duration
	built     time.Duration // what building a machine took
	started   bool
	postponed bool
	err       error // it cannot be finished
}

func (j *job) left() int {
	if j.err != nil {
		return 0
	}
	return len(j.missing) - j.next
}

// keepEvery is after how much time what was run is kept, so that a kill loses little of a long point.
const keepEvery = 2 * time.Second

type runner struct {
	pool    *pool
	job     *job
	batch   *runs.Batch
	machine *emulator.Machine
	records []folder.Record
	kept    time.Time
}

// work runs a job's runs one after the other, until none is left. What it returns has runs that are not kept yet.
func (p *pool) work(ctx context.Context, j *job) (r *runner, err error) {
	r = &runner{pool: p, job: j, kept: time.Now()}
	defer func() {
		if value := recover(); value != nil { // other points have nothing to do with it
			err = fmt.Errorf("this is a fault of Starloom, not of your input: %v; please report it with the sweep file", value)
		}
		err = errors.Join(err, r.close())
	}()
	if err := r.open(ctx); err != nil {
		return r, err
	}
	return r, r.runAll(ctx)
}

func (r *runner) open(ctx context.Context) error {
	one, err := r.pool.elaborate(r.job.Point)
	if err != nil {
		return err
	}
	r.batch = one.Batch
	r.batch.Options.Workers = r.job.threads
	return r.build(ctx)
}

func (r *runner) build(ctx context.Context) (err error) {
	begun := time.Now()
	r.machine, err = emulator.New(ctx, r.batch.Config, r.batch.Options)
	r.pool.note(func() { r.job.built = time.Since(begun) })
	return err
}

func (r *runner) close() error {
	if r.machine == nil {
		return nil
	}
	m := r.machine
	r.machine = nil
	return m.Release()
}

func (r *runner) runAll(ctx context.Context) error {
	for {
		i, ok := r.pool.hand(ctx, r.job)
		if !ok {
			return nil
		}
		if r.machine != nil && r.machine.RTLFailed { // it takes its machine along
			if err := errors.Join(r.close(), r.build(ctx)); err != nil {
				return err
			}
		}
		begun := time.Now()
		run, err := r.batch.One(ctx, r.machine, i)
		if err != nil || run == nil {
			return err
		}
		if run.Report.ToolFailed() {
			return fmt.Errorf("seed %d: %s", run.Seed, run.Report.Violations[len(run.Report.Violations)-1].Message)
		}
		record, err := recordOf(run, r.batch.Permutations > 0)
		if err != nil {
			return err
		}
		r.records = append(r.records, record)
		r.pool.took(r.job, time.Since(begun))
		if time.Since(r.kept) > keepEvery {
			if err := r.keep(); err != nil {
				return err
			}
		}
	}
}

func (r *runner) keep() error {
	records := r.records
	r.records, r.kept = nil, time.Now() // so that what cannot be kept is not tried again
	if err := r.pool.folder.Keep(r.job.key, records); err != nil {
		return &folderError{err}
	}
	return nil
}

// folderError is one of the folder: nothing else can be kept, either.
type folderError struct{ error }

func (e *folderError) Unwrap() error { return e.error }

// recordOf is what is kept of a run. Of what went wrong it tells the first thing: the run can be repeated alone.
func recordOf(run *runs.BatchRun, permuted bool) (folder.Record, error) {
	r := run.Report
	record := folder.Record{Seed: run.Seed, Verdict: r.Verdict, Violations: r.ViolationsTotal, Digest: r.Digest}
	if permuted {
		record.Permutation = &run.Permutation
	}
	if r.Verdict != outcome.VerdictPass {
		record.Rule = r.Violations[0].Rule
		r.Violations = slices.Clone(r.Violations[:1])
	}
	for _, m := range r.Figures() {
		value, number := m.Value, false
		if kind := reflect.ValueOf(value).Kind(); kind == reflect.Slice || kind == reflect.Struct {
			continue // no table has use for lists, and reports have them
		}
		outcome.EachNumber(value, func(_ int, x float64) {
			if _, number = outcome.Number64(value); !number { // a fraction
				value, number = x, true
			}
		})
		if !number && value != nil {
			value = outcome.ExactMetric(value)
		}
		record.Figures, record.Values = append(record.Figures, m.Name), append(record.Values, value)
		if m.In != "" {
			record.Figures, record.Values = append(record.Figures, m.Name+folder.UnitEnding), append(record.Values, m.In)
		}
	}
	var err error
	record.Report, err = r.Line()
	return record, err
}
