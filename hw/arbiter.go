package hw

import (
	"fmt"
	"math/bits"
)

const (
	RequestersMax  = 65536 // maximum number of requesters of an arbiter
	SliceCyclesMax = 65535 // maximum length of a TDMA slice in cycles
)

// Arbiters is a bank of arbiters of one kind. Each arbiter grants at most one of up to 65,536 requesters.
//
// The grant is registered: latency 1 cycle, throughput one decision per cycle. The grant is held while the request
// stays high, until the end of the frame:
//
//	cycle            0   1   2   3   4   5
//	request of A    /-----------\___________
//	request of B    ____/-------------------
//	grant           -   A   A   A   B   B
//
// A requests in cycle 0 and is granted from cycle 1 on. It lowers its request in the last cycle of its frame (3). In
// the same cycle the arbiter decides again, so the next owner follows without a gap. A request that is withdrawn
// before its grant has no effect. The kind's memory (ArbiterKind) changes only when a frame starts.
//
// The work per cycle grows with the number of requests and grants, not with the number of requesters.
//
// Reset, even in the middle of a frame, withdraws all grants and resets the kind's memory.
//
// Parameters: kind, requesters, slice cycles. Inputs: request; for kinds with settings weight_i (8 bits per
// requester) or seed_i (32 bits). Outputs: grant (one-hot, 0 for none) and index (0 for none), the wires Busy and
// Index. Twins: arbiter_fixed.v, and one file for each other kind (ArbiterSpec).
type Arbiters struct {
	Registers
	bank        Bank
	kind        ArbiterKind
	shape       ArbiterShape
	arbitration Arbitration

	request     *Requests
	busy, index *Signal

	granted []uint32 // register: granted requester plus 1; 0 for none

	// Derived state and scratch.
	holding [][]uint32  // by shard: arbiters that grant, unordered
	changed [][]uint32  // by shard: arbiters with outdated outputs
	asked   [][]uint32  // by shard: arbiters that must choose among requests
	asks    [][]Request // by shard: requests merged from several drivers
	ranks   [][]uint64  // by shard: ranks of its requests
	choice  []uint64    // by arbiter: rank<<16 | requester, noChoice for none
	kept    []bool      // by arbiter: the granted requester still requests
}

const noChoice = ^uint64(0)

// ArbiterConfig holds the parameters of a bank of arbiters.
type ArbiterConfig struct {
	Bank        Bank
	Kind        ArbiterKind
	SliceCycles int       // 1..SliceCyclesMax for kinds with slices, otherwise 0
	Weights     [][]uint8 // by arbiter and requester: 1..255, 1 if missing; nil for unweighted kinds
	// by arbiter, 0 means 1; nil for kinds without seeds; not copied, but read at the first grant after reset
	Seeds   []uint32
	Request *Requests // request lines of all arbiters of the bank
}

// NewArbiters returns a bank in its reset state, without grants.
func NewArbiters(c ArbiterConfig) (*Arbiters, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	cells, shards, requesters := c.Bank.Size(), c.Request.shards, c.Request.requesters
	busy, err := NewSignal(c.Bank, "busy", 1)
	if err != nil {
		return nil, err
	}
	index, err := NewSignal(c.Bank, "index", ArbiterIndexBits(requesters))
	if err != nil {
		return nil, err
	}
	a := &Arbiters{
		bank: c.Bank, kind: c.Kind, request: c.Request, busy: busy, index: index,
		shape: ArbiterShape{Path: c.Bank.Path(), Element: c.Bank.Element, Arbiters: cells,
			Requesters: requesters, Shards: shards,
			SliceCycles: c.SliceCycles, Weights: c.Weights, Seeds: c.Seeds},
		granted: make([]uint32, cells),
		holding: make([][]uint32, shards), changed: make([][]uint32, shards), asked: make([][]uint32, shards),
		asks: make([][]Request, shards), ranks: make([][]uint64, shards),
		choice: make([]uint64, cells), kept: make([]bool, cells),
	}
	for i := range a.choice {
		a.choice[i] = noChoice
	}
	spec := c.Kind.Spec()
	if spec.Weighted && a.shape.Weights == nil {
		a.shape.Weights = make([][]uint8, cells)
	}
	if spec.Seeded && a.shape.Seeds == nil {
		a.shape.Seeds = make([]uint32, cells)
	}
	a.arbitration = spec.New(a.shape)
	d := a.arbitration.Memory()
	derive := d.Derive
	d.Bank, d.Wires = c.Bank, []Probed{inEach{c.Bank, []string{"busy", "index"}, []*Signal{busy, index}}}
	d.Registers = append([]Register{Column("granted", a.granted, AtMost(uint32(requesters)))}, d.Registers...)
	d.Derive = func() {
		a.derive()
		if derive != nil {
			derive()
		}
	}
	a.Registers = Declare(d)
	a.Reset()
	return a, nil
}

