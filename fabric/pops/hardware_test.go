package pops

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/nic"
)

// seen is a network whose media are kept.
type seen struct {
	Network
	media *fabric.Media
}

func (s seen) Build(p fabric.Plant) error { return s.Network.Build(carrier{p, s.media}) }

// carrier is a plant that keeps the media it carries.
type carrier struct {
	fabric.Plant
	media *fabric.Media
}

func (c carrier) Carry(m fabric.Media) error {
	*c.media = m
	return c.Plant.Carry(m)
}

// TestModelsAreNeverLate: light in the last cycle of a slot is a fault of Starloom when
// everything is model.
func TestModelsAreNeverLate(t *testing.T) {
	built, err := New(2, 2)
	require.NoError(t, err)
	var media fabric.Media
	network := seen{built, &media}
	timing, err := nic.NewTiming(64, 8, 0, 1, 1)
	require.NoError(t, err)
	workers := hw.NewWorkers(1)
	defer workers.Close()
	plant, err := plant.New(network,
		&fabric.Config{Timing: timing, Sizes: nic.Sizes{PayloadBytes: 8}, Shards: hw.Shards(2, 1), Cycle: true}, workers, nil)
	require.NoError(t, err)
	var cycles []uint64
	plant.Watch = func(cycle uint64) error {
		if cycles = append(cycles, cycle); cycle == timing.BoundaryCycle(1) {
			media.Far.Put(0, 1, 1, 0)
		}
		return nil
	}
	begin := func(slot uint32) {
		for shard := range 2 {
			plant.Begin(shard, slot, false)
		}
		plant.Latch()
	}
	plant.Start()
	begin(0)
	plant.Cross(0)
	begin(1)
	require.PanicsWithError(t, "pops.group[0].coupler[1].fibre: cycle 9: light at the receiving end in the last cycle "+
		"of a slot", func() { plant.Cross(1) })
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, cycles, "every cycle once, and none without a number")
}
