package lockstep

import (
	"math/bits"
	"slices"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// explorer searches for behaviour that a run with a Schedule has not reached. It drives model and RTL in phases. A
// phase that shows new behaviour of the model (see novelty) saves a place. A place has the states of model and RTL
// and the phases that lead to these states. Later phases start from places, so that a rare state is reached once and
// tried often:
//
//	backbone   one long run without reset; saves places at many ages (cycles since reset)
//	bursts     a few cycles from places just before ages of 2^k, for counters that only the RTL has
//	passes     long runs that start at a saved age
//	search     short phases from places that few phases have started from
//	run-ups    inputs that move a counter stay constant until it stops
//
// With a stimulus recorded from a run, places along the recorded run replace the places of the backbone.
//
// Only the model guides the search, so that inputs are a function of model, seed and cycle count. The exception is a
// model that follows outputs of the RTL. A backend that cannot restore its state continues from its present state.
type explorer struct {
	*pair
	phaser  *twin.Phaser
	novelty *novelty
	saves   bool

	corpus []*place
	marks  []*place
	here   *place
	found  int

	ends map[int]int // completed run-ups, by counter and direction

	number uint64
	next   uint64
	budget budget

	differs *difference
	err     error
}

type budget struct {
	cycles, spent uint64
	deep, runUps  uint64 // cycles spent on passes and bursts, and on run-ups
	lastNew       uint64 // value of spent when the model last showed new behaviour
}

// shareOfDeep returns the cycles to spend on passes and bursts: half of all cycles. The share is three quarters after
// an eighth of the budget without new behaviour.
func (b *budget) shareOfDeep() uint64 {
	if b.spent-b.lastNew > b.cycles/8 {
		return b.spent / 4 * 3
	}
	return b.spent / 2
}

type place struct {
	from   *place // nil if the place follows power-on or a recorded run
	rows   int    // number of rows of the recorded stimulus that lead here
	phase  twin.Phase
	visits int

	course course
	// snapshots; the RTL's is a delta from power-on; nil for a place that serves only as a step of a path
	model, rtl []byte
	bytes      int // size of the RTL's full snapshot
	lines      [][]uint64
	gates      [][]bool
}

const (
	placesMax       = 192
	placesBytesMax  = 128 << 20
	placesOfRun     = 16 // number of places kept in addition to places with new behaviour
	backboneCycles  = 1<<16 + 1<<9
	markEarly       = 6 // number of cycles from a mark to an age of 2^k
	markFirst       = 6 // smallest k with a mark
	marksBetween    = 4 // number of marks between two powers of two
	burstCycles     = 16
	bursts          = 8
	runUpSeen       = 16      // cycles after which a moving counter is recognised
	runUpCycles     = 1 << 10 // largest number of cycles of one phase
	runUpCyclesMax  = 1<<17 + 1<<11
	runUpsMax       = 2
	passCyclesMax   = 1 << 14
	searchCyclesMax = 1 << 7
)

func (l *pair) explored(seed, cycles uint64) *explorer {
	e := &explorer{pair: l, phaser: twin.NewPhaser(l.model, seed), next: l.options.Cycles,
		here: &place{}, ends: map[int]int{}}
	e.budget.cycles = cycles
	e.differs, e.err = l.power(1)
	e.novelty = newNovelty(e.phaser.Observed(), l.coverage)
	if !e.over() {
		e.saves = l.rtlInitial != nil && len(l.rtlInitial) <= placesBytesMax/64
		l.begin(0)
		if l.options.Stimulus != nil {
			e.follow(l.options.Stimulus)
		} else {
			e.explore()
		}
	}
	return e
}

func (e *explorer) flush() {
	if at := e.exchange.flush(e.pair); at != nil && e.differs == nil {
		e.differs = at
	}
}

func (e *explorer) explore() {
	start := e.phaser.Draw(e.choose())
	start.Resets = 1
	e.run(start, 4)
	if e.model.Clocked() {
		e.backbone(min(backboneCycles, e.budget.cycles/4))
	}
	for !e.over() {
		if len(e.marks) > 0 && e.budget.deep < e.budget.shareOfDeep() {
			e.goDeep()
		} else {
			e.search()
		}
	}
}

// follow repeats a recorded stimulus without a difference, saves places along its run, and searches from these
// places.
func (e *explorer) follow(s *Stimulus) {
	for row := range s.Cycles() {
		if row%progressCycles == 0 {
			e.err = e.lookUp()
		}
		if e.over() {
			return
		}
		copy(e.model.Inputs(), s.row(row))
		e.fit()
		e.found = 0
		if _, e.differs, e.err = e.advance(e.see); e.over() {
			return
		}
		e.here = &place{rows: row + 1, course: e.now}
		if e.found > 0 || row%(s.Cycles()/placesOfRun+1) == 0 {
			e.keep(e.here)
		}
	}
	for !e.over() {
		e.search()
	}
}

func (e *explorer) over() bool {
	return e.differs != nil || e.err != nil || e.budget.spent >= e.budget.cycles
}

func (e *explorer) choose() *twin.Random {
	e.number++
	return e.phaser.Choose(e.number)
}

// run drives one phase from the present state. It saves the final state if the phase showed new behaviour.
func (e *explorer) run(phase twin.Phase, cycles uint64) {
	if cycles = min(cycles, e.budget.cycles-e.budget.spent); cycles == 0 {
		return
	}
	phase.First, phase.Cycles = e.next, cycles
	e.next += cycles
	e.here = &place{from: e.here, phase: phase}
	e.found = 0
	e.novelty.begin()
	for cycle := uint64(0); cycle < cycles; cycle++ {
		if e.budget.spent%progressCycles == 0 {
			if e.err = e.lookUp(); e.err != nil {
				return
			}
		}
		if !e.put(e.phaser, &phase, cycle, e.now.cycle) {
			e.err = e.contract.failure()
			return
		}
		e.fit()
		e.budget.spent++
		if _, e.differs, e.err = e.advance(e.see); e.differs != nil || e.err != nil {
			return
		}
	}
	e.here.course = e.now
	if e.found > 0 {
		e.budget.lastNew = e.budget.spent
		e.keep(e.here)
	}
}

func (e *explorer) see(uint64, bool) { e.found += e.novelty.see() }

func (e *explorer) age() uint64 { return e.now.stretch }

func (e *explorer) keep(p *place) {
	if e.save(p); p.rtl == nil {
		return
	}
	if len(e.corpus) >= placesMax || (len(e.corpus)+len(e.marks))*p.bytes > placesBytesMax {
		most := 0 // the most visited place; the oldest of several
		for i, other := range e.corpus {
			if other.visits > e.corpus[most].visits {
				most = i
			}
		}
		if len(e.corpus) > 0 {
			e.forget(e.corpus[most])
			e.corpus = slices.Delete(e.corpus, most, most+1)
		}
	}
	e.corpus = append(e.corpus, p)
}

func (e *explorer) forget(p *place) {
	if !slices.Contains(e.marks, p) {
		p.model, p.rtl, p.lines, p.gates = nil, nil, nil, nil
	}
}

func (e *explorer) save(p *place) {
	if !e.saves || p.rtl != nil {
		return
	}
	if e.flush(); e.differs != nil {
		return
	}
	if p.model, e.err = e.model.Save(); e.err != nil {
		return
	}
	if p.rtl, p.bytes, e.err = e.rtl.(*pinmap.Device).SaveSince(e.rtlInitial); e.err != nil {
		return
	}
	p.lines = make([][]uint64, len(e.lines))
	for i, line := range e.lines {
		p.lines[i] = slices.Clone(line)
	}
	p.gates = e.contract.linesOf()
}

func (e *explorer) goTo(p *place) {
	if p == e.here || p.rtl == nil || e.over() {
		return
	}
	if e.flush(); e.differs != nil {
		return
	}
	if e.err = e.model.Restore(p.model); e.err != nil {
		return
	}
	if e.err = e.rtl.(*pinmap.Device).RestoreSince(e.rtlInitial, p.rtl); e.err != nil {
		return
	}
	for i, line := range p.lines {
		copy(e.lines[i], line)
	}
	e.here, e.now = p, p.course
	e.contract.resume(p.gates, p.course.reset)
	e.novelty.breakOff()
	if e.coverage != nil {
		e.coverage.begin()
	}
}

// backbone continues without reset, usually with typical inputs, and saves places at marked ages.
func (e *explorer) backbone(cycles uint64) {
	for end := e.budget.spent + cycles; e.budget.spent < end && !e.over(); {
		random := e.choose()
		phase, length := twin.Phase{}, random.Between(64, 512)
		if random.Below(4) == 0 {
			phase = e.phaser.Draw(random)
		}
		length = min(length, end-e.budget.spent)
		for length > 0 && !e.over() {
			part := min(length, nextMark(e.age())-e.age())
			e.run(phase, part)
			e.mark()
			length -= part
		}
	}
}

// nextMark returns the first marked age after the given one. Between powers of two, marks divide the distance into
// marksBetween steps. Each mark is markEarly cycles before the end of its step.
func nextMark(age uint64) uint64 {
	if age < 1<<markFirst-markEarly {
		return 1<<markFirst - markEarly
	}
	low := uint64(1) << (bits.Len64(age+markEarly) - 1)
	step := low / marksBetween
	return (age+markEarly-low)/step*step + step + low - markEarly
}

func (e *explorer) mark() {
	age := e.age()
	if age < 1<<markFirst-markEarly || nextMark(age-1) != age || e.over() {
		return
	}
	e.save(e.here)
	if e.here.rtl == nil {
		return
	}
	i, known := slices.BinarySearchFunc(e.marks, age,
		func(p *place, age uint64) int { return int(p.course.stretch) - int(age) })
	if known {
		e.marks[i] = e.here
		return
	}
	e.marks = slices.Insert(e.marks, i, e.here)
}

// goDeep starts from a random mark with a pass to later ages. At a mark just before a power of two, goDeep runs
// bursts instead of a pass, with probability 3/4.
func (e *explorer) goDeep() {
	random := e.choose()
	from := e.marks[random.Below(len(e.marks))]
	age, before := from.course.stretch, e.budget.spent
	defer func() { e.budget.deep += e.budget.spent - before }()
	if power := age + markEarly; power&(power-1) == 0 && random.Below(4) != 0 {
		for range bursts {
			e.goTo(from)
			e.run(e.phaser.Draw(e.choose()), burstCycles)
		}
		return
	}
	e.goTo(from)
	for end := e.budget.spent + random.Between(min(age, passCyclesMax)/2+1,
		min(2*age, passCyclesMax)); e.budget.spent < end && !e.over(); {
		random := e.choose()
		phase, length := e.phaser.Draw(random), random.Between(8, 512)
		for length > 0 && !e.over() {
			part := min(length, nextMark(e.age())-e.age())
			e.run(phase, part)
			e.mark()
			length -= part
		}
	}
}

func (e *explorer) search() {
	random := e.choose()
	if len(e.corpus) > 0 && random.Below(2) == 0 {
		from := e.corpus[random.Below(len(e.corpus))]
		for range 2 {
			if other := e.corpus[random.Below(len(e.corpus))]; other.visits < from.visits {
				from = other
			}
		}
		from.visits++
		e.goTo(from)
	}
	var phase twin.Phase
	if random.Below(2) == 0 && len(e.here.phase.Inputs) > 0 {
		phase = e.phaser.Vary(random, e.here.phase)
	} else {
		phase = e.phaser.Draw(random)
	}
	phase.Resets, phase.Often = 0, false
	switch random.Below(32) {
	case 0, 1:
		phase.Resets = 1
	case 2:
		phase.Resets = 2
	case 3:
		phase.Often = true
	}
	e.run(phase, random.Between(4, searchCyclesMax))
	if e.budget.runUps <= e.budget.spent/2 && random.Below(4) == 0 {
		e.runUp()
	}
}

// runUp keeps the inputs constant while a counter moves. It gives up after runUpCyclesMax cycles.
func (e *explorer) runUp() {
	if e.over() || !e.novelty.moves(func(counter int) bool { return e.ends[counter] < runUpsMax }) {
		return
	}
	before, length := e.budget.spent, uint64(runUpSeen)
	defer func() { e.budget.runUps += e.budget.spent - before }()
	still := e.phaser.Still()
	e.run(still, length)
	counter := e.novelty.counts(length)
	if counter < 0 || e.ends[counter] >= runUpsMax {
		return
	}
	for e.budget.spent-before < runUpCyclesMax && !e.over() {
		length = min(2*length, runUpCycles)
		if e.run(still, length); e.novelty.counts(length) != counter {
			break
		}
	}
	if e.budget.spent-before >= 4*runUpSeen {
		e.ends[counter]++
	}
}

func (l *pair) way(seed uint64, to *place) drive {
	var phases []*twin.Phase
	p := to
	for ; p.from != nil; p = p.from {
		phases = append(phases, &p.phase)
	}
	slices.Reverse(phases)
	phaser := twin.NewPhaser(l.model, seed)
	first := uint64(p.rows)
	return func(cycle uint64, inputs []uint64) bool {
		if cycle < uint64(p.rows) {
			copy(inputs, l.options.Stimulus.row(int(cycle)))
			return true
		}
		for len(phases) > 0 && cycle-first >= phases[0].Cycles {
			first += phases[0].Cycles
			phases = phases[1:]
		}
		if len(phases) == 0 {
			return false
		}
		return l.put(phaser, phases[0], cycle-first, cycle)
	}
}

func (l *pair) put(phaser *twin.Phaser, phase *twin.Phase, at, cycle uint64) bool {
	phaser.Put(phase, at)
	if l.contract == nil {
		return true
	}
	return l.contract.respect(func(attempt int) { phaser.Redraw(phase, at, attempt) }, cycle, l.model.Inputs())
}
