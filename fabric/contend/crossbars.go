package contend

import (
	"starloom/fabric"
	"starloom/hw"
)

// Crossbar describes the size and the arbitration of a crossbar.
type Crossbar struct {
	Head       string // head of all paths
	Ports      int    // number of inputs, and of outputs
	NoArbiter  bool   // one medium without an arbiter replaces all outputs
	List       bool   // senders may request the outputs of a list
	Queue      int    // maximum number of frames at an output in one slot; 0 for one frame without a queue
	Arbiter    hw.ArbiterKind
	Weights    []int // weights of weighted arbiters, by input
	Cap        int   // maximum number of frames in one slot, 0 for no limit
	CapArbiter hw.ArbiterKind
}

// Shared reports whether all outputs are one medium.
func (x Crossbar) Shared() bool { return x.NoArbiter && x.Ports > 1 }

// Media returns the number of media.
func (x Crossbar) Media() int {
	if x.NoArbiter {
		return 1
	}
	return x.Ports
}

// MediumNoun returns the nouns for its media.
func (x Crossbar) MediumNoun() (one, many string) {
	if x.Shared() {
		return "medium", "media"
	}
	return "output", "outputs"
}

// Medium returns the path of a medium.
func (x Crossbar) Medium(medium int) string { return x.media().Element(medium) }

// Link returns the path of the link after a medium.
func (x Crossbar) Link(medium int) string { return x.Medium(medium) + ".link" }

func (x Crossbar) media() hw.Bank {
	one, _ := x.MediumNoun()
	return x.bank(one, "", x.Media())
}

func (x Crossbar) bank(name, part string, count int) hw.Bank {
	return hw.Bank{Name: x.Head + "." + name, Part: part, Units: 1, PerUnit: count}
}

// Cycles returns the number of arbitration cycles in a slot.
func (x Crossbar) Cycles() int {
	if x.List {
		return x.Ports
	}
	return 1 + x.Cap
}

// Discipline returns the discipline of single-port NICs at this crossbar.
func (x Crossbar) Discipline() fabric.Addressed {
	asks := fabric.Addressed{Shared: x.Shared()}
	if x.List {
		asks.ListWords = x.Ports - 1
	}
	return asks
}
