package hw

import (
	"fmt"
	"math/bits"
	"slices"
)

// Limits of the parameters of arbiters.
const (
	RequestersMax  = 65536 // of one arbiter
	SliceCyclesMax = 65535 // of a slice of TDMA
)

// Arbiters is a bank of arbiters of one kind. Each has up to 65,536 requesters and grants
// at most one of them.
//
// The grant is registered: latency 1 cycle, throughput one decision per cycle.
// It is held to the end of the frame, as long as the request stays high:
//
//	cycle            0   1   2   3   4   5
//	request of A    /-----------\___________
//	request of B    ____/-------------------
//	grant           -   A   A   A   B   B
//
// A requests in cycle 0 and is granted from cycle 1 on. It lowers its request in
// the last cycle of its frame (3), and in that same cycle the arbiter decides
// again over the requests of cycle 3: the medium changes hands without a gap, and
// the granted requester owns it in every cycle in which it sees its grant. A
// request that falls before it is granted is forgotten. The kind decides only
// when none holds on (ArbiterKind), so what a kind remembers of its grants changes
// only when a frame starts.
//
// A cycle costs what is requested and granted in it, however many requesters there
// might be. Of matrix the bank remembers those that were served, not the square of all.
//
// Reset: no grant; round robin starts at 0; the matrix as if none had been
// granted yet; TDMA with the first cycle of slice 0. Also in mid-frame.
//
// Parameters: kind, requesters, slice cycles. Ports: request in; grant (one-hot,
// 0 for none) and index (0 for none) out, which are the wires Busy and Index. Twins:
// arbiter_fixed.v, arbiter_round_robin.v, arbiter_matrix.v, arbiter_tdma.v.
type Arbiters struct {
	Registers
	bank       Bank
	kind       ArbiterKind
	requesters int
	slice      uint16

	request     *Requests
	busy, index *Signal

	// Registers; those that the kind does not use are nil.
	granted []uint32    // who is granted, plus 1; 0 for none
	first   []uint16    // round robin: who is asked first
	grants  []uint64    // matrix: how many there were...
	served  [][]service // ...and those that had one, by requester
	turn    []uint16    // TDMA: whose slice it is, of a shard in that of its first unit...
	elapsed []uint16    // ...and how many cycles of it are over

	// Of served, as a saved state has it: arbiter<<32 | requester, ascending.
	servedWho []uint64
	servedAt  []uint64

	// Derived, and scratch. A choice is a requester and how far after the best one it is.
	holding [][]uint32 // by shard: arbiters that grant, in no order
	changed [][]uint32 // by shard: arbiters whose outputs do not show their register
	asked   [][]uint32 // by shard: arbiters that have a choice
	choice  []uint64   // by arbiter: rank<<16 | requester, noChoice for none
	kept    []bool     // by arbiter: who is granted still requests
}

// service is the last grant of a requester, by its number.
type service struct {
	requester uint16
	at        uint64
}

const (
	noChoice  = ^uint64(0)
	grantsMax = 1<<48 - 1 // as a rank; a grant a nanosecond takes three days to get there
)

// ArbiterConfig are the parameters of a bank of arbiters.
type ArbiterConfig struct {
	Bank        Bank
	Kind        ArbiterKind
	SliceCycles int       // TDMA: 1..SliceCyclesMax; else 0
	Request     *Requests // of every arbiter of the bank
}

