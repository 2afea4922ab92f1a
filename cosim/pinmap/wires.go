package pinmap

import (
	"fmt"
	"math/big"
	"strings"

	"starloom/cosim"
)

// Wires is a pin map resolved bit by bit for the ports of a model and its RTL. A Device moves bits according to
// Wires, and package prove writes Wires as Verilog:
//
//	model's inputs --Pins--> RTL's inputs    RTL's outputs --Ports--> the model's outputs
//	      ^--Ports, in reverse-----'
//
// Gates implement onehot(), index() and similar functions, and outputs that are derived from others.
type Wires struct {
	Model, RTL []cosim.Port

	// Pins has the drivers of the RTL's inputs, by port, low bit first. Drivers are bits of the model's inputs,
	// constants, bits of the RTL's own outputs (feedback) and gates. The list of a port is nil for outputs and
	// clocks.
	Pins [][]Bit

	// Ports expresses the model's ports by RTL pins, by port, low bit first. Outputs are expressed by RTL outputs,
	// inputs by the RTL inputs that they drive. The list of a port is nil for the clock and for absent ports.
	Ports [][]Bit

	Gates  []Gate
	Limits []Limit

	Late    []int  // latency of the RTL in cycles, by port of the model; -1: a cycle early
	Absent  []bool // true if the RTL lacks the port, by port of the model
	Derived []bool // true if the output is computed from others, by port of the model
}

// Origin is the source of a Bit.
type Origin uint8

const (
	Constant Origin = iota // 0, or 1 if inverted
	OfModel                // a bit of Wires.Model
	OfRTL                  // a bit of Wires.RTL
	OfGate                 // output of Wires.Gates
)

// A Bit is a reference to a bit of a port, a gate or a constant.
type Bit struct {
	Origin   Origin
	Port     int // index of the port or gate
	Bit      int // 0 is the lowest
	Inverted bool
}

// A Gate is the OR or AND of its inputs. Without inputs, an OR is 0 and an AND is 1. Gates use only earlier gates.
type Gate struct {
	And    bool
	Inputs []Bit
}

// A Limit is an assumption of a map: Is equals Must in every cycle with reset off. The limit of a model's input
// restricts the values that the map can pass to the RTL: a constant in a join, an index below the number of pins. The
// RTL must keep the limit of an output: truncated bits are 0.
type Limit struct {
	Port     int
	Is, Must Bit
	Text     string // wording of the map: index_o is low(idx)
	Of       []Bit  // source bits of an output, low bit first
	Why      string // explanation of the limit of an output, for an error
}

// Not returns the inverse of a bit.
func (b Bit) Not() Bit {
	b.Inverted = !b.Inverted
	return b
}

// Tied describes RTL inputs and input bits that are constant: scan is 0, req[7:4] is 0.
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

// Unread lists the RTL outputs that the map does not use.
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

// UnreadText formats unread outputs, "" for none.
func UnreadText(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (not looked at: " + strings.Join(names, ", ") + " of the RTL)"
}

func one(value bool) Bit { return Bit{Inverted: value} }

func (w *Wires) gate(and bool, inputs ...Bit) Bit {
	w.Gates = append(w.Gates, Gate{and, inputs})
	return Bit{Origin: OfGate, Port: len(w.Gates) - 1}
}

func (w *Wires) limit(l Limit) {
	if l.Is != l.Must {
		w.Limits = append(w.Limits, l)
	}
}

func bitsOf(origin Origin, port, bits int) []Bit {
	all := make([]Bit, bits)
	for i := range all {
		all[i] = Bit{Origin: origin, Port: port, Bit: i}
	}
	return all
}

// decode returns a bit that is 1 while bits, lowest first, equal number and all bits of also are 1.
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

func (w *Wires) differ(a, b Bit) Bit {
	return w.gate(false, w.gate(true, a, b.Not()), w.gate(true, a.Not(), b))
}

// encode returns the index of the single set bit as a number of the given width. Each bit of the number is an OR.
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

// several returns a bit that is 1 while more than one bit is set. The indexes of two set bits differ in at least one
// bit.
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
