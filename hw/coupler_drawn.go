package hw

import "fmt"

// NoCoupler is where a port of a transmitter leads that leads nowhere.
const NoCoupler = ^uint32(0)

// NewDrawnCouplers returns the bank that drives out from in, wired as somebody has drawn it: leads[i*fan+p] is
// the coupler that port p of transmitter i reaches, NoCoupler for none. All is one unit.
func NewDrawnCouplers(in *Light, ports *PortSelect, out *Light, leads []uint32, fan int) (*StarCouplers, error) {
	path := out.bank.Path()
	switch {
	case in.width != out.width:
		return nil, fmt.Errorf("%s: %d bits in, %d bits out", path, in.width, out.width)
	case in.bank.Units != 1 || out.bank.Units != 1 || in.Routed():
		return nil, fmt.Errorf("%s: transmitters in %d units, couplers in %d; allowed is one, which reads its own light", path, in.bank.Units, out.bank.Units)
	case fan < 1 || fan > PortsMax || len(leads) != fan*in.bank.Size() || len(ports.Value) != in.bank.Size():
		return nil, fmt.Errorf("%s: %d transmitters of %d ports, wiring of %d, %d port selects", path, in.bank.Size(), fan, len(leads), len(ports.Value))
	}
	for i, coupler := range leads {
		if coupler != NoCoupler && int(coupler) >= out.bank.Size() {
			return nil, fmt.Errorf("%s: %s reaches coupler %d of %d", path, in.bank.Element(i/fan), coupler, out.bank.Size())
		}
	}
	return newStarCouplers(&StarCouplers{leads: leads, fan: uint32(fan), in: in, ports: ports, out: out}), nil
}

func (c *StarCouplers) drawn(transmitter uint32, yield func(coupler uint32)) {
	first := transmitter * c.fan
	switch port := c.ports.Value[transmitter]; port {
	case PortNone:
	case PortAll:
		for _, coupler := range c.leads[first : first+c.fan] {
			if coupler != NoCoupler {
				yield(coupler)
			}
		}
	default:
		if uint32(port) >= c.fan || c.leads[first+uint32(port)] == NoCoupler {
			broken(c.in.bank.Element(int(transmitter)), "port select %d leads nowhere", port)
		}
		yield(c.leads[first+uint32(port)])
	}
}

func (c *StarCouplers) settleDrawn(shard int, lit []uint32) {
	for _, i := range lit {
		c.drawn(i, func(coupler uint32) {
			if c.replaced == nil || !c.replaced[coupler] {
				c.put(shard, coupler, c.in.Rail1[i], c.in.Rail0[i])
			}
		})
	}
}

type end struct {
	transmitter uint32
	port        uint16
}

// siteDrawn is the Site of couplers that are wired as drawn: the light of the ports that lead to one, in the
// order of the transmitters, and dark lanes after them if others have more.
func (c *StarCouplers) siteDrawn() *Site {
	ends, lanes, width := make([][]end, c.bank.Size()), 1, c.in.width
	for i, coupler := range c.leads {
		if coupler != NoCoupler {
			ends[coupler] = append(ends[coupler], end{uint32(i) / c.fan, uint16(uint32(i) % c.fan)})
			lanes = max(lanes, len(ends[coupler]))
		}
	}
	rail := func(name string, of []uint64, put func(wire uint32, value uint64)) Port {
		return Port{
			Name: name, Bits: lanes * width, Input: true,
			Get: func(coupler int, to Pins) func() {
				return func() {
					to.Clear()
					for lane, e := range ends[coupler] {
						if at := c.ports.Value[e.transmitter]; of[e.transmitter] != 0 && (at == e.port || at == PortAll) {
							to.SetBits(lane*width, width, of[e.transmitter])
						}
					}
				}
			},
			Put: func(coupler int, from Pins) func() error {
				return func() error {
					for lane, e := range ends[coupler] {
						if value := from.GetBits(lane*width, width); value != 0 {
							c.ports.Value[e.transmitter] = e.port
							put(e.transmitter, value)
						}
					}
					return nil
				}
			},
		}
	}
	ports := []Port{
		rail("rail1_i", c.in.Rail1, func(wire uint32, value uint64) { c.in.Put(c.in.Owner(wire), wire, value, 0) }),
		rail("rail0_i", c.in.Rail0, func(wire uint32, value uint64) { c.in.Put(c.in.Owner(wire), wire, 0, value) }),
	}
	ports = append(append(ports, LightPorts("rail1_o", "rail0_o", c.out, false, 1, same)...), c.violations.port())
	return &Site{
		Twin: "star_coupler", What: "star couplers", Parameters: Same(map[string]int{"D": lanes, "PHIT_BITS": width}),
		Elements: c.bank.Size(), Path: c.bank.Element, Combinational: true, Ports: ports, Replace: c.replace,
	}
}
