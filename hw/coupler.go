package hw

import "fmt"

// StarCouplers is a bank of passive optical star couplers. All outputs of a coupler carry the OR of its senders'
// rails.
//
// Latency 0 cycles (combinational), throughput one phit per cycle and coupler. Senders whose bits differ light both
// rails of a bit; every receiver sees this code violation. The only state is the Violation flags, a column for
// observers; reset and ClearSlot clear these flags.
//
// Parameters: the wiring (Base, Fan). Inputs: light and port selects of the transmitters. Output: light of the
// couplers. Source: Mei and Rizzi, section I.
//
// In a partitioned network of g groups of d, transmitter i is in group i div d, Base[i] = (i div d)*g, and Fan is g.
// Coupler from*g+to carries light from group from to group to. A transmitter reaches only couplers of its own unit.
type StarCouplers struct {
	Registers
	violations
	bank  Bank
	base  []uint32
	leads []uint32 // by transmitter and port: coupler of a drawn network; replaces base
	fan   uint32
	in    *Light
	ports *PortSelect
	out   *Light

	replaced []bool // by coupler: RTL replaces the coupler; nil if RTL replaces none
}

// NewStarCouplers returns a bank that drives out from in. Port p of transmitter i leads to coupler base[i]+p, p below
// fan.
func NewStarCouplers(in *Light, ports *PortSelect, out *Light, base []uint32, fan int) (*StarCouplers, error) {
	path := out.bank.Path()
	switch {
	case in.width != out.width:
		return nil, fmt.Errorf("%s: %d bits in, %d bits out", path, in.width, out.width)
	case in.shards != out.shards || in.bank.Units != out.bank.Units:
		return nil, fmt.Errorf("%s: transmitters and couplers must have the same units and shards", path)
	case in.Routed():
		return nil, fmt.Errorf("%s: %s must be read by the unit that drives it", path, in.path)
	case len(base) != in.bank.Size() || len(ports.Value) != in.bank.Size():
		return nil, fmt.Errorf("%s: %d transmitters, but %d bases and %d port selects", path, in.bank.Size(),
			len(base), len(ports.Value))
	case fan < 1 || fan > PortsMax:
		return nil, fmt.Errorf("%s: a transmitter reaches %d couplers; allowed: 1 to %d", path, fan, PortsMax)
	}
	for i, first := range base {
		unit, last := i/in.bank.PerUnit, int(first)+fan-1
		if int(first)/out.bank.PerUnit != unit || last/out.bank.PerUnit != unit {
			return nil, fmt.Errorf("%s: %s reaches couplers %d to %d, some of them outside its unit %d",
				path, in.bank.Element(i), first, last, unit)
		}
	}
	return newStarCouplers(&StarCouplers{base: base, fan: uint32(fan), in: in, ports: ports, out: out}), nil
}

func newStarCouplers(c *StarCouplers) *StarCouplers {
	c.violations, c.bank = newViolations(c.out), c.out.bank
	c.Registers = Declare(Declaration{
		Bank:      c.out.bank,
		Registers: []Register{c.violations.register()},
		Wires:     []Probed{c.out},
		Derive:    c.list,
	})
	return c
}

// Reached returns the coupler of a transmitter's port.
func (c *StarCouplers) Reached(transmitter, port int) int {
	if c.leads != nil {
		return int(c.leads[transmitter*int(c.fan)+port])
	}
	return int(c.base[transmitter]) + port
}

func (c *StarCouplers) Inputs() []Wire { return []Wire{c.in, c.ports} }

func (c *StarCouplers) Outputs() []Wire { return []Wire{c.out} }

func (c *StarCouplers) Settle(s Shard) {
	out, shard := c.out, s.Index
	out.Clear(shard)
	lit := c.in.Lit(shard, 0)
	if c.leads != nil {
		c.settleDrawn(shard, lit)
		return
	}
	rail1, rail0 := c.in.Rail1, c.in.Rail0
	ports, base, fan, replaced := c.ports.Value, c.base, c.fan, c.replaced
	for _, i := range lit {
		first := base[i]
		switch port := ports[i]; port {
		case PortNone:
		case PortAll:
			for coupler := first; coupler < first+fan; coupler++ {
				if replaced != nil && replaced[coupler] {
					continue
				}
				c.put(shard, coupler, rail1[i], rail0[i])
			}
		default:
			if uint32(port) >= fan {
				broken(c.in.bank.Element(int(i)), "port select is %d, but the transmitter has %d ports", port, fan)
			}
			coupler := first + uint32(port)
			if replaced != nil && replaced[coupler] {
				continue
			}
			c.put(shard, coupler, rail1[i], rail0[i])
		}
	}
}

func (c *StarCouplers) QuietFor(limit uint64) uint64 {
	if !c.in.Dark() || !c.out.Dark() {
		return 0
	}
	return limit
}

