package hw

import (
	"fmt"
	"math"
	"math/bits"
)

const (
	FIFODepthMax     = 65535 // maximum depth in words
	FIFOCountBitsMax = 32    // maximum width of the overflow counter in bits
)

// FIFOs is a bank of synchronous first-in first-out buffers.
//
// Inputs: push, data and pop. Registered outputs: head, count, overflow and overflows. A word pushed in cycle c can
// be the head in cycle c+1. Throughput one push and one pop per cycle. The head is visible without a pop; it is 0
// while count is 0.
//
// A pop precedes a push in the same cycle, so a full FIFO accepts a push together with a pop. A pop of an empty FIFO
// has no effect, even with a push in the same cycle. A push into a full FIFO loses the word: overflow is 1 in the
// next cycle, and overflows, a counter that saturates at 2^CountBits-1, increases by 1.
//
// Reset at any time: empty, overflow and overflows 0. Parameters: depth, width, count bits. Twin: fifo.v.
type FIFOs struct {
	Registers
	bank  Bank
	depth int
	width int
	limit uint32 // maximum of overflows

	push, data, pop, head, count, overflow, overflows *Signal

	// Registers.
	words []uint64 // depth words per FIFO
	first []uint16 // by FIFO: position of the head
	held  []uint16 // by FIFO: number of words
	lost  []uint8  // by FIFO: 1 if the push of the previous cycle was lost
	total []uint32 // by FIFO: number of lost pushes, at most limit
}

// FIFOConfig holds the parameters of a bank of FIFOs.
type FIFOConfig struct {
	Bank      Bank
	Depth     int // words, 1..FIFODepthMax
	Width     int // bits of a word, 1..64
	CountBits int // width of the overflow counter, 1..FIFOCountBitsMax

	Push, Pop *Signal // 1 bit
	Data      *Signal // Width bits
}

// NewFIFOs returns a bank of empty FIFOs.
func NewFIFOs(c FIFOConfig) (*FIFOs, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	switch {
	case c.Depth < 1 || c.Depth > FIFODepthMax:
		return nil, fmt.Errorf("%s: depth of %d words; allowed: 1 to %d", path, c.Depth, FIFODepthMax)
	case c.Width < 1 || c.Width > 64:
		return nil, fmt.Errorf("%s: words of %d bits; allowed: 1 to 64", path, c.Width)
	case c.CountBits < 1 || c.CountBits > FIFOCountBitsMax:
		return nil, fmt.Errorf("%s: overflow counter of %d bits; allowed: 1 to %d", path, c.CountBits, FIFOCountBitsMax)
	}
	for _, err := range []error{
		c.Push.checkInput(c.Bank, "push", 1), c.Data.checkInput(c.Bank, "data", c.Width), c.Pop.checkInput(c.Bank, "pop", 1),
	} {
		if err != nil {
			return nil, err
		}
	}
	cells := c.Bank.Size()
	f := &FIFOs{
		bank: c.Bank, depth: c.Depth, width: c.Width,
		limit: uint32(math.MaxUint32 >> (32 - c.CountBits)),
		push:  c.Push, data: c.Data, pop: c.Pop,
		words: make([]uint64, cells*c.Depth), first: make([]uint16, cells), held: make([]uint16, cells),
		lost: make([]uint8, cells), total: make([]uint32, cells),
	}
	for _, out := range []struct {
		wire **Signal
		name string
		bits int
	}{
		{&f.head, "head", c.Width}, {&f.count, "count", bits.Len(uint(c.Depth))},
		{&f.overflow, "overflow", 1}, {&f.overflows, "overflows", c.CountBits},
	} {
		var err error
		if *out.wire, err = NewSignal(c.Bank, out.name, out.bits); err != nil {
			return nil, err
		}
	}
	f.Registers = Declare(Declaration{
		Bank: c.Bank,
		Registers: []Register{
			Column("words", f.words, AtMost(^uint64(0)>>(64-c.Width))),
			Column("first", f.first, AtMost(uint16(c.Depth-1))),
			Column("held", f.held, AtMost(uint16(c.Depth))),
			Column("lost", f.lost, AtMost[uint8](1)),
			Column("total", f.total, AtMost(f.limit)),
		},
		Wires: []Probed{f.head, f.count, f.overflow, f.overflows},
	})
	return f, nil
}

