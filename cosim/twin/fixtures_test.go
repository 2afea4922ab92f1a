//go:build linux

package twin_test

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	. "starloom/cosim/twin"
	"starloom/cosim/verilator"
)

var update = flag.Bool("update", false, "rebuild the twins in twin/testdata/twins")

// fixture returns the committed wasm of a twin with its first parameters, which needs no HDL tool.
func fixture(t *testing.T, twin Twin) *verilator.Circuit {
	wasm, err := os.ReadFile(filepath.Join("twin", "testdata", "twins", twin.Name+".wasm"))
	require.NoError(t, err, "run go test ./cosim/twin -run TwinFixtures -update")
	c, err := verilator.Load(wasm)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// rebuilt returns the same circuit, built from the present sources.
func rebuilt(t *testing.T, twin Twin) *verilator.Circuit {
	m, err := twin.New(twin.Sets[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	c, err := verilator.Build(context.Background(), sourceOf(m, twin, twin.Sets[0], inPlace(twin)), cosim.BuildOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// TestLongTwinFixtures rebuilds every twin and compares sources, and outputs in every cycle, with the committed one.
// The bytes depend on the version of the compiler.
func TestLongTwinFixtures(t *testing.T) {
	files, err := filepath.Glob("twin/testdata/twins/*.wasm")
	require.NoError(t, err)
	if !*update {
		require.Len(t, files, len(all()), "every twin has a fixture, and every fixture a twin")
	}
	forTwins(t, func(t *testing.T, twin Twin) {
		now := rebuilt(t, twin)
		if *update {
			require.NoError(t, os.MkdirAll("twin/testdata/twins", 0o755))
			require.NoError(t, os.WriteFile(filepath.Join("twin", "testdata", "twins", twin.Name+".wasm"), now.Wasm(), 0o644))
		}
		committed := fixture(t, twin)
		require.True(t, maps.Equal(committed.Sources, now.Sources), "the RTL has changed: run go test ./cosim/twin -run TwinFixtures -update")
		require.Equal(t, committed.Ports, now.Ports)
		require.Equal(t, committed.Params, now.Params)
		sideBySide(t, twin, committed, now)
	})
}

func sideBySide(t *testing.T, twin Twin, a, b *verilator.Circuit) {
	m, err := twin.New(twin.Sets[0])
	require.NoError(t, err)
	one, err := verilator.Open(a, cosim.Options{Seed: 1})
	require.NoError(t, err)
	other, err := verilator.Open(b, cosim.Options{Seed: 1})
	require.NoError(t, err)
	schedule := NewSchedule(7, 5000)
	for cycle := range uint64(5000) {
		m.Stimulate(schedule, cycle, m.Inputs())
		for _, d := range []cosim.Device{one, other} {
			copy(d.Inputs(), m.Inputs())
			require.NoError(t, d.Edge(cosim.ClockMask(d.Ports())))
		}
		require.NoError(t, m.Edge(cosim.ClockMask(m.Ports())))
		require.Equal(t, one.Outputs(), other.Outputs(), "cycle %d", cycle)
	}
	for _, d := range []cosim.Device{m, one, other} {
		require.NoError(t, d.Close())
	}
}

func TestTwinFixturesInLockstep(t *testing.T) {
	t.Setenv("PATH", "")
	forTwins(t, func(t *testing.T, twin Twin) {
		d, err := verilator.Open(fixture(t, twin), cosim.Options{Seed: 1})
		require.NoError(t, err)
		m, err := twin.New(twin.Sets[0])
		require.NoError(t, err)
		require.Empty(t, lockstepWith(t, m, d, 3, 20_000))
		require.NoError(t, d.Close())
		require.NoError(t, m.Close())
	})
}

// TestSwappedPortsAreCaught exchanges the functions of two ports of a site, for each pair of equal direction and
// width, and checks that lockstep finds it.
func TestSwappedPortsAreCaught(t *testing.T) {
	pairs := 0
	forTwins(t, func(t *testing.T, twin Twin) {
		d, err := verilator.Open(fixture(t, twin), cosim.Options{Seed: 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, d.Close()) }()
		parameters := twin.Sets[0]
		sound, err := twin.New(parameters)
		require.NoError(t, err)
		defer func() { require.NoError(t, sound.Close()) }()
		ports := sound.SitePorts()
		for i := range ports {
			for k := range i {
				if ports[i].Input != ports[k].Input || ports[i].Bits != ports[k].Bits {
					continue
				}
				m, err := twin.New(parameters)
				require.NoError(t, err)
				a, b := &m.SitePorts()[i], &m.SitePorts()[k]
				a.Get, b.Get = b.Get, a.Get
				a.Put, b.Put = b.Put, a.Put
				m.Rebind()
				require.NotEmpty(t, lockstepWith(t, m, d, 3, 20_000), "%s and %s", a.Name, b.Name)
				require.NoError(t, m.Close())
				pairs++
			}
		}
	})
	require.GreaterOrEqual(t, pairs, 15)
}