func (c *ArbiterConfig) check() error {
	if err := c.Bank.Check(); err != nil {
		return err
	}
	path, spec := c.Bank.Path(), c.Kind.Spec()
	slice := 0
	if spec.Slices {
		slice = SliceCyclesMax
	}
	switch {
	case spec.Uses&(ForBuses|ForOutputs) == 0 || spec.New == nil:
		return fmt.Errorf("%s: arbiter of %v; allowed: %v", path, c.Kind, ArbitersFor(ForBuses|ForOutputs))
	case c.SliceCycles < min(1, slice) || c.SliceCycles > slice:
		return fmt.Errorf("%s: slices of %d cycles; for %v allowed: %d to %d", path, c.SliceCycles,
			c.Kind, min(1, slice), slice)
	case c.Weights != nil && !spec.Weighted:
		return fmt.Errorf("%s: weights are not supported by arbiter %v", path, c.Kind)
	case c.Seeds != nil && !spec.Seeded:
		return fmt.Errorf("%s: seeds are not supported by arbiter %v", path, c.Kind)
	case c.Weights != nil && len(c.Weights) != c.Bank.Size():
		return fmt.Errorf("%s: weights for %d arbiters instead of %d", path, len(c.Weights), c.Bank.Size())
	case c.Seeds != nil && len(c.Seeds) != c.Bank.Size():
		return fmt.Errorf("%s: seeds for %d arbiters instead of %d", path, len(c.Seeds), c.Bank.Size())
	case c.Request == nil:
		return fmt.Errorf("%s: no request lines", path)
	case c.Request.bank.Units != c.Bank.Units || c.Request.bank.PerUnit != c.Bank.PerUnit:
		return fmt.Errorf("%s: %d arbiters in %d units, but the lines %s belong to %d arbiters in %d units",
			path, c.Bank.Size(), c.Bank.Units, c.Request.path, c.Request.bank.Size(), c.Request.bank.Units)
	}
	return nil
}

// ArbiterIndexBits returns the width of the index output in bits: 6 to 16.
func ArbiterIndexBits(requesters int) int { return max(6, bits.Len(uint(requesters-1))) }

// Busy returns a wire per arbiter: 1 while the arbiter grants.
func (a *Arbiters) Busy() *Signal { return a.busy }

// Index returns a wire per arbiter: the granted requester, 0 while Busy is 0.
func (a *Arbiters) Index() *Signal { return a.index }

func (a *Arbiters) Site() *Site {
	parameters, spec := map[string]int{"REQUESTERS": a.shape.Requesters}, a.kind.Spec()
	if spec.Slices {
		parameters["SLICE_CYCLES"] = a.shape.SliceCycles
	}
	index := SignalPort("index_o", a.index, false)
	index.Watched = true // redundant, because grant_o determines the index
	index.Put, index.Shows = Unread, "index"
	ports := []Port{a.request.Port("request_i")}
	if spec.Weighted {
		ports = append(ports, a.weightPort())
	}
	if spec.Seeded {
		ports = append(ports, a.seedPort())
	}
	return &Site{
		Twin: "arbiter_" + a.kind.String(), What: "arbiters", Parameters: Same(parameters),
		Elements: a.bank.Size(), Path: a.bank.Element, Clocked: true,
		Ports: append(ports, Port{
			Name: "grant_o", Bits: a.shape.Requesters,
			Lines: func(element int) []Line { return []Line{grantLine(a.busy, element, a.shape.Requesters)} },
			Get: GetPins(func(element int, to Pins) {
				to.Clear()
				if a.busy.Value[element] != 0 {
					to.SetBits(int(a.index.Value[element]), 1, 1)
				}
			}),
			Put: PutPins(a.putGrant),
		}, index),
	}
}

func grantLine(busy *Signal, arbiter, requesters int) Line {
	return Line{busy, FieldGrant, arbiter, requesters}
}

func (a *Arbiters) weightPort() Port {
	return Port{
		Name: "weight_i", Bits: 8 * a.shape.Requesters, Input: true,
		From: func(arbiter int) Expression {
			weights := make([]Expression, a.shape.Requesters)
			for requester := range weights {
				weights[requester] = Constant(8, uint64(a.shape.weight(uint32(arbiter), uint32(requester))))
			}
			return Together(weights...)
		},
		Get: GetPins(func(arbiter int, to Pins) {
			for requester := range a.shape.Requesters {
				to.SetBits(8*requester, 8, uint64(a.shape.weight(uint32(arbiter), uint32(requester))))
			}
		}),
		Put: PutPins(func(arbiter int, from Pins) error {
			weights := a.shape.Weights[arbiter]
			if len(weights) < a.shape.Requesters {
				weights = make([]uint8, a.shape.Requesters)
				a.shape.Weights[arbiter] = weights
			}
			for requester := range weights {
				weights[requester] = uint8(from.GetBits(8*requester, 8))
			}
			return nil
		}),
	}
}

