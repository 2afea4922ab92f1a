package wasm

import (
	"slices"

	"starloom/firmware/wasm/binary"
)

// A turn is what the counter of a copy counts: one turn of a loop or one call of a
// function, or as many as it has instructions by turnInstructions. At least every
// TickTurns turns the host is asked, so between two questions lies no more than
// about TickTurns * turnInstructions instructions, whatever the image does.
const (
	TickTurns        = 1 << 16 // turns between two questions, at most
	turnInstructions = 1 << 8
	// hostInstructions is what a call of the host counts for, bytesPerTurn the bytes of an instruction on memory per turn.
	hostInstructions = 64
	bytesPerTurnLog2 = 12
)

// path is straight code: that of a function or a loop without its inner loops. It runs at most once per turn.
type path struct {
	instructions uint64
	calls        []uint32 // functions, or callsType|type
}

// callsType marks a call through a table: of any function there with that type.
const callsType = 1 << 31

// shape holds the cost of a function: paths[0] is the function, paths[k] its loop k in order of their starts.
type shape struct{ paths []path }

func (s *shape) note(at int, i *binary.Instruction, imported int) {
	p := &s.paths[at]
	p.instructions++
	switch i.Op {
	case binary.OpCall:
		if int(i.Index) < imported {
			p.instructions += hostInstructions
		} else {
			p.calls = append(p.calls, i.Index-uint32(imported))
		}
	case binary.OpCallIndirect:
		p.calls = append(p.calls, callsType|i.Index)
	case binary.OpMemoryGrow, binary.OpMemoryCopy, binary.OpMemoryFill:
		p.instructions += hostInstructions
	}
}

// turns says where a function counts: entry turns when it is called, and loops[k] for each turn of loop k.
type turns struct {
	entry     uint32
	loops     []uint32
	recursive bool // it may call itself, over whatever others
}

// callable lists the functions that a table may hold.
func (m *module) callable() map[binary.FuncType][]uint32 {
	byType := map[binary.FuncType][]uint32{}
	elements := slices.Clone(m.Elements)
	slices.Sort(elements)
	for _, index := range slices.Compact(elements) {
		if k := int(index) - len(m.Imported); k >= 0 && k < len(m.Body) {
			t := m.Types[m.Body[k].Signature]
			byType[t] = append(byType[t], uint32(k))
		}
	}
	return byType
}

// called says of each function if code or a table may call it, or the start of the module.
func (m *module) called(shapes []shape) []bool {
	called := make([]bool, len(m.Body))
	note := func(k int) {
		if k >= 0 && k < len(called) {
			called[k] = true
		}
	}
	for _, s := range shapes {
		for _, p := range s.paths {
			for _, callee := range p.calls {
				if callee&callsType == 0 {
					note(int(callee))
				}
			}
		}
	}
	for _, index := range m.Elements {
		note(int(index) - len(m.Imported))
	}
	note(m.Start - len(m.Imported))
	return called
}

// costs finds the places where counting is needed, and an order of the functions in which those
// that are called come first, as far as nothing calls itself. Every loop counts. A function
// counts when it may call itself, over whatever others, or when one call of it runs
// more than turnInstructions instructions that nothing else counts.
func (m *module) costs(shapes []shape) (all []turns, order []uint32) {
	c := &calls{m: m, shapes: shapes, byType: m.callable(), nodes: map[uint32]*node{}, result: make([]turns, len(shapes))}
	for k := range shapes {
		c.visit(uint32(k))
	}
	for k := range shapes {
		loops := shapes[k].paths[1:]
		c.result[k].loops = make([]uint32, len(loops))
		for i := range loops {
			c.result[k].loops[i] = unitsOf(c.cost(&loops[i]))
		}
	}
	return c.result, c.order
}

func unitsOf(instructions uint64) uint32 {
	return uint32(min(1+instructions/turnInstructions, TickTurns))
}

// calls walks the graph of calls, callees first (R. Tarjan). A node is a function or a type of functions in a table.
type calls struct {
	m      *module
	shapes []shape
	byType map[binary.FuncType][]uint32
	nodes  map[uint32]*node
	stack  []uint32
	result []turns
	order  []uint32 // functions whose component is complete
}

type node struct {
	order, low int
	open       bool   // its component is not complete
	cost       uint64 // of one call that nothing counts
}

func (c *calls) callees(n uint32, yield func(uint32)) {
	if n&callsType != 0 {
		for _, f := range c.byType[c.m.Types[n&^callsType]] {
			yield(f)
		}
		return
	}
	for _, p := range c.shapes[n].paths {
		for _, callee := range p.calls {
			yield(callee)
		}
	}
}

func (c *calls) visit(n uint32) *node {
	if known := c.nodes[n]; known != nil {
		return known
	}
	v := &node{order: len(c.nodes), low: len(c.nodes), open: true}
	c.nodes[n] = v
	c.stack = append(c.stack, n)
	recursive := false
	c.callees(n, func(callee uint32) {
		recursive = recursive || callee == n
		if w := c.visit(callee); w.open {
			v.low = min(v.low, w.low)
		}
	})
	if v.low != v.order {
		return v
	}
	at := len(c.stack) - 1
	for c.stack[at] != n {
		at--
	}
	component := c.stack[at:]
	c.stack = c.stack[:at]
	for _, member := range component {
		c.nodes[member].open = false
		if member&callsType == 0 {
			c.order = append(c.order, member)
		}
		if member&callsType == 0 && (recursive || len(component) > 1) {
			c.result[member].entry, c.result[member].recursive = 1, true
		}
	}
	// Costs within a component that counts are those of its members' own paths.
	for _, member := range component {
		if member&callsType != 0 {
			w := c.nodes[member]
			c.callees(member, func(callee uint32) { w.cost = max(w.cost, c.nodes[callee].cost) })
			continue
		}
		cost := c.cost(&c.shapes[member].paths[0])
		if c.result[member].entry != 0 || cost > turnInstructions {
			c.result[member].entry = unitsOf(cost)
			cost = 0
		}
		c.nodes[member].cost = cost
	}
	return v
}

// cost returns the instructions of a path and of its uncounted calls.
func (c *calls) cost(p *path) uint64 {
	cost := p.instructions
	for _, callee := range p.calls {
		if n := c.nodes[callee]; n != nil {
			cost += n.cost
		}
	}
	return cost
}
