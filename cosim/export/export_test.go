package export

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

type wire string

func (w wire) Path() string { return string(w) }

// siteOf is a site with one output of 4 bits per path, and one input that reads the output of the element before.
func siteOf(from wire, paths ...string) *hw.Site {
	none := func(int, hw.Pins) func() { return func() {} }
	line := func(element int) hw.Line { return hw.Line{Wire: from, Element: element, Bits: 4} }
	return &hw.Site{
		Twin: "part", Parameters: func(element int) map[string]int { return map[string]int{"DELAY": element} },
		Elements: len(paths), Path: func(element int) string { return paths[element] }, Clocked: true,
		Ports: []hw.Port{
			{Name: "a_i", Bits: 4, Input: true, Get: none, From: func(element int) hw.Expression {
				return hw.Carried(line((element + 1) % len(paths)))
			}},
			{Name: "a_o", Bits: 4, Get: none, Lines: func(element int) []hw.Line { return []hw.Line{line(element)} }, Shows: "a"},
		},
	}
}

// TestTopOfAGrid: elements are placed by their indices, not by their numbers, and words of Verilog are escaped.
func TestTopOfAGrid(t *testing.T) {
	w, err := New([]*hw.Site{siteOf("w", "net.output[1].x", "net.output[0].x")})
	require.NoError(t, err)
	require.Empty(t, w.Refusals())
	top, err := w.Top(func(string) bool { return true })
	require.NoError(t, err)
	require.Contains(t, top.Text, `begin : \output `)
	require.Contains(t, top.Text, "assign output_x_a_i[4 +: 4] = output_x_a_o[0 +: 4]; // net.output[1].x")
	require.Contains(t, top.Text, "localparam [63:0] DELAY_TABLE = {32'd0, 32'd1};")
	require.Equal(t, []Signal{{"net.output[1].x.a", 4}, {"net.output[0].x.a", 4}}, top.Signals)
	require.Equal(t, `net.\output [1].x.a`, escapedPath("net.output[1].x.a"))
}

func TestRefusedPaths(t *testing.T) {
	for reason, paths := range map[string][]string{
		"do not fill a grid":   {"net.a[0]", "net.a[2]"},
		"has no numeric index": {"net.a[+rho].x"},
		"two elements":         {"net.x", "net.x"},
	} {
		w, err := New([]*hw.Site{siteOf("w", paths...)})
		require.NoError(t, err)
		_, err = w.Top(func(string) bool { return true })
		require.ErrorContains(t, err, reason)
	}
	w, err := New([]*hw.Site{siteOf("w", "net.a"), siteOf("v", "net.a")})
	require.NoError(t, err)
	_, err = w.Top(func(string) bool { return true })
	require.ErrorContains(t, err, "another kind of part")
	_, err = New([]*hw.Site{siteOf("w", "net.a"), siteOf("w", "net.b")})
	require.ErrorContains(t, err, "drives a line of net.a")
}

// TestExpressions compares each operation with its Verilog text and its value for all values of a line.
func TestExpressions(t *testing.T) {
	line := hw.Carried(hw.Line{Wire: wire("w"), Bits: 4})
	text := func(_ hw.Line, low, bits int) string { return fmt.Sprintf("w[%d +: %d]", low, bits) }
	for _, x := range []struct {
		of   hw.Expression
		text string
		want func(w uint64) uint64
	}{
		{line.Slice(1, 2), "w[1 +: 2]", func(w uint64) uint64 { return w >> 1 & 3 }},
		{line.Is(5), "w[0 +: 4] == 4'h5", func(w uint64) uint64 { return one(w == 5) }},
		{hw.AnyOf(line.Is(2), line), "(w[0 +: 4] == 4'h2 || |w[0 +: 4])", func(w uint64) uint64 { return one(w != 0) }},
		{hw.Constant(3, 6).If(line.Is(1)), "(w[0 +: 4] == 4'h1 ? 3'h6 : {3{1'b0}})", func(w uint64) uint64 { return 6 * one(w == 1) }},
		{hw.Together(line.Slice(3, 1), hw.Constant(0, 0), hw.Constant(2, 1)), "{2'h1, w[3 +: 1]}",
			func(w uint64) uint64 { return 2 + w>>3 }},
	} {
		require.Equal(t, x.text, value(x.of, text))
		for w := range uint64(16) {
			to := pinsOf(x.of.Bits)
			to.Words[0] = ^uint64(0)
			x.of.Bind(to, func(hw.Line) hw.Pins { return hw.Pins{Words: []uint64{w}, Bits: 4} })()
			require.Equal(t, x.want(w), to.Value(), "%s of %d", x.text, w)
		}
	}
}

// TestTooManyEvents: a run whose events do not fit ends with an error.
func TestTooManyEvents(t *testing.T) {
	r := &Recording{Bytes: EventBytesMax}
	require.NoError(t, r.Boundary(5))
	r.Bytes++
	require.ErrorContains(t, r.Boundary(11), "200 MB")
}

func one(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
