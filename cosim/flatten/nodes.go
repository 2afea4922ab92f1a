package flatten

func (d *design) newProcess() *process {
	return &process{
		design: d, statements: statements, expressions: expressions,
		blocks: map[string]*landing{}, fixedWords: map[*variable]int{},
	}
}

var statements = map[string]statement{
	"ASSIGN":    (*process).assignment,
	"ASSIGNW":   (*process).assignment,
	"ASSIGNDLY": (*process).assignment,
	"IF":        (*process).branch,
	"CASE":      (*process).selection,
	"WHILE":     (*process).loop,
	"JUMPBLOCK": (*process).block,
	"JUMPGO":    (*process).jump,
	"STOP":      (*process).stop,
	"READMEM":   (*process).readMemory,
	"FINISH":    dropped("$finish"),
	"DISPLAY":   dropped("$display"),
	"FFLUSH":    dropped("$fflush"),
	"DUMPCTL":   dropped("$dump..."),
	"COMMENT":   (*process).forget,
	"COVERINC":  nothing,
}

func dropped(what string) statement {
	return func(p *process, n *node, s *state) *state {
		p.drop(n, what)
		return s
	}
}

func nothing(_ *process, _ *node, s *state) *state { return s }

var expressions = withOperations(map[string]expression{
	"CONST": (*process).literal, "CEXPR": (*process).insideVerilator,
	"VARREF": (*process).selected, "ARRAYSEL": (*process).selected, "STRUCTSEL": (*process).selected,
	"SEL": (*process).selected, "SLICESEL": (*process).sliceOfArray, "INITARRAY": (*process).arrayOf,
	"STREAML": (*process).streamed, "COND": (*process).chosen, "EXPRSTMT": (*process).called,
	"DIV": divided(opDiv), "DIVS": divided(opDivS), "MODDIV": divided(opMod), "MODDIVS": divided(opModS),
	"POW": (*process).power, "POWSU": (*process).power, "POWUS": (*process).power, "POWSS": (*process).power,
	"EQCASE": (*process).literally, "NEQCASE": (*process).literally,
	"EQWILD": (*process).wildly, "NEQWILD": (*process).wildly,
	"CRESET": (*process).unset, "COUNTBITS": (*process).bitsLike, "ISUNKNOWN": (*process).isX,
})

func withOperations(all map[string]expression) map[string]expression {
	for kind, do := range operations {
		if all[kind] != nil {
			continue
		}
		all[kind] = func(p *process, n *node, s *state) *expr {
			var of []*expr
			for i := 1; i <= len(n.operands) && n.one(i) != nil; i++ {
				of = append(of, p.eval(n.one(i), s))
			}
			if len(of) == 2 {
				p.alongside(n, n.one(1), n.one(2))
			}
			return do(p.g, of, p.width(n))
		}
	}
	return all
}