// NewArbiters returns a bank without a grant.
func NewArbiters(c ArbiterConfig) (*Arbiters, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	slice := 0 // cycles that the kind allows at most
	if c.Kind == ArbiterTDMA {
		slice = SliceCyclesMax
	}
	switch {
	case !c.Kind.Works(ForBuses | ForOutputs):
		return nil, fmt.Errorf("%s: arbiter of %v, allowed are %v", path, c.Kind, ArbitersFor(ForBuses|ForOutputs))
	case c.SliceCycles < min(1, slice) || c.SliceCycles > slice:
		return nil, fmt.Errorf("%s: slices of %d cycles, allowed for %v are %d to %d", path, c.SliceCycles, c.Kind, min(1, slice), slice)
	case c.Request == nil:
		return nil, fmt.Errorf("%s: no request lines", path)
	case c.Request.bank.Units != c.Bank.Units || c.Request.bank.PerUnit != c.Bank.PerUnit:
		return nil, fmt.Errorf("%s: %d arbiters in %d units, the lines %s are of %d in %d",
			path, c.Bank.Size(), c.Bank.Units, c.Request.path, c.Request.bank.Size(), c.Request.bank.Units)
	}
	requesters := c.Request.requesters
	busy, err := NewSignal(c.Bank, "busy", 1)
	if err != nil {
		return nil, err
	}
	index, err := NewSignal(c.Bank, "index", ArbiterIndexBits(requesters))
	if err != nil {
		return nil, err
	}
	cells, shards := c.Bank.Size(), c.Request.shards
	a := &Arbiters{
		bank: c.Bank, kind: c.Kind, requesters: requesters, slice: uint16(c.SliceCycles),
		request: c.Request, busy: busy, index: index,
		granted: make([]uint32, cells),
		holding: make([][]uint32, shards), changed: make([][]uint32, shards), asked: make([][]uint32, shards),
		choice: make([]uint64, cells), kept: make([]bool, cells),
	}
	for i := range a.choice {
		a.choice[i] = noChoice
	}
	last := uint16(requesters - 1)
	registers := []Register{Column("granted", a.granted, AtMost(uint32(requesters)))}
	d := Declaration{Bank: c.Bank, Wires: []Probed{inEach{c.Bank, []string{"busy", "index"}, []*Signal{busy, index}}}, Derive: a.derive}
	switch c.Kind {
	case ArbiterFixed:
	case ArbiterRoundRobin:
		a.first = make([]uint16, cells)
		registers = append(registers, Column("first", a.first, AtMost(last)))
	case ArbiterMatrix:
		a.grants, a.served = make([]uint64, cells), make([][]service, cells)
		registers = append(registers, Column("grants", a.grants, AtMost[uint64](grantsMax)),
			List("served", &a.servedWho, a.checkServed()), List("served_at", &a.servedAt, AtMost[uint64](grantsMax)))
		d.Collect = a.collectServed
	case ArbiterTDMA:
		a.turn, a.elapsed = make([]uint16, c.Bank.Units), make([]uint16, c.Bank.Units)
		registers = append(registers, Column("turn", a.turn[:1], AtMost(last)), Column("elapsed", a.elapsed[:1], AtMost(a.slice-1)))
	default:
		return nil, fmt.Errorf("%s: an arbiter of %v has no hardware", path, c.Kind)
	}
	d.Registers = registers
	a.Registers = Declare(d)
	a.Reset()
	return a, nil
}

// ArbiterIndexBits is the width of the index of so many requesters: 6 to 16.
func ArbiterIndexBits(requesters int) int { return max(6, bits.Len(uint(requesters-1))) }

// Busy is 1 for every arbiter that grants.
func (a *Arbiters) Busy() *Signal { return a.busy }

// Index is the index of the granted requester, 0 when Busy is 0.
func (a *Arbiters) Index() *Signal { return a.index }

// Site says what the ports of an arbiter are.
func (a *Arbiters) Site() *Site {
	parameters := map[string]int{"REQUESTERS": a.requesters}
	if a.kind == ArbiterTDMA {
		parameters["SLICE_CYCLES"] = int(a.slice)
	}
	index := SignalPort("index_o", a.index, false)
	index.Watched = true // grant_o says it
	index.Put = Unread
	return &Site{
		Twin: "arbiter_" + a.kind.String(), What: "arbiters", Parameters: Same(parameters),
		Elements: a.bank.Size(), Path: a.bank.Element, Clocked: true,
		Ports: []Port{a.request.Port("request_i"), {
			Name: "grant_o", Bits: a.requesters,
			Get: GetPins(func(element int, to Pins) {
				to.Clear()
				if a.busy.Value[element] != 0 {
					to.SetBits(int(a.index.Value[element]), 1, 1)
				}
			}),
			Put: PutPins(a.putGrant),
		}, index},
	}
}

