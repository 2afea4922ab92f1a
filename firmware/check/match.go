package check

import (
	"encoding/binary"
	"encoding/hex"
	"slices"

	"starloom/nic"
)

const matchesMax = 4 // maximum number of inputs derived from the comparisons of one sequence

// matches derives inputs from an input that has run. Each derived input replaces a value by the other operand of a
// comparison.
func (f *fuzzer) matches(in *FuzzInput) (list []FuzzInput) {
	if len(f.compared) == 0 || in.Call != nil {
		return nil
	}
	compared, ends := slices.Clone(f.compared), slices.Clone(f.comparedIn)
	for range 8 * matchesMax {
		k := max(f.random.IntN(len(compared)), f.random.IntN(len(compared))) // later comparisons are preferred
		step := 0
		for step < len(ends)-1 && ends[step] <= k {
			step++
		}
		a, b := compared[k][0], compared[k][1]
		if f.random.IntN(2) == 0 {
			a, b = b, a
		}
		if a <= 0xFF && f.random.IntN(2) == 0 { // small values occur anywhere
			continue
		}
		if f.random.IntN(4) == 0 {
			b += uint64(int64(f.random.IntN(3) - 1))
		}
		if next, ok := f.match(in, step, a, b); ok {
			if list = append(list, next); len(list) == matchesMax {
				break
			}
		}
	}
	return list
}

func (f *fuzzer) match(in *FuzzInput, step int, from, to uint64) (out FuzzInput, ok bool) {
	for k := min(step, len(in.Steps)-1); k >= 0; k-- {
		for i := range in.Steps[k].Frames {
			if x := in.Steps[k].Frames[i]; f.replace(&x, from, to) {
				out = in.clone()
				out.Steps[k].Frames[i] = x
				return out, true
			}
		}
	}
	return out, false
}

func (f *fuzzer) replace(x *FuzzFrame, from, to uint64) bool {
	payload, _ := hex.DecodeString(x.Payload)
	payloadMax := f.instance.Bank().PayloadBytes
	var changes []func()
	field := func(has bool, change func()) {
		if has {
			changes = append(changes, change)
		}
	}
	field(uint64(x.Flags) == from && to <= 0xFF, func() { x.Flags = uint8(to) })
	field(uint64(x.Tag) == from && to <= 0xFFFF, func() { x.Tag = uint16(to) })
	field(uint64(x.Kind) == from && to < uint64(nic.KindCount), func() { x.Kind = uint8(to) })
	field(uint64(x.Destination) == from && to <= 1<<32-1, func() { x.Destination = uint32(to) })
	field(uint64(x.Source) == from && to < uint64(f.m.Shape.Processors()), func() { x.Source = uint32(to) })
	field(uint64(len(payload)) == from && to <= uint64(payloadMax), func() {
		x.Payload = hex.EncodeToString(append(payload, make([]byte, payloadMax)...)[:to])
	})
	for _, width := range []int{8, 4, 2, 1} {
		if !fits(from, width) || !fits(to, width) {
			continue
		}
		for at := 0; at+width <= len(payload); at++ {
			little, big := valueAt(payload[at:at+width], false), valueAt(payload[at:at+width], true)
			mask := ^uint64(0) >> (64 - 8*width)
			field(little == from&mask, func() { x.Payload = hex.EncodeToString(withValue(payload, at, width, to, false)) })
			field(big == from&mask && width > 1 &&
				big != little, func() { x.Payload = hex.EncodeToString(withValue(payload, at, width, to, true)) })
		}
		if width > 1 && len(changes) > 0 { // only the widest match counts
			break
		}
	}
	if len(changes) == 0 {
		return false
	}
	changes[f.random.IntN(len(changes))]()
	return true
}

func fits(value uint64, width int) bool {
	if width == 8 {
		return true
	}
	signed := int64(value)
	if value>>32 == 0 {
		signed = int64(int32(value))
	}
	limit := int64(1) << (8*width - 1)
	return value < uint64(2*limit) || signed < 0 && signed >= -limit
}

func valueAt(part []byte, big bool) (value uint64) {
	for i := range part {
		b := part[len(part)-1-i]
		if big {
			b = part[i]
		}
		value = value<<8 | uint64(b)
	}
	return value
}

func withValue(payload []byte, at, width int, value uint64, big bool) []byte {
	out := slices.Clone(payload)
	number := binary.LittleEndian.AppendUint64(nil, value)[:width]
	if big {
		slices.Reverse(number)
	}
	copy(out[at:], number)
	return out
}
