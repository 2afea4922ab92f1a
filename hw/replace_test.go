package hw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplacedCoupler requires that a replaced coupler gets no light from the bank and shows only its replacement's.
func TestReplacedCoupler(t *testing.T) {
	shards := Shards(1, 1)
	in, err := NewLight(Bank{Name: "tx", Units: 1, PerUnit: 2}, "light", 8, shards, nil)
	require.NoError(t, err)
	out, err := NewLight(Bank{Name: "coupler", Units: 1, PerUnit: 2}, "light", 8, shards, nil)
	require.NoError(t, err)
	ports := NewPortSelect(in.Bank(), "port")
	c, err := NewStarCouplers(in, ports, out, []uint32{0, 0}, 2)
	require.NoError(t, err)
	site := c.Site()
	site.Replace(1, nil)

	in.Put(0, 0, 0xF0, 0x0F)
	in.Put(0, 1, 0xFF, 0x00)
	ports.Value[0], ports.Value[1] = PortAll, 1
	c.Settle(shards[0])
	require.Equal(t, []uint64{0xF0, 0}, out.Rail1)
	require.Equal(t, []uint32{0}, out.Lit(0, 0))
	require.Empty(t, c.Violated(0), "the collision is on the replaced coupler")

	for name, value := range map[string]uint64{"rail1_o": 0x03, "rail0_o": 0x04, "violation_o": 1} {
		port := site.Port(name)
		require.NoError(t, port.Put(1, Pins{Words: []uint64{value}, Bits: port.Bits})())
	}
	require.Equal(t, []uint64{0xF0, 0x03}, out.Rail1)
	require.Equal(t, []uint64{0x0F, 0x04}, out.Rail0)
	require.Equal(t, []uint32{1}, c.Violated(0))
	c.Settle(shards[0])
	require.Zero(t, out.Rail1[1], "its light lasts for one cycle")
}

// TestReplacedWire requires that no light passes a replaced wire, with and without registers.
func TestReplacedWire(t *testing.T) {
	shards := Shards(1, 1)
	for delay := range 3 {
		near, err := NewLight(Bank{Name: "near", Units: 1, PerUnit: 3}, "light", 8, shards, nil)
		require.NoError(t, err)
		far, err := NewLight(Bank{Name: "far", Units: 1, PerUnit: 3}, "light", 8, shards, nil)
		require.NoError(t, err)
		clock := &Clock{}
		f, err := NewFibre("fibre", clock, near, far, delay)
		require.NoError(t, err)
		f.Site().Replace(1, nil)
		for wire := range uint32(3) {
			near.Put(0, wire, uint64(wire)+1, 0)
		}
		for range delay {
			f.Drive(shards[0])
			f.Latch(shards[0])
			near.Clear(0)
			clock.cycle++
		}
		if delay > 0 {
			f.Drive(shards[0])
		} else {
			f.Settle(shards[0])
		}
		require.Equal(t, []uint64{1, 0, 3}, far.Rail1, "delay %d", delay)
		far.Put(0, 1, 2, 0)
		require.Len(t, far.Lit(0, 0), 3)
	}
}
