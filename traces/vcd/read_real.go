package vcd

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Some simulators declare a real parameter as bits, and then give it a real:
//
//	$var parameter 64 ! P $end
//	r3.25 !
//
// Its first value decides what it is. vcd2fst keeps 64 bytes from where that real stood in its memory, and fst2vcd writes
// them in the place of the digits: the real in the machine's order, then anything, white space too.

// parametersBytes is how much of the changes is searched for the first values of parameters.
const parametersBytes = 1 << 20

// measureParameters finds out which parameters are reals.
func (r *Reader) measureParameters(parameters []parameter) error {
	if len(parameters) == 0 {
		return nil
	}
	for r.end-r.pos < parametersBytes && !r.eof {
		if _, err := r.more(); err != nil {
			return err
		}
	}
	rest := r.buf[r.pos:min(r.end, r.pos+parametersBytes)]
	for len(rest) > 0 {
		for _, p := range parameters {
			length := 0
			switch {
			case rest[0]|0x20 == 'r':
				line, _, _ := bytes.Cut(rest, newline)
				if fields := bytes.Fields(line); len(fields) == 2 && bytes.Equal(fields[1], bytes.TrimSpace(p.end)) {
					length = len(line)
				}
			case r.fst && !isDigits(rest):
				length = p.raw(rest)
			}
			if length > 0 {
				r.makeReal(p)
				rest = rest[length:]
				break
			}
		}
		_, rest, _ = bytes.Cut(rest, newline)
	}
	return nil
}

// isDigits reports whether a line gives as many digits as a parameter has.
func isDigits(line []byte) bool {
	for _, c := range line[1:min(len(line), 1+parameterBits)] {
		if digitValues[c] == badDigit {
			return false
		}
	}
	return true
}

// raw is the length of a line with the bytes of a real, up to its newline, 0 if it is none.
func (p *parameter) raw(line []byte) int {
	if line[0] != 'b' || len(line) < 1+parameterBits || !bytes.HasPrefix(line[1+parameterBits:], p.end) {
		return 0
	}
	return parameterBits + len(p.end)
}

func (r *Reader) makeReal(p parameter) {
	if r.fst {
		r.raws = append(r.raws, p)
	}
	r.nets[p.net].kind, r.nets[p.net].bits = KindReal, 0
	for i := range r.header.Vars {
		if v := &r.header.Vars[i]; v.Net == p.net {
			v.Kind, v.Bits, v.HasRange = KindReal, 0, false
		}
	}
}

// readRaw reads the bytes of a real parameter. It returns false where there are none.
func (r *Reader) readRaw(at int) bool {
	for i := range r.raws {
		p := &r.raws[i]
		if r.end < at+1+parameterBits+len(p.end) && !r.eof {
			r.cut()
			return true
		}
		length := p.raw(r.buf[at:r.end])
		if length == 0 {
			continue
		}
		n := &r.nets[p.net]
		r.pos = at + length
		n.changes++
		if n.watched && !r.off {
			r.setReal(n, p.net, math.Float64frombits(binary.LittleEndian.Uint64(r.buf[at+1:])))
		}
		return true
	}
	return false
}
