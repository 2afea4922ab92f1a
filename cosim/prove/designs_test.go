//go:build linux

package prove

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/pinmap"
	"starloom/cosim/slang"
	"starloom/cosim/twin"
)

// designMap returns the map of a design of testdata, whose header states its model:
//
//	// fifo DEPTH=4 WIDTH=8 COUNT_BITS=4
//	// reset: low rst_n          its pin for reset
//	// latency: grant_o=-1       absent: index_o      assume: ...
//
// Pins that are not listed have the names of the model's ports.
func designMap(t testing.TB, file string) *pinmap.Map {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	head := strings.Fields(strings.TrimPrefix(lines[0], "// "))
	p := twin.Parameters{}
	for _, word := range head[1:] {
		name, value, _ := strings.Cut(word, "=")
		p[name], err = strconv.Atoi(value)
		require.NoError(t, err, lines[0])
	}
	m := twinMap(t, head[0], p)
	m.Source.Top, m.Source.Params = "dut", nil
	m.Source.Files[0], err = filepath.Abs(file)
	require.NoError(t, err)
	if !strings.Contains(string(text), "// with the parts of its twin") {
		m.Source.Files = m.Source.Files[:1]
	}
	m.Build.Cache = testCache
	for _, line := range lines[1:] {
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "// "), ": ")
		if !ok || !strings.HasPrefix(line, "// ") {
			continue
		}
		for _, word := range strings.Fields(value) {
			switch key {
			case "reset":
				m.ResetLow = true
				if word != "low" {
					m.Reset = word
				}
			case "latency":
				name, cycles, _ := strings.Cut(word, "=")
				if m.Latency == nil {
					m.Latency = map[string]int{}
				}
				m.Latency[name], err = strconv.Atoi(cycles)
				require.NoError(t, err)
			case "assume":
				m.Assume = []string{value}
			case "absent":
				m.Absent = append(m.Absent, word)
				for i, w := range m.Pins {
					if w.Port == word {
						m.Pins = append(m.Pins[:i], m.Pins[i+1:]...)
						break
					}
				}
			}
		}
	}
	return m
}

// designs lists the designs of a folder of testdata.
func designs(t testing.TB, folder string) []string {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.*v"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// isQuick reports whether a design is proved in a second or two.
func isQuick(name string) bool {
	return slices.Contains([]string{"fixed_ahead", "one_or_x", "hidden_by_zero", "same_argument_twice", "argument_inside", "ternary_side_effect", "and_side_effect",
		"case_side_effect", "static_function", "if_side_effect"}, name)
}

// eachDesign runs a test for designs of a folder: a few, more in a long test, all with -full.
func eachDesign(t *testing.T, folder string, long []string, test func(t *testing.T, name string, m *pinmap.Map)) {
	for _, file := range designs(t, folder) {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if long == nil && isQuick(name) || long != nil && !isQuick(name) && (*full || slices.Contains(long, name)) {
			t.Run(name, func(t *testing.T) { test(t, name, designMap(t, file)) })
		}
	}
}

func requireEqual(t *testing.T, name string, m *pinmap.Map) {
	r := runProof(t, m, Options{Limit: fullLimit()})
	if slices.Contains(undecidedDesigns, name) && r.Verdict == Undecided {
		t.Skip("see docs/explanation/proof.md")
	}
	require.Equal(t, Equal, r.Verdict)
	require.NotZero(t, r.AgreeBits)
	require.Equal(t, r.Bits, r.BitsProved)
	if name == "lock_of_nine" { // an engine finds the sequence
		require.Equal(t, r.Second.Branches, r.Second.Taken, r.Second.Untaken)
		require.NotZero(t, r.Second.Taken)
	}
}

// undecidedDesigns are equal but not proved in time.
var undecidedDesigns = []string{"deserialiser_bytes", "pops_slot_pair", "lottery_pair"}

// TestEveryTwinHasADesign checks that RTL in another style is proved for every twin, except where a proof has no
// model (TestNoProofBesideAFollower).
func TestEveryTwinHasADesign(t *testing.T) {
	files := designs(t, "equal")
	require.GreaterOrEqual(t, len(files), 40)
	require.LessOrEqual(t, len(undecidedDesigns), 4)
	has := map[string]bool{"async_fifo": true}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		has[strings.Fields(string(text))[1]] = true
	}
	for _, tw := range library().Twins {
		require.True(t, has[tw.Name], "%s: write one into testdata/equal", tw.Name)
	}
}

