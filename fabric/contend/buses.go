package contend

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// Buses are buses that transmitters with taps share, each with an arbiter of the same kind, or all without.
type Buses struct {
	Bank    hw.Bank  // names them: one unit
	Wires   hw.Bank  // names what leads from each to those who hear it
	Taps    *hw.Taps // of transmitters
	Arbiter Arbiter
	Weights [][]int // by bus and tap, of weighted arbiters (Arbiters)
	Place   string  // of the key that says which arbiter
}

// Arbiter is an hw.ArbiterKind, or None.
type Arbiter int

// None is no arbiter: of several senders the frames are lost.
const None Arbiter = -1

// ArbiterNone is the name of None.
const ArbiterNone = "none"

// ArbiterOf is the arbiter of a name, which has been checked; "" is None.
func ArbiterOf(name string) Arbiter {
	if kind := hw.ArbiterOf(name); kind.Works(hw.ForBuses) {
		return Arbiter(kind)
	}
	return None
}

func (a Arbiter) String() string {
	if a == None {
		return ArbiterNone
	}
	return hw.ArbiterKind(a).String()
}

// Cycles are those in which senders ask.
func (a Arbiter) Cycles() int {
	if a == None {
		return 0
	}
	return 1
}

// slice is how long a tap has its turn where they have one: a slot.
func (b *Buses) slice(timing nic.Timing) (cycles int, err error) {
	switch {
	case b.Arbiter == None:
		return 0, nil
	case !hw.ArbiterKind(b.Arbiter).Works(hw.ForBuses):
		return 0, fmt.Errorf("%s: an arbiter %v, allowed are %v", b.Bank.Path(), b.Arbiter, hw.ArbitersFor(hw.ForBuses))
	case !hw.ArbiterKind(b.Arbiter).Spec().Slices:
		return 0, nil
	}
	if cycles = timing.SlotCycles(); cycles > hw.SliceCyclesMax {
		return 0, input.Mistake(b.Place,
			fmt.Sprintf("a slot has %d cycles, and the turns of an arbiter %v have at most %d", cycles, b.Arbiter, hw.SliceCyclesMax),
			"choose a smaller nic.payload_bytes, a larger link.phit_bits, or another arbiter")
	}
	return cycles, nil
}

// arbiters are theirs.
func (b *Buses) arbiters() Arbiters { return Arbiters{hw.ArbiterKind(b.Arbiter), b.Weights} }

// arbiterBank names them.
func (b *Buses) arbiterBank() hw.Bank {
	bank := b.Bank
	bank.Part = "arbiter"
	return bank
}

// Part is hardware in which frames of several senders meet or wait, before the links that lead away from it.
type Part struct {
	fabric.Media                // without links, and what is heard
	Near         *hw.Light      // of its media
	To           *hw.PortSelect // by transmitter: who serves it; nil if no one has to ask
}

// Senders are the wires of the transmitters that lead to a part.
type Senders struct {
	Light *hw.Light
	Ports *hw.PortSelect
	Asks  *hw.Asks // nil if none has to ask
}

// SendersOf are all transmitters of a plant.
func SendersOf(p fabric.Plant) Senders {
	tx := p.Transmitters()
	return Senders{tx.Light(), tx.Ports(), tx.Asks()}
}

// Carry makes one part the media of a plant: links lead from it to all who hear it, with delays of their own or,
// if they are nil, that of all. Without hears all media lead to all receivers.
func (part *Part) Carry(p fabric.Plant, links hw.Bank, delays []uint16, hears hw.Gather) (err error) {
	media := part.Media
	media.Hears, media.Whole = hears, true
	if media.Far, err = p.Light(links, make([]uint32, links.Size())); err != nil { // all is one unit
		return err
	}
	if delays == nil {
		media.Links, err = hw.NewFibre(media.Far.Bank().Path(), p.Clock(), part.Near, media.Far, p.Timing().PropagationCycles)
	} else {
		media.Links, err = hw.NewUnequalFibre(media.Far.Bank().Path(), p.Clock(), part.Near, media.Far, delays)
	}
	if err != nil {
		return err
	}
	if part.To != nil {
		p.Transmitters().Await(part.To)
	}
	return p.Carry(media)
}
