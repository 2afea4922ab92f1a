package hw

import "fmt"

// Crosspoints is a bank of the gates of a crossbar, one at each input: the light of a
// transmitter passes to the output whose arbiter grants it, and no other. What passes meets at
// the outputs, which are couplers: an arbiter that is wrong lets frames collide.
//
// Latency 0 cycles (combinational). Parameters: outputs, phit bits. Ports: light and ask of the
// transmitter and the grants of all outputs in; light, and the output that it goes to, out.
// There is no state. Twin: crosspoint.v.
type Crosspoints struct {
	CrosspointConfig
	bank    Bank
	to      *PortSelect
	passing [][]uint32 // by shard: those whose To is not PortNone

	listed   []bool // of those that ask: whether a list says for what
	replaced []bool // by RTL, nil for none
}

// CrosspointConfig are the wires of a bank of crosspoints.
type CrosspointConfig struct {
	In          *Light  // of the transmitters
	Asks        *Asks   // of the same
	Busy, Index *Signal // by output: whether it serves a transmitter, and which; nil if all lead to output 0
	Allow       *Signal // by transmitter: whether it may send at all; nil for all
	Out         *Light  // what passes, a wire for each transmitter
}

// NewCrosspoints returns the gates after a bank of transmitters.
func NewCrosspoints(c CrosspointConfig) (*Crosspoints, error) {
	in, out := c.In, c.Out
	if in.bank.Size() != out.bank.Size() || in.width != out.width || in.shards != out.shards || len(c.Asks.To) != in.bank.Size() {
		return nil, fmt.Errorf("%s: %d transmitters of %d bits, %d gates of %d", out.bank.Path(), in.bank.Size(), in.width, out.bank.Size(), out.width)
	}
	return &Crosspoints{
		CrosspointConfig: c,
		bank:             out.bank,
		to:               NewPortSelect(out.bank, "to"),
		passing:          make([][]uint32, in.shards),
		listed:           make([]bool, out.bank.Size()),
	}, nil
}

// To is the output that serves each transmitter, PortNone for none.
func (c *Crosspoints) To() *PortSelect { return c.to }

func (c *Crosspoints) Path() string { return c.bank.Path() }

// Reset and State: there is nothing to keep.

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
	for output, busy := range c.Busy.Value { // those whom a list has brought there
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

// Site says what the ports of a crosspoint are: what its transmitter asks for, and a grant from
// every output, high if it serves this transmitter and that may send at all. Where all lead to
// output 0, that one serves everybody, and all ask for it.
func (c *Crosspoints) Site() *Site {
	outputs := c.width()
	ports := LightPorts("rail1_i", "rail0_i", c.In, true, 1, same)
	ports = append(ports, Port{
		Name: "addressee_i", Bits: 16, Input: true,
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
		Name: "to_o", Bits: 16,
		Get: GetValue(func(i int) uint64 { return uint64(c.to.Value[i]) }),
		Put: PutValue(func(i int, output uint64) error {
			if c.to.Value[i] = PortNone; output != PortNone && output >= uint64(outputs) {
				return fmt.Errorf("output to_o is %d, there are %d outputs", output, outputs)
			}
			c.to.Value[i] = uint16(output)
			return nil
		}),
	})
	return &Site{
		Twin: "crosspoint", What: "crosspoints", Parameters: Same(map[string]int{"OUTPUTS": outputs, "PHIT_BITS": c.In.width}),
		Elements: c.bank.Size(), Path: c.bank.Element, Combinational: true, Ports: ports,
		Replace: func(i int, _ func() bool) {
			if c.replaced == nil {
				c.replaced = make([]bool, c.bank.Size())
			}
			c.replaced[i] = true
		},
	}
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
