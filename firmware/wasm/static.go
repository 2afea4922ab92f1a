package wasm

import (
	"fmt"
	"slices"

	"starloom/firmware/wasm/binary"
)

// Static describes an image without running it, with costs from one cost table. Costs of calls and turns are upper
// bounds for all inputs: the costs of the longest path through the code, even if no input takes that path.
type Static struct {
	Functions []Function       `json:"functions"`
	Imports   []string         `json:"imports"`
	Exports   []string         `json:"exports"`
	Globals   []string         `json:"globals"`
	Memories  []binary.Limits  `json:"memories"` // pages of 64 KiB
	Tables    []uint32         `json:"tables"`   // initial numbers of entries
	Data      []binary.Segment `json:"data"`     // initial contents of the memory
	Handlers  []Handler        `json:"handlers"`
}

// Function is a defined function.
type Function struct {
	Index     int          `json:"index"`
	Name      string       `json:"name"`
	Source    string       `json:"source,omitempty"` // line of the first instruction, if known
	Bytes     int          `json:"bytes"`
	WorstCase *uint64      `json:"worst_case,omitempty"` // cost of a call including callees; nil if no bound is known
	Recursive bool         `json:"recursive,omitempty"`  // the function may recurse
	Loops     []Loop       `json:"loops,omitempty"`
	Blocks    []BasicBlock `json:"blocks"`
	Indirect  []Place      `json:"indirect_calls,omitempty"`
	Lengths   []Place      `json:"unknown_lengths,omitempty"` // memory.copy, fill and init of unknown length
}

// Place is an instruction: its offset in the image and, if known, the source line.
type Place struct {
	Offset int    `json:"offset"`
	Source string `json:"source,omitempty"`
}

func (p Place) String() string {
	if p.Source != "" {
		return p.Source
	}
	return fmt.Sprintf("offset %#x", p.Offset)
}

// BasicBlock is code that always runs from its first to its last instruction. Its cost excludes Calls.
type BasicBlock struct {
	Place
	Cost  *uint64  `json:"cost,omitempty"` // nil: a length is unknown
	Calls []string `json:"calls,omitempty"`
}

// Loop is a reachable loop.
type Loop struct {
	Place
	Turns uint64  `json:"turns,omitempty"` // maximum number per entry; 0 if no bound is known
	Given bool    `json:"given,omitempty"` // Turns was provided by the user
	Turn  *uint64 `json:"turn,omitempty"`  // cost of a turn, including nested code; nil if no bound is known
}

// Handler is an export called by the host for one processor, or the start function, with its cost per call.
type Handler struct {
	Name      string   `json:"name"`
	WorstCase *uint64  `json:"worst_case,omitempty"`
	Given     bool     `json:"given,omitempty"`     // WorstCase depends on provided turns
	Unbounded []string `json:"unbounded,omitempty"` // reasons why no bound is known
	// loops of the handler's function, if the host calls the function for one processor
	Loops []Loop `json:"loops,omitempty"`

	OpenLoops bool `json:"open_loops,omitempty"` // Unbounded includes loops whose numbers of turns the user can provide
}

// Turns are trusted numbers of turns per entry, at least 1, by place (file:line or file:line:column).
type Turns map[string]uint64

// NoLoopError reports a place in Turns without a loop that lacks a proved bound.
type NoLoopError struct {
	Place string
	Loops []string // places of unproved loops
}

func (e *NoLoopError) Error() string {
	return fmt.Sprintf("no unbounded loop is at %s", e.Place)
}

type program struct {
	m         *module
	costs     *Costs
	byType    map[binary.FuncType][]uint32
	recursive []bool
	worst     []uint64 // worst case of each function
	found     []functionBounds
	names     []string // names of all functions
	lines     lineTable
	inlined   []inlinedCall
	codeStart int // offset of the code section, the origin of debug information
	turns     Turns
	open      []string        // places of loops without a proved bound, in code order
	used      map[string]bool // used places in turns
}

func (p *program) turnsGiven(at Place) uint64 {
	if !slices.Contains(p.open, at.String()) {
		p.open = append(p.open, at.String())
	}
	for _, place := range []string{at.String(), Frame{Source: at.Source}.Line()} {
		if turns := p.turns[place]; turns > 0 {
			p.used[place] = true
			return turns
		}
	}
	return 0
}

func (p *program) describe() *Static {
	m := p.m
	s := &Static{Functions: []Function{}, Imports: m.listImports(), Exports: m.listExports(), Globals: m.listGlobals(),
		Memories: m.Memories(), Tables: append([]uint32{}, m.Tables...), Data: m.Segments(), Handlers: []Handler{}}
	for k := range m.Body {
		s.Functions = append(s.Functions, p.describeFunction(k))
	}
	if m.Start >= len(m.Imported) && m.Start < len(m.Imported)+len(m.Body) {
		s.Handlers = append(s.Handlers, p.handler("the start function", m.Start, 0))
	}
	for _, name := range m.ExportNames(binary.KindFunction) {
		if e := m.Exports[name]; ofHost(name) && int(e.Index) >= len(m.Imported) &&
			int(e.Index) < len(m.Imported)+len(m.Body) {
			params := 0
			for _, l := range listed {
				if l.name == name && m.takes(int(e.Index)-len(m.Imported), l.params) {
					params = l.params
				}
			}
			s.Handlers = append(s.Handlers, p.handler(name, int(e.Index), params))
		}
	}
	return s
}

