package flatten

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// A Golden is the print of a reference design for other RTL. It marks each output bit that is X. The print has two
// rails for each net: the value, and a bit that is 1 where the value is X. An X bit, for example at power-on, of an
// undriven net or from an index beyond the end, propagates as in IEEE 1800-2017, with two exceptions. The result of
// ?: with an X condition is X only in bits in which the operands differ. A sum is X only from the lowest X bit of its
// operands upwards. A bit that is not X has the same value for all values of the X bits.
//
// The ports of the module are the ports of the source, in order. Further outputs show the X bits, registers and
// branches.
type Golden struct {
	Module
	Whole []cosim.Port `json:"whole"` // all ports of the print
	Shown []Register   `json:"shown"` // registers that are outputs of the print, up to 64 bits each
	Forks []Branch     `json:"forks"` // branches that are bits of the print's last output
	Omits int          `json:"omits"` // $fatal and similar checks of the source, which the print omits
}

// Limits of a Golden.
const (
	shownMax = 256 // registers
	forksMax = 256
)

// PrintGolden prints a design as a Golden. Like Print, it rejects constructs that it cannot print faithfully.
func PrintGolden(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (*Golden, error) {
	text, err := verilator.Flatten(ctx, s, o, edition+"-golden-1", func(f *verilator.Flat) ([]byte, error) {
		golden := &Golden{}
		m, err := printFlat(f, s, true, golden)
		if err != nil {
			return nil, err
		}
		golden.Module = *m
		return json.Marshal(golden)
	})
	if err != nil {
		return nil, err
	}
	golden := &Golden{}
	return golden, json.Unmarshal(text, golden)
}

// rails adds the second rail, the bits that are X, to a design.
type rails struct {
	*design
	values, unknowns map[*expr]*expr
	of               map[*variable]*variable // the variable of X, by variable
	without          map[*variable]bool      // variables that are never X
	lost             map[*variable]*variable // by memory: a bit for each word, 1 if all bits of the word are X
	own              map[*variable]bool      // variables that rails added
}

func (d *design) rails(golden *Golden) {
	r := &rails{design: d, values: map[*expr]*expr{}, unknowns: map[*expr]*expr{}, of: map[*variable]*variable{},
		without: map[*variable]bool{}, lost: map[*variable]*variable{}, own: map[*variable]bool{}}
	source := slices.Clone(d.variables)
	golden.Omits, d.checks = len(d.checks), nil
	golden.Whole = slices.Clone(d.Ports)
	outputs := r.outputs(golden, source)
	for _, v := range source {
		r.known(v)
	}
	r.show(golden, outputs)
}

func (r *rails) add(name string, at *variable, what *dtype) *variable {
	v := &variable{index: len(r.variables), name: name, what: what, at: at.at}
	r.variables = append(r.variables, v)
	r.own[v] = true
	return v
}

func (r *rails) output(golden *Golden, name string, at *variable, e *expr) *variable {
	v := r.add(name, at, &dtype{bits: e.width})
	v.output, v.comb = true, []part{{0, e.width, e, true}}
	if !slices.ContainsFunc(golden.Whole, func(p cosim.Port) bool { return p.Name == name }) {
		golden.Whole = append(golden.Whole, cosim.Port{Name: name, Bits: e.width})
	}
	return v
}

// outputs replaces each output by its value, with 0 for X, and adds an output with its X bits.
func (r *rails) outputs(golden *Golden, source []*variable) (all []*variable) {
	for _, p := range r.Ports {
		i := slices.IndexFunc(source, func(v *variable) bool { return v.output && v.name == p.Name })
		if i < 0 {
			continue
		}
		v := source[i]
		v.output = false
		e := r.g.variable(v)
		x := r.unknown(e)
		all = append(all, r.output(golden, p.Name, v, r.g.and(e, r.g.not(x))),
			r.output(golden, GoldenUnknown(p.Name), v, x))
	}
	return all
}

// GoldenUnknown names the output of a Golden's print that is 1 where an output is X.
func GoldenUnknown(output string) string { return "starloom_x_" + output }

const goldenBranches = "starloom_branches"

// show adds registers and branches as outputs of the print. It omits registers and branches on which no output of the
// source depends.
func (r *rails) show(golden *Golden, outputs []*variable) {
	pr := &printer{design: r.design, needed: map[*variable]bool{}}
	pr.find()
	for _, v := range pr.order {
		if len(v.registers) == 0 || r.own[v] || v.what.bits > 64 || len(golden.Shown) == shownMax {
			continue
		}
		e := r.g.variable(v)
		r.output(golden, fmt.Sprintf("starloom_state%d", len(golden.Shown)), v, r.g.and(e, r.g.not(r.unknown(e))))
		golden.Shown = append(golden.Shown, Register{Name: v.name, Source: v.name, Bits: v.what.bits,
			Place: r.place(v.at)})
	}
	var bits []*expr
	aims := newAimer(r.design)
	for _, b := range r.branches {
		needed := true
		walk([]*expr{b.when}, func(e *expr) { needed = needed && (e.v == nil || pr.needed[e.v]) })
		if needed && len(bits) < forksMax {
			bits = append(bits, r.g.and(r.value(b.when), r.g.not(r.unknown(b.when))))
			golden.Forks = append(golden.Forks, Branch{r.place(b.at), aims.of(r.value(b.when))})
		}
	}
	r.branches = nil
	if len(bits) > 0 && len(outputs) > 0 {
		slices.Reverse(bits)
		r.output(golden, goldenBranches, outputs[0], r.g.concat(bits...))
	}
}

func (r *rails) ones(width int) *expr { return r.g.constant(width, mask(width)) }

func (r *rails) any(e *expr) *expr { return r.g.reduce(opAny, e) }

// where returns all ones where a bit is 1.
func (r *rails) where(bit *expr, width int) *expr {
	return r.g.mux(bit, r.ones(width), r.g.number(width, 0))
}

// value returns an expression with 0 for X.
func (r *rails) value(e *expr) *expr {
	if made, ok := r.values[e]; ok {
		return made
	}
	made := e
	switch {
	case e.op == opConst:
		made = r.g.constant(e.width, e.value)
	case e.op == opFree:
		made = r.g.number(e.width, 0)
	case len(e.args) > 0:
		args := make([]*expr, len(e.args))
		for i, a := range e.args {
			args[i] = r.value(a)
		}
		made = r.g.rebuild(e, args)
	}
	r.values[e] = made
	return made
}

// known replaces X by 0 in all expressions that drive a variable of the source.
func (r *rails) known(v *variable) {
	for i := range v.comb {
		v.comb[i].e = r.value(v.comb[i].e)
	}
	for i := range v.registers {
		reg := &v.registers[i]
		reg.next = r.value(reg.next)
		reg.resets = slices.Clone(reg.resets)
		for k := range reg.resets {
			if reg.resets[k].value != nil {
				reg.resets[k].value = r.value(reg.resets[k].value)
			}
		}
	}
	for i := range v.ports {
		w := &v.ports[i]
		w.when, w.address, w.data = r.value(w.when), r.value(w.address), r.value(w.data)
	}
	if v.power != nil {
		for i := range v.power.parts {
			v.power.parts[i].e = r.value(v.power.parts[i].e)
		}
	}
}

// unknown returns an expression for the X bits of e.
func (r *rails) unknown(e *expr) *expr {
	if made, ok := r.unknowns[e]; ok {
		return made
	}
	made := r.unknownOf(e)
	r.unknowns[e] = made
	return made
}

func (r *rails) unknownOf(e *expr) *expr {
	g := r.g
	switch e.op {
	case opConst:
		return g.constant(e.width, e.x)
	case opFree:
		return r.ones(e.width)
	case opVar:
		return r.unknownOfVariable(e.v)
	case opWord:
		return r.unknownWord(e)
	}
	args, x := make([]*expr, len(e.args)), make([]*expr, len(e.args))
	some := false
	for i, a := range e.args {
		args[i], x[i] = r.value(a), r.unknown(a)
		some = some || !x[i].is(0)
	}
	if !some {
		return g.number(e.width, 0)
	}
	switch e.op {
	case opSlice, opConcat, opSext:
		return g.rebuild(e, x)
	case opNot:
		return x[0]
	case opDyn, opShl, opShr, opSar:
		return g.mux(r.any(x[1]), r.ones(e.width), g.rebuild(e, []*expr{x[0], args[1]}))
	case opMux:
		t, f := args[1], args[2]
		return g.mux(x[0], g.or(g.or(x[1], x[2]), g.xor(t, f)), g.mux(args[0], x[1], x[2]))
	case opAll:
		return g.and(r.any(x[0]), g.reduce(opAll, g.or(args[0], x[0])))
	case opAny:
		return g.and(r.any(x[0]), g.not(r.any(g.and(args[0], g.not(x[0])))))
	case opOdd:
		return r.any(x[0])
	}
	return r.unknownBinary(e, args, x)
}

func (r *rails) unknownBinary(e *expr, args, x []*expr) *expr {
	g := r.g
	either := g.or(x[0], x[1])
	switch e.op {
	case opAnd:
		return g.and(either, g.and(g.or(x[0], args[0]), g.or(x[1], args[1])))
	case opOr:
		return g.and(either, g.and(g.or(x[0], g.not(args[0])), g.or(x[1], g.not(args[1]))))
	case opXor:
		return either
	case opAdd, opSub, opMul: // all bits from the lowest X on
		return g.or(either, g.binary(opSub, g.number(either.width, 0), either))
	case opEq:
		differs := r.any(g.and(g.xor(args[0], args[1]), g.not(either)))
		return g.and(r.any(either), g.not(differs))
	}
	return r.where(r.any(either), e.width) // division, comparison
}

func (r *rails) unknownOfVariable(v *variable) *expr {
	none := r.g.number(v.what.bits, 0)
	if v.input || r.without[v] {
		return none
	}
	x, ok := r.of[v]
	if !ok {
		x = r.add(v.name+"_x", v, v.what)
		r.of[v] = x
		r.driveUnknown(v, x)
		if len(x.registers) == 0 && !slices.ContainsFunc(x.comb, func(p part) bool { return !p.e.is(0) }) {
			r.without[v] = true
			return none
		}
	}
	now := r.g.variable(x)
	for _, reg := range v.registers { // an asynchronous reset that is X may or may not act
		for _, s := range reg.resets {
			if unsure := r.unknown(s.e); !unsure.is(0) {
				part := r.g.constant(v.what.bits, new(big.Int).Lsh(mask(reg.width), uint(reg.low)))
				now = r.g.or(now, r.g.mux(unsure, part, none))
			}
		}
	}
	return now
}

// driveUnknown adds drivers to x, the variable with the X bits of v. Bits of v without a driver are X.
func (r *rails) driveUnknown(v, x *variable) {
	g := r.g
	driven := new(big.Int)
	cover := func(low, width int) { driven.Or(driven, new(big.Int).Lsh(mask(width), uint(low))) }
	for _, p := range v.comb {
		cover(p.low, p.width)
		x.comb = append(x.comb, part{p.low, p.width, r.unknown(p.e), true})
	}
	initial := mask(v.what.bits) // initial X bits of registers and of undriven bits
	if v.power != nil {
		for _, p := range v.power.parts {
			if p.written {
				known := new(big.Int).Xor(mask(p.width), p.e.x)
				initial = new(big.Int).AndNot(initial, known.Lsh(known, uint(p.low)))
			}
		}
	}
	for _, reg := range v.registers {
		cover(reg.low, reg.width)
		r.clockedByInput(v, reg.clock)
		own := register{low: reg.low, width: reg.width, clock: reg.clock, next: r.unknown(reg.next), process: reg.process}
		for _, s := range reg.resets {
			if unsure := r.unknown(s.e); !unsure.is(0) {
				own.next = g.or(own.next, r.where(unsure, reg.width))
			}
			value := s.value
			if value != nil {
				value = g.constant(reg.width, value.x)
			}
			own.resets = append(own.resets, reset{s.event, value})
		}
		x.registers = append(x.registers, own)
	}
	if len(x.registers) > 0 {
		x.power = &value{parts: []part{{0, v.what.bits, g.constant(v.what.bits, initial), true}}}
	}
	for low := 0; low < v.what.bits; {
		end := low + 1
		for end < v.what.bits && driven.Bit(end) == driven.Bit(low) {
			end++
		}
		if driven.Bit(low) == 0 {
			x.comb = append(x.comb, part{low, end - low, g.slice(g.constant(v.what.bits, initial), low, end-low), true})
		}
		low = end
	}
}

func (r *rails) clockedByInput(v *variable, clock event) {
	declared := func(name string) bool { return clock.e.op == opVar && cosim.SameName(true, name, clock.e.v.name) }
	if !slices.ContainsFunc(r.clocks, declared) {
		panic(r.refuse(v.at, v.name+" of the model is not clocked by the model's clock",
			"name its clock: model: {clock: PORT}; a model has one clock, and no gated clock"))
	}
}

// unknownWord returns the X bits of a memory word: all bits if the read address has an X bit, or after a write that
// may have selected the word.
func (r *rails) unknownWord(e *expr) *expr {
	g, v := r.g, e.v
	unsure, at := r.any(r.unknown(e.args[0])), r.value(e.args[0])
	switch {
	case v.constant:
		x, ok := r.of[v]
		if !ok {
			x = r.add(v.name+"_x", v, v.what)
			r.of[v] = x
			x.memory, x.constant, x.power = true, true, &value{}
			for _, p := range v.power.parts {
				x.power.parts = append(x.power.parts, part{p.low, p.width, g.constant(p.width, p.e.x), true})
			}
		}
		return g.mux(unsure, r.ones(e.width), g.word(x, at))
	case len(v.ports) == 0:
		return r.ones(e.width)
	}
	if r.of[v] == nil {
		r.memory(v)
	}
	lost := g.dyn(g.variable(r.lost[v]), at, 1)
	return g.mux(g.or(unsure, lost), r.ones(e.width), g.word(r.of[v], at))
}

// memory adds two variables for the X bits of a memory: a memory of the same size, and a register with a bit for each
// word, which is 1 if all bits of the word are X. This bit is set at power-on and by a write that may have selected
// the word. A later write to a part of such a word first sets the X bits of the whole word.
func (r *rails) memory(v *variable) {
	g, words, bits := r.g, v.what.elements, v.what.element.bits
	x := r.add(v.name+"_x", v, v.what)
	x.memory = true
	lost := r.add(v.name+"_lost", v, &dtype{bits: words})
	r.of[v], r.lost[v] = x, lost
	now := g.variable(lost)
	found, gone := g.number(words, 0), g.number(words, 0)
	var fills []writePort
	for _, w := range v.ports {
		r.clockedByInput(v, w.clock)
		address, when := r.value(w.address), r.value(w.when)
		here := g.shift(opShl, g.number(words, 1), address)
		unsureWhen, unsureAt := r.unknown(w.when), r.any(r.unknown(w.address))
		may := g.or(unsureWhen, when)
		sure := g.and(when, g.not(g.or(unsureWhen, unsureAt)))
		gone = g.or(gone, r.where(g.and(may, unsureAt), words))
		gone = g.or(gone, g.mux(g.and(unsureWhen, g.not(unsureAt)), here, g.number(words, 0)))
		found = g.or(found, g.mux(sure, here, g.number(words, 0)))
		own := func(when *expr, low, width int, data *expr) writePort {
			return writePort{memoryWrite{x, when, address, low, width, data}, w.clock, w.process}
		}
		if w.width < bits {
			fills = append(fills, own(g.and(sure, g.dyn(now, address, 1)), 0, bits, r.ones(bits)))
		}
		x.ports = append(x.ports, own(sure, w.low, w.width, r.unknown(w.data)))
	}
	x.ports = append(fills, x.ports...)
	initial := mask(words)
	if v.power != nil {
		initial = zero
		x.power = &value{}
		for _, p := range v.power.parts {
			e := r.ones(p.width)
			if p.written {
				e = g.constant(p.width, p.e.x)
			}
			x.power.parts = append(x.power.parts, part{p.low, p.width, e, true})
		}
	}
	lost.registers = []register{{low: 0, width: words, clock: v.ports[0].clock, process: v.ports[0].process,
		next: g.or(g.and(now, g.not(found)), gone)}}
	lost.power = &value{parts: []part{{0, words, g.constant(words, initial), true}}}
}

// withoutPowerOn removes the entries about power-on values, because the print of a Golden includes these values.
func withoutPowerOn(dropped []string) []string {
	return slices.DeleteFunc(dropped, func(text string) bool { return strings.HasSuffix(text, BeginsWithAny) })
}
