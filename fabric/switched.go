package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Switched is the discipline of a NIC with one switch to all of its taps: a processor that sends
// hears the medium that it sends to, or nothing.
type Switched struct {
	Taps *hw.Taps // where the ports of each NIC lead
	Most int      // NICs that may be switched to a medium in one slot
	Each []int    // the same, by medium; nil: Most to all
}

// NIC implements Discipline.
func (d Switched) NIC() nic.Discipline { return nic.Discipline{Taps: d.Taps} }

// Rules implements Discipline.
func (Switched) Rules() []string { return switchedRules }

// Holds says why no run can break a rule, "" if one may.
func (d Switched) Holds(rule string) string {
	switch {
	case rule == RuleOneBus && d.Taps.Ports < 2:
		return "no processor has taps on two buses"
	case rule == RuleBusLength:
		for bus, members := range d.Taps.Members {
			if d.Each == nil && len(members) > d.Most || d.Each != nil && len(members) > d.Each[bus] {
				return ""
			}
		}
		return "no bus has more taps than processors may be on it"
	}
	return ""
}

type switched struct {
	onePort
	switches *Switches
}

func newSwitched(d Switched, p *CyclePlant) switched {
	return switched{onePort: onePort{plant: p}, switches: NewSwitches(p.names, d, p.shape)}
}

// Begin implements Access.
func (a *switched) Begin() { a.switches.Begin() }

// Hear implements Access: a receiver hears what its switch was at, whatever its firmware wished.
func (a *switched) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	p := a.plant
	for cell := window.First; cell < window.End; cell++ {
		if p.Hearing(bank.First + cell) {
			p.Receive(shard, bank, cell, 0, uint16(p.deserialisers.Hears(bank.First+cell)), ledger, slot)
		} else {
			bank.RxStatus[cell] = uint8(nic.StatusIdle)
		}
	}
}

// Send implements Access.
func (a *switched) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32) {
	for _, cell := range cells {
		if bank.Registers[cell].TxCount > 0 {
			if port, sent := a.plant.sendHead(bank, int(cell), ledger, slot); sent {
				a.switches.Send(bank.First+int(cell), port)
			}
		}
	}
	a.turn(bank, ledger, slot, window)
}

// turn sets the switches of a window.
func (a *switched) turn(bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	p, ports := a.plant, bank.Listen(slot)
	for cell := window.First; cell < window.End; cell++ {
		port, input := ports[cell], nic.NoInput
		if int(port) >= p.shape.Ports {
			port = nic.PortNone
		}
		if at := a.switches.Turn(ledger, bank.First+cell, port, slot); at != nic.PortNone {
			input = uint32(at)
		}
		p.listen(bank.First+cell, input)
	}
}

// Arbitrated is the discipline of a NIC as with Switched which asks for the medium of its port,
// which has an arbiter, as for an output.
type Arbitrated struct{ Switched }

// NIC implements Discipline.
func (d Arbitrated) NIC() nic.Discipline { return nic.Discipline{Asks: true, Taps: d.Taps} }

type arbitrated struct {
	switched
	requests requests
}

// Hear implements Access.
func (a *arbitrated) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	a.requests.answer(bank, ledger, slot, window)
	a.switched.Hear(shard, bank, ledger, slot, window)
}

// Send implements Access.
func (a *arbitrated) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, _ []uint32) {
	a.requests.ask(shard, bank, ledger, slot, window, func(processor int, frame nic.FrameView) uint16 {
		a.switches.Send(processor, frame.Port())
		return frame.Port()
	})
	a.turn(bank, ledger, slot, window)
}

// Placed implements Access.
func (a *arbitrated) Placed(shard, first, end int) { a.requests.placed(shard, first, end) }

// Crossed implements Access.
func (a *arbitrated) Crossed(slot uint32) { a.requests.crossed(slot, false) }

// Reset implements Access.
func (a *arbitrated) Reset() { clear(a.requests.asked) }

// State implements Access.
func (a *arbitrated) State(v *hw.StateVisitor) { a.requests.state(v) }
