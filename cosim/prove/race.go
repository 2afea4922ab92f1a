package prove

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A race decides all outputs of a graph with several engines in parallel.
//
//	worker 1   bmc3 on the first cycles, which show most mistakes; pdr would take a minute to find them in a
//	           large circuit. Then pdr on all outputs at once, which is often easier than separately. Then bmc3,
//	           for mistakes that pdr is too slow to find. Then as worker 2.
//	worker 2   reduces the graph by merging equivalent signals, which decides most outputs of two circuits in one
//	           style; then the remaining outputs together, by port, and one per class of cones, with every
//	           engine and growing time limits
type race struct {
	*problem
	dir     string
	outputs []int
	start   time.Time
	limit   time.Duration
	cycles  int // cycles to check; 0: all
	tell    func(text string)

	mutex sync.Mutex
	exact bool // work is part of the whole graph, not of begun
	work  *cone
	// by number in the whole graph: number of the output in work, for hints and for the first output of each class
	at     map[int]int
	open   [][]int
	hunted [][]int // outputs refuted without a counterexample
	tried  map[string]bool
	number int
	found
	err    error
	cancel context.CancelFunc
}

type problem struct {
	whole   *graph
	groups  [][]int // outputs by port; an output may occur twice
	begun   *begun  // the whole graph from its second cycle on, with hints appended to its outputs; nil for none
	hints   []hint  // outputs of begun whose proof may help
	on      int     // input that is always 1
	files   string
	powerOn map[int]int // input with the initial value of a latch, by latch of the whole graph
}

// A hint is an output about a register that should always be 0.
type hint struct {
	output int
	latch  int // latch of begun; -1: several
}

type found struct {
	proved   map[int]string // engine that proved an output, by output
	commands []string
	witness  [][]bool // inputs of the whole graph, by cycle, up to the first difference
	failed   int
	by       string
	frames   int // cycles in which all outputs are 0
}

