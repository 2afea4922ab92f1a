package wasm

import (
	"math/bits"

	"starloom/firmware/wasm/binary"
)

func negated(op binary.Opcode) binary.Opcode {
	return [...]binary.Opcode{binary.OpI32Ne, binary.OpI32Eq, binary.OpI32GeS, binary.OpI32GeU,
		binary.OpI32LeS, binary.OpI32LeU,
		binary.OpI32GtS, binary.OpI32GtU, binary.OpI32LtS, binary.OpI32LtU}[op-binary.OpI32Eq]
}

func mirrored(op binary.Opcode) binary.Opcode {
	return [...]binary.Opcode{binary.OpI32Eq, binary.OpI32Ne, binary.OpI32GtS, binary.OpI32GtU,
		binary.OpI32LtS, binary.OpI32LtU,
		binary.OpI32GeS, binary.OpI32GeU, binary.OpI32LeS, binary.OpI32LeU}[op-binary.OpI32Eq]
}

// trips returns the number of initial terms of v, v+step, ... (modulo 2^32) that satisfy the comparison. ok is false
// if the number is unknown.
func trips(v, step uint32, op binary.Opcode, limit uint32) (uint64, bool) {
	switch op {
	case binary.OpI32Eq:
		switch {
		case v != limit:
			return 0, true
		case step == 0:
			return 0, false
		}
		return 1, true
	case binary.OpI32Ne:
		return distance(limit-v, step)
	// signed order is unsigned order with inverted sign bits
	case binary.OpI32LtS, binary.OpI32GtS, binary.OpI32LeS, binary.OpI32GeS:
		return trips(v^1<<31, step, op+1, limit^1<<31)
	case binary.OpI32GtU, binary.OpI32GeU: // complements reverse the order
		return trips(^v, -step, mirrored(op), ^limit)
	case binary.OpI32LeU:
		if limit++; limit == 0 {
			return 0, false
		}
	}
	if v >= limit {
		return 0, true
	}
	if step == 0 {
		return 0, false
	}
	n := (uint64(limit-v) + uint64(step) - 1) / uint64(step)
	return n, uint64(v)+n*uint64(step) < 1<<32 // otherwise a step may wrap past all numbers from limit on
}

func distance(d, step uint32) (uint64, bool) {
	if d == 0 {
		return 0, true
	}
	zeros := bits.TrailingZeros32(step) // 32 for 0
	if d&(1<<zeros-1) != 0 || step == 0 {
		return 0, false
	}
	odd := step >> zeros
	inverse := odd // the inverse is correct to 3 bits; each iteration doubles the number of correct bits
	for range 4 {
		inverse *= 2 - odd*inverse
	}
	return uint64((d >> zeros) * inverse & uint32(1<<(32-zeros)-1)), true
}
