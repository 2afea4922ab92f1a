// Package runs executes a scenario: one run with its passes, or many runs with different seeds, permutations and
// rates.
//
//	Config -> one:  ask, begin, open -> run -> end, repeat, finish  -> Report
//	Config -> many: workers -> queue, in the order of numbers -> tally -> SeedsReport
package runs

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/meter"
	"starloom/traces"
	"starloom/traces/input"
)

// Batch is a scenario to run once per seed, or once per seed and permutation. Runs are numbered by seed, then by
// permutation, and taken in this order, so results are independent of the number of workers.
//
//	workers                          one at a time
//	hand -> chunk of runs -> put  -> take, in the order of the numbers
type Batch struct {
	Config       *config.Config
	Rates        []Rated // rates of faults.random; config has the first rate; empty for none
	Seeds        outcome.Seeds
	Permutations uint64 // number of permutations per seed; 0 for the scenario's own workload
	Options      emulator.Options
	Expect       *outcome.Expectation                              // nil for none
	Build        func(emulator.Options) (*emulator.Machine, error) // nil: emulator.New
	Alone        func(permutation uint64) (*config.Config, error)  // scenario of one permutation

	// Filled in by run.
	total      uint64          // number of runs
	about      *outcome.Report // report before any run: engine, rules, firmware, RTL
	cutShort   bool            // a repetition was interrupted
	slotCycles uint64
}

// Rated is a rate of faults.random and the scenario with this rate.
type Rated struct {
	Rate   float64
	Config *config.Config
}

func (b *Batch) processors() int { return b.Config.Network.Shape().Processors() }

// chunkProcessors is the number of processors in a worker's chunk of runs, so that small runs do not wait for each
// other.
const chunkProcessors = 8 << 10

const chunkRuns = 1 << 10

// chunksAhead is the maximum number of finished chunks per worker that wait to be taken, because they occupy memory.
const chunksAhead = 4

// runsMax is the maximum number of runs of a batch. The smallest networks run 50,000 times per second; more runs
// would take hours, and are probably a typing error.
const runsMax = 1_000_000_000

// Runs returns the number of runs over all seeds, permutations and rates, and an error above runsMax.
func (b *Batch) Runs() (uint64, error) {
	each := max(b.Permutations, 1) * uint64(max(len(b.Rates), 1))
	high, runs := bits.Mul64(b.Seeds.Count(), each)
	if high != 0 || runs == 0 || runs > runsMax {
		return 0, input.Mistake("--seeds", fmt.Sprintf("%s are more than %d runs", b.Seeds, runsMax),
			fmt.Sprintf("give at most %s at a time", traces.Plural(runsMax/each, "seed", "seeds")))
	}
	return runs, nil
}

func (b *Batch) chunk() uint64 {
	if len(b.Config.RTL) > 0 {
		return 1
	}
	return uint64(min(max(chunkProcessors/b.processors(), 1), chunkRuns))
}

// workers returns the number of machines, and of workers per machine. Small machines run concurrently; large machines
// run one after the other on all workers. A pin map that is not a file belongs to one machine at a time.
func (b *Batch) workers(runs uint64) (machines, each int) {
	if slices.ContainsFunc(b.Config.RTL, func(x config.RTL) bool { return x.PinMap != nil }) {
		return 1, 1
	}
	workers := b.Options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if b.processors() >= emulator.ParallelProcessorsMin {
		return 1, workers
	}
	chunks := (runs-1)/b.chunk() + 1
	return int(min(uint64(workers), chunks, hw.WorkersMax)), 1
}

// Each executes the runs until ctx ends, and calls take for each run in order, with the number of all runs. An error
// from take ends the batch. When Each returns, all workers have ended.
func (b *Batch) Each(ctx context.Context, take func(r *BatchRun, total uint64) error) (err error) {
	if b.total, err = b.Runs(); err != nil {
		return err
	}
	machines, each := b.workers(b.total)
	options := b.Options
	options.Workers = each
	build := func() (*emulator.Machine, error) {
		if b.Build != nil {
			return b.Build(options)
		}
		return emulator.New(ctx, b.Config, options)
	}
	first, err := build()
	if err != nil {
		return err
	}
	b.about, b.slotCycles = first.Sum(), uint64(first.Timing().SlotCycles())
	if machines > 1 { // reading the available memory takes as long as a small run
		have, limit := hw.MemoryAvailable()
		if need := first.MemoryBytes(); limit != "" && need > 0 {
			machines = int(min(uint64(machines), max(have/need, 1)))
		}
	}
	q := &batchQueue{total: b.total, chunk: b.chunk(), ahead: chunksAhead * b.chunk() * uint64(machines),
		waiting: map[uint64][]BatchRun{}, take: take}
	q.moved.L = &q.lock
	var wg sync.WaitGroup
	wg.Go(func() { q.end(b.work(ctx, first, build, q)) })
	for range machines - 1 {
		wg.Go(func() {
			m, err := build()
			if err == nil {
				err = b.work(ctx, m, build, q)
			}
			q.end(err)
		})
	}
	wg.Wait()
	if ctx.Err() != nil && errors.Is(q.err, ctx.Err()) {
		q.err = nil // a machine was no longer built
	}
	return q.err
}

func (b *Batch) work(ctx context.Context, m *emulator.Machine, build func() (*emulator.Machine, error),
	q *batchQueue) (err error) {
	for {
		first, end := q.hand(ctx)
		if first == end {
			return m.Release()
		}
		if m.RTLFailed {
			if err = m.Release(); err == nil {
				m, err = build()
			}
			if err != nil {
				return err
			}
		}
		runs, err := b.runChunk(ctx, m, first, end)
		if err == nil {
			err = q.put(first, runs)
		}
		if err != nil {
			return errors.Join(err, m.Release())
		}
	}
}

