package traffic

import (
	"fmt"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// saturationLimits are rates that networks cannot exceed: one packet per slot on a bus; for crossbars Karol, Hluchyj
// and Morgan (1987), table I; for 64 ports, the mesh and the torus the rate accepted under full load.
var saturationLimits = []struct {
	network string
	limit   float64
	quick   uint64 // seeds without -full
}{
	{"fabric: {bus: {vertices: 8, buses: [[0, 1, 2, 3, 4, 5, 6, 7]], arbiter: round_robin}}\nfirmware: {program: bus/traffic}\n", 0.125, 100},
	{"fabric: {crossbar: {ports: 8, arbiter: round_robin}}\nfirmware: {program: crossbar/traffic}\n", 0.6184, 5},
	{"fabric: {crossbar: {ports: 64, arbiter: round_robin}}\nfirmware: {program: crossbar/traffic}\n", 0.59, 0},
	{"fabric: {netlist: {mesh: {k: [8, 8]}, router: {vcs: 4, depth: 8}}}\n", 0.418, 0},
	{"fabric: {netlist: {torus: {k: [5, 5]}, router: {vcs: 4, depth: 8}}}\n", 0.757, 1},
}

// TestSaturationAtTheLimit: of 100 seeds with default windows one at most is called saturated at 0.90 of the limit, and
// 99 at least at 1.05; without -full of fewer seeds.
func TestSaturationAtTheLimit(t *testing.T) {
	for _, x := range saturationLimits {
		seeds := uint64(100)
		if !*systemtest.Full {
			seeds = x.quick
		}
		for share, within := range map[float64][2]float64{0.90: {0, 0.01}, 1.05: {0.99, 1}} {
			if seeds == 0 {
				continue
			}
			called := saturatedShare(t, x.network, share*x.limit, seeds)
			require.Truef(t, within[0] <= called && called <= within[1], "%s at %g of the limit: %g of the runs", x.network, share, called)
		}
	}
}

// TestLongSaturationOfAFly: a fly of 10 has two states, and its limit is the largest rate at which no seed collapses.
// It runs under -full.
func TestLongSaturationOfAFly(t *testing.T) {
	if !*systemtest.Full {
		t.Skip("ten minutes: -full")
	}
	fly := "fabric: {netlist: {fly: {k: [10]}, router: {vcs: 8, depth: 8, routing_delay: 0, allocator: separable_input_first}}}\n"
	require.Zero(t, saturatedShare(t, fly, 0.665, 100))
	require.InDelta(t, 0.33, saturatedShare(t, fly, 0.68, 100), 0.15)
	require.Equal(t, 1.0, saturatedShare(t, fly, 0.70, 100))
}

// saturatedShare is the share of so many seeds that are called saturated.
func saturatedShare(t *testing.T, network string, rate float64, seeds uint64) float64 {
	s, err := starloom.ParseScenario("limit.yaml", []byte("starloom: 1\n"+network+fmt.Sprintf("workload: {traffic: {rate: %g, overload: true}}\n", rate)))
	require.NoError(t, err)
	report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: seeds}, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict, strings.TrimSpace(network))
	return *report.Statistics.Get("saturated").Mean
}
