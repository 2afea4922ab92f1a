package traces

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWaves(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteWaves(&b, "cycle", []uint64{98, 99, 100, 101, 102}, []WaveRow{
		{"clk_i", 1, []string{"0", "1", "0", "1", "0"}},
		{"top.ready", 1, []string{"x", "0", "0", "z", "1"}},
		{"top.count_q", 8, []string{"3e", "3e", "3f", "4X", "4X"}},
		{"top.state", 0, []string{"idle", "idle", "run", "run", "stop"}},
	}, 3))
	require.Equal(t, `cycle        98    99    100   101   102
clk_i        ______/~~~~~\_____/~~~~~\_____
top.ready    xxxxxx|___________|-----|~~~~~
top.count_q  |3e         |3f   |4X
top.state    |idle       |run        |stop
                               ^
`, b.String())
}

// Drawings with long numbers and values are readable: the last column always has its number.
func TestWavesOfLongNumbers(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteWaves(&b, "ps", []uint64{1000000, 1005000, 1010000, 1015000}, []WaveRow{
		{"clk", 1, []string{"0", "1", "0", "1"}},
	}, -1))
	require.Equal(t, "ps   1000000     1015000\nclk  ____/~~~\\___/~~~\n", b.String())
	b.Reset()
	require.NoError(t, WriteWaves(&b, "ps", []uint64{5}, []WaveRow{{"wide", 128, []string{"0123456789abcdef0123456789abcdef"}}}, 0))
	require.Equal(t, "ps    5\nwide  |0123456..9abcdef\n      ^\n", b.String())
}
