package twin_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/cosim"
	. "starloom/cosim/twin"
	"starloom/hw"
	"starloom/nic"
)

func forTwins(t *testing.T, test func(t *testing.T, twin Twin)) {
	for _, twin := range all() {
		t.Run(twin.Name, func(t *testing.T) { test(t, twin) })
	}
}

// Number of parameter sets without -full. On wasm each set is a build, and the first is that of the fixture. In
// Icarus and Yosys a later set, with 64 or 1,024 ports, takes as long as all earlier ones.
const setsOnWasm, setsElsewhere = 1, 2

// someSets returns the first sets of a twin, with -full all.
func someSets(twin Twin, count int) []Parameters {
	if *full {
		return twin.Sets
	}
	return twin.Sets[:min(count, len(twin.Sets))]
}

// requireSilent requires an HDL tool to succeed without output.
func requireSilent(t *testing.T, name string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "this test needs %s (make tools)", name)
	out, err := exec.Command(path, arguments...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, arguments, out)
	require.Empty(t, string(statistics.ReplaceAll(out, nil)), "%s %v", name, arguments)
}

// statistics matches the run-time statistics of Verilator 5.032.
var statistics = regexp.MustCompile(`(?m)^- (?:V e r i l a t i o n|Verilator: ).*\n`)

// lint checks sources with some parameter sets in three tools, which must not report anything. Yosys handles all sets
// in one process.
func lint(t *testing.T, top, dir string, files []string, sets []Parameters) {
	var script strings.Builder
	for _, p := range sets {
		verilator := []string{"--lint-only", "-Wall", "--top-module", top, "-I" + dir}
		icarus := []string{"-g2005", "-Wall", "-t", "null", "-s", top, "-I" + dir}
		fmt.Fprintf(&script, "design -reset; read_verilog -I%s %s; hierarchy -check -top %s", dir, strings.Join(files, " "), top)
		for name, value := range p.Verilog() {
			verilator = append(verilator, "-G"+name+"="+value)
			icarus = append(icarus, "-P"+top+"."+name+"="+value)
			script.WriteString(" -chparam " + name + " " + value)
		}
		script.WriteString("; proc; check -assert; ")
		requireSilent(t, "verilator_bin", append(verilator, files...)...) // the program that the Perl script verilator starts
		requireSilent(t, "iverilog", append(icarus, files...)...)
	}
	requireSilent(t, "yosys", "-q", "-p", script.String())
}

func TestLongTwinsAreCleanInAllTools(t *testing.T) {
	forTwins(t, func(t *testing.T, twin Twin) {
		dir := t.TempDir()
		files, err := twin.WriteSources(dir)
		require.NoError(t, err)
		// nil: the defaults of the source
		lint(t, twin.Name, dir, files, append([]Parameters{nil}, someSets(twin, setsElsewhere)[1:]...))
	})
}

// TestTwinFiles checks the form of the sources: one module per file (and one for the rule of a kind of arbiter), all
// used, with no parameters except those of the sets.
func TestTwinFiles(t *testing.T) {
	used := map[string]bool{"starloom_registers.vh": true}
	forTwins(t, func(t *testing.T, twin Twin) {
		for _, name := range twin.Sources {
			used[name] = true
		}
		require.Equal(t, twin.Name+".v", twin.Sources[0])
		text, err := twin.Source(twin.Sources[0])
		require.NoError(t, err)
		modules := regexp.MustCompile(`(?m)^module (\w+)`).FindAllStringSubmatch(string(text), -1)
		if kind, is := strings.CutPrefix(twin.Name, "arbiter_"); is {
			require.Equal(t, "choice_"+kind, modules[0][1])
			_, own, _ := strings.Cut(string(text), "\nmodule arbiter_")
			text, modules = []byte(string(text[:strings.Index(string(text), "\nmodule ")])+"\nmodule arbiter_"+own), modules[1:]
		}
		require.Len(t, modules, 1)
		require.Equal(t, twin.Name, modules[0][1])
		require.Contains(t, string(text), "`default_nettype none")
		var declared []string
		for _, match := range regexp.MustCompile(`(?m)^  parameter (?:integer|\[31:0\]) (\w+) =`).FindAllStringSubmatch(string(text), -1) {
			declared = append(declared, match[1])
		}
		for _, p := range twin.Sets {
			var set []string
			for name := range p {
				set = append(set, name)
			}
			require.ElementsMatch(t, declared, set)
		}
		require.Contains(t, string(text), "Twin of ")
		if len(twin.Components) == 1 {
			require.Contains(t, string(text), "Twin of "+twin.Components[0])
		}
	})
	entries, err := cosim.RTL.ReadDir("rtl")
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, used[e.Name()], "rtl/%s belongs to no twin", e.Name())
	}
}

