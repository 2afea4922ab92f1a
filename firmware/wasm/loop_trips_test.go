package wasm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm/binary"
)

// TestTrips counts what trips calculates, with small numbers, and with numbers around 0, 2^31 and
// 2^32 where additions overflow.
func TestTrips(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	near := func() uint32 { return []uint32{0, 1 << 31, 1 << 30}[random.IntN(3)] + uint32(random.IntN(64)) - 32 }
	holds := func(v uint32, op binary.Opcode, limit uint32) bool {
		a, b := int32(v), int32(limit)
		return map[binary.Opcode]bool{
			binary.OpI32Eq: v == limit, binary.OpI32Ne: v != limit, binary.OpI32LtS: a < b, binary.OpI32LtU: v < limit,
			binary.OpI32GtS: a > b, binary.OpI32GtU: v > limit,
			binary.OpI32LeS: a <= b, binary.OpI32LeU: v <= limit, binary.OpI32GeS: a >= b, binary.OpI32GeU: v >= limit,
		}[op]
	}
	const most = 2000
	known, open := 0, 0
	for range 10_000 {
		v, limit, step := near(), near(), uint32(random.IntN(9)-4)
		if random.IntN(4) == 0 {
			step = uint32(1) << random.IntN(32)
		}
		op := binary.OpI32Eq + binary.Opcode(random.IntN(10))
		require.NotEqual(t, holds(v, op, limit), holds(v, negated(op), limit))
		require.Equal(t, holds(v, op, limit), holds(limit, mirrored(op), v))
		n, ok := trips(v, step, op, limit)
		if !ok {
			open++
			continue
		}
		if n > most {
			require.True(t, op == binary.OpI32Ne || holds(v+uint32(n-1)*step, op, limit))
			require.False(t, holds(v+uint32(n)*step, op, limit))
			continue
		}
		known++
		count := uint64(0)
		for ; count <= n && holds(v, op, limit); count++ {
			v += step
		}
		require.Equal(t, n, count, "%#x %d %#x", op, int32(step), limit)
	}
	require.Greater(t, known, 2_000)
	require.Greater(t, open, 200)
}
