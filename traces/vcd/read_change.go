package vcd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// digitValues maps a digit to its planes: bit 0 is Value, bit 1 is Unknown. Other characters map to badDigit. The
// states of GHDL other than 0, 1, x and z also have otherState.
var digitValues = makeDigitValues()

const (
	badDigit = 0xFF
	planes   = 3
	// otherState marks one of GHDL's nine states that is converted to 0, 1, x or z.
	otherState = 4
)

func makeDigitValues() (table [256]uint8) {
	for i := range table {
		table[i] = badDigit
	}
	for digits, value := range map[string]uint8{"0": 0, "1": 1, "Zz": 2, "Xx": 3, "Ll": otherState, "Hh": otherState | 1,
		"UuWw-": otherState | 3} {
		for _, digit := range []byte(digits) {
			table[digit] = value
		}
	}
	return table
}

// readChanges applies changes up to the next time that differs from now, or to the end of the file.
//
// The loop uses only the buffer: the newline after its end stops every token. After a refill, the loop rereads a
// record that has reached this newline.
func (r *Reader) readChanges() {
	r.hasNext = false
	for r.err == nil {
		at := r.pos
		for r.buf[at] <= ' ' && at < r.end {
			at++
		}
		r.pos = at
		if at == r.end {
			if !r.refill() {
				return
			}
			continue
		}
		done := false
		switch c := r.buf[at]; c {
		case '#':
			done = r.readTime(at)
		case 'b', 'B':
			if len(r.raws) == 0 || !r.readRaw(at) {
				r.readVector(at, at+1)
			}
		case '$':
			r.readSection()
		case 'r', 'R', 's', 'S':
			r.readWord(at)
		case 'p':
			r.readPort(at)
		default:
			r.readScalar(at)
		}
		if done {
			return
		}
	}
}

// refill reads more of the file. At the end of the file it returns false, and an incomplete record at pos is
// truncated.
func (r *Reader) refill() bool {
	ok, err := r.more()
	if err != nil {
		r.err = err
	}
	return ok
}

// cut handles a record at the end of the buffer. The record is read again or, at the end of the file, dropped.
func (r *Reader) cut() {
	if !r.refill() && r.err == nil {
		r.truncated, r.cutChange, r.pos = true, r.buf[r.pos] != '#', r.end
	}
}

// bad ends the reading, except for a record in an incomplete last line.
func (r *Reader) bad(at int, reason string) {
	if bytes.IndexByte(r.buf[at:r.end], '\n') < 0 {
		r.pos = at
		r.cut()
		return
	}
	r.err = r.fail(at, reason, "give a complete VCD, or correct the line")
}

func (r *Reader) tokenEnd(at int) int {
	for r.buf[at] > ' ' {
		at++
	}
	return at
}

// readCode reads an identifier code. ok is false at the end of the file or buffer, or for an unknown code.
func (r *Reader) readCode(record, at int) (n *net, id NetID, ok bool) {
	number, place := uint64(0), uint64(1)
	end := at
	for ; ; end++ {
		digit := r.buf[end] - codeFirst
		if digit >= codeBase {
			break
		}
		number += uint64(digit+1) * place
		place *= codeBase
	}
	if end == r.end {
		r.cut()
		return nil, 0, false
	}
	if end-at > codeDigitsMax {
		number = 1 << 63
	}
	id = noNet
	if number--; number < uint64(len(r.codes.dense)) {
		id = r.codes.dense[number]
	}
	if id == noNet {
		id = r.codes.find(number, r.buf[at:end])
	}
	if id == noNet || r.buf[end] > ' ' {
		r.bad(record,
			fmt.Sprintf("%s: no signal with identifier code %s is declared", shown(r.buf[record:end]),
				shown(r.buf[at:r.tokenEnd(at)])))
		return nil, 0, false
	}
	r.pos = end
	n = &r.nets[id]
	switch {
	case !r.off:
		n.changes++
	case n.watched && r.snapshot == noSnapshot:
		r.paused++
	}
	return n, id, n.watched && !r.off
}

func (r *Reader) readScalar(at int) {
	digit := digitValues[r.buf[at]]
	if digit == badDigit {
		r.bad(at, fmt.Sprintf("found %s; expected a value change (0! 1! x! z! b101 ! r1.5 ! stext !), a time (#120) "+
			"or $dumpvars, $dumpoff, $dumpon, $dumpall, $comment", shown(r.buf[at:r.tokenEnd(at)])))
		return
	}
	n, id, ok := r.readCode(at, at+1)
	if !ok || n.kind != KindBits {
		r.readOther(n, id, ok)
		return
	}
	r.states |= digit
	value, unknown := uint64(digit&1), uint64(digit>>1&1)
	if n.bits != 1 {
		r.setVector(n, id, at, r.buf[at:at+1], value, unknown)
		return
	}
	if r.value[n.word] != value || r.unknown[n.word] != unknown {
		r.value[n.word], r.unknown[n.word] = value, unknown
		r.mark(n, id)
	}
}

