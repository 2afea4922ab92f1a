package starloom

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"starloom/hw"
	"starloom/traces"
)

// allProcessorsMax bounds `permutation: all`: 10! is 3,628,800 runs.
const allProcessorsMax = 10

// chunkRuns is how many permutations one worker takes at a time.
const chunkRuns = 1024

// noPermutation is above the number of every permutation.
const noPermutation = 1<<64 - 1

// exhaustive sums up the runs of all permutations. Permutations are numbered in
// lexicographic order; what is kept of a run does not depend on which worker had
// it, and of equals the first one counts.
type exhaustive struct {
	runs, failed      uint64
	slotsMax, slots   uint64
	worst, firstFail  uint64 // number of the permutation
	fail              *Report
	frames            Frames
	heldMax, stepsMax int
	violations, traps uint64
	sum               traces.Sum
}

// runAll runs every permutation of a small network, each with the scenario's
// seed, and reports the worst one and the first that fails.
func runAll(ctx context.Context, s *Scenario, o RunOptions) (*Report, error) {
	if o.VCD != "" || o.PCAPNG != "" || o.Log != "" {
		return nil, &InputError{Place: s.Place("workload.permutation"), Reason: "a trace of all permutations at once is none", Remedy: "run without traces, then the permutation of interest as a list with them"}
	}
	n := s.Processors()
	total := uint64(1)
	for i := range n {
		total *= uint64(i + 1)
	}
	workers := exhaustiveWorkers(o.Workers, total)
	o.Workers = 1
	return runAllOn(ctx, s, workers, total, o.Progress, func() (*Machine, error) {
		return NewMachine(context.WithoutCancel(ctx), s, o.MachineOptions)
	})
}

// exhaustiveWorkers returns how many machines share the runs: no more than there
// are chunks of them.
func exhaustiveWorkers(asked int, total uint64) int {
	if asked <= 0 {
		asked = runtime.GOMAXPROCS(0)
	}
	chunks := (total + chunkRuns - 1) / chunkRuns
	return int(min(uint64(asked), chunks, hw.WorkersMax))
}

// runAllOn runs the permutations on machines that build makes, one for each worker.
// All workers have ended when it returns; the first error is its error.
func runAllOn(ctx context.Context, s *Scenario, workers int, total uint64, progress func(Progress), build func() (*Machine, error)) (*Report, error) {
	var (
		wg     sync.WaitGroup
		lock   sync.Mutex
		next   uint64
		all    = exhaustive{worst: noPermutation, firstFail: noPermutation}
		failed error
		last   *Machine
	)
	fail := func(err error) {
		lock.Lock()
		defer lock.Unlock()
		if failed == nil {
			failed = err
		}
	}
	take := func(done *exhaustive) (first, end uint64) {
		lock.Lock()
		defer lock.Unlock()
		if done != nil {
			all.merge(done)
			if progress != nil {
				progress(Progress{Runs: all.runs, RunsTotal: total})
			}
		}
		if ctx.Err() != nil || failed != nil {
			return total, total
		}
		first = next
		next = min(next+chunkRuns, total)
		return first, next
	}
	work := func() error {
		m, err := build()
		if err != nil {
			return err
		}
		lock.Lock()
		last = m
		lock.Unlock()
		var done *exhaustive
		for err == nil {
			first, end := take(done)
			if first >= end {
				break
			}
			done, err = m.runChunk(first, end, total)
		}
		return errors.Join(err, m.Close())
	}
	for range workers {
		wg.Go(func() { fail(work()) })
	}
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	return all.report(s, last, total), nil
}

// runChunk runs the permutations first to end-1.
func (m *Machine) runChunk(first, end, total uint64) (*exhaustive, error) {
	e := &exhaustive{worst: noPermutation, firstFail: noPermutation}
	m.given = permutationNumber(m.pops.Processors(), first)
	for k := first; k < end; k++ {
		if err := m.Reset(m.scenario.Seed); err != nil {
			return nil, err
		}
		if err := m.Run(context.Background(), nil); err != nil {
			return nil, err
		}
		e.add(k, m.Report(), m)
		nextPermutation(m.given)
	}
	return e, nil
}

