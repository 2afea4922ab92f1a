package contend

import (
	"starloom/fabric"
	"starloom/hw"
)

// Crossbar is a crossbar: what is asked of it, and whom it serves.
type Crossbar struct {
	Head       string // of its paths
	Ports      int    // inputs, and outputs
	NoArbiter  bool   // one medium without an arbiter in the place of all outputs
	List       bool   // a sender may ask for all outputs of a list
	Queue      int    // frames for which an output has time in one slot; 0 for one, and no queue
	Arbiter    hw.ArbiterKind
	Weights    []int // by input, of weighted arbiters (Arbiters)
	Cap        int   // frames that may cross in one slot, 0 for no limit
	CapArbiter hw.ArbiterKind
}

// Shared reports whether all outputs are one medium.
func (x Crossbar) Shared() bool { return x.NoArbiter && x.Ports > 1 }

// Media is how many media it has.
func (x Crossbar) Media() int {
	if x.NoArbiter {
		return 1
	}
	return x.Ports
}

// MediumNoun is what they are called.
func (x Crossbar) MediumNoun() (one, many string) {
	if x.Shared() {
		return "medium", "media"
	}
	return "output", "outputs"
}

// Medium is the path of one of them.
func (x Crossbar) Medium(medium int) string { return x.media().Element(medium) }

// Link is the path of the link after one of them.
func (x Crossbar) Link(medium int) string { return x.Medium(medium) + ".link" }

func (x Crossbar) media() hw.Bank {
	one, _ := x.MediumNoun()
	return x.bank(one, "", x.Media())
}

func (x Crossbar) bank(name, part string, count int) hw.Bank {
	return hw.Bank{Name: x.Head + "." + name, Part: part, Units: 1, PerUnit: count}
}

// Cycles are those in which senders ask.
func (x Crossbar) Cycles() int {
	if x.List {
		return x.Ports
	}
	return 1 + x.Cap
}

// Discipline is that of NICs which all have one port, at this crossbar.
func (x Crossbar) Discipline() fabric.Addressed {
	asks := fabric.Addressed{Shared: x.Shared()}
	if x.List {
		asks.ListWords = x.Ports - 1
	}
	return asks
}
