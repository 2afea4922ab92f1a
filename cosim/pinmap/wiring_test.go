package pinmap

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// caseBlind is a built VHDL design.
type caseBlind struct{ cosim.Design }

func (caseBlind) CaseBlind() bool { return true }

// TestPinsOfVHDL checks that case does not matter in the names of clock and pins.
func TestPinsOfVHDL(t *testing.T) {
	m := &Map{
		Library: Library{Twins: twin.All()},
		Model:   "lfsr", Parameters: twin.Parameters{"SEED": 1}, Clock: "clki", Reset: "rst_n", ResetLow: true,
		Pins:   []Wiring{{"enable", []string{"GO"}}, {"value", []string{"value"}}},
		Source: cosim.Source{Top: "captop", Files: []string{"cap.vhd"}},
	}
	ports := []cosim.Port{
		{Name: "ClkI", Bits: 1, Input: true, Clock: true, Word: -1}, {Name: "RST_n", Bits: 1, Input: true, Word: 0},
		{Name: "Go", Bits: 1, Input: true, Word: 1}, {Name: "Value", Bits: 32},
	}
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	_, err = m.Wire(model, ports)
	require.NoError(t, err)
	m.Source.Files = nil // an image
	_, err = m.Wire(model, ports)
	require.ErrorContains(t, err, "the RTL was built with the clock ClkI, not clki", "Verilog tells them apart")
	m.built().designs[builtAs{backend: cosim.BackendWasm}] = caseBlind{}
	_, err = m.Wire(model, ports)
	require.NoError(t, err)
}

// TestRemediesArePossible checks that names suggested by messages exist.
func TestRemediesArePossible(t *testing.T) {
	m := &Map{Library: Library{Twins: twin.All()}, Model: "arbiter_fixed", Parameters: twin.Parameters{"REQUESTERS": 4}, Absent: []string{"index", "grant"}}
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	for bits, remedy := range map[int]struct{ text, item string }{
		2: {"or join several pins, the highest first: [req, OTHER], or limit the input to the range of the pin: [0, " +
			"req]", "0, req"},
		6: {"or use only the low bits, if the others are 0: low(req)", "low(req)"},
	} {
		m.Pins = []Wiring{{"request", []string{"req"}}}
		rtl := []cosim.Port{{Name: "req", Bits: bits, Input: true}}
		_, err := m.Wire(model, rtl)
		require.ErrorContains(t, err, remedy.text)
		m.Pins = []Wiring{{"request", strings.Split(remedy.item, ", ")}}
		_, err = m.Wire(model, rtl)
		require.NoError(t, err)
	}

	m.Pins, m.Ties, m.Absent = []Wiring{{"request", []string{"req"}}, {"index", []string{"who"}}}, nil, []string{"grant"}
	rtl := []cosim.Port{{Name: "req", Bits: 4, Input: true}, {Name: "who", Bits: 2}}
	_, err = m.Wire(model, rtl)
	require.ErrorContains(t, err, "who has 2 bits, but index_o of arbiter_fixed has 6")
	require.ErrorContains(t, err, "if the upper bits are 0, write [0, who]; or leave this output out and compare the "+
		"others: absent: [index_o]; or give both")
	m.Pins, m.Absent = m.Pins[:1], []string{"grant", "index_o"}
	_, err = m.Wire(model, rtl)
	require.NoError(t, err)

	m = &Map{Library: m.Library, Model: "fifo", Parameters: twin.Parameters{"DEPTH": 2, "WIDTH": 4}, Absent: []string{"overflows"}}
	_, err = m.NewModel()
	require.ErrorContains(t, err, "fifo: parameter COUNT_BITS has no value; for example parameters: {COUNT_BITS: 16, DEPTH: 4, WIDTH: 8}, or with a command -G COUNT_BITS=16; absent outputs have a width, too")
	m.Model = "arbiter_rr"
	_, err = m.NewModel()
	require.ErrorContains(t, err, "did you mean arbiter_round_robin? there are ")
}

// TestUndrivenCanBeTied checks that the message about an undriven input suggests a valid tie.
func TestUndrivenCanBeTied(t *testing.T) {
	m := &Map{Library: Library{Twins: twin.All()}, Model: "arbiter_fixed", Parameters: twin.Parameters{"REQUESTERS": 4}, Absent: []string{"index", "grant"}}
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	parts := []cosim.Part{
		{Name: ".pad", Low: 0, Bits: 3}, {Name: ".req", Low: 3, Bits: 4}, {Name: ".in", Low: 7, Bits: 4}, {Name: ".in.a", Low: 7, Bits: 1}, {Name: ".in.b", Low: 8, Bits: 3},
	}
	for _, c := range []struct {
		request string
		parts   []cosim.Part
		ties    []string
	}{
		{"r.req", parts, []string{"r.pad", "r.in"}},
		{"r.in", parts, []string{"r.pad", "r.req"}},
		{"r[4:1]", parts, []string{"r.pad[0]", "r.req[3:2]", "r.in"}},
		{"r[6:3]", nil, []string{"r[2:0]", "r[10:7]"}},
		{"s", parts, []string{"r"}},
	} {
		m.Pins, m.Ties = []Wiring{{"request", []string{c.request}}}, nil
		rtl := []cosim.Port{{Name: "r", Bits: 11, Input: true, Parts: c.parts}}
		if c.request == "s" {
			rtl = append(rtl, cosim.Port{Name: "s", Bits: 4, Input: true})
		}
		var asked []string
		for {
			_, err := m.Wire(model, rtl)
			if err == nil {
				break
			}
			_, after, found := strings.Cut(err.Error(), "ties: {")
			name, _, _ := strings.Cut(after, ": 0}")
			require.True(t, found && len(asked) < 9, err)
			require.ErrorContains(t, err, "nothing drives the RTL's input "+name+";")
			asked, m.Ties = append(asked, name), append(m.Ties, Tie{Pin: name})
		}
		require.Equal(t, c.ties, asked, c.request)
	}
}

// TestPinsOf checks that an exact name has priority: data is data_i if data_o has an entry, too.
func TestPinsOf(t *testing.T) {
	m := &Map{Pins: []Wiring{{"data", []string{"d"}}, {"data_o", []string{"q"}}, {"count", []string{"c"}}}}
	require.Equal(t, []string{"d"}, m.PinsOf("data_i"))
	require.Equal(t, []string{"q"}, m.PinsOf("data_o"))
	require.Equal(t, []string{"c"}, m.PinsOf("count_o"))
	require.Nil(t, m.PinsOf("counts_o"))
}