// These constants are used to read eight digits at once. A digit is 0x30 or 0x31; the product gathers the lowest bit
// of each digit in the highest byte.
const (
	eightZeros  = 0x3030303030303030
	eightOthers = 0xFEFEFEFEFEFEFEFE
	eightGather = 0x8040201008040201
)

// readVector reads b, digits from start on, a space and a code. value and unknown hold the last 64 digits.
func (r *Reader) readVector(at, start int) {
	end := start
	value, unknown, states := uint64(0), uint64(0), uint8(0)
	for end+8 <= r.end {
		eight := binary.LittleEndian.Uint64(r.buf[end:]) ^ eightZeros
		if eight&eightOthers != 0 {
			break
		}
		value = value<<8 | eight*eightGather>>56
		unknown <<= 8
		end += 8
	}
	for {
		digit := digitValues[r.buf[end]]
		if digit == badDigit {
			break
		}
		states |= digit
		value = value<<1 | uint64(digit&1)
		unknown = unknown<<1 | uint64(digit>>1&1)
		end++
	}
	code := r.skipSpace(end)
	if code == r.end {
		r.cut()
		return
	}
	if end == start || code == end {
		if start == at+1 && end == start+1 && r.buf[start] == '0' && r.buf[end]|0x20 == 'b' {
			r.readVector(at, end+1) // b0b101, from a language that writes 0b101
			return
		}
		r.bad(at,
			fmt.Sprintf("found %s; expected b, binary digits, a space and an identifier code", shown(r.buf[at:r.tokenEnd(at)])))
		return
	}
	n, id, ok := r.readCode(at, code)
	if ok && n.kind == KindBits {
		r.states |= states
		r.setVector(n, id, at, r.buf[start:end], value, unknown)
		return
	}
	r.readOther(n, id, ok)
}

// readPort reads p, a state per bit, the strengths of 0 and 1, and a code.
func (r *Reader) readPort(at int) {
	states := at + 1
	statesEnd := r.tokenEnd(states)
	field, end := statesEnd, statesEnd
	if r.fst && len(bytes.Trim(r.buf[states:statesEnd], "x")) == 0 { // no value: strengths are x, too
		if code := r.skipSpace(end); code == r.end {
			r.cut()
		} else {
			r.readCode(at, code)
		}
		return
	}
	for range 2 { // strengths
		field = r.skipSpace(end)
		end = r.tokenEnd(field)
	}
	code := r.skipSpace(end)
	if code == r.end {
		r.cut()
		return
	}
	wrong := func() {
		line := string(r.buf[at:r.tokenEnd(code)])
		r.bad(at, fmt.Sprintf("found %s; expected p, a state for each bit (DUNZdu, LHXTlh, 01?FAaBbCcf), two strengths "+
			"and an identifier code",
			shown([]byte(strings.Join(strings.Fields(line), " ")))))
	}
	value, unknown := uint64(0), uint64(0)
	digits := make([]byte, 0, 64)
	for _, state := range r.buf[states:statesEnd] {
		digit := portDigits[state]
		if digit == 0 {
			wrong()
			return
		}
		digits = append(digits, digit)
		value = value<<1 | uint64(digitValues[digit]&1)
		unknown = unknown<<1 | uint64(digitValues[digit]>>1)
	}
	if len(digits) == 0 {
		wrong()
		return
	}
	n, id, ok := r.readCode(at, code)
	switch {
	case !ok:
	case n.kind != KindBits:
		r.readOther(n, id, ok)
	case int(n.bits) != len(digits):
		r.bad(at, fmt.Sprintf("%d states for a port of %d bits", len(digits), n.bits))
	default:
		r.setVector(n, id, at, digits, value, unknown)
	}
}

func (r *Reader) readOther(n *net, id NetID, watched bool) {
	switch {
	case !watched:
	case n.kind != KindEvent:
		r.unread++
	case r.snapshot == noSnapshot:
		if !n.dirty {
			r.mark(n, id)
		}
		n.maybe = false
	case r.snapshot == laterSnapshot && !n.dirty:
		r.mark(n, id)
		n.maybe = true
	}
}

func (r *Reader) skipSpace(at int) int {
	for at < r.end && r.buf[at] <= ' ' {
		at++
	}
	return at
}

