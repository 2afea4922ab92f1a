package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/internal/runs"
	"starloom/internal/sweep/folder"
)

// A pool distributes the runs of points to workers. A worker picks a point that was not begun and whose machine fits
// into memory, and executes its runs one by one. Without such a point, the worker joins the point with the most
// remaining runs.
type pool struct {
	*sweeper
	folder *folder.Folder

	lock    sync.Mutex
	moved   sync.Cond // signals the beginning or end of a job
	queue   []*job
	running []*job
	alone   []*job // jobs that have ended processes before; each runs in a separate process
	over    []*job
	memory  uint64 // available bytes
	used    uint64 // estimated bytes in use
	threads int
	err     error
	told    time.Time
}

func newPool(s *sweeper, points []*point) *pool {
	p := &pool{sweeper: s, folder: s.folder, threads: s.workers, memory: 1 << 63}
	p.moved.L = &p.lock
	if have, limit := hw.MemoryAvailable(); limit != "" {
		p.memory = have
	}
	type runs struct {
		key   string
		seeds outcome.Seeds
	}
	queued := map[runs]bool{} // equivalent points are run once
	for _, x := range points {
		if len(x.missing) == 0 || queued[runs{x.key, x.seeds}] {
			continue
		}
		queued[runs{x.key, x.seeds}] = true
		j := &job{point: x, need: min(x.memory, 1<<62), threads: 1}
		if x.processors >= emulator.ParallelProcessorsMin {
			j.threads = s.workers
		}
		p.queue = append(p.queue, j)
	}
	return p
}

func (p *pool) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, p.moved.Broadcast)()
	var wg sync.WaitGroup
	keeping := make(chan bool, p.workers)
	for range p.workers {
		wg.Go(func() {
			for j := p.take(ctx); j != nil; j = p.take(ctx) {
				r, err := p.work(ctx, j)
				p.free(j)
				keeping <- true
				wg.Go(func() { // storing overlaps with the next run
					p.release(j, errors.Join(err, r.keep()))
					<-keeping
				})
			}
		})
	}
	wg.Wait()
	return p.err
}

func (p *pool) free(j *job) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.threads += j.threads
	p.used -= j.need
	p.moved.Broadcast()
}

func (p *pool) take(ctx context.Context) *job {
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.err == nil && ctx.Err() == nil {
		if j := p.begin(); j != nil {
			return p.reserve(j)
		}
		if j := p.help(); j != nil {
			return p.reserve(j)
		}
		if len(p.queue) == 0 && !slices.ContainsFunc(p.running, func(j *job) bool { return j.left() > 0 }) {
			return nil
		}
		p.moved.Wait()
	}
	return nil
}

func (p *pool) reserve(j *job) *job {
	j.workers++
	p.used += j.need
	p.threads -= j.threads
	return j
}

// fits reports whether the machine of a job fits into memory. It returns true if no other job is running.
func (p *pool) fits(j *job) bool {
	return p.threads == p.workers || p.used+j.need <= p.memory && j.threads <= p.threads
}

func (p *pool) begin() *job {
	for i := 0; i < len(p.queue); {
		j := p.queue[i]
		if !p.fits(j) {
			i++
			continue
		}
		p.queue = slices.Delete(p.queue, i, i+1)
		switch ready, err := p.ready(j); {
		case err != nil:
			p.err = &folderError{err}
			return nil
		case ready:
			j.started = true
			p.running = append(p.running, j)
			return j
		}
	}
	return nil
}

// aloneAfter is the number of processes that a point may end before it gets a separate process.
const aloneAfter = 2

// ready marks a job as begun, and drops runs that were stored in the meantime. A job that another process runs is
// postponed until all others have begun.
func (p *pool) ready(j *job) (bool, error) {
	begun, err := p.folder.Begun(j.key)
	switch {
	case err != nil:
		return false, err
	case begun >= aloneAfter && p.Child != nil:
		p.alone = append(p.alone, j)
		return false, nil
	case begun > 0 && !j.postponed:
		j.postponed = true
		p.queue = append(p.queue, j)
		return false, nil
	}
	before := len(j.missing)
	if err := p.findMissing(j.point); err != nil {
		return false, err
	}
	if p.done += uint64(before - len(j.missing)); len(j.missing) == 0 {
		return false, nil
	}
	if err := p.folder.Begin(j.key); err != nil {
		return false, err
	}
	if p.Step != nil {
		p.Step("run " + j.String(p.plan.Names()))
	}
	return true, nil
}

// help returns the job with the most remaining work among the jobs that merit another machine.
func (p *pool) help() (most *job) {
	for _, j := range p.running {
		worth := j.left() >= 2 && (j.done == 0 || time.Duration(j.left())*j.took/time.Duration(j.done) > 2*j.built)
		if worth && p.fits(j) && (most == nil || j.left()*j.processors > most.left()*most.processors) {
			most = j
		}
	}
	return most
}

