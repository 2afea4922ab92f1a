package cosim

import (
	"bytes"
	"encoding/binary"
)

// A difference of two states is a list of blocks. Each entry has a 4-byte offset and the bytes of the block.
const (
	blockBytes     = 256
	blocksTogether = 16
)

// AppendDifference appends the blocks of state that differ from saved. The missing end of a shorter saved counts as
// zeros. first is added to all offsets.
func AppendDifference(difference []byte, first int, state, saved []byte) []byte {
	var zeros [blocksTogether * blockBytes]byte
	same := func(from, to int) bool {
		known := saved[min(from, len(saved)):min(to, len(saved))]
		return bytes.Equal(state[from:from+len(known)], known) &&
			bytes.Equal(state[from+len(known):to], zeros[:to-from-len(known)])
	}
	for from := 0; from < len(state); from += len(zeros) {
		end := min(from+len(zeros), len(state))
		if same(from, end) {
			continue
		}
		for at := from; at < end; at += blockBytes {
			if to := min(at+blockBytes, end); !same(at, to) {
				difference = binary.LittleEndian.AppendUint32(difference, uint32(first+at))
				difference = append(difference, state[at:to]...)
			}
		}
	}
	return difference
}

// ApplyDifference copies the blocks of a difference to a state. The state consists of one or more consecutive parts.
func ApplyDifference(difference []byte, parts ...[]byte) {
	for len(difference) > 0 {
		at := int(binary.LittleEndian.Uint32(difference))
		difference = difference[4:]
		for _, part := range parts {
			if at < len(part) {
				difference = difference[copy(part[at:min(at+blockBytes, len(part))], difference):]
				break
			}
			at -= len(part)
		}
	}
}

// WithoutZeros returns a state without trailing blocks of zeros.
func WithoutZeros(state []byte) []byte {
	var zeros [blocksTogether * blockBytes]byte
	for bytes.HasSuffix(state, zeros[:]) {
		state = state[:len(state)-len(zeros)]
	}
	return state
}