// setVector sets a net. value and unknown are the last 64 digits. Missing digits on the left extend only x and z.
func (r *Reader) setVector(n *net, id NetID, at int, digits []byte, value, unknown uint64) {
	first := digitValues[digits[0]] & planes
	if uint32(len(digits)) > n.bits {
		excess := digits[:len(digits)-int(n.bits)]
		for _, digit := range excess {
			if d := digitValues[digit] & planes; d != first || d == 1 {
				r.bad(at, fmt.Sprintf("%d digits for a signal of %d bits", len(digits), n.bits))
				return
			}
		}
		digits = digits[len(excess):]
	}
	if n.bits > 64 {
		r.setWide(n, id, digits, first)
		return
	}
	if count := uint(len(digits)); count < uint(n.bits) {
		if first >= 2 {
			unknown |= ^uint64(0) << count
			value |= -uint64(first&1) << count
		}
	}
	mask := ^uint64(0) >> (64 - n.bits)
	value &= mask
	unknown &= mask
	if r.value[n.word] != value || r.unknown[n.word] != unknown {
		r.value[n.word], r.unknown[n.word] = value, unknown
		r.mark(n, id)
	}
}

func (r *Reader) setWide(n *net, id NetID, digits []byte, first uint8) {
	fill, fillUnknown := uint64(0), uint64(0)
	if first >= 2 {
		fill, fillUnknown = -uint64(first&1), ^uint64(0)
	}
	changed := false
	for word, left := n.word, int(n.bits); left > 0; word, left = word+1, left-64 {
		part := digits[max(len(digits)-64, 0):]
		digits = digits[:len(digits)-len(part)]
		value, unknown := fill, fillUnknown
		for _, digit := range part {
			d := digitValues[digit]
			value = value<<1 | uint64(d&1)
			unknown = unknown<<1 | uint64(d>>1&1)
		}
		if left < 64 {
			mask := ^uint64(0) >> (64 - left)
			value, unknown = value&mask, unknown&mask
		}
		if r.value[word] != value || r.unknown[word] != unknown {
			r.value[word], r.unknown[word] = value, unknown
			changed = true
		}
	}
	if changed {
		r.mark(n, id)
	}
}

func (r *Reader) setUnknown(n *net) {
	switch n.kind {
	case KindBits:
		for word, left := n.word, int(n.bits); left > 0; word, left = word+1, left-64 {
			mask := ^uint64(0) >> (64 - min(left, 64))
			r.value[word], r.unknown[word] = mask, mask
		}
	case KindReal:
		r.value[n.word] = noReal
	}
}

// noReal and noText are the initial values of reals and texts: a special NaN, and a text that no file contains.
const (
	noReal = 0x7FF8_0000_0000_5EED
	noText = "\xFF\x00"
)

func textOf(text string) string {
	if text == noText {
		return ""
	}
	return text
}

const textBytesMax = 1 << 16

func (r *Reader) readWord(at int) {
	end := r.tokenEnd(at)
	code := r.skipSpace(end)
	if code == r.end {
		r.cut()
		return
	}
	word := r.buf[at+1 : end]
	isReal := r.buf[at]|0x20 == 'r'
	number := 0.0
	if isReal {
		var err error
		number, err = strconv.ParseFloat(string(word), 64)
		// too large numbers are infinite
		if err != nil && !errors.Is(err, strconv.ErrRange) || bytes.IndexByte(word, '_') >= 0 {
			r.bad(at, fmt.Sprintf("found %s; expected a number such as r1.5", shown(r.buf[at:end])))
			return
		}
	}
	if len(word) > textBytesMax {
		r.bad(at, fmt.Sprintf("a text of %d characters; at most %d are allowed", len(word), textBytesMax))
		return
	}
	n, id, ok := r.readCode(at, code)
	switch {
	case !ok:
	case isReal && n.kind == KindReal:
		if saysMore(word, number) {
			r.rounded++
		}
		r.setReal(n, id, number)
	case !isReal && n.kind == KindText:
		if bytes.IndexByte(word, '\\') >= 0 {
			word = unescaped(word)
		}
		if r.texts[n.word] != string(word) {
			r.texts[n.word] = r.intern(word)
			r.mark(n, id)
		}
	default:
		r.unread++
	}
}

// shortReal is the maximum number of characters, without exponent, that a double can always represent.
const shortReal = 15

func saysMore(word []byte, number float64) bool {
	if len(word) <= shortReal && bytes.IndexAny(word, "eExX") < 0 {
		return false
	}
	digits := significant(string(word))
	if len(digits) == 0 || bytes.IndexAny(word, "xX") >= 0 {
		return false // infinite, zero or exact
	}
	return digits != significant(strconv.FormatFloat(number, 'e', len(digits)-1, 64)) &&
		digits != significant(strconv.FormatFloat(number, 'e', -1, 64))
}

