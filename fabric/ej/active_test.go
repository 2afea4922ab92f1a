package ej

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// followed is a referee as a part with a path.
type followed struct{ *referee }

func (followed) Path() string { return "referee" }

// TestActiveNodesOfRandomSlots: a node counts once per slot, regardless of its last transmission,
// the order in which shards receive and send, and a save and restore in between.
func TestActiveNodesOfRandomSlots(t *testing.T) {
	const seed, slots, shards = 3, 1200, 3
	e := Network{A: 3, B: 4, Dimensions: 1, Duplex: DuplexFull}
	one := fabric.Workload{OneToAll: &fabric.OneToAll{}}
	load := func() *referee {
		r := e.Referee(&one, nil).(*referee)
		require.NoError(t, r.Load(&fabric.Load{Workload: &one, Shards: shards}))
		return r
	}
	r, random := load(), rand.New(rand.NewPCG(seed, 0))
	frame := make(nic.FrameView, nic.FrameStride(16))
	frame.PutWire(nic.Marshal(make([]byte, 64), nic.Header{Kind: nic.KindData}, make([]byte, 8)))
	sends := make([]map[uint32]bool, e.nodes())
	for node := range sends {
		sends[node] = map[uint32]bool{}
	}
	draw := func(slot uint32) bool { // for some time few nodes send, then none
		return slot/300%2 == 0 && random.IntN(40) == 0
	}
	active, free := make([]int, slots), make([]int, slots)
	for slot := range uint32(slots) {
		count := map[int]bool{}
		for node := range sends { // boundary by boundary, node by node: what it hears, then what it sends
			l := &fabric.Ledger{Shard: node * shards / len(sends)}
			if slot > 0 && random.IntN(3) == 0 {
				r.Received(l, node, frame, slot-1)
				if !sends[node][slot-1] {
					active[slot-1]++
				}
			}
			if sends[node][slot] = draw(slot); sends[node][slot] {
				r.Sent(l, node, frame, slot)
				count[node] = true
			}
		}
		active[slot] += len(count)
		if slot%100 == 50 {
			var state bytes.Buffer
			require.NoError(t, hw.Save(&state, followed{r}))
			r = load()
			require.NoError(t, hw.Restore(&state, followed{r}))
		}
	}
	for i := range free {
		free[i] = e.nodes() - active[i]
	}
	metrics := r.Metrics(&fabric.End{}, false)
	require.Equal(t, active[:slots-1], metrics.Get("active").([]int)[:slots-1])
	require.Equal(t, free[:slots-1], metrics.Get("free").([]int)[:slots-1])
}
