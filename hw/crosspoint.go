package hw

import "fmt"

// Crosspoints is a bank of gates, one per input of a crossbar. A gate passes its transmitter's light to the output
// that has granted the transmitter, and to no other.
//
// Latency 0 cycles (combinational), stateless. Parameters: outputs, phit bits. Inputs: light and ask of the
// transmitter, grants of all outputs. Outputs: light, and the output that receives the light. Twin: crosspoint.v.
type Crosspoints struct {
	CrosspointConfig
	bank    Bank
	to      *PortSelect
	passing [][]uint32 // by shard: transmitters whose To is not PortNone

	listed   []bool // by transmitter: lit, and its output comes from a list
	replaced []bool // by transmitter: RTL replaces the gate; nil if RTL replaces none
}

// CrosspointConfig holds the wires of a bank of crosspoints.
type CrosspointConfig struct {
	In   *Light // light of the transmitters
	Asks *Asks  // requests of the transmitters
	// by output: 1 while the output serves a transmitter, and the served transmitter; nil if all transmitters lead to
	// output 0
	Busy, Index *Signal
	Allow       *Signal // by transmitter: 1 if the transmitter may send; nil if all may send
	Out         *Light  // by transmitter: light that passes
}

// NewCrosspoints returns the gates of a bank of transmitters.
func NewCrosspoints(c CrosspointConfig) (*Crosspoints, error) {
	in, out := c.In, c.Out
	if in.bank.Size() != out.bank.Size() || in.width != out.width || in.shards != out.shards ||
		len(c.Asks.To) != in.bank.Size() {
		return nil, fmt.Errorf("%s: %d transmitters of %d bits, but %d gates of %d "+
			"bits", out.bank.Path(), in.bank.Size(), in.width,
			out.bank.Size(), out.width)
	}
	return &Crosspoints{
		CrosspointConfig: c,
		bank:             out.bank,
		to:               NewPortSelect(out.bank, "to"),
		passing:          make([][]uint32, in.shards),
		listed:           make([]bool, out.bank.Size()),
	}, nil
}

// To returns the output that serves each transmitter, PortNone for none.
func (c *Crosspoints) To() *PortSelect { return c.to }

func (c *Crosspoints) Path() string { return c.bank.Path() }

func (c *Crosspoints) Reset()              {}
func (c *Crosspoints) State(*StateVisitor) {}

func (c *Crosspoints) Inputs() []Wire {
	wires := []Wire{c.In, c.Asks}
	if c.Busy != nil {
		wires = append(wires, c.Busy, c.Index)
	}
	if c.Allow != nil {
		wires = append(wires, c.Allow)
	}
	return wires
}

func (c *Crosspoints) Outputs() []Wire { return []Wire{c.Out, c.to} }

func (c *Crosspoints) Settle(s Shard) {
	for _, i := range c.passing[s.Index] {
		c.to.Value[i] = PortNone
	}
	c.passing[s.Index] = c.passing[s.Index][:0]
	c.Out.Clear(s.Index)
	listed := false
	for _, i := range c.In.Lit(s.Index, 0) {
		switch to := c.Asks.To[i]; {
		case c.Busy == nil:
			if c.Allow.Value[i] != 0 {
				c.pass(s.Index, i, 0)
			}
		case to == PortNone:
			listed, c.listed[i] = true, true
		case c.serves(int(to), i):
			c.pass(s.Index, i, to)
		}
	}
	if !listed {
		return
	}
	for output, busy := range c.Busy.Value { // transmitters whose list selects the output
		if i := uint32(c.Index.Value[output]); busy != 0 && c.listed[i] && c.serves(output, i) {
			c.pass(s.Index, i, uint16(output))
		}
	}
	for _, i := range c.In.Lit(s.Index, 0) {
		c.listed[i] = false
	}
}

func (c *Crosspoints) serves(output int, transmitter uint32) bool {
	return output < len(c.Busy.Value) && c.Busy.Value[output] != 0 && c.Index.Value[output] == uint64(transmitter) &&
		(c.Allow == nil || c.Allow.Value[transmitter] != 0)
}

func (c *Crosspoints) pass(shard int, transmitter uint32, output uint16) {
	if c.replaced != nil && c.replaced[transmitter] {
		return
	}
	c.to.Value[transmitter] = output
	c.passing[shard] = append(c.passing[shard], transmitter)
	c.Out.Put(shard, transmitter, c.In.Rail1[transmitter], c.In.Rail0[transmitter])
}

