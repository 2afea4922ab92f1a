package hw

import (
	"fmt"
	"slices"
)

// Buses is a bank of buses. The rails of all transmitters on a bus are ORed, and all receivers see the result. A
// transmitter reaches one bus at a time.
//
// Without an arbiter every tap is open. With an arbiter a transmitter requests the bus of its port, and light passes
// only the granted tap; a faulty arbiter lets frames collide.
//
//	asks ----> request lines --> Arbiters --grants--+--> To: the port that serves a transmitter
//	light ------------------------------------> taps --OR--> buses
//
// Latency 0 cycles (combinational), throughput one phit per cycle and bus. The only state is the Violation flags, a
// column for observers; reset and ClearSlot clear these flags.
//
// Parameters: the wiring (Taps). Inputs: light; port selects without an arbiter, asks and grants with an arbiter.
// Outputs: light; with an arbiter request lines and To. Twins: bus.v without an arbiter. With an arbiter, bus_taps.v
// is the twin of the taps, and bus.v the twin of bus and arbiter (ArbitratedBuses).
type Buses struct {
	Registers
	violations
	BusConfig
	bank Bank
	to   *PortSelect // with an arbiter, otherwise nil

	first        []uint32 // by bus: index of its first tap among all taps
	rail1, rail0 []uint64 // by tap: light that passes
	requests     []uint8  // by tap: 1 while the tap requests; nil without an arbiter
	lit, asked   [][]uint32
	serving      [][]uint32 // by shard: transmitters whose To differs from PortNone

	replaced []bool // by bus: RTL replaces the bus; nil if RTL replaces none
	whole    []bool // by bus: RTL replaces the bus and its arbiter; nil if RTL replaces no such pair
}

// BusConfig holds the wires of a bank of buses.
type BusConfig struct {
	In   *Light // light of the transmitters
	Out  *Light // light of the buses
	Taps *Taps

	Ports *PortSelect // port selects of the transmitters; nil with an arbiter

	// wires of the arbiters; nil without an arbiter: the requested port of each transmitter, the request lines (one
	// per tap), and the granted taps
	Asks        *Asks
	Request     *Requests
	Busy, Index *Signal
}

// NewBuses returns a bank that drives Out from In.
func NewBuses(c BusConfig) (*Buses, error) {
	path := c.Out.bank.Path()
	switch {
	case c.In.width != c.Out.width:
		return nil, fmt.Errorf("%s: %d bits in, %d bits out", path, c.In.width, c.Out.width)
	case c.In.bank.Units != 1 || c.Out.bank.Units != 1:
		return nil, fmt.Errorf("%s: transmitters in %d units and buses in %d; both must be in one unit", path,
			c.In.bank.Units, c.Out.bank.Units)
	case len(c.Taps.Bus) != c.In.bank.Size() || len(c.Taps.Members) != c.Out.bank.Size():
		return nil, fmt.Errorf("%s: taps of %d transmitters on %d buses, but the machine has %d and %d",
			path, len(c.Taps.Bus), len(c.Taps.Members), c.In.bank.Size(), c.Out.bank.Size())
	case c.Asks != nil && (c.Request.bank.Size() != c.Out.bank.Size() || c.Request.requesters < c.Taps.Longest):
		return nil, fmt.Errorf("%s: %d buses of at most %d taps, but the request lines are of %d arbiters and %d requesters",
			path, c.Out.bank.Size(), c.Taps.Longest, c.Request.bank.Size(), c.Request.requesters)
	}
	b := &Buses{violations: newViolations(c.Out), BusConfig: c, bank: c.Out.bank,
		first: make([]uint32, len(c.Taps.Members))}
	taps := uint32(0)
	for bus, members := range c.Taps.Members {
		b.first[bus] = taps
		taps += uint32(len(members))
	}
	b.rail1, b.rail0 = make([]uint64, taps), make([]uint64, taps)
	b.lit, b.asked, b.serving = make([][]uint32, c.In.shards), make([][]uint32, c.In.shards), make([][]uint32, c.In.shards)
	if c.Asks != nil {
		b.to, b.requests = NewPortSelect(c.In.bank, "serving"), make([]uint8, taps)
	}
	b.Registers = Declare(Declaration{
		Bank: c.Out.bank, Registers: []Register{b.violations.register()},
		Wires: []Probed{c.Out, tapProbes{b}}, Derive: b.list,
	})
	return b, nil
}

