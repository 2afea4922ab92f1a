package flatten

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
)

const (
	aimsMost    = 6
	aimsTried   = 12
	aimSteps    = 2000
	aimStepsAll = 1 << 20 // maximum number of steps of all walks together
	aimAgoMost  = 6       // limit of cycles back in time
	aimDeepMost = 400
)

type aimer struct {
	*design
	random *rand.Rand
	needs  map[need]*[2]big.Int
	steps  int
	all    int
	deep   int
}

type need struct {
	v   *variable
	ago int
}

func newAimer(d *design) *aimer { return &aimer{design: d, random: rand.New(rand.NewPCG(1, 0xa13))} }

func (a *aimer) of(when *expr) (aims []Aim) {
	for range aimsTried {
		if a.all += a.steps; a.all > aimStepsAll {
			break
		}
		a.needs, a.steps = map[need]*[2]big.Int{}, 0
		a.want(when, big.NewInt(1), big.NewInt(1), 0)
		var aim Aim
		for n, bits := range a.needs {
			aim = append(aim, Need{n.v.name, n.ago, bits[0].Text(16), bits[1].Text(16)})
		}
		slices.SortFunc(aim, func(x, y Need) int {
			if x.Ago != y.Ago {
				return y.Ago - x.Ago
			}
			return slices.Compare([]byte(x.Port), []byte(y.Port))
		})
		known := slices.ContainsFunc(aims, func(other Aim) bool { return reflect.DeepEqual(other, aim) })
		if len(aim) > 0 && !known && len(aims) < aimsMost {
			aims = append(aims, aim)
		}
	}
	return aims
}

func (a *aimer) draw(width int) *big.Int {
	value := new(big.Int)
	for range (width + 63) / 64 {
		value.Or(value.Lsh(value, 64), new(big.Int).SetUint64(a.random.Uint64()))
	}
	return value.And(value, mask(width))
}

// want walks backwards from e to find inputs for which the bits of e selected by care equal the same bits of value.
func (a *aimer) want(e *expr, value, care *big.Int, ago int) {
	if a.steps++; a.steps > aimSteps || a.deep > aimDeepMost || care.Sign() == 0 {
		return
	}
	a.deep++
	defer func() { a.deep-- }()
	value = new(big.Int).And(value, mask(e.width))
	care = new(big.Int).And(care, mask(e.width))
	switch e.op {
	case opVar:
		a.variable(e.v, value, care, ago)
	case opSlice:
		a.want(e.args[0], new(big.Int).Lsh(value, uint(e.low)), new(big.Int).Lsh(care, uint(e.low)), ago)
	case opConcat:
		low := e.width
		for _, part := range e.args {
			low -= part.width
			a.want(part, new(big.Int).Rsh(value, uint(low)), new(big.Int).Rsh(care, uint(low)), ago)
		}
	case opSext:
		a.want(e.args[0], value, care, ago)
	case opNot:
		a.want(e.args[0], new(big.Int).Not(value), care, ago)
	case opAnd, opOr:
		a.both(e, value, care, ago)
	case opXor, opAdd, opSub, opMul:
		a.inverse(e, value, care, ago)
	case opEq, opLt, opLtS:
		a.compared(e, value.Sign() != 0, ago)
	case opMux:
		a.chosen(e, value, care, ago)
	case opAll, opAny, opOdd:
		a.reduced(e, value.Sign() != 0, ago)
	case opShl, opShr, opSar:
		a.want(e.args[1], zero, mask(e.args[1].width), ago)
		a.want(e.args[0], value, care, ago)
	case opDyn:
		at := a.draw(e.args[1].width)
		low := int(new(big.Int).Mod(at, big.NewInt(int64(e.args[0].width-e.width+1))).Int64())
		a.want(e.args[1], big.NewInt(int64(low)), mask(e.args[1].width), ago)
		a.want(e.args[0], new(big.Int).Lsh(value, uint(low)), new(big.Int).Lsh(care, uint(low)), ago)
	}
}