// putGrant shows a grant that another than the arbiter has given.
func (a *Arbiters) putGrant(element int, from Pins) error {
	a.busy.Value[element], a.index.Value[element] = 0, 0
	var all []int
	from.Ones(func(requester int) { all = append(all, requester) })
	if len(all) == 0 {
		return nil
	}
	a.busy.Value[element], a.index.Value[element] = 1, uint64(all[0])
	if len(all) > 1 {
		return fmt.Errorf("it grants %d requesters at once, %d and %d among them", len(all), all[0], all[1])
	}
	return nil
}

// Drives are busy and index.
func (a *Arbiters) Drives() []Wire { return []Wire{a.busy, a.index} }

// Drive shows who is granted.
func (a *Arbiters) Drive(s Shard) {
	for _, i := range a.changed[s.Index] {
		a.show(i)
	}
	a.changed[s.Index] = a.changed[s.Index][:0]
}

func (a *Arbiters) show(arbiter uint32) {
	busy, index := &a.busy.Value[arbiter], &a.index.Value[arbiter]
	if a.granted[arbiter] > uint32(a.requesters) {
		broken(a.bank.Element(int(arbiter)), "requester %d of %d is granted", a.granted[arbiter]-1, a.requesters)
	}
	if *busy, *index = 0, 0; a.granted[arbiter] != 0 {
		*busy, *index = 1, uint64(a.granted[arbiter]-1)
	}
}

// Latches are the request lines.
func (a *Arbiters) Latches() []Wire { return []Wire{a.request} }

// Latch decides who is granted in the next cycle.
func (a *Arbiters) Latch(s Shard) {
	a.ask(s)
	a.release(s.Index)
	a.grant(s.Index)
	if a.kind == ArbiterTDMA {
		a.step(s.First)
	}
}

// ask looks at all requests: whether who is granted holds on, and who is the best choice.
func (a *Arbiters) ask(s Shard) {
	asked := a.asked[s.Index]
	for driver := range a.request.shards {
		for _, q := range a.request.High(driver, s.Index) {
			i := q.Arbiter
			if a.granted[i] == q.Requester+1 {
				a.kept[i] = true
				continue
			}
			choice := a.rank(i, uint16(q.Requester), s.First)<<16 | uint64(q.Requester)
			if a.choice[i] == noChoice {
				asked = append(asked, i)
			}
			a.choice[i] = min(a.choice[i], choice)
		}
	}
	a.asked[s.Index] = asked
}

// rank orders the requesters of an arbiter, the best is the least; unit is the shard's
// first one. Ranks may be equal: the lower index goes first.
func (a *Arbiters) rank(arbiter uint32, requester uint16, unit int) uint64 {
	switch a.kind {
	case ArbiterRoundRobin:
		return rankRoundRobin(requester, a.first[arbiter])
	case ArbiterMatrix:
		return rankMatrix(a.served[arbiter], requester)
	case ArbiterTDMA:
		return rankTDMA(requester, a.turn[unit])
	}
	return 0
}

// rankRoundRobin: those from first on go before the others.
func rankRoundRobin[T uint16 | uint32](requester, first T) uint64 {
	if requester < first {
		return 1
	}
	return 0
}

// rankMatrix is the number of the last grant, 0 for never.
func rankMatrix(served []service, requester uint16) uint64 {
	if i, ok := findService(served, requester); ok {
		return served[i].at
	}
	return 0
}

// rankTDMA: only who has the turn is a choice.
func rankTDMA(requester, turn uint16) uint64 {
	if requester != turn {
		return noTurn
	}
	return 0
}

// noTurn is the rank of who cannot be granted at all.
const noTurn = 1

// release ends the grants whose requests have fallen.
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