func (c *Crosspoints) width() int {
	if c.Busy == nil {
		return 1
	}
	return len(c.Busy.Value)
}

// Site describes a crosspoint. Its inputs are the output that its transmitter requests and one grant per output. A
// grant is high if the output serves the transmitter and the transmitter may send. Without Busy, output 0 serves all
// transmitters.
func (c *Crosspoints) Site() *Site {
	outputs := c.width()
	ports := LightPorts("rail1_i", "rail0_i", c.In, true, 1, same)
	ports = append(ports, Port{
		Name: "addressee_i", Bits: 16, Input: true,
		From: func(i int) Expression {
			if c.Busy == nil {
				return Constant(16, 0)
			}
			return Carried(c.Asks.Of(FieldTo, i))
		},
		Counts: func(i int) Expression {
			return Constant(16, 0xFFFF).If(AnyOf(Carried(c.In.Of(FieldRail1, i)), Carried(c.In.Of(FieldRail0, i))))
		},
		Get: GetPins(func(i int, to Pins) {
			if c.Busy == nil {
				to.Set(0)
				return
			}
			to.Set(uint64(c.Asks.To[i]))
		}),
		Put: PutValue(func(i int, value uint64) error {
			c.Asks.To[i] = uint16(value)
			return nil
		}),
	}, Port{
		Name: "grant_i", Bits: outputs, Input: true,
		From: c.granted,
		Get: GetPins(func(i int, to Pins) {
			to.Clear()
			if c.Allow != nil && c.Allow.Value[i] == 0 {
				return
			}
			for output := range outputs {
				if c.Busy == nil || c.Busy.Value[output] != 0 && c.Index.Value[output] == uint64(i) {
					to.SetBits(output, 1, 1)
				}
			}
		}),
		Put: PutPins(func(i int, from Pins) error {
			for output := range outputs {
				c.Busy.Value[output], c.Index.Value[output] = from.GetBits(output, 1), uint64(i)
			}
			return nil
		}),
	})
	ports = append(ports, LightPorts("rail1_o", "rail0_o", c.Out, false, 1, same)...)
	ports = append(ports, Port{
		Name: "to_o", Bits: 16, Shows: "to",
		Lines: func(i int) []Line { return []Line{c.to.Of(i)} },
		Get:   GetValue(func(i int) uint64 { return uint64(c.to.Value[i]) }),
		Put: PutValue(func(i int, output uint64) error {
			if c.to.Value[i] = PortNone; output != PortNone && output >= uint64(outputs) {
				return fmt.Errorf("output to_o is %d, but there are %d outputs", output, outputs)
			}
			c.to.Value[i] = uint16(output)
			return nil
		}),
	})
	return &Site{
		Twin: "crosspoint", What: "crosspoints",
		Parameters: Same(map[string]int{"OUTPUTS": outputs, "PHIT_BITS": c.In.width}),
		Elements:   c.bank.Size(), Path: c.bank.Element, Combinational: true, Ports: ports,
		Replace: func(i int, _ func() bool) {
			if c.replaced == nil {
				c.replaced = make([]bool, c.bank.Size())
			}
			c.replaced[i] = true
		},
	}
}

// granted returns the transpose of the grants, with a bit per output. Each arbiter has a bit per transmitter.
func (c *Crosspoints) granted(transmitter int) Expression {
	grants := make([]Expression, c.width())
	for output := range grants {
		if grants[output] = Constant(1, 1); c.Busy != nil {
			grants[output] = Carried(grantLine(c.Busy, output, c.bank.Size())).Slice(transmitter, 1)
		}
	}
	if c.Allow == nil {
		return Together(grants...)
	}
	return Together(grants...).If(Carried(c.Allow.Of(transmitter)))
}

func (c *Crosspoints) QuietFor(limit uint64) uint64 {
	if !c.Asks.Low() || !c.In.Dark() || !c.Out.Dark() {
		return 0
	}
	return limit
}

func (c *Crosspoints) Probes(yield func(Probe)) {
	c.Out.Probes(yield)
	for i := range c.to.Value {
		yield(NewProbe(c.bank.Element(i)+".to", 16, c.to.Value, i))
	}
}
