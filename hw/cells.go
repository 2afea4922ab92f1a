package hw

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Cell is a register, or a word of a memory: one element of a column of state. As a Probe it is
// named by component and column, with [i] in a column of several.
type Cell struct {
	Probe
	Limit uint64 // the largest value that a saved state may have there
}

// Cells are all registers of some parts, in the order of a saved state, and the names of the columns
// that are left out: those whose length is part of the state.
func Cells(parts ...Stateful) (cells []Cell, lists []string) {
	v := &StateVisitor{
		look: func(c Cell) { cells = append(cells, c) }, list: func(name string) { lists = append(lists, name) },
	}
	for _, part := range parts {
		v.Within(part)
	}
	return cells, lists
}

// Collect makes Cells show what is there now, where components keep registers in another shape.
func Collect(parts ...Stateful) {
	v := &StateVisitor{look: func(Cell) {}, list: func(string) {}, collects: true}
	for _, part := range parts {
		v.Within(part)
	}
}

func lookAt[T Fixed](v *StateVisitor, name string, column []T, checks []func(int, T) error) {
	if v.collects {
		return
	}
	_, size := kindOf[T]()
	limit := ^uint64(0) >> (64 - 8*size)
	if ^T(0) > 0 && len(column) > 0 {
		limit = max(limitOf(limit, allows(0, checks)), limitOf(limit, allows(len(column)-1, checks)))
	}
	for i := range column {
		c := Cell{Probe: Probe{Path: v.prefix + name, Bits: max(1, bits.Len64(limit))}, Limit: limit}
		if len(column) > 1 {
			c.Path = fmt.Sprintf("%s[%d]", c.Path, i)
		}
		at := unsafe.Pointer(&column[i]) // a signed register is shown as its bits
		switch size {
		case 1:
			c.p8 = (*uint8)(at)
		case 2:
			c.p16 = (*uint16)(at)
		case 4:
			c.p32 = (*uint32)(at)
		default:
			c.p64 = (*uint64)(at)
		}
		v.look(c)
	}
}

func allows[T Fixed](i int, checks []func(int, T) error) func(value uint64) bool {
	return func(value uint64) bool {
		for _, check := range checks {
			if check(i, T(value)) != nil {
				return false
			}
		}
		return true
	}
}

// limitOf is the largest value up to most that is allowed, if all below it are as well; else it is most.
func limitOf(most uint64, allowed func(value uint64) bool) uint64 {
	low, high := uint64(0), most // low is allowed, or nothing is
	for low < high {
		middle := low + (high-low)/2 + (high-low)%2
		if allowed(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	for _, value := range []uint64{0, low / 2, low} {
		if !allowed(value) {
			return most
		}
	}
	return low
}