func (p *problem) decide(ctx context.Context, dir string, o *Options, tell func(string)) *race {
	var outputs []int
	for _, group := range p.groups {
		outputs = append(outputs, group...)
	}
	slices.Sort(outputs)
	outputs = slices.Compact(outputs)
	clock := stopwatch{limit: o.limit(), tell: tell}
	say, stop := clock.ticking()
	defer stop()
	r := &race{
		problem: p, dir: dir, outputs: outputs, start: time.Now(), limit: o.limit(), cycles: o.Cycles, tell: say,
		exact: p.begun == nil || o.Cycles > 0, tried: map[string]bool{}, found: found{proved: map[int]string{}, failed: -1},
		cancel: func() {},
	}
	r.begin()
	if len(r.open) == 0 {
		return r
	}
	ctx, r.cancel = context.WithDeadline(ctx, r.start.Add(r.limit))
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

// begin builds classes of the unproved outputs, and the cone of the hints and the first output of each class.
func (r *race) begin() {
	g := r.whole
	if !r.exact {
		g = &r.begun.graph
	}
	var left []int
	for _, output := range r.outputs {
		if g.outputs[output] == 0 {
			r.proved[output] = "the same logic"
		}
		if _, done := r.proved[output]; !done {
			left = append(left, output)
		}
	}
	r.open = g.classes(left)
	outputs := r.firsts()
	if !r.exact { // hints about registers outside the cone of outputs would only cost time
		reached := g.reached(outputs)
		for _, h := range r.hints {
			if h.latch < 0 || reached[g.firstLatch()+uint32(h.latch)] {
				outputs = append(outputs, h.output)
			}
		}
	}
	r.shrinkTo(g.coneOf(outputs, false), outputs, "the same logic")
}

func (r *race) hintsAtWork() (all []int) {
	for _, h := range r.hints {
		if _, ok := r.at[h.output]; ok {
			all = append(all, h.output)
		}
	}
	return all
}

// firsts returns the first output of each open class. It represents the class.
func (r *race) firsts() (all []int) {
	for _, class := range r.open {
		all = append(all, class[0])
	}
	return all
}

// shrinkTo continues with the reduced graph work. Outputs that became constant 0 are proved.
func (r *race) shrinkTo(work *cone, outputs []int, by string) {
	r.work, r.at = work, map[int]int{}
	var proved []int
	for i, output := range outputs {
		r.at[output] = i
		if work.outputs[i] == 0 {
			proved = append(proved, output)
		}
	}
	r.prove(proved, by)
	var firsts []int
	for _, first := range r.firsts() {
		firsts = append(firsts, r.at[first])
	}
	var merged [][]int
	for _, alike := range work.classes(firsts) { // cones of several classes may have become equal
		var class []int
		for _, at := range alike {
			class = append(class, r.open[slices.Index(firsts, at)]...)
		}
		merged = append(merged, class)
	}
	r.open = merged
}

func (r *race) prove(outputs []int, by string) {
	var open [][]int
	for _, class := range r.open {
		if !slices.Contains(outputs, class[0]) {
			open = append(open, class)
			continue
		}
		for _, output := range class {
			r.proved[output] = by
		}
	}
	r.open = open
	r.told()
}

func (r *race) told() {
	if len(r.open) == 0 {
		r.cancel()
	}
	r.tell(fmt.Sprintf("%d of %d bits proved", len(r.proved), len(r.outputs)))
}

type task struct {
	engine
	cone    *cone
	exact   bool
	outputs []int // outputs of the whole graph, in the order of the cone
	limit   time.Duration
	name    string
}

func (r *race) step(ctx context.Context, worker int) bool {
	t := r.next(ctx, worker)
	if t == nil {
		return false
	}
	if t.reduces {
		reduced, err := t.reduce(ctx, r.dir, t.name, &t.cone.graph, t.limit)
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if err == nil && reduced != nil && t.exact == r.exact {
			r.commands = append(r.commands, fmt.Sprintf("reduced %s '%s'%s", t.name, t.command(t.name, t.limit), zeros(reduced)))
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
		r.commands = append(r.commands, fmt.Sprintf("proved '%s'", t.command(t.name, t.limit)))
		r.prove(t.outputs, t.engine.name)
	case a.inputs != nil:
		r.commands = append(r.commands, fmt.Sprintf("refuted '%s'", t.command(t.name, t.limit)))
		r.refute(t, a.inputs)
	case a.refuted:
		r.hunted = append(r.hunted, t.outputs)
	case t.bounded:
		frames := a.frames
		if !t.exact && frames > 0 {
			frames++ // includes the first cycle of the whole graph
		}
		r.frames = max(r.frames, frames)
	}
	return ctx.Err() == nil
}

func zeros(g *graph) (text string) {
	for i, literal := range g.outputs {
		if literal == 0 {
			text += fmt.Sprint(" ", i)
		}
	}
	return text
}

func (r *race) refute(t *task, inputs [][]bool) {
	if r.witness != nil {
		return
	}
	rows := r.ofWhole(t, inputs)
	s := r.whole.simulation()
	words := make([]uint64, r.whole.inputs)
	for cycle, row := range rows {
		for i, on := range row {
			words[i] = bit(on)
		}
		s.settle(words)
		for _, output := range r.outputs {
			if s.of(r.whole.outputs[output])&1 != 0 {
				r.witness, r.failed, r.by = rows[:cycle+1], output, t.engine.name
				r.cancel()
				return
			}
		}
		s.edge()
	}
	if t.exact {
		r.err = fmt.Errorf("%s has a counterexample that its graph does not show", t.engine.name)
		return
	}
	if !r.exact { // the begun graph started in a state that is unreachable after the first cycle
		r.exact = true
		r.begin()
	}
}

func (r *race) ofWhole(t *task, inputs [][]bool) (rows [][]bool) {
	if !t.exact {
		rows = append(rows, make([]bool, r.whole.inputs))
		for i, in := range t.cone.inputOf {
			if latch := slices.Index(r.begun.freeOf, in); latch >= 0 {
				if at, ok := r.powerOn[latch]; ok {
					rows[0][at] = inputs[0][i]
				}
			}
		}
	}
	for _, row := range inputs {
		whole := make([]bool, r.whole.inputs)
		for i, on := range row {
			if in := t.cone.inputOf[i]; in < len(whole) {
				whole[in] = on
			}
		}
		rows = append(rows, whole)
	}
	if !t.exact {
		for _, row := range rows {
			row[r.on] = true
		}
	}
	return rows
}

const firstCycles = 20

func (r *race) next(ctx context.Context, worker int) *task {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	left := time.Until(r.start.Add(r.limit))
	if ctx.Err() != nil || left < time.Second || len(r.open) == 0 || r.witness != nil {
		return nil
	}
	all := r.firsts()
	if r.cycles > 0 {
		if worker == 0 && r.once("bmc3") {
			return r.task(bounded(r.cycles), all, max(left-3*time.Second, time.Second), true)
		}
		return nil
	}
	for _, outputs := range r.hunted {
		outputs = slices.DeleteFunc(slices.Clone(outputs), func(o int) bool { return !slices.Contains(all, o) })
		if len(outputs) > 0 && r.once(fmt.Sprint("hunt", outputs)) {
			return r.task(bmc3, outputs, max(left-3*time.Second, time.Second), true)
		}
	}
	part := func(n int) time.Duration { return min(left, max(r.limit/time.Duration(n), 2*time.Second)) }
	switch {
	case worker == 0 && r.once("first cycles"):
		return r.task(bounded(firstCycles), all, part(30), true)
	case worker == 0 && r.once("pdr of all"):
		return r.task(pdr, all, 2*part(3), true)
	case worker == 0 && r.once("bmc3"):
		// bmc3 reports its depth only if it is not stopped
		return r.task(bmc3, all, max(left-3*time.Second, time.Second), true)
	case r.once("reduce"):
		if !r.exact {
			all = append(all, r.hintsAtWork()...)
		}
		return r.task(scorr, all, part(3), false)
	}
	key := "reach"
	if len(all) == 1 {
		key = "reach of one"
	}
	if r.once(key) {
		if t := r.task(reach, all, part(12), true); len(t.cone.next) <= reachLatches {
			return t
		}
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

func (r *race) nextOf(e engine, budget time.Duration, all []int, limit time.Duration) *task {
	if r.once(fmt.Sprint(e.name, budget, all)) {
		return r.task(e, all, limit, true)
	}
	for _, group := range r.groups {
		var open []int
		for _, output := range group {
			if slices.Contains(all, output) {
				open = append(open, output)
			}
		}
		if len(open) > 1 && r.once(fmt.Sprint(e.name, budget, open)) {
			return r.task(e, open, limit, true)
		}
	}
	for _, output := range all {
		if r.once(fmt.Sprint(e.name, budget, []int{output})) {
			return r.task(e, []int{output}, limit, true)
		}
	}
	return nil
}

func (r *race) task(e engine, outputs []int, limit time.Duration, joined bool) *task {
	r.number++
	at := make([]int, len(outputs))
	for i, output := range outputs {
		at[i] = r.at[output]
	}
	c := r.work.coneOf(at, joined)
	for i, input := range c.inputOf {
		c.inputOf[i] = r.work.inputOf[input]
	}
	return &task{engine: e, cone: c, exact: r.exact, outputs: outputs, limit: limit,
		name: fmt.Sprintf("%s-%d", r.files, r.number)}
}

func (r *race) once(key string) bool {
	key = fmt.Sprint(r.exact, " ", key)
	before := r.tried[key]
	r.tried[key] = true
	return !before
}

// A decision is the cached result of a race.
type decision struct {
	Proved   map[int]string `json:"proved"` // engine that proved an output, by output
	Witness  [][]bool       `json:"witness,omitempty"`
	Failed   int            `json:"failed"`
	By       string         `json:"by,omitempty"`
	Frames   int            `json:"frames"`
	Open     int            `json:"open"`
	Commands []string       `json:"commands"`
	Took     time.Duration  `json:"took"`
	cached   bool
}

// decision returns the result of the race. An undecided race counts as if it had used its whole time limit.
func (r *race) decision() *decision {
	took := time.Since(r.start)
	if r.witness == nil && len(r.open) > 0 {
		took = max(took, r.limit)
	}
	return &decision{
		Proved: r.proved, Witness: r.witness, Failed: r.failed, By: r.by, Frames: r.frames,
		Open:     len(r.outputs) - len(r.proved),
		Commands: r.commands, Took: took,
	}
}
