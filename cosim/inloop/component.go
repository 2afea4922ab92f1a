package inloop

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"starloom/cosim"
	"starloom/hw"
)

// replaced is a component with some elements that are RTL. Each exchange happens once per cycle:
//
//	phase    combinational site               other site
//	Drive                                     outputs
//	Settle   inputs, Settle, outputs
//	Latch    if clocked: inputs, Edge         inputs, Edge
//
// Polled outputs are put when the model requests them. Every device therefore has one edge per cycle, like the model's
// registers. Settle is skipped if a circuit has no clock and its inputs are unchanged. RTL may be active while its
// inputs are dark, so it is never quiet.
type replaced struct {
	hw.Sited
	loop  *Loop
	site  *hw.Site
	parts []*part

	// phases of the model; nil for a missing phase
	driver        hw.Driver
	combinational hw.Combinational
	latcher       hw.Latcher
}

func (c *replaced) Drives() []hw.Wire {
	if c.driver == nil {
		return nil
	}
	return c.driver.Drives()
}

func (c *replaced) Inputs() []hw.Wire {
	if c.combinational == nil {
		return nil
	}
	return c.combinational.Inputs()
}

func (c *replaced) Outputs() []hw.Wire {
	if c.combinational == nil {
		return nil
	}
	return c.combinational.Outputs()
}

func (c *replaced) Latches() []hw.Wire {
	if c.latcher == nil {
		return nil
	}
	return c.latcher.Latches()
}

func (c *replaced) Drive(s hw.Shard) {
	if c.driver != nil {
		c.driver.Drive(s)
	}
	if !c.site.Combinational {
		c.putOutputs()
	}
}

func (c *replaced) Settle(s hw.Shard) {
	c.combinational.Settle(s)
	if !c.site.Combinational {
		return
	}
	dark := c.dark()
	for _, p := range c.parts {
		if c.site.Clocked {
			p.getInputs(dark)
		} else if !p.changeInputs(dark) {
			continue
		}
		p.settle()
	}
	c.putOutputs()
}

// Latch clocks the RTL, then the model.
func (c *replaced) Latch(s hw.Shard) {
	if c.site.Clocked {
		dark := c.dark()
		for _, p := range c.parts {
			p.getInputs(dark)
			p.edge()
		}
	}
	if c.latcher != nil {
		c.latcher.Latch(s)
	}
}

func (c *replaced) dark() bool { return c.site.Dark != nil && c.site.Dark() }

func (c *replaced) putOutputs() {
	for _, p := range c.parts {
		p.putOutputs()
	}
}

func (c *replaced) Probes(yield func(hw.Probe)) {
	if p, ok := c.Sited.(hw.Probed); ok {
		p.Probes(yield)
	}
}

func (c *replaced) Reset() {
	c.Sited.Reset()
	c.resetDevices()
}

// Beginner is a device that is notified at the beginning of a run, after its reset.
type Beginner interface{ Begin() }

// resetEdges is the length of reset in clock edges, enough for a synchroniser in the RTL.
const resetEdges = 4

func (c *replaced) resetDevices() {
	for _, p := range c.parts {
		p.clear()
		if !c.site.Clocked {
			p.settle()
		} else {
			p.reset(1)
			for range resetEdges {
				p.edge()
			}
			p.reset(0)
		}
		if b, ok := p.Device.(Beginner); ok {
			b.Begin()
		}
	}
}

// State visits the registers of the model and the states of the devices. RTL without a clock has no state.
func (c *replaced) State(v *hw.StateVisitor) {
	c.Sited.State(v)
	if !v.Saving() {
		c.loop.restored = nil
	}
	for i, p := range c.parts {
		v.AfterRestore(func() { p.dark = false })
		if !c.site.Clocked {
			v.AfterRestore(p.settle)
			continue
		}
		save, restore := p.Device.Save, p.Device.Restore
		if keeper, ok := p.Device.(cosim.Keeper); ok && v.Snapshots() {
			save, restore = func() ([]byte, error) { return p.since(keeper) },
				func(state []byte) error { return p.restoreSince(keeper, state) }
		}
		var snapshot []byte
		if v.Saving() {
			var err error
			if snapshot, err = save(); err != nil {
				v.Fail(fmt.Errorf("%s: %w", p.path(0), err))
			}
		}
		hw.StateList(v, hw.Future, hw.Index("rtl", i)+".snapshot", &snapshot)
		v.AfterRestore(func() {
			if err := restore(snapshot); err != nil && c.loop.restored == nil {
				c.loop.restored = fmt.Errorf("%s: %w", p.path(0), err)
			}
		})
	}
}

// since returns the difference between the state of a device and its state at the first snapshot, after a hash of the
// latter. Machines of one build take their first snapshots in the same state.
func (p *part) since(keeper cosim.Keeper) ([]byte, error) {
	if p.base == nil {
		var err error
		if p.base, err = p.Device.Save(); err != nil {
			return nil, err
		}
		p.baseHash = xxh3.Hash(p.base)
	}
	difference, _, err := keeper.SaveSince(p.base)
	return append(binary.LittleEndian.AppendUint64(nil, p.baseHash), difference...), err
}

func (p *part) restoreSince(keeper cosim.Keeper, state []byte) error {
	const head = 8
	if len(state) < head || binary.LittleEndian.Uint64(state) != p.baseHash {
		return errors.New("the snapshot comes from another build of the RTL")
	}
	return keeper.RestoreSince(p.base, state[head:])
}
