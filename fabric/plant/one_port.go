package plant

import (
	"starloom/fabric"
	"starloom/nic"
)

type onePort struct {
	free
	front  *Front
	wiring *fabric.Wiring // nil if Media.Hears describes the wiring of each unit
}

func (a *onePort) Outputs() int { return a.front.shape.Ports }

func (a *onePort) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	p, ports := a.front, bank.Listen(slot)
	for cell := window.First; cell < window.End; cell++ {
		if p.hearing(bank.First + cell) {
			p.Receive(shard, bank, cell, 0, ports[cell], ledger, slot)
		} else {
			bank.RxStatus[cell] = uint8(nic.StatusIdle)
		}
	}
}

func (a *onePort) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	p, ports := a.front, bank.Listen(slot)
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

func (a *onePort) listen(processor int, port uint16) {
	input := nic.NoInput
	if int(port) < a.front.shape.Ports {
		if input = uint32(port); a.wiring != nil {
			input = a.wiring.Hears[processor*a.front.shape.Ports+int(port)]
		}
	}
	a.front.listen(processor, input)
}

func (a *onePort) Placed(shard, first, end int) {
	p := a.front
	for transmitter := first; transmitter < end; transmitter++ {
		switch port := p.sent[transmitter]; port {
		case nic.PortNone:
		case nic.PortAll:
			for port := range p.shape.Ports {
				if a.wiring == nil || a.wiring.Sends[transmitter*p.shape.Ports+port] != fabric.NoMedium {
					p.Placed(shard, transmitter, port)
				}
			}
		default:
			p.Placed(shard, transmitter, int(port))
		}
	}
}

// listensAsBefore reports whether all cells of a bank, except called and killed cells, listen to the same ports as in
// the previous slot.
func listensAsBefore(bank *nic.Bank, slot uint32) bool { return slot > 0 && bank.ListenSlots() == 1 }
