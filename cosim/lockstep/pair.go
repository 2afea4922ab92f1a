package lockstep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

type difference struct {
	kind  string
	cycle uint64
	port  int // index of the port; -1 for a fault
	fault *cosim.Fault

	atPower, unsettled bool // the fault occurred at power-on; it occurred before the outputs settled
}

type finding struct {
	difference
	seed, powerOn uint64
	way           *place // path of an exploration; nil for scheduled or given inputs
}

// Kinds of divergence in addition to the kinds of faults.
const (
	DivergenceValue   = "value"   // the values differ
	DivergenceUnknown = "unknown" // X or Z
	DivergenceLimit   = "limit"   // a value that the map cannot represent
)

type pair struct {
	ctx     context.Context
	pinMap  *pinmap.Map
	options Options
	model   *twin.Model
	initial []byte // snapshot of the model

	rtl        cosim.Device // nil until opened
	rtlInitial []byte       // snapshot at power-on; nil if the backend has none
	rtlPowerOn uint64
	rtlFresh   bool        // no cycle since the RTL was opened
	failed     *finding    // a fault at power-on, which every run would repeat
	ending     *difference // fault before which a repeated run stops; nil for none

	mask []uint64 // output bits that are mapped
	held
	contract *contract

	pace
	now       course
	exchanged uint64
	longest   uint64 // stretch without reset in the last run
	sight
}

// An exchange runs the RTL of a pair cycle by cycle or in batches.
type exchange interface {
	// settle applies the inputs of a cycle. compare compares the outputs with l.wanted in the cycles to be compared.
	// edge ends the cycle. The returned difference belongs to this cycle or, with late RTL, to an earlier cycle.
	settle(l *pair) error
	compare(l *pair, cycle uint64, counts bool) *difference
	edge(l *pair, cycle uint64) (*difference, error)

	flush(l *pair) *difference
}

type stepwise struct{}

func (stepwise) settle(l *pair) error {
	return l.known.or(l.rtl.Settle)
}

func (stepwise) compare(l *pair, cycle uint64, counts bool) *difference {
	if !counts {
		return nil
	}
	return l.compare(cycle, l.wanted, l.counted())
}

func (stepwise) edge(l *pair, cycle uint64) (*difference, error) {
	err := l.known.or(func() error { return l.rtl.Edge(cosim.ClockMask(l.model.Ports())) })
	if err != nil {
		return faultIn(cycle, err)
	}
	return nil, nil
}

func (stepwise) flush(*pair) *difference { return nil }

// A hang is a known fault whose detection takes seconds. A repeated run stops at the hang without detecting it again.
type hang struct {
	halves uint64 // half cycles before the hang
	err    error
}

// or calls do, which takes half a cycle. If the hang is reached, or returns its fault instead.
func (h *hang) or(do func() error) error {
	if h == nil {
		return do()
	}
	if h.halves == 0 {
		return h.err
	}
	h.halves--
	return do()
}

type pace struct {
	exchange exchange
	known    *hang
	told     uint64
}

type sight struct {
	seeing   cosim.Seeing // instrumentation built into the RTL
	shownAs  *finding
	shownOn  *Stimulus // inputs of the displayed case; nil for the inputs of the options
	coverage *Coverage // nil while a case is shrunk or displayed
	covered  *covered  // nil unless requested, and while a case is shrunk or displayed
}

type held struct {
	late   []int      // delay in cycles, by port
	lines  [][]uint64 // pending outputs; in a model with X, the mask of X bits follows each output
	wanted []uint64   // the model's outputs, delayed
	open   []uint64   // X bits of wanted, which are not compared; nil for a model without X
	seen   []uint64   // buffer of counted
	ever   []uint64   // bits that were compared in some cycle
	inputs []uint64   // saved by resetLate
}

func newPair(ctx context.Context, m *pinmap.Map, o Options) (*pair, error) {
	if err := m.Prepare(ctx); err != nil {
		return nil, err
	}
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	l := &pair{ctx: ctx, pinMap: m, options: o, model: model, pace: pace{exchange: stepwise{}},
		sight: sight{seeing: cosim.Seeing{Coverage: o.Coverage}}}
	if l.initial, err = model.Save(); err != nil {
		return nil, errors.Join(err, l.close())
	}
	// Opening the RTL checks the wiring, even if it fails before its first cycle.
	if at, err := l.power(1); err != nil || at != nil {
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		return l, nil
	}
	return l, nil
}