func TestEqual(t *testing.T) { eachDesign(t, "equal", nil, requireEqual) }

func TestLongEqual(t *testing.T) {
	eachDesign(t, "equal", []string{
		"fifo_shift", "round_robin_rotated", "tdma_down", "lfsr_inverted", "link_late", "light_tap_down", "stream_shift", "fixed_structs",
		"clog2_index", "dead_branch", "negedge_assert", "lock_of_nine",
	}, requireEqual)
}

// BenchmarkProve times the proofs of all designs in another style.
func BenchmarkProve(b *testing.B) {
	for _, file := range designs(b, "equal") {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".v"), func(b *testing.B) {
			for b.Loop() {
				r := runProof(b, designMap(b, file), Options{Limit: fullLimit(), NoCache: true})
				b.ReportMetric(float64(r.Bits), "bits")
				b.ReportMetric(float64(r.BitsProved), "proved")
				b.ReportMetric(r.Took.Seconds(), "engine-s")
			}
		})
	}
}

// TestLongNoThird checks that a verdict does not depend on a third reader that is missing.
func TestLongNoThird(t *testing.T) {
	t.Setenv(slang.Variable, t.TempDir())
	r := runProof(t, designMap(t, "testdata/equal/clog2_index.sv"), Options{Limit: fullLimit(), Third: true})
	require.Equal(t, Equal, r.Verdict)
	require.Contains(t, r.Third.Text(), "no third reader has read the RTL: ")
	require.Contains(t, r.Third.Text(), "install it: npm install --prefix ")
}

// requireNotEqual requires any verdict except equal.
func requireNotEqual(t *testing.T, name string, m *pinmap.Map) {
	r := runProof(t, m, Options{Limit: fullLimit()})
	require.NotEqual(t, Equal, r.Verdict)
	require.Contains(t, []string{Differs, Undecided}, r.Verdict)
	if says := map[string]string{
		"combinational_loop": "the RTL has a combinational loop through above, below, but a proof needs logic without loops",
		"self_reset":         "the RTL has a combinational loop through an asynchronous reset, and count, but a proof needs logic without loops",
		// These are refused:
		"same_argument_twice": "an inout argument of step is copied in and out",
		"argument_inside":     "an inout argument of step is copied in and out",
		"ternary_side_effect": "up writes more than its own variables, and is called only if its operand is evaluated",
		"and_side_effect":     "up writes more than its own variables, and is called only if its operand is evaluated",
		"static_function":     "n of keep, which is not automatic, is read before it is written",
		"if_side_effect":      "up writes more than its own variables, and is called in one branch of an if",
		"case_side_effect":    "up writes more than its own variables, and is called once",
	}[name]; says != "" {
		if cosimtest.Since(t, "verilator", 5, 48) { // keeps the variable, which a proof takes for any value; makes no ?: of the if
			if newer, ok := map[string]string{"static_function": "it rests on X at ", "if_side_effect": ""}[name]; ok {
				says = newer
			}
		}
		require.Contains(t, r.Reason, says)
	}
	if name == "divide_min" {
		require.Equal(t, Differs, r.Verdict)
	}
	if r.Verdict == Differs {
		require.NotNil(t, r.Case.Divergence)
	}
}

// TestTraps checks designs that must never be proved.
func TestTraps(t *testing.T) { eachDesign(t, "traps", nil, requireNotEqual) }

func TestLongTraps(t *testing.T) {
	eachDesign(t, "traps", []string{
		"undriven_net", "x_in_case", "unique_overlap", "beyond_the_end", "no_reset_at_all", "second_reset", "gated_clock", "divides_by_zero", "deep_20",
		"typedef_array", "divide_min",
	}, requireNotEqual)
}
