package netlist

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/hw"
)

// Build connects transmitters and receivers through the media, all in one unit. A link is a coupler with one sender.
// The directions of a half-duplex link meet after their couplers.
//
//	transmitters --> couplers [--> half-duplex links] --> fibres --> receivers
func (n *Net) Build(p fabric.Plant) error {
	delays := n.delays(p.Timing().LinkCycles)
	switch {
	case n.Switch:
		return n.shared.Build(p, delays)
	case n.pure():
		return n.Crossbars[0].Build(p, delays)
	}
	part, err := n.part(p)
	if err != nil {
		return err
	}
	links, hears := n.bank("", "."+fibre, n.all()), hw.Gather{Inputs: n.slotted}
	for i := range n.slotted {
		links.Labels[i] = n.Media[i].Link
		hears.Wires = append(hears.Wires, uint32(i))
	}
	return part.Carry(p, links, delays, hears)
}

func (n *Net) part(p fabric.Plant) (*contend.Part, error) {
	if len(n.asked) == 0 {
		fan := 1
		if n.OnePort {
			fan = n.ports
		}
		return n.freePart(p, n.all(), contend.SendersOf(p), n.wiring.Sends, fan)
	}
	free, at := contend.Free{Media: n.freeMedia()}, make([]uint32, len(n.Media))
	for i, medium := range free.Media {
		at[medium] = uint32(i)
	}
	var leads []uint32
	for lane, medium := range n.wiring.Sends {
		if medium != fabric.NoMedium && n.free(int(medium)) {
			free.Senders, leads = append(free.Senders, uint32(lane)), append(leads, at[medium])
		}
	}
	free.Part = func(from contend.Senders) (*contend.Part, error) { return n.freePart(p, free.Media, from, leads, 1) }
	return contend.Join(p, n.bank(".near", "", n.all()), free, n.asked)
}

func (n *Net) freePart(p fabric.Plant, media []uint32, from contend.Senders, leads []uint32,
	fan int) (part *contend.Part, err error) {
	part = &contend.Part{}
	if part.Near, err = p.Light(n.bank("", "", media), nil); err != nil {
		return nil, err
	}
	at := make([]uint32, len(n.Media))
	for i, medium := range media {
		at[medium] = uint32(i)
	}
	if !slices.ContainsFunc(media, func(i uint32) bool { return n.Media[i].Opposite != None }) {
		part.Medium, err = hw.NewDrawnCouplers(from.Light, from.Ports, part.Near, leads, fan)
		return part, err
	}
	raw, err := p.Light(n.bank(".end", "", media), nil)
	if err != nil {
		return nil, err
	}
	couplers, err := hw.NewDrawnCouplers(from.Light, from.Ports, raw, leads, fan)
	if err != nil {
		return nil, err
	}
	links, err := n.halves(raw, part.Near, at)
	if err != nil {
		return nil, err
	}
	part.Medium, part.Parts = &halved{links, couplers}, []hw.Component{couplers}
	return part, nil
}

// halves builds the half-duplex links between couplers and fibres. Light of other media passes unchanged. at maps a
// medium to its index in the input and output.
func (n *Net) halves(in, out *hw.Light, at []uint32) (*hw.DuplexLinks, error) {
	c := hw.DuplexLinkConfig{Bank: hw.Bank{Name: n.Name + ".pair", Units: 1}, Half: true, In: in, Out: out, Passes: true}
	for i := range n.Media {
		if other := n.Media[i].Opposite; other > i {
			c.From, c.To = append(c.From, at[i], at[other]), append(c.To, at[i], at[other])
			c.Bank.Labels = append(c.Bank.Labels, n.Media[i].Pair)
		}
	}
	c.Bank.PerUnit = len(c.Bank.Labels)
	return hw.NewDuplexLinks(c)
}

type halved struct {
	*hw.DuplexLinks
	couplers *hw.StarCouplers
}

func (h *halved) Reached(transmitter, port int) int { return h.couplers.Reached(transmitter, port) }

func (h *halved) ClearSlot(shard int) {
	h.DuplexLinks.ClearSlot(shard)
	h.couplers.ClearSlot(shard)
}
