package hw

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Task is work divided into shards. Do(0), Do(1), ... may run concurrently and in any order, so each call must access
// only the data of its shard.
type Task interface {
	Do(shard int)
}

// Workers is a pool of persistent goroutines. Run distributes the shards of a task and returns when all shards are
// done. It does not allocate.
//
// The caller is one of the workers, so a pool of one is a plain loop. Run and Close must not be called concurrently.
type Workers struct {
	helpers []helper
	spins   int // loads before a waiting goroutine parks

	// written by the caller while no helper runs; a helper reads the task after it has seen its post, which orders
	// the accesses
	task      Task
	stretches []stretch // by worker, the caller first
	busy      bool

	panicLock  sync.Mutex
	panicked   bool
	panicShard int
	panicValue any
}

// stretch is the run of shards with which a worker starts. Tasks with the same number of shards have the same
// stretches, so the data of the shards stays in the worker's cache. After its own stretch, a worker takes shards of
// other stretches.
type stretch struct {
	next atomic.Int64
	end  int64
	_    [48]byte // separates stretches into cache lines
}

// helper is one goroutine of the pool. Its state is the whole protocol:
//
//	           post            helper takes it
//	idle   ------------> posted ------------> running ------> idle
//	parked ------------>   |                     |
//	  (+ token in wake)    +--> idle (revoked)   +--> awaited ------> idle (+ token in done)
//
// After spinning in vain, a helper parks on wake; a caller marks the helper awaited and parks on done. If all shards
// are taken before a helper takes its post, the caller revokes the post, so a helper without CPU time costs no time.
type helper struct {
	state atomic.Uint32
	wake  chan struct{}
	done  chan struct{}
	_     [64]byte // separates helpers into cache lines
}

const (
	helperIdle uint32 = iota
	helperParked
	helperPosted
	helperRunning
	helperAwaited
	helperClosed
)

// WorkersMax is the maximum size of a pool.
const WorkersMax = 1024

// Number of loads before a waiting goroutine parks. The first takes about ten microseconds, the cost of a wake-up and
// the usual skew between workers. The second takes about one microsecond; it applies if workers outnumber CPUs,
// because the awaited worker may need the waiting worker's CPU.
const spinLoads, spinLoadsCrowded = 20_000, 1500

// NewWorkers returns a pool of count workers, including the caller of Run. It panics unless count is 1..WorkersMax.
// Close ends the goroutines.
func NewWorkers(count int) *Workers {
	if count < 1 || count > WorkersMax {
		panic(fmt.Sprintf("hw: %d workers; allowed: 1 to %d", count, WorkersMax))
	}
	w := &Workers{helpers: make([]helper, count-1), stretches: make([]stretch, 0, count)}
	if w.spins = spinLoads; count > runtime.GOMAXPROCS(0) {
		w.spins = spinLoadsCrowded
	}
	for i := range w.helpers {
		h := &w.helpers[i]
		h.wake = make(chan struct{}, 1)
		h.done = make(chan struct{}, 1)
		go w.help(h, i+1)
	}
	return w
}

// Count returns the number of workers, including the caller.
func (w *Workers) Count() int { return len(w.helpers) + 1 }

// Run calls task.Do(0) ... task.Do(shards-1), each once, and returns when all calls have returned. The caller sees
// the writes of the shards, and the shards see the caller's earlier writes.
//
// If shards panic, Run panics with the value of the lowest panicking shard, for any number of workers. Do must not
// call Run of the same pool or runtime.Goexit.
func (w *Workers) Run(shards int, task Task) {
	if w.busy {
		panic("hw: Workers.Run called within a task of the same pool")
	}
	w.busy = true
	defer w.idle()
	if shards <= 1 || len(w.helpers) == 0 {
		for shard := range shards {
			task.Do(shard)
		}
		return
	}

	w.task = task
	helpers := w.helpers[:min(len(w.helpers), shards-1)]
	w.stretches = w.stretches[:len(helpers)+1]
	for i := range w.stretches {
		w.stretches[i].next.Store(int64(shards * i / len(w.stretches)))
		w.stretches[i].end = int64(shards * (i + 1) / len(w.stretches))
	}
	for i := range helpers {
		h := &helpers[i]
		if h.state.Swap(helperPosted) == helperParked {
			h.wake <- struct{}{}
		}
	}
	w.pull(0)
	for i := range helpers {
		helpers[i].await(w.spins)
	}
	w.task = nil
	if w.panicked {
		value := w.panicValue
		w.panicked, w.panicValue = false, nil
		panic(value)
	}
}

func (w *Workers) idle() { w.busy = false }

// Close ends the goroutines. The pool must not be used afterwards.
func (w *Workers) Close() {
	for i := range w.helpers {
		h := &w.helpers[i]
		if h.state.Swap(helperClosed) == helperParked {
			h.wake <- struct{}{}
		}
	}
	w.helpers = nil
}

func (w *Workers) pull(worker int) {
	for i := range w.stretches {
		s := &w.stretches[(worker+i)%len(w.stretches)]
		for s.next.Load() < s.end { // a load of a finished stretch does not slow down the other workers
			shard := s.next.Add(1) - 1
			if shard >= s.end {
				break
			}
			w.do(int(shard))
		}
	}
}

// do runs one shard and stores its panic, so that the panic of Run does not depend on timing.
func (w *Workers) do(shard int) {
	defer func() {
		if value := recover(); value != nil {
			w.panicLock.Lock()
			if !w.panicked || shard < w.panicShard {
				w.panicked, w.panicShard, w.panicValue = true, shard, value
			}
			w.panicLock.Unlock()
		}
	}()
	w.task.Do(shard)
}

func (w *Workers) help(h *helper, worker int) {
	for {
		switch h.wait(w.spins) {
		case helperPosted:
			// The swap fails if the caller has just revoked the post.
			if !h.state.CompareAndSwap(helperPosted, helperRunning) {
				continue
			}
			w.pull(worker)
			if h.state.Swap(helperIdle) == helperAwaited {
				h.done <- struct{}{}
			}
		case helperClosed:
			return
		}
	}
}

// wait spins, then parks, and returns the state. A woken helper may be idle again, because the caller has revoked its
// post.
func (h *helper) wait(spins int) uint32 {
	for range spins {
		if state := h.state.Load(); state != helperIdle {
			return state
		}
	}
	runtime.Gosched()
	if h.state.CompareAndSwap(helperIdle, helperParked) {
		<-h.wake
	}
	return h.state.Load()
}

// await returns when the helper has finished, at once if it has not started.
func (h *helper) await(spins int) {
	if h.state.CompareAndSwap(helperPosted, helperIdle) {
		return
	}
	for range spins {
		if h.state.Load() == helperIdle {
			return
		}
	}
	if h.state.CompareAndSwap(helperRunning, helperAwaited) {
		<-h.done
	}
}
