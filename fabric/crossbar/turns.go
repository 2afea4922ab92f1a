package crossbar

import (
	"math"

	"starloom/fabric"
	"starloom/hw"
)

// Schedules of asynchronous scattering. Each slot belongs to one processor; a unit has one slot per processor.
const (
	turnsRandom  = "turns-random"  // each processor sends once in a unit, in a new random order
	turnsFixed   = "turns-fixed"   // each processor sends once in a unit, in one random order for all units
	turnsPoisson = "turns-poisson" // a uniformly drawn processor sends in each slot
)

var turnOrders = []string{turnsRandom, turnsFixed, turnsPoisson}

// turns assigns each slot to one processor, as a function of seed and slot. The word of this processor becomes the
// slot number plus 1; other words keep their values.
type turns struct {
	order  string
	n      int
	stream hw.Stream

	unit    int      // unit of senders, -1 for none
	senders []uint32 // senders of a unit, by slot
}

func newTurns(order string, n int, seed uint64) *turns {
	return &turns{order: order, n: n, stream: hw.NewStream(seed, hw.PurposeWorkload), unit: -1, senders: make([]uint32, n)}
}

var _ fabric.Sparse = (*turns)(nil)

// Slots implements fabric.Schedule. Turns never end.
func (t *turns) Slots() int { return math.MaxInt }

func (t *turns) Words(slot int, dst []uint64) {
	t.Changes(slot, func(processor int, word uint64) { dst[processor] = word })
}

func (t *turns) Changes(slot int, yield func(processor int, word uint64)) {
	yield(t.turn(slot), uint64(slot)+1)
}

func (t *turns) turn(slot int) int {
	unit := slot / t.n
	switch t.order {
	case turnsPoisson:
		return int(hw.Below(t.stream.Draw(0, uint32(slot), 0), uint32(t.n)))
	case turnsFixed:
		unit = 0
	}
	if unit != t.unit {
		t.unit = unit
		fabric.FillIdentity(t.senders)
		for i := t.n - 1; i > 0; i-- {
			j := hw.Below(t.stream.Draw(uint32(i), uint32(unit), 0), uint32(i+1))
			t.senders[i], t.senders[j] = t.senders[j], t.senders[i]
		}
	}
	return int(t.senders[slot%t.n])
}

// schedule returns the turns of a scattering, and sets the length of the referee's units.
func (x Network) schedule(name string, r fabric.Referee) (fabric.Schedule, error) {
	s, ok := r.(*scatterReferee)
	if !ok {
		return nil, errTurns
	}
	s.unit = uint32(x.Ports)
	return newTurns(name, x.Ports, s.seed), nil
}
