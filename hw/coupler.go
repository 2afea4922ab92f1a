package hw

import "fmt"

// StarCouplers is a bank of passive optical star couplers: every input reaches
// every output, so a coupler has one output value, the OR of its senders' rails.
//
// Latency 0 cycles (combinational), throughput one phit per cycle and coupler.
// Two senders whose bits differ light both rails of a bit, a code violation that
// every receiver sees: a collision delivers nothing. There is no state but the
// Violation flags, an observer's column that reset and ClearSlot set to 0.
//
// Parameters: the wiring (Base, Fan). Ports: in (light and port select of the
// transmitters), out (light of the couplers). Source: Mei and Rizzi, section I.
//
// In a partitioned network of g groups of d, transmitter i is in group i div d, Base[i] =
// (i div d)*g, Fan g, and coupler from*g+to carries light from group from to group to. All
// couplers that a transmitter reaches belong to its own unit, so shards never
// write to the same coupler.
type StarCouplers struct {
	Registers
	violations
	bank  Bank
	base  []uint32
	leads []uint32 // in place of base: by transmitter and port; nil: all ports of one lie side by side
	fan   uint32
	in    *Light
	ports *PortSelect
	out   *Light

	replaced []bool // by RTL, nil for none
}

// NewStarCouplers returns the bank that drives out from in. base[i] is the first
// of the fan couplers that transmitter i reaches; its port select p means coupler
// base[i]+p.
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
		return nil, fmt.Errorf("%s: %d transmitters, %d bases, %d port selects", path, in.bank.Size(), len(base), len(ports.Value))
	case fan < 1 || fan > PortsMax:
		return nil, fmt.Errorf("%s: a transmitter reaches %d couplers, allowed are 1 to %d", path, fan, PortsMax)
	}
	for i, first := range base {
		unit, last := i/in.bank.PerUnit, int(first)+fan-1
		if int(first)/out.bank.PerUnit != unit || last/out.bank.PerUnit != unit {
			return nil, fmt.Errorf("%s: %s reaches the couplers %d to %d, some of them outside its unit %d",
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

// Reached returns the coupler that a transmitter's port leads to.
func (c *StarCouplers) Reached(transmitter, port int) int {
	if c.leads != nil {
		return int(c.leads[transmitter*int(c.fan)+port])
	}
	return int(c.base[transmitter]) + port
}

func (c *StarCouplers) Inputs() []Wire { return []Wire{c.in, c.ports} }

func (c *StarCouplers) Outputs() []Wire { return []Wire{c.out} }

// Settle carries the light of every lit transmitter of the shard to the couplers
// that its port select says.
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
				broken(c.in.bank.Element(int(i)), "port select %d, the transmitter has %d ports", port, fan)
			}
			coupler := first + uint32(port)
			if replaced != nil && replaced[coupler] {
				continue
			}
			c.put(shard, coupler, rail1[i], rail0[i])
		}
	}
}

// QuietFor implements Quiet: couplers do nothing in the dark.
func (c *StarCouplers) QuietFor(limit uint64) uint64 {
	if !c.in.Dark() || !c.out.Dark() {
		return 0
	}
	return limit
}

// Site says what the ports of a coupler are: the light of all transmitters of its unit side
// by side, dark for those that are switched to other couplers.
func (c *StarCouplers) Site() *Site {
	if c.leads != nil {
		return c.siteDrawn()
	}
	senders := c.in.bank.PerUnit
	sender := func(coupler, lane int) uint32 { return uint32(coupler/c.bank.PerUnit*senders + lane) }
	ports := LightPorts("rail1_i", "rail0_i", c.in, true, senders, sender)
	for i := range ports {
		rail := [][]uint64{c.in.Rail1, c.in.Rail0}[i]
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

// replace: Settle passes the coupler by.
func (c *StarCouplers) replace(coupler int, _ func() bool) {
	if c.replaced == nil {
		c.replaced = make([]bool, c.bank.Size())
	}
	c.replaced[coupler] = true
}
