// Package ring is a fabric in one folder: nodes in a ring with links to both neighbours. No other package knows it.
package ring

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/fabric/referees"
	"starloom/firmware"
	"starloom/hw"
	"starloom/nic"
)

// Ring has Nodes nodes, which send and receive at both ports in one slot. Port 0 of a node leads to the previous
// node, port 1 to the next. Link 2*i+p leaves node i at port p.
type Ring struct{ Nodes int }

func (r Ring) Kind() string                      { return "ring" }
func (r Ring) Programs() []fabric.Program        { return nil }
func (r Ring) Names() fabric.Names               { return names{fabric.UnitNames{Path: "ring.node", PerUnit: 1}, r} }
func (r Ring) MemoryBytes(*fabric.Config) uint64 { return 0 }
func (r Ring) Abilities() fabric.Abilities       { return fabric.Abilities{} }

func (r Ring) Check() error {
	if r.Nodes < 3 {
		return errors.New("a ring has 3 nodes or more")
	}
	return nil
}

func (r Ring) Shape() fabric.Shape {
	return fabric.Shape{Units: r.Nodes, PerUnit: 1, Ports: 2, Discipline: fabric.AllPorts{}, Media: 2 * r.Nodes,
		Words: [nic.ShapeWords]uint32{uint32(r.Nodes)}}
}

func (r Ring) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return referees.NewPackets(r.Nodes)
}

// heard returns the link that ends at a node's port.
func (r Ring) heard(node, port int) int {
	if port == 0 {
		return 2*((node+r.Nodes-1)%r.Nodes) + 1
	}
	return 2 * ((node + 1) % r.Nodes)
}

type names struct {
	fabric.UnitNames
	Ring
}

func (n names) Medium(link int) string                  { return fmt.Sprintf("ring.node[%d].out[%d]", link/2, link%2) }
func (n names) Link(link int) string                    { return n.Medium(link) + ".wire" }
func (n names) MediumNoun() (one, many string)          { return "link", "links" }
func (n names) HeardOn(node int, port uint16) int       { return n.heard(node, int(port)) }
func (n names) SentOn(node int, port uint16, _ int) int { return 2*node + int(port&1) }

// Build puts a wire after every transmitter.
func (r Ring) Build(p fabric.Plant) error {
	leaves, hears := make([]uint32, 2*r.Nodes), hw.Gather{Inputs: 2}
	for link := range leaves {
		leaves[link] = uint32(link)
		hears.Wires = append(hears.Wires, uint32(r.heard(link/2, link%2)))
	}
	return fabric.Stars{Name: "out", Link: "wire", Leaves: leaves, Fan: 1, Hears: hears}.Build(p)
}

func TestRing(t *testing.T) {
	image := filepath.Join(t.TempDir(), "router.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/router.c", Output: image}))
	scenario := func(nodes int, lazy int64) func(testing.TB) *starloom.Scenario {
		return func(testing.TB) *starloom.Scenario {
			s := starloom.DefaultScenario()
			s.Name, s.Fabric.Custom = "ring", Ring{nodes}
			s.Firmware.Image, s.Firmware.Params = image, map[string]int64{"lazy": lazy}
			s.Rules = &starloom.Rules{ExactlyOnce: true, PacketsPerProcessorMax: 2,
				CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
			s.Stop.Slots = uint32(nodes + 1)
			return s
		}
	}
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{
			{Name: "5 nodes", Scenario: scenario(5, 0)},
			{Name: "17 nodes", Scenario: scenario(17, 0)},
			{Name: "a lazy node", Scenario: scenario(5, 1), Breaks: starloom.RuleFinishes},
		},
		RTL: []starloom.RTL{
			{Replace: "ring.node[*].out[1]", Twin: "star_coupler"}, {Replace: "ring.node[2].out[*].wire", Twin: "link"},
			{Replace: "**.tx[*]", Twin: "serialiser"}, {Replace: "ring.node[*].nic[0].rx[1]", Twin: "deserialiser"},
			{Replace: "ring.node[1].nic[*]"},
		},
	}).Run(t)
	for nodes, lazy := range map[int]int64{5: 0, 17: 0, 6: 1} {
		fabrictest.Reflected(t, func(t testing.TB, mirror func(fabric.Network) fabric.Network) *starloom.Scenario {
			s := scenario(nodes, lazy)(t)
			s.Fabric.Custom = mirror(s.Fabric.Custom)
			return s
		})
	}
	t.Run("flood", fabrictest.Flood{Fabric: starloom.Fabric{Custom: Ring{7}}}.Run)
}

// TestForeignNames checks the refusals of programs and schedules by a fabric that has none.
func TestForeignNames(t *testing.T) {
	for _, refused := range []struct {
		firmware starloom.Firmware
		says     string
	}{
		{starloom.Firmware{Program: "pops/random"}, "the program pops/random is for another fabric; this fabric has no " +
			"built-in program; write image: and the path of your own firmware"},
		{starloom.Firmware{Program: "ring/all"}, `unknown program "ring/all"; this fabric has no built-in program; write image: and the path of your own firmware`},
		{starloom.Firmware{Image: "router.wasm", Schedule: "sort"}, `unknown schedule "sort"; this fabric has no schedule; delete the key`},
		{starloom.Firmware{}, "firmware has neither program nor image; write image: router.wasm"},
	} {
		s := starloom.DefaultScenario()
		s.Fabric.Custom, s.Firmware = Ring{5}, refused.firmware
		s.Firmware.Mode = starloom.ModeBanked
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.ErrorContains(t, err, refused.says)
	}
}
