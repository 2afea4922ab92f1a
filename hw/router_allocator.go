package hw

import (
	"fmt"
	"strconv"
	"strings"
)

// RouterAllocator is a method to match requests of inputs for outputs: the number of an AllocatorSpec in the low
// byte, and its parameter in the high byte (rounds - 1, or the number of a TieBreak). Each kind has its own file, such
// as router_allocator_select.go for Select.
type RouterAllocator uint16

// AllocatorSpec declares a kind of allocator.
type AllocatorSpec struct {
	Name   string // name in scenarios, as in BookSim
	Rounds bool   // islip(2): the kind takes a number of rounds, by default 1
	Ties   bool   // separable_input_first(matrix): the kind takes a TieBreak, by default round_robin

	New func(shape *allocatorShape) allocation
}

// TieBreak is the arbiter among requests of equal priority.
type TieBreak uint8

const (
	// RoundRobinTies grants in circular order after the last winner.
	RoundRobinTies TieBreak = iota
	// MatrixTies grants the least recent winner, after reset the highest index first.
	MatrixTies
)

var tieBreaks = []string{"round_robin", "matrix"}

// allocatorRoundsMax is the maximum number of rounds of an allocator.
const allocatorRoundsMax = 64

var allocatorKinds [256]*AllocatorSpec

func registerAllocator(kind RouterAllocator, spec AllocatorSpec) { allocatorKinds[kind] = &spec }

func (a RouterAllocator) spec() *AllocatorSpec { return allocatorKinds[a&255] }
func (a RouterAllocator) parameter() int       { return int(a >> 8) }

// With returns the allocator with a parameter: the number of rounds - 1, or a TieBreak.
func (a RouterAllocator) With(parameter int) RouterAllocator {
	return a | RouterAllocator(parameter)<<8
}

func (a RouterAllocator) String() string {
	s := a.spec()
	switch {
	case s == nil:
		return fmt.Sprintf("allocator(%d)", uint16(a))
	case a.parameter() == 0:
		return s.Name
	case s.Ties:
		return s.Name + "(" + tieBreaks[a.parameter()] + ")"
	}
	return fmt.Sprintf("%s(%d)", s.Name, a.parameter()+1)
}

func (a RouterAllocator) check() error {
	s := a.spec()
	if s == nil || a.parameter() > 0 && !s.Rounds && !s.Ties || s.Ties && a.parameter() >= len(tieBreaks) ||
		a.parameter() >= allocatorRoundsMax {
		return fmt.Errorf("%v; allowed: %s", a, strings.Join(RouterAllocators(), ", "))
	}
	return nil
}

// RouterAllocators returns the names of the kinds with their parameters.
func RouterAllocators() (names []string) {
	for _, s := range allocatorKinds {
		switch {
		case s == nil:
		case s.Rounds:
			names = append(names, s.Name, s.Name+"(N)")
		case s.Ties:
			names = append(names, s.Name, s.Name+"("+tieBreaks[1]+")")
		default:
			names = append(names, s.Name)
		}
	}
	return names
}

// RouterAllocatorOf returns the allocator with a name such as islip, islip(2) or separable_input_first(matrix).
func RouterAllocatorOf(name string) (RouterAllocator, error) {
	kind, parameter, bracket := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	for k, s := range allocatorKinds {
		if s == nil || s.Name != kind || bracket != strings.HasSuffix(name, ")") {
			continue
		}
		rounds, err := strconv.Atoi(parameter)
		switch {
		case !bracket:
			return RouterAllocator(k), nil
		case s.Rounds && err == nil && rounds >= 1 && rounds <= allocatorRoundsMax:
			return RouterAllocator(k).With(rounds - 1), nil
		case s.Ties && parameter == tieBreaks[0]:
			return RouterAllocator(k), nil
		case s.Ties && parameter == tieBreaks[1]:
			return RouterAllocator(k).With(1), nil
		}
	}
	return 0, fmt.Errorf("no allocator %q; allowed: %s, with N from 1 to %d", name, strings.Join(RouterAllocators(), ", "),
		allocatorRoundsMax)
}

// allocation matches the requests of one router at a time. It holds the memory of all routers' allocators of one role.
type allocation interface {
	// match appends the matches to m.matches and advances the memory.
	match(m *matching)
	registers() []Register
}

// allocatorShape holds the sizes of a bank of allocators.
type allocatorShape struct {
	name      string // prefix of the registers
	parameter int
	ins, outs []int // by router: number of inputs, and of outputs

	grant, accept pointers // by output, and by input
}

// request is a request of an input for an output. Of priorities the larger wins.
type request struct {
	in, out                 int32
	member                  int32 // for the switch: the input VC
	inPriority, outPriority int32
}

// leastPriority is added to the priorities of speculative requests.
const leastPriority = -1 << 31

// matching is a call of an allocator: the requests of one router, and the matches among them.
type matching struct {
	router    int
	in, out   int // number of the router's first input and output in the columns of pointers
	ins, outs int
	requests  []request
	matches   []int32 // positions in requests
	closed    []int32 // outputs that an input has given up for another output; they count as matched

	best, pick    []int32 // by output and by input: position of the best request so far, -1 for none
	toOut, fromIn []int32 // by input and by output: position of the matched request, -1 for none
	order         []int32
}

func (m *matching) build(members int) {
	m.best, m.pick = make([]int32, members), make([]int32, members)
	m.toOut, m.fromIn = make([]int32, members), make([]int32, members)
}

// begin prepares the columns of the requested outputs and the requesting inputs.
func (m *matching) begin() {
	m.matches, m.closed = m.matches[:0], m.closed[:0]
	for i := range m.requests {
		q := &m.requests[i]
		m.best[q.out], m.pick[q.in] = -1, -1
	}
}

// pointers is a column of pointers of either width.
type pointers struct {
	ports []uint8
	vcs   []uint16
}

func (p *pointers) at(i int) int {
	if p.ports != nil {
		return int(p.ports[i])
	}
	return int(p.vcs[i])
}

func (p *pointers) set(i int, value uint16) {
	if p.ports != nil {
		p.ports[i] = uint8(value)
		return
	}
	p.vcs[i] = value
}

func distance(i, pointer, n int) int {
	if i -= pointer; i < 0 {
		i += n
	}
	return i
}

func next(i, n int) uint16 {
	if i++; i == n {
		return 0
	}
	return uint16(i)
}
