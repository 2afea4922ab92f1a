package nic

import (
	"math/rand/v2"
	"testing"

	"github.com/sigurn/crc16"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var referenceCRC = crc16.MakeTable(crc16.CRC16_CCITT_FALSE)

func referenceChecksum(data []byte) uint16 { return crc16.Checksum(data, referenceCRC) }

func TestChecksumCheckValue(t *testing.T) {
	assert.EqualValues(t, 0x29B1, Checksum([]byte("123456789")))
	assert.EqualValues(t, crcInit, Checksum(nil))
}

func TestChecksumAgainstReference(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for size := range 200 {
		data := make([]byte, size)
		for range 20 {
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			require.Equal(t, referenceChecksum(data), Checksum(data), "seed %d, % x", seed, data)
		}
	}
}

func FuzzChecksum(f *testing.F) {
	f.Add([]byte("123456789"))
	f.Fuzz(func(t *testing.T, data []byte) {
		require.Equal(t, referenceChecksum(data), Checksum(data))
	})
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 30)
	b.Run("tables", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			Checksum(data)
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			referenceChecksum(data)
		}
	})
}
