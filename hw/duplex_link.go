package hw

import "fmt"

// DuplexLinks is a bank of links with a transmitter at both ends. A full-duplex link carries both directions at once,
// a half-duplex link only one. If both ends of a half-duplex link are lit in a cycle, all bits light both rails
// towards both ends; both receivers see this code violation.
//
//	transmitter 0 --in---->[ link ]--out----> towards end 1
//	towards end 0 <--out---[      ]<----in--- transmitter 1
//
// Latency 0 cycles (combinational), throughput one phit per cycle and usable direction. The only state is the
// Violation flags, a column for observers; reset and ClearSlot clear these flags. A link belongs to the unit of its
// outputs; its transmitters may be in any unit.
//
// Parameters: the wiring, half or full duplex. Input: light of the transmitters. Output: two wires per link. Twin:
// duplex_link.v. Source: Hussain, section 2.
type DuplexLinks struct {
	Registers
	violations // by wire of out
	bank       Bank
	half       bool
	in         *Light
	out        *Light
	from       []uint32 // two per link: transmitters at its ends
	to         []uint32 // two per link: wires of out that carry the light of its ends
	all        uint64   // mask of a phit

	// By transmitter.
	carries  []uint32 // wire of out that carries its light
	opposite []uint32 // transmitter at the other end, noEnd for a wire without a link
	replaced []bool   // RTL replaces the transmitter's link; nil if RTL replaces none
}

// DuplexLinkConfig holds the parameters of a bank of links.
type DuplexLinkConfig struct {
	Bank Bank // bank of the links
	Half bool
	In   *Light
	Out  *Light

	// From and To have two elements per link, end 0 first. From is the transmitter at this end (a wire of In). To is
	// the wire of Out, in the link's unit, from this transmitter to the other end.
	From, To []uint32

	// Passes permits wires of In without a link. Their light passes to the wire of Out with the same number.
	Passes bool
}

// noEnd is the opposite of a wire without a link.
const noEnd = ^uint32(0)

// NewDuplexLinks returns a bank that drives Out from In. It routes In to the units of the links.
func NewDuplexLinks(c DuplexLinkConfig) (*DuplexLinks, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path, ends := c.Bank.Path(), 2*c.Bank.Size()
	switch {
	case c.In.width != c.Out.width:
		return nil, fmt.Errorf("%s: %d bits in, %d bits out", path, c.In.width, c.Out.width)
	case c.In.shards != c.Out.shards || c.In.bank.Units != c.Out.bank.Units || c.Bank.Units != c.Out.bank.Units:
		return nil, fmt.Errorf("%s: transmitters, links and outputs must have the same units and shards", path)
	case len(c.From) != ends || len(c.To) != ends || c.In.bank.Size() != ends && !c.Passes ||
		c.Out.bank.Size() != c.In.bank.Size():
		return nil, fmt.Errorf("%s: %d links with %d transmitters and %d outputs of %d and %d; each link has two of each",
			path, c.Bank.Size(), len(c.From), len(c.To), c.In.bank.Size(), c.Out.bank.Size())
	}
	wires := c.In.bank.Size()
	l := &DuplexLinks{
		bank: c.Bank, half: c.Half, in: c.In, out: c.Out, from: c.From, to: c.To, all: ^uint64(0) >> (64 - c.In.width),
		carries: make([]uint32, wires), opposite: make([]uint32, wires), violations: newViolations(c.Out),
	}
	readers := make([]uint32, wires)
	joined, driven := make([]bool, wires), make([]bool, wires)
	for i, transmitter := range c.From {
		wire, unit := c.To[i], i/2/c.Bank.PerUnit
		if int(transmitter) >= wires || int(wire) >= wires || joined[transmitter] || driven[wire] ||
			int(wire)/c.Out.bank.PerUnit != unit {
			return nil, fmt.Errorf("%s: end %d joins transmitter %d and output %d of %d: one of these does not exist or is "+
				"joined "+
				"already, or the output is in another unit",
				c.Bank.Element(i/2), i%2, transmitter, wire, wires)
		}
		joined[transmitter], driven[wire] = true, true
		l.carries[transmitter], l.opposite[transmitter], readers[transmitter] = wire, c.From[i^1], uint32(unit)
	}
	for wire := range wires {
		if c.Passes && !joined[wire] {
			if driven[wire] || wire/c.In.bank.PerUnit != wire/c.Out.bank.PerUnit {
				return nil, fmt.Errorf("%s: wire %d without a link is driven by a link or is in another unit", path, wire)
			}
			l.carries[wire], l.opposite[wire], readers[wire] = uint32(wire), noEnd, uint32(wire/c.Out.bank.PerUnit)
		}
	}
	if err := c.In.Route(readers); err != nil {
		return nil, err
	}
	l.Registers = Declare(Declaration{
		Path: path, Bank: c.Out.bank,
		Registers: []Register{l.violations.register()},
		Wires:     []Probed{c.Out},
		Derive:    l.list,
	})
	return l, nil
}

