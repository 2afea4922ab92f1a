package variables

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"starloom/traces/vcd"
)

// NotThere is the value of a variable that is not in memory.
const NotThere = "not there"

// absent is the value of a member of another variant.
const absent = "-"

// mark precedes a changed value.
const mark = "*"

// hexFrom is the first number that is also written in hexadecimal.
const hexFrom = 1 << 16

// Value returns the bits of the number in a state.
func (s *Scalar) Value(state []byte) uint64 { return s.place.read(state) }

// Bits is the width of the number.
func (s *Scalar) Bits() int { return int(s.place.bits) }

func (s *Scalar) signedValue(state []byte) int64 {
	shift := 64 - min(max(s.place.bits, 1), 64)
	return int64(s.Value(state)<<shift) >> shift
}

// Text returns the number as text: enumerations by name, pointers in hexadecimal, large numbers in both forms.
func (s *Scalar) Text(state []byte) string {
	for i := range s.when {
		if !s.when[i].holds(state) {
			return absent
		}
	}
	value := s.Value(state)
	switch s.kind {
	case signed:
		return strconv.FormatInt(s.signedValue(state), 10)
	case boolean:
		switch value {
		case 0:
			return "false"
		case 1:
			return "true"
		}
		return fmt.Sprintf("%d (not a bool)", value)
	case character, scalar:
		if r := rune(min(value, unicode.MaxRune)); uint64(r) == value && unicode.IsPrint(r) &&
			(s.kind == scalar || r <= unicode.MaxASCII) {
			return strconv.QuoteRune(r)
		}
	case float:
		if s.place.bits == 32 {
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(value))), 'g', -1, 32)
		}
		return strconv.FormatFloat(math.Float64frombits(value), 'g', -1, 64)
	case pointer:
		return fmt.Sprintf("%#x", value)
	case enumeration:
		return s.nameOf(value)
	case unsigned:
		if value >= hexFrom {
			return fmt.Sprintf("%d (%#x)", value, value)
		}
	}
	return strconv.FormatUint(value, 10)
}

func (s *Scalar) nameOf(value uint64) string {
	for _, e := range s.names {
		if e.value == value {
			return e.name
		}
	}
	if s.other != "" {
		return s.other
	}
	return fmt.Sprintf("%d (no enumerator)", value)
}

func (s *Scalar) changed(before, after []byte) bool {
	was := s.Text(before)
	return was != s.Text(after) || was != absent && s.Value(before) != s.Value(after)
}

// Changed reports whether the variable differs between two states.
func (r *Row) Changed(before, after []byte) bool {
	for i := range r.Scalars {
		if r.Scalars[i].changed(before, after) {
			return true
		}
	}
	return r.restChanged(before, after)
}

func (r *Row) restChanged(before, after []byte) bool {
	from, end := r.rest.at/8, (r.rest.at+r.rest.bits)/8
	if r.rest.bits == 0 || end > int64(min(len(before), len(after))) {
		return false
	}
	return !bytes.Equal(before[from:end], after[from:end])
}

// Declared returns the type in the source, with the bits of a bit-field and the length of an array.
func (r *Row) Declared() string {
	switch {
	case len(r.Scalars) == 0:
		return fmt.Sprintf("[%d]", r.Length)
	case r.Array:
		return fmt.Sprintf("%s[%d]", r.Scalars[0].declared, r.Length)
	}
	return r.Scalars[0].declared
}

// single returns the value of a variable that consists of one number or one text.
func (r *Row) single(state []byte) (text string, ok bool) {
	switch {
	case r.Gone != "":
		return NotThere, true
	case r.text:
		return r.quoted(state), true
	case !r.Array && len(r.Scalars) == 1:
		return r.Scalars[0].Text(state), true
	}
	return "", false
}

