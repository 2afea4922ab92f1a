package pinmap

import (
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
	_, err = m.wire(model, ports)
	require.NoError(t, err)
	m.Source.Files = nil // an image
	_, err = m.wire(model, ports)
	require.ErrorContains(t, err, "the RTL was built with the clock ClkI, not clki", "Verilog tells them apart")
	m.designs = map[string]cosim.Design{cosim.BackendWasm: caseBlind{}}
	_, err = m.wire(model, ports)
	require.NoError(t, err)
}

// TestRemediesArePossible: what a message suggests exists.
func TestRemediesArePossible(t *testing.T) {
	m := &Map{Library: Library{Twins: twin.All()}, Model: "arbiter_fixed", Parameters: twin.Parameters{"REQUESTERS": 4}, Absent: []string{"index", "grant"}}
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	for bits, remedy := range map[int]string{
		2: "or join several pins, the highest first: [req, OTHER]",
		6: `or name the bits: req[3:0], and give the others a constant: ties: {"req[5:4]": 0}`,
	} {
		m.Pins = []Wiring{{"request", []string{"req"}}}
		rtl := []cosim.Port{{Name: "req", Bits: bits, Input: true}}
		_, err := m.wire(model, rtl)
		require.ErrorContains(t, err, remedy)
		if bits == 6 {
			m.Pins, m.Ties = []Wiring{{"request", []string{"req[3:0]"}}}, []Tie{{Pin: "req[5:4]"}}
			_, err = m.wire(model, rtl)
			require.NoError(t, err)
		}
	}

	m.Pins, m.Ties, m.Absent = []Wiring{{"request", []string{"req"}}, {"index", []string{"who"}}}, nil, []string{"grant"}
	rtl := []cosim.Port{{Name: "req", Bits: 4, Input: true}, {Name: "who", Bits: 2}}
	_, err = m.wire(model, rtl)
	require.ErrorContains(t, err, "who has 2 bits, index_o of arbiter_fixed has 6")
	require.ErrorContains(t, err, "or leave it out and compare the others: absent: [index_o]")
	m.Pins, m.Absent = m.Pins[:1], []string{"grant", "index_o"}
	_, err = m.wire(model, rtl)
	require.NoError(t, err)

	m = &Map{Library: m.Library, Model: "fifo", Parameters: twin.Parameters{"DEPTH": 2, "WIDTH": 4}, Absent: []string{"overflows"}}
	_, err = m.NewModel()
	require.ErrorContains(t, err, "fifo: parameter COUNT_BITS has no value; for example {COUNT_BITS: 16, DEPTH: 4, WIDTH: 8}; absent outputs have a width, too")
	m.Model = "arbiter_rr"
	_, err = m.NewModel()
	require.ErrorContains(t, err, "did you mean arbiter_round_robin? there are ")
}
