package strict

import (
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

func numberOf(v reflect.Value) Number {
	switch {
	case v.CanUint():
		return Number{Magnitude: v.Uint()}
	case v.Int() < 0:
		return Number{Negative: true, Magnitude: -uint64(v.Int())}
	}
	return Number{Magnitude: uint64(v.Int())}
}

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

func quoted(node *yaml.Node) bool {
	return node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// PlainInteger reports whether a text is an integer in decimal digits.
func PlainInteger(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && strings.Trim(text, "0123456789") == ""
}
