package plant

import (
	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

type addressed struct {
	onePort
	requests requests
	of       fabric.Addressed
}

func (a *addressed) Outputs() int { return a.front.shape.Processors() }

func (a *addressed) input(processor int) uint32 {
	if a.of.Shared {
		return 0
	}
	return uint32(processor % a.front.shape.PerUnit)
}

func (a *addressed) IsFor(processor int, frame nic.Frame) bool {
	return !a.of.Shared || frame.Destination() == uint32(processor)
}

func (a *addressed) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	a.requests.answer(bank, ledger, slot, window)
	a.onePort.Hear(shard, bank, ledger, slot, window)
}

func (a *addressed) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, _ []uint32) {
	p, ports := a.front, bank.Listen(slot)
	a.requests.ask(shard, bank, ledger, slot, window, a.output)
	for cell := window.First; cell < window.End; cell++ {
		processor, listens := bank.First+cell, ports[cell] == 0
		p.media.Filters.Take(processor, listens, bank.Accepts(cell))
		if listens {
			p.deserialisers.Listen(processor, a.input(processor))
		} else {
			p.deserialisers.Listen(processor, nic.NoInput)
		}
	}
}

// output returns the output that a processor requests: its destination, or PortNone for a list.
func (a *addressed) output(_ int, frame nic.FrameView) uint16 {
	if frame.Destination() == nic.ListedDestination {
		return nic.PortNone
	}
	return uint16(frame.Destination())
}

func (a *addressed) Placed(shard, first, end int) { a.requests.front.placed(shard, first, end) }

func (a *addressed) Crossed(slot uint32) { a.requests.crossed(slot, a.of.ListWords > 0) }

func (a *addressed) Reset() { clear(a.requests.asked) }

func (a *addressed) State(v *hw.StateVisitor) { a.requests.state(v) }