// To returns the port that serves each transmitter, PortNone for none. It returns nil without an arbiter.
func (b *Buses) To() *PortSelect { return b.to }

// Reached returns the bus at a transmitter's port.
func (b *Buses) Reached(transmitter, port int) int { return int(b.Taps.Bus[transmitter][port]) }

func (b *Buses) Inputs() []Wire {
	if b.Asks == nil {
		return []Wire{b.In, b.Ports}
	}
	return []Wire{b.In, b.Asks, b.Busy, b.Index}
}

func (b *Buses) Outputs() []Wire {
	if b.Asks == nil {
		return []Wire{b.Out}
	}
	return []Wire{b.Out, b.Request, b.to}
}

func (b *Buses) Settle(s Shard) {
	b.Out.Clear(s.Index)
	b.lit[s.Index] = darkenTaps(b.rail1, b.rail0, b.lit[s.Index])
	switched := b.Ports
	if b.Asks != nil {
		b.ask(s.Index)
	}
	for _, i := range b.In.Lit(s.Index, 0) {
		port := uint16(PortNone)
		if switched != nil {
			port = switched.Value[i]
		} else {
			port = b.Asks.To[i]
		}
		if int(port) >= len(b.Taps.Bus[i]) {
			continue
		}
		bus, tap := b.Taps.Bus[i][port], b.Taps.Tap[i][port]
		if switched == nil {
			if b.whole != nil && b.whole[bus] || !b.grants(bus, tap) {
				continue
			}
			b.serve(s.Index, i, port)
		}
		b.show(s.Index, i, bus, tap)
		if b.replaced == nil || !b.replaced[bus] {
			b.put(s.Index, bus, b.In.Rail1[i], b.In.Rail0[i])
		}
	}
}

func darkenTaps(rail1, rail0 []uint64, lit []uint32) (none []uint32) {
	darken(rail1, rail0, lit)
	return lit[:0]
}

func (b *Buses) ask(shard int) {
	for _, tap := range b.asked[shard] {
		b.requests[tap] = 0
	}
	for _, i := range b.serving[shard] {
		b.to.Value[i] = PortNone
	}
	b.asked[shard], b.serving[shard] = b.asked[shard][:0], b.serving[shard][:0]
	b.Request.Clear(shard)
	for _, i := range b.Asks.High(shard) {
		port := b.Asks.To[i]
		if int(port) >= len(b.Taps.Bus[i]) {
			continue
		}
		bus, tap := b.Taps.Bus[i][port], b.Taps.Tap[i][port]
		b.requests[b.first[bus]+uint32(tap)] = 1
		b.asked[shard] = append(b.asked[shard], b.first[bus]+uint32(tap))
		if b.whole == nil || !b.whole[bus] {
			b.Request.Raise(shard, bus, uint32(tap))
		}
	}
}

func (b *Buses) grants(bus uint32, tap uint16) bool {
	return b.Busy.Value[bus] != 0 && b.Index.Value[bus] == uint64(tap)
}

// serve records that the arbiter of a transmitter's bus has granted the transmitter.
func (b *Buses) serve(shard int, transmitter uint32, port uint16) {
	b.to.Value[transmitter] = port
	b.serving[shard] = append(b.serving[shard], transmitter)
}

// show copies a transmitter's light to its open tap.
func (b *Buses) show(shard int, transmitter, bus uint32, tap uint16) {
	at := b.first[bus] + uint32(tap)
	b.rail1[at], b.rail0[at] = b.In.Rail1[transmitter], b.In.Rail0[transmitter]
	b.lit[shard] = append(b.lit[shard], at)
}

func (b *Buses) QuietFor(limit uint64) uint64 {
	if !b.In.Dark() || !b.Out.Dark() || b.Asks != nil && !b.Asks.Low() {
		return 0
	}
	for shard := range b.lit {
		if len(b.lit[shard])+len(b.asked[shard])+len(b.serving[shard]) > 0 {
			return 0
		}
	}
	return limit
}

// tapProbes probes the request and the light of each tap, bus by bus.
type tapProbes struct{ buses *Buses }

