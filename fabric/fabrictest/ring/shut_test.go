package ring

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/firmware"
)

// shutter is a ring whose nodes are shut in two of three slots.
type shutter struct{ Ring }

func (s shutter) Abilities() fabric.Abilities {
	return fabric.Abilities{Blocks: func(node int, _ uint16, slot uint32) bool { return (node+int(slot))%3 != 0 }}
}

// TestTransmitStatus requires that a blocked frame stays until it is sent or withdrawn, and that its handler learns
// this, asleep or awake.
func TestTransmitStatus(t *testing.T) {
	image := filepath.Join(t.TempDir(), "patient.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/patient.c", Output: image}))
	scenario := func(network fabric.Network, depth, withdraw int) func(testing.TB) *starloom.Scenario {
		return func(testing.TB) *starloom.Scenario {
			s := starloom.DefaultScenario()
			s.Name, s.Fabric.Custom, s.Firmware.Image = "shut", network, image
			s.Firmware.Params = map[string]int64{"depth": 2 * int64(depth), "withdraw": int64(withdraw)}
			s.NIC.RXFrames, s.NIC.TXFrames = 1, depth
			s.Rules, s.Stop.Slots = &starloom.Rules{ExactlyOnce: true}, 60
			return s
		}
	}
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{
			{Name: "shut", Scenario: scenario(shutter{Ring{5}}, 4, 0)},
			{Name: "withdraws", Scenario: scenario(shutter{Ring{5}}, 5, 1)},
			{Name: "open", Scenario: scenario(Ring{5}, 1, 0)},
		},
		RTL: []starloom.RTL{{Replace: "**.tx[*]", Twin: "serialiser"}},
	}).Run(t)

	flood := filepath.Join(t.TempDir(), "flood.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "../testdata/flood.c", Output: flood}))
	random := func(network fabric.Network, depth int) func(testing.TB) *starloom.Scenario {
		return func(t testing.TB) *starloom.Scenario {
			s := scenario(network, depth, 0)(t)
			s.Firmware.Image, s.Firmware.Params, s.NIC.RXFrames, s.Rules = flood, nil, depth, &starloom.Rules{}
			return s
		}
	}
	t.Run("flood of shut links", fabrictest.Flood{
		Fabric: starloom.Fabric{Custom: shutter{Ring{5}}},
		RTL:    []starloom.RTL{{Replace: "**.rx[0]", Twin: "deserialiser"}, {Replace: "ring.node[*].nic[*]"}},
	}.Run)
	for _, network := range []fabric.Network{Ring{4}, shutter{Ring{5}}} {
		report, err := starloom.Run(t.Context(), random(network, 1)(t), starloom.RunOptions{})
		require.NoError(t, err)
		require.Greater(t, report.Frames.Delivered, uint64(50))
		require.Positive(t, report.Frames.Overflow)
		require.Positive(t, report.Frames.Unheard)
	}
	s := random(Ring{4}, 128)(t)
	_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, "nic.rx_frames is 128 for each of 2 ports; a NIC holds at most 255 frames in each "+
		"direction; choose 127 or less")

	blocked := func(s *starloom.Scenario) (uint64, uint64) {
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		return report.Frames.Blocked, report.Slots
	}
	waits, slots := blocked(scenario(shutter{Ring{5}}, 4, 0)(t))
	require.Greater(t, waits, uint64(10))
	none, fewer := blocked(scenario(Ring{5}, 1, 0)(t))
	require.Zero(t, none)
	require.Less(t, fewer, slots)
}
