package maps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// TestGuess checks the guessed model, clock, reset and pins of usual RTL, that each is marked, and that the map is
// read.
func TestGuess(t *testing.T) {
	in := func(name string, bits int) cosim.Port { return cosim.Port{Name: name, Bits: bits, Input: true} }
	out := func(name string, bits int) cosim.Port { return cosim.Port{Name: name, Bits: bits} }
	for _, c := range []struct {
		top, model string
		ports      []cosim.Port
		wants      []string
	}{
		{"rr_arb", "", []cosim.Port{in("clk_i", 1), in("rst_ni", 1), in("scan", 1), in("req", 4), out("gnt", 4),
			out("idx", 2)},
			[]string{"model: arbiter_round_robin  # guess; other models with such ports: arbiter_fixed",
				"parameters: {REQUESTERS: 4}  # guess", "clock: clk_i  # guess", "reset: {pin: rst_ni, active: low}  # guess",
				"  request: req  # guess", "  grant: gnt  # guess",
				"  index: [0, idx]  # guess: zeros above 2 bits", "ties: {scan: 0}  # guess"}},
		{"my_fifo", "", []cosim.Port{in("clk", 1), in("rst", 1), in("wr_en", 1), in("din", 32), in("rd_en", 1),
			out("dout", 32)},
			[]string{"model: fifo  # guess", "WIDTH: 32", "reset: rst  # guess: active high", "  push: wr_en", "  data: din",
				"  pop: rd_en", "  head: dout", "absent: [count, overflow, overflows]  # guess"}},
		{"line", "delay_line", []cosim.Port{{Name: "c", Bits: 1, Input: true, Edges: true}, in("d", 12), out("q", 12)},
			[]string{"model: delay_line  # guess\n", "clock: c  # guess", "# reset: ", "  data_i: d  # guess",
				"  data_o: q  # guess"}},
		{"none", "", []cosim.Port{in("x", 1)}, []string{"model: MODEL  # no model has ports like these"}},
	} {
		g, err := NewGuess(cosim.Source{Top: c.top, Files: []string{"a.v"}}, c.ports, twin.All(), c.model)
		require.NoError(t, err)
		text := g.Text()
		for _, want := range append(c.wants, "top: "+c.top+"\nsources: [a.v]\n") {
			require.Contains(t, text, want, text)
		}
		for line := range strings.Lines(text) {
			if key, _, ok := strings.Cut(line, ":"); ok && key != "top" && key != "sources" && !strings.HasPrefix(line, "#") {
				require.Contains(t, line, "#", "a guess without a mark")
			}
		}
		m, err := ParsePin("m.yml", []byte(text), pinmap.Library{Twins: twin.All()})
		require.NoError(t, err, text)
		if c.top != "none" {
			_, err = m.NewModel()
			require.NoError(t, err)
		}
	}
}
