package pinmap

import (
	"fmt"
	"math/big"
	"strings"

	"starloom/cosim"
)

// Wires is a pin map worked out for the ports of a model and of its RTL, bit by bit. It is plain
// data, from which a Device moves bits and from which the same wiring can be written as Verilog:
//
//	model's inputs --Pins--> RTL's inputs    RTL's outputs --Ports--> what stands for the model's outputs
//	      ^--Ports, the other way round--'
//
// Gates stand for what is more than a wire: onehot() and index() of a map, and outputs that are
// derived from others.
type Wires struct {
	Model, RTL []cosim.Port

	// Pins has by port of the RTL, low bit first, what drives its inputs: bits of the model's
	// inputs, constants, bits of the RTL's own outputs where the map has feedback, gates. nil for
	// outputs and clocks.
	Pins [][]Bit

	// Ports has by port of the model, low bit first, what it is in terms of the RTL's pins: of its
	// outputs for an output; of its inputs for an input, which is what the map says. nil for the clock
	// and for what the RTL does not have.
	Ports [][]Bit

	Gates  []Gate
	Limits []Limit

	Late    []int  // cycles that the RTL is late, by port of the model; -1: a cycle ahead
	Absent  []bool // outputs that the RTL does not have, by port of the model
	Derived []bool // outputs that are made of the RTL's other outputs, by port of the model
}

// Origin says what a Bit is a bit of.
type Origin uint8

// The origins.
const (
	Constant Origin = iota // 0; 1 where it is inverted
	OfModel                // of Wires.Model
	OfRTL                  // of Wires.RTL
	OfGate                 // of Wires.Gates
)

// A Bit is where one bit comes from.
type Bit struct {
	Origin   Origin
	Port     int // index of the port, or of the gate
	Bit      int // of the port, 0 is the lowest
	Inverted bool
}

// A Gate is the OR of its inputs, or their AND; without inputs it is 0 or 1. Gates use those
// before them only.
type Gate struct {
	And    bool
	Inputs []Bit
}

// A Limit is what a map takes for granted: Is equals Must in every cycle in which reset is off. For
// an input of the model it bounds what the RTL can be given: a constant in a join, an index below the
// number of pins. For an output the RTL has to keep it: bits that were cut off are 0.
type Limit struct {
	Port     int // of the model
	Is, Must Bit
	Text     string // what the map says: index_o is low(idx)
	Of       []Bit  // for an output what it is taken of, low bit first
	Why      string // for an output what is wrong where it is broken
}

// Not is the inverse of a bit.
func (b Bit) Not() Bit {
	b.Inverted = !b.Inverted
	return b
}

// Tied are the inputs of the RTL, or bits of them, that have one value whatever the model is given, in words: scan is 0, req[7:4] is 0.
func (w *Wires) Tied() (texts []string) {
	for i, bits := range w.Pins {
		for low := 0; low < len(bits); {
			high, value := low, new(big.Int)
			for ; high < len(bits) && bits[high].Origin == Constant; high++ {
				if bits[high].Inverted {
					value.SetBit(value, high-low, 1)
				}
			}
			if high == low {
				low++
				continue
			}
			part := ""
			switch p := &w.RTL[i]; {
			case high-low == p.Bits:
			case high-low == 1:
				part = fmt.Sprintf("[%d]", low)
			default:
				part = fmt.Sprintf("[%d:%d]", high-1, low)
			}
			texts = append(texts, fmt.Sprintf("%s%s is %d", w.RTL[i].Name, part, value))
			low = high
		}
	}
	return texts
}

// Unread are the outputs of the RTL of which the map takes no bit: whatever they show, nothing here sees it.
func (w *Wires) Unread() (names []string) {
	read := make([]bool, len(w.RTL))
	take := func(bits ...Bit) {
		for _, b := range bits {
			if b.Origin == OfRTL {
				read[b.Port] = true
			}
		}
	}
	for _, all := range [][][]Bit{w.Pins, w.Ports} {
		for _, bits := range all {
			take(bits...)
		}
	}
	for i := range w.Gates {
		take(w.Gates[i].Inputs...)
	}
	for i := range w.Limits {
		take(w.Limits[i].Is, w.Limits[i].Must)
	}
	for i, p := range w.RTL {
		if !p.Input && !read[i] {
			names = append(names, p.Name)
		}
	}
	return names
}

// UnreadText names them after what was compared, "" for none.
func UnreadText(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (not looked at: " + strings.Join(names, ", ") + " of the RTL)"
}

// one is the constant 1 or 0.
func one(value bool) Bit { return Bit{Inverted: value} }

func (w *Wires) gate(and bool, inputs ...Bit) Bit {
	w.Gates = append(w.Gates, Gate{and, inputs})
	return Bit{Origin: OfGate, Port: len(w.Gates) - 1}
}

// limit adds a limit, unless it holds as it stands.
func (w *Wires) limit(l Limit) {
	if l.Is != l.Must {
		w.Limits = append(w.Limits, l)
	}
}

// bitsOf are all bits of a port.
func bitsOf(origin Origin, port, bits int) []Bit {
	all := make([]Bit, bits)
	for i := range all {
		all[i] = Bit{Origin: origin, Port: port, Bit: i}
	}
	return all
}

// decode is 1 where bits, the lowest first, are a number.
func (w *Wires) decode(bits []Bit, number int, also ...Bit) Bit {
	inputs := append([]Bit(nil), also...)
	for i, b := range bits {
		if number>>i&1 == 0 {
			b = b.Not()
		}
		inputs = append(inputs, b)
	}
	if len(inputs) == 1 {
		return inputs[0]
	}
	return w.gate(true, inputs...)
}

// differ is 1 where two bits differ.
func (w *Wires) differ(a, b Bit) Bit {
	return w.gate(false, w.gate(true, a, b.Not()), w.gate(true, a.Not(), b))
}

// encode is the number of the one bit that is 1, in so many bits: an OR for each.
func (w *Wires) encode(hot []Bit, bits int) []Bit {
	number := make([]Bit, bits)
	for j := range number {
		var of []Bit
		for k, b := range hot {
			if k>>j&1 != 0 {
				of = append(of, b)
			}
		}
		number[j] = w.gate(false, of...)
	}
	return number
}

// several is 1 where more than one bit is: two that differ in a bit of their numbers.
func (w *Wires) several(hot []Bit) Bit {
	var pairs []Bit
	for j := 0; (len(hot)-1)>>j > 0; j++ {
		var ones, zeros []Bit
		for k, b := range hot {
			if k>>j&1 != 0 {
				ones = append(ones, b)
			} else {
				zeros = append(zeros, b)
			}
		}
		pairs = append(pairs, w.gate(true, w.gate(false, ones...), w.gate(false, zeros...)))
	}
	return w.gate(false, pairs...)
}
