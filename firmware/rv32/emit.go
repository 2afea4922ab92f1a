package rv32

import (
	"slices"

	"starloom/firmware/wasm/binary"
)

// emitter writes the function of a region.
type emitter struct {
	*translator
	*region
	code
	slow   bool // cold code
	labels []label
	locals [32]uint32 // by register
	places []place
}

// label is an open block of WebAssembly.
type label struct {
	kind  labelKind
	block int
}

type labelKind byte

const (
	labelOther labelKind = iota
	labelBlock           // target at the start of a block of the program
	labelLoop            // target at the head of a loop
	labelTop             // target at the selection of an entry
)

func (e *emitter) body() body {
	count := localFirst
	for n := 1; n < 32; n++ {
		if e.used[n] {
			e.locals[n] = count
			count++
		}
	}
	e.add(1, count-localEntry, binary.I32)
	e.reload()
	several := len(e.entries) > 1
	if several {
		e.get(localPC)
		if e.slow {
			e.constant(e.From)
			e.add(binary.OpI32Sub)
			e.constant(1)
			e.add(binary.OpI32ShrU)
		} else {
			e.entryNumber()
		}
		e.set(localEntry)
	}
	top := several || e.jumpsBack()
	if top {
		e.open(binary.OpLoop, label{labelTop, 0})
	}
	e.sequence(0, len(e.blocks)-1, -1)
	if top {
		e.close()
	}
	e.add(binary.OpUnreachable, binary.OpEnd)
	return body{e.bytes, e.region.name, e.places}
}

// entryNumber replaces an address on the stack by its index among the entries of its function.
func (e *emitter) entryNumber() {
	e.entryWord(&e.code)
	e.constant(entryBits)
	e.add(binary.OpI32ShrU)
	e.constant(1<<(31-entryBits) - 1)
	e.add(opI32And)
}

func (e *emitter) open(op int, l label) {
	e.add(op, binary.BlockEmpty)
	e.labels = append(e.labels, l)
}

func (e *emitter) close() {
	e.add(binary.OpEnd)
	e.labels = e.labels[:len(e.labels)-1]
}

// jumpsBack reports whether a jump to an earlier block belongs to no loop.
func (e *emitter) jumpsBack() bool {
	for k := range e.blocks {
		for _, to := range e.blocks[k].next {
			last, ok := e.loops[to]
			if to <= k && (!ok || k > last) {
				return true
			}
		}
	}
	return false
}

// sequence emits the blocks from..to: the body of the loop with the given head or, for head -1, the function. Inner
// loops are nested sequences.
func (e *emitter) sequence(from, to, head int) {
	var items []int
	for k := from; k <= to; k++ {
		items = append(items, k)
		if last, ok := e.loops[k]; ok && k != head {
			k = last
		}
	}
	targets := map[int]bool{}
	for k := from; k <= to; k++ {
		for _, next := range e.blocks[k].next {
			targets[next] = targets[next] || next > k
		}
	}
	chooses := head < 0 && len(e.entries) > 1
	var starts []int
	for n, k := range items {
		_, entry := e.number[k]
		if n > 0 && targets[k] || chooses && entry {
			starts = append(starts, k)
		}
	}
	for _, k := range slices.Backward(starts) {
		e.open(binary.OpBlock, label{labelBlock, k})
	}
	if chooses {
		e.get(localEntry)
		e.add(binary.OpBrTable, uint32(len(e.entries)))
		for _, k := range append(slices.Clone(e.entries), e.entries[0]) {
			depth, _ := e.depth(labelBlock, k)
			e.add(depth)
		}
	}
	for _, k := range items {
		if len(starts) > 0 && starts[0] == k {
			e.close()
			starts = starts[1:]
		}
		if last, ok := e.loops[k]; ok && k != head {
			e.open(binary.OpLoop, label{labelLoop, k})
			e.sequence(k, last, k)
			e.close()
		} else {
			e.emitBlock(k)
		}
	}
}

// depth returns the number of a label.
func (e *emitter) depth(kind labelKind, block int) (uint32, bool) {
	for n, l := range slices.Backward(e.labels) {
		if l == (label{kind, block}) {
			return uint32(len(e.labels) - 1 - n), true
		}
	}
	return 0, false
}

