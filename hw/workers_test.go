package hw

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type countTask struct{ calls []uint32 }

func (c *countTask) Do(shard int) { atomic.AddUint32(&c.calls[shard], 1) }

func TestWorkersRunEveryShardOnce(t *testing.T) {
	for _, count := range []int{1, 2, 3, 8} {
		w := NewWorkers(count)
		require.Equal(t, count, w.Count())
		for _, shards := range []int{0, 1, 2, 3, 7, 100} {
			task := &countTask{calls: make([]uint32, shards)}
			const runs = 50
			for range runs {
				w.Run(shards, task)
			}
			for shard, calls := range task.calls {
				require.EqualValues(t, runs, calls, "%d workers, shard %d of %d", count, shard, shards)
			}
		}
		w.Close()
	}
}

// sumTask writes without atomics, so the race detector checks that Run is a barrier in both directions.
type sumTask struct{ in, out []int }

func (s *sumTask) Do(shard int) { s.out[shard] += s.in[shard] }

func TestWorkersRunIsABarrier(t *testing.T) {
	w := NewWorkers(2)
	defer w.Close()
	task := &sumTask{in: make([]int, 5), out: make([]int, 5)}
	for run := range 2000 {
		for i := range task.in {
			task.in[i] = run
		}
		w.Run(len(task.in), task)
	}
	for _, sum := range task.out {
		assert.Equal(t, 2000*1999/2, sum)
	}
}

type panicTask struct {
	from int
	done []uint32
}

func (p *panicTask) Do(shard int) {
	if shard >= p.from {
		panic(fmt.Sprintf("shard %d", shard))
	}
	atomic.AddUint32(&p.done[shard], 1)
}

func TestWorkersReraiseLowestPanicAndSurvive(t *testing.T) {
	for _, count := range []int{1, 2, 4} {
		w := NewWorkers(count)
		for range 20 {
			task := &panicTask{from: 3, done: make([]uint32, 9)}
			assert.PanicsWithValue(t, "shard 3", func() { w.Run(9, task) })
			assert.EqualValues(t, 1, task.done[2])
		}
		task := &countTask{calls: make([]uint32, 9)}
		w.Run(9, task)
		assert.EqualValues(t, 1, task.calls[8])
		w.Close()
	}
}

type nestedTask struct{ w *Workers }

func (n *nestedTask) Do(int) { n.w.Run(1, n) }

func TestWorkersRefuseNesting(t *testing.T) {
	w := NewWorkers(1)
	assert.Panics(t, func() { w.Run(1, &nestedTask{w}) })
	assert.Panics(t, func() { NewWorkers(0) })
	assert.Panics(t, func() { NewWorkers(WorkersMax + 1) })
}

func TestWorkersAllocateNothing(t *testing.T) {
	for _, count := range []int{1, 2} {
		w := NewWorkers(count)
		task := &countTask{calls: make([]uint32, 4)}
		assert.Zero(t, testing.AllocsPerRun(200, func() { w.Run(4, task) }))
		w.Close()
	}
}

func BenchmarkWorkersBarrier(b *testing.B) {
	for _, count := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", count), func(b *testing.B) {
			w := NewWorkers(count)
			defer w.Close()
			task := &countTask{calls: make([]uint32, 2)}
			for b.Loop() {
				w.Run(2, task)
			}
		})
	}
}
