package verilator

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

// GHDL 2.0 silently writes wrong Verilog: a case statement loses its choice others; signed divisions and right shifts
// become unsigned; abs, minimum and maximum stay VHDL. GHDL's VHDL output of the same netlist is correct and has the
// same names, so the missing parts are read from that output. Errors introduced by synthesis lead to a refusal, or to
// a warning if they may be harmless.

var (
	ghdlModule = regexp.MustCompile(`(?ms)^module (\S+).*?^endmodule`)
	ghdlCase   = regexp.MustCompile(`(?m)^    case \(.*\)\n(?:      \S+: (\S+) <= .*;\n)+    endcase$`)
	ghdlOthers = regexp.MustCompile(`(?s)with \S+ select (\S+) <=[^;]*?\s(\S+|\(\d+ downto 0 => '.'\)) when others;`)
	ghdlAlike  = regexp.MustCompile(`^\((\d+) downto 0 => '([01xzXZ])'\)$`)
	ghdlPlace  = regexp.MustCompile(`/\*#? (\S+:\d+:\d+) +\*/`)
	ghdlEdge   = regexp.MustCompile(`(?m)^  assign (\S+) = 1'b0; // (?:pos|neg)edge$`)

	ghdlShift  = regexp.MustCompile(`(= \$signed\([^)]*\)) >> `)
	ghdlSigned = regexp.MustCompile(`(?m)^  assign (\S+) = (\S+) [/%] (\S+); // s(div|rem|mod)$`)
	ghdlAbs    = regexp.MustCompile(`(?m)^  (\S+) <= std_logic_vector\(abs \$signed\((\S+)\)\);$`)
	ghdlChoice = regexp.MustCompile(`(?m)^  (\S+) <= (\S+) when (.*) else (\S+);$`)

	ghdlString   = regexp.MustCompile(`"([01]+)"`)                 // matches a number wider than 32 bits
	ghdlMatch    = regexp.MustCompile(`(?m)== \d+'b[01]*X[01X]*;`) // matches ?= of numeric_std with don't-care bits
	ghdlUndriven = regexp.MustCompile(`(\d'b)Z\b`)                 // matches an undriven net; a tri-state has lower-case z

	ghdlMeta   = regexp.MustCompile(`(?m)^(\S+:\d+:\d+):warning: choice with meta-value is ignored`)
	ghdlNarrow = regexp.MustCompile(`(?m)^  /\*#? (\S+):(\d+):(\d+) +\*/\n  assign .*; +// trunc$`) // 6 writes #
)

func refuseGHDL(said string) error {
	if found := ghdlMeta.FindStringSubmatch(said); found != nil {
		return &cosim.InputError{
			Place: found[1], Reason: "a choice with -, as in case?, which GHDL omits", Remedy: "write it with if and std_match",
		}
	}
	return nil
}

func (b *builder) mended(verilog, vhdl string) (string, error) {
	verilog = ghdlUndriven.ReplaceAllString(verilog, "${1}x")
	verilog = ghdlShift.ReplaceAllString(verilog, "$1 >>> ")
	verilog = ghdlAbs.ReplaceAllString(verilog, "  assign $1 = $$signed($2) < 0 ? -$2 : $2;")
	verilog = ghdlChoice.ReplaceAllString(verilog, "  assign $1 = $3 ? $2 : $4;")
	verilog = ghdlSigned.ReplaceAllStringFunc(verilog, signedDivision)
	verilog = ghdlString.ReplaceAllStringFunc(verilog,
		func(digits string) string { return fmt.Sprintf("%d'b%s", len(digits)-2, digits[1:len(digits)-1]) })
	var refused error
	if found := ghdlMatch.FindStringIndex(verilog); found != nil {
		refused = b.refusedVHDL(verilog[:found[0]], "?= of an unsigned or signed value with -",
			"compare as std_logic_vector, or use std_match")
	}
	verilog = ghdlModule.ReplaceAllStringFunc(verilog, func(module string) string {
		for _, found := range ghdlEdge.FindAllStringSubmatchIndex(module, -1) {
			// the net is used beyond its declaration and this assignment
			if net := module[found[2]:found[3]]; strings.Count(module, net) > 2 {
				refused = b.refusedVHDL(module[:found[0]], "a clock edge as a value, as for an array that is reset asynchronously",
					"reset it synchronously, or not at all")
			}
		}
		others := othersOf(vhdl, ghdlModule.FindStringSubmatch(module)[1])
		var text strings.Builder
		at := 0
		for _, found := range ghdlCase.FindAllStringSubmatchIndex(module, -1) {
			net := module[found[2]:found[3]]
			value, ok := verilogOf(others[net])
			if !ok {
				refused = b.refusedVHDL(module[:found[0]], "the others of a case", "write it with if")
			}
			text.WriteString(strings.TrimSuffix(module[at:found[1]], "    endcase"))
			fmt.Fprintf(&text, "      default: %s <= %s;\n    endcase", net, value)
			at = found[1]
		}
		return text.String() + module[at:]
	})
	return escapedVHDL(verilog), refused
}

var (
	// ghdlOwn matches the keywords that begin a line of GHDL's Verilog. Any other keyword of Verilog in the line is a
	// name, unless VHDL also reserves the word.
	ghdlOwn = regexp.MustCompile(`^(?:module |endmodule$| {3}(?:input|output|inout) | {2}\((?:input|output|inout) |` +
		` {2}(?:wire|reg|assign|localparam|initial)\b| {4}endcase$| {6}default: )`)
	ghdlShared = regexp.MustCompile(`^(?:begin|case|else|end|for|if|not|or)$`)
	ghdlWord   = regexp.MustCompile(`"[^"]*"|/\*.*?\*/|//.*|[\\$']?[A-Za-z_]\w*`)
	ghdlEdges  = regexp.MustCompile(`(?:pos|neg)edge \w+`)
)

