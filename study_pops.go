package starloom

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// popsStudy repeats Tables I and II of A. Mei and R. Rizzi, "On-Line Permutation
// Routing in Partitioned Optical Passive Star Networks": randomised routing of a
// random permutation on POPS(d,g), d = g.
var popsStudy = study{
	StudyInfo: StudyInfo{
		Name:  "pops",
		Cases: []string{"d=g"},
		Doc:   "Tables I and II: iterations and slots of randomised routing, d = g, n = 4 to 4,096 (--full: to 1,048,576)",
	},
	run: runPOPSStudy,
}

// popsRow is one size of the tables. The published columns come from 100 runs
// each, Table I's from a sample of its own. The standard deviation is that of
// one run's iterations, from a much larger sample than the published one; it
// sets the tolerance: 3.5 sd sqrt(1/runs + 1/100).
type popsRow struct {
	groups     int     // g = d
	iterations float64 // Table II, mean
	slots      float64 // Table I, column A
	sd         float64
	runsQuick  int // 0: only with --full
	runsFull   int
}

var popsRows = []popsRow{
	{2, 3.15, 14.75, 1.7518, 20000, 100000},
	{4, 4.43, 20.90, 1.1006, 20000, 100000},
	{8, 5.39, 27.35, 0.8222, 4000, 20000},
	{16, 6.10, 30.10, 0.6273, 1500, 10000},
	{32, 6.50, 32.50, 0.5543, 500, 2000},
	{64, 6.82, 34.50, 0.4134, 200, 1000},
	{128, 7.04, 35.20, 0.2602, 0, 400},
	{256, 7.16, 35.55, 0.3553, 0, 100},
	{512, 7.30, 36.55, 0.4450, 0, 40},
	{1024, 7.59, 38.25, 0.4949, 0, 20},
}

func runPOPSStudy(ctx context.Context, o StudyOptions) (rows []StudyRow, err error) {
	total, done := 0, 0
	for _, row := range popsRows {
		total += row.runs(o.Full)
	}
	for _, row := range popsRows {
		runs := row.runs(o.Full)
		if runs == 0 {
			continue
		}
		what := fmt.Sprintf("POPS(%d,%d), %d runs", row.groups, row.groups, runs)
		sample, err := row.sample(ctx, runs, o.Workers, func(finished int) {
			if o.Progress != nil {
				o.Progress(done+finished, total, what)
			}
		})
		if err != nil {
			return nil, err
		}
		done += runs
		name := fmt.Sprintf("n=%d", row.groups*row.groups)
		tolerance := 3.5 * row.sd * math.Sqrt(1/float64(runs)+1.0/100)
		note := fmt.Sprintf("%d runs, sd %.3f, max %d", runs, sample.sd(), sample.max)
		rows = append(rows,
			studyRow(name, "table II iterations", row.iterations, sample.mean(), tolerance, note),
			studyRow(name, "table I slots", row.slots, 5*sample.mean(), 5*tolerance, note))
	}
	return rows, nil
}

func studyRow(name, quantity string, published, measured, tolerance float64, note string) StudyRow {
	return StudyRow{
		Case: name, Quantity: quantity, Published: published, Measured: measured, Tolerance: tolerance,
		OK: math.Abs(measured-published) <= tolerance, Note: note,
	}
}

func (r popsRow) runs(full bool) int {
	if full {
		return r.runsFull
	}
	return r.runsQuick
}

// scenario is what one run of the row emulates: packets of 8 bytes, the smallest
// buffers, so that the largest networks fit into memory.
func (r popsRow) scenario() *Scenario {
	s := DefaultScenario()
	s.Name = fmt.Sprintf("study pops d=g=%d", r.groups)
	s.Fabric.POPS = &POPS{Groups: r.groups, GroupSize: r.groups}
	s.NIC = NIC{PayloadBytes: 8, RXFrames: 1, TXFrames: 1}
	s.Firmware.Program = "pops/random"
	return s
}

// sample draws iterations of runs with the seeds 1 to runs. Small machines run
// side by side, large ones one after another on all workers; the sums are whole
// numbers, so the order does not matter.
func (r popsRow) sample(ctx context.Context, runs, workers int, progress func(finished int)) (iterationSample, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	side, each := workers, 1
	if r.groups*r.groups >= parallelProcessorsMin {
		side, each = 1, workers
	}
	var (
		wg       sync.WaitGroup
		seed     atomic.Int64
		lock     sync.Mutex
		sample   iterationSample
		failures []error
	)
	for range side {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := r.trials(ctx, each, func() (uint64, bool) {
				next := seed.Add(1)
				return uint64(next), next <= int64(runs)
			}, func(steps int) {
				lock.Lock()
				defer lock.Unlock()
				sample.add(steps)
				progress(sample.runs)
			})
			lock.Lock()
			defer lock.Unlock()
			failures = append(failures, err)
		}()
	}
	wg.Wait()
	return sample, errors.Join(failures...)
}

// trials runs one machine with one seed after the other.
func (r popsRow) trials(ctx context.Context, workers int, next func() (seed uint64, more bool), done func(steps int)) (err error) {
	s := r.scenario()
	m, err := NewMachine(ctx, s, MachineOptions{Engine: EngineSlot, Workers: workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for {
		seed, more := next()
		if !more {
			return nil
		}
		if err := m.Reset(seed); err != nil {
			return err
		}
		if err := m.Run(ctx, nil); err != nil {
			return err
		}
		if m.interrupted {
			return ctx.Err()
		}
		report := m.Report()
		if report.Verdict != VerdictPass {
			return fmt.Errorf("%s, seed %d: %s at cycle %d: %s", s.Name, seed,
				report.Violations[0].Rule, report.Violations[0].Cycle, report.Violations[0].Message)
		}
		done(m.steps())
	}
}

// iterationSample sums iterations of runs.
type iterationSample struct {
	runs, sum, squares, max int
}

func (s *iterationSample) add(steps int) {
	s.runs++
	s.sum += steps
	s.squares += steps * steps
	s.max = max(s.max, steps)
}

func (s *iterationSample) mean() float64 { return float64(s.sum) / float64(s.runs) }

func (s *iterationSample) sd() float64 {
	mean := s.mean()
	return math.Sqrt(max(0, float64(s.squares)/float64(s.runs)-mean*mean))
}
