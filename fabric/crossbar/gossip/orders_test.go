package gossip_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	. "starloom/fabric/crossbar/gossip/gossiptest"
	"starloom/traces/input"
)

func TestOrders(t *testing.T) {
	require.Equal(t, gossip.Orders{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}, gossip.Identity(3))
	require.Equal(t, gossip.Orders{{1, 2, 3}, {2, 3, 0}, {3, 0, 1}, {0, 1, 2}}, gossip.Pipelined(3))
	require.Equal(t, gossip.Orders{{3, 2, 1}, {0, 3, 2}, {1, 0, 3}, {2, 1, 0}}, gossip.Worst(3))
	for N := 1; N <= 12; N++ {
		require.Equal(t, gossip.SerialLength(N), Length(Setting{Orders: gossip.Worst(N)}), "N = %d", N)
	}
}

// TestNamed makes every kind of orders by its word: each names everyone but oneself once.
func TestNamed(t *testing.T) {
	for _, word := range gossip.Words() {
		orders, err := gossip.Named(word, 7, 1)
		require.NoError(t, err)
		var text strings.Builder
		require.NoError(t, orders.Write(&text))
		again, err := gossip.Parse(word, []byte(text.String()), 7)
		require.NoError(t, err)
		require.Equal(t, orders, again)
	}
	_, err := gossip.Named("pipeline", 7, 1)
	require.EqualError(t, err, `orders "pipeline" are unknown; did you mean "pipelined"? give identity, pipelined, shared-random, worst, optimal or a file of orders (.csv)`)
	require.ErrorAs(t, err, new(*input.Error))
}

// TestSharedRandom: orders depend only on the seed, not on the version of Go, because a report
// names the seed and not the orders.
func TestSharedRandom(t *testing.T) {
	require.Equal(t, []uint32{6, 3, 1, 9, 7, 4, 8, 2, 5}, gossip.SharedRandom(9, 1)[0])
	require.NotEqual(t, gossip.SharedRandom(9, 1), gossip.SharedRandom(9, 2))
	first := make(map[uint32]int) // whom processor 9 sends to first
	for seed := range uint64(9000) {
		first[gossip.SharedRandom(9, seed)[9][0]]++
	}
	require.Len(t, first, 9)
	for id, count := range first { // 1000 expected, standard deviation 30
		require.InDelta(t, 1000, count, 120, "id %d", id)
	}
}

// TestOptimal compares the closed form with the reference orders, and its runs with the bound for
// senders that never wait.
func TestOptimal(t *testing.T) {
	for N, name := range map[int]string{3: "optimal_N3_perms", 7: "optimal_N7_perms", 15: "optimal_N15_perms"} {
		orders, err := gossip.Optimal(N)
		require.NoError(t, err)
		require.Equal(t, goldenOrders(t, name), orders)
	}
	largest := 8
	if *full {
		largest = 11
	}
	for m := 1; m <= largest; m++ {
		N := 1<<m - 1
		orders, err := gossip.Optimal(N)
		require.NoError(t, err)
		table := Step(Setting{Orders: orders})
		require.Equal(t, max(2, 3*N-m), table.Columns(), "N = %d", N)
		require.Equal(t, gossip.LowerBound(N), table.Columns(), "N = %d", N)
		require.True(t, gossip.AbovePipelined(table.Metrics().Epsilon), "N = %d", N)
		for p := range orders {
			for run := range table.Row(p) {
				require.NotEqual(t, gossip.Blocked, run.Cell.Action)
			}
		}
	}
	for _, N := range []int{0, 2, 4, 8, 14} {
		_, err := gossip.Optimal(N)
		require.ErrorAs(t, err, new(*input.Error))
	}
}