func significant(number string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.TrimLeft(strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, mantissa), "0")
}

func (r *Reader) setReal(n *net, id NetID, number float64) {
	if r.rounds {
		// cannot fail for a formatted number
		number, _ = strconv.ParseFloat(strconv.FormatFloat(number, 'g', realDigits, 64), 64)
	}
	if was := r.value[n.word]; was != math.Float64bits(number) {
		r.value[n.word] = math.Float64bits(number)
		r.mark(n, id)
	}
}

func (r *Reader) real(n *net) float64 { return math.Float64frombits(r.value[n.word]) }

const internMax = 4096

func (r *Reader) intern(word []byte) string {
	text, ok := r.names[string(word)]
	if !ok {
		text = string(word)
		if len(r.names) < internMax && len(text) <= stateBytesMax {
			r.names[text] = text
		}
	}
	return text
}

func (r *Reader) readSection() {
	at := r.pos
	token, err := r.token()
	if err != nil {
		r.err = err
		return
	}
	switch string(token) {
	case "$end":
		r.snapshot = noSnapshot
	case "$dumpvars", "$dumpports":
		r.snapshot = firstSnapshot
		if r.fst { // fst2vcd writes all changes of the first time in this section
			r.snapshot = laterSnapshot
		}
	case "$dumpall", "$dumpportsall":
		r.snapshot = laterSnapshot
	case "$dumpoff", "$dumpportsoff", "$dumpon", "$dumpportson":
		if r.fst { // the blocks of an FST contain its pauses
			r.pos = at
			r.skipSection()
			return
		}
		r.off, r.snapshot = true, firstSnapshot
		if bytes.HasSuffix(token, []byte("on")) {
			r.off, r.snapshot = false, laterSnapshot
		}
	case "$comment", "$date", "$version", "$vcdclose", "$dumpflush", "$dumpportsflush":
		r.pos = at
		r.skipSection()
	default:
		r.bad(r.pos-len(token),
			fmt.Sprintf("found %s; expected $dumpvars, $dumpoff, $dumpon, $dumpall, $comment or $end", shown(token)))
	}
}

// skipSection skips a section up to its $end. If a line with a time precedes the $end, skipSection skips only the
// section's first line.
func (r *Reader) skipSection() {
	at, oneLine := r.pos, 0 // length of the first line, 0 while unknown
	newLine := false
	for {
		for r.buf[at] <= ' ' && at < r.end {
			if r.buf[at] == '\n' && oneLine == 0 {
				oneLine = at - r.pos
			}
			newLine = newLine || r.buf[at] == '\n'
			at++
		}
		if at-r.pos > scanBytes/2 { // the section is too long to return to its start
			r.pos, oneLine = at, -1
		}
		end := r.tokenEnd(at)
		if end == r.end {
			at -= r.pos
			if !r.refill() {
				r.cutSection(oneLine)
				return
			}
			at += r.pos
			continue
		}
		switch token := r.buf[at:end]; {
		case string(token) == "$end":
			r.pos = end
			return
		case newLine && oneLine > 0 && token[0] == '#' && (len(token) == 1 || isDecimal(token[1:])):
			r.pos += oneLine
			return
		}
		at, newLine = end, false
	}
}

// cutSection handles the end of the file within a section. The section may consist of its first line only.
func (r *Reader) cutSection(oneLine int) {
	alone := oneLine > 0 && len(bytes.TrimSpace(r.buf[r.pos+oneLine:r.end])) == 0
	if !alone && !bytes.HasSuffix(r.buf[:r.end], []byte("$end")) {
		r.truncated, r.cutChange = true, true
	}
	r.pos = r.end
}

func (r *Reader) mark(n *net, id NetID) {
	moves := r.started && r.snapshot == noSnapshot
	if !n.dirty {
		n.dirty = true
		r.changed = append(r.changed, id)
	} else if n.moved && moves {
		r.replaced++
	}
	n.moved = moves
}

func (r *Reader) settle() {
	for _, id := range r.changed {
		r.nets[id].dirty, r.nets[id].maybe = false, false
	}
	r.changed = r.changed[:0]
}

// portStates are the port states and their digits (IEEE 1364-2005, section 18.4.3.1). The states are low, high,
// unknown and three-state, each for input drivers, output drivers, and both.
var portStates = map[string]byte{"DdLl0": '0', "UuHh1": '1', "NX?AaBbCc": 'x', "ZTFf": 'z'}

var portDigits = makePortDigits()

func makePortDigits() (table [256]byte) {
	for states, digit := range portStates {
		for _, state := range []byte(states) {
			table[state] = digit
		}
	}
	return table
}
