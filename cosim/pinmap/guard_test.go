package pinmap

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// TestGuard checks assumptions at the pins of the RTL that depend on the model's state, inverted pins and gates.
func TestGuard(t *testing.T) {
	m := &Map{
		Library: Library{Twins: twin.All()}, Model: "fifo", Parameters: twin.Parameters{"DEPTH": 2, "WIDTH": 4, "COUNT_BITS": 1},
		Clock: "clk", Reset: "rst_n", ResetLow: true, Absent: []string{"overflow", "overflows"},
		Pins: []Wiring{{"push", []string{"~full_n"}}, {"data", []string{"d"}}, {"pop", []string{"pop"}}, {"head", []string{"q"}}, {"count", []string{"n"}}},
	}
	ports := []cosim.Port{
		{Name: "clk", Bits: 1, Input: true, Clock: true, Word: -1}, {Name: "rst_n", Bits: 1, Input: true, Word: 0}, {Name: "full_n", Bits: 1, Input: true, Word: 1},
		{Name: "d", Bits: 4, Input: true, Word: 2}, {Name: "pop", Bits: 1, Input: true, Word: 3}, {Name: "q", Bits: 4, Word: 0}, {Name: "n", Bits: 2, Word: 1},
	}
	require.Nil(t, m.Guard(ports), "nothing is assumed")
	m.Assume = []string{"push -> count < DEPTH || pop", "pop -> count != 0", "$past(push) -> data != 5", "data != 7"}
	require.Nil(t, m.Guard(ports[:5]), "other ports")
	g := m.Guard(ports)
	defer func() { require.NoError(t, g.Close()) }()
	for i, c := range []struct {
		in    [4]uint64 // rst_n, full_n, d, pop
		meets bool
	}{
		{[4]uint64{1, 1, 0, 1}, false}, // empty
		{[4]uint64{0, 1, 0, 1}, true},  // in reset
		{[4]uint64{0, 0, 7, 0}, false}, // of inputs alone
		{[4]uint64{1, 0, 5, 0}, true},
		{[4]uint64{1, 1, 5, 0}, false}, // after a push
		{[4]uint64{1, 0, 4, 0}, true},
		{[4]uint64{1, 0, 4, 0}, false}, // full
		{[4]uint64{1, 0, 4, 1}, true},
		{[4]uint64{0, 0, 4, 1}, true},
		{[4]uint64{1, 1, 5, 1}, false}, // empty again
		{[4]uint64{1, 1, 5, 0}, true},  // the push was before the reset
	} {
		in := c.in[:]
		if require.Equal(t, c.meets, g.Meets(in), i); c.meets {
			g.Edge()
		}
	}
	in := []uint64{1, 1, 5, 1}
	g.Reset(in)
	require.Equal(t, []uint64{0, 1, 5, 1}, in)
	require.True(t, g.Meets(in))
}
