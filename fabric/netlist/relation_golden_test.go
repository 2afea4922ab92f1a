package netlist

import (
	"compress/gzip"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// TestRulesEqualBookSim: every packet of BookSim's logs has the same times and hops with rules of routes; mids and
// draws are those of the logs.
func TestRulesEqualBookSim(t *testing.T) {
	const square = "k: 4, n: 2, columns: 4"
	for _, x := range []struct{ log, rules, network string }{
		{"mesh44_xyyx", "xy-yx", "mesh: {k: [4, 4]}\nrouter: {vcs: 4}"},
		{"mesh44_axyyx", "adaptive-xy-yx", "mesh: {k: [4, 4]}\nrouter: {vcs: 4}"},
		{"mesh44_romm", "romm", "mesh: {k: [4, 4]}\nrouter: {vcs: 4}"},
		{"cmesh4_xyyxnx", "xy-yx", "cmesh: {k: 4}\nrouter: {vcs: 4}"},
		{"fattree_anca", "anca", "fattree: {k: 3, n: 3}\nrouter: {vcs: 2}"},
		{"flatfly_axyyx", "adaptive-xy-yx", "flatfly: {" + square + "}\nrouter: {vcs: 4}"},
		{"flatfly_valiant", "valiant", "flatfly: {" + square + "}\nrouter: {vcs: 4}"},
		{"flatfly_ugal", "ugal", "flatfly: {" + square + "}\nrouter: {vcs: 4}"},
		{"mesh44_minadapt", "min-adapt", "mesh: {k: [4, 4]}\nrouter: {vcs: 3}"},
		{"mesh333_minadapt", "min-adapt", "mesh: {k: [3, 3, 3]}\nrouter: {vcs: 4, depth: 2, routing_delay: 0, " +
			"allocator: separable_input_first}"},
		{"torus44_minadapt", "torus-min-adaptive", "torus: {k: [4, 4]}\nrouter: {vcs: 4}"},
	} {
		t.Run(x.log, func(t *testing.T) {
			rules := rulesOf(t, x.rules)
			if x.log == "mesh333_minadapt" {
				rules = strings.Replace(rules, "free: 2", "free: 3", 1)
			}
			built := unchecked(t, x.network+"\n"+rules)
			if x.log != "torus44_minadapt" { // BookSim runs it without waiting for the credit of the tail
				r, err := drawnRouters(t, x.network+"\n"+rules)
				require.NoError(t, err)
				require.Contains(t, r.Shown, "free (Dally")
			}
			f, err := os.Open(filepath.Join("../../hw/testdata/booksim", "routes_"+x.log+".csv.gz"))
			require.NoError(t, err)
			defer f.Close()
			unzipped, err := gzip.NewReader(f)
			require.NoError(t, err)
			rows, err := csv.NewReader(unzipped).ReadAll()
			require.NoError(t, err)
			packets, want := &hw.Packets{}, [][]int{}
			number := func(text string) int {
				n, err := strconv.Atoi(text)
				require.NoError(t, err)
				return n
			}
			for _, row := range rows[1:] {
				packets.Add(uint32(number(row[1])), uint32(number(row[2])), uint16(number(row[3])), uint32(number(row[4])))
				mid, choice := uint32(0), uint64(0)
				if row[9] != "" {
					mid = uint32(1 + number(row[9]))
				}
				if mid > 0 && x.log == "flatfly_ugal" { // a place: router and port
					for node, at := range built.Graph.Nodes {
						if at.Router == int(mid-1)/4 {
							mid = uint32(1 + node)
							break
						}
					}
				}
				for i, drawn := range strings.Split(row[10], ".") {
					if drawn != "" {
						choice |= uint64(number(drawn)) << (hw.ChoiceBits * i)
					}
				}
				packets.Mid, packets.Choice = append(packets.Mid[:packets.Count()-1], mid), append(packets.Choice, choice)
				want = append(want, []int{number(row[5]), number(row[6]), number(row[7])})
			}
			runRouters(t, &Network{routers: built}, packets)
			differ := 0
			for i, w := range want {
				if w[0] != int(packets.Sent[i]) || w[1] != int(packets.Received[i]) || w[2] != int(packets.Hops[i]) {
					if differ++; differ < 3 {
						t.Logf("%v: %d %d %d", rows[1+i], packets.Sent[i], packets.Received[i], packets.Hops[i])
					}
				}
			}
			require.Zero(t, differ)
			require.Greater(t, len(want), 900)
		})
	}
}

// TestDrawnRulesArrive: files of rules that draw or compare loads carry all packets of an overload through buffers of
// one flit; Valiant's on a ring, which is refused, does not.
func TestDrawnRulesArrive(t *testing.T) {
	for _, x := range []struct{ rules, network string }{
		{"xy-yx", "mesh: {k: [4, 4]}"}, {"adaptive-xy-yx", "cmesh: {k: 3}"}, {"valiant", "mesh: {k: [4, 4]}"},
		{"romm", "mesh: {k: [3, 3, 3]}"}, {"ugal", "flatfly: {k: 3, n: 2}"}, {"anca", "fattree: {k: 2, n: 3}"},
		{"valiant", "torus: {k: [8], latency: 1}"},
	} {
		text := x.network + "\nrouter: {vcs: 4, depth: 1}\n" + rulesOf(t, x.rules)
		if strings.HasPrefix(x.network, "torus") {
			text = strings.NewReplacer("vcs: 4", "vcs: 2", "first: 2, second: 2", "first: 1, second: 1").Replace(text)
		}
		built, knots := unchecked(t, text), 0
		nodes := len(built.Graph.Nodes)
		for seed := range uint64(8) {
			r, packets := rand.New(rand.NewPCG(seed, 8)), &hw.Packets{}
			for i := range 30 * nodes {
				packets.Add(uint32(i%nodes), uint32(r.IntN(nodes)), uint16(1+r.IntN(8)), uint32(r.IntN(20)))
			}
			if len(runRouters(t, &Network{routers: built}, packets)) > 0 {
				knots++
			}
		}
		require.Equal(t, strings.HasPrefix(x.network, "torus"), knots > 0, "%s %s", x.rules, x.network)
	}
}