func (p tapProbes) Probes(yield func(Probe)) {
	b := p.buses
	for bus, members := range b.Taps.Members {
		for tap := range members {
			at, path := int(b.first[bus])+tap, Index(b.bank.Element(bus)+".tap", tap)
			if b.requests != nil {
				yield(NewProbe(path+".request", 1, b.requests, at))
			}
			yield(NewProbe(path+".rail1", b.In.width, b.rail1, at))
			yield(NewProbe(path+".rail0", b.In.width, b.rail0, at))
		}
	}
}

// Site describes a bus without its arbiter. The inputs are the taps' light, side by side, and one bit per tap that is
// 1 if the transmitter has selected the bus. The rails are dark if the transmitter has selected another bus, and for
// taps beyond those of the bus.
func (b *Buses) Site() *Site {
	lanes := b.Taps.Longest
	rails := b.railPorts()
	out := append(LightPorts("rail1_o", "rail0_o", b.Out, false, 1, same), b.violations.port())
	site := &Site{
		What: "buses", Elements: b.bank.Size(), Path: b.bank.Element, Combinational: true,
		Replace: func(bus int, _ func() bool) { b.replaced = marked(b.replaced, b.bank.Size(), bus) },
	}
	if b.Asks != nil {
		bank := b.bank
		bank.Part = "taps"
		site.Twin, site.What, site.Path = "bus_taps", "taps of buses", bank.Element
		site.Parameters = Same(map[string]int{"TAPS": lanes, "PHIT_BITS": b.In.width})
		site.Ports = append(append(rails, b.grantPort()), out...)
		site.Glue = b.glue()
		return site
	}
	site.Twin, site.Clocked, site.Parameters = "bus", true, Same(busParameters(lanes, b.In.width, 0, ArbiterFixed, 1))
	request := Port{
		Name: "request_i", Bits: lanes, Input: true,
		From: func(bus int) Expression {
			return b.forTaps(bus, 1, lanes, func(i int) Expression { return b.switchedLine(bus, i) })
		},
		Get: GetPins(func(bus int, to Pins) { b.switched(bus, to) }),
		Put: PutPins(func(bus int, from Pins) error {
			for tap, i := range b.Taps.Members[bus] {
				b.Ports.Value[i] = PortNone
				if from.GetBits(tap, 1) != 0 {
					b.Ports.Value[i] = b.port(bus, i)
				}
			}
			return nil
		}),
	}
	site.Ports = append(append([]Port{request}, rails...), append(out, Port{
		Name: "grant_o", Bits: lanes,
		Get: GetPins(func(bus int, to Pins) { b.switched(bus, to) }),
		Put: Unread,
	})...)
	return site
}

// busParameters returns the parameters of bus.v. arbiter is 1 for a bus with an arbiter, otherwise 0.
func busParameters(taps, bits, arbiter int, kind ArbiterKind, slice int) map[string]int {
	return map[string]int{"TAPS": taps, "PHIT_BITS": bits, "ARBITER": arbiter, "KIND": int(kind), "SLICE_CYCLES": slice}
}

func marked(column []bool, elements, element int) []bool {
	if column == nil {
		column = make([]bool, elements)
	}
	column[element] = true
	return column
}

// forTaps places an expression of each tap's transmitter side by side. Zeros follow up to the given number of taps.
func (b *Buses) forTaps(bus, bits, taps int, of func(transmitter int) Expression) Expression {
	all := make([]Expression, 0, taps+1)
	for _, i := range b.Taps.Members[bus] {
		all = append(all, of(i))
	}
	return Together(append(all, Constant((taps-len(all))*bits, 0))...)
}

// switchedLine returns an expression that is 1 while a transmitter is switched to a bus.
func (b *Buses) switchedLine(bus, transmitter int) Expression {
	at := Line{}
	if b.Ports != nil {
		at = b.Ports.Of(transmitter)
	} else {
		at = b.Asks.Of(FieldTo, transmitter)
	}
	return Carried(at).Is(uint64(b.port(bus, transmitter)))
}

// glue returns the expressions that drive the request lines of the arbiters and the port that serves each
// transmitter.
func (b *Buses) glue() (all []Glue) {
	for bus := range b.Taps.Members {
		all = append(all, Glue{b.Request.Of(bus), b.forTaps(bus, 1, b.Request.requesters, func(i int) Expression {
			return b.switchedLine(bus, i).If(Carried(b.Asks.Of(FieldHigh, i)))
		})})
	}
	for i, buses := range b.Taps.Bus {
		serving := Constant(16, PortNone)
		lit := AnyOf(Carried(b.In.Of(FieldRail1, i)), Carried(b.In.Of(FieldRail0, i)))
		for port, bus := range buses {
			grant := Carried(grantLine(b.Busy, int(bus), b.Request.requesters)).Slice(int(b.Taps.Tap[i][port]), 1)
			served := grant.If(b.switchedLine(int(bus), i)).If(lit)
			serving = Constant(16, uint64(port)).If(served).Else(serving)
		}
		all = append(all, Glue{b.to.Of(i), serving})
	}
	return all
}