// Site describes a coupler. Its input is the light of all transmitters of its unit, side by side. The rails of
// transmitters switched to other couplers are dark.
func (c *StarCouplers) Site() *Site {
	if c.leads != nil {
		return c.siteDrawn()
	}
	senders := c.in.bank.PerUnit
	sender := func(coupler, lane int) uint32 { return uint32(coupler/c.bank.PerUnit*senders + lane) }
	ports := LightPorts("rail1_i", "rail0_i", c.in, true, senders, sender)
	for i := range ports {
		rail, field := [][]uint64{c.in.Rail1, c.in.Rail0}[i], []string{FieldRail1, FieldRail0}[i]
		ports[i].From = func(coupler int) Expression { return c.gated(field, coupler, int(sender(coupler, 0)), senders) }
		ports[i].Get = func(coupler int, to Pins) func() {
			first, fields := sender(coupler, 0), to.Lanes(senders)
			lanes := rail[first : int(first)+senders]
			return func() {
				for lane, light := range lanes {
					if light != 0 && !c.reaches(first+uint32(lane), uint32(coupler)) {
						light = 0
					}
					fields[lane].Set(light)
				}
			}
		}
	}
	put := ports[0].Put
	ports[0].Put = func(coupler int, from Pins) func() error {
		put := put(coupler, from)
		return func() error {
			for lane := range senders {
				i := sender(coupler, lane)
				c.ports.Value[i] = uint16(uint32(coupler) - c.base[i])
			}
			return put()
		}
	}
	ports = append(append(ports, LightPorts("rail1_o", "rail0_o", c.out, false, 1, same)...), c.violations.port())
	return &Site{
		Twin: "star_coupler", What: "star couplers", Parameters: Same(map[string]int{"D": senders, "PHIT_BITS": c.in.width}),
		Elements: c.bank.Size(), Path: c.bank.Element, Combinational: true, Ports: ports, Replace: c.replace,
		Dark: c.in.Dark,
	}
}

// gated returns the light of the senders from first on. The light of a sender is dark unless its transmitter is
// switched to the coupler.
func (c *StarCouplers) gated(field string, coupler, first, senders int) Expression {
	lanes := make([]Expression, senders)
	for lane := range lanes {
		i := first + lane
		port := coupler - int(c.base[i])
		if lanes[lane] = Constant(c.in.width, 0); port >= 0 && port < int(c.fan) {
			lanes[lane] = c.switched(field, i, port)
		}
	}
	return Together(lanes...)
}

func (c *StarCouplers) switched(field string, transmitter, port int) Expression {
	at := Carried(c.ports.Of(transmitter))
	return Carried(c.in.Of(field, transmitter)).If(AnyOf(at.Is(uint64(port)), at.Is(PortAll)))
}

func (c *StarCouplers) reaches(sender, coupler uint32) bool {
	switch port := c.ports.Value[sender]; port {
	case PortNone:
		return false
	case PortAll:
		return coupler-c.base[sender] < c.fan
	default:
		return c.base[sender]+uint32(port) == coupler
	}
}

func (c *StarCouplers) replace(coupler int, _ func() bool) {
	if c.replaced == nil {
		c.replaced = make([]bool, c.bank.Size())
	}
	c.replaced[coupler] = true
}

// NoCoupler marks a transmitter's port without a coupler.
const NoCoupler = ^uint32(0)

// NewDrawnCouplers returns a bank with arbitrary wiring: port p of transmitter i leads to coupler leads[i*fan+p],
// NoCoupler for none. The bank is one unit.
func NewDrawnCouplers(in *Light, ports *PortSelect, out *Light, leads []uint32, fan int) (*StarCouplers, error) {
	path := out.bank.Path()
	switch {
	case in.width != out.width:
		return nil, fmt.Errorf("%s: %d bits in, %d bits out", path, in.width, out.width)
	case in.bank.Units != 1 || out.bank.Units != 1 || in.Routed():
		return nil, fmt.Errorf("%s: transmitters in %d units, couplers in %d; both must be in one unit, which reads its "+
			"own light",
			path, in.bank.Units, out.bank.Units)
	case fan < 1 || fan > PortsMax || len(leads) != fan*in.bank.Size() || len(ports.Value) != in.bank.Size():
		return nil, fmt.Errorf("%s: %d transmitters of %d ports, but wiring of %d and %d port "+
			"selects", path, in.bank.Size(), fan,
			len(leads), len(ports.Value))
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

// siteDrawn describes a coupler with arbitrary wiring. Its input is the light of the connected ports, in transmitter
// order. Dark lanes extend the input to the size of the largest coupler.
func (c *StarCouplers) siteDrawn() *Site {
	ends, lanes, width := make([][]end, c.bank.Size()), 1, c.in.width
	for i, coupler := range c.leads {
		if coupler != NoCoupler {
			ends[coupler] = append(ends[coupler], end{uint32(i) / c.fan, uint16(uint32(i) % c.fan)})
			lanes = max(lanes, len(ends[coupler]))
		}
	}
	rail := func(name, field string, of []uint64, put func(wire uint32, value uint64)) Port {
		return Port{
			Name: name, Bits: lanes * width, Input: true,
			From: func(coupler int) Expression {
				all := make([]Expression, 0, lanes+1)
				for _, e := range ends[coupler] {
					all = append(all, c.switched(field, int(e.transmitter), int(e.port)))
				}
				return Together(append(all, Constant((lanes-len(all))*width, 0))...)
			},
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
		rail("rail1_i", FieldRail1, c.in.Rail1,
			func(wire uint32, value uint64) { c.in.Put(c.in.Owner(wire), wire, value, 0) }),
		rail("rail0_i", FieldRail0, c.in.Rail0,
			func(wire uint32, value uint64) { c.in.Put(c.in.Owner(wire), wire, 0, value) }),
	}
	ports = append(append(ports, LightPorts("rail1_o", "rail0_o", c.out, false, 1, same)...), c.violations.port())
	return &Site{
		Twin: "star_coupler", What: "star couplers", Parameters: Same(map[string]int{"D": lanes, "PHIT_BITS": width}),
		Elements: c.bank.Size(), Path: c.bank.Element, Combinational: true, Ports: ports, Replace: c.replace,
	}
}
