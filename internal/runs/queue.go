package runs

import (
	"context"
	"sync"

	"starloom/fabric/outcome"
	"starloom/internal/meter"
	"starloom/traces"
)

// BatchRun is one run of a batch.
type BatchRun struct {
	Seed        uint64 // as asked for; the permutation's own one is PermutationSeed
	Permutation uint64 // number of the permutation, if the batch has permutations
	Finished    bool
	digest      traces.Digest
	Report      *outcome.Report
	Measured    *meter.Measured // by all runs of its chunk, with the last of them; nil if handlers take no time
}

// batchQueue hands out chunks of runs, and takes them back in order.
type batchQueue struct {
	total, chunk, ahead uint64
	take                func(r *BatchRun, total uint64) error

	lock    sync.Mutex
	moved   sync.Cond             // taken or ended has changed
	next    uint64                // first run that is not handed out
	taken   uint64                // runs taken
	waiting map[uint64][]BatchRun // chunks that were run too early, by their first run
	ended   bool                  // nothing is handed out or taken any more
	err     error                 // the first one
}

// hand returns the next chunk, an empty one for none. The owner of the chunk taken next never waits.
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

// put brings back a chunk, and takes what is in order now. A chunk with fewer runs than handed out is the last one.
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

// end is called by every worker that has no more to do; with an error, the others stop too.
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
