package hypergroups

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/firmware"
)

// TestHypergroups runs the suite of all fabrics on a network with a Wiring and different numbers of ports.
func TestHypergroups(t *testing.T) {
	image := filepath.Join(t.TempDir(), "relay.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/relay.c", Output: image}))
	scenario := func(network Hypergroups, source int, deaf, noisy int64) func(testing.TB) *starloom.Scenario {
		return func(testing.TB) *starloom.Scenario {
			s := starloom.DefaultScenario()
			s.Name, s.Fabric.Custom, s.Firmware.Image = "hypergroups", network, image
			s.Firmware.Params = map[string]int64{"deaf": deaf, "noisy": noisy}
			s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{Source: source}}
			s.Rules = &starloom.Rules{ExactlyOnce: true, CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
			s.Stop.Slots = 5
			return s
		}
	}
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{
			{Name: "from a member", Scenario: scenario(Hypergroups{5, 3}, 4, 0, 0)},
			{Name: "from a head", Scenario: scenario(Hypergroups{4, 4}, 8, 0, 0)},
			{Name: "groups of one", Scenario: scenario(Hypergroups{3, 1}, 1, 0, 0)},
			{Name: "a deaf group", Scenario: scenario(Hypergroups{4, 2}, 0, 1, 0), Breaks: starloom.RuleFinishes},
			{Name: "all relay", Scenario: scenario(Hypergroups{3, 4}, 1, 0, 1), Breaks: starloom.RuleCollisionFree},
		},
		RTL: []starloom.RTL{{Replace: "hypergroups.net[0].star[5]", Twin: "star_coupler"}, {Replace: "hypergroups.net[0].nic[0]"}},
	}).Run(t)
	t.Run("flood", fabrictest.Flood{Fabric: starloom.Fabric{Custom: Hypergroups{5, 3}}}.Run)
}

// astray is the network with an Own that gives every processor a port 1.
type astray struct{ Hypergroups }

func (a astray) Shape() fabric.Shape {
	shape := a.Hypergroups.Shape()
	shape.Discipline = fabric.OnePort{Wiring: shape.Discipline.(fabric.OnePort).Wiring}
	return shape
}

// TestPortThatLeadsNowhere requires that both engines refuse a port without a star.
func TestPortThatLeadsNowhere(t *testing.T) {
	image := filepath.Join(t.TempDir(), "relay.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/relay.c", Output: image}))
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Custom, s.Firmware.Image = "astray", astray{Hypergroups{2, 2}}, image
		s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{}}
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: engine})
		require.ErrorContains(t, err, "port 1 of processor 1 sends to NoMedium", engine)
	}
}