func (l *pair) prepare(d *pinmap.Device) {
	ports := l.model.Ports()
	l.mask = make([]uint64, len(l.model.Outputs()))
	l.wanted = make([]uint64, len(l.mask))
	width := 1
	if l.model.Unknown() != nil {
		width, l.open = 2, make([]uint64, len(l.mask))
		l.seen, l.ever = make([]uint64, len(l.mask)), make([]uint64, len(l.mask))
	}
	l.late, l.lines = make([]int, len(ports)), make([][]uint64, len(ports))
	for i, p := range ports {
		if p.Input || d.Absent()[i] {
			continue
		}
		for w := range p.Words() {
			l.mask[p.Word+w] = ^uint64(0)
		}
		if l.late[i] = max(d.Late()[i], 0); l.late[i] > 0 {
			l.lines[i] = make([]uint64, l.late[i]*p.Words()*width)
		}
	}
	fit := func(inputs []uint64) { l.rtl.(*pinmap.Device).Fit(inputs) } // a later power-on replaces d
	l.contract = newContract(l.pinMap, l.model, d.Terms(), fit, l.late)
}

// comparesNothing rejects a map without any output of the model, because a check with this map could only pass.
func (l *pair) comparesNothing() error {
	var names []string
	for _, p := range l.model.Ports() {
		if !p.Input {
			names = append(names, p.Name)
		}
	}
	return &cosim.InputError{
		Place:  l.pinMap.Place("absent"),
		Reason: fmt.Sprintf("all outputs of %s are absent, so no output can be compared", l.pinMap.Model),
		Remedy: fmt.Sprintf("map at least one of %s: pins: {%s: PIN}", strings.Join(names, ", "), names[0]),
	}
}

// checkRules rejects a given stimulus that breaks a rule of the model's neighbours. RTL need not tolerate such a
// stimulus.
func (l *pair) checkRules() error {
	s := l.options.Stimulus
	if s == nil {
		return nil
	}
	if row, rule := s.Broken(l.model); rule != "" {
		return &cosim.InputError{
			Place: s.Place,
			Reason: fmt.Sprintf("in cycle %d the inputs break a rule of the neighbours of %s: %s",
				s.cycleOf(row), l.pinMap.Model, rule),
			Remedy: "give inputs that keep the rule, such as a file written by --save",
		}
	}
	return nil
}

func (l *pair) close() error {
	err := l.model.Close()
	if l.rtl != nil {
		err = errors.Join(err, l.rtl.Close())
		l.rtl = nil
	}
	return err
}

// power puts model and RTL in their power-on states. A fault of the RTL is a difference in cycle 0.
func (l *pair) power(powerOn uint64) (*difference, error) {
	if err := l.model.Restore(l.initial); err != nil {
		return nil, err
	}
	if l.rtl != nil && l.rtlPowerOn == powerOn &&
		(l.rtlFresh || l.rtlInitial != nil && l.rtl.Restore(l.rtlInitial) == nil) {
		return nil, nil
	}
	if l.rtl != nil {
		if err := l.rtl.Close(); err != nil {
			return nil, err
		}
		l.rtl, l.rtlInitial = nil, nil
	}
	if l.failed != nil && l.failed.powerOn == powerOn {
		return &l.failed.difference, nil
	}
	options := l.options.Device
	options.Seed = powerOn
	d, err := l.pinMap.OpenSeeing(l.ctx, options, l.seeing)
	if err != nil {
		at, err := faultIn(0, err)
		if at != nil {
			at.atPower = true
			l.failed = &finding{difference: *at, powerOn: powerOn}
		}
		return at, err
	}
	l.rtl, l.rtlPowerOn, l.rtlFresh = d, powerOn, true
	if l.rtlInitial, err = d.Save(); err != nil {
		l.rtlInitial = nil
		if !errors.Is(err, cosim.ErrNoSnapshot) {
			return nil, err
		}
	}
	if l.mask == nil {
		l.prepare(d.(*pinmap.Device))
		if slices.Max(append(l.mask, 0)) == 0 {
			return nil, l.comparesNothing()
		}
	}
	return nil, nil
}

func faultIn(cycle uint64, err error) (*difference, error) {
	var fault *cosim.Fault
	if !errors.As(err, &fault) {
		return nil, err
	}
	if fault.Tool != "" {
		return nil, fault.ToolError()
	}
	return &difference{kind: string(fault.Kind), cycle: cycle, port: -1, fault: fault}, nil
}

