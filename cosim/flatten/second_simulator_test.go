//go:build linux

package flatten

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/verilator"
)

// TestSecondIsLed checks that, without refusals, the second simulator shows constructs that Verilator misreads for
// one value of 65,536 or in late cycles, since its inputs are guided to every branch. Both simulators agree about &&.
func TestSecondIsLed(t *testing.T) {
	for _, name := range []string{"same_argument_twice", "argument_inside", "ternary_side_effect", "if_side_effect", "case_side_effect"} {
		t.Run(name, func(t *testing.T) {
			s := cosim.Source{Top: "dut", Files: []string{filepath.Join("../prove/testdata/traps", name+".sv")}, Clocks: []string{"clock"}}
			o := cosim.BuildOptions{Cache: testCache}
			text, err := verilator.Flatten(t.Context(), s, o, "trusting", func(f *verilator.Flat) ([]byte, error) {
				m, err := printFlat(f, s, false, nil)
				if err != nil {
					return nil, err
				}
				return json.Marshal(m)
			})
			copies := cosimtest.Since(t, "verilator", 5, 32)                        // this version copies an inout argument and calls a function only if its operand counts
			if name == "if_side_effect" && cosimtest.Since(t, "verilator", 5, 48) { // this version does not turn the if into ?:
				require.NoError(t, err)
				return
			}
			if copies && strings.HasSuffix(name, "side_effect") {
				require.ErrorContains(t, err, "a function in an expression that writes g; call it in a separate statement, before")
				return
			}
			require.NoError(t, err)
			m := &Module{}
			require.NoError(t, json.Unmarshal(text, m))
			var differs *Difference
			if name == "case_side_effect" { // the print evaluates the call once
				_, err = Compare(t.Context(), s, m, o, CompareCycles, 1)
				require.ErrorAs(t, err, &differs)
				return
			}
			second, err := CompareSecond(t.Context(), s, m, o, 1)
			if copies {
				require.NoError(t, err)
				require.Equal(t, second.Branches, second.Taken)
				return
			}
			require.ErrorAs(t, err, &differs)
			require.True(t, differs.Second)
		})
	}
}

// TestLongSecondOfDesigns checks that proved designs behave in Icarus as in Verilator, in all reachable branches.
func TestLongSecondOfDesigns(t *testing.T) {
	files, err := filepath.Glob("../prove/testdata/equal/*.*v")
	require.NoError(t, err)
	taken, branches, cycles := 0, 0, 0
	for i, file := range files {
		if i%8 != 0 && !*full {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := cosim.Source{Top: "dut", Files: []string{file}, Clocks: []string{"clock"}, IncludeDirs: []string{"../rtl"}}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if !strings.Contains(string(text), "edge clock") {
				s.Clocks = nil
			}
			if strings.Contains(string(text), "// with the parts of its twin") {
				t.Skip("spread over several files")
			}
			o := cosim.BuildOptions{Cache: testCache}
			m, err := Print(t.Context(), s, o)
			require.NoError(t, err)
			second, err := CompareSecond(t.Context(), s, m, o, 1)
			require.NoError(t, err)
			t.Logf("%d cycles, %d of %d branches %v %s", second.Cycles, second.Taken, second.Branches, second.Untaken, second.Absent)
			taken, branches, cycles = taken+second.Taken, branches+second.Branches, cycles+second.Cycles
		})
	}
	t.Logf("%d cycles, %d of %d branches", cycles, taken, branches)
	require.GreaterOrEqual(t, 100*taken, 90*branches)
}

// TestWhatXDecides checks that bits that depend on X in the print are not compared, but all others are. An output
// that always depends on X is a difference.
func TestWhatXDecides(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	for index, agrees := range map[string]bool{"i[18:16]": true, "{1'b1, i[17:16]}": false} {
		require.NoError(t, os.WriteFile(file, []byte("module m (input clk, input [31:0] i, output [7:0] o, output [7:0] p);\n"+
			"reg [7:0] a [0:3]; always @(posedge clk) a[i[1:0]] <= i[15:8]; assign o = a["+index+"]; assign p = i[7:0] - 8'd5;\nendmodule\n"), 0o644))
		s, o := cosim.Source{Top: "m", Files: []string{file}, Clocks: []string{"clk"}}, cosim.BuildOptions{Cache: testCache}
		m, err := Print(context.Background(), s, o)
		require.NoError(t, err)
		_, err = Compare(context.Background(), s, m, o, SecondCycles, 1)
		if !agrees {
			require.ErrorContains(t, err, ": o ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(m.Verilog, "8'h5"), m.Verilog)
		m.Verilog = strings.Replace(m.Verilog, "8'h5", "8'h6", 1)
		_, err = Compare(context.Background(), s, m, o, SecondCycles, 1)
		require.ErrorContains(t, err, ": p ")
	}
}