// jump emits a jump to a block of the region.
func (e *emitter) jump(from, to int) {
	kind := labelBlock
	if to <= from {
		kind = labelLoop
	}
	depth, ok := e.depth(kind, to)
	if !ok {
		number, entry := e.number[to]
		if !entry {
			panic("rv32: " + e.String() + ": no way to a block")
		}
		e.constant(uint32(number))
		e.set(localEntry)
		depth, _ = e.depth(labelTop, 0)
	}
	e.add(binary.OpBr, depth)
}

// reload loads the registers from the state.
func (e *emitter) reload() {
	for n := range e.locals {
		if e.locals[n] != 0 {
			e.get(localState)
			e.add(binary.OpI32Load, 2, uint32(4*n))
			e.set(e.locals[n])
		}
	}
}

// save emits stores of the registers that the region may have written.
func (e *emitter) save() {
	for n := range e.locals {
		if e.locals[n] != 0 && e.written[n] {
			e.get(localState)
			e.get(e.locals[n])
			e.add(binary.OpI32Store, 2, uint32(4*n))
		}
	}
}

// emitBlock emits the instructions of a block, after its cost.
func (e *emitter) emitBlock(k int) {
	b := &e.blocks[k]
	cost := 0
	for n := range b.instructions {
		if i := &b.instructions[n]; !e.countsDivision(i) {
			cost += e.timing.fixed(i)
		}
	}
	e.at(b.from)
	e.endEarly(b)
	e.cost(cost)
	for n := range b.instructions {
		i := &b.instructions[n]
		e.at(i.PC)
		if i.Op.ends() {
			e.end(k, i)
			return
		}
		e.instruction(i)
	}
	e.fall(k, b.last().next())
}

// endEarly emits the end of the turn before a block that may pass the end of the compute window.
func (e *emitter) endEarly(b *block) {
	if e.window == 0 {
		return
	}
	cost := 0
	for n := range b.instructions {
		cost += e.timing.worst(&b.instructions[n])
	}
	e.add(binary.OpGlobalGet, e.left, binary.OpI64Const)
	e.bytes = binary.AppendSigned(e.bytes, int64(cost))
	e.add(opI64LtS)
	e.open(binary.OpIf, label{})
	e.save()
	e.add(binary.OpGlobalGet, e.left, binary.OpI64Const)
	e.bytes = binary.AppendSigned(e.bytes, -1)
	e.add(opI64Xor, binary.OpGlobalSet, e.left)
	e.constant(b.from | 1)
	e.add(binary.OpReturn)
	e.close()
}

func (e *emitter) cost(cycles int) { e.spend(&e.code, cycles) }

func (e *emitter) at(pc uint32) { e.places = append(e.places, place{len(e.bytes), pc}) }

// inside returns the block at an address, if the region can jump to it directly.
func (e *emitter) inside(pc uint32) (k int, ok bool) {
	if e.stepping {
		return 0, false
	}
	if e.slow && e.entryAt(pc) != nil { // a quicker translation continues
		return 0, false
	}
	k, ok = e.region.at[pc]
	return k, ok
}

// entryAt returns the region with an entry at an address, or nil.
func (e *emitter) entryAt(pc uint32) *region {
	r := e.regionAt[pc]
	if r == nil {
		return nil
	}
	k, ok := r.at[pc]
	if _, entry := r.number[k]; !ok || !entry {
		return nil
	}
	return r
}

// fall continues at the next address.
func (e *emitter) fall(k int, next uint32) {
	switch to, ok := e.inside(next); {
	case !ok:
		e.leave(next)
	case to != k+1:
		e.jump(k, to)
	}
}

// leave emits the transfer to another region. It uses a call if jumps between regions cannot form a loop.
func (e *emitter) leave(pc uint32) {
	e.save()
	e.constant(pc)
	if to := e.entryAt(pc); to != nil && !e.slow && !e.looping {
		e.get(localState)
		e.add(binary.OpCall, e.function(to.index))
	}
	e.add(binary.OpReturn)
}

// end emits the last instruction of a block.
func (e *emitter) end(k int, i *Instruction) {
	switch {
	case i.Op == opWFI:
		e.save()
		e.constant(i.next() | 1)
		e.add(binary.OpReturn)
	case i.Op.isBranch():
		e.branch(k, i)
	case i.Op == opJAL:
		e.transfer(k, i, i.target())
	case i.Op == opJALR:
		e.jumpRegister(k, i)
	default:
		e.save()
		e.add(binary.OpUnreachable)
	}
}

