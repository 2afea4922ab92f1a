package hw

import "slices"

// Line is a value on a wire: one element's part of a bank of wires, and one field of it if the wire has several.
// Inputs read lines (Port.From), outputs drive them (Port.Lines). Two lines are the same if all their members are
// equal.
type Line struct {
	Wire    Wire
	Field   string // a field of a wire with several: FieldRail1, ...; "" for a wire of one value
	Element int
	Bits    int
}

// Fields of lines.
const (
	FieldRail1 = "rail1" // FieldRail1 is rail 1 of light.
	FieldRail0 = "rail0" // FieldRail0 is rail 0 of light.
	FieldTo    = "to"    // FieldTo is the requested output, PortNone if a list selects it.
	FieldTag   = "tag"   // FieldTag is the tag of a request.
	FieldHigh  = "high"  // FieldHigh is 1 while the transmitter asks.
	FieldGrant = "grant" // FieldGrant has a bit per requester; it belongs to an arbiter's busy wire.
)

// Expression is a small function of lines: what hardware places between an input and the outputs that drive it.
type Expression struct {
	Kind ExpressionKind
	Bits int
	Line Line         // of ExpressionLine
	Low  int          // of ExpressionLine: its first bit
	Word uint64       // of ExpressionConstant: the value; of ExpressionIs: the value that is compared, at most 64 bits
	Of   []Expression // operands; of ExpressionIf the condition first
}

// ExpressionKind is the operation of an Expression.
type ExpressionKind uint8

// The operations.
const (
	ExpressionLine     ExpressionKind = iota // bits of a line
	ExpressionConstant                       // a constant; bits from 64 on are 0
	ExpressionTogether                       // operands side by side, the lowest first
	ExpressionIf                             // the second operand while the first is 1, otherwise the third, or 0 without
	ExpressionIs                             // 1 if the operand has a value
	ExpressionAny                            // 1 if a bit of an operand is 1
)

// Carried is the value of a line.
func Carried(line Line) Expression {
	return Expression{Kind: ExpressionLine, Bits: line.Bits, Line: line}
}

// Slice returns bits of a line, starting at bit low.
func (e Expression) Slice(low, bits int) Expression {
	e.Low, e.Bits = e.Low+low, bits
	return e
}

// Constant is a number of the given width.
func Constant(bits int, value uint64) Expression {
	return Expression{Kind: ExpressionConstant, Bits: bits, Word: value}
}

// Together places operands side by side, the lowest first. Operands of 0 bits are left out.
func Together(lowestFirst ...Expression) Expression {
	e := Expression{Kind: ExpressionTogether}
	for _, of := range lowestFirst {
		if of.Bits > 0 {
			e.Of = append(e.Of, of)
			e.Bits += of.Bits
		}
	}
	return e
}

// If is e while the condition of one bit is 1, otherwise 0.
func (e Expression) If(condition Expression) Expression {
	return Expression{Kind: ExpressionIf, Bits: e.Bits, Of: []Expression{condition, e}}
}

// Else makes the value of an If other while its condition is 0.
func (e Expression) Else(other Expression) Expression {
	e.Of = append(slices.Clone(e.Of), other)
	return e
}

// Is is 1 if the value of e, at most 64 bits, is the constant.
func (e Expression) Is(value uint64) Expression {
	return Expression{Kind: ExpressionIs, Bits: 1, Word: value, Of: []Expression{e}}
}

// AnyOf is 1 if a bit of an operand is 1.
func AnyOf(of ...Expression) Expression { return Expression{Kind: ExpressionAny, Bits: 1, Of: of} }

// Lines yields the lines that e reads.
func (e Expression) Lines(yield func(Line)) {
	if e.Kind == ExpressionLine {
		yield(e.Line)
	}
	for _, of := range e.Of {
		of.Lines(yield)
	}
}

// Bind returns a function that writes the value of e to the pins. source returns the pins that hold a line.
func (e Expression) Bind(to Pins, source func(Line) Pins) func() {
	switch e.Kind {
	case ExpressionLine:
		from := source(e.Line).Slice(e.Low, e.Bits)
		return func() { to.copy(from) }
	case ExpressionConstant:
		return func() {
			to.Clear()
			to.SetBits(0, min(64, to.Bits), e.Word)
		}
	case ExpressionTogether:
		low, parts := 0, make([]func(), len(e.Of))
		for i, of := range e.Of {
			parts[i] = of.Bind(to.Slice(low, of.Bits), source)
			low += of.Bits
		}
		return func() {
			for _, part := range parts {
				part()
			}
		}
	case ExpressionIf:
		condition, value, other := e.Of[0].word(source), e.Of[1].Bind(to, source), to.Clear
		if len(e.Of) > 2 {
			other = e.Of[2].Bind(to, source)
		}
		return func() {
			if condition().Value() != 0 {
				value()
				return
			}
			other()
		}
	case ExpressionIs:
		word := e.Of[0].word(source)
		return func() { to.Set(oneIf(word().Value() == e.Word)) }
	}
	words := make([]func() Pins, len(e.Of))
	for i, of := range e.Of {
		words[i] = of.word(source)
	}
	return func() {
		to.Set(oneIf(slices.ContainsFunc(words, func(word func() Pins) bool {
			lit := false
			word().Ones(func(int) { lit = true })
			return lit
		})))
	}
}

// word returns a function that computes e into pins of its own.
func (e Expression) word(source func(Line) Pins) func() Pins {
	own := Pins{Words: make([]uint64, (e.Bits+63)/64), Bits: e.Bits}
	compute := e.Bind(own, source)
	return func() Pins {
		compute()
		return own
	}
}
