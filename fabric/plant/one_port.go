package plant

import (
	"slices"

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
	for _, cell := range p.results(shard, bank, window) {
		p.Receive(shard, bank, int(cell), 0, ports[cell], ledger, slot)
	}
}

func (a *onePort) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	p, ports := a.front, bank.Listen(slot)
	for _, cell := range p.senders(shard, bank, cells) {
		p.sendHead(bank, int(cell), ledger, slot)
	}
	if !listensAsBefore(bank, slot) {
		cells = p.all(shard, window)
	}
	a.listen(shard, bank, cells, ports)
}

// listen sets the inputs of cells of a bank, which listen to ports.
func (a *onePort) listen(shard int, bank *nic.Bank, cells []uint32, ports []uint16) {
	p, s := a.front, &a.front.shards[shard]
	s.inputs = slices.Grow(s.inputs[:0], len(cells))[:len(cells)]
	for i, cell := range cells {
		input := uint32(ports[cell])
		if input >= uint32(p.shape.Ports) {
			input = nic.NoInput
		} else if a.wiring != nil {
			input = a.wiring.Hears[(bank.First+int(cell))*p.shape.Ports+int(input)]
		}
		s.inputs[i] = input
	}
	p.deserialisers.ListenEach(shard, bank.First, cells, s.inputs)
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
