package vcd

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

type format struct {
	bitCount uint8    // 0 for an enumeration
	suffix   suffix   // " CODE\n", or for one bit "CODE\n"
	states   []string // nil for bits
}

type suffix struct {
	bytes  [7]byte
	length uint8
}

const (
	// signalCountMax limits identifier codes to 4 characters: 94 + 94^2 + 94^3 + 94^4 > 2^26.
	signalCountMax = 1 << 26
	stateBytesMax  = 64
	// changeBytesMax is the maximum size in bytes of a change record with its time stamp.
	changeBytesMax = 256
)

var byteDigits = makeByteDigits()

func makeByteDigits() (table [256][8]byte) {
	for b := range table {
		for i := range 8 {
			table[b][i] = '0' + byte(b>>(7-i)&1)
		}
	}
	return table
}

func newFormat(id SignalID, signal Signal) format {
	f := format{bitCount: uint8(signal.Bits), states: signal.States}
	text := append(appendCode(nil, id), '\n')
	if signal.Bits != 1 {
		text = append([]byte{' '}, text...)
	}
	f.suffix.length = uint8(copy(f.suffix.bytes[:], text))
	return f
}

func (f *format) fits(value uint64) bool {
	if f.bitCount == 0 {
		return value < uint64(len(f.states))
	}
	return value>>f.bitCount == 0
}

// appendCode appends the identifier code of a signal: string number id over the 94 printable characters, shortest
// first, least significant character first. GTKWave finds signals with such dense codes by index instead of search.
func appendCode(b []byte, id SignalID) []byte {
	n := uint32(id) + 1
	for n > 0 {
		n--
		b = append(b, byte('!'+n%94))
		n /= 94
	}
	return b
}

func (v *Writer) emit(id SignalID, value uint64) {
	if len(v.buf) >= flushBytes {
		v.flush()
	}
	f := &v.formats[id]
	b := v.buf
	switch f.bitCount {
	case 0:
		b = append(b, 's')
		b = append(b, f.states[value]...)
	case 1:
		b = append(b, '0'+byte(value))
	default:
		b = appendVector(b, value)
	}
	v.buf = append(b, f.suffix.bytes[:f.suffix.length]...)
}

func appendVector(b []byte, value uint64) []byte {
	b = append(b, 'b')
	digits := max(bits.Len64(value), 1)
	shift := (digits - 1) &^ 7
	b = append(b, byteDigits[uint8(value>>shift)][8-(digits-shift):]...)
	for shift > 0 {
		shift -= 8
		b = append(b, byteDigits[uint8(value>>shift)][:]...)
	}
	return b
}

func (v *Writer) timestamp(t uint64) {
	if v.written && v.writtenTime >= t {
		return
	}
	v.written, v.writtenTime = true, t
	v.buf = append(v.buf, '#')
	v.buf = strconv.AppendUint(v.buf, t, 10)
	v.buf = append(v.buf, '\n')
}

func (v *Writer) dumpValues(cycle uint64, values []uint64) {
	v.timestamp(cycle)
	v.buf = append(v.buf, "$dumpvars\n"...)
	for id, value := range values {
		v.emit(SignalID(id), value)
	}
	v.buf = append(v.buf, "$end\n"...)
}

// header omits the date, so that equal runs yield equal files. It writes spaces instead of tabs, because some readers
// require them.
func (v *Writer) header() {
	v.buf = append(v.buf, "$version Starloom $end\n"...)
	if len(v.options.Comments) > 0 {
		v.buf = append(v.buf, "$comment\n"...)
		for _, line := range v.options.Comments {
			v.buf = append(append(append(v.buf, "  "...), line...), '\n')
		}
		v.buf = append(v.buf, "$end\n"...)
	}
	v.buf = append(v.buf, "$timescale 1 ns $end\n"...)
	v.headerScope(scopeTree(v.signals), 0)
	v.buf = append(v.buf, "$enddefinitions $end\n"...)
}

// scope is one level of the declarations. Signals and inner scopes follow the order of first declaration.
type scope struct {
	name    string
	signals []SignalID
	scopes  []*scope
	byName  map[string]*scope
}

