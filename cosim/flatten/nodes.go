package flatten

// newProcess begins a process. It knows every node that it may consist of: statements and values.
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

var expressions = map[string]expression{
	"CONST": (*process).literal, "CEXPR": (*process).insideVerilator,
	"VARREF": (*process).selected, "ARRAYSEL": (*process).selected, "STRUCTSEL": (*process).selected,
	"SEL": (*process).selected, "SLICESEL": (*process).sliceOfArray, "INITARRAY": (*process).arrayOf,
	"CONCAT": (*process).joined, "REPLICATE": (*process).replicated,
	"STREAML": (*process).streamed, "STREAMR": same, "SAMPLED": same, "SIGNED": same, "UNSIGNED": same,
	"EXTEND": (*process).extended, "EXTENDS": (*process).extended, "COND": (*process).chosen,
	"AND": binary((*graph).and), "OR": binary((*graph).or), "XOR": binary((*graph).xor), "XNOR": binary(xnor),
	"NOT": (*process).inverted, "NEGATE": (*process).negated,
	"ADD": arithmetic(opAdd), "SUB": arithmetic(opSub), "MUL": arithmetic(opMul), "MULS": arithmetic(opMul),
	"DIV": divided(opDiv), "DIVS": divided(opDivS), "MODDIV": divided(opMod), "MODDIVS": divided(opModS),
	"POW": (*process).power, "POWSU": (*process).power, "POWUS": (*process).power, "POWSS": (*process).power,
	"SHIFTL": shifted(opShl), "SHIFTR": shifted(opShr), "SHIFTRS": shifted(opSar),
	"LOGAND": logical((*graph).and), "LOGOR": logical((*graph).or), "LOGIF": logical(implies), "LOGEQ": logical(xnor),
	"LOGNOT": (*process).falsehood,
	"REDAND": reduced(opAll, false), "REDOR": reduced(opAny, false), "REDXOR": reduced(opOdd, false), "REDXNOR": reduced(opOdd, true),
	"EQ": compared(opEq, false, false), "NEQ": compared(opEq, false, true),
	"LT": compared(opLt, false, false), "GT": compared(opLt, true, false),
	"GTE": compared(opLt, false, true), "LTE": compared(opLt, true, true),
	"LTS": compared(opLtS, false, false), "GTS": compared(opLtS, true, false),
	"GTES": compared(opLtS, false, true), "LTES": compared(opLtS, true, true),
	"EQCASE": (*process).literally, "NEQCASE": (*process).literally,
	"EQWILD": (*process).wildly, "NEQWILD": (*process).wildly,
	"COUNTONES": (*process).ones, "COUNTBITS": (*process).bitsLike,
	"ONEHOT": (*process).hot, "ONEHOT0": (*process).hot, "CLOG2": (*process).logarithm,
	"ISUNKNOWN": (*process).isX,
}