// TestEveryComponentHasATwin checks that every hardware component has a twin. A component is an exported type with a
// Drive, Settle or Latch of a shard.
func TestEveryComponentHasATwin(t *testing.T) {
	twins := map[string]bool{}
	for _, twin := range all() {
		for _, component := range twin.Components {
			twins[component] = true
		}
	}
	var components []string
	for _, pkg := range []string{"hw", "nic"} {
		components = append(components, componentsOf(t, pkg)...)
	}
	require.Contains(t, components, "hw.StarCouplers")
	require.Contains(t, components, "nic.Serialisers")
	for _, component := range components {
		assert.True(t, twins[component], "%s has no twin: write cosim/rtl/*.v and add it to twin.All", component)
	}
	for twin := range twins {
		assert.True(t, slices.Contains(components, twin) || twin == "nic.Checksum", "%s is not a component", twin)
	}
}

func componentsOf(t *testing.T, pkg string) []string {
	files, err := filepath.Glob("../" + pkg + "/*.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range file.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || method.Recv == nil || !slices.Contains([]string{"Drive", "Settle", "Latch"}, method.Name.Name) || method.Type.Params.NumFields() != 1 {
				continue
			}
			receiver := method.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if name, ok := receiver.(*ast.Ident); ok && name.IsExported() {
				found[pkg+"."+name.Name] = true
			}
		}
	}
	var components []string
	for name := range found {
		components = append(components, name)
	}
	slices.Sort(components)
	return components
}

