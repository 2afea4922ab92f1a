// Package ring is a fabric in one folder: nodes in a ring, each with a link to both of its
// neighbours. Nothing outside this folder knows of it.
package ring

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/twin"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/firmware"
	"starloom/hw"
	"starloom/nic"
)

// Ring has so many nodes, which send and receive at both ports in one slot. Port 0 of a node leads to the node before it, port 1 to the one
// after it; link 2*i+p leaves node i at port p.
type Ring struct{ Nodes int }

func (r Ring) Kind() string                        { return "ring" }
func (r Ring) Programs() []fabric.Program          { return nil }
func (r Ring) Names() fabric.Names                 { return names{fabric.UnitNames{Path: "ring.node", PerUnit: 1}, r} }
func (r Ring) MemoryBytes(*fabric.Config) uint64   { return 0 }
func (r Ring) Studies() []*fabric.Study            { return nil }
func (r Ring) Twin() (*twin.Twin, twin.Parameters) { return nil, nil }

func (r Ring) ROM(*fabric.Workload, *fabric.Program) (fabric.ROM, error) { return nil, nil }

func (r Ring) Check() error {
	if r.Nodes < 3 {
		return errors.New("a ring has 3 nodes or more")
	}
	return nil
}

func (r Ring) Shape() fabric.Shape {
	return fabric.Shape{Units: r.Nodes, PerUnit: 1, Ports: 2, Discipline: fabric.AllPorts{}, Media: 2 * r.Nodes, Words: [nic.ShapeWords]uint32{uint32(r.Nodes)}}
}

func (r Ring) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return fabric.NewPackets(r.Nodes)
}

func (r Ring) Schedules() []string { return nil }

func (r Ring) Schedule(string, fabric.Referee) (fabric.Schedule, error) { return nil, nil }

// heard is the link that ends at a node's port.
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

// Build puts a wire behind every transmitter.
func (r Ring) Build(p *fabric.Plant) error {
	leaves, hears := make([]uint32, 2*r.Nodes), hw.Gather{Inputs: 2}
	for link := range leaves {
		leaves[link] = uint32(link)
		hears.Wires = append(hears.Wires, uint32(r.heard(link/2, link%2)))
	}
	readers, err := hears.Readers(2 * r.Nodes)
	if err != nil {
		return err
	}
	near, err := p.Light("out", "", 2, nil)
	if err != nil {
		return err
	}
	out, err := hw.NewStarCouplers(p.Transmitters().Light(), p.Transmitters().Ports(), near, leaves, 1)
	if err != nil {
		return err
	}
	far, err := p.Light("out", "wire", 2, readers)
	if err != nil {
		return err
	}
	links, err := hw.NewFibre(far.Bank().Path(), p.Clock(), near, far, p.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return p.Carry(fabric.Media{Couplers: out, Links: links, Far: far, Hears: hears})
}

// slots is the ring in the slot engine: a frame on each link, in even and in odd slots.
type slots struct {
	Ring
	stride int
	frames [2][]byte
	lit    [2][]uint8
	placed [2][]uint64 // per shard
	shards []hw.Shard
	blocks func(node int, port uint16, slot uint32) bool // nil: all links are free
}

func (r Ring) SlotTransport(c *fabric.Config) (fabric.Transport, error) {
	s := &slots{Ring: r, stride: nic.FrameStride(c.PayloadBytes), shards: c.Shards}
	for i := range 2 {
		s.frames[i], s.lit[i], s.placed[i] = make([]byte, 2*r.Nodes*s.stride), make([]uint8, 2*r.Nodes), make([]uint64, len(c.Shards))
	}
	return s, nil
}

func (s *slots) Start()       {}
func (s *slots) Cross(uint32) {}
func (s *slots) Latch()       {}
func (s *slots) Reset(uint64) {}
func (s *slots) Path() string { return "fabric" }

func (s *slots) frame(slot uint32, link int) nic.FrameView {
	return s.frames[slot&1][link*s.stride : (link+1)*s.stride]
}

func (s *slots) Begin(shard int, slot uint32, _ bool) {
	clear(s.lit[slot&1][2*s.shards[shard].First : 2*s.shards[shard].End])
	s.placed[slot&1][shard] = 0
}

func (s *slots) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, _ fabric.Window, cells []uint32) {
	for _, c := range cells {
		cell, node := int(c), bank.First+int(c)
		illegal := bank.SendAll(cell, func(frame nic.FrameView) (taken bool) {
			frame.SetSource(uint32(node))
			if s.blocks != nil && s.blocks(node, frame.Port(), slot) {
				ledger.NoteBlocked(bank, cell, frame, slot)
				return false
			}
			for port := range 2 {
				if sent := frame.Port(); sent == nic.PortAll || int(sent) == port {
					frame.CopyTo(s.frame(slot, 2*node+port))
					s.lit[slot&1][2*node+port] = 1
					s.placed[slot&1][shard]++
				}
			}
			ledger.NoteSent(node, frame, slot)
			return true
		})
		if illegal != nil {
			fabric.SilenceIllegal(bank, cell, illegal, ledger, slot)
		}
	}
}

func (s *slots) Hear(_ int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window) {
	for cell := range bank.Cells { // windows: a unit is one node
		for port := range uint16(2) {
			bank.SetRx(cell, port, nic.StatusIdle)
			if link := s.heard(bank.First+cell, int(port)); s.lit[slot&1][link] != 0 && bank.Hears(cell, port, slot) {
				if effect := ledger.Harm(bank, cell, port, slot, false); effect != fabric.Unharmed {
					ledger.Frames.NoteHarmed(effect, 1)
					continue
				}
				ledger.Frames.Heard++
				ledger.NoteHeard(bank.First+cell, port, bank.PushRx(cell, port, s.frame(slot, link)), s.frame(slot, link), slot)
			}
		}
	}
	ledger.Judge(slot)
}

func (s *slots) Collisions(shard int, slot uint32, _ func(int, uint32)) (met, alone uint64) {
	return 0, s.placed[slot&1][shard]
}

func (s *slots) State(v *hw.StateVisitor) {
	for i, name := range []string{"even", "odd"} {
		hw.StateColumn(v, name+".frames", s.frames[i])
		hw.StateColumn(v, name+".lit", s.lit[i], hw.AtMost[uint8](1))
		hw.StateColumn(v, name+".placed", s.placed[i])
	}
}

func TestRing(t *testing.T) {
	image := filepath.Join(t.TempDir(), "router.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/router.c", Output: image}))
	scenario := func(nodes int, lazy int64) func(testing.TB) *starloom.Scenario {
		return func(testing.TB) *starloom.Scenario {
			s := starloom.DefaultScenario()
			s.Name, s.Fabric.Custom = "ring", Ring{nodes}
			s.Firmware.Image, s.Firmware.Params = image, map[string]int64{"lazy": lazy}
			s.Rules = &starloom.Rules{ExactlyOnce: true, PacketsPerProcessorMax: 2, CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
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
}

// TestForeignNames holds what a fabric without programs and schedules says of them.
func TestForeignNames(t *testing.T) {
	for _, refused := range []struct {
		firmware starloom.Firmware
		says     string
	}{
		{starloom.Firmware{Program: "pops/random"}, "the program pops/random is for another fabric; this fabric has no program; delete the key"},
		{starloom.Firmware{Program: "ring/all"}, `unknown program "ring/all"; this fabric has no program; delete the key`},
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
