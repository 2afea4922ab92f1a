package systemtest

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// StateColumn locates a column in a saved state.
type StateColumn struct {
	Name       string
	Head       int // offset of its name's length
	Kind, Size int // of an element, in bytes
	First, End int // offsets of its elements
}

// StateColumns lists the columns of a saved state.
func StateColumns(t testing.TB, state []byte) (columns []StateColumn) {
	at := len("STARLOOM STATE\x00") + 1
	for {
		name := int(binary.LittleEndian.Uint16(state[at:]))
		if name == 0 {
			require.Len(t, state, at+6)
			return columns
		}
		c := StateColumn{Name: string(state[at+2 : at+2+name]), Head: at, Kind: at + 2 + name}
		c.Size = int(state[c.Kind] & 0x7F)
		c.First = c.Kind + 9
		c.End = c.First + c.Size*int(binary.LittleEndian.Uint64(state[c.Kind+1:]))
		columns, at = append(columns, c), c.End
	}
}

// Sealed returns an altered state with a valid checksum.
func Sealed(state []byte) []byte {
	body := state[:len(state)-4]
	return binary.LittleEndian.AppendUint32(slices.Clip(body), crc32.ChecksumIEEE(body))
}