// add counts one run.
func (e *exhaustive) add(k uint64, r *Report, m *Machine) {
	one := exhaustive{
		runs: 1, slots: r.Slots, slotsMax: r.Slots, worst: k, stepsMax: m.steps(), firstFail: noPermutation,
		frames: r.Frames, violations: r.ViolationsTotal, traps: r.Firmware.Traps,
	}
	one.heldMax, _ = r.Metrics.Get("packets_per_processor_max").(int)
	if r.Verdict != VerdictPass {
		one.failed, one.firstFail, one.fail = 1, k, r
	}
	one.sum.Event(k, m.digest.Hi, m.digest.Lo, r.Slots)
	e.merge(&one)
}

// merge adds other runs.
func (e *exhaustive) merge(o *exhaustive) {
	e.runs += o.runs
	e.failed += o.failed
	e.slots += o.slots
	if o.slotsMax > e.slotsMax || o.slotsMax == e.slotsMax && o.worst < e.worst {
		e.slotsMax, e.worst, e.stepsMax = o.slotsMax, o.worst, o.stepsMax
	}
	if o.firstFail < e.firstFail {
		e.firstFail, e.fail = o.firstFail, o.fail
	}
	e.frames.Sent += o.frames.Sent
	e.frames.Delivered += o.frames.Delivered
	e.frames.Collided += o.frames.Collided
	e.frames.CRC += o.frames.CRC
	e.frames.Overflow += o.frames.Overflow
	e.frames.Unheard += o.frames.Unheard
	e.heldMax = max(e.heldMax, o.heldMax)
	e.violations += o.violations
	e.traps += o.traps
	e.sum.Merge(o.sum)
}

// report sums up. Slots are those of the worst permutation; frames and
// violations are those of all runs.
func (e *exhaustive) report(s *Scenario, m *Machine, total uint64) *Report {
	n := m.pops.Processors()
	var digest traces.Digest
	digest.Slot(0, e.sum)
	r := &Report{
		Schema: ReportSchema, Scenario: s.Name, Seed: s.Seed, Engine: m.options.Engine, Verdict: VerdictPass,
		Rules: m.rules.checkedRules(), ViolationsTotal: e.violations,
		Slots: e.slotsMax, Cycles: e.slotsMax * uint64(m.timing.SlotCycles()), Frames: e.frames,
		Firmware: FirmwareReport{Image: m.image.name, SHA256: m.image.sha256, Traps: e.traps},
		Notes:    s.notes(),
		Digest:   digest.String(),
	}
	r.Metrics.Add("permutations", int(e.runs))
	r.Metrics.Add("failed", int(e.failed))
	if e.runs > 0 {
		r.Metrics.Add("slots_mean", float64(e.slots)/float64(e.runs))
		r.Metrics.Add("slots_max", int(e.slotsMax))
		r.Metrics.Add("steps_max", e.stepsMax)
		if e.worst != noPermutation {
			r.Metrics.Add("worst_permutation", permutationNumber(n, e.worst))
		}
	}
	r.Metrics.Add("packets_per_processor_max", e.heldMax)
	if e.fail != nil {
		failing := permutationNumber(n, e.firstFail)
		r.Verdict = VerdictFail
		r.Metrics.Add("failing_permutation", failing)
		for _, v := range e.fail.Violations {
			v.Message = fmt.Sprintf("permutation %v: %s", failing, v.Message)
			r.Violations = append(r.Violations, v)
		}
	}
	if e.runs < total {
		r.Verdict = VerdictFail
		r.ViolationsTotal++
		r.Violations = append(r.Violations, Violation{Rule: RuleInterrupted, Path: "pops", Message: fmt.Sprintf("interrupted after %d of %d permutations", e.runs, total)})
	}
	return r
}

// permutationNumber returns permutation k of 0..n-1 in lexicographic order.
func permutationNumber(n int, k uint64) []uint32 {
	radix := uint64(1)
	for i := range n {
		radix *= uint64(i + 1)
	}
	left := make([]uint32, n)
	for i := range left {
		left[i] = uint32(i)
	}
	p := make([]uint32, 0, n)
	for i := n; i > 0; i-- {
		radix /= uint64(i)
		at := int(k / radix)
		k %= radix
		p = append(p, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return p
}

// nextPermutation changes p into the next one in lexicographic order; the last
// one stays.
func nextPermutation(p []uint32) {
	i := len(p) - 2
	for i >= 0 && p[i] >= p[i+1] {
		i--
	}
	if i < 0 {
		return
	}
	j := len(p) - 1
	for p[j] <= p[i] {
		j--
	}
	p[i], p[j] = p[j], p[i]
	slices.Reverse(p[i+1:])
}
