package pinmap

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// caseBlind is a design in VHDL that was built.
type caseBlind struct{ cosim.Design }

func (caseBlind) CaseBlind() bool { return true }

// TestPinsOfVHDL: clock and pins may be written in any case.
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

// TestRemediesArePossible: what a message suggests exists.
func TestRemediesArePossible(t *testing.T) {
	m := &Map{Library: Library{Twins: twin.All()}, Model: "arbiter_fixed", Parameters: twin.Parameters{"REQUESTERS": 4}, Absent: []string{"index", "grant"}}
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	for bits, remedy := range map[int]struct{ text, item string }{
		2: {"or join several pins, the highest first: [req, OTHER], or bound what it is given: [0, req]", "0, req"},
		6: {"or take its low bits: low(req), where the others are 0", "low(req)"},
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
	require.ErrorContains(t, err, "who has 2 bits, index_o of arbiter_fixed has 6")
	require.ErrorContains(t, err, "if its upper bits are 0, write [0, who]; or leave it out and compare the others: absent: [index_o]; or give both")
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
