package hw

import "fmt"

// requesterNumbers holds a number, initially 0, for each requester of each arbiter.
type requesterNumbers struct {
	requesters int
	rows       [][]uint64 // by arbiter and requester, up to the last requester with a number

	// The saved form: arbiter<<32 | requester, ascending.
	who, values []uint64
}

func newRequesterNumbers(s ArbiterShape) requesterNumbers {
	return requesterNumbers{requesters: s.Requesters, rows: make([][]uint64, s.Arbiters)}
}

func (n *requesterNumbers) of(arbiter, requester uint32) uint64 {
	if row := n.rows[arbiter]; int(requester) < len(row) {
		return row[requester]
	}
	return 0
}

func (n *requesterNumbers) set(arbiter, requester uint32, value uint64) {
	if more := int(requester) + 1 - len(n.rows[arbiter]); more > 0 {
		n.rows[arbiter] = append(n.rows[arbiter], make([]uint64, more)...)
	}
	n.rows[arbiter][requester] = value
}

func (n *requesterNumbers) clear(arbiter uint32) { clear(n.rows[arbiter]) }

// declare returns a Declaration of the numbers and other registers.
func (n *requesterNumbers) declare(who, values string, check func(i int, value uint64) error,
	others ...Register) Declaration {
	return Declaration{
		Registers: append(others, List(who, &n.who, n.checkWho()), List(values, &n.values, check)),
		Collect: func() {
			n.who, n.values = n.who[:0], n.values[:0]
			for i, row := range n.rows {
				for requester, value := range row {
					if value != 0 {
						n.who, n.values = append(n.who, uint64(i)<<32|uint64(requester)), append(n.values, value)
					}
				}
			}
		},
		Derive: func() {
			for i := range n.rows {
				n.clear(uint32(i))
			}
			for k, who := range n.who {
				n.set(uint32(who>>32), uint32(who), n.values[k])
			}
		},
	}
}

// checkWho returns a check that the numbers of requesters are in range and ascending.
func (n *requesterNumbers) checkWho() func(i int, who uint64) error {
	before := uint64(0)
	return func(i int, who uint64) error {
		if who>>32 >= uint64(len(n.rows)) || who&0xFFFFFFFF >= uint64(n.requesters) {
			return fmt.Errorf("element %d is %#x, but there are %d arbiters of %d requesters", i, who, len(n.rows), n.requesters)
		}
		if i > 0 && who <= before {
			return fmt.Errorf("element %d is %#x; it must be above %#x", i, who, before)
		}
		before = who
		return nil
	}
}