func (l *pair) stimulusOf(f *finding) drive {
	if f.way != nil {
		return l.way(f.seed, f.way)
	}
	if s := l.options.Stimulus; s != nil {
		return s.drive()
	}
	schedule := twin.NewSchedule(f.seed, l.options.Cycles)
	return func(cycle uint64, inputs []uint64) bool {
		if l.contract == nil {
			l.model.Stimulate(schedule, cycle, inputs)
			return cycle < l.options.Cycles
		}
		copy(l.contract.before, inputs)
		l.model.Stimulate(schedule, cycle, inputs)
		redraw := func(attempt int) { l.model.Redraw(schedule, cycle, attempt, inputs, l.contract.before) }
		return cycle < l.options.Cycles && l.contract.respect(redraw, cycle, inputs)
	}
}

const progressCycles = 1 << 12

// run drives model and RTL from power-on to the first difference, nil for none. seen, which may be nil, is called in
// every cycle; settled is false in the cycle of a fault.
func (l *pair) run(next drive, seen func(cycle uint64, settled bool)) (*difference, error) {
	return l.runFrom(0, next, seen)
}

func (l *pair) runFrom(from uint64, next drive, seen func(cycle uint64, settled bool)) (*difference, error) {
	l.begin(from)
	for l.take(next, l.now.cycle) {
		if l.now.cycle%progressCycles == 0 {
			if err := l.lookUp(); err != nil {
				return nil, err
			}
		}
		ended, at, err := l.advance(seen)
		if ended || at != nil || err != nil {
			return at, err
		}
	}
	return nil, l.contract.failure()
}

type course struct {
	cycle    uint64
	from     uint64 // first cycle to compare
	compared bool   // a clock edge has sampled reset, or the model has no clock
	stretch  uint64 // compared cycles since the last reset
	reset    bool   // reset was on in the previous cycle
	off      uint64 // cycles since reset was last on
}

func (l *pair) begin(from uint64) {
	l.rtlFresh = false
	l.now = course{from: from, compared: !l.model.Clocked()}
	l.longest = 0
	if l.coverage != nil {
		l.coverage.begin()
	}
	l.contract.begin(l.coverage != nil)
}

// advance runs one cycle with the model's present inputs. A repeated run ends at l.ending.
func (l *pair) advance(seen func(cycle uint64, settled bool)) (ended bool, at *difference, err error) {
	m, d, cycle := l.model, l.rtl, l.now.cycle
	l.exchanged++
	copy(d.Inputs(), m.Inputs())
	_ = m.Settle()
	if err := m.Failed(); err != nil {
		return false, nil, fmt.Errorf("the model: %w", err)
	}
	if l.coverage != nil {
		l.coverage.see()
	}
	ends := l.ending != nil && l.ending.cycle == cycle
	if !ends || !l.ending.unsettled {
		err = l.exchange.settle(l)
	}
	err = l.covered.settled(cycle, d, err)
	m.Follow(d.Outputs())
	l.holdBack(cycle)
	reset := l.inReset()
	compared := l.now.compared && !reset && l.flushed()
	if stop, err := l.contract.weigh(cycle, l.mask, compared, l.options.Stimulus); stop {
		return true, nil, err
	}
	if seen != nil {
		seen(cycle, err == nil && !(ends && l.ending.unsettled))
	}
	if ends {
		return true, nil, nil
	}
	if err != nil {
		at, err := faultIn(cycle, err)
		if at != nil {
			at.unsettled = true
		}
		return false, at, err
	}
	l.covered.see(reset)
	counts := compared && cycle >= l.now.from
	l.observe(cycle, counts)
	if counts {
		l.now.stretch++
		l.longest = max(l.longest, l.now.stretch)
		if l.open != nil {
			for i, mask := range l.counted() {
				l.ever[i] |= mask
			}
		}
		l.contract.count()
	}
	if at := l.exchange.compare(l, cycle, counts); at != nil {
		return false, at, nil
	}
	l.contract.next()
	if m.Clocked() {
		m.Latch() // without settling: the next cycle settles
	}
	if at, err := l.exchange.edge(l, cycle); at != nil || err != nil {
		return false, at, err
	}
	m.Follow(d.Outputs())
	if reset {
		l.now.compared, l.now.stretch = true, 0
		l.resetLate()
	}
	l.now.cycle, l.now.reset = cycle+1, reset
	if l.now.off++; reset {
		l.now.off = 0
	}
	return false, nil, nil
}

func (l *pair) inReset() bool {
	return l.model.Clocked() && l.model.Inputs()[l.model.ResetWord()]&1 != 0
}

func (l *pair) flushed() bool {
	return !l.rtl.(*pinmap.Device).KeepsState() || l.now.off >= uint64(l.pinMap.Timing.ResetCycles)
}

func (l *pair) take(next drive, cycle uint64) bool {
	if !next(cycle, l.model.Inputs()) {
		return false
	}
	l.fit()
	return true
}

