//go:build linux

package flatten

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/slang"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
)

// TestNoThird checks that the result of a missing or broken third reader names the reason and the command that
// installs it.
func TestNoThird(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(slang.Variable, dir)
	s := cosim.Source{Top: "dut", Files: []string{"../prove/testdata/equal/clog2_index.sv"}, Clocks: []string{"clock"}}
	third, err := CompareThird(t.Context(), s, &Module{}, cosim.BuildOptions{Cache: testCache}, 1, 0)
	require.NoError(t, err)
	require.Equal(t, "no third reader has read the RTL: "+dir+": there is no yosys.core.wasm, Yosys with slang; "+
		"install it: npm install --prefix "+dir+" @yowasp/yosys@0.70.62-dev.1236", third.Text())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "yosys.core.wasm"), []byte("\x00asm"), 0o644))
	third, err = CompareThird(t.Context(), s, &Module{}, cosim.BuildOptions{Cache: testCache}, 1, 0)
	require.NoError(t, err)
	require.Contains(t, third.Absent, "yosys.core.wasm: does not run: ")
}

// openThird opens slang, and installs it before if -full is set.
func openThird(t *testing.T) *slang.Reader {
	if !*full {
		t.Skip("with -full, because it needs slang")
	}
	if _, err := slang.Find(); err != nil {
		words := strings.Fields(slang.Install())
		said, err := exec.Command(words[0], words[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", said)
	}
	reader, err := slang.Open(t.Context(), cosim.BuildOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reader.Close()) })
	return reader
}

// sourceOf returns a design of a proof.
func sourceOf(t *testing.T, file string) cosim.Source {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s := cosim.Source{Top: "dut", Files: []string{file}, Clocks: []string{"clock"}, IncludeDirs: []string{"../rtl"}}
	if !strings.Contains(string(text), "edge clock") {
		s.Clocks = nil
	}
	return s
}

// third compares a print with slang's reading. A design that slang does not read in time counts as late.
func third(t *testing.T, reader *slang.Reader, s cosim.Source, m *Module) (late bool, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), ThirdLimit)
	defer cancel()
	done, err := compareThird(ctx, reader, s, m, cosim.BuildOptions{Cache: testCache}, 1)
	if late = ctx.Err() != nil; late {
		return late, nil
	}
	if err == nil {
		require.Empty(t, done.Absent)
		t.Log(done.Text())
	}
	return false, err
}

// TestLongThirdTraps checks that slang shows two constructs that Verilator 5.006 misreads, and else reads as Verilator
// does or refuses. Like Verilator, it always calls a function of a skipped operand (and_side_effect,
// ternary_side_effect).
func TestLongThirdTraps(t *testing.T) {
	reader := openThird(t)
	files, err := filepath.Glob("../prove/testdata/traps/*.*v")
	require.NoError(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			s, o := sourceOf(t, file), cosim.BuildOptions{Cache: testCache}
			text, err := verilator.Flatten(t.Context(), s, o, "trusting", func(f *verilator.Flat) ([]byte, error) {
				m, err := printFlat(f, s, false, nil)
				if err != nil {
					return nil, err
				}
				return json.Marshal(m)
			})
			if err != nil { // refused even so
				return
			}
			m := &Module{}
			require.NoError(t, json.Unmarshal(text, m))
			_, err = third(t, reader, s, m)
			switch name {
			case "argument_inside.sv", "same_argument_twice.sv", "summed_bits.sv":
				require.ErrorContains(t, err, "slang: unsupported ")
			case "if_side_effect.sv", "inside_signed.sv":
				if !cosimtest.Since(t, "verilator", 5, 32) {
					require.ErrorContains(t, err, "slang, a third reader of SystemVerilog, reads it differently")
				}
			default:
				require.NoError(t, err)
			}
		})
	}
}

// TestLongThirdDesigns checks that slang reads designs, examples and twins as Verilator does.
func TestLongThirdDesigns(t *testing.T) {
	reader := openThird(t)
	sources := map[string]cosim.Source{}
	files, err := filepath.Glob("../prove/testdata/equal/*.*v")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !strings.Contains(string(text), "// with the parts of its twin") {
			sources["design/"+filepath.Base(file)] = sourceOf(t, file)
		}
	}
	for file, clock := range map[string]string{
		"axis_register.v": "clk", "credit_gate.sv": "clk", "delay_line.sv": "clk_i", "level_counter.v": "clk",
		"locked_arbiter.sv": "clk_i", "optical_or.v": "", "selected_arbiter.sv": "clk_i", "shift_line.v": "clk",
		"stream_arbiter.sv": "clk_i", "stream_queue.sv": "clk_i", "stream_register.sv": "clk_i",
		"trusting_fifo.sv": "clk_i", "word_router.sv": "clk",
	} {
		s := cosim.Source{Top: strings.TrimSuffix(file, filepath.Ext(file)), Files: []string{"../../examples/rtl/" + file}}
		if clock != "" {
			s.Clocks = []string{clock}
		}
		sources["example/"+file] = s
	}
	for _, tw := range twin.All() {
		s := cosim.Source{Top: tw.Name, IncludeDirs: []string{"../rtl"}, Params: tw.Sets[0].Verilog()}
		for _, name := range tw.Sources {
			s.Files = append(s.Files, filepath.Join("..", "rtl", name))
		}
		model, err := tw.New(tw.Sets[0])
		require.NoError(t, err)
		if model.Clocked() {
			s.Clocks = []string{"clock"}
		}
		require.NoError(t, model.Close())
		sources["twin/"+tw.Name] = s
	}
	read, lates := 0, 0
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		t.Run(name, func(t *testing.T) {
			m, err := Print(t.Context(), sources[name], cosim.BuildOptions{Cache: testCache})
			require.NoError(t, err)
			late, err := third(t, reader, sources[name], m)
			if name == "example/credit_gate.sv" {
				require.ErrorContains(t, err, "has unconnected interface port")
				return
			}
			require.NoError(t, err)
			if late {
				lates++
				t.Log("late")
			}
			read++
		})
	}
	t.Logf("%d designs, %d of them late", read, lates)
	require.Less(t, lates, read/8)
}
