package wasm

import (
	"slices"

	"starloom/firmware/wasm/binary"
	"starloom/internal/graph"
)

// The counter of a copy counts turns. A turn of a loop or a call of a function counts as one turn, and long code as
// one turn per turnInstructions instructions. The host is called at least every TickTurns turns, so between two calls
// an image executes at most about TickTurns * turnInstructions instructions.
const (
	TickTurns        = 1 << 16 // maximum number of turns between two host calls
	turnInstructions = 1 << 8
	// number of instructions for which a host call counts, and of bytes of a memory instruction per turn
	hostInstructions = 64
	bytesPerTurnLog2 = 12
)

// path is the straight code of a function, or of a loop without its inner loops. It runs at most once per turn.
type path struct {
	instructions uint64
	calls        []uint32 // functions, or callsType|type
}

// callsType marks a call through a table, to any function of a type in the table.
const callsType = 1 << 31

// shape holds the paths of a function: paths[0] is the function itself, and paths[k] its loop k in order of starts.
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

// turns holds the counts of a function: entry is added at each call, loops[k] at each turn of loop k.
type turns struct {
	entry     uint32
	loops     []uint32
	recursive bool // the function may be recursive, directly or indirectly
}

// callable returns the functions in tables, by type.
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

// called reports, for each function, whether code, a table or the start of the module may call it.
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

// costs finds the places to count, and an order of functions in which callees precede callers, except for recursion.
// Every loop counts. A function counts if it may be recursive, or if one call runs more than turnInstructions
// instructions that no other place counts.
func (m *module) costs(shapes []shape) (all []turns, order []uint32) {
	c := &calls{shapes: shapes, costs: make([]uint64, len(shapes)+len(m.Types)), result: make([]turns, len(shapes))}
	next, byType := make([][]uint32, len(c.costs)), m.callable()
	for k := range shapes {
		for _, p := range shapes[k].paths {
			for _, callee := range p.calls {
				next[k] = append(next[k], c.vertex(callee))
			}
		}
	}
	for k, t := range m.Types {
		next[len(shapes)+k] = byType[t]
	}
	for _, component := range graph.Components(next, func(v int) bool { return v < len(shapes) }) {
		order = append(order, c.count(component, next)...)
	}
	for k := range shapes {
		loops := shapes[k].paths[1:]
		c.result[k].loops = make([]uint32, len(loops))
		for i := range loops {
			c.result[k].loops[i] = unitsOf(c.cost(&loops[i]))
		}
	}
	return c.result, order
}

func unitsOf(instructions uint64) uint32 {
	return uint32(min(1+instructions/turnInstructions, TickTurns))
}

// calls is a graph with a vertex for each function, and one for each type of functions in tables.
type calls struct {
	shapes []shape
	costs  []uint64 // by vertex: cost of one call without counted places
	result []turns
}

func (c *calls) vertex(callee uint32) uint32 {
	if callee&callsType != 0 {
		return uint32(len(c.shapes)) + callee&^callsType
	}
	return callee
}

// count computes and returns the functions of a component. The components that it calls must be complete.
func (c *calls) count(component []uint32, next [][]uint32) (functions []uint32) {
	function := func(v uint32) bool { return int(v) < len(c.shapes) }
	recursive := len(component) > 1 || slices.Contains(next[component[0]], component[0])
	for _, v := range component {
		if function(v) {
			functions = append(functions, v)
			if recursive {
				c.result[v].entry, c.result[v].recursive = 1, true
			}
		}
	}
	// within a counted component, only the paths of its members have costs
	for _, v := range component {
		if !function(v) {
			for _, callee := range next[v] {
				c.costs[v] = max(c.costs[v], c.costs[callee])
			}
			continue
		}
		cost := c.cost(&c.shapes[v].paths[0])
		if c.result[v].entry != 0 || cost > turnInstructions {
			c.result[v].entry = unitsOf(cost)
			cost = 0
		}
		c.costs[v] = cost
	}
	return functions
}

// cost returns the number of instructions in a path and in its uncounted calls.
func (c *calls) cost(p *path) uint64 {
	cost := p.instructions
	for _, callee := range p.calls {
		cost += c.costs[c.vertex(callee)]
	}
	return cost
}
