package condition

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	tokenEnd = iota
	tokenSign
	tokenName
	tokenNumber
)

type token struct {
	kind         int
	text         string
	value        *big.Int
	bits         int
	plain        bool // the number has no width
	line, column int
}

type scanner struct {
	text         string
	line, column int
}

// signs lists all operators, longest first. It includes unsupported operators for better error messages.
var signs = []string{
	"===", "!==", "<<<", ">>>", "<->", "|->", "|=>",
	"->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "~&", "~|", "~^", "^~", "**",
	"!", "~", "&", "|", "^", "+", "-", "*", "/", "%", "<", ">", "?", ":", "(", ")", "{", "}", "[", "]", ",", "=", ";", "#",
	"@",
}

const bitsMax = 1 << 14

func (s *scanner) advance(count int) {
	for _, c := range s.text[:count] {
		s.column++
		if c == '\n' {
			s.line, s.column = s.line+1, 1
		}
	}
	s.text = s.text[count:]
}

func (s *scanner) next() (token, error) {
	s.advance(len(s.text) - len(strings.TrimLeft(s.text, " \t\r\n")))
	t := token{line: s.line, column: s.column}
	switch c := first(s.text); {
	case c == 0 && s.text == "":
		return t, nil
	case isLetter(c) || c == '$':
		t.kind, t.text = tokenName, s.text[:1+span(s.text[1:], isNamed)]
	case isDigit(c) || c == '\'':
		return s.number(t)
	default:
		for _, sign := range signs {
			if strings.HasPrefix(s.text, sign) {
				t.kind, t.text = tokenSign, sign
				break
			}
		}
		if t.text == "" {
			return t, t.error("a condition has no "+strconv.QuoteToASCII(string([]rune(s.text)[0])), "write names, numbers "+
				"and Verilog's operators")
		}
	}
	s.advance(len(t.text))
	return t, nil
}

// number scans 12, 8'hff or 'b01. x and z are errors.
func (s *scanner) number(t token) (token, error) {
	const remedy = "write 12, 8'hff, 4'b0101 or 3'o7"
	size := span(s.text, isDigitOrLine)
	length := size
	base, digits := 10, s.text[:size]
	t.kind, t.bits, t.plain = tokenNumber, 32, true
	if rest := s.text[size:]; strings.HasPrefix(rest, "'") {
		if t.plain = digits == ""; !t.plain {
			bits, err := strconv.Atoi(strings.ReplaceAll(digits, "_", ""))
			if err != nil || bits < 1 || bits > bitsMax {
				return t, t.error("a number of "+digits+" bits", "give 1 to "+strconv.Itoa(bitsMax))
			}
			t.bits = bits
		}
		if len(rest) < 2 {
			return t, t.error("a number ends after '", remedy)
		}
		switch rest[1] | 0x20 {
		case 'b':
			base = 2
		case 'o':
			base = 8
		case 'd':
		case 'h':
			base = 16
		default:
			return t, t.error("'"+rest[1:2]+" is no base", remedy)
		}
		digits = rest[2:][:span(rest[2:], isNamed)]
		length += 2 + len(digits)
	} else if isLetter(first(rest)) {
		return t, t.error(s.text[:size+span(rest, isNamed)]+" is neither a number nor a name", remedy)
	}
	t.text = s.text[:length]
	value, ok := new(big.Int).SetString(strings.ReplaceAll(digits, "_", ""), base)
	switch {
	case !ok && strings.ContainsAny(digits, "xXzZ"):
		return t, t.error(t.text+" has digits that are unknown", "a condition has two states: compare single bits, as in "+
			"request[3]")
	case !ok:
		return t, t.error(t.text+" is not a number", remedy)
	case value.BitLen() > t.bits:
		return t,
			t.error(t.text+" has more than "+strconv.Itoa(t.bits)+" bits",
				"give it its width: "+strconv.Itoa(value.BitLen())+"'h"+value.Text(16))
	}
	t.value = value
	s.advance(length)
	return t, nil
}

func (t token) error(reason, remedy string) error {
	return &Error{Line: t.line, Column: t.column, Reason: reason, Remedy: remedy}
}

func first(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}

func span(text string, is func(byte) bool) int {
	for i := range len(text) {
		if !is(text[i]) {
			return i
		}
	}
	return len(text)
}

func isLetter(c byte) bool      { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool       { return '0' <= c && c <= '9' }
func isDigitOrLine(c byte) bool { return isDigit(c) || c == '_' }
func isNamed(c byte) bool       { return isLetter(c) || isDigit(c) || c == '$' }

// Error is an error at a place in a text. Line and column count from 1.
type Error struct {
	Line, Column   int
	Reason, Remedy string
}

// Error returns "line 1, column 8: reason; remedy".
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s; %s", e.Line, e.Column, e.Reason, e.Remedy)
}

// Place describes the place of the error in text, which may have several lines.
func (e *Error) Place(text string) string {
	if e.Line == 1 {
		return fmt.Sprintf("column %d of %q", e.Column, text)
	}
	return fmt.Sprintf("line %d, column %d of the condition", e.Line, e.Column)
}
