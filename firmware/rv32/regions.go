package rv32

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// region is code that becomes one WebAssembly function: a function of the program, or a piece of a long function.
type region struct {
	Range
	name   string
	index  int // among the regions
	blocks []block
	at     map[uint32]int // block by address of its first instruction

	entries []int       // blocks that control may enter from elsewhere, beginning with the first block
	number  map[int]int // place in entries by block
	loops   map[int]int // last block of each WebAssembly loop, by first block
	used    [32]bool
	written [32]bool
	unwinds bool  // control may leave the region without a return to the caller's next instruction
	tails   []int // regions to which it jumps
	calls   []int // regions that it calls
	looping bool  // jumps to other regions may lead back to this region
}

// block is code without jumps that control enters only at its start.
type block struct {
	from         uint32
	instructions []Instruction
	next         []int // blocks of the region that may follow
}

func (b *block) last() *Instruction { return &b.instructions[len(b.instructions)-1] }

// destination returns the target of the call or jump that ends the block. The last instruction is jal, or jalr after
// the auipc that computes the upper half of the target.
func (b *block) destination() (target uint32, ok bool) {
	l := b.last()
	if l.Op == opJAL {
		return l.target(), true
	}
	if n := len(b.instructions); l.Op == opJALR && n > 1 {
		if upper := &b.instructions[n-2]; upper.Op == opAUIPC && upper.Rd == l.Rs1 && l.Rs1 != 0 {
			return compute(upper, 0, 0) + uint32(l.Immediate)&^1, true
		}
	}
	return 0, false
}

// blocksPerRegion is the number of blocks above which a function is divided, because each label of a function is an
// open WebAssembly block.
const blocksPerRegion = 400

// findRegions divides functions into regions, and regions into blocks.
func (t *translator) findRegions() {
	leaders := t.pointers()
	leaders[t.Entry] = true
	code := make([][]Instruction, len(t.functions))
	for k, f := range t.functions {
		leaders[f.From] = true
		for pc := f.From; pc < f.To; {
			i := t.instruction(pc)
			code[k] = append(code[k], i)
			pc = i.next()
			if i.Op.ends() {
				leaders[pc] = true
			}
			if i.Op.isBranch() || i.Op == opJAL {
				leaders[i.target()] = true
			}
		}
	}
	for k, f := range t.functions {
		var blocks []block
		for _, i := range code[k] {
			if len(blocks) == 0 || leaders[i.PC] {
				blocks = append(blocks, block{from: i.PC})
			}
			b := &blocks[len(blocks)-1]
			b.instructions = append(b.instructions, i)
		}
		for piece := range slices.Chunk(blocks, blocksPerRegion) {
			t.addRegion(f.name, piece)
		}
	}
}

func (t *translator) addRegion(name string, blocks []block) {
	r := &region{name: name, index: len(t.regions), blocks: blocks, at: map[uint32]int{}, number: map[int]int{}}
	r.From, r.To = blocks[0].from, blocks[len(blocks)-1].last().next()
	for k := range blocks {
		r.at[blocks[k].from] = k
		t.regionAt[blocks[k].from] = r
		for n := range blocks[k].instructions {
			i := &blocks[k].instructions[n]
			r.used[i.Rd], r.used[i.Rs1], r.used[i.Rs2] = true, true, true
			r.written[i.Rd] = true
		}
	}
	for k := range blocks {
		blocks[k].next = r.successors(&blocks[k])
	}
	t.regions = append(t.regions, r)
}

func (r *region) successors(b *block) (next []int) {
	add := func(pc uint32) {
		if k, ok := r.at[pc]; ok {
			next = append(next, k)
		}
	}
	switch l := b.last(); {
	case l.Op.isBranch():
		add(l.target())
		add(l.next())
	case l.Op == opJAL && l.Rd == 0:
		add(l.target())
	case l.Op == opJAL, l.Op == opJALR && l.Rd != 0, l.Op == opWFI, !l.Op.ends():
		add(l.next())
	}
	return next
}

// pointers returns the possible targets of computed jumps: addresses of instructions among the words of data and
// constants, and among the constants computed by pairs of instructions.
func (t *translator) pointers() map[uint32]bool {
	found := map[uint32]bool{}
	add := func(address uint32) {
		if _, ok := t.fetch(address); ok {
			found[address] = true
		}
	}
	for _, m := range []*Memory{&t.Shared, &t.RAM} {
		for at := (4 - m.From&3) & 3; int(at)+4 <= len(m.Bytes); at += 4 {
			if !t.Text.has(m.From + at) {
				add(binary.LittleEndian.Uint32(m.Bytes[at:]))
			}
		}
	}
	for _, f := range t.functions {
		upper := map[uint8]uint32{}
		for pc := f.From; pc < f.To; {
			i := t.instruction(pc)
			high, known := upper[i.Rs1]
			switch {
			case i.Op == opLUI || i.Op == opAUIPC:
				upper[i.Rd] = compute(&i, 0, 0)
			case (i.Op == opADDI || i.Op == opJALR) && known:
				add(high + uint32(i.Immediate))
			}
			pc = i.next()
		}
	}
	return found
}