func (a *Arbiters) seedPort() Port {
	return Port{
		Name: "seed_i", Bits: 32, Input: true,
		From: func(arbiter int) Expression { return Constant(32, uint64(a.shape.Seeds[arbiter])) },
		Get:  GetValue(func(arbiter int) uint64 { return uint64(a.shape.Seeds[arbiter]) }),
		Put: PutValue(func(arbiter int, seed uint64) error {
			a.shape.Seeds[arbiter] = uint32(seed)
			return nil
		}),
	}
}

// putGrant overrides an arbiter's outputs with the grant of RTL. It returns an error if more than one bit is set.
func (a *Arbiters) putGrant(element int, from Pins) error {
	a.busy.Value[element], a.index.Value[element] = 0, 0
	var all []int
	from.Ones(func(requester int) { all = append(all, requester) })
	if len(all) == 0 {
		return nil
	}
	a.busy.Value[element], a.index.Value[element] = 1, uint64(all[0])
	if len(all) > 1 {
		return fmt.Errorf("it grants %d requesters at once, including %d and %d", len(all), all[0], all[1])
	}
	return nil
}

func (a *Arbiters) Drives() []Wire { return []Wire{a.busy, a.index} }

func (a *Arbiters) Drive(s Shard) {
	for _, i := range a.changed[s.Index] {
		a.show(i)
	}
	a.changed[s.Index] = a.changed[s.Index][:0]
}

func (a *Arbiters) show(arbiter uint32) {
	busy, index := &a.busy.Value[arbiter], &a.index.Value[arbiter]
	if a.granted[arbiter] > uint32(a.shape.Requesters) {
		broken(a.bank.Element(int(arbiter)), "requester %d of %d is granted", a.granted[arbiter]-1, a.shape.Requesters)
	}
	if *busy, *index = 0, 0; a.granted[arbiter] != 0 {
		*busy, *index = 1, uint64(a.granted[arbiter]-1)
	}
}

func (a *Arbiters) Latches() []Wire { return []Wire{a.request} }

func (a *Arbiters) Latch(s Shard) {
	a.ask(s.Index)
	a.release(s.Index)
	a.grant(s.Index)
	if a.shape.SliceCycles > 0 {
		a.arbitration.Pass(s.Index, 1)
	}
}

// ask marks the arbiters whose grants are still requested, and finds the best other request of each arbiter.
func (a *Arbiters) ask(shard int) {
	asks := a.request.all(shard, &a.asks[shard])
	if len(asks) == 0 {
		return
	}
	if len(a.ranks[shard]) < len(asks) {
		a.ranks[shard] = make([]uint64, 2*len(asks))
	}
	ranks, asked := a.ranks[shard][:len(asks)], a.asked[shard]
	a.arbitration.Rank(shard, asks, ranks)
	for k, q := range asks {
		i := q.Arbiter
		if a.granted[i] == q.Requester+1 {
			a.kept[i] = true
			continue
		}
		if a.choice[i] == noChoice {
			asked = append(asked, i)
		}
		a.choice[i] = min(a.choice[i], ranks[k]<<16|uint64(q.Requester))
	}
	a.asked[shard] = asked
}

func (a *Arbiters) release(shard int) {
	holding := a.holding[shard][:0]
	for _, i := range a.holding[shard] {
		if a.kept[i] {
			a.kept[i] = false
			holding = append(holding, i)
			continue
		}
		a.granted[i] = 0
		a.changed[shard] = append(a.changed[shard], i)
	}
	a.holding[shard] = holding
}

func (a *Arbiters) grant(shard int) {
	for _, i := range a.asked[shard] {
		choice := a.choice[i]
		a.choice[i] = noChoice
		if a.granted[i] != 0 || choice>>16 == NeverRank {
			continue
		}
		a.granted[i] = uint32(choice&0xFFFF) + 1
		a.arbitration.Granted(i, uint32(choice&0xFFFF))
		a.holding[shard] = append(a.holding[shard], i)
		a.changed[shard] = append(a.changed[shard], i)
	}
	a.asked[shard] = a.asked[shard][:0]
}

// QuietFor implements Quiet. The bank is quiet while every grant is kept, free arbiters have no requests, and the
// outputs equal the registers. Kinds with slices are never quiet.
func (a *Arbiters) QuietFor(limit uint64) uint64 {
	if a.shape.SliceCycles > 0 {
		return 0
	}
	for shard := range a.request.shards {
		if len(a.changed[shard]) > 0 {
			return 0
		}
		kept := 0
		for driver := range a.request.shards {
			for _, q := range a.request.High(driver, shard) {
				switch a.granted[q.Arbiter] {
				case 0:
					return 0
				case q.Requester + 1:
					kept++
				}
			}
		}
		if kept != len(a.holding[shard]) {
			return 0
		}
	}
	return limit
}

func (a *Arbiters) derive() {
	for shard := range a.holding {
		a.holding[shard], a.changed[shard] = a.holding[shard][:0], a.changed[shard][:0]
	}
	for i, granted := range a.granted {
		a.show(uint32(i))
		if granted != 0 {
			shard := a.request.Owner(uint32(i))
			a.holding[shard] = append(a.holding[shard], uint32(i))
		}
	}
}
