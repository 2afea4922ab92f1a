package nic

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// TestPhitBitOrder is the mapping of bits to phits, written out.
func TestPhitBitOrder(t *testing.T) {
	stream := append([]byte{0b1011_0001, 0b1100_0010}, make([]byte, frameSlack)...)
	assert.EqualValues(t, 0b10110, getPhit(stream, 0, 5))
	assert.EqualValues(t, 0b00111, getPhit(stream, 5, 5))
	assert.EqualValues(t, 0b00001, getPhit(stream, 10, 5))
	assert.EqualValues(t, 0b11111, litBits(16, 5))
	assert.EqualValues(t, 0b11111, litBits(5, 5))
	assert.EqualValues(t, 0b10000, litBits(1, 5))
	assert.EqualValues(t, ^uint64(0), litBits(64, 64))
	assert.EqualValues(t, uint64(1)<<63, litBits(1, 64))
}

// TestPhitsAgainstSingleBits compares both directions with one bit at a time.
func TestPhitsAgainstSingleBits(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for count := 1; count <= 64; count++ {
		stream := make([]byte, 40+frameSlack)
		for i := range stream {
			stream[i] = byte(r.Uint32())
		}
		copied := make([]byte, len(stream))
		for first := 0; first < 8*40; first += count {
			want := uint64(0)
			for bit := first; bit < first+count; bit++ {
				want = want<<1 | uint64(stream[bit/8]>>(7-bit%8)&1)
			}
			got := getPhit(stream, first, count)
			require.Equal(t, want, got, "seed %d, %d bits from %d", seed, count, first)
			putPhit(copied, first, count, got)
		}
		require.Equal(t, stream[:40], copied[:40], "seed %d, %d bits", seed, count)
	}
}

func TestSerialiserLastPhitIsDarkBehindTheFrame(t *testing.T) {
	l := newLink(t, linkConfig{d: 1, g: 1, phitBits: 48, payloadBytes: 0, guard: 1})
	frame := []byte{0xF0, 0x0F, 0x55, 0xAA, 0x12, 0x34, 0xA7}
	l.tx.Load(0, frame, 0)
	l.endSlot()
	assert.Equal(t, []uint32{0}, l.tx.shards[0].active)
	light := l.tx.Light()

	l.kernel.DriveAndSettle()
	assert.EqualValues(t, 0xF00F55AA1234, light.Rail1[0])
	assert.EqualValues(t, 0x0FF0AA55EDCB, light.Rail0[0])
	l.kernel.Latch()
	l.kernel.DriveAndSettle()
	assert.EqualValues(t, 0xA7_0000000000, light.Rail1[0])
	assert.EqualValues(t, 0x58_0000000000, light.Rail0[0])
	assert.EqualValues(t, 0, l.tx.Ports().Value[0])
	l.kernel.Latch()
	assert.Empty(t, l.tx.shards[0].active)
	assert.EqualValues(t, hw.PortNone, l.tx.Ports().Value[0])
	l.kernel.DriveAndSettle()
	assert.Zero(t, light.Rail1[0]|light.Rail0[0])
}

func TestSerialiserLoadPanics(t *testing.T) {
	l := newLink(t, linkConfig{d: 1, g: 2, phitBits: 8, payloadBytes: 4, guard: 1, unitsPerShard: 2})
	assert.Panics(t, func() { l.tx.Load(0, nil, 0) })
	assert.Panics(t, func() { l.tx.Load(0, make([]byte, 21), 0) })
	l.tx.Load(0, make([]byte, 20), 0)
	l.endSlot()
	assert.PanicsWithError(t, "pops.group[0].transmitter[0]: cycle 0: loaded while a frame of 20 bytes is being sent",
		func() { l.tx.Load(0, make([]byte, 20), 0) })
	assert.PanicsWithError(t, "pops.group[1].transmitter[0]: cycle 0: loaded while pops.group[0].transmitter[0] sends",
		func() { l.tx.Load(1, make([]byte, 20), 0) })
}

func TestSerialiserConfigRefused(t *testing.T) {
	good := SerialiserConfig{
		Bank: hw.Bank{Name: "tx", Units: 2, PerUnit: 1}, Clock: new(hw.Clock), Shards: hw.Shards(2, 1),
		PhitBits: 8, FrameBytesMax: 20,
	}
	_, err := NewSerialisers(good)
	require.NoError(t, err)
	for name, edit := range map[string]func(c *SerialiserConfig){
		"cells":       func(c *SerialiserConfig) { c.Bank.Units = 0 },
		"shards":      func(c *SerialiserConfig) { c.Shards = hw.Shards(3, 1) },
		"phit 0":      func(c *SerialiserConfig) { c.PhitBits = 0 },
		"phit 65":     func(c *SerialiserConfig) { c.PhitBits = 65 },
		"frame":       func(c *SerialiserConfig) { c.FrameBytesMax = 0 },
		"frame large": func(c *SerialiserConfig) { c.FrameBytesMax = FrameBytes(PayloadBytesMax) + 1 },
		"compute -1":  func(c *SerialiserConfig) { c.ComputeCycles = -1 },
		"compute":     func(c *SerialiserConfig) { c.ComputeCycles = ComputeCyclesMax + 1 },
	} {
		c := good
		edit(&c)
		_, err := NewSerialisers(c)
		assert.Error(t, err, name)
	}
}