// findEntries finds the blocks that control enters from elsewhere: starts of functions, computed addresses, and
// blocks after a wait or after a call that may end in a wait.
func (t *translator) findEntries() {
	t.link()
	wanted := t.pointers()
	wanted[t.Entry] = true
	for _, r := range t.regions {
		wanted[r.From] = true
		for k := range r.blocks {
			target, known := r.blocks[k].destination()
			switch l := r.blocks[k].last(); {
			case l.Op == opWFI:
				wanted[l.next()] = true
			case known && l.Rd != 0:
				to := t.regionAt[target]
				inside := to == r && target != r.From
				wanted[l.next()] = wanted[l.next()] || to == nil || to.unwinds || inside
				wanted[target] = wanted[target] || inside
			case known:
				wanted[target] = wanted[target] || t.regionAt[target] != r || l.Op == opJALR
			case l.Op == opJALR && l.Rd != 0:
				wanted[l.next()] = wanted[l.next()] || !t.cold
			case l.Op.isBranch():
				wanted[l.target()] = wanted[l.target()] || t.regionAt[l.target()] != r
			}
		}
	}
	for _, r := range t.regions {
		for k := range r.blocks {
			if wanted[r.blocks[k].from] {
				r.enter(k)
			}
		}
		r.reorder()
		r.findLoops()
		slices.Sort(r.entries)
		for n, k := range r.entries {
			r.number[k] = n
		}
	}
}

// reorder sorts the blocks into reverse postorder, so that the head of a loop precedes its other blocks; compilers
// often place the head last.
func (r *region) reorder() {
	var order []int
	place := make([]int, len(r.blocks)) // new place plus one
	var visit func(k int)
	visit = func(k int) {
		if place[k] != 0 {
			return
		}
		place[k] = 1
		for _, to := range r.blocks[k].next {
			visit(to)
		}
		order = append(order, k)
	}
	for k := range slices.Backward(r.blocks) {
		if _, entry := r.number[k]; entry && k > 0 {
			visit(k)
		}
	}
	visit(0)
	for k := range r.blocks { // code that no jump reaches is not translated here
		if place[k] == 0 {
			delete(r.at, r.blocks[k].from)
		}
	}
	slices.Reverse(order)
	blocks := make([]block, len(order))
	for n, k := range order {
		place[k] = n
		blocks[n] = r.blocks[k]
	}
	for n := range blocks {
		r.at[blocks[n].from] = n
		for m, to := range blocks[n].next {
			blocks[n].next[m] = place[to]
		}
	}
	r.blocks, r.number = blocks, map[int]int{}
	for n, k := range r.entries {
		r.entries[n] = place[k]
		r.number[place[k]] = n
	}
}

func (r *region) enter(k int) (isNew bool) {
	if _, ok := r.number[k]; ok {
		return false
	}
	r.number[k] = len(r.entries)
	r.entries = append(r.entries, k)
	return true
}

// link finds the calls and jumps between regions, and the regions that may not return to their callers.
func (t *translator) link() {
	for _, r := range t.regions {
		for k := range r.blocks {
			l := r.blocks[k].last()
			target, known := r.blocks[k].destination()
			if l.Op.isBranch() {
				target = l.target()
			}
			to := t.regionAt[target]
			switch {
			case l.Op == opWFI:
				r.unwinds = true
			case to == nil || to == r || !known && !l.Op.isBranch():
			case known && l.Rd != 0:
				r.calls = append(r.calls, to.index)
			default:
				r.tails = append(r.tails, to.index)
			}
			if after := t.regionAt[l.next()]; k == len(r.blocks)-1 && after != nil && l.Op != opJALR {
				r.tails = append(r.tails, after.index) // falls into the next piece
			}
		}
	}
	for _, r := range t.regions {
		r.looping = t.reaches(r.index, r.index, map[int]bool{})
		r.unwinds = r.unwinds || r.looping || t.window > 0
	}
	for changed := true; changed; {
		changed = false
		for _, r := range t.regions {
			for _, to := range slices.Concat(r.calls, r.tails) {
				if t.regions[to].unwinds && !r.unwinds {
					r.unwinds, changed = true, true
				}
			}
		}
	}
}

// reaches reports whether jumps between regions lead from one region to another.
func (t *translator) reaches(from, to int, seen map[int]bool) bool {
	for _, next := range t.regions[from].tails {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if t.reaches(next, to, seen) {
				return true
			}
		}
	}
	return false
}

// findLoops selects the loops that WebAssembly can express, which control enters only at the head. The heads of other
// loops become entries, to which control jumps by number.
func (r *region) findLoops() {
	for {
		r.loops = r.allLoops()
		bad := r.enteredInside()
		if len(bad) == 0 {
			return
		}
		again := false
		for _, head := range slices.Sorted(maps.Keys(bad)) {
			again = r.enter(head) || again
		}
		if !again {
			for head := range bad {
				delete(r.loops, head)
			}
			return
		}
	}
}

// allLoops returns the last block of each loop, by head. It extends overlapping loops until they are nested.
func (r *region) allLoops() map[int]int {
	loops := map[int]int{}
	for k := range r.blocks {
		for _, to := range r.blocks[k].next {
			if to <= k {
				loops[to] = max(loops[to], k)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, head := range slices.Sorted(maps.Keys(loops)) {
			for _, inner := range slices.Sorted(maps.Keys(loops)) {
				if head < inner && inner <= loops[head] && loops[inner] > loops[head] {
					loops[head], changed = loops[inner], true
				}
			}
		}
	}
	return loops
}

func (r *region) enteredInside() map[int]bool {
	bad := map[int]bool{}
	for head, last := range r.loops {
		inside := func(k int) bool { return k > head && k <= last }
		bad[head] = slices.ContainsFunc(r.entries, inside)
		for k := range r.blocks {
			outside := k < head || k > last
			bad[head] = bad[head] || outside && slices.ContainsFunc(r.blocks[k].next, inside)
		}
		if !bad[head] {
			delete(bad, head)
		}
	}
	return bad
}

func (r *region) String() string { return fmt.Sprintf("%s, %d blocks", r.name, len(r.blocks)) }
