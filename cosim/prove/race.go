package prove

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A race decides all outputs of a graph with several engines side by side.
//
//	worker 1   pdr on all outputs at once: what is true of all together is often easier than of one; then
//	           bmc3, which finds what pdr is too slow for; then as worker 2
//	worker 2   reduces the graph by what is always equal in it, which decides most outputs of two circuits
//	           of one style; then all outputs that are left, each port, and one output of each class of
//	           cones, with every engine, for longer and longer
type race struct {
	whole   *graph
	dir     string
	outputs []int
	groups  [][]int
	begun   time.Time
	limit   time.Duration
	cycles  int // only so many are looked at; 0: all
	tell    func(text string)

	mutex  sync.Mutex
	work   *cone       // what is left of the whole
	at     map[int]int // outputs of the whole in it
	open   [][]int     // classes of outputs that are not decided
	tried  map[string]bool
	number int // of files
	found
	err    error
	cancel context.CancelFunc
}

// found is what a race has decided so far.
type found struct {
	proved   map[int]string // by output: the engine
	commands []string       // that have decided something, for a replay
	witness  [][]bool       // inputs of the whole, cycle by cycle, to the first difference
	failed   int            // the output that differs there
	by       string         // the engine that found it
	frames   int            // all outputs are equal in so many cycles
}

// decide runs the race. Groups are outputs that belong together; outputs may stand there twice.
func (g *graph) decide(ctx context.Context, dir string, groups [][]int, o *Options, tell func(string)) *race {
	var outputs []int
	for _, group := range groups {
		outputs = append(outputs, group...)
	}
	slices.Sort(outputs)
	outputs = slices.Compact(outputs)
	r := &race{
		whole: g, dir: dir, outputs: outputs, groups: groups, begun: time.Now(), limit: o.limit(), cycles: o.Cycles, tell: tell,
		tried: map[string]bool{}, found: found{proved: map[int]string{}, failed: -1}, cancel: func() {},
	}
	r.shrinkTo(g.coneOf(outputs, false), outputs, "the same logic")
	if len(r.open) == 0 {
		return r
	}
	ctx, r.cancel = context.WithDeadline(ctx, r.begun.Add(r.limit))
	defer r.cancel()
	var all sync.WaitGroup
	for worker := range max(o.Workers, 1) {
		all.Go(func() {
			for r.step(ctx, worker) {
			}
		})
	}
	all.Wait()
	return r
}

// shrinkTo goes on with a graph whose outputs are some of the whole's; those that are constant 0 are
// proved.
func (r *race) shrinkTo(work *cone, outputs []int, by string) {
	r.work, r.at, r.open = work, map[int]int{}, nil
	var left []int
	back := map[int]int{}
	for i, output := range outputs {
		r.at[output], back[i] = i, output
		if _, done := r.proved[output]; done {
			continue
		}
		if work.outputs[i] == 0 {
			r.proved[output] = by
		} else {
			left = append(left, i)
		}
	}
	for _, class := range work.classes(left) {
		for i := range class {
			class[i] = back[class[i]]
		}
		r.open = append(r.open, class)
	}
	r.told()
}

func (r *race) told() {
	if len(r.open) == 0 {
		r.cancel()
	}
	r.tell(fmt.Sprintf("%d of %d bits proved", len(r.proved), len(r.outputs)))
}

// A task is an engine on outputs, for a time.
type task struct {
	engine
	cone    *cone
	outputs []int // of the whole, that the cone has
	proves  []int // what is proved with them
	limit   time.Duration
	name    string // of its files
}

// step does one task, and reports whether there may be more.
func (r *race) step(ctx context.Context, worker int) bool {
	t := r.next(ctx, worker)
	if t == nil {
		return false
	}
	if t.reduces {
		reduced, err := t.reduce(ctx, r.dir, t.name, &t.cone.graph, t.limit)
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if err == nil && reduced != nil {
			r.commands = append(r.commands, t.command(t.name, t.limit)+"; write_aiger "+t.name+"-reduced.aig")
			r.shrinkTo(&cone{graph: *reduced, inputOf: t.cone.inputOf}, t.outputs, t.engine.name)
		}
		return ctx.Err() == nil
	}
	a, err := t.run(ctx, r.dir, t.name, &t.cone.graph, t.limit)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case err != nil:
		if ctx.Err() == nil {
			r.err = err
		}
	case a.proved:
		r.commands = append(r.commands, t.command(t.name, t.limit)+"; print_status")
		r.prove(t)
	case a.inputs != nil:
		r.commands = append(r.commands, t.command(t.name, t.limit)+"; print_status")
		r.refute(t, a.inputs)
	case t.bounded:
		r.frames = max(r.frames, a.frames)
	}
	return ctx.Err() == nil
}

