package hw

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newLFSRs(t testing.TB, unitsPerShard, workers int, shuffle *rand.Rand) (*clocked, *LFSRs) {
	t.Helper()
	s := newSwitches(t, clockedBank("user"), []string{"enable"}, []int{1})
	bank := clockedBank("lfsr")
	seeds := make([]uint32, bank.Size())
	for i := range seeds {
		seeds[i] = uint32(Mix64(uint64(i)+1)) | 1
	}
	l, err := NewLFSRs(bank, seeds, s.wires[0])
	require.NoError(t, err)
	c := &clocked{switches: s, outputs: []*Signal{l.value}}
	c.random = func(cycle uint64, s *switches) {
		r := rand.New(rand.NewPCG(1, cycle))
		for i := range s.value[0] {
			s.value[0][i] = uint64(r.IntN(2))
		}
	}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, s, l)
	return c, l
}

// step32 is the matrix of some steps, by columns.
type step32 [32]uint32

func (m *step32) apply(x uint32) (y uint32) {
	for i, column := range m {
		if x>>i&1 == 1 {
			y ^= column
		}
	}
	return y
}

// power returns the matrix of count steps.
func power(count uint64) (result step32) {
	var square step32
	for i := range square {
		result[i], square[i] = 1<<i, stepLFSR(1<<i)
	}
	for ; count > 0; count >>= 1 {
		var r, s step32
		for i := range s {
			r[i], s[i] = result.apply(square[i]), square.apply(square[i])
		}
		if count&1 == 1 {
			result = r
		}
		square = s
	}
	return result
}

// TestLFSRIsMaximal shows that a step has the order 2^32-1: that power is the identity, and no power by a maximal
// divisor is.
func TestLFSRIsMaximal(t *testing.T) {
	const all = 1<<32 - 1
	identity := power(0)
	assert.Equal(t, identity, power(all))
	for _, prime := range []uint64{3, 5, 17, 257, 65537} { // their product is 2^32-1
		assert.NotEqual(t, identity, power(all/prime), "%d", prime)
	}
	x := uint32(0xDEADBEEF)
	for range 1000 {
		x = stepLFSR(x)
	}
	p := power(1000)
	assert.Equal(t, x, p.apply(0xDEADBEEF))
}

// TestLFSRBitByBit compares with the register bit by bit: bit 31 is fed by bit 0, which is added to bits 21, 1 and 0.
func TestLFSRBitByBit(t *testing.T) {
	value := uint32(1)
	for range 1000 {
		var next uint32
		for bit := range 32 {
			in := uint32(0)
			if bit < 31 {
				in = value >> (bit + 1) & 1
			}
			switch bit {
			case 31, 21, 1, 0:
				in ^= value & 1
			}
			next |= in << bit
		}
		value = stepLFSR(value)
		require.Equal(t, next, value)
	}
}

func TestLFSRsStepWhenEnabled(t *testing.T) {
	c, l := newLFSRs(t, 2, 1, nil)
	want := append([]uint32(nil), l.seeds...)
	for cycle := range uint64(200) {
		c.play(cycle, cycle+1)
		for i := range want {
			require.EqualValues(t, want[i], l.value.Value[i])
			if c.switches.value[0][i] == 1 {
				want[i] = stepLFSR(want[i])
			}
		}
	}
}

func TestLFSRsBank(t *testing.T) {
	requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
		c, _ := newLFSRs(t, unitsPerShard, workers, shuffle)
		return c
	})
}

func TestLFSRsRefuse(t *testing.T) {
	c, l := newLFSRs(t, 5, 1, nil)
	requireRefused(t, c.kernel, "element 3 is 0", func() { l.register[3] = 0 })
	bank := clockedBank("lfsr")
	_, err := NewLFSRs(bank, l.seeds[:3], l.enable)
	assert.ErrorContains(t, err, "15 registers, 3 seeds")
	_, err = NewLFSRs(bank, l.seeds, nil)
	assert.ErrorContains(t, err, "no enable wire")
	_, err = NewLFSRs(Bank{}, nil, l.enable)
	assert.Error(t, err)
	_, err = NewLFSRs(bank, make([]uint32, bank.Size()), l.enable)
	assert.ErrorContains(t, err, "test.unit[0].lfsr[0]: seed 0")
}