// TestTwinsRefuseParameters checks that values that the Go component refuses are errors of New, and that the RTL
// prints %m and ends.
func TestTwinsRefuseParameters(t *testing.T) {
	for name, refused := range map[string]map[string][]int{
		"star_coupler":        {"D": {0}, "PHIT_BITS": {0, 65}},
		"link":                {"PHIT_BITS": {0, 65}, "DELAY_CYCLES": {-1, 4097}},
		"light_tap":           {"PHIT_BITS": {0, 65}, "SLOT_CYCLES": {0}},
		"fifo":                {"DEPTH": {0, 65536}, "WIDTH": {0, 65}, "COUNT_BITS": {0, 33}},
		"duplex_link":         {"PHIT_BITS": {0, 65}, "HALF": {-1, 2}},
		"credit_counter":      {"DEPTH": {0, 65536}},
		"lfsr":                {"SEED": {0}},
		"crc16":               {"PHIT_BITS": {0, 65}},
		"arbiter_fixed":       {"REQUESTERS": {0, 1025}},
		"arbiter_round_robin": {"REQUESTERS": {0, 1025}},
		"arbiter_matrix":      {"REQUESTERS": {0, 1025}},
		"arbiter_tdma":        {"REQUESTERS": {0, 1025}, "SLICE_CYCLES": {0, 65536}},
		"list_allocator":      {"PORTS": {0, 65}, "LIST": {0, 65}, "CAP": {-1, 6}, "ROUND_ROBIN": {-1, 2}},
		"cap_arbiter":         {"PORTS": {0, 65}, "CAP": {0, 6}, "KIND": {-1, 3}},
		"contention":          {"PORTS": {0, 65}},
		"coin":                {"COUNT_BITS": {0, 33}},
		"output_filter":       {"INPUTS": {0, 1025}},
		"output_port":         {"INPUTS": {0, 1025}, "KIND": {-1, 3}},
		"crosspoint":          {"OUTPUTS": {0, 1025}, "PHIT_BITS": {0, 65}},
		"bus":                 {"TAPS": {0, 1025}, "PHIT_BITS": {0, 65}, "ARBITER": {-1, 5}, "SLICE_CYCLES": {0, 2}},
		"bus_taps":            {"TAPS": {0, 1025}, "PHIT_BITS": {0, 65}},
		"serialiser":          {"PHIT_BITS": {0, 65}, "FRAME_BYTES_MAX": {0, 1041}, "COMPUTE_CYCLES": {-1, 65536}},
		"requester": {
			"PHIT_BITS": {0, 65}, "FRAME_BYTES_MAX": {15, 1041}, "COMPUTE_CYCLES": {-1, 65536}, "ARBITRATION_CYCLES": {0, 65536},
		},
		"free_arbiter":   {"REQUESTERS": {0, 65}, "KIND": {-1, 2}, "HOLD": {-1, 4}, "TAKE_BITS": {0, 2}},
		"stream_fifo":    {"DEPTH": {0, 1025}, "WIDTH": {0, 65}, "FALL_THROUGH": {-1, 2}, "FULL_THROUGH": {-1, 2}},
		"skid_buffer":    {"WIDTH": {0, 65}, "REGISTERED": {-1, 2}},
		"register_slice": {"WIDTH": {0, 65}, "MODE": {-1, 4}},
		"counter":        {"MAX": {0, 65536}, "MODE": {-1, 2}},
		"async_fifo": {
			"DEPTH": {0, 1, 1025}, "WIDTH": {0, 65}, "LATE": {1, 9}, "SPARE": {-1, 5}, "REGISTERED": {-1, 2},
		},
		"vc_router": {
			"PORTS": {0, 33}, "VCS": {0, 22}, "DEPTH": {0, 4097}, "ROUTING_DELAY": {-1, 2}, "CREDIT_DELAY": {-1, 65}, "WAIT_FOR_TAIL": {-1, 2},
			"VC_ALLOCATOR": {-1, 2}, "SWITCH_ALLOCATOR": {-1, 2}, "DATA_BITS": {0, 54},
		},
		"delay_line":   {"WIDTH": {0, 65}, "CYCLES": {0, 1025}, "RESET": {-1, 2}},
		"deserialiser": {"PHIT_BITS": {0, 65}, "FRAME_BYTES_MAX": {15, 1041}, "PORTS": {0}},
	} {
		twin, err := Find(All(), name)
		require.NoError(t, err)
		requireRefused(t, twin, refused)
	}
	twin, err := Find(all(), "fifo")
	require.NoError(t, err)
	_, err = twin.New(Parameters{"DEPTH": 1, "WIDTH": 1})
	assert.ErrorContains(t, err, "fifo: parameter COUNT_BITS has no value")
	_, err = twin.New(Parameters{"DEPTH": 1, "WIDTH": 1, "COUNT_BITS": 1, "X": 1})
	assert.ErrorContains(t, err, "fifo: 4 parameters; the module has 3")
	_, err = Find(all(), "ring")
	assert.ErrorContains(t, err, `twin "ring": there are [star_coupler link`)

	dir := t.TempDir()
	files, err := twin.WriteSources(dir)
	require.NoError(t, err)
	requireSilent(t, "iverilog", "-g2005", "-o", dir+"/fifo.vvp", "-Pfifo.WIDTH=65", "-s", "fifo", files[0])
	out, err := exec.Command("vvp", "-n", dir+"/fifo.vvp").CombinedOutput()
	require.NoError(t, err)
	assert.Contains(t, string(out), "fifo: allowed are DEPTH 1 to 65535, WIDTH 1 to 64, COUNT_BITS 1 to 32")
}

// requireRefused sets one parameter after the other to values that the component refuses.
func requireRefused(t *testing.T, twin Twin, refused map[string][]int) {
	for parameter, values := range refused {
		for _, value := range values {
			p := maps.Clone(twin.Sets[0])
			p[parameter] = value
			_, err := twin.New(p)
			assert.Error(t, err, "%s with %s %d", twin.Name, parameter, value)
		}
	}
}

// TestOwnSources checks that a twin may have its own Verilog and use files of rtl/.
func TestOwnSources(t *testing.T) {
	twin := Twin{Sources: []string{"ring.v", "link.v"}, Own: fstest.MapFS{"ring.v": {Data: []byte("module ring; endmodule\n")}}}
	files, err := twin.WriteSources(t.TempDir())
	require.NoError(t, err)
	require.Len(t, files, 2)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, "module ring; endmodule\n", string(text))
	twin.Own = nil
	_, err = twin.WriteSources(t.TempDir())
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// record runs a model on its stimulus and returns the inputs and outputs of all cycles.
func record(t testing.TB, m *Model, seed, from, to uint64) (log []uint64) {
	schedule := NewSchedule(seed, 400)
	for cycle := from; cycle < to; cycle++ {
		m.Stimulate(schedule, cycle, m.Inputs())
		require.NoError(t, m.Settle())
		log = append(append(log, m.Inputs()...), m.Outputs()...)
		require.NoError(t, m.Edge(1))
		log = append(log, m.Outputs()...)
	}
	return log
}

