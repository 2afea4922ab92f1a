package hw

import "fmt"

// Crosspoints is a bank of the gates of a crossbar, one at each input: the light of a
// transmitter passes to the output whose arbiter grants it, and no other. What passes meets at
// the outputs, which are couplers: an arbiter that is wrong lets frames collide.
//
// Latency 0 cycles (combinational). Ports: light and asks of the transmitters and the grants
// in; light, and the output that it goes to, out. There is no state. (DESIGN section 4.)
type Crosspoints struct {
	bank        Bank
	asks        *Asks
	in, out     *Light
	busy, index *Signal
	to          *PortSelect
	passing     [][]uint32 // by shard: those whose To is not PortNone
}

// NewCrosspoints returns the gates between a bank of transmitters and out, which is as large.
func NewCrosspoints(in *Light, asks *Asks, busy, index *Signal, out *Light) (*Crosspoints, error) {
	if in.bank.Size() != out.bank.Size() || in.width != out.width || in.shards != out.shards || len(asks.To) != in.bank.Size() {
		return nil, fmt.Errorf("%s: %d transmitters of %d bits, %d gates of %d", out.bank.Path(), in.bank.Size(), in.width, out.bank.Size(), out.width)
	}
	return &Crosspoints{bank: out.bank, asks: asks, in: in, out: out, busy: busy, index: index,
		to: NewPortSelect(out.bank, "to"), passing: make([][]uint32, in.shards)}, nil
}

// To is the output that serves each transmitter, PortNone for none.
func (c *Crosspoints) To() *PortSelect { return c.to }

// Out is the light that passes.
func (c *Crosspoints) Out() *Light { return c.out }

// Path names the bank.
func (c *Crosspoints) Path() string { return c.bank.Path() }

// Reset and State: there is nothing to keep.

func (c *Crosspoints) Reset()              {}
func (c *Crosspoints) State(*StateVisitor) {}

// Inputs are light, asks and grants.
func (c *Crosspoints) Inputs() []Wire { return []Wire{c.in, c.asks, c.busy, c.index} }

// Outputs are the light that passes, and where it goes.
func (c *Crosspoints) Outputs() []Wire { return []Wire{c.out, c.to} }

// Settle lets the light of those who ask and are granted pass.
func (c *Crosspoints) Settle(s Shard) {
	for _, i := range c.passing[s.Index] {
		c.to.Value[i] = PortNone
	}
	passing := c.passing[s.Index][:0]
	c.out.Clear(s.Index)
	for _, i := range c.asks.High(s.Index) {
		output := c.asks.To[i]
		if int(output) >= len(c.busy.Value) || c.busy.Value[output] == 0 || c.index.Value[output] != uint64(i) {
			continue
		}
		c.to.Value[i] = output
		passing = append(passing, i)
		c.out.Put(s.Index, i, c.in.Rail1[i], c.in.Rail0[i])
	}
	c.passing[s.Index] = passing
}

// QuietFor implements Quiet.
func (c *Crosspoints) QuietFor(limit uint64) uint64 {
	if !c.asks.Low() || !c.in.Dark() || !c.out.Dark() {
		return 0
	}
	return limit
}

// Probes yields the light and where it goes.
func (c *Crosspoints) Probes(yield func(Probe)) {
	c.out.Probes(yield)
	for i := range c.to.Value {
		yield(NewProbe(c.bank.Element(i)+".to", 16, c.to.Value, i))
	}
}
