package vcd

import "fmt"

// window is the part of a VCD that decides which cycles reach the file.
//
// Without a trigger, From..To are written as they come; values before From only
// make up the initial values. With a trigger, the past is kept as a state (base,
// as of baseCycle) and the changes since (ring), deep enough for a window that
// starts Before cycles ahead of a trigger that is reported SlackCycles late:
//
//	base           ring: oldest ...... newest
//	  |             |                    |
//	--+-------------+---------X----------+--> cycle
//	  baseCycle     trigger-Before    now
//	                          trigger
type window struct {
	first uint64 // first cycle of the window
	last  uint64 // last cycle of the window

	written     bool // a #time was written
	writtenTime uint64

	triggered bool
	trigger   uint64

	startCycle uint64 // first cycle that the VCD was told of
	base       []uint64
	baseCycle  uint64
	shortened  bool // the ring's bound made it forget a cycle that was still wanted
	ring       []change
	oldest     int // index into ring
	count      int
}

// change is one value change that waits in the ring.
type change struct {
	cycle uint64
	value uint64
	id    SignalID
}

const ringChangesMin = 1024

// NeedsCycle reports whether the signals' values in cycle t can matter for the
// file. A machine may spare itself the sampling of other cycles; in the first
// cycle that matters it must then set every signal.
func (v *Writer) NeedsCycle(t uint64) bool {
	if v.err != nil {
		return false
	}
	switch v.phase {
	case phaseDeclare, phaseWaiting, phaseArmed, phaseWriting:
		return t >= v.options.From && t <= v.last
	}
	return false
}

// Trigger says that what the user waits for happened in the given cycle, the
// current one or one that is past. Only the first trigger within From and To
// counts; without OnTrigger in the options it does nothing. It returns an error
// for a cycle that has not come yet.
func (v *Writer) Trigger(cycle uint64) error {
	if v.err != nil {
		return v.err
	}
	if v.phase != phaseArmed || v.triggered || cycle < v.options.From || cycle > v.last {
		return nil
	}
	if !v.running || cycle > v.now {
		return v.fail(fmt.Errorf("vcd: trigger in cycle %d, which has not come yet (now is cycle %d)", cycle, v.now))
	}
	// The current cycle may still change: the window is opened when it ends.
	v.triggered = true
	v.trigger = cycle
	return nil
}

// start is called for the first cycle.
func (v *Writer) start(t uint64) {
	v.startCycle = t
	v.baseCycle = t
	v.first = max(v.options.From, t)
	if v.phase == phaseWaiting && v.first > v.last {
		v.phase = phaseDone
	}
}

// record appends a change to the ring, and forgets the oldest cycle when the
// ring is as large as it may be.
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

// forgetCycle moves every change of the oldest cycle into base.
func (v *Writer) forgetCycle() {
	cycle := v.ring[v.oldest].cycle
	for v.count > 0 && v.ring[v.oldest].cycle == cycle {
		v.pop()
	}
	// With one cycle alone in a full ring, base is of the cycle that is still
	// going on; it is complete when the cycle ends.
	v.baseCycle = max(v.baseCycle, cycle)
}

func (v *Writer) forgetOld() {
	depth := v.options.Before + v.options.SlackCycles
	if depth < v.options.Before {
		return // longer than time itself: nothing is ever too old
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

// fire opens the window around the trigger: header, initial values, the past
// from the ring; what follows is written as it comes.
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
	// A trigger that comes far too late finds its own window gone; the file
	// then shows the state at the first cycle that is still known.
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
		v.timestamp(c.cycle)
		v.emit(c.id, c.value)
	}
	v.ring, v.base, v.count = nil, nil, 0
	v.phase = phaseWriting
	if v.now >= v.last {
		v.phase = phaseDone
	}
}

// dump opens a window without trigger at the given cycle.
func (v *Writer) dump(cycle uint64) {
	v.dumpValues(cycle, v.settled)
	v.phase = phaseWriting
}