func newTestModel(t testing.TB, twin Twin, p Parameters) *Model {
	m, err := twin.New(p)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// TestModelIsADevice checks the contract of Device, as far as one device can show it.
func TestModelIsADevice(t *testing.T) {
	const seed, cycles = 3, 400
	forTwins(t, func(t *testing.T, twin Twin) {
		for _, p := range twin.Sets {
			m := newTestModel(t, twin, p)
			require.Nil(t, m.Unknown())
			inputs, outputs := 0, 0
			for _, port := range m.Ports() {
				words := &outputs
				if port.Input {
					words = &inputs
				}
				if port.Clock {
					require.Equal(t, -1, port.Word)
					continue
				}
				require.Equal(t, *words, port.Word)
				*words += port.Words()
			}
			require.Len(t, m.Inputs(), inputs)
			require.Len(t, m.Outputs(), outputs)
			want := record(t, m, seed, 0, cycles)
			require.Equal(t, want, record(t, newTestModel(t, twin, p), seed, 0, cycles), "the stimulus is a function of the seed")
			require.NotEqual(t, want, record(t, newTestModel(t, twin, p), seed+1, 0, cycles))

			// Bits above the width of an output are 0.
			for _, port := range m.Ports() {
				if used := port.Bits % 64; !port.Input && used != 0 {
					require.Zero(t, m.Outputs()[port.Word+port.Words()-1]>>used, port.Name)
				}
			}
		}
	})
}

func TestModelSaveRestore(t *testing.T) {
	const seed, cycles = 4, 120
	forTwins(t, func(t *testing.T, twin Twin) {
		for _, p := range twin.Sets {
			whole := newTestModel(t, twin, p)
			log := record(t, whole, seed, 0, cycles)
			final, err := whole.Save()
			require.NoError(t, err)
			for at := uint64(1); at < cycles; at += 7 {
				first, second := newTestModel(t, twin, p), newTestModel(t, twin, p)
				record(t, first, seed, 0, at)
				record(t, second, seed+1, 0, 40)
				snapshot, err := first.Save()
				require.NoError(t, err)
				require.NoError(t, second.Restore(snapshot))
				require.Equal(t, first.Outputs(), second.Outputs())
				require.Equal(t, log[int(at)*len(log)/cycles:], record(t, second, seed, at, cycles))
				again, err := second.Save()
				require.NoError(t, err)
				require.True(t, bytes.Equal(final, again))
			}
			require.ErrorContains(t, whole.Restore(final[:len(final)-1]), twin.Name+": restoring state")
		}
	})
}

// TestModelStep checks that Step equals the given number of edges, and that nothing is latched without the clock's
// bit.
func TestModelStep(t *testing.T) {
	twin, err := Find(all(), "arbiter_tdma")
	require.NoError(t, err)
	a, b := newTestModel(t, twin, twin.Sets[0]), newTestModel(t, twin, twin.Sets[0])
	a.Inputs()[1], b.Inputs()[1] = 0b0110, 0b0110
	require.NoError(t, a.Step(1, 5))
	for range 5 {
		before := slices.Clone(b.Outputs())
		require.NoError(t, b.Edge(0))
		require.Equal(t, before, b.Outputs())
		require.NoError(t, b.Edge(1))
	}
	require.Equal(t, a.Outputs(), b.Outputs())
	require.EqualValues(t, 0b0010, a.Outputs()[0])
}

// seen counts the values of an output in a run.
func seen(t *testing.T, twinName string, set int, cycles uint64, values map[string]map[uint64]int) {
	twin, err := Find(all(), twinName)
	require.NoError(t, err)
	m := newTestModel(t, twin, twin.Sets[set])
	schedule := NewSchedule(5, cycles)
	for cycle := range cycles {
		m.Stimulate(schedule, cycle, m.Inputs())
		require.NoError(t, m.Edge(1))
		for _, port := range m.Ports() {
			if count, ok := values[port.Name]; ok {
				words := m.Outputs()
				if port.Input {
					words = m.Inputs()
				}
				count[words[port.Word]]++
			}
		}
	}
}

// TestStimulusReaches checks that random inputs reach the important states.
func TestStimulusReaches(t *testing.T) {
	many := func(count map[uint64]int, values ...uint64) {
		t.Helper()
		for _, value := range values {
			assert.Greater(t, count[value], 100, "value %d", value)
		}
	}
	for set := range 5 {
		v := map[string]map[uint64]int{"status_o": {}, "state_o": {}, "reset": {}}
		seen(t, "deserialiser", set, 100_000, v)
		many(v["status_o"], uint64(nic.StatusIdle), uint64(nic.StatusOK), uint64(nic.StatusCollision), uint64(nic.StatusCRC))
		many(v["state_o"], 0, 1, 2, 3, 4)
		many(v["reset"], 1)

		v = map[string]map[uint64]int{"count_o": {}, "overflow_o": {}}
		seen(t, "fifo", set, 10_000, v)
		fifo, err := Find(all(), "fifo")
		require.NoError(t, err)
		many(v["count_o"], 0, uint64(fifo.Sets[set]["DEPTH"]))
		many(v["overflow_o"], 0, 1)
	}
	for set, depth := range []uint64{4, 1, 3, 17} {
		v := map[string]map[uint64]int{"count_o": {}, "underflow_o": {}, "overflow_o": {}}
		seen(t, "credit_counter", set, 10_000, v)
		many(v["count_o"], 0, 1, depth)
		many(v["underflow_o"], 0, 1)
		many(v["overflow_o"], 0, 1)
	}
	for set, both := range []int{0b11, 0b00} {
		v := map[string]map[uint64]int{"violation_o": {}}
		seen(t, "duplex_link", set, 10_000, v)
		many(v["violation_o"], 0, uint64(both))
	}
	v := map[string]map[uint64]int{"dark_i": {}, "flip_i": {}, "bit_i": {}, "rail1_o": {}, "rail0_o": {}}
	seen(t, "light_tap", 0, 20_000, v)
	many(v["dark_i"], 0, 1)
	many(v["flip_i"], 0, 1)
	many(v["bit_i"], 0, 7, 8, 15)
	many(v["rail1_o"], 0)
	v = map[string]map[uint64]int{"port_o": {}, "busy_o": {}}
	seen(t, "serialiser", 0, 20_000, v)
	many(v["port_o"], 0, 1, hw.PortAll, hw.PortNone)
	many(v["busy_o"], 0, 1)
	v = map[string]map[uint64]int{"port_o": {}, "request_o": {}, "served_o": {}}
	seen(t, "requester", 0, 20_000, v)
	many(v["port_o"], 0, 1, hw.PortNone)
	many(v["request_o"], 0, 1)
	many(v["served_o"], 0, 1, hw.PortNone)
	v = map[string]map[uint64]int{"grant_o": {}}
	seen(t, "arbiter_matrix", 0, 20_000, v)
	many(v["grant_o"], 0, 1, 2, 4, 8)
	v = map[string]map[uint64]int{"position_o": {}, "claimed_o": {}, "grant_o": {}}
	seen(t, "list_allocator", 0, 100_000, v)
	many(v["position_o"], 0, 1, 2, 3)
	many(v["claimed_o"], 0, 0b00001, 0b10000, 0b11010)
	many(v["grant_o"], 0, 0b00001, 0b10000, 0b00111, 0b11010)
	v = map[string]map[uint64]int{"grant_o": {}}
	seen(t, "cap_arbiter", 0, 20_000, v)
	many(v["grant_o"], 0, 0b00001, 0b10000, 0b00011, 0b11000)
	v = map[string]map[uint64]int{"count_o": {}, "passed_o": {}, "collided_o": {}}
	seen(t, "contention", 0, 20_000, v)
	many(v["count_o"], 0, 1, 2, 3, 4)
	many(v["passed_o"], 0, 1, 2, 4, 8)
	many(v["collided_o"], 0, 3, 12, 15)
	v = map[string]map[uint64]int{"request_o": {}}
	seen(t, "output_filter", 0, 20_000, v)
	many(v["request_o"], 0, 0b0001, 0b1000, 0b0110, 0b1111)
	v = map[string]map[uint64]int{"grant_o": {}}
	seen(t, "output_port", 0, 20_000, v)
	many(v["grant_o"], 0, 1, 2, 4, 8)
	v = map[string]map[uint64]int{"to_o": {}, "rail1_o": {}}
	seen(t, "crosspoint", 0, 20_000, v)
	many(v["to_o"], 0, 1, 2, 3, hw.PortNone)
	many(v["rail1_o"], 0)
	v = map[string]map[uint64]int{"grant_o": {}, "violation_o": {}}
	seen(t, "bus", 0, 20_000, v)
	many(v["grant_o"], 0, 1, 2, 4, 8)
	v = map[string]map[uint64]int{"grant_o": {}, "violation_o": {}}
	seen(t, "bus", 1, 20_000, v)
	many(v["grant_o"], 0, 0b0001, 0b1111)
	many(v["violation_o"], 0, 1)
	for set := range 4 {
		v = map[string]map[uint64]int{"full_o": {}, "empty_o": {}, "write_clock_i": {}, "read_clock_i": {}}
		seen(t, "async_fifo", set, 20_000, v)
		for _, count := range v {
			many(count, 0, 1)
		}
	}
	v = map[string]map[uint64]int{"heads_o": {}, "count_i": {}}
	seen(t, "coin", 0, 20_000, v)
	many(v["heads_o"], 0, 1)
	many(v["count_i"], 0, 1, 2, 3, 7)
}

// TestLongMutantsAreReal checks that names of mutants are unique, that each changes its twin, and that Icarus reports
// nothing.
func TestLongMutantsAreReal(t *testing.T) {
	count := map[string]int{}
	names := map[string]bool{}
	for _, mutant := range Mutants(all()) {
		count[mutant.Twin.Name]++
		require.False(t, names[mutant.Twin.Name+mutant.Name], "two mutants are called %s", mutant.Name)
		names[mutant.Twin.Name+mutant.Name] = true
		dir := t.TempDir()
		files, err := mutant.WriteSources(dir)
		require.NoError(t, err, mutant.Name)
		requireSilent(t, "iverilog", append([]string{"-g2005", "-t", "null", "-I" + dir, "-s", mutant.Twin.Name}, files...)...)
	}
	for _, twin := range all() {
		assert.GreaterOrEqual(t, count[twin.Name], 3, twin.Name)
	}
	gone := Mutants(all())[0]
	gone.Old = "no such text"
	_, err := gone.WriteSources(t.TempDir())
	assert.ErrorContains(t, err, "contains 0 copies of")
}

func TestPackedBits(t *testing.T) {
	random := NewRandom(6)
	words, bits := make([]uint64, 4), make([]byte, 256)
	for range 5000 {
		width := 1 + random.Below(64)
		first := random.Below(256 - width + 1)
		value := random.Uint64() >> (64 - width)
		hw.PutBits(words, first, width, value)
		for i := range width {
			bits[first+i] = byte(value >> i & 1)
		}
		require.Equal(t, value, hw.GetBits(words, first, width))
		for i, bit := range bits {
			require.EqualValues(t, bit, words[i/64]>>(i%64)&1)
		}
	}
	frame := []byte{1, 2, 3, 0xFF, 5, 6, 7, 8, 9}
	hw.Pins{Words: words}.SetBytes(24, frame)
	got := make([]byte, len(frame))
	hw.Pins{Words: words}.GetBytes(24, got)
	assert.Equal(t, frame, got)
}

func TestWriteSourcesNeedsADirectory(t *testing.T) {
	twin, err := Find(all(), "lfsr")
	require.NoError(t, err)
	_, err = twin.WriteSources(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestParametersInVerilog(t *testing.T) {
	got := Parameters{"A": 5, "B": 1 << 31}.Verilog()
	assert.Equal(t, map[string]string{"A": "5", "B": "32'd" + strconv.Itoa(1<<31)}, got)
}

func BenchmarkModel(b *testing.B) {
	for _, twin := range all() {
		b.Run(twin.Name, func(b *testing.B) {
			m := newTestModel(b, twin, twin.Sets[len(twin.Sets)-1])
			m.Stimulate(NewSchedule(1, 100), 1, m.Inputs())
			for b.Loop() {
				if err := m.Edge(1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