func (r *race) prove(t *task) {
	for _, output := range t.proves {
		r.proved[output] = t.engine.name
	}
	var open [][]int
	for _, class := range r.open {
		if _, done := r.proved[class[0]]; !done {
			open = append(open, class)
		}
	}
	r.open = open
	r.told()
}

// refute believes a counterexample only as far as its simulation shows it.
func (r *race) refute(t *task, inputs [][]bool) {
	if r.witness != nil {
		return
	}
	whole := make([][]bool, len(inputs))
	s := r.whole.simulation()
	words := make([]uint64, r.whole.inputs)
	for cycle, row := range inputs {
		whole[cycle] = make([]bool, r.whole.inputs)
		for i, on := range row {
			whole[cycle][t.cone.inputOf[i]] = on
		}
		for i, on := range whole[cycle] {
			words[i] = 0
			if on {
				words[i] = 1
			}
		}
		s.settle(words)
		for _, output := range r.outputs {
			if s.of(r.whole.outputs[output])&1 != 0 {
				r.witness, r.failed, r.by = whole[:cycle+1], output, t.engine.name
				r.cancel()
				return
			}
		}
		s.edge()
	}
	r.err = fmt.Errorf("%s has a counterexample that its graph does not show", t.engine.name)
}

// next chooses a task; nil for none.
func (r *race) next(ctx context.Context, worker int) *task {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	left := time.Until(r.begun.Add(r.limit))
	if ctx.Err() != nil || left < time.Second || len(r.open) == 0 || r.witness != nil {
		return nil
	}
	var all []int
	for _, class := range r.open {
		all = append(all, class...)
	}
	if r.cycles > 0 {
		if worker == 0 && r.once("bmc3") {
			return r.task(bounded(r.cycles), all, nil, max(left-3*time.Second, time.Second), true)
		}
		return nil
	}
	part := func(n int) time.Duration { return min(left, max(r.limit/time.Duration(n), 2*time.Second)) }
	switch {
	case worker == 0 && r.once("pdr of all"):
		return r.task(pdr, all, all, 2*part(3), true)
	case worker == 0 && r.once("bmc3"):
		return r.task(bmc3, all, all, max(left-3*time.Second, time.Second), true) // it has to end by itself to say how far it is
	case r.once("reduce"):
		return r.task(scorr, all, nil, part(3), false)
	}
	for budget := r.limit / 12; budget < 2*r.limit; budget *= 3 {
		for _, e := range []engine{pdr, deeper, dprove} {
			if t := r.nextOf(e, budget, all, min(left, max(budget, 2*time.Second))); t != nil {
				return t
			}
		}
	}
	return nil
}

// nextOf chooses outputs for an engine: all, those of a port, one of a class.
func (r *race) nextOf(e engine, budget time.Duration, all []int, limit time.Duration) *task {
	if r.once(fmt.Sprint(e.name, budget, all)) {
		return r.task(e, all, all, limit, true)
	}
	for _, group := range r.groups {
		var open []int
		for _, output := range group {
			if slices.Contains(all, output) {
				open = append(open, output)
			}
		}
		if len(open) > 1 && r.once(fmt.Sprint(e.name, budget, open)) {
			return r.task(e, open, open, limit, true)
		}
	}
	for _, class := range r.open {
		if r.once(fmt.Sprint(e.name, budget, class[:1])) {
			return r.task(e, class[:1], class, limit, true)
		}
	}
	return nil
}

// task cuts out what an engine gets.
func (r *race) task(e engine, outputs, proves []int, limit time.Duration, joined bool) *task {
	r.number++
	at := make([]int, len(outputs))
	for i, output := range outputs {
		at[i] = r.at[output]
	}
	c := r.work.coneOf(at, joined)
	for i, input := range c.inputOf {
		c.inputOf[i] = r.work.inputOf[input]
	}
	return &task{engine: e, cone: c, outputs: outputs, proves: proves, limit: limit, name: fmt.Sprintf("cone-%d", r.number)}
}

// once is true the first time.
func (r *race) once(key string) bool {
	before := r.tried[key]
	r.tried[key] = true
	return !before
}

// A decision is how a race has ended, as the cache keeps it.
type decision struct {
	Proved   map[int]string `json:"proved"` // by output of the graph: the engine
	Witness  [][]bool       `json:"witness,omitempty"`
	Failed   int            `json:"failed"`
	By       string         `json:"by,omitempty"`
	Frames   int            `json:"frames"`
	Open     int            `json:"open"` // outputs that are not decided
	Commands []string       `json:"commands"`
	Took     time.Duration  `json:"took"`
	cached   bool
}

// decision is how the race has ended.
func (r *race) decision() *decision {
	return &decision{
		Proved: r.proved, Witness: r.witness, Failed: r.failed, By: r.by, Frames: r.frames, Open: len(r.outputs) - len(r.proved),
		Commands: r.commands, Took: max(time.Since(r.begun), r.limit*min(time.Duration(len(r.open)), 1)),
	}
}