func (b *Buses) port(bus, transmitter int) uint16 {
	return uint16(slices.Index(b.Taps.Bus[transmitter], uint32(bus)))
}

func (b *Buses) switchedTo(bus, transmitter int) bool {
	port := uint16(PortNone)
	if b.Ports != nil {
		port = b.Ports.Value[transmitter]
	} else {
		port = b.Asks.To[transmitter]
	}
	return b.Taps.Reaches(uint32(transmitter), port, bus)
}

func (b *Buses) switched(bus int, to Pins) {
	to.Clear()
	for tap, i := range b.Taps.Members[bus] {
		if b.switchedTo(bus, i) {
			to.SetBits(tap, 1, 1)
		}
	}
}

func (b *Buses) railPorts() []Port {
	member := func(bus, tap int) uint32 { return uint32(b.Taps.Members[bus][tap]) }
	ports := LightPorts("rail1_i", "rail0_i", b.In, true, b.Taps.Longest, member)
	for k, field := range []string{FieldRail1, FieldRail0} {
		ports[k].From = func(bus int) Expression {
			return b.forTaps(bus, b.In.width, b.Taps.Longest, func(i int) Expression {
				return Carried(b.In.Of(field, i)).If(b.switchedLine(bus, i))
			})
		}
	}
	for k, rail := range [][]uint64{b.In.Rail1, b.In.Rail0} {
		ports[k].Get = GetPins(func(bus int, to Pins) {
			to.Clear()
			for tap, i := range b.Taps.Members[bus] {
				if light := rail[i]; light != 0 && b.switchedTo(bus, i) {
					to.SetBits(tap*b.In.width, b.In.width, light)
				}
			}
		})
	}
	return ports
}

func (b *Buses) grantPort() Port {
	return Port{
		Name: "grant_i", Bits: b.Taps.Longest, Input: true,
		From: func(bus int) Expression {
			return Carried(grantLine(b.Busy, bus, b.Request.requesters)).Slice(0, b.Taps.Longest)
		},
		Get: GetPins(func(bus int, to Pins) {
			to.Clear()
			if b.Busy.Value[bus] != 0 {
				to.SetBits(int(b.Index.Value[bus]), 1, 1)
			}
		}),
		Put: PutPins(func(bus int, from Pins) error {
			b.Busy.Value[bus], b.Index.Value[bus] = 0, 0
			from.Ones(func(tap int) { b.Busy.Value[bus], b.Index.Value[bus] = 1, uint64(tap) })
			return nil
		}),
	}
}

// ArbitratedBuses combines buses and their arbiters into one component that RTL can replace as a whole.
//
// Inputs: light and requests of the taps. Outputs: light of the bus and the arbiter's grant. Latency: light 0 cycles,
// grant 1 cycle. Registers and reset belong to the parts. Twin: bus.v.
type ArbitratedBuses struct {
	buses    *Buses
	arbiters *Arbiters
}

// NewArbitratedBuses combines buses with their arbiters.
func NewArbitratedBuses(buses *Buses, arbiters *Arbiters) *ArbitratedBuses {
	return &ArbitratedBuses{buses, arbiters}
}

func (b *ArbitratedBuses) Parts() []Sited { return []Sited{b.buses, b.arbiters} }

func (b *ArbitratedBuses) Path() string { return b.buses.bank.Path() }

func (b *ArbitratedBuses) Inputs() []Wire { return []Wire{b.buses.In, b.buses.Asks} }

func (b *ArbitratedBuses) Outputs() []Wire { return append(b.arbiters.Drives(), b.buses.Outputs()...) }

func (b *ArbitratedBuses) Settle(s Shard) {
	b.arbiters.Drive(s)
	b.buses.Settle(s)
}

func (b *ArbitratedBuses) Latches() []Wire { return b.arbiters.Latches() }

func (b *ArbitratedBuses) Latch(s Shard) { b.arbiters.Latch(s) }