// TestParse checks line and column of the first fault in each row; only the first fault is quoted.
func TestParse(t *testing.T) {
	const remedy = "; give 4 rows of 3 ids, comma-separated, without a header: row i is the order of processor i, with " +
		"every id from 0 to 3 except i once"
	good := gossip.Orders{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}
	for _, c := range []struct{ text, fault string }{
		{"1,2,3\n0,2,3\n0,1,3\n0,1,2\n", ""},
		{"1,2,3\n0,2,3\n0,1,3\n0,1,2", ""},
		{"\ufeff1, 2, 3\r\n0 ,2,3\r\n\r\n0,1,3\r\n0,1,2\r\n", ""},
		{"", "o.csv: the file ends after 0 rows, but the network has 4 processors"},
		{"1,2,3\n0,2,3\n0,1,3\n", "o.csv: the file ends after 3 rows, but the network has 4 processors"},
		{"1,2,3\n0,2,3\n0,1,3\n0,1,2\n0,1,2\n", "o.csv:5:1: the file has more rows than the 4 processors"},
		{"id,P1,P2\n0,2,3\n0,1,3\n0,1,2\n", `o.csv:1:1: "id" is not the id of a processor`},
		{"1,2,3\n0,2x,3\n0,1,3\n0,1,2\n", `o.csv:2:3: "2x" is not the id of a processor`},
		{"1,2,3\n0,,3\n0,1,3\n0,1,2\n", `o.csv:2:3: "" is not the id of a processor`},
		{"1,2,3\n0,2,4\n0,1,3\n0,1,2\n", `o.csv:2:5: "4" is not the id of a processor`},
		{"1,2,3\n0,2,-3\n0,1,3\n0,1,2\n", `o.csv:2:5: "-3" is not the id of a processor`},
		{"1,2,3\n0,2,1\n0,1,3\n0,1,2\n", "o.csv:2:5: processor 1 sends to itself"},
		{"1,2,3\n0,2,3\n0,3,3\n0,1,2\n", "o.csv:3:5: the order of processor 2 has 3 twice"},
		{"1,2,3\n0,3\n0,1,3\n0,1,2\n", "o.csv:2:3: the order of processor 1 ends after 2 ids; 2 is missing"},
		{"1,2,3\n0,2,3,2\n0,1,3\n0,1,2\n", "o.csv:2:7: the order of processor 1 has 4 ids"},
		{"x,y\n0,2,3\nz,1,3\n0,1,1\n", `o.csv:1:1: "x" is not the id of a processor` + remedy + "\no.csv:3:1: what stands here is not the id of a processor" +
			remedy + "\no.csv:4:5: the order of processor 3 has 1 twice"},
		{"1;2;3\n0;2;3\n", "o.csv:1:1: the columns are separated by semicolons (;); separate them with commas"},
		{"1,\"2\n", "o.csv:1:6: this is not comma-separated text: extraneous or missing \" in quoted-field"},
	} {
		orders, err := gossip.Parse("o.csv", []byte(c.text), 3)
		if c.fault == "" {
			require.NoError(t, err, "%q", c.text)
			require.Equal(t, good, orders, "%q", c.text)
			continue
		}
		if !strings.HasSuffix(c.fault, "commas") {
			c.fault += remedy
		}
		require.EqualError(t, err, c.fault, "%q", c.text)
		require.ErrorAs(t, err, new(*input.Error))
	}
}

func TestReadOrders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders.csv")
	require.NoError(t, os.WriteFile(path, []byte("1\n0\n"), 0o666))
	orders, err := gossip.ReadOrders(path, 1)
	require.NoError(t, err)
	require.Equal(t, gossip.Orders{{1}, {0}}, orders)
	_, err = gossip.ReadOrders(path+"x", 1)
	require.ErrorContains(t, err, "orders.csvx: cannot be read: no such file or directory; give 2 rows of 1 ids")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("1,2\n0,2\n0,1\n"))
	f.Add([]byte("1,\"2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		orders, err := gossip.Parse("o.csv", data, 2)
		if err != nil {
			require.ErrorAs(t, err, new(*input.Error))
			return
		}
		require.LessOrEqual(t, Length(Setting{Orders: orders}), gossip.SerialLength(2))
	})
}
