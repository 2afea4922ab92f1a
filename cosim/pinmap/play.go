package pinmap

import (
	"slices"

	"starloom/cosim"
)

// Cycles that run in one call: the RTL gets the inputs of all of them, then gives its outputs.
//
//	Queue, Queue, ...   Inputs, cycle by cycle
//	Play                all of them
//	Show(0), Show(1)    outputs as they have settled, in this order
//
// It is Settle and Edge for each, and leaves the device as these do.

// player is what a device needs for that.
type player struct {
	rtl     cosim.Player
	rows    []uint64 // as the RTL takes them
	in      int      // of a row, the words of inputs
	words   int      // of a row
	max     int      // rows
	inputs  []uint64 // of the model, by row
	queued  int
	left    int  // rows that were played, to be shown
	shifted bool // outputs are early: what a row shows is of the one before
}

const (
	playCyclesMin = 4   // fewer in one call are not worth it
	playCyclesMax = 256 // more in one call gain nothing
)

// newPlayer returns how a device plays cycles, nil if it does not: with feedback, more than one clock
// edge for one of the model, or RTL that runs cycle by cycle.
func (d *Device) newPlayer() *player {
	rtl, ok := d.rtl.(cosim.Player)
	if !ok || len(d.feedback) > 0 || d.unknown != nil || slices.ContainsFunc(d.madeIn, func(m made) bool { return d.ofOutputs(m.bit) }) {
		return nil
	}
	if len(d.gated) > 0 || d.beats != nil && (len(d.beats) > 1 || len(d.beats[0].before) > 0 || d.resetCycles != 1) || d.beats == nil && d.resetWord >= 0 {
		return nil
	}
	p := &player{rtl: rtl, rows: rtl.Rows(), in: len(d.rtl.Inputs()), shifted: len(d.ahead) > 0}
	p.words = p.in + len(d.rtl.Outputs())
	if p.max = min(len(p.rows)/max(p.words, 1), playCyclesMax); p.max < playCyclesMin {
		return nil
	}
	p.inputs = make([]uint64, p.max*len(d.inputs))
	return p
}

// ofOutputs reports whether a bit depends on outputs of the RTL.
func (d *Device) ofOutputs(b Bit) bool {
	switch b.Origin {
	case OfRTL:
		return !d.RTL[b.Port].Input
	case OfGate:
		return slices.ContainsFunc(d.Gates[b.Port].Inputs, d.ofOutputs)
	}
	return false
}

// Plays is how many cycles the device can run in one call, 0 for none.
func (d *Device) Plays() int {
	if d.player == nil {
		return 0
	}
	return d.player.max
}

// Queue adds a cycle with Inputs as they are.
func (d *Device) Queue() {
	p := d.player
	copy(p.inputs[p.queued*len(d.inputs):], d.inputs)
	d.push()
	copy(p.rows[p.queued*p.words:], d.now.rtlIn)
	p.queued++
}

// Play runs what is queued, and forgets it. halves is as in cosim.Player.
func (d *Device) Play() (halves int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	p := d.player
	clocks := uint64(0)
	if d.beats != nil {
		clocks = d.beats[0].last
	}
	cycles := p.queued
	p.queued, p.left, d.settled = 0, cycles, nil
	halves, err = p.rtl.Play(clocks, cycles)
	if d.beats != nil {
		d.cycle += uint64(halves / 2)
	}
	return halves, err
}

// Show shows the outputs of a cycle that was played, as they have settled.
func (d *Device) Show(row int) {
	p := d.player
	copy(d.inputs, p.inputs[row*len(d.inputs):])
	d.now.rtlIn = p.rows[row*p.words:][:p.in:p.in]
	d.now.rtlOut = p.rows[row*p.words+p.in:][:p.words-p.in]
	d.pull()
	if p.shifted {
		d.pullTo(d.early, d.madeEarly, d.before, d.beforeUnknown)
	}
}

// Shown ends the cycle that Show has shown.
func (d *Device) Shown() {
	p := d.player
	d.now = d.live
	if p.left--; p.left == 0 {
		d.pull()
	}
	if p.shifted {
		d.showEarly()
	}
}
