//go:build linux

package twin_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
	. "starloom/cosim/twin"
	"starloom/cosim/verilator"
)

// Cycles of lockstep: on wasm more than any mutant is given to show itself. Icarus is
// another process, and runs for fewer.
const (
	wasmCycles, wasmCyclesFull                       = 30_000, 1_000_000
	icarusCycles, icarusCyclesLong, icarusCyclesFull = 1_000, 3_000, 100_000
	mutantCycles                                     = 20_000
)

// lockstepWith runs a device beside its model on the model's stimulus and returns
// the first difference of an output, after Settle or Edge, or the assertion that has
// failed, and "" when there is none. The first edge has reset on; what the outputs are
// before is not defined.
func lockstepWith(t *testing.T, m *Model, d cosim.Device, seed, cycles uint64) string {
	require.Equal(t, m.Ports(), d.Ports(), "the model has the ports of the module, in its order")
	var clocks uint64
	if m.Clocked() {
		clocks = 1
	}
	schedule := NewSchedule(seed, cycles)
	for cycle := range cycles {
		m.Stimulate(schedule, cycle, m.Inputs())
		copy(d.Inputs(), m.Inputs())
		if cycle > 0 || !m.Clocked() {
			require.NoError(t, m.Settle())
			require.NoError(t, d.Settle())
			if text := differenceOf(m, d); text != "" {
				return fmt.Sprintf("seed %d, cycle %d, settled: %s", seed, cycle, text)
			}
		}
		require.NoError(t, m.Edge(clocks))
		var failed *cosim.Fault
		if err := d.Edge(clocks); errors.As(err, &failed) && failed.Kind == cosim.FaultFatal {
			return fmt.Sprintf("seed %d: %v", seed, failed)
		} else {
			require.NoError(t, err)
		}
		if text := differenceOf(m, d); text != "" {
			return fmt.Sprintf("seed %d, cycle %d, after the edge: %s", seed, cycle, text)
		}
	}
	return ""
}

func differenceOf(m *Model, d cosim.Device) string {
	unknown := d.Unknown()
	if slices.Equal(m.Outputs(), d.Outputs()) && (unknown == nil || slices.Max(unknown) == 0) {
		return ""
	}
	for _, p := range m.Ports() {
		if p.Input {
			continue
		}
		words := func(of []uint64) []uint64 { return of[p.Word:][:p.Words()] }
		if unknown != nil && slices.Max(words(unknown)) != 0 {
			return fmt.Sprintf("%s has unknown bits %x", p.Name, words(unknown))
		}
		if !slices.Equal(words(m.Outputs()), words(d.Outputs())) {
			return fmt.Sprintf("%s is %x, the model says %x", p.Name, words(d.Outputs()), words(m.Outputs()))
		}
	}
	return "a word of the outputs belongs to no port"
}

// open builds a device of sources.
type open func(t *testing.T, source cosim.Source) cosim.Device

func onWasm(t *testing.T, source cosim.Source) cosim.Device {
	circuit, err := verilator.Build(context.Background(), source, cosim.BuildOptions{})
	require.NoError(t, err)
	d, err := verilator.Open(circuit, cosim.Options{Seed: 1})
	require.NoError(t, err)
	return d
}

func onIcarus(t *testing.T, source cosim.Source) cosim.Device {
	d, err := icarus.Open(source, cosim.Options{})
	require.NoError(t, err)
	return d
}

// sourceOf is RTL of a twin with one set of parameters. The header that it includes is
// beside the last file: those that a fabric brings come first. Tests that build the same
// RTL share the build, which goes by names, too.
func sourceOf(m *Model, twin Twin, p Parameters, files []string) cosim.Source {
	s := cosim.Source{Top: twin.Name, Files: files, IncludeDirs: []string{filepath.Dir(files[len(files)-1])}, Params: p.Verilog()}
	if m.Clocked() {
		s.Clocks = []string{"clock"}
	}
	return s
}

