package bus

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// Build implements fabric.Network.
//
//	none      light --> buses --> wires
//	arbiter   asks ---> buses --requests--> arbiters --grants--> buses
//	          light --> buses --> wires
//
// In the cycle of the first phit the grants stand, and they do so to the end of the frames.
func (b Network) Build(plant *fabric.Plant) error {
	p, tx := b.Plan(), plant.Transmitters()
	count := len(p.Buses)
	near, err := plant.Light("bus", "", count, nil)
	if err != nil {
		return err
	}
	far, err := plant.Light("bus", "wire", count, make([]uint32, count)) // there is one unit
	if err != nil {
		return err
	}
	wires, err := hw.NewFibre(far.Bank().Path(), plant.Clock(), near, far, plant.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	config, media := hw.BusConfig{In: tx.Light(), Out: near, Taps: p.taps}, fabric.Media{Links: wires, Far: far}
	if !b.arbitrated() {
		config.Ports = tx.Ports()
		if media.Medium, err = hw.NewBuses(config); err != nil {
			return err
		}
		return plant.Carry(media)
	}
	bank := plant.Bank("bus", "arbiter", count)
	slice, err := b.slice(plant.Timing())
	if err != nil {
		return err
	}
	config.Asks = tx.Asks()
	if config.Request, err = hw.NewRequests(bank, "request", p.taps.Longest, plant.Shards()); err != nil {
		return err
	}
	arbiters, err := hw.NewArbiters(hw.ArbiterConfig{Bank: bank, Kind: b.kind(), SliceCycles: slice, Request: config.Request})
	if err != nil {
		return err
	}
	config.Busy, config.Index = arbiters.Busy(), arbiters.Index()
	buses, err := hw.NewBuses(config)
	if err != nil {
		return err
	}
	tx.Await(buses.To())
	media.Medium, media.Parts = buses, []hw.Component{arbiters}
	media.Composites = []hw.Composite{hw.NewArbitratedBuses(buses, arbiters)}
	return plant.Carry(media)
}

// kind is that of the arbiters.
func (b Network) kind() hw.ArbiterKind {
	return hw.ArbiterKind(slices.Index(hw.ArbiterKinds, b.Arbiter))
}

// slice is how long a tap has its turn where they have one: a slot.
func (b Network) slice(timing nic.Timing) (cycles int, err error) {
	if b.Arbiter != hw.ArbiterTDMA.String() {
		return 0, nil
	}
	if cycles = timing.SlotCycles(); cycles > hw.SliceCyclesMax {
		return 0, &input.Error{
			Place:  "fabric.bus.arbiter",
			Reason: fmt.Sprintf("a slot has %d cycles, and the turns of an arbiter tdma have at most %d", cycles, hw.SliceCyclesMax),
			Remedy: "choose a smaller nic.payload_bytes, a larger link.phit_bits, or another arbiter",
		}
	}
	return cycles, nil
}