func (l *DuplexLinks) Inputs() []Wire { return []Wire{l.in} }

func (l *DuplexLinks) Outputs() []Wire { return []Wire{l.out} }

func (l *DuplexLinks) Settle(s Shard) {
	in, out, shard := l.in, l.out, s.Index
	out.Clear(shard)
	rail1, rail0 := in.Rail1, in.Rail0
	for driver := range in.shards {
		for _, i := range in.Lit(driver, shard) {
			if l.replaced != nil && l.replaced[i] {
				continue
			}
			wire, one, zero := l.carries[i], rail1[i], rail0[i]
			if other := l.opposite[i]; l.half && other != noEnd && rail1[other]|rail0[other] != 0 {
				one, zero = l.all, l.all
			}
			l.put(shard, wire, one, zero)
		}
	}
}

func (l *DuplexLinks) QuietFor(limit uint64) uint64 {
	if !l.in.Dark() || !l.out.Dark() {
		return 0
	}
	return limit
}

// Site describes a link. Inputs are the light of both ends, end 0 in the low bits. Output 0 leads to end 0, output 1
// to end 1.
func (l *DuplexLinks) Site() *Site {
	towards := func(link, end int) uint32 { return l.to[2*link+1-end] }
	ports := LightPorts("rail1_i", "rail0_i", l.in, true, 2, func(link, end int) uint32 { return l.from[2*link+end] })
	ports = append(ports, LightPorts("rail1_o", "rail0_o", l.out, false, 2, towards)...)
	ports = append(ports, Port{
		Name: "violation_o", Bits: 2,
		Get: GetPins(func(link int, to Pins) {
			to.Clear()
			for end := range 2 {
				if wire := towards(link, end); l.out.Rail1[wire]&l.out.Rail0[wire] != 0 {
					to.SetBits(end, 1, 1)
				}
			}
		}),
		Put: PutPins(func(link int, from Pins) error {
			from.Ones(func(end int) {
				wire := towards(link, end)
				l.flag(l.out.Owner(wire), wire)
			})
			return nil
		}),
	})
	half := 0
	if l.half {
		half = 1
	}
	return &Site{
		Twin: "duplex_link", What: "links", Parameters: Same(map[string]int{"PHIT_BITS": l.in.width, "HALF": half}),
		Elements: l.bank.Size(), Path: l.bank.Element, Combinational: true, Ports: ports, Replace: l.replace,
	}
}

func (l *DuplexLinks) replace(link int, _ func() bool) {
	if l.replaced == nil {
		l.replaced = make([]bool, len(l.carries))
	}
	l.replaced[l.from[2*link]], l.replaced[l.from[2*link+1]] = true, true
}

// Reached returns the wire of Out that carries a transmitter's light; a transmitter has one port.
func (l *DuplexLinks) Reached(transmitter, _ int) int { return int(l.carries[transmitter]) }