func escapedVHDL(verilog string) string {
	var text strings.Builder
	for line := range strings.Lines(verilog) {
		own := ghdlOwn.FindString(strings.TrimSuffix(line, "\n"))
		if strings.HasPrefix(line, "  always @") {
			own = ghdlEdges.ReplaceAllStringFunc(line,
				func(edge string) string { return edge[:len("posedge ")] + cosim.VerilogName(edge[len("posedge "):]) })
			line = own
		}
		text.WriteString(own + ghdlWord.ReplaceAllStringFunc(line[len(own):], func(word string) string {
			if cosim.IsKeyword(word) && !ghdlShared.MatchString(word) {
				return cosim.VerilogName(word)
			}
			return word
		}))
	}
	return text.String()
}

// signedDivision rewrites a division by the rules of VHDL: rem has the sign of the dividend, mod the sign of the
// divisor.
func signedDivision(line string) string {
	found := ghdlSigned.FindStringSubmatch(line)
	a, divisor := "$signed("+found[2]+")", "$signed("+found[3]+")"
	switch found[4] {
	case "div":
		return fmt.Sprintf("  assign %s = %s / %s;", found[1], a, divisor)
	case "rem":
		return fmt.Sprintf("  assign %s = %s %% %s;", found[1], a, divisor)
	}
	return fmt.Sprintf("  assign %s = %s %% %s == 0 || (%s < 0) == (%s < 0) ? %s %% %s : %s %% %s + %s;",
		found[1], a, divisor, a, divisor, a, divisor, a, divisor, divisor)
}

func othersOf(vhdl, module string) map[string]string {
	others := map[string]string{}
	body := regexp.MustCompile(`(?msi)^architecture \S+ of ` + regexp.QuoteMeta(module) + ` is.*?^end `).FindString(vhdl)
	for _, found := range ghdlOthers.FindAllStringSubmatch(body, -1) {
		others[found[1]] = found[2]
	}
	return others
}

var vhdlName = regexp.MustCompile(`^[A-Za-z]\w*$`)

// verilogOf converts a VHDL net or constant to Verilog. GHDL's VHDL prefixes the ports of the top with wrap_.
func verilogOf(value string) (string, bool) {
	switch {
	case len(value) > 2 && (value[0] == '\'' || value[0] == '"'):
		digits := strings.ToLower(value[1 : len(value)-1])
		if strings.Trim(digits, "01xz") != "" {
			return "", false
		}
		return fmt.Sprintf("%d'b%s", len(digits), digits), true
	case ghdlAlike.MatchString(value):
		found := ghdlAlike.FindStringSubmatch(value)
		high, _ := strconv.Atoi(found[1])
		return fmt.Sprintf("{%d{1'b%s}}", high+1, strings.ToLower(found[2])), true
	case vhdlName.MatchString(value):
		return strings.TrimPrefix(value, "wrap_"), true
	}
	return "", false
}

func (b *builder) refusedVHDL(before, what, remedy string) error {
	place := b.Files[0]
	if found := ghdlPlace.FindAllStringSubmatch(before, -1); found != nil {
		place = found[len(found)-1][1]
	}
	return &cosim.InputError{Place: place, Reason: what + ", which GHDL translates wrongly", Remedy: remedy}
}

// narrowed warns about resize to fewer bits. GHDL drops the sign of a signed value, whereas numeric_std keeps the
// sign.
func narrowed(verilog string) (warnings []cosim.Warning) {
	for _, found := range ghdlNarrow.FindAllStringSubmatch(verilog, -1) {
		line, _ := strconv.Atoi(found[2])
		column, _ := strconv.Atoi(found[3])
		w := cosim.Warning{
			Code: resize, Place: found[1] + ":" + found[2],
			Text: "resize to fewer bits: if the value is signed, GHDL drops its sign, and a different circuit is simulated; " +
				"write the sign and the low bits explicitly, or only the low bits for an unsigned value: x(3 downto 0)",
		}
		text, all := textAt(found[1], line, column)
		if of := resized.FindStringSubmatch(text); of != nil && !isUnsigned(of[1], all) && !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
		}
	}
	return warnings
}

// resized matches the beginning of a resize, up to the first word of its value.
var resized = regexp.MustCompile(`(?i)^resize\s*\(?\s*(\w*)`)

// isUnsigned reports whether a word begins an unsigned value: a conversion to unsigned, or a name that is declared
// only as unsigned.
func isUnsigned(word, file string) bool {
	if word = strings.ToLower(word); word == "unsigned" || word == "to_unsigned" {
		return true
	}
	declared := regexp.MustCompile(
		`(?i)\b`+word+`(?:\s*,\s*\w+)*\s*:\s*(?:(?:in|out|inout|buffer)\s+)?(\w+)`).FindAllStringSubmatch(file, -1)
	signed := func(d []string) bool { return strings.ToLower(d[1]) != "unsigned" }
	return word != "" && len(declared) > 0 && !slices.ContainsFunc(declared, signed)
}

func textAt(path string, line, column int) (rest, all string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", ""
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1]) {
		return "", ""
	}
	return lines[line-1][column-1:], string(text)
}
