package flatten

import (
	"math/big"
	"slices"
)

// operate evaluates an operation to width bits, for both trees. It returns nil if it cannot evaluate the operation.
type operate = func(g *graph, of []*expr, width int) *expr

var operations = map[string]operate{
	"EXTEND":  func(g *graph, of []*expr, width int) *expr { return g.zext(of[0], width) },
	"EXTENDS": func(g *graph, of []*expr, width int) *expr { return g.sext(of[0], width) },
	"CASTCUT": func(g *graph, of []*expr, width int) *expr { return g.slice(of[0], 0, width) },
	"SEL":     fixedBits,
	"CONCAT":  func(g *graph, of []*expr, _ int) *expr { return g.concat(of...) },
	"REPLICATE": func(g *graph, of []*expr, width int) *expr {
		return g.concat(slices.Repeat(of[:1], width/of[0].width)...)
	},
	"COND": func(g *graph, of []*expr, width int) *expr {
		return g.mux(g.reduce(opAny, of[0]), g.zext(of[1], width), g.zext(of[2], width))
	},
	"STREAMR": same, "SAMPLED": same, "SIGNED": same, "UNSIGNED": same,
	"AND": whole((*graph).and), "OR": whole((*graph).or), "XOR": whole((*graph).xor), "XNOR": whole(xnor),
	"NOT": func(g *graph, of []*expr, width int) *expr { return g.not(g.zext(of[0], width)) },
	"NEGATE": func(g *graph, of []*expr, width int) *expr {
		return g.binary(opSub, g.number(width, 0), g.zext(of[0], width))
	},
	"ADD": arithmetic(opAdd), "SUB": arithmetic(opSub), "MUL": whole((*graph).product), "MULS": whole((*graph).product),
	"DIV": quotient(opDiv), "DIVS": quotient(opDivS), "MODDIV": quotient(opMod), "MODDIVS": quotient(opModS),
	"POW": power, "POWSU": power, "POWUS": power, "POWSS": power,
	"SHIFTL": shifted(opShl), "SHIFTR": shifted(opShr), "SHIFTRS": shifted(opSar),
	"LOGAND": logical((*graph).and), "LOGOR": logical((*graph).or), "LOGIF": logical(implies), "LOGEQ": logical(xnor),
	"LOGNOT": func(g *graph, of []*expr, _ int) *expr { return g.not(g.reduce(opAny, of[0])) },
	"REDAND": reduced(opAll, false), "REDOR": reduced(opAny, false), "REDXOR": reduced(opOdd, false),
	"REDXNOR": reduced(opOdd, true),
	"EQ":      compared(opEq, false, false), "NEQ": compared(opEq, false, true),
	"LT": compared(opLt, false, false), "GT": compared(opLt, true, false),
	"GTE": compared(opLt, false, true), "LTE": compared(opLt, true, true),
	"LTS": compared(opLtS, false, false), "GTS": compared(opLtS, true, false),
	"GTES": compared(opLtS, false, true), "LTES": compared(opLtS, true, true),
	"COUNTONES": func(g *graph, of []*expr, width int) *expr { return g.count(of[0], width) },
	"ONEHOT":    func(g *graph, of []*expr, _ int) *expr { return g.and(g.hot(of[0]), g.reduce(opAny, of[0])) },
	"ONEHOT0":   func(g *graph, of []*expr, _ int) *expr { return g.hot(of[0]) },
	"CLOG2":     func(g *graph, of []*expr, width int) *expr { return g.logarithm(of[0], width) },
}

func same(_ *graph, of []*expr, _ int) *expr { return of[0] }

func whole(do two) operate {
	return func(g *graph, of []*expr, width int) *expr { return do(g, g.zext(of[0], width), g.zext(of[1], width)) }
}

func arithmetic(op operation) operate {
	return whole(func(g *graph, a, b *expr) *expr { return g.binary(op, a, b) })
}

func quotient(op operation) operate {
	return func(g *graph, of []*expr, width int) *expr {
		if !of[1].known() || of[1].is(0) {
			return nil
		}
		return arithmetic(op)(g, of, width)
	}
}

func power(g *graph, of []*expr, width int) *expr {
	for _, e := range of {
		if !e.known() || e.value.BitLen() == e.width {
			return nil
		}
	}
	return g.constant(width, new(big.Int).Exp(of[0].value, of[1].value, new(big.Int).Lsh(big.NewInt(1), uint(width))))
}

func fixedBits(g *graph, of []*expr, width int) *expr {
	low, ok := of[1].small()
	if !ok || low+width > of[0].width {
		return nil
	}
	return g.slice(of[0], low, width)
}

func compared(op operation, swap, invert bool) operate {
	return func(g *graph, of []*expr, _ int) *expr {
		width := max(of[0].width, of[1].width)
		a, b := g.zext(of[0], width), g.zext(of[1], width)
		if swap {
			a, b = b, a
		}
		e := g.compare(op, a, b)
		if invert {
			return g.not(e)
		}
		return e
	}
}

func reduced(op operation, invert bool) operate {
	return func(g *graph, of []*expr, _ int) *expr {
		e := g.reduce(op, of[0])
		if invert {
			return g.not(e)
		}
		return e
	}
}

func logical(do two) operate {
	return func(g *graph, of []*expr, _ int) *expr { return do(g, g.reduce(opAny, of[0]), g.reduce(opAny, of[1])) }
}

func shifted(op operation) operate {
	return func(g *graph, of []*expr, width int) *expr { return g.shift(op, g.zext(of[0], width), of[1]) }
}

func xnor(g *graph, a, b *expr) *expr    { return g.not(g.xor(a, b)) }
func implies(g *graph, a, b *expr) *expr { return g.or(g.not(a), b) }

func (g *graph) count(e *expr, width int) *expr {
	if e.width == 1 {
		return g.zext(e, width)
	}
	half := e.width / 2
	return g.binary(opAdd, g.count(g.slice(e, 0, half), width), g.count(g.slice(e, half, e.width-half), width))
}

func (g *graph) hot(e *expr) *expr {
	return g.not(g.reduce(opAny, g.and(e, g.binary(opSub, e, g.number(e.width, 1)))))
}

func (g *graph) logarithm(e *expr, width int) *expr {
	less := g.binary(opSub, e, g.number(e.width, 1))
	r := g.number(width, 0)
	for i := range e.width {
		r = g.mux(g.slice(less, i, 1), g.number(width, i+1), r)
	}
	return g.mux(g.reduce(opAny, e), r, g.number(width, 0))
}