func (p *program) describeFunction(k int) Function {
	f, found := &p.m.Body[k], &p.found[k]
	out := Function{
		Index: len(p.m.Imported) + k, Name: p.names[len(p.m.Imported)+k], Source: p.place(k, 0).Source,
		Bytes:     len(f.Locals) + len(f.Code),
		WorstCase: known(p.worst[k]), Recursive: p.recursive[k], Loops: p.loops(k, found.loops), Blocks: []BasicBlock{},
		Indirect: p.places(k, found.tables), Lengths: p.places(k, found.lengths),
	}
	for _, b := range found.blocks {
		block := BasicBlock{Place: p.place(k, b.offset), Cost: known(b.cost)}
		for _, callee := range b.calls {
			block.Calls = append(block.Calls, p.names[callee])
		}
		out.Blocks = append(out.Blocks, block)
	}
	return out
}

// handler describes an export. params is the number of parameters of an export with a list of cells, otherwise 0.
func (p *program) handler(name string, index, params int) Handler {
	k := index - len(p.m.Imported)
	found := p.found[k]
	if params > 0 && !p.recursive[k] {
		found = p.function(k, []value{isFixed(1)})
	} else {
		found.worst = p.worst[k]
	}
	h := Handler{Name: name, WorstCase: known(found.worst)}
	h.Given = h.WorstCase != nil && found.given
	if params > 0 {
		h.Loops = p.loops(k, found.loops)
	}
	if h.WorstCase == nil {
		h.Unbounded, h.OpenLoops = p.reasons(k, &found)
	}
	return h
}

func (p *program) reasons(k int, found *functionBounds) (all []string, loops bool) {
	seen := make([]bool, len(p.m.Body))
	var open []int
	look := func(k int, found *functionBounds) {
		seen[k] = true
		name := p.names[len(p.m.Imported)+k]
		add := func(format string, arguments ...any) {
			all = append(all, name+": "+fmt.Sprintf(format, arguments...))
		}
		if p.recursive[k] {
			add("it may call itself")
		}
		for _, l := range p.loops(k, found.loops) {
			loops = loops || l.Turns == 0
			switch {
			case l.Turns == 0 && l.Turn != nil:
				add("the loop at %s, at most %d per iteration", l.Place, *l.Turn)
			case l.Turns == 0:
				add("the loop at %s, with nested loops", l.Place)
			}
		}
		for _, place := range p.places(k, found.lengths) {
			add("the length of memory.copy or fill at %s", place)
		}
		for _, callee := range found.callees {
			if p.worst[callee] == Unbounded && !seen[callee] {
				seen[callee] = true
				open = append(open, int(callee))
			}
		}
	}
	look(k, found)
	for len(open) > 0 {
		k := open[0]
		open = open[1:]
		look(k, &p.found[k])
	}
	if all == nil {
		all = []string{"the sum does not fit into 63 bits, or the code is too large to analyse"}
	}
	return all, loops
}

func (p *program) loops(k int, found []loopBounds) (loops []Loop) {
	for _, l := range found {
		loops = append(loops, Loop{p.loopPlace(k, &l), l.turns, l.given, known(l.turn)})
	}
	return loops
}

// loopPlace returns the head of a loop with the line of the loop's last branch back. That line belongs to the loop
// statement, whereas the head may be inlined code. If the line is unknown, loopPlace returns the first known line in
// the loop.
func (p *program) loopPlace(k int, l *loopBounds) Place {
	place := p.place(k, l.offset)
	place.Source = ""
	if l.back > 0 {
		from, start := uint64(place.Offset-p.codeStart), l.offset
		place.Source = p.lines.around(p.inlined, from, from+uint64(l.back-start), from+uint64(l.end-start))
	}
	if place.Source == "" {
		place.Source = p.lines.first(uint64(place.Offset-p.codeStart), l.end-l.offset)
	}
	return place
}

func (p *program) places(k int, offsets []int) (places []Place) {
	for _, at := range offsets {
		places = append(places, p.place(k, at))
	}
	return places
}

func (p *program) place(k, offset int) Place {
	f := &p.m.Body[k]
	at := f.Offset + len(f.Locals) + offset
	return Place{at, p.lines.source(uint64(at - p.codeStart))}
}

func known(cost uint64) *uint64 {
	if cost == Unbounded {
		return nil
	}
	return &cost
}

var kindNames = []string{"function", "table", "memory", "global"}

func (m *module) listImports() []string {
	list := []string{}
	for k, signature := range m.Imported {
		list = append(list, m.ImportNames[k]+m.Types[signature].String())
	}
	return list
}

func (m *module) listExports() []string {
	list := []string{}
	for kind, text := range kindNames {
		for _, name := range m.ExportNames(byte(kind)) {
			if e := m.Exports[name]; kind == binary.KindFunction && int(e.Index) < len(m.Imported)+len(m.Body) {
				list = append(list, binary.Clip(name)+m.Types[m.Signature(int(e.Index))].String())
			} else {
				list = append(list, text+" "+binary.Clip(name))
			}
		}
	}
	return list
}

func (m *module) listGlobals() []string {
	list := []string{}
	for i, g := range m.Globals {
		text := map[bool]string{true: "mutable ", false: ""}[g.Mutable] + binary.TypeNames[g.ValueType]
		list = append(list, m.GlobalName(i)+": "+text)
	}
	return list
}
