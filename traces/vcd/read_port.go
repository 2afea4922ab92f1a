package vcd

import (
	"fmt"
	"strings"
)

// portStates are the states of a bit of a port and what they are as a digit (IEEE 1364-2005, section 18.4.3.1):
// low, high, unknown and three-state of the side that drives in, of the one that drives out, and of both.
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

// portsPassed is what a comparison of ports leaves out.
const portsPassed = "strengths and directions of ports ($dumpports)"

// readPort reads p, a state for each bit, the strengths of 0 and of 1, and a code.
func (r *Reader) readPort(at int) {
	states := at + 1
	statesEnd := r.tokenEnd(states)
	field, end := statesEnd, statesEnd
	for range 2 { // the strengths
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
		r.bad(at, fmt.Sprintf("found %s, expected p, a state for each bit (DUNZdu, LHXTlh, 01?FAaBbCcf), two strengths and an identifier code",
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
