package prove

import (
	"fmt"
	"strings"
)

// givenSide returns the wrapper of a model that is RTL. The wrapper has the ports of the model and, for each output
// i, an output xi that is 1 where output i is X.
func (t *miterText) givenSide() string {
	var declared, connected []string
	connect := func(port, to string) { connected = append(connected, fmt.Sprintf(".\\%s (%s)", port, to)) }
	for i, p := range t.Model {
		direction := "output"
		if p.Input {
			direction = "input"
		}
		declared = append(declared, fmt.Sprintf("%s %s\\%s ", direction, rangeText(p.Bits), p.Name))
		switch {
		case p.Clock:
			connect(t.given.Clock, "\\"+p.Name+" ")
		case t.isReset(p) && t.given.Reset == "":
		case t.isReset(p):
			connect(t.given.Reset, map[bool]string{true: "~"}[t.given.ResetLow]+"\\"+p.Name+" ")
		default:
			connect(p.Name, "\\"+p.Name+" ")
		}
		if !p.Input {
			declared = append(declared, fmt.Sprintf("output %sx%d", rangeText(p.Bits), i))
			connect(t.given.Shape.Unknown(p.Name), fmt.Sprintf("x%d", i))
		}
	}
	return fmt.Sprintf("module %s(%s);\n  \\%s side(%s);\nendmodule\n", twinSide, strings.Join(declared, ", "),
		t.given.Source.Top, strings.Join(connected, ", "))
}

func openName(output string) string { return output + "_x" }

// writeOpen writes the wire openN: the bits of an output that are X in a model that is RTL, delayed like the output.
func (t *miterText) writeOpen(port int) {
	if t.given == nil {
		return
	}
	from := openName(twinName(port))
	if n := t.Late[port]; n > 0 {
		from = t.writeLine(port, n, "openline", from, openName(fmt.Sprintf("after%d", port)))
	}
	fmt.Fprintf(&t.b, "  wire %sopen%d = %s;\n", rangeText(t.Model[port].Bits), port, from)
}

// known returns an expression that is 1 while a compared bit of the model is not X.
func (t *miterText) known(b comparedBit) string {
	if t.given == nil || b.limit != nil {
		return ""
	}
	return " & ~" + bitText(fmt.Sprintf("open%d", b.port), b.bit, t.Model[b.port].Bits)
}
