package wired

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

type lanes struct {
	server  fabric.Server
	classes *nic.Classes
	asked   []uint8  // by transmitter: 1 if the transmitter has a request in the crossing slot
	serves  []uint32 // by transmitter: medium that serves it in the crossed slot, or NoMedium
	starts  []uint32 // by transmitter: start of the requesting frame
	asks    []fabric.Ask
}

func newLanes(n fabric.Network, c *fabric.Config) (*lanes, error) {
	serve, shape := n.Abilities().Server, n.Shape()
	classes := shape.NIC().Classes
	if serve == nil || classes == nil {
		return nil, fmt.Errorf("%s: some lanes of its NICs request media, but fabric.Abilities has no Server", n.Kind())
	}
	server, err := serve(c)
	if err != nil {
		return nil, err
	}
	all := len(classes.Of)
	l := &lanes{server: server, classes: classes, asked: make([]uint8, all), serves: make([]uint32, all),
		starts: make([]uint32, all)}
	l.reset(c.Seed)
	return l, nil
}

func (l *lanes) serve(t *wired, slot uint32) {
	waiting := uint32(len(t.shards))
	sent := &t.sent[slot&1][waiting]
	l.asks = l.asks[:0]
	for i, processor := range sent.processors {
		frame := sent.frame(sent.starts[i])
		transmitter := int(processor)*t.shape.Ports + int(sent.ports[i])
		output, _ := l.classes.Output(int(processor), sent.ports[i], frame.Destination())
		l.serves[transmitter], l.starts[transmitter] = fabric.NoMedium, sent.starts[i]
		l.asks = append(l.asks, fabric.Ask{Transmitter: transmitter, Output: output, Tag: frame.Tag()})
	}
	l.server.Serve(slot, l.asks, func(transmitter int, medium uint32) {
		l.serves[transmitter] = medium
		t.light(medium, waiting, l.starts[transmitter], slot)
	})
}

func (l *lanes) listen(bank *nic.Bank, cell, ports int, slot uint32) {
	for lane := range ports {
		if receiver := (bank.First+cell)*ports + lane; l.classes.Hears[receiver] {
			l.server.Listen(receiver, bank.Hears(cell, uint16(lane), slot), bank.Accepts(cell))
		}
	}
}

func (l *lanes) reset(seed uint64) {
	clear(l.asked)
	for i := range l.serves {
		l.serves[i] = fabric.NoMedium
	}
	l.server.Reset(seed)
}

func (l *lanes) state(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "asked", l.asked, hw.AtMost[uint8](1))
	l.server.State(v)
}
