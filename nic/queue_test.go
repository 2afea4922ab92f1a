package nic

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// queues is a crossbar whose outputs receive the frames of a slot one after the other, with all its
// banks.
type queues struct {
	n, frames int
	timing    Timing
	kernel    *hw.Kernel
	tx        *Serialisers
	filters   *hw.Filters
	points    *hw.Crosspoints
	rx        *Deserialisers
}

const queuePayload = 24

func newQueues(t testing.TB, n, frames, phitBits int, kind hw.ArbiterKind) *queues {
	timing, err := NewTiming(phitBits, queuePayload, 1, 2, 1)
	require.NoError(t, err)
	timing.ArbitrationCycles, timing.Frames = 1, frames
	workers := hw.NewWorkers(1)
	t.Cleanup(workers.Close)
	shards := hw.Shards(1, 1)
	q := &queues{n: n, frames: frames, timing: timing, kernel: hw.NewKernel(workers, shards)}
	bank := func(name string) hw.Bank { return hw.Bank{Name: name, Units: 1, PerUnit: n} }
	light := func(name string, readers []uint32) *hw.Light {
		l, err := hw.NewLight(bank(name), "light", phitBits, shards, readers)
		require.NoError(t, err)
		return l
	}
	q.tx, err = NewSerialisers(SerialiserConfig{
		Bank: bank("tx"), Clock: q.kernel.Clock(), Shards: shards, PhitBits: phitBits, FrameBytesMax: FrameBytes(queuePayload),
		ComputeCycles: 1, ArbitrationCycles: 1, OfferCycles: (frames - 1) * timing.FramePhits, Ports: n,
	})
	require.NoError(t, err)
	lines, err := hw.NewRequests(bank("arbiter"), "request", n, shards)
	require.NoError(t, err)
	q.filters, err = hw.NewFilters(bank("filter"), q.tx.Asks(), lines)
	require.NoError(t, err)
	arbiters, err := hw.NewArbiters(hw.ArbiterConfig{Bank: bank("arbiter"), Kind: kind, Request: lines})
	require.NoError(t, err)
	q.filters.Limit(frames, arbiters.Busy(), arbiters.Index())
	gated := light("input", nil)
	q.points,
		err = hw.NewCrosspoints(hw.CrosspointConfig{In: q.tx.Light(), Asks: q.tx.Asks(), Busy: arbiters.Busy(),
		Index: arbiters.Index(), Out: gated})
	require.NoError(t, err)
	q.tx.Await(q.points.To())
	hears := hw.Gather{Inputs: n}
	for i := range n {
		hears.Wires = append(hears.Wires, uint32(i))
	}
	readers, err := hears.Readers(n)
	require.NoError(t, err)
	near, far := light("output", nil), light("far", readers)
	couplers, err := hw.NewStarCouplers(gated, q.points.To(), near, make([]uint32, n), n)
	require.NoError(t, err)
	fibre, err := hw.NewFibre("link", q.kernel.Clock(), near, far, timing.PropagationCycles)
	require.NoError(t, err)
	q.rx, err = NewDeserialisers(DeserialiserConfig{Bank: bank("rx"), Clock: q.kernel.Clock(), Shards: shards, PhitBits: phitBits,
		FrameBytesMax: FrameBytes(queuePayload), In: far, Hears: hears, Queues: true})
	require.NoError(t, err)
	q.kernel.Add(q.tx, q.filters, arbiters, q.points, couplers, fibre, q.rx)
	require.NoError(t, q.kernel.Build())
	q.start()
	return q
}

func (q *queues) start() {
	q.kernel.BeforeCycle0()
	q.boundary()
}

// boundary is the last cycle of a slot up to where inputs are given.
func (q *queues) boundary() {
	q.kernel.DriveAndSettle()
	q.rx.EndSlot(0)
	for i := range q.n {
		q.filters.Take(i, true, TagAny)
		q.rx.Listen(i, uint32(i))
	}
}

// heard are the frames that a receiver has queued, as text.
func (q *queues) heard(cell int) (frames []string) {
	q.rx.Queued(cell, func(f Frame) { frames = append(frames, string(f)) })
	return frames
}

