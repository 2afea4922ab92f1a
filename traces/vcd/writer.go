package vcd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"
)

// SignalID identifies a declared signal: 0, 1, 2 ... in order of declaration.
type SignalID uint32

// Signal is a declared signal of a VCD.
type Signal struct {
	Path   string   // scopes and variable, separated by dots
	Bits   int      // 1..64; 0 for an enumeration
	States []string // names of an enumeration's values 0, 1, ...; nil for bits
	Form   Form

	Changed uint64 // for signals with flags: bits that have changed within the file
}

// Form is the format of a signal in a save file, by default hexadecimal.
type Form struct {
	Decimal bool
	Signed  bool     // in decimal, as two's complement
	Flags   []string // names of the bits, lowest first; each bit also has its own row
}

// Options selects the contents of a VCD. The zero value selects everything.
type Options struct {
	// Comments are the lines of the header's $comment, such as seed and scenario hash: printable ASCII without
	// "$end".
	Comments []string

	// From and To are the first and last written cycle; To 0 means no limit.
	From, To uint64

	// OnTrigger delays writing until Trigger. The file then has the cycles from -Before to +After, within From and
	// To.
	OnTrigger     bool
	Before, After uint64
	// SlackCycles is the maximum delay of Trigger without loss: the slot length, for violations detected at slot
	// ends.
	SlackCycles uint64
	// RingChangesMax limits the number of stored changes before a trigger, 24 bytes each; 0 selects
	// RingChangesDefault. Beyond the limit, the oldest cycles are dropped and the window starts later, as the file's
	// $comment then states.
	RingChangesMax int
}

// RingChangesDefault is the default of Options.RingChangesMax: 24 MiB.
const RingChangesDefault = 1 << 20

// Writer writes a Value Change Dump (IEEE 1364-2005, section 18) during a run. One cycle is 1 ns, so #time is the
// cycle number.
//
//	v, err := NewWriter(w, options)
//	id, err := v.Declare("net.unit[0].medium[1].phit", 64)   // any number
//	err = v.Begin()
//	for each cycle t:
//	    err = v.Cycle(t)          // writes the cycle before
//	    v.Set(id, value)          // in any order, only real changes are written
//	err = v.Trigger(t)            // optional, at most SlackCycles after t
//	err = v.Close(end)            // end: the first cycle that did not run
//
// Signals are initially 0, or in their first state. Changes of a cycle are written in order of declaration, so the
// bytes do not depend on the order of Set calls. Values too wide for their signal, states without a name, decreasing
// times and failed writes are errors; Cycle, Trigger and Close return the first error. Once the buffers have grown, a
// cycle does not allocate.
//
// A Writer must not be used concurrently.
type Writer struct {
	w       io.Writer
	options Options
	err     error
	buf     []byte

	signals []Signal
	byPath  map[string]SignalID // declared paths; dropped by Begin

	// Columns by SignalID.
	formats []format
	values  []uint64 // values set
	settled []uint64 // values at the end of the last completed cycle
	changed []uint64 // bits that changed within the file

	// dirty has a bit for each signal with a new value in this cycle; summary has a bit for each nonzero word of
	// dirty
	dirty   []uint64
	summary []uint64

	phase   phase
	running bool   // Cycle was called
	now     uint64 // current cycle

	window
}

type phase uint8

const (
	phaseDeclare phase = iota // signals may be declared
	phaseWaiting              // the cycles before From
	phaseArmed                // recording into the ring until the trigger
	phaseWriting              // changes go to the file
	phaseDone                 // the window is over
	phaseClosed
)

const flushBytes = 64 << 10

// NewWriter returns a writer on w. It rejects contradictory options and comments with $end.
func NewWriter(w io.Writer, options Options) (*Writer, error) {
	if options.To != 0 && options.To < options.From {
		return nil, fmt.Errorf("vcd: the window ends at cycle %d, before it starts at cycle %d: give a later end, or 0 "+
			"for none", options.To, options.From)
	}
	if !options.OnTrigger && (options.Before != 0 || options.After != 0) {
		return nil, errors.New("vcd: cycles before and after a trigger are given, but no trigger")
	}
	if options.RingChangesMax < 0 {
		return nil,
			fmt.Errorf("vcd: room for %d changes before a trigger: give at least 1, or 0 for the default of %d",
				options.RingChangesMax, RingChangesDefault)
	}
	if options.RingChangesMax == 0 {
		options.RingChangesMax = RingChangesDefault
	}
	for _, line := range options.Comments {
		if err := checkComment(line); err != nil {
			return nil, err
		}
	}
	v := &Writer{
		w:       w,
		options: options,
		buf:     make([]byte, 0, flushBytes+changeBytesMax),
		byPath:  map[string]SignalID{},
	}
	v.window.last = math.MaxUint64
	if options.To != 0 {
		v.window.last = options.To
	}
	return v, nil
}

