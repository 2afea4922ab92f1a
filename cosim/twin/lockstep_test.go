//go:build linux

package twin_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
	. "starloom/cosim/twin"
	"starloom/cosim/verilator"
)

// Numbers of lockstep cycles. Those on wasm are more than any mutant needs; Icarus, a separate process, runs fewer.
const (
	wasmCycles, wasmCyclesFull                       = 30_000, 1_000_000
	icarusCycles, icarusCyclesLong, icarusCyclesFull = 1_000, 3_000, 100_000
	mutantCycles                                     = 20_000
)

// lockstepWith runs a device beside its model on the model's stimulus. It returns the first difference of an output
// after Settle or Edge, or the failed assertion, "" for none. Outputs before the first edge, which has reset on, are
// undefined.
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
			m.Follow(d.Outputs())
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
		m.Follow(d.Outputs())
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

// sourceOf returns the RTL of a twin with a parameter set. The header is in the folder of the last file, since files
// of a fabric come first. Tests that build the same RTL share the build, whose key has file names, too.
func sourceOf(m *Model, twin Twin, p Parameters, files []string) cosim.Source {
	s := cosim.Source{Top: twin.Name, Files: files,
		IncludeDirs: []string{filepath.Dir(files[len(files)-1])}, Params: p.Verilog()}
	if m.Clocked() {
		s.Clocks = []string{"clock"}
	}
	return s
}

func runTwin(t *testing.T, open open, twin Twin, p Parameters, files []string, cycles uint64) string {
	m, err := twin.New(p)
	require.NoError(t, err)
	d := open(t, sourceOf(m, twin, p, files))
	difference := lockstepWith(t, m, d, 1, cycles)
	require.NoError(t, d.Close())
	require.NoError(t, m.Close())
	return difference
}

// inPlace returns the twin's sources under fixed names, since the key of a cached build has names and contents.
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

