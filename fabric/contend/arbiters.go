// Package contend provides shared media with contending senders, buses and crossbars, for both engines.
package contend

import (
	"fmt"
	"slices"

	"starloom/hw"
)

// Arbiters describes the arbiters of a bank.
type Arbiters struct {
	Kind    hw.ArbiterKind
	Weights [][]int // weights for weighted kinds, by arbiter and requester: WeightMin to WeightMax, 1 by default
}

// Limits of a weight, which has 8 bits.
const (
	WeightMin = 1   // least share
	WeightMax = 255 // largest share
)

// SameWeights repeats weights for each arbiter; nil stays nil.
func SameWeights(weights []int, arbiters int) [][]int {
	if weights == nil {
		return nil
	}
	return slices.Repeat([][]int{weights}, arbiters)
}

func bytesOf(weights []int) []uint8 {
	bytes := make([]uint8, len(weights))
	for i, weight := range weights {
		bytes[i] = uint8(weight)
	}
	return bytes
}

func (a Arbiters) shape(bank hw.Bank, requesters, slice int) hw.ArbiterShape {
	s, spec := hw.ArbiterShape{Path: bank.Path(), Element: bank.Element, Arbiters: bank.Size(), Requesters: requesters,
		Shards: 1}, a.Kind.Spec()
	if spec.Slices {
		s.SliceCycles = slice
	}
	if spec.Weighted {
		s.Weights = make([][]uint8, bank.Size())
		for i, weights := range a.Weights {
			s.Weights[i] = bytesOf(weights)
		}
	}
	if spec.Seeded {
		s.Seeds = make([]uint32, bank.Size()) // a later call draws the seeds from the seed of the run
	}
	return s
}

// seedArbiters derives a seed for each arbiter of a bank from a run's seed and the arbiter's path.
func seedArbiters(seeds []uint32, bank hw.Bank, seed uint64) {
	stream := hw.NewStream(seed, hw.PurposeArbiter)
	for i := range seeds {
		seeds[i] = stream.SeedOf(bank.Element(i))
	}
}

func (a Arbiters) hardware(bank hw.Bank, lines *hw.Requests, slice int, seed uint64) (*hw.Arbiters,
	func(seed uint64), error) {
	s := a.shape(bank, lines.Requesters(), slice)
	arbiters, err := hw.NewArbiters(hw.ArbiterConfig{
		Bank: bank, Kind: a.Kind, SliceCycles: s.SliceCycles, Weights: s.Weights, Seeds: s.Seeds, Request: lines,
	})
	if err != nil || s.Seeds == nil {
		return arbiters, nil, err
	}
	reseed := func(seed uint64) { seedArbiters(s.Seeds, bank, seed) }
	reseed(seed)
	return arbiters, reseed, nil
}

// decisions is a bank of arbiters in the slot engine. It decides as the hardware does in the arbitration cycle of a
// slot.
type decisions struct {
	hw.Registers
	bank        hw.Bank
	shape       hw.ArbiterShape
	arbitration hw.Arbitration
	passed      []uint32 // last slot seen by each arbiter, for kinds with slices; otherwise nil

	asks    []hw.Request
	ranks   []uint64
	best    []int32 // index of the best request of each arbiter, noOne for none
	granted []hw.Request
}

func (a Arbiters) decisions(bank hw.Bank, requesters int) *decisions {
	d := &decisions{bank: bank, shape: a.shape(bank, requesters, 1), best: make([]int32, bank.Size())}
	for i := range d.best {
		d.best[i] = noOne
	}
	d.arbitration = a.Kind.Spec().New(d.shape)
	memory := d.arbitration.Memory()
	memory.Path = bank.Path()
	if d.shape.SliceCycles > 0 {
		d.passed = make([]uint32, 1)
		memory.Registers = append(memory.Registers, hw.Column("slot", d.passed))
	}
	d.Registers = hw.Declare(memory)
	d.reset(0)
	return d
}

func (d *decisions) reset(seed uint64) {
	seedArbiters(d.shape.Seeds, d.bank, seed)
	d.Registers.Reset()
	d.asks = d.asks[:0]
}

func (d *decisions) ask(arbiter, requester uint32) {
	d.asks = append(d.asks, hw.Request{Arbiter: arbiter, Requester: requester})
}

// rank returns the requests of a slot with their ranks, in order of arrival, and clears the list of requests.
func (d *decisions) rank(slot uint32) (asks []hw.Request, ranks []uint64) {
	if d.passed != nil {
		d.arbitration.Pass(0, uint64(slot-d.passed[0]))
		d.passed[0] = slot
	}
	if len(d.ranks) < len(d.asks) {
		d.ranks = make([]uint64, 2*len(d.asks))
	}
	asks, ranks = d.asks, d.ranks[:len(d.asks)]
	d.asks = d.asks[:0]
	d.arbitration.Rank(0, asks, ranks)
	return asks, ranks
}

// choose returns the best request at each arbiter in a slot, in the order of the arbiters' first requests, without
// granting it. The result is valid until the next call.
func (d *decisions) choose(slot uint32) []hw.Request {
	asks, ranks := d.rank(slot)
	d.granted = d.granted[:0]
	for k, q := range asks {
		switch place := d.best[q.Arbiter]; {
		case ranks[k] == hw.NeverRank:
		case place == noOne:
			d.best[q.Arbiter] = int32(len(d.granted))
			d.granted = append(d.granted, q)
			ranks[len(d.granted)-1] = ranks[k] // the written index is at most k
		case ranks[k] < ranks[place] || ranks[k] == ranks[place] && q.Requester < d.granted[place].Requester:
			d.granted[place], ranks[place] = q, ranks[k]
		}
	}
	for _, q := range d.granted {
		d.best[q.Arbiter] = noOne
	}
	return d.granted
}

func (d *decisions) grant(q hw.Request) { d.arbitration.Granted(q.Arbiter, q.Requester) }

func (x Crossbar) check() error {
	outputs := hw.ForOutputs
	switch {
	case x.List:
		outputs = hw.ForLists
	case x.Cap > 0:
		outputs = hw.ForCapped
	case x.Queue > 1:
		outputs = hw.ForQueues
	}
	switch {
	case !x.NoArbiter && !x.Arbiter.Works(outputs):
		return fmt.Errorf("%s: an arbiter %v; allowed: %v", x.Head, x.Arbiter, hw.ArbitersFor(outputs))
	case x.Cap > 0 && !x.CapArbiter.Works(hw.ForCaps):
		return fmt.Errorf("%s: a cap arbiter %v; allowed: %v", x.Head, x.CapArbiter, hw.ArbitersFor(hw.ForCaps))
	}
	return nil
}

func (x Crossbar) arbiters() Arbiters {
	return Arbiters{x.Arbiter, SameWeights(x.Weights, x.Ports)}
}

func (x Crossbar) listRule() hw.ListRule {
	return hw.ListRule{RoundRobin: x.Arbiter == hw.ArbiterRoundRobin, Cap: x.Cap}
}

func (x Crossbar) capRule() hw.CapRule { return hw.CapRule{Kind: x.CapArbiter, Cap: x.Cap} }
