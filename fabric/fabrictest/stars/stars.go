// Package stars is a fabric in one file: groups of processors with two passive stars each, built step by step in
// docs/how-to/add-a-network.md.
package stars

import (
	"errors"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/nic"
)

// Stars are groups of processors in a circle. A group has two stars: port 0 of a processor leads to its own group,
// port 1 to the next group. A processor hears its own group at port 0, the previous group at port 1. Port p of group
// k sends to star 2*k+p.
type Stars struct {
	Groups int `json:"groups" jsonschema:"required,minimum=2,maximum=4096,description=groups in the circle"`
	Size   int `json:"size" jsonschema:"minimum=1,maximum=4096,description=processors of a group"`
}

// Kind returns the first component of all paths, and the key in scenario files.
func (s Stars) Kind() string { return "stars" }

// Check finds mistakes that the tags do not exclude.
func (s Stars) Check() error {
	if s.Groups*s.Size > 1<<20 {
		return errors.New("stars have 1048576 processors at most")
	}
	return nil
}

// Shape returns the size: a unit is a group.
func (s Stars) Shape() fabric.Shape {
	return fabric.Shape{
		Units: s.Groups, PerUnit: s.Size, Ports: 2, Media: 2 * s.Groups, Discipline: fabric.OnePort{},
		Words: [nic.ShapeWords]uint32{uint32(s.Groups), uint32(s.Size)},
	}
}

// Programs returns none: users bring their images.
func (s Stars) Programs() []fabric.Program { return nil }

// Referee tracks one packet per processor, or one for all.
func (s Stars) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return referees.NewPackets(s.Groups * s.Size)
}

// MemoryBytes returns 0: the network needs little memory.
func (s Stars) MemoryBytes(*fabric.Config) uint64 { return 0 }

// Abilities returns none: stars run by their wiring.
func (s Stars) Abilities() fabric.Abilities { return fabric.Abilities{} }

// heard returns the star that a group hears at a port.
func (s Stars) heard(group, port int) int {
	return 2*((group-port+s.Groups)%s.Groups) + port
}

// Names returns paths such as stars.group[1].nic[0] and stars.group[1].star[0].
func (s Stars) Names() fabric.Names {
	return names{fabric.UnitNames{Path: "stars.group", PerUnit: s.Size}, s}
}

type names struct {
	fabric.UnitNames
	Stars
}

func (n names) Medium(star int) string {
	return fmt.Sprintf("stars.group[%d].star[%d]", star/2, star%2)
}
func (n names) Link(star int) string           { return n.Medium(star) + ".fibre" }
func (n names) MediumNoun() (one, many string) { return "star", "stars" }
func (n names) HeardOn(processor int, port uint16) int {
	return n.heard(processor/n.Size, int(port))
}

// SentOn returns the star of a port; a frame to all ports reaches the next group by the second port.
func (n names) SentOn(processor int, port uint16, towards int) int {
	group := processor / n.Size
	if port == nic.PortAll && towards/n.Size == group {
		port = 0
	}
	return 2*group + int(min(port, 1))
}

// Build adds the hardware of the cycle engine; the slot engine follows from the names.
func (s Stars) Build(p fabric.Plant) error {
	stars := fabric.Stars{Name: "star", Link: "fibre", Fan: 2, Hears: hw.Gather{Inputs: 2}}
	for processor := range s.Groups * s.Size {
		stars.Leaves = append(stars.Leaves, uint32(2*(processor/s.Size)))
	}
	for group := range s.Groups {
		stars.Hears.Wires = append(stars.Hears.Wires, uint32(s.heard(group, 0)), uint32(s.heard(group, 1)))
	}
	return stars.Build(p)
}