// Declare adds a signal of 1 to 64 bits. Dots separate scopes in the path; the last component is the variable:
//
//	pops.group[0].coupler[1].phit
//
// A component is a name (a letter or _, then letters, digits, _ and -) with any number of indices in brackets,
// numbers or labels such as +rho^2. The variable has no index, which viewers would read as a bit select. Paths are
// unique.
func (v *Writer) Declare(path string, bitCount int) (SignalID, error) {
	if bitCount < 1 || bitCount > 64 {
		return 0, fmt.Errorf("vcd: %s: %d bits; a signal has 1 to 64", path, bitCount)
	}
	return v.declare(Signal{Path: path, Bits: bitCount})
}

// DeclareStates adds an enumeration. Names are printable ASCII without white space and backslash.
func (v *Writer) DeclareStates(path string, states []string) (SignalID, error) {
	if len(states) == 0 {
		return 0, fmt.Errorf("vcd: %s: an enumeration needs at least one state", path)
	}
	for _, state := range states {
		if err := checkState(state); err != nil {
			return 0, fmt.Errorf("vcd: %s: %w", path, err)
		}
	}
	return v.declare(Signal{Path: path, States: append([]string(nil), states...)})
}

func (v *Writer) declare(signal Signal) (SignalID, error) {
	if v.phase != phaseDeclare {
		return 0, fmt.Errorf("vcd: %s: declared after Begin", signal.Path)
	}
	if err := checkPath(signal.Path); err != nil {
		return 0, fmt.Errorf("vcd: %w", err)
	}
	if earlier, ok := v.byPath[signal.Path]; ok {
		return 0, fmt.Errorf("vcd: %s: declared twice (signals %d and %d)", signal.Path, earlier, len(v.signals))
	}
	if len(v.signals) >= signalCountMax {
		return 0, fmt.Errorf("vcd: %s: more than %d signals: select fewer", signal.Path, signalCountMax)
	}
	id := SignalID(len(v.signals))
	v.byPath[signal.Path] = id
	v.signals = append(v.signals, signal)
	v.formats = append(v.formats, newFormat(id, signal))
	v.values = append(v.values, 0)
	v.settled = append(v.settled, 0)
	v.changed = append(v.changed, 0)
	if id&63 == 0 {
		v.dirty = append(v.dirty, 0)
	}
	if id&4095 == 0 {
		v.summary = append(v.summary, 0)
	}
	return id, nil
}

// Signals returns the declared signals by SignalID. The caller must not change them.
func (v *Writer) Signals() []Signal {
	for id := range v.signals {
		if s := &v.signals[id]; s.Form.Flags != nil {
			s.Changed = v.changed[id]
		}
	}
	return v.signals
}

// Show sets the form of a signal in a save file. It does not affect the VCD.
func (v *Writer) Show(id SignalID, form Form) { v.signals[id].Form = form }

// Begin ends the declarations and writes the header, unless a trigger is awaited. It returns write errors.
func (v *Writer) Begin() error {
	if v.phase != phaseDeclare {
		return errors.New("vcd: Begin called twice")
	}
	v.byPath = nil
	v.phase = phaseWaiting
	if v.options.OnTrigger {
		// the header is delayed, because its comment contains the trigger
		v.phase = phaseArmed
		v.base = make([]uint64, len(v.signals))
		return nil
	}
	v.header()
	v.flush()
	return v.err
}

// Set sets the value of a signal in the current cycle. Before the first Cycle, it sets the initial value.
func (v *Writer) Set(id SignalID, value uint64) {
	if v.values[id] == value {
		return
	}
	v.values[id] = value
	word := id >> 6
	v.dirty[word] |= 1 << (id & 63)
	v.summary[word>>6] |= 1 << (word & 63)
}

// Cycle ends the previous cycle and starts another. Cycles without changes may be skipped; repeating one does nothing.
func (v *Writer) Cycle(cycle uint64) error {
	switch {
	case v.err != nil:
		return v.err
	case v.phase == phaseDeclare:
		return v.fail(errors.New("vcd: Cycle called before Begin"))
	case v.phase == phaseClosed:
		return v.fail(fmt.Errorf("vcd: cycle %d after Close", cycle))
	case v.running && cycle == v.now:
		return nil
	case v.running && cycle < v.now:
		return v.fail(fmt.Errorf("vcd: cycle %d after cycle %d: time cannot go back", cycle, v.now))
	}
	v.endCycle()
	if !v.running {
		v.running = true
		v.start(cycle)
	} else if v.phase == phaseWaiting && cycle > v.first {
		v.dump(v.first)
	}
	v.now = cycle
	if len(v.buf) >= flushBytes {
		v.flush()
	}
	return v.err
}

