//go:build linux

package prove

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// lanes is the number of X in everywhere.sv. With 0 for every X all are correct, except lane asks, which tests a net
// for X.
const lanes, asks = 47, 21

// TestLongXIsFree checks that an X of the source may have any value in the miter.
func TestLongXIsFree(t *testing.T) {
	m := twinMap(t, "link", twin.Parameters{"PHIT_BITS": lanes, "DELAY_CYCLES": 1})
	file, err := filepath.Abs("testdata/x/everywhere.sv")
	require.NoError(t, err)
	m.Source.Top, m.Source.Params, m.Source.Files, m.Build.Cache = "dut", nil, []string{file}, testCache
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	d, err := m.Open(context.Background(), cosim.Options{})
	require.NoError(t, err)
	defer d.Close()
	device := d.(*pinmap.Device)
	b := &builder{ctx: context.Background(), dir: t.TempDir(), m: m, model: model,
		wires: device.Wires, terms: device.Terms()}
	made, err := b.build()
	require.NoError(t, err)

	bits, random := map[[2]int]int{}, rand.New(rand.NewPCG(1, 2))
	for i, c := range made.bits {
		bits[[2]int{c.port, c.bit}] = i
	}
	of := func(name string, lane int) int {
		for i, p := range made.ports {
			if p.Name == name {
				return bits[[2]int{i, lane}]
			}
		}
		panic(name)
	}
	for _, free := range []bool{true, false} {
		seen := differences(made, random, free)
		for lane := range lanes {
			require.Zero(t, seen[of("rail0_o", lane)], "rail0 %d", lane)
			if free {
				require.NotZero(t, seen[of("rail1_o", lane)], "lane %d: its X has a value", lane)
			} else {
				require.Equal(t, lane == asks, seen[of("rail1_o", lane)] != 0, "lane %d", lane)
			}
		}
	}
}

// differences returns the compared bits that differ in some cycle with random inputs. X and power-on values are
// random if free is set, otherwise 0.
func differences(m *miter, random *rand.Rand, free bool) []uint64 {
	seen, in, sim := make([]uint64, len(m.bits)), make([]uint64, m.graph.inputs), m.graph.simulation()
	for cycle := range 2000 {
		if cycle%8 == 0 { // power-on
			sim = m.graph.simulation()
		}
		for i := range in {
			in[i] = random.Uint64()
		}
		for _, i := range m.signals.free {
			if !free {
				in[i] = 0
			}
		}
		in[m.on] = ^uint64(0)
		sim.settle(in)
		for i := range seen {
			seen[i] |= sim.of(m.graph.outputs[m.bad[i]])
		}
		sim.edge()
	}
	return seen
}