// transfer calls or jumps to a known address.
func (e *emitter) transfer(k int, i *Instruction, target uint32) {
	if i.Rd == 0 {
		e.fallTo(k, target)
		return
	}
	e.constant(i.next())
	e.put(i.Rd)
	switch to, ok := e.inside(target); {
	case e.slow: // the call is a jump
		e.leave(target)
	case ok && target != e.From:
		e.jump(k, to)
	default:
		e.call(k, i.next(), func() { e.callTarget(target) })
	}
}

func (e *emitter) callTarget(target uint32) {
	e.constant(target)
	e.get(localState)
	if to := e.regionAt[target]; to != nil && to.From == target {
		e.add(binary.OpCall, e.function(to.index))
	} else {
		e.add(binary.OpCall, e.dispatch())
	}
}

// fallTo continues at a target.
func (e *emitter) fallTo(k int, target uint32) {
	if to, ok := e.inside(target); !ok {
		e.leave(target)
	} else if to != k+1 {
		e.jump(k, to)
	}
}

var comparisons = map[Op]int{
	opBEQ: binary.OpI32Eq, opBNE: binary.OpI32Ne, opBLT: binary.OpI32LtS, opBGE: binary.OpI32GeS,
	opBLTU: binary.OpI32LtU, opBGEU: binary.OpI32GeU,
}

func (e *emitter) branch(k int, i *Instruction) {
	e.read(i.Rs1)
	e.read(i.Rs2)
	e.add(comparisons[i.Op])
	e.open(binary.OpIf, label{})
	e.cost(e.timing.whenTaken(i))
	if to, ok := e.inside(i.target()); ok {
		e.jump(k, to)
	} else {
		e.leave(i.target())
	}
	e.close()
	e.fall(k, i.next())
}

// call emits a call: it saves the registers, calls, and continues only if the callee returns to the next instruction.
func (e *emitter) call(k int, next uint32, callee func()) {
	e.save()
	callee()
	e.tee(localPC)
	e.constant(next)
	e.add(binary.OpI32Ne)
	e.open(binary.OpIf, label{})
	e.get(localPC)
	e.add(binary.OpReturn)
	e.close()
	e.reload()
	e.fall(k, next)
}

func (e *emitter) jumpRegister(k int, i *Instruction) {
	if target, ok := e.blocks[k].destination(); ok {
		e.cost(e.timing.arrival(target))
		e.transfer(k, i, target)
		return
	}
	e.read(i.Rs1)
	e.constant(uint32(i.Immediate))
	e.add(binary.OpI32Add)
	e.constant(^uint32(1))
	e.add(opI32And)
	e.set(localAddress)
	if i.Rd != 0 {
		e.constant(i.next())
		e.put(i.Rd)
	}
	if e.timing.wideTarget+e.timing.halfTarget > 0 && e.Compressed {
		e.get(localAddress)
		e.add(binary.OpCall, e.arrival())
	}
	switch returns := i.Rs1 == 1 || i.Rs1 == 5; {
	case i.Rd != 0 && !e.slow:
		e.call(k, i.next(), func() {
			e.get(localAddress)
			e.get(localState)
			e.add(binary.OpCall, e.dispatch())
		})
		return
	case !returns && !e.slow && len(e.entries) > 1:
		e.choose()
	}
	e.save()
	e.get(localAddress)
	if !e.cold && i.Rd == 0 && i.Rs1 != 1 && i.Rs1 != 5 {
		e.get(localState)
		e.add(binary.OpCall, e.dispatch())
	}
	e.add(binary.OpReturn)
}

// choose emits the jump of a switch: if the computed address is an entry of this region, control jumps to it.
func (e *emitter) choose() {
	e.inText(&e.code, localAddress)
	e.open(binary.OpIf, label{})
	e.get(localAddress)
	e.entryWord(&e.code)
	e.constant(1<<entryBits - 1)
	e.add(opI32And)
	e.constant(uint32(e.index + 1))
	e.add(binary.OpI32Eq)
	e.open(binary.OpIf, label{})
	e.get(localAddress)
	e.entryNumber()
	e.set(localEntry)
	depth, _ := e.depth(labelTop, 0)
	e.add(binary.OpBr, depth)
	e.close()
	e.close()
}
