package nic

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFramePinned is a frame written by hand from the diagram of Frame; its CRC comes
// from the reference package.
func TestFramePinned(t *testing.T) {
	f := Marshal(make([]byte, 64),
		Header{Kind: KindAck, Flags: 0xA5, Source: 0x01020304, Destination: AnyDestination, Tag: 0xBEEF}, []byte{1, 2, 3})
	want := "11" + "a5" + "0003" + "01020304" + "ffffffff" + "beef" + "010203"
	assert.Equal(t, want, hex.EncodeToString(f[:len(f)-CRCBytes]))
	assert.Equal(t, referenceChecksum(f[:len(f)-CRCBytes]), f.CRC())
}

func TestFrameRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, size := range []int{0, 1, 2, 15, 16, 255, 256, PayloadBytesMax} {
		payload := make([]byte, size)
		for i := range payload {
			payload[i] = byte(r.Uint32())
		}
		h := Header{Kind: Kind(r.IntN(KindCount)), Flags: uint8(r.Uint32()), PayloadBytes: size,
			Source: r.Uint32(), Destination: r.Uint32(), Tag: uint16(r.Uint32())}
		dst := bytes.Repeat([]byte{0xEE}, FrameBytes(size)+4)
		f := Marshal(dst, h, payload)
		require.Len(t, f, FrameBytes(size))
		assert.Equal(t, []byte{0xEE, 0xEE, 0xEE, 0xEE}, dst[len(f):], "Marshal writes nothing after the frame")
		parsed, err := Parse(f)
		require.NoError(t, err)
		assert.Equal(t, h, parsed.Header())
		assert.Equal(t, h.Kind, parsed.Kind())
		assert.Equal(t, h.Source, parsed.Source())
		assert.Equal(t, h.Destination, parsed.Destination())
		assert.True(t, bytes.Equal(payload, parsed.Payload()))
		assert.True(t, parsed.Valid())
	}
}

func TestFrameFieldsCoverTheHeader(t *testing.T) {
	bit := 0
	for _, f := range FrameFields {
		assert.Equal(t, bit, f.Offset, f.Name)
		bit += f.Bits
	}
	assert.Equal(t, 8*HeaderBytes, bit)
	for k := range Kind(KindCount) {
		assert.Equal(t, k.String(), FrameFields[1].Names[k])
	}
	assert.Equal(t, "kind(3)", Kind(3).String())
	for s := StatusIdle; s <= StatusOverflow; s++ {
		assert.Equal(t, StatusNames[s], s.String())
	}
	assert.Equal(t, "status?", Status(5).String())
}

func TestParseRefuses(t *testing.T) {
	good := Marshal(make([]byte, 20), Header{Source: 7}, []byte{1, 2, 3, 4})
	// signed gives the frame the right CRC again, so that only the edit is wrong.
	signed := func(edit func(f []byte)) []byte {
		f := bytes.Clone(good)
		edit(f)
		crc := referenceChecksum(f[:len(f)-CRCBytes])
		f[len(f)-2], f[len(f)-1] = byte(crc>>8), byte(crc)
		return f
	}
	for text, b := range map[string][]byte{
		"at least 16":  good[:15],
		"version 2":    signed(func(f []byte) { f[0] = 0x20 }),
		"kind(3)":      signed(func(f []byte) { f[0] = Version<<4 | 3 }),
		"header says":  signed(func(f []byte) { f[3]++ }),
		"CRC":          append(bytes.Clone(good[:19]), good[19]^1),
		"20 bytes, it": signed(func(f []byte) { f[2] = 1 }),
	} {
		_, err := Parse(b)
		assert.ErrorContains(t, err, text)
	}
	for bit := range 8 * len(good) {
		b := bytes.Clone(good)
		b[bit/8] ^= 0x80 >> (bit % 8)
		_, err := Parse(b)
		assert.Error(t, err, "bit %d", bit)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Marshal(make([]byte, 20), Header{Source: 7}, []byte{1, 2, 3, 4})))
	f.Add([]byte{})
	f.Add(make([]byte, FrameBytesMin))
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := Parse(b)
		if err != nil {
			return
		}
		again := Marshal(make([]byte, len(b)), frame.Header(), frame.Payload())
		require.Equal(t, b, []byte(again), "a frame that is accepted is what Marshal makes")
		require.Equal(t, len(b), FrameBytes(frame.Header().PayloadBytes))
		require.True(t, wellFormed(frame), "receivers accept what Parse accepts")
	})
}
