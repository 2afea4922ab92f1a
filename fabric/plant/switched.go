package plant

import (
	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

type switched struct {
	onePort
	switches *flow.Switches
}

func newSwitched(d fabric.Switched, p *Front) switched {
	return switched{onePort: onePort{front: p}, switches: flow.NewSwitches(p.names, d, p.shape)}
}

func (a *switched) Begin() { a.switches.Begin() }

// Hear implements Access. A receiver hears the port at its switch, which may differ from the port chosen by firmware.
func (a *switched) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	p := a.front
	for _, cell := range p.results(shard, bank, window) {
		port := uint16(p.deserialisers.Hears(bank.First + int(cell)))
		p.Receive(shard, bank, int(cell), 0, port, ledger, slot)
	}
}

func (a *switched) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	for _, cell := range a.front.senders(shard, bank, cells) {
		if port, sent := a.front.sendHead(bank, int(cell), ledger, slot); sent {
			a.switches.Send(bank.First+int(cell), port)
		}
	}
	a.turn(bank, ledger, slot, window)
}

func (a *switched) turn(bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	p, ports := a.front, bank.Listen(slot)
	for cell := window.First; cell < window.End; cell++ {
		port, input := ports[cell], nic.NoInput
		if int(port) >= p.shape.Ports {
			port = nic.PortNone
		}
		if at := a.switches.Turn(ledger, bank.First+cell, port, slot); at != nic.PortNone {
			input = uint32(at)
		}
		p.deserialisers.Listen(bank.First+cell, input)
	}
}

type arbitrated struct {
	switched
	requests requests
}

func (a *arbitrated) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	a.requests.answer(bank, ledger, slot, window)
	a.switched.Hear(shard, bank, ledger, slot, window)
}

func (a *arbitrated) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, _ []uint32) {
	a.requests.ask(shard, bank, ledger, slot, window, func(processor int, frame nic.FrameView) uint16 {
		a.switches.Send(processor, frame.Port())
		return frame.Port()
	})
	a.turn(bank, ledger, slot, window)
}

func (a *arbitrated) Placed(shard, first, end int) { a.requests.front.placed(shard, first, end) }

func (a *arbitrated) Crossed(slot uint32) { a.requests.crossed(slot, false) }

func (a *arbitrated) Reset() { clear(a.requests.asked) }

func (a *arbitrated) State(v *hw.StateVisitor) { a.requests.state(v) }