func (l *pair) fit() { l.fitRow(l.now.cycle, l.model.Inputs()) }

// fitRow restricts inputs to the range that the map can drive. RTL without a reset gets only the reset of cycle 0.
func (l *pair) fitRow(cycle uint64, inputs []uint64) {
	d := l.rtl.(*pinmap.Device)
	if l.options.Stimulus == nil && l.model.Clocked() && d.KeepsState() {
		inputs[l.model.ResetWord()] = 0
		if cycle == 0 {
			inputs[l.model.ResetWord()] = 1
		}
	}
	if len(d.Limits) > 0 {
		d.Fit(inputs)
	}
}

func (l *pair) lookUp() error {
	if l.options.Progress != nil && l.exchanged >= l.told {
		l.told = l.exchanged
		l.options.Progress(l.exchanged,
			(l.options.Cycles*uint64(l.options.PowerOn)+l.options.Explore)*uint64(l.options.Seeds))
	}
	return l.ctx.Err()
}

func (l *pair) holdBack(cycle uint64) {
	copy(l.wanted, l.model.Outputs())
	copy(l.open, l.model.Unknown())
	for i, line := range l.lines {
		if line == nil {
			continue
		}
		p := &l.model.Ports()[i]
		at := int(cycle%uint64(l.late[i])) * (len(line) / l.late[i])
		for w := range p.Words() {
			line[at+w], l.wanted[p.Word+w] = l.wanted[p.Word+w], line[at+w]
			if l.open != nil {
				k := at + p.Words() + w
				line[k], l.open[p.Word+w] = l.open[p.Word+w], line[k]
			}
		}
	}
}

// counted returns a mask of the output bits to be compared in this cycle.
func (l *pair) counted() []uint64 {
	counted := l.mask
	if l.contract != nil {
		counted = l.contract.mask
	}
	if l.open == nil {
		return counted
	}
	for i, mask := range counted {
		l.seen[i] = mask &^ l.open[i]
	}
	return l.seen
}

// resetLate replaces the pending outputs of late RTL by the model's outputs after reset, with all inputs 0.
func (l *pair) resetLate() {
	inputs := l.model.Inputs()
	before := append(l.inputs[:0], inputs...)
	clear(inputs)
	_ = l.model.Settle()
	l.fillLines()
	l.contract.resetAll()
	l.inputs = before
	copy(inputs, before)
}

func (l *pair) fillLines() {
	for i, line := range l.lines {
		if line == nil {
			continue
		}
		p := &l.model.Ports()[i]
		for at := 0; at < len(line); at += p.Words() {
			copy(line[at:], l.model.Outputs()[p.Word:][:p.Words()])
			if l.open != nil {
				at += p.Words()
				copy(line[at:], l.model.Unknown()[p.Word:][:p.Words()])
			}
		}
	}
}

func (l *pair) compare(cycle uint64, wanted, counted []uint64) *difference {
	got, unknown := l.rtl.Outputs(), l.rtl.Unknown()
	differs := uint64(0)
	for i, mask := range counted {
		differs |= (got[i] ^ wanted[i]) & mask
	}
	for i := range unknown {
		differs |= unknown[i] & counted[i]
	}
	if d := l.rtl.(*pinmap.Device); differs == 0 && len(d.Limits) > 0 {
		if limit := d.Broken(); limit != nil && counted[d.Ports()[limit.Port].Word] != 0 {
			return &difference{kind: DivergenceLimit, cycle: cycle, port: limit.Port}
		}
	}
	if differs == 0 {
		return nil
	}
	for i, p := range l.model.Ports() {
		if p.Input {
			continue
		}
		differs, wild := uint64(0), uint64(0)
		for w := p.Word; w < p.Word+p.Words(); w++ {
			if differs |= (got[w] ^ wanted[w]) & counted[w]; unknown != nil {
				wild |= unknown[w] & counted[w]
			}
		}
		switch {
		case wild != 0:
			return &difference{kind: DivergenceUnknown, cycle: cycle, port: i}
		case differs != 0:
			return &difference{kind: DivergenceValue, cycle: cycle, port: i}
		}
	}
	return nil
}

// repeatable reports whether a finding is cheap to repeat. A hang, or oscillation in Icarus, is not, because it costs
// the time limit.
func (l *pair) repeatable(f *finding) bool {
	switch cosim.FaultKind(f.kind) {
	case cosim.FaultHang, cosim.FaultDied:
		return false
	case cosim.FaultOscillation:
		return l.pinMap.Backend != cosim.BackendIcarus
	}
	return true
}
