package rv32

import (
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

// analyse finds regions and entries.
func (t *translator) analyse() {
	t.regionAt = map[uint32]*region{}
	t.cold = t.Text.bytes() <= coldMax
	t.findRegions()
	t.findEntries()
	t.table = make([]uint32, t.Text.bytes()/2+1)
	for pc := t.Text.From; pc < t.Text.To; pc += 2 {
		if _, ok := t.fetch(pc); ok && t.cold {
			half := (pc - t.Text.From) / 2
			t.table[half] = uint32(len(t.regions)) + half/coldHalves + 1 | half%coldHalves<<entryBits
		}
		if t.wide(pc) {
			t.table[(pc-t.Text.From)/2] |= wideBit
		}
	}
	if t.stepping {
		return
	}
	for _, r := range t.regions {
		for n, k := range r.entries {
			at := (r.blocks[k].from - t.Text.From) / 2
			t.table[at] = t.table[at]&wideBit | uint32(r.index+1) | uint32(n)<<entryBits
		}
	}
}

// InProgram returns the innermost functions of a call stack up to the call of the program, without functions of
// the translation, such as the dispatcher of addresses. name names a function.
func InProgram[F any](stack []F, name func(F) string) []F {
	if called := slices.IndexFunc(stack, func(f F) bool { return name(f) == added+"run" }); called >= 0 {
		stack = stack[:called]
	}
	return slices.DeleteFunc(stack, func(f F) bool { return strings.HasPrefix(name(f), added) })
}

// added begins the names of functions that are not in the program.
const added = "runtime."

// emit writes the functions. Call it after analyse, when the function numbers are known.
func (t *translator) emit() {
	t.bodies = []body{{code: t.dispatcher(), name: added + "dispatch"}, {code: t.runner(), name: added + "run"},
		{code: t.arrivals(), name: added + "arrive"}}
	for _, r := range t.regions {
		e := &emitter{translator: t, region: r}
		t.bodies = append(t.bodies, e.body())
	}
	for half := uint32(0); t.cold && half < t.Text.bytes()/2; half += coldHalves {
		t.bodies = append(t.bodies, t.coldCode(t.Text.From+2*half))
	}
}

// dispatcher returns the function dispatch(pc, state) -> pc, which calls the function at an address.
func (t *translator) dispatcher() []byte {
	c := &code{}
	c.add(1, 1, binary.I32) // the entry
	t.inText(c, localPC)
	c.add(binary.OpIf, binary.BlockEmpty)
	c.get(localPC)
	t.entryWord(c)
	c.constant(1<<entryBits - 1)
	c.add(opI32And)
	c.tee(localEntry)
	c.add(binary.OpIf, binary.BlockEmpty)
	c.get(localPC)
	c.get(localState)
	c.get(localEntry)
	c.constant(1)
	c.add(binary.OpI32Sub)
	c.add(binary.OpCallIndirect, t.signatureAt, 0, binary.OpReturn, binary.OpEnd, binary.OpEnd)
	c.get(localPC)
	c.add(binary.OpCall, t.lost, binary.OpUnreachable, binary.OpEnd)
	return c.bytes
}

// runner returns the function run(pc, state) -> pc + 1, which runs the program until the processor waits.
func (t *translator) runner() []byte {
	c := &code{}
	c.add(0, binary.OpLoop, binary.BlockEmpty)
	c.get(localPC)
	c.get(localState)
	c.add(binary.OpCall, t.dispatch())
	if t.stepping {
		c.constant(1)
		c.add(opI32Or)
	}
	c.tee(localPC)
	c.constant(1)
	c.add(opI32And)
	c.add(binary.OpI32Eqz, binary.OpBrIf, 0, binary.OpEnd)
	c.get(localPC)
	c.add(binary.OpEnd)
	return c.bytes
}

// arrivals returns the function arrive(pc), which counts the additional cost of a jump to a computed address.
func (t *translator) arrivals() []byte {
	c := &code{}
	c.add(0)
	if t.timing.wideTarget > 0 {
		t.inText(c, localPC)
		c.add(binary.OpIf, binary.BlockEmpty)
		c.get(localPC)
		t.entryWord(c)
		c.constant(0)
		c.add(binary.OpI32LtS, binary.OpIf, binary.BlockEmpty)
		t.spend(c, t.timing.wideTarget)
		c.add(binary.OpEnd, binary.OpEnd)
	}
	if t.timing.halfTarget > 0 {
		c.get(localPC)
		c.constant(2)
		c.add(opI32And, binary.OpIf, binary.BlockEmpty)
		t.spend(c, t.timing.halfTarget)
		c.add(binary.OpEnd)
	}
	c.add(binary.OpEnd)
	return c.bytes
}

// coldCode translates the instructions at coldHalves consecutive half-word addresses from the given address on. Each
// instruction is an entry.
func (t *translator) coldCode(from uint32) body {
	r := &region{name: "code at " + t.placeName(from), index: -1, at: map[uint32]int{}, number: map[int]int{},
		loops: map[int]int{}}
	r.Range = Range{from, min(from+2*coldHalves, t.Text.To)}
	var places []int // block by half word
	for pc := from; pc < r.To; pc += 2 {
		i := t.instruction(pc)
		r.used[i.Rd], r.used[i.Rs1], r.used[i.Rs2] = true, true, true
		r.written[i.Rd] = true
		places = append(places, len(r.blocks))
		r.enter(len(r.blocks))
		r.at[pc] = len(r.blocks)
		r.blocks = append(r.blocks, block{from: pc, instructions: []Instruction{i}})
	}
	r.entries = slices.Clone(places)
	e := &emitter{translator: t, region: r, slow: true}
	return e.body()
}

func (t *translator) placeName(pc uint32) string {
	if f := t.functionAt(pc); f != nil {
		return f.name
	}
	return "the text"
}
