// Package tuned is a fabric with its own discipline, in one folder: a NIC has two transmitters, tuned to one of many
// media in each slot. No other package knows it. Its slot engine tests the suite of package fabrictest, which must
// find each of many mutants.
package tuned

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/fabric/plant"
	"starloom/fabric/referees"
	"starloom/fabric/wired"
	"starloom/hw"
	"starloom/nic"
)

// fibres is the number of ports of a NIC, each with a transmitter and a receiver.
const fibres = 2

// Network is groups of processors joined by two fibres. On each fibre every group has a wavelength to every group,
// itself included: medium 2*groups*s + groups*f + d leads from group s to group d on fibre f. A transmitter is tuned
// to the group of its frame's addressee. Receivers are not tuned: receiver f in group d hears group d+1+f on fibre f.
type Network struct {
	Groups, Size int
	bug          bug      // mutation of the slot engine
	seen         *windows // windows given to the slot engine; may be nil
}

func (n Network) Kind() string                      { return "tuned" }
func (n Network) Programs() []fabric.Program        { return nil }
func (n Network) MemoryBytes(*fabric.Config) uint64 { return 0 }
func (n Network) Abilities() fabric.Abilities {
	return fabric.Abilities{Slot: fabric.SlotEngine{Transport: n.slotTransport}}
}

func (n Network) Check() error {
	if n.Groups <= fibres || n.Size < 1 {
		return errors.New("there are 3 groups or more, of 1 processor or more")
	}
	return nil
}

func (n Network) Shape() fabric.Shape {
	return fabric.Shape{
		Units: n.Groups, PerUnit: n.Size, Ports: fibres, Media: fibres * n.Groups * n.Groups, Discipline: discipline{n},
		Words: [nic.ShapeWords]uint32{uint32(n.Groups), uint32(n.Size)},
	}
}

func (n Network) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return referees.NewPackets(n.Groups * n.Size)
}

// medium returns the medium from one group to another.
func (n Network) medium(from, fibre, to int) int { return (from*fibres+fibre)*n.Groups + to }

// heard returns the group that a receiver hears.
func (n Network) heard(group, fibre int) int { return (group + 1 + fibre) % n.Groups }

// groupOf returns the group of an addressee; group 0 for a frame to all.
func (n Network) groupOf(addressee int) int {
	if addressee < 0 || addressee >= n.Groups*n.Size {
		return 0
	}
	return addressee / n.Size
}

type names struct {
	fabric.UnitNames
	Network
}

func (n Network) Names() fabric.Names {
	return names{fabric.UnitNames{Path: "tuned.group", PerUnit: n.Size}, n}
}

func (n names) Medium(medium int) string {
	perGroup := fibres * n.Groups
	return fmt.Sprintf("tuned.group[%d].wave[%d]", medium/perGroup, medium%perGroup)
}
func (n names) Link(medium int) string         { return n.Medium(medium) + ".fibre" }
func (n names) MediumNoun() (one, many string) { return "wave", "waves" }
func (n names) HeardOn(processor int, port uint16) int {
	group := processor / n.Size
	return n.medium(n.heard(group, int(port)), int(port), group)
}

func (n names) SentOn(processor int, port uint16, towards int) int {
	return n.medium(processor/n.Size, int(port)%fibres, n.groupOf(towards))
}

// Build adds the hardware: a star for each medium.
func (n Network) Build(p fabric.Plant) error {
	stars := fabric.Stars{Name: "wave", Link: "fibre", Fan: n.Groups, Hears: hw.Gather{Inputs: fibres * n.Groups}}
	for transmitter := range n.Groups * n.Size * fibres {
		stars.Leaves = append(stars.Leaves, uint32(n.medium(transmitter/fibres/n.Size, transmitter%fibres, 0)))
	}
	for group := range n.Groups {
		for fibre := range fibres {
			for from := range n.Groups {
				stars.Hears.Wires = append(stars.Hears.Wires, uint32(n.medium(from, fibre, group)))
			}
		}
	}
	return stars.Build(p)
}

// discipline is the use of all ports with tuned transmitters.
type discipline struct{ of Network }

