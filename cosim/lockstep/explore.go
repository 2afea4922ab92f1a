package lockstep

import (
	"math/bits"
	"slices"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// explorer looks for what a run with a Schedule has not reached. It drives model and RTL in
// phases. A phase that has shown something new of the model (novelty) leaves a place: both
// states, and the way there. Later phases begin at places, so that what is rare is reached once
// and tried often:
//
//	backbone   one long way without reset; places at many ages, the cycles since a reset
//	bursts     a few cycles from places just before ages of 2^k: counters that the model does not have
//	passes     long ways from an age on
//	search     short phases from places that few phases began at
//	run-ups    inputs that move a counter stay as they are, until it does not move
//
// After the inputs of a run, places on its way take that of the backbone.
//
// What the RTL does has no influence (but on a model that leaves outputs to it), nor has its state at
// power-on, so that the inputs are a function of model, seed and cycles. A backend that cannot restore its state goes on from where
// it is.
type explorer struct {
	*pair
	phaser  *twin.Phaser
	novelty *novelty
	saves   bool // the RTL can restore its state

	corpus []*place
	marks  []*place // by age
	here   *place   // the way to the present state
	found  int      // new in this phase

	ends map[int]int // run-ups that came to their end, by counter and direction

	number uint64 // of the latest decision
	next   uint64 // the first draw of the next phase
	budget budget

	differs *difference
	err     error
}

// budget is what an exploration may cost, and has cost, in cycles.
type budget struct {
	cycles, spent uint64
	deep, runUps  uint64 // of these, for passes and bursts, for run-ups
	lastNew       uint64 // spent when something was new for the last time
}

// shareOfDeep is how many of the cycles spent are for passes and bursts: a half, more where nothing
// new is found for long.
func (b *budget) shareOfDeep() uint64 {
	if b.spent-b.lastNew > b.cycles/8 {
		return b.spent / 4 * 3
	}
	return b.spent / 2
}

type place struct {
	from   *place // nil for power-on, or a run
	rows   int    // of the stimulus of a run, for a place on its way
	phase  twin.Phase
	visits int

	course     course
	model, rtl []byte // snapshots, the RTL's as what differs from power-on; nil for a place that is only on the way to others
	bytes      int    // of the RTL's whole snapshot
	lines      [][]uint64
	gates      [][]bool
}

const (
	placesMax       = 192
	placesBytesMax  = 128 << 20
	placesOfRun     = 16 // beside those where something is new
	backboneCycles  = 1<<16 + 1<<9
	markEarly       = 6 // cycles before an age of 2^k
	markFirst       = 6 // the least k
	marksBetween    = 4 // from one power of two to the next
	burstCycles     = 16
	bursts          = 8       // one after the other
	runUpSeen       = 16      // cycles that show that a counter moves
	runUpCycles     = 1 << 10 // of a phase
	runUpCyclesMax  = 1<<17 + 1<<11
	runUpsMax       = 2 // of a counter in a direction
	passCyclesMax   = 1 << 14
	searchCyclesMax = 1 << 7
)

// explored runs model and RTL for a number of cycles beyond the runs with a schedule.
func (l *pair) explored(seed, cycles uint64) *explorer {
	e := &explorer{pair: l, phaser: twin.NewPhaser(l.model, seed), next: l.options.Cycles, here: &place{}, ends: map[int]int{}}
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

// flush runs what the RTL has not run yet.
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

// follow repeats the run of a stimulus without a difference, keeps places on its way, and searches from them.
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

// run drives a phase from the present state on, and keeps the place if it has shown something new.
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
		most := 0 // visited most, of these the oldest
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

// backbone goes on without reset, mostly as in use, and marks ages.
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

// nextMark is the first marked age after one: just before a power of two, and some between them.
func nextMark(age uint64) uint64 {
	if age < 1<<markFirst-markEarly {
		return 1<<markFirst - markEarly
	}
	low := uint64(1) << (bits.Len64(age+markEarly) - 1)
	step := low / marksBetween
	return (age+markEarly-low)/step*step + step + low - markEarly
}

// mark keeps the present state, if its age is one that is marked.
func (e *explorer) mark() {
	age := e.age()
	if age < 1<<markFirst-markEarly || nextMark(age-1) != age || e.over() {
		return
	}
	e.save(e.here)
	if e.here.rtl == nil {
		return
	}
	i, known := slices.BinarySearchFunc(e.marks, age, func(p *place, age uint64) int { return int(p.course.stretch) - int(age) })
	if known { // another way there
		e.marks[i] = e.here
		return
	}
	e.marks = slices.Insert(e.marks, i, e.here)
}

// goDeep begins at a marked age: bursts just before a power of two, or a pass to later ages.
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
	for end := e.budget.spent + random.Between(min(age, passCyclesMax)/2+1, min(2*age, passCyclesMax)); e.budget.spent < end && !e.over(); {
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

// runUp keeps the inputs while a counter moves with them; a run without an end is given up.
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

// put puts the inputs of a cycle of a phase, others where a contract excludes those.
func (l *pair) put(phaser *twin.Phaser, phase *twin.Phase, at, cycle uint64) bool {
	phaser.Put(phase, at)
	if l.contract == nil {
		return true
	}
	return l.contract.respect(func(attempt int) { phaser.Redraw(phase, at, attempt) }, cycle, l.model.Inputs())
}