// Cell returns the value after a change. It marks changed numbers, and a changed rest of an array.
func (r *Row) Cell(before, after []byte) string {
	if text, ok := r.single(after); ok {
		if r.Changed(before, after) {
			return mark + text
		}
		return text
	}
	var parts []string
	for i := range r.Scalars {
		s := &r.Scalars[i]
		text := s.Text(after)
		if s.changed(before, after) {
			text = mark + text
		}
		parts = append(parts, text)
	}
	if more := r.Length - len(r.Scalars); more > 0 {
		text := fmt.Sprintf("and %d more", more)
		if r.restChanged(before, after) {
			text = mark + text
		}
		parts = append(parts, text)
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// quoted returns an array of characters up to the first zero.
func (r *Row) quoted(state []byte) string {
	var text []byte
	for i := range r.Scalars {
		c := byte(r.Scalars[i].Value(state))
		if c == 0 {
			return strconv.QuoteToASCII(string(text))
		}
		text = append(text, c)
	}
	quoted := strconv.QuoteToASCII(string(text))
	if more := r.Length - len(r.Scalars); more > 0 {
		quoted += fmt.Sprintf(" and %d more", more)
	}
	return quoted
}

// Line returns all variables of a state as NAME=VALUE.
func (l *Layout) Line(state []byte) string {
	var parts []string
	for i := range l.Rows {
		if r := &l.Rows[i]; r.Gone == "" {
			parts = append(parts, r.Name+"="+r.Cell(state, state))
		}
	}
	return strings.Join(parts, ", ")
}

// Changes returns the changed numbers as NAME OLD -> NEW, "" without a change.
func (l *Layout) Changes(before, after []byte) string {
	var parts []string
	for i := range l.Rows {
		r := &l.Rows[i]
		if was, ok := r.single(before); ok && r.Changed(before, after) {
			now, _ := r.single(after)
			parts = append(parts, fmt.Sprintf("%s %s -> %s", r.Name, was, now))
			continue
		}
		for k := range r.Scalars {
			if s := &r.Scalars[k]; s.changed(before, after) {
				parts = append(parts, fmt.Sprintf("%s %s -> %s", s.Path, s.Text(before), s.Text(after)))
			}
		}
		if r.restChanged(before, after) {
			parts = append(parts, fmt.Sprintf("%s[%d..%d] changed", r.Name, len(r.Scalars), r.Length-1))
		}
	}
	return strings.Join(parts, ", ")
}

// About describes the type and size of the state, and the variables that are not in memory.
func (l *Layout) About() string {
	text := fmt.Sprintf("variables of %s, %d bytes, as each call leaves them", l.name(), l.Bytes)
	var gone []string
	for i := range l.Rows {
		if r := &l.Rows[i]; r.Gone != "" {
			gone = append(gone, fmt.Sprintf("%s (%s)", r.Name, r.Gone))
		}
	}
	if gone != nil {
		text += "; " + NotThere + ": " + strings.Join(gone, ", ")
	}
	if l.Left {
		text += fmt.Sprintf("; only the first %d are shown", len(l.Rows))
	}
	return text
}

func (l *Layout) name() string {
	if l.Type == "" {
		return "an unnamed type"
	}
	return l.Type
}

const statesMax = 64

// States returns, for a waveform, the names of the values 0, 1, ... of an enumeration, followed by a name for all
// other values. It returns nil for numbers.
func (s *Scalar) States() (names []string) {
	last := uint64(0)
	for _, e := range s.names {
		last = max(last, e.value)
	}
	if s.kind != enumeration || last >= statesMax {
		return nil
	}
	for value := range last + 1 {
		name := strconv.FormatUint(value, 10)
		for _, e := range s.names {
			if e.value == value && e.name != "" {
				name = e.name
				break
			}
		}
		names = append(names, name)
	}
	other := "other"
	if s.other != "" {
		other = s.other
	}
	return append(names, other)
}

// Form returns the format of the number in a waveform.
func (s *Scalar) Form() vcd.Form {
	switch s.kind {
	case unsigned, enumeration, boolean:
		return vcd.Form{Decimal: true}
	case signed:
		return vcd.Form{Signed: true}
	}
	return vcd.Form{}
}