func (discipline) NIC() nic.Discipline { return nic.Discipline{AllPorts: true} }
func (discipline) Rules() []string     { return nil }
func (d discipline) Access(p *plant.Front) (plant.Access, error) {
	return &access{of: d.of, plant: p, wire: make([][]byte, len(p.Shards()))}, nil
}

// access is the discipline's part of a Plant.
type access struct {
	of    Network
	plant *plant.Front
	wire  [][]byte // buffers by shard
}

func (a *access) Outputs() int              { return a.of.Groups }
func (a *access) Begin()                    {}
func (a *access) Crossed(uint32)            {}
func (a *access) Reset()                    {}
func (a *access) State(*hw.StateVisitor)    {}
func (a *access) IsFor(int, nic.Frame) bool { return true }

func (a *access) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	for cell := window.First; cell < window.End; cell++ {
		for fibre := range fibres {
			a.plant.Receive(shard, bank, cell, fibre, uint16(fibre), ledger, slot)
		}
	}
}

func (a *access) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, awake []uint32) {
	for _, cell := range awake {
		if bank.Registers[cell].TxCount == 0 {
			continue
		}
		if illegal := bank.SendAll(int(cell), func(frame nic.FrameView) bool {
			a.transmit(shard, bank.First+int(cell), frame, ledger, slot)
			return true
		}); illegal != nil {
			fabric.SilenceIllegal(bank, int(cell), illegal, ledger, slot)
		}
	}
	for cell := window.First; cell < window.End; cell++ {
		for fibre := range fibres {
			processor, input := bank.First+cell, nic.NoInput
			if bank.Hears(cell, uint16(fibre), slot) {
				input = uint32(fibre*a.of.Groups + a.of.heard(processor/a.of.Size, fibre))
			}
			a.plant.Receivers().Listen(processor*fibres+fibre, input)
		}
	}
}

// transmit loads the transmitters selected by the port of a frame.
func (a *access) transmit(shard, processor int, frame nic.FrameView, ledger *fabric.Ledger, slot uint32) {
	frame.SetSource(uint32(processor))
	wire := frame.AppendWire(a.wire[shard][:0])
	a.wire[shard] = wire
	for fibre := range fibres {
		if port := frame.Port(); port == nic.PortAll || int(port) == fibre {
			a.plant.Load(processor*fibres+fibre, wire, uint16(a.of.groupOf(int(frame.Destination()))), slot)
		}
	}
	ledger.NoteSent(processor, frame, slot)
}

func (a *access) Placed(shard, first, end int) {
	for transmitter := first; transmitter < end; transmitter++ {
		if to := a.plant.Sent(transmitter); to != nic.PortNone {
			a.plant.Placed(shard, transmitter, int(to))
		}
	}
}

// TestTuned runs the suite on a discipline of its own, in windows of all sizes, also with RTL in place of parts.
func TestTuned(t *testing.T) {
	network := Network{Groups: 5, Size: 4, seen: new(windows)}
	flood := fabrictest.Flood{Fabric: starloom.Fabric{Custom: network}, RTL: []starloom.RTL{
		{Replace: "tuned.group[*].nic[2].tx[*]", Twin: "serialiser"}, {Replace: "tuned.group[1].nic[*].rx[0]", Twin: "deserialiser"},
	}}
	flood.Run(t)
	require.Equal(t, []int{1, 4, 8, 12, 20}, network.seen.widths(), "windows that the slot engine was given")
	flood.Fabric.Custom = Network{Groups: 3, Size: 1}
	flood.RTL = nil
	t.Run("groups of one", flood.Run)
}

// TestNoSlotEngine requires a slot engine of a network with a discipline unknown to the wiring.
func TestNoSlotEngine(t *testing.T) {
	_, err := wired.TransportOf(slow{Network{Groups: 3, Size: 1}}, &fabric.Config{Shards: []hw.Shard{{End: 3}}})
	require.ErrorContains(t, err, "provide a fabric.SlotEngine")
}

// slow is a network without a slot engine.
type slow struct{ Network }

func (slow) Abilities() fabric.Abilities { return fabric.Abilities{} }
