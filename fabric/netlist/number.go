package netlist

import "sync"

// Net numbers the drawing: processors in node order; media are the stars in node order, then the directions of links
// in link order. Its errors are *input.Errors.
func (d *Drawing) Net() (*Net, error) {
	var m mistakes
	net := d.number(&m)
	return net, m.err()
}

// number numbers all known parts and records mistakes. It returns nil after a mistake.
func (d *Drawing) number(m *mistakes) *Net {
	d = d.fitting(m)
	net := &Net{Name: d.head(), reaching: reaching{apart: d.apart}, notes: d.notes, said: said{rtl: map[string]*NodeRTL{}}}
	net.OnePort, net.Switch, net.Mixed = d.access == accessOne, d.access == accessSwitch, d.access == accessMixed
	b := drawer{mistakes: m, net: net, nodes: map[string]*placed{}, met: map[meeting]met{}, tapped: map[tapAt]int{},
		Drawing: d.expanded(m)}
	b.drawNodes()
	b.drawLinks()
	drawn := m.count()
	b.check()
	shared := b.contention()
	shared.serve()
	ways := routing{drawer: &b, Routes: &b.routes}
	ways.draw()
	if b.partial || m.count() > drawn || len(net.Processors) == 0 {
		return nil
	}
	shared.number()
	b.finishPorts()
	switch follows := net.routes != nil && !b.delays && !b.keys["routes"] && !b.keys["apart"]; {
	case follows && len(net.Processors)*len(net.Processors) <= settledMax:
		ways.follow()
	case follows:
		net.later = sync.OnceValue(func() error {
			b.mistakes = &mistakes{}
			ways.follow()
			return b.err()
		})
	}
	if m.count() > 0 {
		return nil
	}
	b.finish()
	return net
}
