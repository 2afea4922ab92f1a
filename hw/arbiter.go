package hw

import (
	"fmt"
	"math/bits"
)

// ArbiterKind says who of several requesters is served.
type ArbiterKind uint8

// The kinds of arbiters. "Free" is a cycle in which no holder goes on.
const (
	// ArbiterFixed: the lowest index. The others may starve.
	ArbiterFixed ArbiterKind = iota
	// ArbiterRoundRobin: the first requester behind the one that was granted last.
	// A requester waits for at most Requesters-1 frames of others.
	ArbiterRoundRobin
	// ArbiterMatrix: the requester whose last grant began longest ago, before all
	// of them those that never had one, lowest index first. At most Requesters-1
	// frames of others.
	ArbiterMatrix
	// ArbiterTDMA: requester 0 for SliceCycles cycles, then 1, and so on, whether
	// they request or not; only the one whose turn it is can be granted. The turns
	// never stop: who is still held up by another's frame when its turn ends has
	// lost it.
	ArbiterTDMA
)

// ArbiterKinds are the names of the kinds in scenarios, reports and files.
var ArbiterKinds = []string{"fixed", "round_robin", "matrix", "tdma"}

// String returns the kind's name.
func (k ArbiterKind) String() string {
	if int(k) < len(ArbiterKinds) {
		return ArbiterKinds[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Limits of the parameters of arbiters.
const (
	RequestersMax  = 64
	SliceCyclesMax = 65535
)

// Arbiters is a bank of arbiters of one kind. Each has up to 64 requesters, one
// bit each of a request word, and grants at most one of them.
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
// anew over the requests of cycle 3: the medium changes hands without a gap, and
// the granted requester owns it in every cycle in which it sees its grant. A
// request that falls before it is granted is forgotten. The kind decides only
// when nobody holds on (ArbiterKind).
//
// Reset: no grant; round robin starts at 0; the matrix as if nobody had been
// granted yet; TDMA with the first cycle of slice 0. Also in mid-frame.
//
// Parameters: kind, requesters, slice cycles. Ports: request in; grant (one-hot,
// 0 for nobody) and index (0 for nobody) out. Twins: arbiter_fixed.v,
// arbiter_round_robin.v, arbiter_matrix.v, arbiter_tdma.v. (DESIGN section 4.)
type Arbiters struct {
	Registers
	bank       Bank
	kind       ArbiterKind
	requesters int
	slice      uint16

	request, grant, index *Signal

	// Registers; those that the kind does not use are nil.
	granted []uint64 // one-hot, 0 for nobody
	first   []uint8  // round robin: who is asked first
	beaten  []uint64 // matrix: requesters words per arbiter, word i: who goes before i
	turn    []uint8  // TDMA: whose slice it is...
	elapsed []uint16 // ...and how many cycles of it are over
}

// ArbiterConfig are the parameters of a bank of arbiters.
type ArbiterConfig struct {
	Bank        Bank
	Kind        ArbiterKind
	Requesters  int     // 1..RequestersMax
	SliceCycles int     // TDMA: 1..SliceCyclesMax; else 0
	Request     *Signal // Requesters bits, one word per arbiter
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
	case int(c.Kind) >= len(ArbiterKinds):
		return nil, fmt.Errorf("%s: arbiter of %v, allowed are %v", path, c.Kind, ArbiterKinds)
	case c.Requesters < 1 || c.Requesters > RequestersMax:
		return nil, fmt.Errorf("%s: %d requesters, allowed are 1 to %d", path, c.Requesters, RequestersMax)
	case c.SliceCycles < min(1, slice) || c.SliceCycles > slice:
		return nil, fmt.Errorf("%s: slices of %d cycles, allowed for %v are %d to %d", path, c.SliceCycles, c.Kind, min(1, slice), slice)
	}
	if err := c.Request.checkInput(c.Bank, "request", c.Requesters); err != nil {
		return nil, err
	}
	grant, err := NewSignal(c.Bank, "grant", c.Requesters)
	if err != nil {
		return nil, err
	}
	index, err := NewSignal(c.Bank, "index", 6)
	if err != nil {
		return nil, err
	}
	cells := c.Bank.Size()
	a := &Arbiters{
		bank: c.Bank, kind: c.Kind, requesters: c.Requesters, slice: uint16(c.SliceCycles),
		request: c.Request, grant: grant, index: index,
		granted: make([]uint64, cells),
	}
	last := uint8(c.Requesters - 1)
	registers := []Register{Column("granted", a.granted, a.checkGranted)}
	switch c.Kind {
	case ArbiterRoundRobin:
		a.first = make([]uint8, cells)
		registers = append(registers, Column("first", a.first, AtMost(last)))
	case ArbiterMatrix:
		a.beaten = make([]uint64, cells*c.Requesters)
		nobodyServed := make([]uint64, c.Requesters)
		for i := range nobodyServed {
			nobodyServed[i] = 1<<i - 1
		}
		registers = append(registers, Column("beaten", a.beaten, a.checkOrder()).ResetTo(nobodyServed...))
	case ArbiterTDMA:
		a.turn, a.elapsed = make([]uint8, cells), make([]uint16, cells)
		registers = append(registers, Column("turn", a.turn, AtMost(last)), Column("elapsed", a.elapsed, AtMost(a.slice-1)))
	}
	a.Registers = Declare(Declaration{
		Bank: c.Bank, Registers: registers,
		Wires: []Probed{inEach{c.Bank, []string{"request", "grant", "index"}, []*Signal{a.request, grant, index}}},
	})
	a.Reset()
	return a, nil
}

// Grant is the one-hot grant of every arbiter, 0 for nobody.
func (a *Arbiters) Grant() *Signal { return a.grant }

// Index is the index of the granted requester, 0 when Grant is 0.
func (a *Arbiters) Index() *Signal { return a.index }

// Site says what the ports of an arbiter are.
func (a *Arbiters) Site() *Site {
	parameters := map[string]int{"REQUESTERS": a.requesters}
	if a.kind == ArbiterTDMA {
		parameters["SLICE_CYCLES"] = int(a.slice)
	}
	return &Site{
		Twin: "arbiter_" + a.kind.String(), What: "arbiters", Parameters: Same(parameters),
		Elements: a.bank.Size(), Path: a.bank.Element, Clocked: true,
		Ports: []Port{SignalPort("request_i", a.request, true), SignalPort("grant_o", a.grant, false), SignalPort("index_o", a.index, false)},
	}
}

// Drives are grant and index.
func (a *Arbiters) Drives() []Wire { return []Wire{a.grant, a.index} }

// Drive shows who is granted.
func (a *Arbiters) Drive(s Shard) {
	first, end := a.bank.Cells(s)
	if several := driveGrants(a.grant.Value[first:end], a.index.Value[first:end], a.granted[first:end]); several {
		for i := first; i < end; i++ {
			if err := a.checkGranted(i, a.granted[i]); err != nil {
				broken(a.bank.Element(i), "%v", err)
			}
		}
	}
}

// driveGrants reports whether one of the grants is not one-hot.
func driveGrants(grant, index, granted []uint64) (several bool) {
	wrong := uint64(0)
	for i, g := range granted {
		grant[i] = g
		index[i] = uint64(bits.TrailingZeros64(g)) & 63 // 64 for nobody
		wrong |= g & (g - 1)
	}
	return wrong != 0
}

// Latches is the request.
func (a *Arbiters) Latches() []Wire { return []Wire{a.request} }

// Latch decides who is granted in the next cycle.
func (a *Arbiters) Latch(s Shard) {
	first, end := a.bank.Cells(s)
	granted, request := a.granted[first:end], a.request.Value[first:end]
	wrong := -1 // element of the shard whose order or turn cannot be
	switch a.kind {
	case ArbiterFixed:
		latchFixed(granted, request)
	case ArbiterRoundRobin:
		wrong = latchRoundRobin(granted, request, a.first[first:end], a.requesters)
	case ArbiterMatrix:
		wrong = latchMatrix(granted, request, a.beaten[first*a.requesters:end*a.requesters], a.requesters)
	case ArbiterTDMA:
		wrong = latchTDMA(granted, request, a.turn[first:end], a.elapsed[first:end], a.requesters, a.slice)
	}
	if wrong >= 0 {
		broken(a.bank.Element(first+wrong), "%s", a.disorder(first+wrong))
	}
	if i := stranger(granted, request); i >= 0 {
		broken(a.bank.Element(first+i), "%#x is granted, %#x request", granted[i], request[i])
	}
}

func latchFixed(granted, request []uint64) {
	for i, r := range request {
		if granted[i]&r == 0 {
			granted[i] = chooseFixed(r)
		}
	}
}

func latchRoundRobin(granted, request []uint64, first []uint8, requesters int) (wrong int) {
	for i, r := range request {
		if granted[i]&r == 0 {
			if int(first[i]) >= requesters {
				return i
			}
			granted[i] = chooseRoundRobin(r, first[i])
			if granted[i] != 0 {
				first[i] = following(uint8(bits.TrailingZeros64(granted[i])), requesters)
			}
		}
	}
	return -1
}

func latchMatrix(granted, request, beaten []uint64, requesters int) (wrong int) {
	for i, r := range request {
		if granted[i]&r == 0 {
			own := beaten[i*requesters:][:requesters]
			granted[i] = chooseMatrix(r, own)
			if granted[i] == 0 && r != 0 {
				return i
			}
			serve(granted[i], own)
		}
	}
	return -1
}

func latchTDMA(granted, request []uint64, turn []uint8, elapsed []uint16, requesters int, slice uint16) (wrong int) {
	for i, r := range request {
		if granted[i]&r == 0 {
			granted[i] = r & (1 << turn[i])
		}
		if elapsed[i]++; elapsed[i] >= slice {
			if elapsed[i] > slice || int(turn[i]) >= requesters {
				return i
			}
			elapsed[i] = 0
			turn[i] = following(turn[i], requesters)
		}
	}
	return -1
}

// stranger returns an arbiter that grants somebody who does not request, -1 for none.
func stranger(granted, request []uint64) int {
	wrong := uint64(0)
	for i, g := range granted {
		wrong |= g &^ request[i]
	}
	if wrong == 0 {
		return -1
	}
	i := 0
	for granted[i]&^request[i] == 0 {
		i++
	}
	return i
}

// disorder says what cannot be of an arbiter's pointer, order or turn.
func (a *Arbiters) disorder(i int) string {
	switch a.kind {
	case ArbiterMatrix:
		return fmt.Sprintf("%#x request and no one is first in the order", a.request.Value[i])
	case ArbiterTDMA:
		return fmt.Sprintf("turn of requester %d of %d in cycle %d of a slice of %d", a.turn[i], a.requesters, a.elapsed[i], a.slice)
	default:
		return fmt.Sprintf("the pointer is %d of %d requesters", a.first[i], a.requesters)
	}
}

// chooseFixed is the lowest request as one-hot, 0 for none.
func chooseFixed(request uint64) uint64 { return request & -request }

// chooseRoundRobin is the first request at or behind index first, else the lowest.
func chooseRoundRobin(request uint64, first uint8) uint64 {
	if behind := request &^ (1<<first - 1); behind != 0 {
		return chooseFixed(behind)
	}
	return chooseFixed(request)
}

// chooseMatrix is the one request that no other request beats.
func chooseMatrix(request uint64, beaten []uint64) uint64 {
	for left := request; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros64(left); request&beaten[i] == 0 {
			return 1 << i
		}
	}
	return 0
}

// serve makes the granted requester the last in the order.
func serve(granted uint64, beaten []uint64) {
	if granted == 0 {
		return
	}
	for i := range beaten {
		beaten[i] &^= granted
	}
	beaten[bits.TrailingZeros64(granted)] = everybody(len(beaten)) &^ granted
}

func everybody(requesters int) uint64 { return ^uint64(0) >> (64 - requesters) }

func following(index uint8, requesters int) uint8 {
	if int(index) == requesters-1 {
		return 0
	}
	return index + 1
}

// QuietFor implements Quiet: every holder holds on, or nobody requests, and the outputs
// show the registers. The turns of TDMA never stop.
func (a *Arbiters) QuietFor(limit uint64) uint64 {
	if a.kind == ArbiterTDMA {
		return 0
	}
	for i, granted := range a.granted {
		request := a.request.Value[i]
		if a.grant.Value[i] != granted || granted&request == 0 && granted|request != 0 {
			return 0
		}
	}
	return limit
}

func (a *Arbiters) checkGranted(i int, granted uint64) error {
	if granted&^everybody(a.requesters) != 0 || granted&(granted-1) != 0 {
		return fmt.Errorf("element %d is %#x, at most one of %d requesters can be granted", i, granted, a.requesters)
	}
	return nil
}

// checkOrder returns the check of beaten, which judges the words one after the other.
func (a *Arbiters) checkOrder() func(i int, beaten uint64) error {
	ranked := uint64(0) // how many requesters go before each: 0, 1, 2, ... in any order
	return func(i int, beaten uint64) error {
		if i%a.requesters == 0 {
			ranked = 0
		}
		ranked |= 1 << bits.OnesCount64(beaten)
		switch {
		case beaten&^everybody(a.requesters) != 0 || beaten>>(i%a.requesters)&1 != 0:
			return fmt.Errorf("element %d is %#x: requester %d of %d", i, beaten, i%a.requesters, a.requesters)
		case i%a.requesters == a.requesters-1 && ranked != everybody(a.requesters):
			return fmt.Errorf("element %d: the requesters are in no order", i)
		}
		return nil
	}
}
