package pinmap

import (
	"slices"

	"starloom/cosim"
	"starloom/hw"
)

// Batches run many cycles in one call: the RTL gets all inputs first, then returns all outputs.
//
//	Queue, Queue, ...   adds Inputs, cycle by cycle
//	Play                runs the queued cycles
//	Show(0), Show(1)    presents the settled outputs, in order; or, if that suffices,
//	Agrees(0), ...      compares them with the expected ones; End follows
//
// A batch has the effect of Settle and Edge for each cycle.

type player struct {
	rtl     cosim.Player
	rows    []uint64 // cycles in the layout of the RTL
	in      int
	words   int
	max     int
	inputs  []uint64
	queued  int
	left    int  // number of played rows that have not been shown
	shifted bool // outputs are one cycle early: a row shows the outputs of the previous row

	moves []rowMove // moves that compare rows in place; nil if rows must be shown
	fixed []uint64  // constant outputs, and the mask of their bits
	which []uint64
}

// A rowMove copies bits from a word of the RTL's outputs to a word of the model's.
type rowMove struct {
	from, to  int
	down, up  int
	mask      uint64
	inverted  uint64
	wordsLeft int
}

const (
	playCyclesMin = 4   // minimum number of cycles; smaller batches are not worth a call
	playCyclesMax = 256 // maximum number of cycles; larger batches are not faster
)

// newPlayer returns the player of a device. It returns nil for a map with feedback or several clock edges per cycle,
// or if the RTL must run cycle by cycle.
func (d *Device) newPlayer() *player {
	rtl, ok := d.rtl.(cosim.Player)
	if !ok || len(d.feedback) > 0 || d.unknown != nil ||
		slices.ContainsFunc(d.madeIn, func(m made) bool { return d.ofOutputs(m.bit) }) {
		return nil
	}
	if len(d.gated) > 0 || d.beats != nil && (len(d.beats) > 1 || len(d.beats[0].before) > 0 || d.resetCycles != 1) ||
		d.beats == nil && d.resetWord >= 0 {
		return nil
	}
	p := &player{rtl: rtl, rows: rtl.Rows(), in: len(d.rtl.Inputs()), shifted: len(d.ahead) > 0}
	p.words = p.in + len(d.rtl.Outputs())
	if p.max = min(len(p.rows)/max(p.words, 1), playCyclesMax); p.max < playCyclesMin {
		return nil
	}
	p.inputs = make([]uint64, p.max*len(d.inputs))
	for row := range p.max {
		copy(p.rows[row*p.words:][:p.in], d.live.rtlIn)
	}
	d.compareRows(p)
	return p
}

// compareRows prepares the comparison of rows in place. Each output must be constant or consist of bits of single
// words of the RTL's outputs.
func (d *Device) compareRows(p *player) {
	if p.shifted || len(d.Limits) > 0 || len(d.madeOut) > 0 {
		return
	}
	moves := []rowMove{}
	for _, m := range d.out {
		if m.words == 0 && (m.from%64+m.bits > 64 || m.to%64+m.bits > 64) {
			return
		}
		moves = append(moves, rowMove{
			from: m.from / 64, to: m.to / 64, down: m.from % 64, up: m.to % 64,
			mask: ^uint64(0) >> (64 - m.bits), inverted: m.invert,
			wordsLeft: max(m.words-1, 0),
		})
	}
	p.fixed, p.which = make([]uint64, len(d.outputs)), make([]uint64, len(d.outputs))
	for _, fixed := range d.fixedOut {
		value, _ := d.value(fixed.bit)
		hw.PutBits(p.fixed, fixed.to, 1, value)
		hw.PutBits(p.which, fixed.to, 1, 1)
	}
	if d.covers(moves, p.which) {
		p.moves = moves
	}
}

func (d *Device) covers(moves []rowMove, constants []uint64) bool {
	made := slices.Clone(constants)
	for _, m := range moves {
		made[m.to] |= m.mask << m.up
		for w := 1; w <= m.wordsLeft; w++ {
			made[m.to+w] = ^uint64(0)
		}
	}
	for i, p := range d.ports {
		for bit := range p.Bits {
			if !p.Input && !d.Absent()[i] && hw.GetBits(made, 64*p.Word+bit, 1) == 0 {
				return false
			}
		}
	}
	return true
}

func (d *Device) ofOutputs(b Bit) bool {
	switch b.Origin {
	case OfRTL:
		return !d.RTL[b.Port].Input
	case OfGate:
		return slices.ContainsFunc(d.Gates[b.Port].Inputs, d.ofOutputs)
	}
	return false
}

// Plays returns the maximum number of cycles in a batch, 0 if the device runs cycle by cycle.
func (d *Device) Plays() int {
	if d.player == nil {
		return 0
	}
	return d.player.max
}

// Queue adds a cycle with the current Inputs.
func (d *Device) Queue() {
	p := d.player
	copy(p.inputs[p.queued*len(d.inputs):], d.inputs)
	d.now.rtlIn = p.rows[p.queued*p.words:][:p.in:p.in]
	d.push()
	d.now.rtlIn = d.live.rtlIn
	p.queued++
}

// Play runs the queued cycles and empties the queue. For halves, see cosim.Player.
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

// Show presents the settled outputs of a cycle that Play has run.
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

// Shown ends the cycle presented by Show.
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

// Compares reports whether Agrees is available.
func (d *Device) Compares() bool { return d.player.moves != nil }

// Agrees reports whether the outputs of a cycle that Play has run equal wanted in all bits set in counted.
func (d *Device) Agrees(row int, wanted, counted []uint64) bool {
	p := d.player
	out := p.rows[row*p.words+p.in:][:p.words-p.in]
	differs := uint64(0)
	for i := range p.moves {
		m := &p.moves[i]
		differs |= ((out[m.from]>>m.down&m.mask^m.inverted)<<m.up ^ wanted[m.to]) & (m.mask << m.up) & counted[m.to]
		for w := 1; w <= m.wordsLeft; w++ {
			differs |= (out[m.from+w] ^ wanted[m.to+w]) & counted[m.to+w]
		}
	}
	for i, which := range p.which {
		differs |= (p.fixed[i] ^ wanted[i]) & which & counted[i]
	}
	return differs == 0
}

// End ends a batch whose rows were compared by Agrees. row is the last cycle of the batch.
func (d *Device) End(row int) {
	d.player.left = 1
	d.Show(row)
	d.Shown()
}
