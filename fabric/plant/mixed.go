package plant

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

func newMixed(d fabric.Mixed, p *Front) Access {
	all := allPorts{front: p, of: fabric.AllPorts{Wiring: d.Wiring, Own: d.Own}}
	if !slices.ContainsFunc(d.Lanes.Of, func(c nic.Class) bool {
		return c == nic.ClassMedium ||
			c == nic.ClassAddressee
	}) {
		return &besideRouters{all, d.Lanes}
	}
	return &mixed{allPorts: all, classes: d.Lanes, asked: make([]uint8, p.shape.Processors()*p.lanes)}
}

// besideRouters handles lanes that never request. Lanes without a router send freely.
type besideRouters struct {
	allPorts
	classes *nic.Classes
}

func (a *besideRouters) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	a.send(shard, bank, ledger, slot, window, cells, func(cell int, frame nic.FrameView) (taken bool) {
		return a.classes.Class(bank.First+cell, frame.Port()) == nic.ClassFree &&
			a.transmit(shard, bank, cell, frame, ledger, slot)
	})
}

type mixed struct {
	allPorts
	classes *nic.Classes
	asked   []uint8 // by transmitter: 1 if the transmitter has a request in the crossing slot
}

func (a *mixed) Outputs() (most int) {
	most = 1
	for _, outputs := range a.classes.Outputs {
		for _, output := range outputs {
			most = max(most, int(output)+1)
		}
	}
	return most
}

func (a *mixed) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	flow.AnswerLanes(a.front.shape.Ports, bank, window, a.asked, func(transmitter int) bool {
		_, ok := a.front.serialisers.Served(transmitter)
		return ok
	}, ledger, slot)
	a.allPorts.Hear(shard, bank, ledger, slot, window)
}

func (a *mixed) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	p := a.front
	a.send(shard, bank, ledger, slot, window, cells, func(cell int, frame nic.FrameView) (taken bool) {
		switch a.classes.Class(bank.First+cell, frame.Port()) {
		case nic.ClassFree:
			return a.transmit(shard, bank, cell, frame, ledger, slot)
		case nic.ClassMedium, nic.ClassAddressee:
			a.ask(shard, bank.First+cell, frame, ledger)
		}
		return false
	})
	for cell := window.First; cell < window.End; cell++ {
		for lane := range p.lanes {
			if receiver := (bank.First+cell)*p.lanes + lane; a.classes.Hears[receiver] {
				p.media.Filters.Take(receiver, bank.Hears(cell, uint16(lane), slot), bank.Accepts(cell))
			}
		}
	}
}

func (a *mixed) ask(shard, processor int, frame nic.FrameView, ledger *fabric.Ledger) {
	p := a.front
	frame.SetSource(uint32(processor))
	transmitter := processor*p.lanes + int(frame.Port())
	output, _ := a.classes.Output(processor, frame.Port(), frame.Destination())
	p.serialisers.Load(transmitter, frame.AppendWire(p.serialisers.Blank(transmitter)), output)
	p.sent[transmitter], a.asked[transmitter] = 0, 1
	ledger.Sending = true
}

func (a *mixed) Placed(shard, first, end int) { a.front.placed(shard, first, end) }

// Crossed implements Access. It records served frames for RTL.
func (a *mixed) Crossed(slot uint32) {
	p := a.front
	if p.sums == nil {
		return
	}
	for transmitter, asked := range a.asked {
		if _, ok := p.serialisers.Served(transmitter); asked != 0 && ok {
			p.sums.send(slot, transmitter, p.serialisers.Sent(transmitter, false))
		}
	}
}

func (a *mixed) Reset() {
	a.allPorts.Reset()
	clear(a.asked)
}

func (a *mixed) State(v *hw.StateVisitor) {
	a.allPorts.State(v)
	hw.StateColumn(v, hw.Future, "asked", a.asked, hw.AtMost[uint8](1))
}
