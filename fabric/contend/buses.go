package contend

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// Buses is a set of buses whose taps lead to the transmitters. All buses have the same kind of arbiter, or none.
type Buses struct {
	Bank    hw.Bank  // names the buses, which form one unit
	Wires   hw.Bank  // names of the wires from each bus to its listeners
	Taps    *hw.Taps // taps of transmitters
	Arbiter Arbiter
	Weights [][]int // weights of weighted arbiters, by bus and tap
	Place   string  // key that sets the arbiter
}

// Arbiter is an hw.ArbiterKind, or None.
type Arbiter int

// None means no arbiter. Frames of several senders in one slot are lost.
const None Arbiter = -1

// ArbiterNone is the name of None.
const ArbiterNone = "none"

// ArbiterOf returns the arbiter with a checked name; None for "".
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

// Cycles returns the number of arbitration cycles in a slot.
func (a Arbiter) Cycles() int {
	if a == None {
		return 0
	}
	return 1
}

// slice returns the length of a tap's turn in cycles: one slot, or 0 for arbiters without turns.
func (b *Buses) slice(timing nic.Timing) (cycles int, err error) {
	switch {
	case b.Arbiter == None:
		return 0, nil
	case !hw.ArbiterKind(b.Arbiter).Works(hw.ForBuses):
		return 0, fmt.Errorf("%s: an arbiter %v; allowed: %v", b.Bank.Path(), b.Arbiter, hw.ArbitersFor(hw.ForBuses))
	case !hw.ArbiterKind(b.Arbiter).Spec().Slices:
		return 0, nil
	}
	if cycles = timing.SlotCycles(); cycles > hw.SliceCyclesMax {
		return 0, input.Mistake(b.Place,
			fmt.Sprintf("a slot has %d cycles, but a turn of arbiter %v has at most %d", cycles,
				b.Arbiter, hw.SliceCyclesMax),
			"choose a smaller nic.payload_bytes, a larger link.phit_bits, or another arbiter")
	}
	return cycles, nil
}

func (b *Buses) arbiters() Arbiters { return Arbiters{hw.ArbiterKind(b.Arbiter), b.Weights} }

func (b *Buses) arbiterBank() hw.Bank {
	bank := b.Bank
	bank.Part = "arbiter"
	return bank
}

// Part is hardware in which frames of several senders collide or wait. Its outputs drive links.
type Part struct {
	fabric.Media                // media without links and listeners
	Near         *hw.Light      // light of the media
	To           *hw.PortSelect // medium that serves each transmitter; nil without arbitration
}

// Senders are the wires of the transmitters of a part.
type Senders struct {
	Light *hw.Light
	Ports *hw.PortSelect
	Asks  *hw.Asks // requests, nil without arbitration
}

// SendersOf returns the wires of all transmitters of a plant.
func SendersOf(p fabric.Plant) Senders {
	tx := p.Transmitters()
	return Senders{tx.Light(), tx.Ports(), tx.Asks()}
}

// Carry makes a part the media of a plant. delays are the delays of the links in cycles; nil selects the plant's
// delay for all links. hears nil means that all media lead to all receivers.
func (part *Part) Carry(p fabric.Plant, links hw.Bank, delays []uint16, hears hw.Gather) (err error) {
	media := part.Media
	media.Hears, media.Whole = hears, true
	if media.Far, err = p.Light(links, make([]uint32, links.Size())); err != nil { // the links are one unit
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