// Empty reports whether the file contains no cycle so far.
func (v *Writer) Empty() bool { return !v.written }

// Shows reports whether a cycle is in the file or, before Close, may still be written.
func (v *Writer) Shows(cycle uint64) bool { return v.written && v.first <= cycle && cycle <= v.last }

// Close writes pending changes and the end of time. end is the first cycle that did not run, so that viewers show the
// last cycle that ran. Close does not close the underlying writer. It returns the first error of the Writer.
func (v *Writer) Close(end uint64) error {
	if v.phase == phaseClosed {
		return v.err
	}
	if v.phase == phaseDeclare && v.err == nil {
		_ = v.Begin() // v.err keeps the error
	}
	if v.err == nil && v.running && end <= v.now {
		_ = v.fail(fmt.Errorf("vcd: the run ends before cycle %d, but cycle %d was written: time cannot go back", end, v.now))
	}
	v.endCycle()
	if v.phase == phaseArmed {
		v.header()
	}
	if v.phase == phaseWaiting && v.running && end > v.first {
		v.dump(v.first)
	}
	if v.written {
		stop := end
		if stop > v.last {
			stop = v.last + 1
		}
		v.timestamp(stop)
		v.last = stop - 1
	}
	v.flush()
	v.phase = phaseClosed
	return v.err
}

func (v *Writer) endCycle() {
	if v.phase == phaseWriting && v.now > v.last {
		v.phase = phaseDone
	}
	for i, words := range v.summary {
		for ; words != 0; words &= words - 1 {
			word := i<<6 | bits.TrailingZeros64(words)
			set := v.dirty[word]
			v.dirty[word] = 0
			for ; set != 0; set &= set - 1 {
				v.settle(SignalID(word<<6 | bits.TrailingZeros64(set)))
			}
		}
		v.summary[i] = 0
	}
	if v.phase == phaseArmed && v.running {
		v.forgetOld()
		if v.triggered {
			v.fire()
		}
	}
}

func (v *Writer) settle(id SignalID) {
	value := v.values[id]
	if value == v.settled[id] {
		return // changed back within the cycle
	}
	if !v.formats[id].fits(value) {
		_ = v.fail(fmt.Errorf("vcd: cycle %d: %s is set to %#x, which %s", v.now, v.signals[id].Path,
			value, v.signals[id].room()))
		v.values[id] = v.settled[id]
		return
	}
	switch v.phase {
	case phaseArmed:
		if v.running {
			v.record(change{cycle: v.now, value: value, id: id})
		} else {
			v.base[id] = value
		}
	case phaseWriting:
		v.changed[id] |= value ^ v.settled[id]
		v.timestamp(v.now)
		v.emit(id, value)
	}
	v.settled[id] = value
}

func (s Signal) room() string {
	if s.States != nil {
		return fmt.Sprintf("is not one of its %d states (%s)", len(s.States), strings.Join(s.States, " "))
	}
	return fmt.Sprintf("has more than its %d bits", s.Bits)
}

func (v *Writer) fail(err error) error {
	if v.err == nil {
		v.err = err
	}
	return v.err
}

// flush writes the buffer. After an error it drops the bytes, because the file is lost; Cycle or Close returns the
// error.
func (v *Writer) flush() {
	if v.err == nil && len(v.buf) > 0 {
		if _, err := v.w.Write(v.buf); err != nil {
			_ = v.fail(fmt.Errorf("vcd: write: %w", err))
		}
	}
	v.buf = v.buf[:0]
}

// window selects the cycles that reach the file.
//
// Without a trigger, From..To are written directly; values before From only determine the initial values. With a
// trigger, the window stores the past as a state (base, at baseCycle) and later changes (ring). The stored past
// suffices for a window that starts Before cycles before a trigger, even if the trigger is SlackCycles late:
//
//	base           ring: oldest ...... newest
//	  |             |                    |
//	--+-------------+---------X----------+--> cycle
//	  baseCycle     trigger-Before    now
//	                          trigger
type window struct {
	first uint64 // first cycle of the window
	last  uint64

	written     bool // a #time was written
	writtenTime uint64

	triggered bool
	trigger   uint64

	startCycle uint64 // first cycle of the recording
	base       []uint64
	baseCycle  uint64
	shortened  bool // the limit of the ring has removed a cycle of the window
	ring       []change
	oldest     int // index in ring
	count      int
}

type change struct {
	cycle uint64
	value uint64
	id    SignalID
}

const ringChangesMin = 1024

// NeedsCycle reports whether values in a cycle can affect the file. A machine may skip other cycles, but must then
// set every signal in the next needed cycle.
func (v *Writer) NeedsCycle(cycle uint64) bool {
	if v.err != nil {
		return false
	}
	switch v.phase {
	case phaseDeclare, phaseWaiting, phaseArmed, phaseWriting:
		return cycle >= v.options.From && cycle <= v.last
	}
	return false
}