func (b *Batch) runChunk(ctx context.Context, m *emulator.Machine, first, end uint64) ([]BatchRun, error) {
	runs := make([]BatchRun, 0, end-first)
	failed := false
	var all *meter.Measured
	if m.Measures() {
		all = new(meter.Measured)
	}
	for i := first; i < end; i++ {
		r, err := b.run(ctx, m, i, i == first)
		if err != nil {
			return nil, err
		}
		if m.Interrupted {
			break
		}
		if len(r.Report.Violations) > 1 && failed {
			r.Report.Violations = slices.Clone(r.Report.Violations[:1]) // one violation suffices
		}
		failed = failed || r.Report.Verdict != outcome.VerdictPass
		if all != nil {
			m.Measure(all, i)
		}
		runs = append(runs, r)
	}
	if len(runs) > 0 {
		runs[len(runs)-1].Measured = all
	}
	return runs, nil
}

// One executes a run on a machine of the batch. The order of calls is arbitrary. One returns nil after the end of
// ctx.
func (b *Batch) One(ctx context.Context, m *emulator.Machine, index uint64) (*BatchRun, error) {
	r, err := b.run(ctx, m, index, true)
	if err != nil || m.Interrupted {
		return nil, err
	}
	return &r, nil
}

// run executes run i. Unless it is the first, the machine has executed the previous run.
func (b *Batch) run(ctx context.Context, m *emulator.Machine, i uint64, first bool) (r BatchRun, err error) {
	r = b.Numbered(i)
	seed := r.Seed
	if b.Permutations > 0 {
		if first || r.Permutation == 0 {
			m.Given = PermutationNumber(m.Shape.Processors(), r.Permutation)
		} else {
			nextPermutation(m.Given)
		}
		seed = PermutationSeed(r.Seed, r.Permutation)
	}
	if err := m.Restart(seed); err != nil {
		return r, err
	}
	if err := m.Run(ctx, nil); err != nil {
		return r, err
	}
	if !m.Interrupted {
		r.Finished, r.digest, r.Report = m.Finished(), m.Summed(), m.Sum()
	}
	return r, nil
}

// Numbered returns a run, not yet executed.
func (b *Batch) Numbered(index uint64) BatchRun {
	each := max(b.Permutations, 1)
	return BatchRun{Seed: b.Seeds.First + index/each, Permutation: index % each}
}

// AllProcessorsMax is the maximum number of processors for `permutation: all`: 10! is 3,628,800 runs.
const AllProcessorsMax = 10

// PermutationNumber returns a permutation of 0..processors-1, numbered in lexicographic order.
func PermutationNumber(processors int, number uint64) []uint32 {
	radix := uint64(1)
	for i := range processors {
		radix *= uint64(i + 1)
	}
	left := make([]uint32, processors)
	for i := range left {
		left[i] = uint32(i)
	}
	p := make([]uint32, 0, processors)
	for i := processors; i > 0; i-- {
		radix /= uint64(i)
		at := int(number / radix)
		number %= radix
		p = append(p, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return p
}

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

// PermutationSeed returns the seed of a permutation. Each run has its own random numbers; a single run with this seed
// and permutation is identical.
func PermutationSeed(seed, number uint64) uint64 {
	return hw.NewStream(seed, hw.PurposePermutation).Seed(number)
}

// BatchRun is one run of a batch.
type BatchRun struct {
	Seed        uint64 // requested seed; the permutation's own is PermutationSeed
	Permutation uint64 // number of the permutation in a batch with permutations
	Finished    bool
	digest      traces.Digest
	Report      *outcome.Report
	Measured    *meter.Measured // sum over the chunk, in the chunk's last run; nil if handlers take no time
}

// batchQueue hands out chunks of runs and takes them back in order.
type batchQueue struct {
	total, chunk, ahead uint64
	take                func(r *BatchRun, total uint64) error

	lock    sync.Mutex
	moved   sync.Cond             // signals changes of taken or ended
	next    uint64                // first run not handed out
	taken   uint64                // number of runs taken
	waiting map[uint64][]BatchRun // early chunks, by their first run
	ended   bool                  // the queue is closed
	err     error                 // first error
}

// hand returns the next chunk, empty for none. The worker with the next chunk to be taken never waits.
func (q *batchQueue) hand(ctx context.Context) (first, end uint64) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for !q.ended && ctx.Err() == nil && q.next-q.taken >= q.ahead {
		q.moved.Wait()
	}
	first = q.next
	if !q.ended && ctx.Err() == nil {
		q.next += min(q.chunk, q.total-q.next)
	}
	return first, q.next
}

// put returns a chunk and takes all chunks in order. A short chunk is the last.
func (q *batchQueue) put(first uint64, runs []BatchRun) error {
	q.lock.Lock()
	defer q.lock.Unlock()
	defer q.moved.Broadcast()
	q.waiting[first] = runs
	for !q.ended {
		at := q.taken
		chunk, ok := q.waiting[at]
		if !ok {
			return nil
		}
		delete(q.waiting, at)
		for i := range chunk {
			if err := q.take(&chunk[i], q.total); err != nil {
				q.ended = true
				return err
			}
			q.taken++
		}
		q.ended = q.taken-at < min(q.chunk, q.total-at) || q.taken == q.total
	}
	return nil
}

func (q *batchQueue) end(err error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if err != nil {
		q.ended = true
		if q.err == nil {
			q.err = err
		}
	}
	q.moved.Broadcast()
}
