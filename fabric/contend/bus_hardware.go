package contend

import (
	"starloom/fabric"
	"starloom/hw"
)

// Part returns the buses as a part of the cycle engine.
//
//	none      light --> buses --> wires
//	arbiter   asks ---> buses --requests--> arbiters --grants--> buses
//	          light --> buses --> wires
//
// Grants hold from the cycle of the first phit to the end of the frames.
func (b *Buses) Part(plant fabric.Plant, from Senders) (*Part, error) {
	near, err := plant.Light(b.Bank, nil)
	if err != nil {
		return nil, err
	}
	part, config := &Part{Near: near}, hw.BusConfig{In: from.Light, Out: near, Taps: b.Taps}
	if b.Arbiter == None {
		config.Ports = from.Ports
		part.Medium, err = hw.NewBuses(config)
		return part, err
	}
	bank := b.arbiterBank()
	slice, err := b.slice(plant.Timing())
	if err != nil {
		return nil, err
	}
	config.Asks = from.Asks
	if config.Request, err = hw.NewRequests(bank, "request", b.Taps.Longest, plant.Shards()); err != nil {
		return nil, err
	}
	arbiters, reseed, err := b.arbiters().hardware(bank, config.Request, slice, plant.Seed())
	if err != nil {
		return nil, err
	}
	config.Busy, config.Index = arbiters.Busy(), arbiters.Index()
	buses, err := hw.NewBuses(config)
	if err != nil {
		return nil, err
	}
	part.To, part.Medium, part.Parts = buses.To(), buses, []hw.Component{arbiters}
	if part.Reseed = reseed; b.arbiters().Kind.Spec().Whole {
		part.Composites = []hw.Composite{hw.NewArbitratedBuses(buses, arbiters)}
	}
	return part, nil
}

// Build makes the buses the media of a plant. delays are the delays of the links in cycles; nil selects the plant's
// delay for all links.
func (b *Buses) Build(plant fabric.Plant, delays []uint16) error {
	part, err := b.Part(plant, SendersOf(plant))
	if err != nil {
		return err
	}
	return part.Carry(plant, b.Wires, delays, hw.Gather{})
}