// runTwin is lockstep of one set of parameters with sources.
func runTwin(t *testing.T, open open, twin Twin, p Parameters, files []string, cycles uint64) string {
	m, err := twin.New(p)
	require.NoError(t, err)
	d := open(t, sourceOf(m, twin, p, files))
	difference := lockstepWith(t, m, d, 1, cycles)
	require.NoError(t, d.Close())
	require.NoError(t, m.Close())
	return difference
}

// inPlace are the twin's sources under names that never change: the cache of builds
// goes by name and content.
func inPlace(twin Twin) (files []string) {
	for _, name := range twin.Sources {
		path := filepath.Join("rtl", name)
		if twin.Own != nil {
			if _, err := fs.Stat(twin.Own, name); err == nil {
				path = filepath.Join("..", "fabric", "pops", path)
			}
		}
		files = append(files, path)
	}
	return files
}

func TestTwinsInLockstepOnWasm(t *testing.T) {
	cycles := uint64(wasmCycles)
	if *full {
		cycles = wasmCyclesFull
	}
	forTwins(t, func(t *testing.T, twin Twin) {
		t.Parallel()
		for _, p := range someSets(twin, setsOnWasm) {
			require.Empty(t, runTwin(t, onWasm, twin, p, inPlace(twin), cycles), "%v", p)
		}
	})
}

// TestTwinsInLockstepOnIcarus takes one set of parameters of each twin.
func TestTwinsInLockstepOnIcarus(t *testing.T) {
	forTwins(t, func(t *testing.T, twin Twin) {
		t.Parallel()
		p := someSets(twin, 1)[0]
		require.Empty(t, runTwin(t, onIcarus, twin, p, inPlace(twin), icarusCycles), "%v", p)
	})
}

// TestLongTwinsInLockstepOnIcarus takes several.
func TestLongTwinsInLockstepOnIcarus(t *testing.T) {
	cycles := uint64(icarusCyclesLong)
	if *full {
		cycles = icarusCyclesFull
	}
	forTwins(t, func(t *testing.T, twin Twin) {
		t.Parallel()
		for _, p := range someSets(twin, setsElsewhere) {
			require.Empty(t, runTwin(t, onIcarus, twin, p, inPlace(twin), cycles), "%v", p)
		}
	})
}

// requireCaught wants a difference between a mutant and the model with some set.
func requireCaught(t *testing.T, open open, mutant Mutant) {
	files, err := mutant.WriteSources(t.TempDir())
	require.NoError(t, err)
	for _, cycles := range []uint64{mutantCycles / 20, mutantCycles} { // most show soon, if not with the first set
		for _, p := range mutant.Twin.Sets {
			if difference := runTwin(t, open, mutant.Twin, p, files, cycles); difference != "" {
				t.Logf("%v: %s", p, difference)
				return
			}
		}
	}
	require.Fail(t, "not caught", "%s: %s", mutant.Twin.Name, mutant.Name)
}

// TestMutantsAreCaughtOnIcarus: by their behaviour, or by an X.
func TestMutantsAreCaughtOnIcarus(t *testing.T) {
	for _, mutant := range Mutants(all()) {
		t.Run(mutant.Twin.Name+": "+mutant.Name, func(t *testing.T) {
			t.Parallel()
			requireCaught(t, onIcarus, mutant)
		})
	}
}

// mutantsOfKinds are one mutant of each kind that differs on wasm: logic without a clock,
// frames of many words, and a register that starts at random because no reset reaches it.
var mutantsOfKinds = []string{"star_coupler: first sender left out", "deserialiser: frame upside down", "arbiter_round_robin: missing reset"}

// TestMutantsAreCaughtOnWasm: by their behaviour only, registers start at random.
// Each has to be compiled, so without -full there is one of each kind: that all mutants
// are caught by the stimulus is shown on Icarus.
func TestMutantsAreCaughtOnWasm(t *testing.T) {
	found := 0
	for _, mutant := range Mutants(all()) {
		name := mutant.Twin.Name + ": " + mutant.Name
		if ofKinds := slices.Contains(mutantsOfKinds, name); ofKinds {
			found++
		} else if !*full {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireCaught(t, onWasm, mutant)
		})
	}
	require.Equal(t, len(mutantsOfKinds), found)
}
