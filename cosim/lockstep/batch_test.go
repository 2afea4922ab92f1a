package lockstep

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// requireSameReport runs a check in batches and cycle by cycle and requires equal bytes of reports, texts and cases.
func requireSameReport(t *testing.T, m *pinmap.Map, o Options) (differs bool) {
	var texts [2]bytes.Buffer
	for i, b := range texts[:] {
		o.stepwise = i == 1
		r := runLockstep(t, m, o)
		require.NoError(t, r.WriteText(&b))
		require.NoError(t, r.WriteJSON(&b))
		require.NoError(t, r.Shown.Stimulus.WriteCSV(&b))
		texts[i], differs = b, r.Divergence != nil
	}
	require.Equal(t, texts[1].String(), texts[0].String())
	return differs
}

// TestLongBatchesAreSteps checks for every twin, and for every twin with an inverted input bit, that RTL in batches
// yields the report of RTL run cycle by cycle.
func TestLongBatchesAreSteps(t *testing.T) {
	testBatches(t, func(string) bool { return true })
}

// TestBatchesAreSteps does the same for two twins.
func TestBatchesAreSteps(t *testing.T) {
	testBatches(t, func(tw string) bool { return tw == "arbiter_round_robin" || tw == "fifo" })
}

func testBatches(t *testing.T, of func(tw string) bool) {
	for _, tw := range library().Twins {
		if !of(tw.Name) {
			continue
		}
		t.Run(tw.Name, func(t *testing.T) {
			t.Parallel()
			m := twinMap(t, tw.Name, cosim.BackendWasm, nil)
			m.Source, m.Image = cosim.Source{}, filepath.Join("..", "twin", "testdata", "twins", tw.Name+".wasm")
			o := Options{Cycles: 700, PowerOn: 2, Explore: 3000}
			require.False(t, requireSameReport(t, m, o))
			model, err := m.NewModel()
			require.NoError(t, err)
			ports := model.Ports()
			require.NoError(t, model.Close())
			for _, p := range ports {
				if p.Input && !p.Clock && p.Name != "reset" {
					pins := []string{fmt.Sprintf("~%s[%d]", p.Name, p.Bits-1)}
					if p.Bits > 1 {
						pins = append(pins, fmt.Sprintf("%s[%d:0]", p.Name, p.Bits-2))
					}
					i := slices.IndexFunc(m.Pins, func(w pinmap.Wiring) bool { return w.Port == p.Name })
					changed := slices.Clone(m.Pins)
					changed[i].Pins = pins
					was := m.Pins
					m.Pins = changed
					requireSameReport(t, m, o)
					m.Pins = was
				}
			}
			last := slices.IndexFunc(m.Pins, func(w pinmap.Wiring) bool { return w.Port == ports[len(ports)-1].Name })
			p, changed := ports[len(ports)-1], slices.Clone(m.Pins)
			pins := []string{fmt.Sprintf("~%s[%d]", p.Name, p.Bits-1)}
			if p.Bits > 1 {
				pins = append(pins, fmt.Sprintf("%s[%d:0]", p.Name, p.Bits-2))
			}
			changed[last].Pins = pins
			m.Pins = changed
			require.True(t, requireSameReport(t, m, o), "the highest bit of an output is compared")
		})
	}
}

// TestLongBatchesEnd checks that the end of a run in a batch is found in its cycle, at or before the edge, that
// printed text stays in order, and that contracts, limits, and early or late outputs count the same cycles.
func TestLongBatchesEnd(t *testing.T) {
	const text = `module dut(input clock, input reset, input [7:0] one, zero, output [7:0] one_q, zero_q);
  reg [15:0] a; reg [9:0] count; wire loop;
  assign {one_q, zero_q} = a ^ {15'd0, ~loop};
  always @(posedge clock) begin
    a <= reset ? 16'd0 : {one, zero}; count <= reset ? 10'd0 : count + 10'd1;
    if (count == 10'd30 && one[0]) $display("thirty %0d", zero);
    AT_EDGE
  end
  WITHIN
endmodule`
	for name, c := range map[string][2]string{
		"nothing": {"", "assign loop = 1'b1;"},
		"finish":  {"if (count == 10'd40) $finish;", "assign loop = 1'b1;"},
		"fatal":   {"", "assign loop = 1'b1; always @* if (count == 10'd40 && one[1]) $fatal(1, \"forty\");"},
		"loop":    {"", "assign loop = ~(loop & count == 10'd40 & zero[2]);"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for latency := range 2 {
				m := foreign(t, strings.NewReplacer("AT_EDGE", c[0], "WITHIN", c[1]).Replace(text), &pinmap.Map{
					Library: library(),
					Model:   "link", Parameters: twin.Parameters{"PHIT_BITS": 8, "DELAY_CYCLES": 1 - latency}, Clock: "clock", Reset: "reset",
					Pins: []pinmap.Wiring{
						{Port: "rail1_i", Pins: []string{"one"}}, {Port: "rail0_i", Pins: []string{"zero"}},
						{Port: "rail1_o", Pins: []string{"one_q"}}, {Port: "rail0_o", Pins: []string{"zero_q"}},
					},
					Latency: map[string]int{"rail1_o": latency, "rail0_o": latency},
				})
				require.Equal(t, name != "nothing", requireSameReport(t, m, Options{Cycles: 3000, Explore: 5000}))
			}
		})
	}
}