func (p *pool) hand(ctx context.Context, j *job) (number uint64, ok bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.err != nil || ctx.Err() != nil || j.left() == 0 {
		return 0, false
	}
	j.next++
	return j.missing[j.next-1], true
}

func (p *pool) note(change func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	change()
}

func (p *pool) took(j *job, time time.Duration) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if j.done == 0 {
		p.moved.Broadcast() // the time of the first finished run decides whether another machine is worthwhile
	}
	j.done++
	j.took += time
	j.point.took += time
	p.done++
	p.tell()
}

func (p *pool) release(j *job, err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	defer p.moved.Broadcast()
	j.workers--
	var broken *folderError
	switch {
	case errors.As(err, &broken):
		p.err = err
	case err != nil && !errors.Is(err, context.Canceled) && j.err == nil:
		j.err = err
	}
	if j.workers > 0 {
		return
	}
	p.running = slices.DeleteFunc(p.running, func(other *job) bool { return other == j })
	if j.err != nil {
		p.over = append(p.over, j)
	}
	if err := p.folder.End(j.key, j.err == nil && j.done == len(j.missing)); err != nil && p.err == nil {
		p.err = &folderError{fmt.Errorf("%s: %w", j.String(p.plan.Names()), err)}
	}
}

const tellEvery = 100 * time.Millisecond

func (p *pool) tell() {
	if p.Progress == nil || time.Since(p.told) < tellEvery {
		return
	}
	p.told = time.Now()
	var took time.Duration // time of all finished runs of running jobs
	processors := 0
	for _, j := range p.running {
		took += j.took
		processors += j.done * j.processors
	}
	var left time.Duration
	for _, jobs := range [][]*job{p.running, p.queue} {
		for _, j := range jobs {
			switch {
			case j.done > 0:
				left += time.Duration(j.left()) * (j.took / time.Duration(j.done)) * time.Duration(j.threads)
			case processors > 0:
				left += time.Duration(float64(took) * float64(j.left()*j.processors) / float64(processors))
			}
		}
	}
	p.Progress(Progress{Runs: p.done, RunsTotal: p.total, Left: left / time.Duration(p.workers)})
}

// runAlone runs the points that have ended processes before, one after the other, each in a separate process. This
// process continues if a point ends its process again.
func (s *sweeper) runAlone(ctx context.Context, p *pool) error {
	for _, j := range p.alone {
		if ctx.Err() != nil {
			return nil
		}
		var said bytes.Buffer
		child := s.Child(ctx, j.key)
		child.Stderr = &said
		status := child.Run()
		before := len(j.missing)
		if err := s.findMissing(j.point); err != nil {
			return err
		}
		s.done += uint64(before - len(j.missing))
		p.told = p.told.Add(-tellEvery)
		p.tell()
		if len(j.missing) == 0 {
			if err := s.folder.End(j.key, true); err != nil {
				return err
			}
			continue
		}
		reason := "it ended before all runs were stored"
		if status != nil {
			reason = status.Error()
		}
		if line := outcome.LastLine(said.String()); line != "" {
			reason += ": " + line
		}
		j.err = errors.New("it has ended " + fmt.Sprint(aloneAfter) + " processes, and again in a separate process: " +
			"" + reason)
		p.over = append(p.over, j)
	}
	return nil
}

// A job holds the missing runs of a point. The pool's lock guards it.
type job struct {
	*point
	need    uint64
	threads int

	next      int // index of the next run in point.missing
	workers   int
	done      int
	took      time.Duration
	built     time.Duration
	started   bool
	postponed bool
	err       error // reason why the job cannot be finished
}

func (j *job) left() int {
	if j.err != nil {
		return 0
	}
	return len(j.missing) - j.next
}

// keepEvery is the time between two writes of results. A killed process loses at most the runs of this time.
const keepEvery = 2 * time.Second

type runner struct {
	pool    *pool
	job     *job
	batch   *runs.Batch
	machine *emulator.Machine
	records []folder.Record
	kept    time.Time
}

// work executes the runs of a job until none is left. The returned runner holds runs that are not stored yet.
func (p *pool) work(ctx context.Context, j *job) (r *runner, err error) {
	r = &runner{pool: p, job: j, kept: time.Now()}
	defer func() {
		if value := recover(); value != nil {
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
		if r.machine != nil && r.machine.RTLFailed { // a machine with failed RTL is not used again
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
	r.records, r.kept = nil, time.Now()
	if err := r.pool.folder.Keep(r.job.key, records); err != nil {
		return &folderError{err}
	}
	return nil
}

// folderError is an error of the results folder. It ends the sweep.
type folderError struct{ error }

func (e *folderError) Unwrap() error { return e.error }

// recordOf returns the stored form of a run. It contains only the first violation, because the run can be repeated
// alone.
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
			continue // lists are only in reports
		}
		outcome.EachNumber(value, func(_ int, x float64) {
			if _, number = outcome.Number64(value); !number {
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
