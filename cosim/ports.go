package cosim

import (
	"fmt"
	"slices"
	"strings"

	"starloom/traces/input"
)

// PlacePorts marks the clocks and assigns words to the other ports.
func PlacePorts(ports []Port, clocks []string) error {
	in, out := 0, 0
	for i := range ports {
		p := &ports[i]
		p.Clock = slices.Contains(clocks, p.Name)
		switch {
		case p.Clock && (!p.Input || p.Bits != 1):
			return &InputError{Place: "--clock", Reason: fmt.Sprintf("%s is %s", p.Name, p.Kind()),
				Remedy: "a clock is an input of one bit"}
		case p.Clock:
			p.Word = -1
		case p.Input:
			p.Word, in = in, in+p.Words()
		default:
			p.Word, out = out, out+p.Words()
		}
	}
	for _, clock := range clocks {
		if !slices.ContainsFunc(ports, func(p Port) bool { return p.Name == clock }) {
			var inputs []string
			for _, p := range ports {
				if p.Input && p.Bits == 1 {
					inputs = append(inputs, p.Name)
				}
			}
			return &InputError{
				Place:  "--clock",
				Reason: fmt.Sprintf("there is no port %s", clock),
				Remedy: "of inputs of one bit: " + input.RemedyOf(clock, inputs),
			}
		}
	}
	return nil
}

// Kind describes a port: an input of 8 bits.
func (p Port) Kind() string {
	direction := "an output"
	if p.Input {
		direction = "an input"
	}
	if p.Bits == 1 {
		return direction + " of 1 bit"
	}
	return fmt.Sprintf("%s of %d bits", direction, p.Bits)
}

// Words returns the total number of words of the inputs and of the outputs.
func Words(ports []Port) (in, out int) {
	for _, p := range ports {
		switch {
		case p.Clock:
		case p.Input:
			in += p.Words()
		default:
			out += p.Words()
		}
	}
	return in, out
}

// SliceText names the bits of a pin from low to end-1.
func SliceText(pin string, low, end int) string {
	if end-low == 1 {
		return fmt.Sprintf("%s[%d]", pin, low)
	}
	return fmt.Sprintf("%s[%d:%d]", pin, end-1, low)
}

// BitsText formats a number of bits.
func BitsText(bits int) string {
	if bits == 1 {
		return "1 bit"
	}
	return fmt.Sprintf("%d bits", bits)
}

// ClockMask returns a mask with a bit for every clock.
func ClockMask(ports []Port) uint64 {
	count := uint(0)
	for _, p := range ports {
		if p.Clock {
			count++
		}
	}
	return 1<<count - 1
}

// Elements lists the elements of an array: of the port, or of a named part.
func (p Port) Elements(part string) (names []string) {
	for _, q := range p.Parts {
		if inner, ok := strings.CutPrefix(q.Name, part+"["); ok && strings.IndexByte(inner, ']') == len(inner)-1 {
			names = append(names, p.Name+q.Name)
		}
	}
	return names
}
