package fabric

import "starloom/nic"

// OnePort is the discipline of a NIC with one transmitter and one receiver, each of which is
// switched to one port in a slot; a frame may go to all ports at once.
type OnePort struct {
	// Wiring says where ports lead if that is not the same in each unit, Own which there are: all is one
	// unit then, and Media.Hears has one input for each medium.
	Wiring *Wiring
	Own    *nic.Own
}

// NIC implements Discipline.
func (d OnePort) NIC() nic.Discipline { return nic.Discipline{Own: d.Own} }

func (d OnePort) wiredBy() *Wiring { return d.Wiring }

// Rules implements Discipline.
func (OnePort) Rules() []string { return nil }

type onePort struct {
	free
	plant  *CyclePlant
	wiring *Wiring // nil: that of Media.Hears, unit by unit
}

// Outputs implements Access.
func (a *onePort) Outputs() int { return a.plant.shape.Ports }

// Hear implements Access.
func (a *onePort) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	p, ports := a.plant, bank.Listen(slot)
	for cell := window.First; cell < window.End; cell++ {
		if p.Hearing(bank.First + cell) {
			p.Receive(shard, bank, cell, 0, ports[cell], ledger, slot)
		} else {
			bank.RxStatus[cell] = uint8(nic.StatusIdle)
		}
	}
}

// Send implements Access.
func (a *onePort) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32) {
	p, ports := a.plant, bank.Listen(slot)
	for _, cell := range cells {
		if bank.Registers[cell].TxCount > 0 {
			p.sendHead(bank, int(cell), ledger, slot)
		}
	}
	if listensAsBefore(bank, slot) {
		for _, cell := range cells {
			a.listen(bank.First+int(cell), ports[cell])
		}
		return
	}
	for cell := window.First; cell < window.End; cell++ {
		a.listen(bank.First+cell, ports[cell])
	}
}

// listen sets what a processor hears by the port that its firmware has said.
func (a *onePort) listen(processor int, port uint16) {
	input := nic.NoInput
	if int(port) < a.plant.shape.Ports {
		if input = uint32(port); a.wiring != nil {
			input = a.wiring.Hears[processor*a.plant.shape.Ports+int(port)]
		}
	}
	a.plant.listen(processor, input)
}

// Placed implements Access.
func (a *onePort) Placed(shard, first, end int) {
	p := a.plant
	for transmitter := first; transmitter < end; transmitter++ {
		switch port := p.sent[transmitter]; port {
		case nic.PortNone:
		case nic.PortAll:
			for port := range p.shape.Ports {
				if a.wiring == nil || a.wiring.Sends[transmitter*p.shape.Ports+port] != NoMedium {
					p.Placed(shard, transmitter, port)
				}
			}
		default:
			p.Placed(shard, transmitter, int(port))
		}
	}
}

// sendHead sends the frame at the head of a processor's TX FIFO, unless it has to wait. It
// reports the port.
func (p *CyclePlant) sendHead(bank *nic.Bank, cell int, ledger *Ledger, slot uint32) (port uint16, sent bool) {
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		SilenceIllegal(bank, cell, frame, ledger, slot)
		return nic.PortNone, false
	}
	processor := bank.First + cell
	port = frame.Port()
	frame.SetSource(uint32(processor))
	if p.blocker != nil && p.blocker.Blocks(processor, port, slot) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return port, false
	}
	p.Load(processor, frame.AppendWire(p.serialisers.Blank(processor)), port, slot)
	ledger.NoteSent(processor, frame, slot)
	bank.NoteTx(cell, port, nic.TxSent, frame.Destination())
	bank.PopTx(cell)
	return port, true
}

// listensAsBefore reports whether all cells of a bank hear in a slot what they have heard in the one before,
// but for those that were called or killed.
func listensAsBefore(bank *nic.Bank, slot uint32) bool { return slot > 0 && bank.ListenSlots() == 1 }

// listen sets what a receiver hears; most hear what they have heard before.
func (p *CyclePlant) listen(receiver int, input uint32) {
	if input != p.deserialisers.Hears(receiver) {
		p.deserialisers.Listen(receiver, input)
	}
}
