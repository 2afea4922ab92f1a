package strict

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// Number is an integer of a document: a sign and a magnitude, since seeds use
// all 64 bits and parameters have a sign.
type Number struct {
	Negative  bool
	Magnitude uint64
}

// numberOf is an integer from Go.
func numberOf(v reflect.Value) Number {
	switch {
	case v.CanUint():
		return Number{Magnitude: v.Uint()}
	case v.Int() < 0:
		return Number{Negative: true, Magnitude: -uint64(v.Int())}
	}
	return Number{Magnitude: uint64(v.Int())}
}

// String is the integer in decimal digits.
func (n Number) String() string {
	text := strconv.FormatUint(n.Magnitude, 10)
	if n.Negative {
		return "-" + text
	}
	return text
}

// Int64 is the integer with its sign, for those in range.
func (n Number) Int64() int64 {
	if n.Negative {
		return -int64(n.Magnitude)
	}
	return int64(n.Magnitude)
}

// Integer reads an integer in a range. Quoted numbers, fractions, underscores and
// leading zeros (octal in YAML 1.1, decimal in 1.2) are refused: none of them
// means the same to every reader.
func (d *Decoder) Integer(node *yaml.Node, path string, allowed Span) (Number, error) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || quoted(node) {
		if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!float" && PlainInteger(node.Value) {
			// Too large for the library, or like an octal number with a digit 8 or 9: it falls back to a float.
			if digits := strings.TrimPrefix(node.Value, "-"); digits[0] == '0' && strings.ContainsAny(digits, "89") {
				sign := node.Value[:len(node.Value)-len(digits)]
				return Number{}, d.Refuse(node, fmt.Sprintf("%s is %s, which not every YAML reader takes for the same number", path, Clip(node.Value)),
					"write it in plain decimal digits: "+Clip(sign+strings.TrimLeft(digits, "0")))
			}
			return Number{}, d.Refuse(node, fmt.Sprintf("%s is %s", path, Clip(node.Value)), allowed.Allowed())
		}
		return Number{}, d.Wrong(node, path, "an integer: "+allowed.String())
	}
	text := node.Value
	n := Number{Negative: strings.HasPrefix(text, "-")}
	text = strings.TrimPrefix(text, "-")
	base := 10
	switch {
	case strings.HasPrefix(text, "0x"):
		base, text = 16, text[2:]
	case strings.HasPrefix(text, "0o"):
		base, text = 8, text[2:]
	case len(text) > 1 && text[0] == '0', !PlainInteger(text):
		return Number{}, d.Refuse(node, fmt.Sprintf("%s is %s, which not every YAML reader takes for the same number", path, Clip(node.Value)),
			"write it in plain decimal digits")
	}
	magnitude, err := strconv.ParseUint(text, base, 64)
	n.Magnitude = magnitude
	n.Negative = n.Negative && magnitude != 0
	if err != nil || !allowed.Contains(n) {
		return Number{}, d.Refuse(node, fmt.Sprintf("%s is %s", path, Clip(node.Value)), allowed.Allowed())
	}
	return n, nil
}

// Fraction reads a number in a range, which may have a fraction.
func (d *Decoder) Fraction(node *yaml.Node, path string, allowed Span) (float64, error) {
	tag := node.ShortTag()
	value, err := strconv.ParseFloat(node.Value, 64)
	if node.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || quoted(node) || err != nil || strings.ContainsAny(node.Value, "_xX") {
		return 0, d.Wrong(node, path, "a number: "+allowed.String())
	}
	return value, nil
}

func quoted(node *yaml.Node) bool {
	return node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// PlainInteger reports whether a text is an integer in decimal digits.
func PlainInteger(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && strings.Trim(text, "0123456789") == ""
}