// variable passes a wanted value to the driver of a net or, one cycle earlier, of a register.
func (a *aimer) variable(v *variable, value, care *big.Int, ago int) {
	if v.input {
		bits := a.needs[need{v, ago}]
		if bits == nil {
			bits = &[2]big.Int{}
			a.needs[need{v, ago}] = bits
		}
		fresh := new(big.Int).AndNot(care, &bits[0]) // the first request of a bit wins
		bits[0].Or(&bits[0], fresh)
		bits[1].Or(&bits[1], new(big.Int).And(value, fresh))
		return
	}
	below := func(low, width int) (*big.Int, *big.Int) {
		return new(big.Int).Rsh(value, uint(low)), new(big.Int).And(new(big.Int).Rsh(care, uint(low)), mask(width))
	}
	for _, part := range v.comb {
		to, counts := below(part.low, part.width)
		a.want(part.e, to, counts, ago)
	}
	for _, r := range v.registers {
		to, counts := below(r.low, r.width)
		if counts.Sign() == 0 || ago == aimAgoMost {
			continue
		}
		for _, reset := range r.resets {
			off := int64(0)
			if reset.falling {
				off = 1
			}
			a.want(reset.e, big.NewInt(off), big.NewInt(1), ago)
			a.want(reset.e, big.NewInt(off), big.NewInt(1), ago+1)
		}
		a.want(r.next, to, counts, ago+1)
	}
}

// both inverts & and |: one result requires all operands, the other a single operand.
func (a *aimer) both(e *expr, value, care *big.Int, ago int) {
	all := new(big.Int).And(value, care)
	if e.op == opOr {
		all = new(big.Int).AndNot(care, value)
	}
	one := a.random.IntN(2)
	for i, operand := range e.args {
		counts := all
		if i == one || e.args[1-i].op == opConst {
			counts = care
		}
		a.want(operand, value, counts, ago)
	}
}

// inverse solves e for one operand. The other operand is a constant or drawn at random.
func (a *aimer) inverse(e *expr, value, care *big.Int, ago int) {
	x, y := e.args[0], e.args[1]
	swapped := x.op == opConst
	if swapped {
		x, y = y, x
	}
	other := a.draw(y.width)
	if y.op == opConst {
		other = y.value
	} else {
		a.want(y, other, mask(y.width), ago)
	}
	to := new(big.Int)
	switch {
	case e.op == opXor:
		to.Xor(value, other)
	case e.op == opAdd:
		to.Sub(value, other)
	case e.op == opSub && swapped:
		to.Sub(other, value)
	case e.op == opSub:
		to.Add(value, other)
	case other.Bit(0) == 1:
		to.Mul(value, new(big.Int).ModInverse(other, new(big.Int).Lsh(big.NewInt(1), uint(e.width))))
	default:
		return
	}
	if e.op != opXor {
		care = mask(care.BitLen())
	}
	a.want(x, to.And(to, mask(e.width)), care, ago)
}

func (a *aimer) compared(e *expr, yes bool, ago int) {
	x, y := e.args[0], e.args[1]
	constant, to := y, x
	if x.op == opConst {
		constant, to = x, y
	}
	bound := a.draw(x.width)
	if constant.op == opConst {
		bound = constant.value
	} else {
		a.want(constant, bound, mask(x.width), ago)
	}
	by := int64(0)
	switch {
	case e.op == opEq && !yes:
		by = 1 - 2*int64(a.random.IntN(2))
	case e.op == opEq:
	case yes == (constant == y):
		by = -1
		if !yes {
			by = 0
		}
	case yes:
		by = 1
	}
	value := new(big.Int).Add(bound, big.NewInt(by))
	a.want(to, value.And(value, mask(x.width)), mask(x.width), ago)
}

// chosen satisfies ?: through an operand that has, or may have, the wanted value.
func (a *aimer) chosen(e *expr, value, care *big.Int, ago int) {
	side := 1 + a.random.IntN(2)
	for i, s := range e.args[1:] {
		if s.op != opConst {
			continue
		}
		side = 2 - i
		if new(big.Int).And(new(big.Int).Xor(s.value, value), care).Sign() == 0 {
			side = 1 + i
			break
		}
	}
	a.want(e.args[0], big.NewInt(int64(2-side)), big.NewInt(1), ago)
	a.want(e.args[side], value, care, ago)
}

func (a *aimer) reduced(e *expr, yes bool, ago int) {
	operand := e.args[0]
	one := new(big.Int).Lsh(big.NewInt(1), uint(a.random.IntN(operand.width)))
	switch {
	case e.op == opAll && yes:
		a.want(operand, mask(operand.width), mask(operand.width), ago)
	case e.op == opAll:
		a.want(operand, zero, one, ago)
	case e.op == opAny && yes:
		a.want(operand, one, one, ago)
	case e.op == opAny, !yes:
		a.want(operand, zero, mask(operand.width), ago)
	default:
		a.want(operand, one, mask(operand.width), ago)
	}
}
