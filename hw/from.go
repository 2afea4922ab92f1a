package hw

import "slices"

// Line identifies a value on a wire: the wire of one element, or one field of this wire. Inputs read lines
// (Port.From), and outputs drive lines (Port.Lines). Equal Lines identify the same value.
type Line struct {
	Wire    Wire
	Field   string // name of a field, such as FieldRail1; "" for a wire with a single value
	Element int
	Bits    int
}

// Fields of lines.
const (
	FieldRail1 = "rail1" // FieldRail1 is rail 1 of light.
	FieldRail0 = "rail0" // FieldRail0 is rail 0 of light.
	FieldTo    = "to"    // FieldTo is the requested output; PortNone if a list selects the output.
	FieldTag   = "tag"   // FieldTag is the tag of a request.
	FieldHigh  = "high"  // FieldHigh is 1 while the transmitter asks.
	FieldGrant = "grant" // FieldGrant has a bit per requester. It is a field of an arbiter's Busy wire.
)

// Expression is a combinational function of lines. It describes the hardware between an input and the outputs that
// drive it.
type Expression struct {
	Kind ExpressionKind
	Bits int
	Line Line         // of ExpressionLine
	Low  int          // of ExpressionLine: its first bit
	Word uint64       // ExpressionConstant: the value; ExpressionIs: the value to compare with; at most 64 bits
	Of   []Expression // operands; of ExpressionIf the condition first
}

// ExpressionKind is the operation of an Expression.
type ExpressionKind uint8

// The operations.
const (
	ExpressionLine     ExpressionKind = iota // bits of a line
	ExpressionConstant                       // a constant; bits 64 and above are 0
	ExpressionTogether                       // operands side by side, the lowest first
	ExpressionIf                             // second operand while the first is 1; else the third, if any, or 0
	ExpressionIs                             // 1 if the operand has a value
	ExpressionAny                            // 1 if any bit of any operand is 1
)

// Carried is the value of a line.
func Carried(line Line) Expression {
	return Expression{Kind: ExpressionLine, Bits: line.Bits, Line: line}
}

// Slice returns an expression for some bits of a line, starting at bit low.
func (e Expression) Slice(low, bits int) Expression {
	e.Low, e.Bits = e.Low+low, bits
	return e
}

// Constant returns a number of the given width in bits.
func Constant(bits int, value uint64) Expression {
	return Expression{Kind: ExpressionConstant, Bits: bits, Word: value}
}

// Together concatenates operands, the first in the low bits. It ignores operands of 0 bits.
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

// If returns an expression with the value of e while the one-bit condition is 1, otherwise 0.
func (e Expression) If(condition Expression) Expression {
	return Expression{Kind: ExpressionIf, Bits: e.Bits, Of: []Expression{condition, e}}
}

// Else returns an expression If with the value other while its condition is 0.
func (e Expression) Else(other Expression) Expression {
	e.Of = append(slices.Clone(e.Of), other)
	return e
}

// Is returns an expression that is 1 while e, of at most 64 bits, equals value.
func (e Expression) Is(value uint64) Expression {
	return Expression{Kind: ExpressionIs, Bits: 1, Word: value, Of: []Expression{e}}
}

// AnyOf returns an expression that is 1 while any bit of an operand is 1.
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

// Bind returns a function that writes the value of e to the pins of to. source returns the pins that hold the value
// of a line.
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

// word returns a function that computes e into its own pins and returns them.
func (e Expression) word(source func(Line) Pins) func() Pins {
	own := Pins{Words: make([]uint64, (e.Bits+63)/64), Bits: e.Bits}
	compute := e.Bind(own, source)
	return func() Pins {
		compute()
		return own
	}
}
