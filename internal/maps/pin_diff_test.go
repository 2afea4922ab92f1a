package maps

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/traces/diff"
	"starloom/traces/vcd"
)

// wave is a VCD of signals of up to 4 bits in one scope, a value of each in each step. The name * is a clock.
func wave(scope string, signals []string, steps [][]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$timescale 1 ns $end\n$scope module %s $end\n", scope)
	for i, s := range signals {
		name, bits, _ := strings.Cut(s, ":")
		fmt.Fprintf(&b, "$var wire %s %c %s $end\n", bits, '!'+i, name)
	}
	b.WriteString("$upscope $end\n$enddefinitions $end\n")
	for t, values := range steps {
		fmt.Fprintf(&b, "#%d\n", t)
		for i, v := range values {
			fmt.Fprintf(&b, "b%b %c\n", v, '!'+i)
		}
	}
	fmt.Fprintf(&b, "#%d\n", len(steps))
	return b.String()
}

// TestPinDiff checks that a pin map names the ports, slices of them, clocks and the first cycle after a reset, that the
// two waveforms are then alike or differ where they do, and which ports are not compared.
func TestPinDiff(t *testing.T) {
	const text = `model: arbiter_fixed
parameters: {REQUESTERS: 4}
top: rtl
sources: [rtl.v]
clock: clk
reset: {pin: rst_n, active: low}
pins: {request: [r_high, "r_low[1:0]"], grant: g, index: [0, ~i]}
`
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	model := [][]int{{0, 0, 9, 0}, {1, 0, 9, 0}, {0, 6, 0, 0}, {0, 6, 2, 1}, {0, 0, 2, 1}}
	var rtl [][]int
	for _, s := range model {
		for clock := range 2 {
			rtl = append(rtl, []int{clock, 1 - s[0], s[1] >> 2, s[1] & 3, s[2], s[3]})
		}
	}
	rtl[0][4], rtl[1][4] = 5, 5 // at power-on
	pins := []string{"clk:1", "rst_n:1", "r_high:2", "r_low:2", "g:4", "i:1"}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(path(name), []byte(text), 0o666))
	}
	write("model.vcd", wave("model", []string{"reset:1", "request_i:4", "grant_o:4", "index_o:6"}, model))
	write("rtl.vcd", wave("tb", pins, rtl))
	m, err := ParsePin("m.yml", []byte(text), pinmap.Library{Twins: twin.All()})
	require.NoError(t, err)
	compared := func(a, b string) (*diff.Report, []string, diff.Options) {
		var o diff.Options
		left, err := PinDiff(m, path(a), path(b), &o)
		require.NoError(t, err)
		r, err := diff.Files(t.Context(), path(a), path(b), o)
		require.NoError(t, err)
		return r, left, o
	}
	r, left, o := compared("model.vcd", "rtl.vcd")
	require.Equal(t, []string{"index_o (inverted: ~i)"}, left)
	require.Equal(t, diff.Bound{Given: true, Cycle: 2}, o.From)
	require.Equal(t, vcd.Sampling{Clock: "tb.clk"}, o.B)
	require.Equal(t, []diff.NameRule{
		{From: "model.request_i[3:2]", To: "tb.r_high", Place: "--pins"},
		{From: "model.request_i[1:0]", To: "tb.r_low[1:0]", Place: "--pins"},
		{From: "model.grant_o", To: "tb.g", Place: "--pins"},
	}, o.Rules)
	require.False(t, r.Differs(), "%v", r)
	require.Equal(t, 3, r.Compared)
	r, _, _ = compared("rtl.vcd", "model.vcd")
	require.False(t, r.Differs())
	r, _, _ = compared("rtl.vcd", "rtl.vcd")
	require.False(t, r.Differs())

	rtl[6][4], rtl[7][4] = 4, 4
	write("rtl.vcd", wave("tb", pins, rtl))
	r, _, _ = compared("model.vcd", "rtl.vcd")
	require.True(t, r.Differs())
	require.EqualValues(t, 3, *r.First.At.Cycle)

	m.Latency["grant"] = -1
	_, left, _ = compared("model.vcd", "rtl.vcd")
	require.Contains(t, left, "grant_o (latency -1)")
	r, left, _ = compared("rtl.vcd", "rtl.vcd")
	require.NotContains(t, left, "grant_o (latency -1)", "both files have the latency")
	require.False(t, r.Differs())

	// The waveform of a check has the pins, too, in another scope.
	check := wave("model", []string{"reset:1", "request_i:4", "grant_o:4", "index_o:6"}, model)
	check = strings.Replace(check, "$enddefinitions", "$scope module internals $end\n$var wire 2 % r_high $end\n"+
		"$var wire 2 & r_low $end\n$var wire 4 # g $end\n$var wire 1 ' i $end\n$upscope $end\n$enddefinitions", 1)
	write("check.vcd", check)
	r, left, o = compared("check.vcd", "rtl.vcd")
	require.Equal(t, []string{"index_o (inverted: ~i)"}, left)
	require.Contains(t, o.Rules, diff.NameRule{From: "internals.g", To: "tb.g", Place: "--pins"})
	require.True(t, r.Differs())
	require.EqualValues(t, 3, *r.First.At.Cycle)
	write("other.vcd", wave("tb", []string{"clk:1"}, [][]int{{0}, {1}}))
	for b, says := range map[string]string{
		"-":               "read twice",
		path("other.vcd"): "no scope contains all of request_i, grant_o, index_o, or all of r_high, r_low, g, i",
	} {
		_, err = PinDiff(m, path("model.vcd"), b, &o)
		require.ErrorContains(t, err, says)
	}
}
