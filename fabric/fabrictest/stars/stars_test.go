package stars

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/fabrictest"
	"starloom/firmware"
)

// TestStars runs the suite of all fabrics.
func TestStars(t *testing.T) {
	image := filepath.Join(t.TempDir(), "relay.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/relay.c", Output: image}))
	scenario := func(network Stars, source int, deaf int64) func(testing.TB) *starloom.Scenario {
		return func(testing.TB) *starloom.Scenario {
			s := starloom.DefaultScenario()
			s.Name, s.Fabric.Custom, s.Firmware.Image = "stars", network, image
			s.Firmware.Params = map[string]int64{"deaf": deaf}
			s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{Source: source}}
			s.Rules = &starloom.Rules{ExactlyOnce: true, CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
			s.Stop.Slots = uint32(network.Groups + 1)
			return s
		}
	}
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{
			{Name: "one to all", Scenario: scenario(Stars{5, 3}, 4, 0)},
			{Name: "two groups", Scenario: scenario(Stars{2, 1}, 0, 0)},
			{Name: "a deaf group", Scenario: scenario(Stars{4, 2}, 0, 1), Breaks: starloom.RuleFinishes},
		},
		RTL: []starloom.RTL{{Replace: "stars.group[*].star[1]", Twin: "star_coupler"}, {Replace: "stars.group[0].nic[*]"}},
	}).Run(t)
	t.Run("flood", fabrictest.Flood{Fabric: starloom.Fabric{Custom: Stars{5, 3}}}.Run)
}
