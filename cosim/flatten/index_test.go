//go:build linux

package flatten

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// An index is an expression of a loop's variable, in Verilog and computed.
type index struct {
	text string
	at   func(k int) int
}

// anIndex draws an expression.
func anIndex(random *rand.Rand, depth int) index {
	if depth == 0 || random.IntN(4) == 0 {
		if n := []int{0, 1, 2, 3, 4, 7, 8, 16, 24, 64, 100, 184, 191, 192, 256, 264, 512}[random.IntN(17)]; random.IntN(2) == 0 {
			return index{fmt.Sprint(n), func(int) int { return n }}
		}
		return index{"k", func(k int) int { return k }}
	}
	a, b := anIndex(random, depth-1), anIndex(random, depth-1)
	switch random.IntN(4) {
	case 0:
		return index{"(" + a.text + "-" + b.text + ")", func(k int) int { return a.at(k) - b.at(k) }}
	case 1:
		return index{"(" + a.text + "*" + b.text + ")", func(k int) int { return a.at(k) * b.at(k) }}
	}
	return index{"(" + a.text + "+" + b.text + ")", func(k int) int { return a.at(k) + b.at(k) }}
}

// TestIndexesBeforeTheyAreCut: Verilator cuts indexes to the bits that are needed, drops what does not reach these, and
// makes shifts of products. Each line of a module reads with an index of its own; there is an X where, and only where,
// one of these is beyond the end.
func TestIndexesBeforeTheyAreCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	indexes := []index{
		{"8*k", func(k int) int { return 8 * k }}, {"184-8*k", func(k int) int { return 184 - 8*k }},
		{"256+8*k", func(k int) int { return 256 + 8*k }}, {"264*k", func(k int) int { return 264 * k }},
	}
	for len(indexes) < 400 {
		indexes = append(indexes, anIndex(random, 3))
	}
	var body strings.Builder
	beyond, within := map[int]bool{}, 0
	for i, x := range indexes {
		kind, turns, below := []string{"integer", "reg [31:0]"}[random.IntN(2)], 1+random.IntN(24), 7*random.IntN(2)
		selected := fmt.Sprintf("v[%s +: 8]", x.text)
		if below > 0 {
			selected = fmt.Sprintf("v[%s -: 8]", x.text)
		}
		fmt.Fprintf(&body, "always @* begin : b%d %s k; r[%d] = 0; for (k = 0; k < %d; k = k + 1) r[%d] = r[%d] ^ (^%s); end\n", i, kind, i, turns, i, i, selected)
		for k := range turns {
			if at := x.at(k) - below; at < 0 || at+8 > 192 {
				beyond[i+2] = true
			}
		}
		if !beyond[i+2] {
			within++
		}
	}
	require.Greater(t, within, 50)
	file := filepath.Join(t.TempDir(), "m.v")
	text := fmt.Sprintf("module m (input [191:0] v, output reg [%d:0] r);\n%sendmodule\n", len(indexes)-1, body.String())
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	x := map[int]bool{}
	for _, place := range m.Unknown {
		line, err := strconv.Atoi(strings.Split(place, ":")[1])
		require.NoError(t, err)
		x[line] = true
	}
	taken := 0 // for beyond, since what Verilator has made of them is not like the source
	for i, line := range strings.Split(text, "\n") {
		require.True(t, x[i+1] || !beyond[i+1], line)
		if x[i+1] && !beyond[i+1] {
			t.Log(line)
			taken++
		}
	}
	t.Logf("%d of %d that stay within have an X", taken, within)
	require.Less(t, taken, within/4)
}
