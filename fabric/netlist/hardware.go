package netlist

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// fibre is the part of a medium that takes light to those who hear it.
const fibre = "fibre"

// Build puts the media between transmitters and receivers, all of which are one unit. A link is a coupler with
// one sender; directions of a half-duplex link meet after theirs.
//
//	transmitters --> couplers [--> half-duplex links] --> fibres --> receivers
func (n *Net) Build(p *fabric.Plant) error {
	if len(n.Media) > hw.PortsMax {
		return &input.Error{Place: "fabric", Reason: fmt.Sprintf("the cycle engine has room for %d media of a netlist, and there are %d", hw.PortsMax, len(n.Media)),
			Remedy: "use the slot engine"}
	}
	delays := n.delays(p.Timing().LinkCycles)
	if least, most := slices.Min(delays), slices.Max(delays); least == 0 && most > 0 {
		return &input.Error{Place: "fabric", Reason: fmt.Sprintf("some links have a latency of 0 cycles and others of up to %d", most),
			Remedy: "give all links 0, or all 1 or more; link.propagation_cycles is that of links without one"}
	}
	paths := func(ending string) hw.Bank {
		b := hw.Bank{Name: n.Name + ".medium", Units: 1, PerUnit: len(n.Media)}
		for i := range n.Media {
			b.Labels = append(b.Labels, n.Media[i].Path+ending)
		}
		return b
	}
	near, err := p.LightOf(paths(""), nil)
	if err != nil {
		return err
	}
	media, tx := fabric.Media{}, p.Transmitters()
	leads, fan := n.wiring.Sends, n.ports
	if !n.OnePort {
		fan = 1
	}
	if n.wiring.Opposite == nil {
		couplers, err := hw.NewDrawnCouplers(tx.Light(), tx.Ports(), near, leads, fan)
		if err != nil {
			return err
		}
		media.Medium = couplers
	} else {
		ends := paths(".end")
		ends.Name += ".end"
		raw, err := p.LightOf(ends, nil)
		if err != nil {
			return err
		}
		couplers, err := hw.NewDrawnCouplers(tx.Light(), tx.Ports(), raw, leads, fan)
		if err != nil {
			return err
		}
		links, err := n.halves(raw, near)
		if err != nil {
			return err
		}
		media.Medium, media.Parts = &halved{links, couplers}, []hw.Component{couplers}
	}
	lit := paths("")
	for i := range lit.Labels {
		lit.Labels[i] = n.Media[i].Link
	}
	lit.Name += "." + fibre
	media.Far, err = p.LightOf(lit, make([]uint32, len(n.Media)))
	if err != nil {
		return err
	}
	if media.Links, err = hw.NewUnequalFibre(media.Far.Bank().Path(), p.Clock(), near, media.Far, delays); err != nil {
		return err
	}
	media.Hears = hw.Gather{Inputs: len(n.Media)}
	for i := range n.Media {
		media.Hears.Wires = append(media.Hears.Wires, uint32(i))
	}
	return p.Carry(media)
}

// halves are the half-duplex links, between couplers and fibres; other light passes.
func (n *Net) halves(in, out *hw.Light) (*hw.DuplexLinks, error) {
	c := hw.DuplexLinkConfig{Bank: hw.Bank{Name: n.Name + ".pair", Units: 1}, Half: true, In: in, Out: out, Passes: true}
	for i := range n.Media {
		if other := n.Media[i].Opposite; other > i {
			c.From, c.To = append(c.From, uint32(i), uint32(other)), append(c.To, uint32(i), uint32(other))
			c.Bank.Labels = append(c.Bank.Labels, n.Media[i].Pair)
		}
	}
	c.Bank.PerUnit = len(c.Bank.Labels)
	return hw.NewDuplexLinks(c)
}

// halved are media some of which are directions of half-duplex links: couplers, and the links after them.
type halved struct {
	*hw.DuplexLinks
	couplers *hw.StarCouplers
}

// Reached implements fabric.Medium.
func (h *halved) Reached(transmitter, port int) int { return h.couplers.Reached(transmitter, port) }

// ClearSlot implements fabric.Medium.
func (h *halved) ClearSlot(shard int) {
	h.DuplexLinks.ClearSlot(shard)
	h.couplers.ClearSlot(shard)
}
