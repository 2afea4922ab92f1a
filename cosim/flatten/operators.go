package flatten

func binary(do two) expression {
	return func(p *process, n *node, s *state) *expr {
		p.alongside(n, n.one(1), n.one(2))
		a, b := p.eval(n.one(1), s), p.eval(n.one(2), s)
		if width := max(a.width, b.width); a.width != b.width {
			a, b = p.g.zext(a, width), p.g.zext(b, width)
		}
		return do(p.g, a, b)
	}
}

func arithmetic(op operation) expression {
	return binary(func(g *graph, a, b *expr) *expr { return g.binary(op, a, b) })
}

// divided is X when it divides by zero; what is printed never does.
func divided(op operation) expression {
	return func(p *process, n *node, s *state) *expr {
		return binary(func(g *graph, a, b *expr) *expr {
			if b.is(0) {
				return p.unknown(n, a.width)
			}
			if b.known() {
				return g.binary(op, a, b)
			}
			divides := g.reduce(opAny, b)
			return g.mux(divides, g.binary(op, a, g.mux(divides, b, g.number(b.width, 1))), p.unknown(n, a.width))
		})(p, n, s)
	}
}

func compared(op operation, swap, invert bool) expression {
	return binary(func(g *graph, a, b *expr) *expr {
		if swap {
			a, b = b, a
		}
		e := g.compare(op, a, b)
		if invert {
			return g.not(e)
		}
		return e
	})
}

func reduced(op operation, invert bool) expression {
	return func(p *process, n *node, s *state) *expr {
		e := p.g.reduce(op, p.eval(n.one(1), s))
		if invert {
			return p.g.not(e)
		}
		return e
	}
}

func logical(do two) expression {
	return func(p *process, n *node, s *state) *expr {
		return do(p.g, p.condition(n.one(1), s), p.condition(n.one(2), s))
	}
}

func shifted(op operation) expression {
	return func(p *process, n *node, s *state) *expr {
		return p.g.shift(op, p.eval(n.one(1), s), p.eval(n.one(2), s))
	}
}

func xnor(g *graph, a, b *expr) *expr    { return g.not(g.xor(a, b)) }
func implies(g *graph, a, b *expr) *expr { return g.or(g.not(a), b) }

func same(p *process, n *node, s *state) *expr { return p.eval(n.one(1), s) }

func (p *process) joined(n *node, s *state) *expr {
	return p.g.concat(p.eval(n.one(1), s), p.eval(n.one(2), s))
}

func (p *process) extended(n *node, s *state) *expr {
	if e := p.eval(n.one(1), s); n.kind == "EXTENDS" {
		return p.g.sext(e, p.width(n))
	} else {
		return p.g.zext(e, p.width(n))
	}
}

func (p *process) chosen(n *node, s *state) *expr {
	p.alongside(n, n.one(2), n.one(3))
	c := p.condition(n.one(1), s)
	p.branched(n, c)
	return p.g.mux(c, p.eval(n.one(2), s), p.eval(n.one(3), s))
}

func (p *process) inverted(n *node, s *state) *expr { return p.g.not(p.eval(n.one(1), s)) }

func (p *process) falsehood(n *node, s *state) *expr { return p.g.not(p.condition(n.one(1), s)) }

func (p *process) negated(n *node, s *state) *expr {
	a := p.eval(n.one(1), s)
	return p.g.binary(opSub, p.g.number(a.width, 0), a)
}
