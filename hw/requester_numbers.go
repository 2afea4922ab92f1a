package hw

import (
	"fmt"
	"slices"
)

// denseMax is how many requesters have a place each; of more, only requesters with a number do.
const denseMax = 512

// requesterNumbers holds a number for some requesters of each arbiter; the others have 0.
type requesterNumbers struct {
	requesters int
	dense      [][]uint64          // by arbiter and requester, nil before the first number; nil above denseMax
	rows       [][]requesterNumber // by arbiter, in ascending order of requesters; nil up to denseMax

	// As a saved state has them: arbiter<<32 | requester, ascending.
	who, values []uint64
}

type requesterNumber struct {
	requester uint32
	value     uint64
}

func newRequesterNumbers(s ArbiterShape) requesterNumbers {
	if s.Requesters <= denseMax {
		return requesterNumbers{requesters: s.Requesters, dense: make([][]uint64, s.Arbiters)}
	}
	return requesterNumbers{requesters: s.Requesters, rows: make([][]requesterNumber, s.Arbiters)}
}

func (n *requesterNumbers) find(arbiter, requester uint32) (place int, ok bool) {
	return slices.BinarySearchFunc(n.rows[arbiter], requester, func(r requesterNumber, requester uint32) int {
		return int(r.requester) - int(requester)
	})
}

// of is the number of a requester.
func (n *requesterNumbers) of(arbiter, requester uint32) uint64 {
	if n.dense != nil {
		if row := n.dense[arbiter]; row != nil {
			return row[requester]
		}
		return 0
	}
	if place, ok := n.find(arbiter, requester); ok {
		return n.rows[arbiter][place].value
	}
	return 0
}

func (n *requesterNumbers) set(arbiter, requester uint32, value uint64) {
	if n.dense != nil {
		if n.dense[arbiter] == nil {
			n.dense[arbiter] = make([]uint64, n.requesters)
		}
		n.dense[arbiter][requester] = value
		return
	}
	place, ok := n.find(arbiter, requester)
	if !ok {
		n.rows[arbiter] = slices.Insert(n.rows[arbiter], place, requesterNumber{requester: requester})
	}
	n.rows[arbiter][place].value = value
}

// clear sets all numbers of an arbiter to 0.
func (n *requesterNumbers) clear(arbiter uint32) {
	if n.dense != nil {
		clear(n.dense[arbiter])
	} else {
		n.rows[arbiter] = n.rows[arbiter][:0]
	}
}

// declare is the memory of a kind that has them beside other registers.
func (n *requesterNumbers) declare(who, values string, check func(i int, value uint64) error, others ...Register) Declaration {
	return Declaration{
		Registers: append(others, List(who, &n.who, n.checkWho()), List(values, &n.values, check)),
		Collect: func() {
			n.who, n.values = n.who[:0], n.values[:0]
			for i, row := range n.dense {
				for requester, value := range row {
					if value != 0 {
						n.who, n.values = append(n.who, uint64(i)<<32|uint64(requester)), append(n.values, value)
					}
				}
			}
			for i, row := range n.rows {
				for _, r := range row {
					n.who, n.values = append(n.who, uint64(i)<<32|uint64(r.requester)), append(n.values, r.value)
				}
			}
		},
		Derive: func() {
			for i := range max(len(n.dense), len(n.rows)) {
				n.clear(uint32(i))
			}
			for k, who := range n.who {
				n.set(uint32(who>>32), uint32(who), n.values[k])
			}
		},
	}
}

// checkWho returns the check of who, which judges one after the other.
func (n *requesterNumbers) checkWho() func(i int, who uint64) error {
	before := uint64(0)
	return func(i int, who uint64) error {
		if who>>32 >= uint64(max(len(n.dense), len(n.rows))) || who&0xFFFFFFFF >= uint64(n.requesters) {
			return fmt.Errorf("element %d is %#x: there are %d arbiters of %d requesters", i, who, max(len(n.dense), len(n.rows)), n.requesters)
		}
		if i > 0 && who <= before {
			return fmt.Errorf("element %d is %#x, it must be above %#x", i, who, before)
		}
		before = who
		return nil
	}
}