// TestOffersChangeHands is the timing diagram of Serialisers: frames of three phits, and the
// output is never dark between them.
func TestOffersChangeHands(t *testing.T) {
	q := newQueues(t, 3, 2, 64, hw.ArbiterFixed)
	r := rand.New(rand.NewPCG(1, 1))
	for cell := range 3 {
		q.tx.Load(cell, makeFrame(r, cell, 8), 2) // 24 bytes
	}
	q.kernel.Latch()
	q.kernel.DriveAndSettle() // the compute window
	require.Empty(t, q.tx.Asks().High(0))
	q.kernel.Latch()
	for cycle, want := range []struct {
		asks string
		to   [3]uint16
	}{
		{"[0 1 2]", [3]uint16{hw.PortNone, hw.PortNone, hw.PortNone}}, // arbitration
		{"[0 1 2]", [3]uint16{2, hw.PortNone, hw.PortNone}},
		{"[0 1 2]", [3]uint16{2, hw.PortNone, hw.PortNone}},
		{"[1 2]", [3]uint16{2, hw.PortNone, hw.PortNone}}, // the last phit of 0
		{"[1 2]", [3]uint16{hw.PortNone, 2, hw.PortNone}},
		{"[1 2]", [3]uint16{hw.PortNone, 2, hw.PortNone}},
		{"[2]", [3]uint16{hw.PortNone, 2, hw.PortNone}}, // two frames are all, and the longest take 5 phits
		{"[]", [3]uint16{hw.PortNone, hw.PortNone, hw.PortNone}},
	} {
		q.kernel.DriveAndSettle()
		require.Equal(t, want.asks, fmt.Sprint(q.tx.Asks().High(0)), cycle)
		require.Equal(t, want.to, [3]uint16(q.points.To().Value), cycle)
		q.kernel.Latch()
	}
}

// expected computes the result of a slot from the definition: the senders and the frames of each
// receiver.
func expected(n, frames int, to []int, sent []Frame) (served []bool, heard [][]string) {
	served, heard = make([]bool, n), make([][]string, n)
	for cell, output := range to {
		if output >= 0 && len(heard[output]) < frames {
			served[cell] = true
			heard[output] = append(heard[output], string(sent[cell]))
		}
	}
	return served, heard
}

// TestQueues compares slots of random frames, of all lengths and over several widths, with the
// definition, on a machine that is saved and restored in every cycle, and on one that is reset in
// one of them.
func TestQueues(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		n, phitBits := 1+r.IntN(9), []int{64, 17, 8}[r.IntN(3)]
		frames := 2 + r.IntN(n+1)
		q, other := newQueues(t, n, frames, phitBits, hw.ArbiterFixed), newQueues(t, n, frames, phitBits, hw.ArbiterFixed)
		reset := r.IntN(q.timing.SlotCycles())
		for slot := range 4 {
			to, sent := make([]int, n), make([]Frame, n)
			for cell := range n {
				if to[cell] = r.IntN(n+1) - 1; seed%2 == 0 && to[cell] >= 0 {
					to[cell] = 0
				}
				if to[cell] >= 0 {
					sent[cell] = makeFrame(r, cell, r.IntN(queuePayload+1))
					q.tx.Load(cell, sent[cell], uint16(to[cell]))
				}
			}
			q.kernel.Latch()
			for cycle := range q.timing.SlotCycles() - 1 {
				if slot == 1 && cycle == reset {
					q.kernel.Reset()
					break
				}
				var saved bytes.Buffer
				require.NoError(t, hw.Save(&saved, q.kernel))
				require.NoError(t, hw.Restore(&saved, other.kernel))
				q, other = other, q
				q.kernel.DriveAndSettle()
				q.kernel.Latch()
			}
			if slot == 1 {
				q.start()
				continue
			}
			q.boundary()
			served, heard := expected(n, frames, to, sent)
			for cell := range n {
				_, ok := q.tx.Served(cell)
				require.Equal(t, served[cell], ok && to[cell] >= 0, "seed %d, slot %d, transmitter %d", seed, slot, cell)
				require.Equal(t, heard[cell], q.heard(cell), "seed %d, slot %d, receiver %d", seed, slot, cell)
				status := StatusIdle
				if heard[cell] != nil {
					status = StatusOK
				}
				require.Equal(t, status, q.rx.Status(cell))
			}
		}
	}
}

// TestQueueEndsWithDamage: after a damaged frame a receiver queues no more frames in this slot and
// keeps the earlier ones.
func TestQueueEndsWithDamage(t *testing.T) {
	q := newQueues(t, 3, 3, 64, hw.ArbiterFixed)
	r := rand.New(rand.NewPCG(3, 3))
	var sent []Frame
	for cell := range 3 {
		sent = append(sent, slices.Clone(makeFrame(r, cell, 8)))
		wire := slices.Clone(sent[cell])
		if cell == 1 {
			wire[HeaderBytes] ^= 1
		}
		q.tx.Load(cell, wire, 2)
	}
	q.kernel.Latch()
	for range q.timing.SlotCycles() - 1 {
		q.kernel.DriveAndSettle()
		q.kernel.Latch()
	}
	q.boundary()
	require.Equal(t, []string{string(sent[0])}, q.heard(2))
	require.Equal(t, StatusCRC, q.rx.Status(2))
	q.kernel.Latch()
	require.Empty(t, q.heard(2))
	require.Equal(t, StatusIdle, q.rx.Status(2))
}
