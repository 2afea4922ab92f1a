package pcapng

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPseudoHeaderFieldsCoverTheHeader(t *testing.T) {
	at := 0
	for _, field := range PseudoHeaderFields {
		assert.Equal(t, at, field.Offset, field.Name)
		at += field.Bits
	}
	assert.Equal(t, 8*PseudoHeaderBytes, at)
}

func TestParsePseudoHeader(t *testing.T) {
	b := make([]byte, PseudoHeaderBytes+3)
	PutPseudoHeader(b, &Header{Direction: Received, Status: 3, Port: 0x0D0E, Slot: 0x01020304, Cycle: 0x05060708090A0B0C})
	p, err := ParsePseudoHeader(b)
	require.NoError(t, err)
	assert.Equal(t, "received", p.Direction().String())
	assert.EqualValues(t, PseudoHeaderVersion, p[offsetVersion])
	assert.EqualValues(t, 3, p.Status())
	assert.EqualValues(t, 0x0D0E, p.Port())
	assert.EqualValues(t, 0x01020304, p.Slot())
	assert.EqualValues(t, 0x05060708090A0B0C, p.Cycle())
	assert.Len(t, p.Frame(), 3)
	assert.Equal(t, "direction(7)", Direction(7).String())
	for i, value := range map[int]byte{offsetVersion: 1, offsetDirection: 2 << statusBits} {
		bad := bytes.Clone(b)
		bad[i] = value
		_, err := ParsePseudoHeader(bad)
		assert.Error(t, err)
	}
	_, err = ParsePseudoHeader(b[:PseudoHeaderBytes-1])
	assert.Error(t, err)
}
