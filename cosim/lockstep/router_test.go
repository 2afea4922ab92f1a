//go:build linux

package lockstep

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// foreignRouter is a router of three ports and two VCs with a mistake, without the assertions of Starloom's router.
func foreignRouter(t *testing.T, old, mistake string) *pinmap.Map {
	var text strings.Builder
	for _, file := range []string{"rtl/vc_router.v", "rtl/vc_matcher.v"} {
		b, err := cosim.RTL.ReadFile(file)
		require.NoError(t, err)
		text.Write(b)
	}
	dut := regexp.MustCompile("(?s)`ifndef SYNTHESIS.*?`endif").ReplaceAllString(text.String(), "")
	require.Contains(t, dut, old)
	dut = strings.Replace(strings.Replace(dut, "module vc_router #", "module dut #", 1), old, mistake, 1)
	m := foreign(t, dut, &pinmap.Map{
		Library: library(), Model: "vc_router", Clock: "clock", Reset: "reset", Parameters: twin.Parameters{
			"PORTS": 3, "VCS": 2, "DEPTH": 4, "ROUTING_DELAY": 1, "CREDIT_DELAY": 0, "WAIT_FOR_TAIL": 0, "VC_ALLOCATOR": 0, "SWITCH_ALLOCATOR": 0,
			"DATA_BITS": 12,
		},
	})
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	for _, p := range model.Ports()[2:] {
		m.Pins = append(m.Pins, pinmap.Wiring{Port: p.Name, Pins: []string{p.Name}})
	}
	return m
}

// TestLongBugsOfRoutersArePlaced checks that the defaults of `cosim check` find a mistake at one output VC, that the
// verdict names it, and that the inputs of the case obey the rules of neighbours.
func TestLongBugsOfRoutersArePlaced(t *testing.T) {
	for name, c := range map[string]struct{ old, mistake, place string }{
		"a pointer of the VC allocator stays": {
			"if (|vc_matched[n*N+:N]) vc_grant_q", "if (n != 3 && |vc_matched[n*N+:N]) vc_grant_q", "(to output 1 VC 1)",
		},
		"a credit counts for the other VC": {
			"back_vc[PORT*VC_BITS+:VC_BITS] == VC", "(back_vc[PORT*VC_BITS+:VC_BITS] && PORT != 2) == VC", "(to output 2 VC 1)",
		},
		"a tail does not free its VC": {
			"(WAIT_FOR_TAIL == 0 && tail_sent[n])", "(WAIT_FOR_TAIL == 0 && tail_sent[n] && n != 1)", "(to output 0 VC 1)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := foreignRouter(t, c.old, c.mistake)
			r := runLockstep(t, m, Options{})
			require.NotNil(t, r.Divergence)
			require.Contains(t, r.Divergence.Place, c.place)
			require.Contains(t, r.Divergence.Text, r.Divergence.Place)
			require.True(t, r.Divergence.Shrunk)
			require.Less(t, r.Shown.Stimulus.Cycles(), 40)

			again := runLockstep(t, m, Options{Stimulus: r.Shown.Stimulus, NoShrink: true})
			require.Equal(t, r.Divergence.Place, again.Divergence.Place)
			requireRefused(t, m, r.Shown.Stimulus)
		})
	}
}

// requireRefused requires that inputs that break a rule of neighbours are refused.
func requireRefused(t *testing.T, m *pinmap.Map, s *Stimulus) {
	broken := s.clone()
	for i, p := range s.Inputs {
		if p.Name == "credit_i" {
			broken.row(1)[s.Inputs[i].Word] = 2
		}
	}
	_, err := Run(context.Background(), m, Options{Stimulus: broken})
	var refused *cosim.InputError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "in cycle 1 the inputs break a rule of the neighbours of vc_router: a credit for VC 0 at output "+
		"1, although no flit is outstanding", refused.Reason)
}
