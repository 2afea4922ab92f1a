package explore

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"starloom/fabric/outcome"
)

// keySeed is the fixed seed of state keys.
const keySeed = 0x5374_6172_6C6F_6F6D // "Starloom"

// key identifies a state by its future columns.
type key struct{ hi, lo uint64 }

func keyOf(future []byte) key {
	h := xxh3.Hash128Seed(future, keySeed)
	return key{h.Hi, h.Lo}
}

// none is no node.
const none = ^uint32(0)

// node is a state with the faults of a path to it, 40 bytes. Nodes with one key form a list; their vectors are
// Pareto-minimal.
type node struct {
	key    key
	used   vector
	parent uint32
	choice uint32 // number of the choice of faults in the step from parent; 0 for none
	same   uint32 // next node of the key
	beaten bool   // a later node with the same key has fewer faults
}

// edge is a step between two nodes.
type edge struct{ from, to uint32 }

// nodes are all found states, in the order of their discovery.
type nodes struct {
	all     []node
	table   []uint32 // open-addressing table of the last node of each key; none marks a free entry
	next    []uint32 // for untimed states: the successor of each node in the step without faults, none if unknown
	others  []edge   // for untimed states: further steps without faults, by other outcomes of draws
	keys    int      // keys in the table
	choices [][]event
	numbers map[string]uint32
}

func newNodes() *nodes {
	n := &nodes{numbers: map[string]uint32{"": 0}, choices: [][]event{nil}}
	n.forget()
	return n
}

// forget empties the table when no later state can have one of its keys.
func (n *nodes) forget() {
	if len(n.table) > 1<<16 || n.table == nil {
		n.table = make([]uint32, 1<<10)
	}
	for i := range n.table {
		n.table[i] = none
	}
	n.keys = 0
}

func (n *nodes) place(k key) uint64 {
	mask := uint64(len(n.table) - 1)
	for at := k.lo & mask; ; at = (at + 1) & mask {
		if id := n.table[at]; id == none || n.all[id].key == k {
			return at
		}
	}
}

// head returns the last node of a node's key.
func (n *nodes) head(id uint32) uint32 { return n.table[n.place(n.all[id].key)] }

// dominated reports whether a node of the key has at most as many faults of every kind.
func (n *nodes) dominated(k key, used vector) bool { return n.dominating(k, used) != none }

// dominating returns a node of the key with at most as many faults of every kind, or none.
func (n *nodes) dominating(k key, used vector) uint32 {
	for id := n.table[n.place(k)]; id != none; id = n.all[id].same {
		if n.all[id].used.within(used) {
			return id
		}
	}
	return none
}

// add adds a node that is not dominated, and marks the nodes that it dominates. fresh reports a new key.
func (n *nodes) add(x node) (id uint32, fresh bool) {
	if 2*n.keys >= len(n.table) {
		n.grow()
	}
	at, id := n.place(x.key), uint32(len(n.all))
	x.same = n.table[at]
	for other := x.same; other != none; other = n.all[other].same {
		if x.used.within(n.all[other].used) {
			n.all[other].beaten = true
		}
	}
	if fresh = x.same == none; fresh {
		n.keys++
	}
	n.table[at] = id
	n.all = append(n.all, x)
	return id, fresh
}

func (n *nodes) grow() {
	old := n.table
	n.table = make([]uint32, 2*len(old))
	for i := range n.table {
		n.table[i] = none
	}
	for _, id := range old {
		if id != none {
			n.table[n.place(n.all[id].key)] = id
		}
	}
}

// number returns the number of a choice.
func (n *nodes) number(choice []event) uint32 {
	if len(choice) == 0 {
		return 0
	}
	var b [8 * 16]byte
	text := b[:0]
	for _, e := range choice {
		text = binary.LittleEndian.AppendUint32(append(text, e.kind), e.target)
	}
	number, ok := n.numbers[string(text)]
	if !ok {
		number = uint32(len(n.choices))
		n.numbers[string(text)] = number
		n.choices = append(n.choices, append([]event(nil), choice...))
	}
	return number
}

// path returns the choices from the start to a node, one per step.
func (n *nodes) path(id uint32) (steps [][]event) {
	for ; id != none; id = n.all[id].parent {
		steps = append(steps, n.choices[n.all[id].choice])
	}
	for i, k := 0, len(steps)-1; i < k; i, k = i+1, k-1 {
		steps[i], steps[k] = steps[k], steps[i]
	}
	return steps
}

const nodeBytes = 40

// bytes returns the memory of nodes and table in bytes.
func (n *nodes) bytes() int {
	return nodeBytes*cap(n.all) + 4*(len(n.table)+cap(n.next)+2*cap(n.others))
}

// open is a state to be expanded, with its snapshot.
type open struct {
	id     uint32
	future []byte
	rest   []byte
}

// failure is a step that violates a rule.
type failure struct {
	workload   workload
	parent     uint32
	choice     []event
	faults     int
	slot       uint32
	violations []outcome.Violation
	never      *outcome.ExploredCycle // for a run that does not end
	after      [][]event              // then: draws of the steps after choice
	start      int                    // number of the start of the arbiters
}

// successor is the state after a step, or a failure.
type successor struct {
	key          key
	used         vector
	choice       []event
	ended        bool
	wide         bool  // the outcomes of the draws are too many: no successor at all
	refused      error // the firmware draws what cannot be chosen
	failure      *failure
	future, rest []byte
}

// arena holds snapshots. A block lives as long as one of its snapshots.
type arena struct{ block []byte }

func (a *arena) keep(b []byte) []byte {
	if len(b) > cap(a.block)-len(a.block) {
		a.block = make([]byte, 0, max(1<<16, len(b)))
	}
	at := len(a.block)
	a.block = append(a.block, b...)
	return a.block[at:len(a.block):len(a.block)]
}
