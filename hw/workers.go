package hw

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Task is work that is cut into shards. Do(0), Do(1), ... may run at the same
// time and in any order, so a shard must touch only what belongs to it.
type Task interface {
	Do(shard int)
}

// Workers is a pool of persistent goroutines with a barrier: Run hands out the
// shards of one task and returns when all of them are done. Nothing is allocated
// per Run, because the kernel calls it several times per emulated cycle.
//
// The caller is one of the workers, so a pool of one has no goroutines at all
// and Run is a loop. Run and Close belong to one goroutine at a time.
type Workers struct {
	helpers []helper
	spins   int // loads before a waiting goroutine parks

	// Written by the caller while no helper runs; helpers read it after they
	// have seen their post, which orders the two.
	task      Task
	stretches []stretch // of each worker, the caller first; those of the task alone
	busy      bool

	panicLock  sync.Mutex
	panicked   bool
	panicShard int
	panicValue any
}

// stretch is the run of shards that a worker begins with: the same ones in every task of as many shards, so that what they
// work on stays in its cache. A worker that is through takes shards of others.
type stretch struct {
	next atomic.Int64
	end  int64
	_    [48]byte // the next one lives on another cache line
}

// helper is one goroutine of the pool. Its state is the whole protocol:
//
//	           post            helper takes it
//	idle   ------------> posted ------------> running ------> idle
//	parked ------------>   |                     |
//	  (+ token in wake)    +--> idle (revoked)   +--> awaited ------> idle (+ token in done)
//
// A helper that spun in vain parks on wake; a caller that spun in vain marks the
// helper awaited and parks on done. A post that the helper has not taken when
// all shards are handed out is revoked, so a helper that the operating system
// does not let run costs no time.
type helper struct {
	state atomic.Uint32
	wake  chan struct{}
	done  chan struct{}
	_     [64]byte // the next helper's state lives on another cache line
}

const (
	helperIdle uint32 = iota
	helperParked
	helperPosted
	helperRunning
	helperAwaited
	helperClosed
)

// WorkersMax is the largest pool that NewWorkers makes.
const WorkersMax = 1024

// How often a waiting goroutine looks before it parks: about ten microseconds, which is what it costs to be woken, and
// covers what one worker is through with its shards before another; about one if there are more workers than
// processors, since who is waited for may need the one that waits.
const spinLoads, spinLoadsCrowded = 20_000, 1500

// NewWorkers returns a pool of count workers, the caller of Run included. count
// is 1..WorkersMax; anything else is a programming error and panics. Close ends
// the pool's goroutines.
func NewWorkers(count int) *Workers {
	if count < 1 || count > WorkersMax {
		panic(fmt.Sprintf("hw: %d workers, allowed are 1 to %d", count, WorkersMax))
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

// Count returns the number of workers, the caller included.
func (w *Workers) Count() int { return len(w.helpers) + 1 }

// Run calls task.Do(0) ... task.Do(shards-1), each once, and returns when all have returned: every
// worker takes the shards of its stretch, and then what others have left. What the shards wrote is
// visible to the caller, and what the caller wrote before is visible to them.
//
// If shards panic, Run panics with the value of the lowest of them, whatever the
// number of workers. Do must not call Run of the same pool, nor runtime.Goexit.
func (w *Workers) Run(shards int, task Task) {
	if w.busy {
		panic("hw: Workers.Run called from within a task of the same pool")
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

// Close ends the goroutines. The pool is unusable afterwards.
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
		for s.next.Load() < s.end { // which costs the others nothing when the stretch is through
			shard := s.next.Add(1) - 1
			if shard >= s.end {
				break
			}
			w.do(int(shard))
		}
	}
}

// do runs one shard and keeps its panic: the panic that Run reports does not depend on who was faster.
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
			// Fails when the caller has just revoked the post.
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

// wait returns the first state that is not idle: spinning first, then parked. A
// woken helper may find itself idle again, when its post was revoked.
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

// await returns when the helper has finished, or at once when it never started.
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
