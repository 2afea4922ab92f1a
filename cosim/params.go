package cosim

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// verilogConstant matches a parameter value for Verilator and Icarus: a number or quoted text.
var verilogConstant = regexp.MustCompile(`^(?:` +
	`[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|` + // 12, 1e-3
	`[+-]?(?:\d+ *)?'[sS]?[bBoOdDhH] *[\da-fA-FxXzZ?_]+|` + // 8'hff
	`'[01xXzZ]|` +
	`"(?:[^"\\]|\\.)*")$`)

var decimal = regexp.MustCompile(`^\d+$`)

// Constants returns the parameters, except types, in the syntax of the tools: text is quoted for Verilog and unquoted
// for VHDL.
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

// Types returns the parameters that a source declares as types.
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

// checkParams rejects a text value for a parameter that is not text in any source, because a text such as 8hff would
// silently become character codes. It also rejects a number for a parameter that is text in every source.
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
		number := verilogConstant.MatchString(value) && !strings.HasPrefix(value, `"`) && s.declares(ofString) &&
			!s.declares(`\b`+q+`\s*=\s*[-+\d']`)
		untyped := decimal.MatchString(value) && s.declares(isText) && !s.declares(`\b`+q+`\s*=\s*[^"=\s]`)
		if number || untyped {
			return &InputError{
				Place: "--param", Reason: fmt.Sprintf("%s is the number %s, but the source declares %s as a text", name, value,
					name),
				Remedy: fmt.Sprintf(`give a text, one of digits with quotes in the value: '"%s"'`, value),
			}
		}
		if !verilogConstant.MatchString(value) && !s.declares(isText+`|`+ofString+`|`+typeNamed(own)) {
			return &InputError{
				Place: "--param",
				Reason: fmt.Sprintf("%s is %s, which is not a Verilog constant, and no source declares %s as a text", name, value,
					name),
				Remedy: fmt.Sprintf(`give a number such as 12 or 8'hff, or, if it is a text, quotes in the value: '"%s"'`, value),
			}
		}
	}
	return nil
}
