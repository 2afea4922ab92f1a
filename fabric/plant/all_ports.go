package plant

import (
	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

type allPorts struct {
	free
	front *Front
	of    fabric.AllPorts
}

func (a *allPorts) Outputs() int { return a.front.shape.Ports }

func (a *allPorts) sends(processor int, port uint16) bool {
	return a.of.Own == nil || a.of.Own.Sends(processor, port)
}

// input returns the unit's input that a processor's receiver hears at a port, or nic.NoInput.
func (a *allPorts) input(processor int, port uint16) uint32 {
	if a.of.Wiring != nil {
		return a.of.Wiring.Hears[processor*a.front.lanes+int(port)]
	}
	return uint32(processor%a.front.shape.PerUnit*a.front.lanes + int(port))
}

func (a *allPorts) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	p, credits := a.front, a.front.credits
	for cell := window.First; cell < window.End; cell++ {
		if credits == nil && p.idle(bank.First+cell) {
			for lane := range p.lanes {
				bank.SetRx(cell, uint16(lane), nic.StatusIdle)
			}
			continue
		}
		for lane := range p.lanes {
			p.Receive(shard, bank, cell, lane, uint16(lane), ledger, slot)
			if credits != nil {
				credits.Heard(shard, bank, cell, uint16(lane), ledger, slot)
			}
		}
	}
}

func (a *allPorts) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	a.send(shard, bank, ledger, slot, window, cells, func(cell int, frame nic.FrameView) (taken bool) {
		return a.transmit(shard, bank, cell, frame, ledger, slot)
	})
}

// send implements Send. It calls transmit for each frame that may leave; transmit reports whether a medium has
// accepted the frame.
func (a *allPorts) send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32,
	transmit func(cell int, frame nic.FrameView) (taken bool),
) {
	a.giveBack(shard, bank, ledger, slot, window)
	for _, cell := range cells {
		if bank.Registers[cell].TxCount == 0 {
			continue
		}
		if illegal := bank.SendAll(int(cell), func(frame nic.FrameView) (taken bool) {
			return transmit(int(cell), frame)
		}); illegal != nil {
			fabric.SilenceIllegal(bank, int(cell), illegal, ledger, slot)
		}
	}
	a.listenAll(bank, slot, window, cells)
}

func (a *allPorts) giveBack(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	if c := a.front.credits; c != nil {
		c.Free(shard, bank, ledger, slot, window)
	}
}

// listenAll sets the inputs of a window's receivers. cells lists the cells with called handlers.
func (a *allPorts) listenAll(bank *nic.Bank, slot uint32, window fabric.Window, cells []uint32) {
	if listensAsBefore(bank, slot) {
		for _, cell := range cells {
			a.listen(bank, int(cell), slot)
		}
		return
	}
	for cell := window.First; cell < window.End; cell++ {
		a.listen(bank, cell, slot)
	}
}

func (a *allPorts) listen(bank *nic.Bank, cell int, slot uint32) {
	processor := bank.First + cell
	for lane := range a.front.lanes {
		input := nic.NoInput
		if bank.Hears(cell, uint16(lane), slot) {
			input = a.input(processor, uint16(lane))
		}
		a.front.deserialisers.Listen(processor*a.front.lanes+lane, input)
	}
}

// transmit loads a frame into its port's transmitters, unless the far end blocks the frame or a credit is missing.
func (a *allPorts) transmit(shard int, bank *nic.Bank, cell int, frame nic.FrameView, ledger *fabric.Ledger,
	slot uint32) (taken bool) {
	p, processor, port := a.front, bank.First+cell, frame.Port()
	frame.SetSource(uint32(processor))
	credits := p.credits
	if p.blocks != nil && p.blocks(processor, port, slot) || credits != nil && credits.Blocks(processor, port) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return false
	}
	if credits != nil {
		credits.Sent(processor, port, slot)
	}
	wire := frame.AppendWire(p.shards[shard].wire)
	if port == nic.PortAll {
		for lane := range p.lanes {
			if a.sends(processor, uint16(lane)) {
				p.Load(processor*p.lanes+lane, wire, 0, slot)
			}
		}
	} else {
		p.Load(processor*p.lanes+int(port), wire, 0, slot)
	}
	ledger.NoteSent(processor, frame, slot)
	return true
}

// Placed implements Access. A transmitter has one medium, at port 0.
func (a *allPorts) Placed(shard, first, end int) {
	for transmitter := first; transmitter < end; transmitter++ {
		if a.front.sent[transmitter] != nic.PortNone {
			a.front.Placed(shard, transmitter, 0)
		}
	}
}

func (a *allPorts) Reset() {
	if c := a.front.credits; c != nil {
		c.Reset()
	}
}

func (a *allPorts) State(v *hw.StateVisitor) {
	if c := a.front.credits; c != nil {
		c.State(v)
	}
}