// scopeTree groups the signals so that every scope is opened once, for any order of declarations.
func scopeTree(signals []Signal) *scope {
	root := &scope{}
	for id, signal := range signals {
		at := root
		rest := signal.Path
		for {
			name, after, more := strings.Cut(rest, ".")
			if !more {
				break
			}
			next := at.byName[name]
			if next == nil {
				next = &scope{name: name}
				if at.byName == nil {
					at.byName = map[string]*scope{}
				}
				at.byName[name] = next
				at.scopes = append(at.scopes, next)
			}
			at, rest = next, after
		}
		at.signals = append(at.signals, SignalID(id))
	}
	return root
}

func (s *scope) visit(path string, f func(s *scope, path string)) {
	if len(s.signals) > 0 {
		f(s, path)
	}
	for _, sub := range s.scopes {
		sub.visit(strings.TrimPrefix(path+"."+sub.name, "."), f)
	}
}

// Single bits and states come before vectors.
func (s *scope) narrowFirst(signals []Signal) (order []SignalID) {
	for _, vectors := range []bool{false, true} {
		for _, id := range s.signals {
			if signals[id].Bits > 1 == vectors {
				order = append(order, id)
			}
		}
	}
	return order
}

func (v *Writer) headerScope(s *scope, depth int) {
	if len(v.buf) >= flushBytes {
		v.flush()
	}
	indent := strings.Repeat("  ", depth)
	for _, id := range s.signals {
		v.buf = append(append(v.buf, indent...), v.declaration(id)...)
	}
	for _, sub := range s.scopes {
		v.buf = fmt.Appendf(v.buf, "%s$scope module %s $end\n", indent, sub.name)
		v.headerScope(sub, depth+1)
		v.buf = fmt.Appendf(v.buf, "%s$upscope $end\n", indent)
	}
}

func (v *Writer) declaration(id SignalID) string {
	signal := v.signals[id]
	code := appendCode(nil, id)
	switch name := variable(signal.Path); signal.Bits {
	case 0:
		return fmt.Sprintf("$var string 1 %s %s $end\n", code, name)
	case 1:
		return fmt.Sprintf("$var wire 1 %s %s $end\n", code, name)
	default:
		return fmt.Sprintf("$var wire %d %s %s [%d:0] $end\n", signal.Bits, code, name, signal.Bits-1)
	}
}

func variable(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func checkPath(path string) error {
	components := strings.Split(path, ".")
	for i, component := range components {
		name, indices, indexed := strings.Cut(component, "[")
		if !legalName(name) {
			return fmt.Errorf("%q: %q is not a name: a letter or _, then letters, digits, _ and -", path, name)
		}
		if !indexed {
			continue
		}
		if i == len(components)-1 {
			return fmt.Errorf("%q: the variable %q has an index, which viewers interpret as a bit select: put the index on a "+
				"scope",
				path, component)
		}
		if !legalIndices(indices) {
			return fmt.Errorf("%q: %q has a bad index: write name[0], name[0][1], name[-1,2] or name[+label^2]", path, component)
		}
	}
	return nil
}

func legalName(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-'):
		default:
			return false
		}
	}
	return name != ""
}

// legalIndices checks the text after the first bracket: 0] or 0][1] or -1,2] or +rho^2].
func legalIndices(text string) bool {
	for _, index := range strings.Split(text, "[") {
		index, ok := strings.CutSuffix(index, "]")
		if !ok || index == "" || strings.Trim(index, "0123456789,+-") != "" && !legalLabel(index) {
			return false
		}
	}
	return true
}

func legalLabel(index string) bool {
	return (index[0] == '+' || index[0] == '-') && legalName(strings.ReplaceAll(index[1:], "^", "_"))
}

// checkState rejects names that vcd2fst would drop or change.
func checkState(name string) error {
	if name == "" || len(name) > stateBytesMax {
		return fmt.Errorf("state %q has %d characters; allowed: 1 to %d", name, len(name), stateBytesMax)
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c > '~' || c == '\\' {
			return fmt.Errorf("state %q: only printable ASCII without white space and backslash is allowed", name)
		}
	}
	return nil
}

func checkComment(line string) error {
	for _, c := range []byte(line) {
		if c < ' ' || c > '~' {
			return fmt.Errorf("vcd: comment %q: only printable ASCII is allowed", line)
		}
	}
	if strings.Contains(line, "$end") {
		return fmt.Errorf("vcd: comment %q: $end would end it", line)
	}
	return nil
}