func (b *ArbitratedBuses) Reset() {
	b.buses.Reset()
	b.arbiters.Reset()
}

func (b *ArbitratedBuses) State(v *StateVisitor) {
	v.Within(b.buses)
	v.Within(b.arbiters)
}

// Cells yields the registers of both parts.
func (b *ArbitratedBuses) Cells(yield func(Probe)) {
	b.buses.Cells(yield)
	b.arbiters.Cells(yield)
}

func (b *ArbitratedBuses) Probes(yield func(Probe)) {
	b.buses.Probes(yield)
	b.arbiters.Probes(yield)
}

// Site describes a bus with its arbiter. If RTL replaces both, the grants of the RTL open the taps.
func (b *ArbitratedBuses) Site() *Site {
	buses, arbiters := b.buses, b.arbiters
	taps, lanes, slice := buses.Taps, buses.Taps.Longest, max(1, arbiters.shape.SliceCycles)
	request := Port{
		Name: "request_i", Bits: lanes, Input: true,
		Get: GetPins(func(bus int, to Pins) {
			to.Clear()
			buses.Asks.each(func(i uint32) {
				if port := buses.Asks.To[i]; taps.Reaches(i, port, bus) {
					to.SetBits(int(taps.Tap[i][port]), 1, 1)
				}
			})
		}),
		Put: PutPins(func(bus int, from Pins) error {
			from.Ones(func(tap int) {
				i := taps.Members[bus][tap]
				buses.Asks.Raise(0, uint32(i), buses.port(bus, i), 0)
			})
			return nil
		}),
	}
	grant := arbiters.Site().Port("grant_o")
	grant.Put = PutPins(func(bus int, from Pins) error {
		err := arbiters.putGrant(bus, from)
		if arbiters.busy.Value[bus] == 0 {
			return err
		}
		tap, members := int(arbiters.index.Value[bus]), taps.Members[bus]
		if tap >= len(members) {
			return fmt.Errorf("it grants tap %d, but the bus has taps 0 to %d", tap, len(members)-1)
		}
		if i := members[tap]; buses.switchedTo(bus, i) && buses.In.Rail1[i]|buses.In.Rail0[i] != 0 {
			buses.serve(0, uint32(i), buses.Asks.To[i])
			buses.show(0, uint32(i), uint32(bus), uint16(tap))
		}
		return err
	})
	ports := append([]Port{request}, buses.railPorts()...)
	ports = append(append(ports, LightPorts("rail1_o", "rail0_o", buses.Out, false, 1, same)...),
		buses.violations.port(), grant)
	return &Site{
		Twin: "bus", What: "buses", Parameters: Same(busParameters(lanes, buses.In.width, 1, arbiters.kind, slice)),
		Elements: buses.bank.Size(), Path: buses.bank.Element, Clocked: true, Combinational: true, Ports: ports,
		Replace: func(bus int, _ func() bool) {
			buses.replaced = marked(buses.replaced, buses.bank.Size(), bus)
			buses.whole = marked(buses.whole, buses.bank.Size(), bus)
		},
	}
}

// Taps wires transmitters to buses. The taps of a bus are numbered in the order of its Members. The ports of a
// transmitter are its taps in ascending order of buses.
type Taps struct {
	Members [][]int    // by bus and tap: transmitter
	Bus     [][]uint32 // by transmitter and port: bus
	Tap     [][]uint16 // by transmitter and port: tap at the bus of that port
	Ports   int        // maximum number of ports per transmitter
	Longest int        // maximum number of taps per bus
}

// NewTaps wires transmitters to buses. The members of a bus must be distinct.
func NewTaps(transmitters int, buses [][]int) *Taps {
	t := &Taps{Members: buses, Bus: make([][]uint32, transmitters), Tap: make([][]uint16, transmitters)}
	for bus, members := range buses {
		t.Longest = max(t.Longest, len(members))
		for tap, i := range members {
			t.Bus[i], t.Tap[i] = append(t.Bus[i], uint32(bus)), append(t.Tap[i], uint16(tap))
			t.Ports = max(t.Ports, len(t.Bus[i]))
		}
	}
	return t
}

// Reaches reports whether a transmitter's port leads to the bus.
func (t *Taps) Reaches(transmitter uint32, port uint16, bus int) bool {
	buses := t.Bus[transmitter]
	return int(port) < len(buses) && int(buses[port]) == bus
}