func (f *FIFOs) Site() *Site {
	return &Site{
		Twin: "fifo", What: "FIFOs",
		Parameters: Same(map[string]int{"DEPTH": f.depth, "WIDTH": f.width, "COUNT_BITS": f.overflows.width}),
		Elements:   f.bank.Size(), Path: f.bank.Element, Clocked: true,
		Ports: []Port{
			SignalPort("push_i", f.push, true), SignalPort("data_i", f.data, true), SignalPort("pop_i", f.pop, true),
			SignalPort("head_o", f.head, false), SignalPort("count_o", f.count, false),
			SignalPort("overflow_o", f.overflow, false), SignalPort("overflows_o", f.overflows, false),
		},
	}
}

func (f *FIFOs) Drives() []Wire { return []Wire{f.head, f.count, f.overflow, f.overflows} }

func (f *FIFOs) Drive(s Shard) {
	first, end := f.bank.Cells(s)
	wrong := driveFIFOs(f.head.Value[first:end], f.count.Value[first:end], f.words[first*f.depth:],
		f.first[first:end], f.held[first:end], f.depth)
	if wrong >= 0 {
		i := first + wrong
		broken(f.bank.Element(i), "%d words with the head in place %d, but the depth is %d", f.held[i], f.first[i], f.depth)
	}
	for i := first; i < end; i++ {
		f.overflow.Value[i] = uint64(f.lost[i])
		f.overflows.Value[i] = uint64(f.total[i])
	}
}

// driveFIFOs returns the index of a FIFO with a count or head out of range, -1 if none.
func driveFIFOs(head, count, words []uint64, first, held []uint16, depth int) (wrong int) {
	for i, n := range held {
		count[i], head[i] = uint64(n), 0
		if n > 0 {
			if int(n) > depth || int(first[i]) >= depth {
				return i
			}
			head[i] = words[i*depth+int(first[i])]
		}
	}
	return -1
}

func (f *FIFOs) Latches() []Wire { return []Wire{f.push, f.data, f.pop} }

func (f *FIFOs) Latch(s Shard) {
	first, end := f.bank.Cells(s)
	push, data, pop := f.push.Value[first:end], f.data.Value[first:end], f.pop.Value[first:end]
	words, places, held := f.words[first*f.depth:], f.first[first:end], f.held[first:end]
	popFIFOs(pop, places, held, f.depth)
	pushFIFOs(push, data, words, places, held, f.lost[first:end], f.depth)
	if wrong := countLost(f.lost[first:end], f.total[first:end], f.limit); wrong >= 0 {
		i := first + wrong
		broken(f.bank.Element(i), "%d pushes were lost, but the counter saturates at %d", f.total[i], f.limit)
	}
}

func popFIFOs(pop []uint64, first, held []uint16, depth int) {
	for i, p := range pop {
		if p != 0 && held[i] > 0 {
			first[i] = wrapped(int(first[i])+1, depth)
			held[i]--
		}
	}
}

func pushFIFOs(push, data, words []uint64, first, held []uint16, lost []uint8, depth int) {
	for i, p := range push {
		lost[i] = 0
		switch {
		case p == 0:
		case int(held[i]) == depth:
			lost[i] = 1
		default:
			words[i*depth+int(wrapped(int(first[i])+int(held[i]), depth))] = data[i]
			held[i]++
		}
	}
}

// countLost counts lost pushes. It returns the index of a counter out of range, -1 if none.
func countLost(lost []uint8, total []uint32, limit uint32) (wrong int) {
	for i, l := range lost {
		if total[i] < limit {
			total[i] += uint32(l)
		} else if total[i] > limit {
			return i
		}
	}
	return -1
}

// wrapped returns place modulo depth for places below 2*depth.
func wrapped(place, depth int) uint16 {
	if place >= depth {
		place -= depth
	}
	return uint16(place)
}

func (f *FIFOs) QuietFor(limit uint64) uint64 {
	for i, held := range f.held {
		head := uint64(0)
		if held > 0 {
			head = f.words[i*f.depth+int(f.first[i])]
		}
		if f.push.Value[i]|f.pop.Value[i] != 0 || f.lost[i] != 0 || f.overflow.Value[i] != 0 ||
			f.head.Value[i] != head || f.count.Value[i] != uint64(held) || f.overflows.Value[i] != uint64(f.total[i]) {
			return 0
		}
	}
	return limit
}
