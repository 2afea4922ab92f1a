//go:build linux

package lockstep

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// trustful is a FIFO in the style of common_cells. A push when full or a pop when empty breaks it, and its head is
// arbitrary when empty.
const trustful = `module dut #(parameter int BUG = 0) (input logic clk_i, rst_ni, push_i, pop_i, input logic [7:0] data_i,
    output logic [7:0] data_o, output logic [2:0] usage_o);
  logic [3:0][7:0] mem_q;
  logic [1:0] read_q, write_q;
  assign data_o = mem_q[read_q];
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin read_q <= 0; write_q <= 0; usage_o <= 0; end
    else begin
      if (push_i) begin mem_q[write_q] <= data_i; write_q <= write_q + 1; end
      if (pop_i) read_q <= read_q + 1;
      if (BUG == 1 && usage_o == 4 && push_i && pop_i) usage_o <= 3;
      else if (BUG == 2 && push_i && pop_i && usage_o == 2 && data_i == 8'h55) read_q <= read_q;
      else usage_o <= usage_o + 3'(push_i) - 3'(pop_i);
    end
endmodule`

func trustfulMap(t *testing.T, bug string) *pinmap.Map {
	m := foreign(t, trustful, &pinmap.Map{
		Library: library(), Model: "fifo", Parameters: twin.Parameters{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 1},
		Clock: "clk_i", Reset: "rst_ni", ResetLow: true, Absent: []string{"overflow", "overflows"},
		Pins: []pinmap.Wiring{
			{Port: "push", Pins: []string{"push_i"}}, {Port: "pop", Pins: []string{"pop_i"}}, {Port: "data", Pins: []string{"data_i"}},
			{Port: "head", Pins: []string{"data_o"}}, {Port: "count", Pins: []string{"usage_o"}},
		},
		Contract: pinmap.Contract{
			Assume: []string{"push -> count < DEPTH || pop", "pop -> count != 0"}, Compare: map[string]string{"head": "count != 0"},
		},
	})
	m.Source.Params = map[string]string{"BUG": bug}
	m.Places = map[string]string{"assume[0]": "dut.yml:9:3", "compare.head": "dut.yml:10:12"}
	return m
}

// TestLongContract checks that such RTL agrees only where its contract holds, that mistakes within it are found, and
// that the shown case keeps the contract.
func TestLongContract(t *testing.T) {
	r := runLockstep(t, trustfulMap(t, "0"), Options{Cycles: 20_000})
	require.Nil(t, r.Divergence)
	c := r.Contract
	require.Greater(t, c.Redrawn, uint64(1000))
	require.Zero(t, c.Reset, "there are always inputs")
	require.Greater(t, c.Compare[0].Cycles, c.Cycles/2)
	require.Less(t, c.Compare[0].Cycles, c.Cycles)
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "assumed of the inputs: push -> count < DEPTH || pop; pop -> count != 0 (")
	require.Regexp(t, `head_o counted in [\d,]+ of [\d,]+ cycles: when count != 0`, text.String())

	for _, without := range []func(m *pinmap.Map){
		func(m *pinmap.Map) { m.Assume = m.Assume[1:] }, func(m *pinmap.Map) { m.Assume = m.Assume[:1] },
		func(m *pinmap.Map) { m.Compare = nil },
	} {
		m := trustfulMap(t, "0")
		without(m)
		require.NotNil(t, runLockstep(t, m, Options{Cycles: 5000}).Divergence, "%v", m.Contract)
	}

	for _, bug := range []string{"1", "2"} {
		m := trustfulMap(t, bug)
		r := runLockstep(t, m, Options{})
		require.NotNil(t, r.Divergence, bug)
		require.True(t, r.Divergence.Shrunk)
		require.Less(t, r.Shown.Stimulus.Cycles(), 20)
		again := runLockstep(t, m, Options{Stimulus: r.Shown.Stimulus}) // returns an error if the case breaks the contract
		require.NotNil(t, again.Divergence)
		require.Equal(t, r.Divergence.Signal, again.Divergence.Signal)
	}
}

// TestGivenInputsBreakTheContract checks that a file with illegal inputs is refused with the cycle.
func TestGivenInputsBreakTheContract(t *testing.T) {
	m := trustfulMap(t, "0")
	file := filepath.Join(t.TempDir(), "in.csv")
	require.NoError(t, os.WriteFile(file, []byte("reset,push_i,data_i,pop_i\n1,1,0,1\n0,1,0x12,0\n0,0,0,1\n0,0,0,1\n"), 0o666))
	s, err := ReadStimulus(m, file)
	require.NoError(t, err)
	s.Place = file
	_, err = Run(context.Background(), m, Options{Stimulus: s})
	var bad *cosim.InputError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, file, bad.Place)
	require.Contains(t, bad.Reason, "in cycle 3 the inputs break an assumption of")
	require.Contains(t, bad.Reason, "pop -> count != 0")
	s.cut(3)
	require.Nil(t, runLockstep(t, m, Options{Stimulus: s}).Divergence)
}

