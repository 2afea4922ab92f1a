package cosim

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// verilogConstant is a parameter's value for Verilator and Icarus: a number, or text in quotes.
var verilogConstant = regexp.MustCompile(`^(?:` +
	`[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|` + // 12, 1e-3
	`[+-]?(?:\d+ *)?'[sS]?[bBoOdDhH] *[\da-fA-FxXzZ?_]+|` + // 8'hff
	`'[01xXzZ]|` +
	`"(?:[^"\\]|\\.)*")$`)

var decimal = regexp.MustCompile(`^\d+$`)

// Constants are the parameters as the tools take them, without those that are types: for Verilog
// plain text in quotes, for generics without.
func (s *Source) Constants() map[string]string {
	values, types := maps.Clone(s.Params), s.Types()
	for name, value := range s.Params {
		_, isType := types[name]
		switch {
		case isType:
			delete(values, name)
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

// Types are the parameters that are types: a source declares them so.
func (s *Source) Types() map[string]string {
	types := map[string]string{}
	for name, value := range s.Params {
		if !s.VHDL() && !verilogConstant.MatchString(value) && s.declares(typeNamed(name)) {
			types[name] = value
		}
	}
	return types
}

func typeNamed(name string) string { return `\btype\s+` + regexp.QuoteMeta(name) + `\s*(?:=|,|\))` }

func (s *Source) declares(expression string) bool {
	wanted := regexp.MustCompile(expression)
	return slices.ContainsFunc(s.Files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && wanted.Match(text)
	})
}

// checkParams refuses text for a parameter that no source gives a text: 8hff would
// silently become the codes of its letters. And a number for one that every source gives a text.
func (s *Source) checkParams() error {
	if s.VHDL() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		value := s.Params[name]
		_, own, inner := strings.Cut(name, ".")
		if !inner {
			own = name
		}
		if !IsIdentifier(own) || strings.ContainsAny(value, "\n\x00") {
			continue
		}
		q := regexp.QuoteMeta(own)
		ofString, isText := `\bstring\s+`+q+`\b`, `\b`+q+`\s*=\s*"`
		number := verilogConstant.MatchString(value) && !strings.HasPrefix(value, `"`) && s.declares(ofString) && !s.declares(`\b`+q+`\s*=\s*[-+\d']`)
		untyped := decimal.MatchString(value) && s.declares(isText) && !s.declares(`\b`+q+`\s*=\s*[^"=\s]`)
		if number || untyped {
			return &InputError{
				Place: "--param", Reason: fmt.Sprintf("%s is the number %s, and the source declares %s with a text", name, value, name),
				Remedy: fmt.Sprintf(`give a text, one of digits with quotes in the value: '"%s"'`, value),
			}
		}
		if !verilogConstant.MatchString(value) && !s.declares(isText+`|`+ofString+`|`+typeNamed(own)) {
			return &InputError{
				Place:  "--param",
				Reason: fmt.Sprintf("%s is %s, which is not a Verilog constant, and no source declares %s with a text", name, value, name),
				Remedy: fmt.Sprintf(`give a number such as 12 or 8'hff, or, if it is a text, quotes in the value: '"%s"'`, value),
			}
		}
	}
	return nil
}