// grant gives the free arbiters to their choices.
func (a *Arbiters) grant(shard int) {
	for _, i := range a.asked[shard] {
		choice := a.choice[i]
		a.choice[i] = noChoice
		if a.granted[i] != 0 || a.kind == ArbiterTDMA && choice>>16 == noTurn {
			continue
		}
		a.granted[i] = uint32(choice&0xFFFF) + 1
		a.remember(i, uint16(choice))
		a.holding[shard] = append(a.holding[shard], i)
		a.changed[shard] = append(a.changed[shard], i)
	}
	a.asked[shard] = a.asked[shard][:0]
}

// remember is what a kind keeps of a grant.
func (a *Arbiters) remember(arbiter uint32, requester uint16) {
	switch a.kind {
	case ArbiterRoundRobin:
		if int(a.first[arbiter]) >= a.requesters {
			broken(a.bank.Element(int(arbiter)), "the pointer is %d of %d requesters", a.first[arbiter], a.requesters)
		}
		a.first[arbiter] = following(requester, a.requesters)
	case ArbiterMatrix:
		a.grants[arbiter]++
		a.served[arbiter] = serve(a.served[arbiter], requester, a.grants[arbiter])
	}
}

// step moves the turns of a shard, which starts with a unit, by one cycle.
func (a *Arbiters) step(unit int) {
	if a.elapsed[unit]++; a.elapsed[unit] >= a.slice {
		if a.elapsed[unit] > a.slice || int(a.turn[unit]) >= a.requesters {
			broken(a.Path(), "turn of requester %d of %d in cycle %d of a slice of %d", a.turn[unit], a.requesters, a.elapsed[unit], a.slice)
		}
		a.elapsed[unit] = 0
		a.turn[unit] = following(a.turn[unit], a.requesters)
	}
}

// serve notes the number of a requester's last grant.
func serve(served []service, requester uint16, at uint64) []service {
	i, ok := findService(served, requester)
	if !ok {
		served = slices.Insert(served, i, service{requester: requester})
	}
	served[i].at = at
	return served
}

func findService(served []service, requester uint16) (int, bool) {
	return slices.BinarySearchFunc(served, requester, func(s service, requester uint16) int { return int(s.requester) - int(requester) })
}

// following is the index after another one, in a circle of so many.
func following[T uint16 | uint32](index T, count int) T {
	if int(index) == count-1 {
		return 0
	}
	return index + 1
}

// QuietFor implements Quiet: every holder holds on, no one else requests a free arbiter,
// and the outputs show the registers. The turns of TDMA never stop.
func (a *Arbiters) QuietFor(limit uint64) uint64 {
	if a.kind == ArbiterTDMA {
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

// derive makes lists and outputs of the registers.
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
	for i := range a.served {
		a.served[i] = a.served[i][:0]
	}
	for k, who := range a.servedWho {
		a.served[who>>32] = append(a.served[who>>32], service{uint16(who), a.servedAt[k]})
	}
	for unit := range a.turn {
		a.turn[unit], a.elapsed[unit] = a.turn[0], a.elapsed[0]
	}
}

func (a *Arbiters) collectServed() {
	a.servedWho, a.servedAt = a.servedWho[:0], a.servedAt[:0]
	for i, served := range a.served {
		for _, s := range served {
			a.servedWho = append(a.servedWho, uint64(i)<<32|uint64(s.requester))
			a.servedAt = append(a.servedAt, s.at)
		}
	}
}

// checkServed returns the check of servedWho, which judges one after the other.
func (a *Arbiters) checkServed() func(i int, who uint64) error {
	before := uint64(0)
	return func(i int, who uint64) error {
		if who>>32 >= uint64(len(a.granted)) || who&0xFFFFFFFF >= uint64(a.requesters) {
			return fmt.Errorf("element %d is %#x: there are %d arbiters of %d requesters", i, who, len(a.granted), a.requesters)
		}
		if i > 0 && who <= before {
			return fmt.Errorf("element %d is %#x, it must be above %#x", i, who, before)
		}
		before = who
		return nil
	}
}