func TestLongTwinsInLockstepOnWasm(t *testing.T) {
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

// TestTwinsInLockstepOnIcarus runs one parameter set of each twin.
func TestTwinsInLockstepOnIcarus(t *testing.T) {
	forTwins(t, func(t *testing.T, twin Twin) {
		t.Parallel()
		p := someSets(twin, 1)[0]
		require.Empty(t, runTwin(t, onIcarus, twin, p, inPlace(twin), icarusCycles), "%v", p)
	})
}

// TestLongTwinsInLockstepOnIcarus runs the other sets.
func TestLongTwinsInLockstepOnIcarus(t *testing.T) {
	cycles := uint64(icarusCyclesLong)
	if *full {
		cycles = icarusCyclesFull
	}
	forTwins(t, func(t *testing.T, twin Twin) {
		t.Parallel()
		sets := someSets(twin, setsElsewhere)
		if !*full && len(sets) > 1 {
			sets = sets[1:]
		}
		for _, p := range sets {
			require.Empty(t, runTwin(t, onIcarus, twin, p, inPlace(twin), cycles), "%v", p)
		}
	})
}

// requireCaught requires that a mutant differs from the model with some parameter set.
func requireCaught(t *testing.T, open open, mutant Mutant) {
	files, err := mutant.WriteSources(t.TempDir())
	require.NoError(t, err)
	// most mutants differ soon, though not with the first set
	for _, cycles := range []uint64{mutantCycles / 20, mutantCycles} {
		for _, p := range mutant.Twin.Sets {
			if difference := runTwin(t, open, mutant.Twin, p, files, cycles); difference != "" {
				t.Logf("%v: %s", p, difference)
				return
			}
		}
	}
	require.Fail(t, "not caught", "%s: %s", mutant.Twin.Name, mutant.Name)
}

// mutantsAtOnce is the number of mutants per twin in the short test.
const mutantsAtOnce = 2

// TestMutantsAreCaughtOnIcarus checks that mutants differ by their behaviour or an X.
func TestMutantsAreCaughtOnIcarus(t *testing.T) {
	requireAllCaught(t, func(number int, _ Twin) bool { return number < mutantsAtOnce })
}

// TestLongMutantsAreCaughtOnIcarus runs the other mutants. Of a router, whose mutants take longest, it runs every
// fourth, with -full all.
func TestLongMutantsAreCaughtOnIcarus(t *testing.T) {
	requireAllCaught(t, func(number int, twin Twin) bool {
		return number >= mutantsAtOnce && (*full || twin.Name != "vc_router" || (number-mutantsAtOnce)%4 == 0)
	})
}

// requireAllCaught requires a difference in Icarus for each mutant that chosen selects by its number within its twin.
func requireAllCaught(t *testing.T, chosen func(number int, twin Twin) bool) {
	number := map[string]int{}
	for _, mutant := range Mutants(all()) {
		if chosen(number[mutant.Twin.Name], mutant.Twin) {
			t.Run(mutant.Twin.Name+": "+mutant.Name, func(t *testing.T) {
				t.Parallel()
				requireCaught(t, onIcarus, mutant)
			})
		}
		number[mutant.Twin.Name]++
	}
}

// TestLongRoutersInLockstep runs random configurations of a router and checks that none differs.
func TestLongRoutersInLockstep(t *testing.T) {
	cycles, settings := uint64(10_000), 3
	if *full {
		cycles, settings = 50_000, 60
	}
	found, err := Find(All(), "vc_router")
	require.NoError(t, err)
	random := NewRandom(27)
	for range settings {
		p := Parameters{
			"PORTS": 2 + random.Below(5), "VCS": 1 + random.Below(5), "DEPTH": 1 + random.Below(8), "ROUTING_DELAY": random.Below(2),
			"CREDIT_DELAY": random.Below(4), "WAIT_FOR_TAIL": random.Below(2), "VC_ALLOCATOR": random.Below(2), "SWITCH_ALLOCATOR": random.Below(2),
			"DATA_BITS": 1 + random.Below(53),
		}
		t.Run(p.Text(), func(t *testing.T) {
			t.Parallel()
			require.Empty(t, runTwin(t, onWasm, found, p, inPlace(found), cycles))
		})
	}
}

// mutantsOfKinds has a mutant of each kind that differs on wasm: combinational logic, frames of many words, and a
// register with a random initial value because no reset reaches it.
var mutantsOfKinds = []string{"star_coupler: first sender left out", "deserialiser: frame upside down", "arbiter_round_robin: missing reset"}

// TestMutantsAreCaughtOnWasm checks that mutants differ by their behaviour alone, from random initial values. Each
// must be compiled, so that without -full one of each kind is run; Icarus shows that the stimulus detects all.
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

var moduleNamed = regexp.MustCompile(`(?m)^module (\w+)`)

// besideEachOther writes a module with the mutants of a twin side by side, with common inputs and separate outputs.
// It omits the assertions, which would end all mutants at once.
func besideEachOther(t *testing.T, m *Model, p Parameters, mutants []Mutant) cosim.Source {
	dir := t.TempDir()
	s := cosim.Source{Top: "mutants", Defines: map[string]string{"SYNTHESIS": ""}, Clocks: []string{"clock"}, Files: []string{filepath.Join(dir, "mutants.v")}}
	var declared, inside strings.Builder
	for k, mutant := range mutants {
		folder := filepath.Join(dir, fmt.Sprint(k))
		require.NoError(t, os.Mkdir(folder, 0o777))
		files, err := mutant.WriteSources(folder)
		require.NoError(t, err)
		var text []byte
		for _, file := range files {
			part, err := os.ReadFile(file)
			require.NoError(t, err)
			text = append(text, part...)
		}
		for _, module := range moduleNamed.FindAllSubmatch(text, -1) { // each mutant gets its own modules
			text = regexp.MustCompile(`\b`+string(module[1])+`\b`).ReplaceAll(text, fmt.Appendf(nil, "%s_%d", module[1], k))
		}
		name := fmt.Sprintf("%s_%d", mutant.Twin.Name, k)
		file := filepath.Join(dir, name+".v")
		require.NoError(t, os.WriteFile(file, text, 0o666))
		s.Files = append(s.Files, file)
		var values, pins []string
		for parameter, value := range p.Verilog() {
			values = append(values, fmt.Sprintf(".%s(%s)", parameter, value))
		}
		for _, port := range m.Ports() {
			pin := port.Name
			if !port.Input {
				pin = fmt.Sprintf("%s_%d", port.Name, k)
				fmt.Fprintf(&declared, ",\n  output wire [%d:0] %s", port.Bits-1, pin)
			} else if k == 0 {
				fmt.Fprintf(&declared, ",\n  input wire [%d:0] %s", port.Bits-1, pin)
			}
			pins = append(pins, fmt.Sprintf(".%s(%s)", port.Name, pin))
		}
		fmt.Fprintf(&inside, "  %s #(%s) m%d (%s);\n", name, strings.Join(values, ", "), k, strings.Join(pins, ", "))
	}
	text := fmt.Sprintf("module mutants (%s);\n%sendmodule\n", strings.TrimPrefix(declared.String(), ","), inside.String())
	text = strings.ReplaceAll(strings.ReplaceAll(text, "[0:0] clock", "clock"), "[0:0] reset", "reset")
	require.NoError(t, os.WriteFile(s.Files[0], []byte(text), 0o666))
	return s
}

// caughtOf runs mutants side by side, each with its own model, and returns the undetected mutants.
func caughtOf(t *testing.T, twin Twin, p Parameters, mutants []Mutant) (left []Mutant) {
	models := make([]*Model, len(mutants))
	for k := range models {
		m, err := twin.New(p)
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		models[k] = m
	}
	m := models[0]
	d := onWasm(t, besideEachOther(t, m, p, mutants))
	defer func() { require.NoError(t, d.Close()) }()
	words := len(m.Outputs())
	caught, count := make([]bool, len(mutants)), 0
	schedule := NewSchedule(1, mutantCycles)
	inputs := make([]uint64, len(m.Inputs()))
	look := func(cycle uint64) {
		for k, model := range models {
			own := d.Outputs()[k*words:][:words]
			model.Follow(own)
			if cycle > 0 && !caught[k] && !slices.Equal(model.Outputs(), own) {
				caught[k], count = true, count+1
			}
		}
	}
	for cycle := uint64(0); cycle < mutantCycles && count < len(mutants); cycle++ {
		m.Stimulate(schedule, cycle, inputs)
		copy(d.Inputs(), inputs)
		require.NoError(t, d.Settle())
		for _, model := range models {
			copy(model.Inputs(), inputs)
			require.NoError(t, model.Settle())
		}
		look(cycle)
		require.NoError(t, d.Edge(1))
		for _, model := range models {
			require.NoError(t, model.Edge(1))
		}
		look(cycle + 1)
	}
	for k, mutant := range mutants {
		if !caught[k] {
			left = append(left, mutant)
		}
	}
	return left
}

// circuitsOfKinds are the circuits whose mutants are built for wasm in CI.
var circuitsOfKinds = []string{"skid_buffer", "counter", "delay_line"}

// TestLongMutantsOfCircuitsOnWasm runs mutants of circuits outside of machines side by side, in one build per twin
// and parameter set, and checks that all differ by their behaviour. Without -full it runs some circuits.
func TestLongMutantsOfCircuitsOnWasm(t *testing.T) {
	forTwins(t, func(t *testing.T, twin Twin) {
		if len(twin.Components) > 0 {
			t.Skip("a component of machines: TestMutantsAreCaughtOnWasm")
		}
		if !*full && !slices.Contains(circuitsOfKinds, twin.Name) {
			t.Skip("with -full")
		}
		t.Parallel()
		left := Mutants([]Twin{twin})
		for _, p := range twin.Sets {
			if len(left) > 0 {
				left = caughtOf(t, twin, p, left)
			}
		}
		for _, mutant := range left {
			assert.Fail(t, "not caught", mutant.Name)
		}
	})
}
