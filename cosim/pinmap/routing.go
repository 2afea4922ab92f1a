package pinmap

import (
	"starloom/cosim"
	"starloom/hw"
)

// A bitMove copies up to 64 bits, or whole words, between two vectors of words.
type bitMove struct {
	from, to, bits int
	invert         uint64
	words          int // number of whole words; 0: bits
}

// A made bit is the value of a gate or constant expression, stored at bit to.
type made struct {
	to  int
	bit Bit
}

// A routing holds Wires as moves between words.
type routing struct {
	*Wires
	in       []bitMove // moves from the model's inputs to the RTL's
	out      []bitMove // moves from the RTL's outputs to the model's
	early    []bitMove // moves of outputs that are a cycle early
	feedback []bitMove // moves from the RTL's outputs to its inputs

	madeIn, madeOut, madeEarly []made
	fixedIn, fixedOut          []made
	ahead                      []span // output bits that are a cycle early
}

type span struct{ first, bits int }

func route(w *Wires) routing {
	r := routing{Wires: w}
	for i, bits := range w.Pins {
		first := 64 * w.RTL[i].Word
		r.in = appendMoves(r.in, w.Model, OfModel, bits, first)
		r.feedback = appendMoves(r.feedback, w.RTL, OfRTL, bits, first)
		r.madeIn, r.fixedIn = appendMade(r.madeIn, r.fixedIn, bits, first)
	}
	for i, bits := range w.Ports {
		p := w.Model[i]
		first := 64 * p.Word
		switch {
		case p.Input || bits == nil:
		case w.Late[i] < 0:
			r.early = appendMoves(r.early, w.RTL, OfRTL, bits, first)
			r.madeEarly, r.fixedOut = appendMade(r.madeEarly, r.fixedOut, bits, first)
			for at := 0; at < p.Bits; at += 64 {
				r.ahead = append(r.ahead, span{first + at, min(64, p.Bits-at)})
			}
		default:
			r.out = appendMoves(r.out, w.RTL, OfRTL, bits, first)
			r.madeOut, r.fixedOut = appendMade(r.madeOut, r.fixedOut, bits, first)
		}
	}
	r.in, r.out, r.early = wholeWords(r.in), wholeWords(r.out), wholeWords(r.early)
	return r
}

func wholeWords(moves []bitMove) (joined []bitMove) {
	for _, m := range moves {
		if m.bits < 64 || m.from%64 != 0 || m.to%64 != 0 || m.invert != 0 {
			joined = append(joined, m)
			continue
		}
		if k := len(joined) - 1; k >= 0 {
			last := &joined[k]
			if last.words > 0 && last.from+64*last.words == m.from && last.to+64*last.words == m.to {
				last.words++
				continue
			}
		}
		m.words = 1
		joined = append(joined, m)
	}
	return joined
}

func (m *bitMove) copyWords(from, to []uint64) {
	copy(to[m.to>>6:][:m.words], from[m.from>>6:][:m.words])
}

// appendMoves adds moves for the bits with one origin. Neighbouring bits share a move.
func appendMoves(moves []bitMove, ports []cosim.Port, origin Origin, bits []Bit, first int) []bitMove {
	for i := 0; i < len(bits); i++ {
		b := bits[i]
		if b.Origin != origin {
			continue
		}
		m := bitMove{from: 64*ports[b.Port].Word + b.Bit, to: first + i, bits: 1}
		for m.bits < 64 && i+1 < len(bits) && bits[i+1] == (Bit{b.Origin, b.Port, b.Bit + m.bits, b.Inverted}) {
			m.bits++
			i++
		}
		if b.Inverted {
			m.invert = ^uint64(0) >> (64 - m.bits)
		}
		moves = append(moves, m)
	}
	return moves
}

func appendMade(gates, fixed []made, bits []Bit, first int) ([]made, []made) {
	for i, b := range bits {
		switch b.Origin {
		case OfGate:
			gates = append(gates, made{first + i, b})
		case Constant:
			fixed = append(fixed, made{first + i, b})
		}
	}
	return gates, fixed
}

func moveBits(moves []bitMove, from, to []uint64) {
	for i := range moves {
		m := &moves[i]
		if m.words > 0 {
			m.copyWords(from, to)
			continue
		}
		hw.PutBits(to, m.to, m.bits, hw.GetBits(from, m.from, m.bits)^m.invert)
	}
}

// moveUnknown moves values and unknown bits. An unknown bit is not inverted.
func moveUnknown(moves []bitMove, from, fromUnknown, to, toUnknown []uint64) {
	for i := range moves {
		m := &moves[i]
		if m.words > 0 {
			m.copyWords(from, to)
			m.copyWords(fromUnknown, toUnknown)
			continue
		}
		unknown := hw.GetBits(fromUnknown, m.from, m.bits)
		hw.PutBits(to, m.to, m.bits, hw.GetBits(from, m.from, m.bits)^m.invert&^unknown)
		hw.PutBits(toUnknown, m.to, m.bits, unknown)
	}
}

func (d *Device) make(bits []made, to, unknown []uint64) {
	for i := range bits {
		value, wild := d.value(bits[i].bit)
		hw.PutBits(to, bits[i].to, 1, value)
		if unknown != nil {
			hw.PutBits(unknown, bits[i].to, 1, wild)
		}
	}
}

func (d *Device) value(b Bit) (value, unknown uint64) {
	switch b.Origin {
	case OfModel:
		value = portBit(d.Model[b.Port], b.Bit, d.inputs, d.outputs)
	case OfRTL:
		value = portBit(d.RTL[b.Port], b.Bit, d.now.rtlIn, d.now.rtlOut)
		if u := d.now.rtlUnknown; u != nil && !d.RTL[b.Port].Input {
			if unknown = hw.GetBits(u, 64*d.RTL[b.Port].Word+b.Bit, 1); unknown != 0 {
				return 0, 1
			}
		}
	case OfGate:
		if value, unknown = d.gateValue(&d.Gates[b.Port]); unknown != 0 {
			return 0, 1
		}
	}
	if b.Inverted {
		value ^= 1
	}
	return value, 0
}

func portBit(p cosim.Port, bit int, inputs, outputs []uint64) uint64 {
	if p.Input {
		return hw.GetBits(inputs, 64*p.Word+bit, 1)
	}
	return hw.GetBits(outputs, 64*p.Word+bit, 1)
}

func (d *Device) gateValue(g *Gate) (value, unknown uint64) {
	decides := uint64(1)
	if g.And {
		decides = 0
	}
	for _, b := range g.Inputs {
		v, u := d.value(b)
		if u == 0 && v == decides {
			return decides, 0
		}
		unknown |= u
	}
	return decides ^ 1, unknown
}