// TestContractThatNothingMeets checks that an unsatisfiable contract, or outputs that never count, do not pass.
func TestContractThatNothingMeets(t *testing.T) {
	for text, wanted := range map[string]string{
		"push && !push":       `dut.yml:9:3: no inputs were found that meet "push && !push", and no earlier cycle`,
		"count == 2":          `dut.yml:9:3: no inputs were found that meet "count == 2", and no earlier cycle`,
		"puhs":                `dut.yml:9:3: column 1 of "puhs": fifo has no port puhs; did you mean "push"?`,
		"push -> !usage_o":    "usage_o is a pin of the RTL, not a port of fifo; a condition reads inputs and the model's outputs",
		"push ->\n  count[9]": "line 2, column 9 of the condition: count_o is an output of 3 bits; it has no bit 9",
		"data == 8'h55":       "",
	} {
		m := trustfulMap(t, "0")
		m.Assume = append([]string{text}, m.Assume...)
		r, err := Run(context.Background(), m, Options{Cycles: 3000})
		if wanted == "" {
			require.NoError(t, err)
			require.Nil(t, r.Divergence)
			continue
		}
		require.ErrorContains(t, err, wanted)
	}
	m := trustfulMap(t, "0")
	m.Compare["head"] = "count > 5"
	_, err := Run(context.Background(), m, Options{Cycles: 3000})
	require.ErrorContains(t, err, "dut.yml:10:12: head_o did not count in any of ")
	require.ErrorContains(t, err, "leave the output out: absent: [head_o]")
	for name, wanted := range map[string]string{"push": "push_i is an input of 1 bit of fifo", "overflow": "overflow_o is absent", "had": "fifo has no port had"} {
		m.Compare = map[string]string{name: "1"}
		_, err = Run(context.Background(), m, Options{Cycles: 3000})
		require.ErrorContains(t, err, wanted)
	}
}

// TestLongContractWhereThereIsNoWayOut checks that a cycle without legal inputs becomes a reset, and that late
// outputs are compared by the condition of their own cycle.
func TestLongContractWhereThereIsNoWayOut(t *testing.T) {
	m := trustfulMap(t, "0")
	m.Assume = append(m.Assume, "count == 3 -> !push && !pop", "count != 3 -> push")
	r := runLockstep(t, m, Options{Cycles: 3000})
	require.Nil(t, r.Divergence)
	require.Zero(t, r.Contract.Reset)
	m = trustfulMap(t, "0")
	m.Assume = append(m.Assume, "count < 3", "push")
	r = runLockstep(t, m, Options{Cycles: 3000})
	require.Nil(t, r.Divergence)
	require.Greater(t, r.Contract.Reset, uint64(300))
	require.Contains(t, strings.Join(r.Contract.Lines(), "\n"), "of them reset instead)")

	late := strings.NewReplacer("output logic [7:0] data_o,", "output logic [7:0] late_o,", "assign data_o = mem_q[read_q];",
		"logic [7:0] data_o; assign data_o = mem_q[read_q]; always_ff @(posedge clk_i) late_o <= data_o;").Replace(trustful)
	m = trustfulMap(t, "0")
	foreign(t, late, m)
	m.Pins[3].Pins = []string{"late_o"}
	m.Latency = map[string]int{"head": 1}
	r = runLockstep(t, m, Options{Cycles: 5000})
	require.Nil(t, r.Divergence)
	m.Compare["head"] = "$past(count != 0)" // one cycle off
	require.NotNil(t, runLockstep(t, m, Options{Cycles: 5000}).Divergence)
}

// TestContractInReset checks that assumptions about inputs hold during reset, too, for RTL whose own check ignores
// reset, and that the shown case keeps them.
func TestContractInReset(t *testing.T) {
	text := `module dut #(parameter BUG = 0) (input clk_i, rst_i, input [1:0] v_i, output logic [1:0] v_o);
  always_ff @(posedge clk_i) begin
    assert (v_i != 2'd3) else $error("never both");
    v_o <= rst_i ? 2'd0 : BUG != 0 && v_i == 2 ? 2'd1 : v_i;
  end
endmodule`
	for bug, differs := range map[string]bool{"0": false, "1": true} {
		m := foreign(t, text, &pinmap.Map{
			Library: library(), Model: "delay_line", Parameters: twin.Parameters{"WIDTH": 2, "CYCLES": 1, "RESET": 1},
			Clock: "clk_i", Reset: "rst_i", Absent: []string{"filled"},
			Pins:     []pinmap.Wiring{{Port: "data_i", Pins: []string{"v_i"}}, {Port: "data_o", Pins: []string{"v_o"}}},
			Contract: pinmap.Contract{Assume: []string{"data_i != 3"}},
		})
		m.Source.Params = map[string]string{"BUG": bug}
		r := runLockstep(t, m, Options{Cycles: 5_000})
		require.Equal(t, differs, r.Divergence != nil)
		if differs {
			require.Equal(t, DivergenceValue, r.Divergence.Kind)
		}
	}
}

// TestContractFitsTheOpenDevice checks that inputs are restricted by the device of the current power-on. The device of
// an earlier one is closed, and its memory is released.
func TestContractFitsTheOpenDevice(t *testing.T) {
	m := trustfulMap(t, "0")
	l, err := newPair(context.Background(), m, Options{})
	require.NoError(t, err)
	defer l.close()
	_, err = l.power(1)
	require.NoError(t, err)
	first := l.rtl
	second, err := m.Open(context.Background(), cosim.Options{})
	require.NoError(t, err)
	l.rtl = second
	inputs := make([]uint64, len(l.model.Inputs()))
	inputs[0], inputs[1] = 0, 1
	l.contract.fit(inputs)
	require.Equal(t, inputs, second.Inputs())
	require.NoError(t, first.Close())
}
