package prove

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"starloom/cosim"
	"starloom/cosim/flatten"
)

// A stopwatch bounds the total time of several steps and reports progress every second.
type stopwatch struct {
	limit time.Duration // limit of the total time; 0: none
	used  time.Duration
	tell  func(text string)
}

var errLate = errors.New("its time limit has passed")

// run runs a step within the remaining time. It returns errLate after the limit, unless the step returned a *refusal.
func (w *stopwatch) run(ctx context.Context, step string, run func(ctx context.Context) error) error {
	began, whole := time.Now(), ctx
	if w.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.limit-w.used)
		defer cancel()
	}
	say, stop := w.ticking()
	say(step)
	err := run(ctx)
	stop()
	w.used += time.Since(began)
	var refused *refusal
	if err != nil && ctx.Err() != nil && whole.Err() == nil && !errors.As(err, &refused) {
		return errLate
	}
	return err
}

// ticking returns a function that reports the current step. The step is also reported every second, with the elapsed
// time, until stop is called.
func (w *stopwatch) ticking() (say func(text string), stop func()) {
	if w.tell == nil {
		return func(string) {}, func() {}
	}
	var mutex sync.Mutex
	var text string
	began, before, ended := time.Now(), w.used, make(chan struct{})
	var ticker sync.WaitGroup
	ticker.Go(func() {
		seconds := time.NewTicker(time.Second)
		defer seconds.Stop()
		for {
			select {
			case <-ended:
				return
			case <-seconds.C:
				mutex.Lock()
				w.tell(fmt.Sprintf("%s (%v of %v)", text, (before + time.Since(began)).Round(time.Second), w.limit))
				mutex.Unlock()
			}
		}
	})
	say = func(now string) {
		mutex.Lock()
		defer mutex.Unlock()
		text = now
		w.tell(text)
	}
	return say, func() { close(ended); ticker.Wait() }
}

// sizeText describes the size of a graph: the bits of all registers of the RTL, and the largest register.
func sizeText(registers []flatten.Register) string {
	const smaller = ": smaller parameters of RTL and model take less time"
	bits := func(r flatten.Register) int { return r.Bits * max(r.Words, 1) }
	if len(registers) == 0 {
		return "the RTL has no registers: its logic is large" + smaller
	}
	all := 0
	for _, r := range registers {
		all += bits(r)
	}
	largest := slices.MaxFunc(registers, func(a, b flatten.Register) int { return bits(a) - bits(b) })
	text := fmt.Sprintf("the RTL has %s in registers, %s of them in %s (%s)", cosim.Count(uint64(all), "bit"),
		strings.Fields(cosim.Count(uint64(bits(largest)), "bit"))[0], largest.Source, largest.Place)
	if largest.Words > 0 {
		text += ", a memory of " + cosim.Count(uint64(largest.Words), "word")
	}
	return text + smaller
}

// Options control Run.
type Options struct {
	// time limit of the engines; besides returns the limit of the other steps; 0 selects LimitDefault
	Limit    time.Duration
	Workers  int               // number of concurrent engines; 0 selects 2
	Cycles   int               // number of cycles to check after the first reset; 0 for all
	Folder   string            // folder for files that repeat the proof; "" for none
	NoCache  bool              // ignore earlier verdicts
	Third    bool              // slang reads the RTL, too
	Progress func(text string) // may be nil

	engines bool
}

// LimitDefault is the default time limit of the engines.
const LimitDefault = time.Minute

func (o *Options) limit() time.Duration {
	if o.Limit > 0 {
		return o.Limit
	}
	return LimitDefault
}

const besidesLeast = 20 * time.Second

// besides returns the time limit for building and simulating the graph, and for the final check that the miter can
// fail.
func (o *Options) besides() time.Duration { return max(o.limit(), besidesLeast) }