// Trigger triggers in the given cycle: the current or an earlier one. Only the first trigger within From and To
// counts; without Options.OnTrigger, Trigger does nothing. It returns an error for a future cycle.
func (v *Writer) Trigger(cycle uint64) error {
	if v.err != nil {
		return v.err
	}
	if v.phase != phaseArmed || v.triggered || cycle < v.options.From || cycle > v.last {
		return nil
	}
	if !v.running || cycle > v.now {
		return v.fail(fmt.Errorf("vcd: trigger in cycle %d, which is in the future (this is cycle %d)", cycle, v.now))
	}
	// the current cycle may still change, so the window opens at its end
	v.triggered = true
	v.trigger = cycle
	return nil
}

func (v *Writer) start(t uint64) {
	v.startCycle = t
	v.baseCycle = t
	v.first = max(v.options.From, t)
	if v.phase == phaseWaiting && v.first > v.last {
		v.phase = phaseDone
	}
}

// record appends a change to the ring; if the ring is full, it drops the oldest cycle.
func (v *Writer) record(c change) {
	if v.count == len(v.ring) {
		if len(v.ring) < v.options.RingChangesMax {
			v.growRing()
		} else {
			v.forgetCycle()
			v.shortened = true
		}
	}
	i := v.oldest + v.count
	if i >= len(v.ring) {
		i -= len(v.ring)
	}
	v.ring[i] = c
	v.count++
}

func (v *Writer) growRing() {
	size := min(max(2*len(v.ring), ringChangesMin), v.options.RingChangesMax)
	ring := make([]change, size)
	n := copy(ring, v.ring[v.oldest:])
	copy(ring[n:], v.ring[:v.oldest])
	v.ring, v.oldest = ring, 0
}

func (v *Writer) pop() {
	c := v.ring[v.oldest]
	v.base[c.id] = c.value
	v.oldest++
	if v.oldest == len(v.ring) {
		v.oldest = 0
	}
	v.count--
}

func (v *Writer) forgetCycle() {
	cycle := v.ring[v.oldest].cycle
	for v.count > 0 && v.ring[v.oldest].cycle == cycle {
		v.pop()
	}
	// if a full ring contains only the current cycle, base belongs to that cycle and is complete at its end
	v.baseCycle = max(v.baseCycle, cycle)
}

func (v *Writer) forgetOld() {
	depth := v.options.Before + v.options.SlackCycles
	if depth < v.options.Before {
		return // the window is longer than the run, so no change is too old
	}
	floor := v.options.From
	if v.now > depth {
		floor = max(floor, v.now-depth)
	}
	for v.count > 0 && v.ring[v.oldest].cycle <= floor {
		v.pop()
	}
	if floor <= v.now {
		v.baseCycle = max(v.baseCycle, floor)
	}
}

// fire opens the window around the trigger: it writes the header, initial values and the past from the ring.
func (v *Writer) fire() {
	wanted := uint64(0)
	if v.trigger > v.options.Before {
		wanted = v.trigger - v.options.Before
	}
	wanted = max(wanted, v.options.From, v.startCycle)
	v.first = max(wanted, v.baseCycle)
	if end := v.trigger + v.options.After; end >= v.trigger {
		v.last = min(v.last, end)
	}
	// if the trigger is much too late, its window is lost; the file then starts with the first known cycle
	v.last = max(v.last, v.first)

	for v.count > 0 && v.ring[v.oldest].cycle <= v.first {
		v.pop()
	}
	v.options.Comments = append(append([]string(nil), v.options.Comments...),
		fmt.Sprintf("trigger in cycle %d, window from cycle %d to %d", v.trigger, v.first, v.last))
	if v.first > wanted {
		reason := "the trigger was reported too late"
		if v.shortened {
			reason = fmt.Sprintf("more than %d changes in the window", v.options.RingChangesMax)
		}
		v.options.Comments = append(v.options.Comments,
			fmt.Sprintf("the window should start in cycle %d: %s", wanted, reason))
	}
	v.header()
	v.dumpValues(v.first, v.base)
	for ; v.count > 0; v.pop() {
		c := v.ring[v.oldest]
		if c.cycle > v.last {
			break
		}
		v.changed[c.id] |= c.value ^ v.base[c.id]
		v.timestamp(c.cycle)
		v.emit(c.id, c.value)
	}
	v.ring, v.base, v.count = nil, nil, 0
	v.phase = phaseWriting
	if v.now >= v.last {
		v.phase = phaseDone
	}
}

func (v *Writer) dump(cycle uint64) {
	v.dumpValues(cycle, v.settled)
	v.phase = phaseWriting
}
