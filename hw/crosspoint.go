package hw

import "fmt"

// Crosspoints is a bank of the gates of a crossbar, one at each input: the light of a
// transmitter passes to the output whose arbiter grants it, and no other. What passes meets at
// the outputs, which are couplers: an arbiter that is wrong lets frames collide.
//
// Latency 0 cycles (combinational). Ports: light and asks of the transmitters and the grants
// in; light, and the output that it goes to, out. There is no state. (DESIGN section 4.)
type Crosspoints struct {
	CrosspointConfig
	bank    Bank
	to      *PortSelect
	passing [][]uint32 // by shard: those whose To is not PortNone
}

// CrosspointConfig are the wires of a bank of crosspoints.
type CrosspointConfig struct {
	In          *Light  // of the transmitters
	Asks        *Asks   // of the same
	Busy, Index *Signal // by output: whether it serves a transmitter, and which; nil if all lead to output 0
	Allow       *Signal // by transmitter: whether it may send at all; nil for all
	Out         *Light  // what passes, a wire for each transmitter
}

// NewCrosspoints returns the gates behind a bank of transmitters.
func NewCrosspoints(c CrosspointConfig) (*Crosspoints, error) {
	in, out := c.In, c.Out
	if in.bank.Size() != out.bank.Size() || in.width != out.width || in.shards != out.shards || len(c.Asks.To) != in.bank.Size() {
		return nil, fmt.Errorf("%s: %d transmitters of %d bits, %d gates of %d", out.bank.Path(), in.bank.Size(), in.width, out.bank.Size(), out.width)
	}
	return &Crosspoints{CrosspointConfig: c, bank: out.bank, to: NewPortSelect(out.bank, "to"), passing: make([][]uint32, in.shards)}, nil
}

// To is the output that serves each transmitter, PortNone for none.
func (c *Crosspoints) To() *PortSelect { return c.to }

// Path names the bank.
func (c *Crosspoints) Path() string { return c.bank.Path() }

// Reset and State: there is nothing to keep.

func (c *Crosspoints) Reset()              {}
func (c *Crosspoints) State(*StateVisitor) {}

// Inputs are light, asks and grants.
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

// Outputs are the light that passes, and where it goes.
func (c *Crosspoints) Outputs() []Wire { return []Wire{c.Out, c.to} }

// Settle lets the light of those who are granted pass.
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
			listed = true
		case c.serves(int(to), i):
			c.pass(s.Index, i, to)
		}
	}
	if !listed {
		return
	}
	for output, busy := range c.Busy.Value { // those whom a list has brought there
		if i := uint32(c.Index.Value[output]); busy != 0 && c.Asks.To[i] == PortNone && c.serves(output, i) {
			c.pass(s.Index, i, uint16(output))
		}
	}
}

// serves reports whether an output serves a transmitter.
func (c *Crosspoints) serves(output int, transmitter uint32) bool {
	return output < len(c.Busy.Value) && c.Busy.Value[output] != 0 && c.Index.Value[output] == uint64(transmitter) &&
		(c.Allow == nil || c.Allow.Value[transmitter] != 0)
}

func (c *Crosspoints) pass(shard int, transmitter uint32, output uint16) {
	c.to.Value[transmitter] = output
	c.passing[shard] = append(c.passing[shard], transmitter)
	c.Out.Put(shard, transmitter, c.In.Rail1[transmitter], c.In.Rail0[transmitter])
}

// QuietFor implements Quiet.
func (c *Crosspoints) QuietFor(limit uint64) uint64 {
	if !c.Asks.Low() || !c.In.Dark() || !c.Out.Dark() {
		return 0
	}
	return limit
}

// Probes yields the light and where it goes.
func (c *Crosspoints) Probes(yield func(Probe)) {
	c.Out.Probes(yield)
	for i := range c.to.Value {
		yield(NewProbe(c.bank.Element(i)+".to", 16, c.to.Value, i))
	}
}
