package export

import (
	"fmt"
	"strings"

	"starloom/hw"
)

// value returns the Verilog text of an expression. line returns the text for some bits of a line.
func value(e hw.Expression, line func(of hw.Line, low, bits int) string) string {
	var of []string
	for _, operand := range e.Of {
		of = append(of, value(operand, line))
	}
	switch e.Kind {
	case hw.ExpressionLine:
		return line(e.Line, e.Low, e.Bits)
	case hw.ExpressionConstant:
		return constant(e.Bits, e.Word)
	case hw.ExpressionTogether:
		return together(of)
	case hw.ExpressionIf:
		return fmt.Sprintf("(%s ? %s : %s)", of[0], of[1], append(of, constant(e.Bits, 0))[2])
	case hw.ExpressionIs:
		return fmt.Sprintf("%s == %s", of[0], constant(e.Of[0].Bits, e.Word))
	}
	for i := range of {
		if e.Of[i].Bits > 1 {
			of[i] = "|" + of[i]
		}
	}
	return "(" + strings.Join(of, " || ") + ")"
}

func constant(bits int, word uint64) string {
	switch {
	case word == 0 && bits > 1:
		return fmt.Sprintf("{%d{1'b0}}", bits)
	case bits > 64:
		return fmt.Sprintf("{{%d{1'b0}}, 64'h%x}", bits-64, word)
	}
	return fmt.Sprintf("%d'h%x", bits, word)
}

// together joins operands, the lowest first.
func together(lowestFirst []string) string {
	if len(lowestFirst) == 1 {
		return lowestFirst[0]
	}
	var b strings.Builder
	for i := range lowestFirst {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(lowestFirst[len(lowestFirst)-1-i])
	}
	return "{" + b.String() + "}"
}
