package cosim

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// verilogConstant is what Verilator and Icarus take as a parameter's value: a number, or
// text in quotes.
var verilogConstant = regexp.MustCompile(`^(?:` +
	`[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|` + // 12, 1e-3
	`[+-]?(?:\d+ *)?'[sS]?[bBoOdDhH] *[\da-fA-FxXzZ?_]+|` + // 8'hff
	`'[01xXzZ]|` +
	`"(?:[^"\\]|\\.)*")$`)

// Constants are the parameters as the tools take them: for Verilog plain text in quotes,
// for generics without.
func (s *Source) Constants() map[string]string {
	values := maps.Clone(s.Params)
	for name, value := range values {
		switch {
		case s.VHDL():
			if len(value) > 1 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
				values[name] = value[1 : len(value)-1]
			}
		case !verilogConstant.MatchString(value):
			values[name] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
		}
	}
	return values
}

// checkParams refuses text for a parameter that no source gives a text: 8hff would
// silently become the codes of its letters.
func (s *Source) checkParams() error {
	if s.VHDL() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		value := s.Params[name]
		if verilogConstant.MatchString(value) || !IsIdentifier(name) || strings.ContainsAny(value, "\n\x00") {
			continue
		}
		textual := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*=\s*"|\bstring\s+` + regexp.QuoteMeta(name) + `\b`)
		if !slices.ContainsFunc(s.Files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && textual.Match(text)
		}) {
			return &InputError{
				Place:  "--param",
				Reason: fmt.Sprintf("%s is %s, which is not a Verilog constant, and no source declares %s with a text", name, value, name),
				Remedy: fmt.Sprintf(`give a number such as 12 or 8'hff, or, if it is a text, quotes in the value: '"%s"'`, value),
			}
		}
	}
	return nil
}
