// Package pops implements POPS(d,g), the partitioned optical passive star network of A. Mei and R. Rizzi, "On-Line
// Permutation Routing in Partitioned Optical Passive Star Networks": d processors in each of g groups, and a star
// coupler from every group to every group.
//
//	group a                    coupler (a,b)              group b
//	transmitter, any port b -> light of all d meets -> fibre -> receiver, any port a
package pops

import (
	_ "embed"
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// source is this file, whose comments describe keys of a scenario.
//
//go:embed network.go
var source string

// Network is a partitioned optical passive star network POPS(d,g): n = d*g processors in g groups of d, and a star
// coupler for every ordered pair of groups (A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
// Passive Star Networks", section 2).
//
// Processor i is number i mod d of group i div d. In a slot it may send one frame to any outgoing coupler of its
// group, and hear one incoming coupler: port p of a transmitter leads to group p, and port p of a receiver hears
// group p. Coupler (from,to) has the index from*g+to, so the outgoing couplers of a group are adjacent.
type Network struct {
	// number of groups g
	Groups int `json:"groups" jsonschema:"required,minimum=1,maximum=65533"`
	// processors per group d
	GroupSize int `json:"group_size" jsonschema:"required,minimum=1,maximum=65533"`
}

func (Network) Declaration() string { return source }

var _ fabric.Network = Network{}

const (
	GroupsMax    = 65533 // ports have 16 bits
	GroupSizeMax = 65533 // numbers within a group have 16 bits
)

const elementsMax = math.MaxInt32

// New returns a network of the given size. It returns the error of Check.
func New(groups, groupSize int) (Network, error) {
	p := Network{Groups: groups, GroupSize: groupSize}
	return p, p.Check()
}

func (p Network) Kind() string { return "pops" }

// Check implements fabric.Network. Both numbers must be positive, with at most 2^31-1 processors and couplers.
func (p Network) Check() error {
	switch {
	case p.Groups < 1 || p.Groups > GroupsMax:
		return fmt.Errorf("groups is %d; allowed: 1 to %d", p.Groups, GroupsMax)
	case p.GroupSize < 1 || p.GroupSize > GroupSizeMax:
		return fmt.Errorf("group_size is %d; allowed: 1 to %d", p.GroupSize, GroupSizeMax)
	case p.Processors() > elementsMax:
		return input.Mistake("fabric.pops.group_size",
			fmt.Sprintf("groups x group_size is %d processors; at most %d are possible", p.Processors(), elementsMax),
			fmt.Sprintf("with %d groups, give a group_size of at most %d", p.Groups, elementsMax/p.Groups))
	case p.Couplers() > elementsMax:
		return input.Mistake("fabric.pops.groups",
			fmt.Sprintf("groups x groups is %d couplers; at most %d are possible", p.Couplers(), elementsMax),
			fmt.Sprintf("give at most %d groups", int(math.Sqrt(elementsMax))))
	}
	return nil
}

// Processors returns n = d*g.
func (p Network) Processors() int { return p.Groups * p.GroupSize }

// Couplers returns g*g.
func (p Network) Couplers() int { return p.Groups * p.Groups }

func (p Network) resized(steps int) fabric.Network {
	return Network{Groups: fabric.Scaled(p.Groups, steps), GroupSize: fabric.Scaled(p.GroupSize, steps)}
}

// Coupler returns the index of the coupler from one group to another.
func (p Network) Coupler(from, to int) int { return from*p.Groups + to }

// Shape implements fabric.Network. A unit is a group, a medium is a coupler.
func (p Network) Shape() fabric.Shape {
	return fabric.Shape{
		Units: p.Groups, PerUnit: p.GroupSize, Ports: p.Groups, Media: p.Couplers(),
		Words: [nic.ShapeWords]uint32{uint32(p.Groups), uint32(p.GroupSize)},
	}
}

func (p Network) Names() fabric.Names {
	return names{fabric.UnitNames{Path: "pops.group", PerUnit: p.GroupSize}, p}
}

// names forms paths such as pops.group[3].nic[1] and pops.group[from].coupler[to].
type names struct {
	fabric.UnitNames
	net Network
}

func (n names) Medium(coupler int) string {
	return fmt.Sprintf("pops.group[%d].coupler[%d]", coupler/n.net.Groups, coupler%n.net.Groups)
}

func (n names) Link(coupler int) string { return n.Medium(coupler) + ".fibre" }

func (n names) MediumNoun() (one, many string) { return "coupler", "couplers" }

func (n names) SentOn(processor int, port uint16, towards int) int {
	to := int(port)
	if port == nic.PortAll {
		to = towards / n.net.GroupSize
	}
	return n.net.Coupler(processor/n.net.GroupSize, to)
}

func (n names) HeardOn(processor int, port uint16) int {
	return n.net.Coupler(int(port), processor/n.net.GroupSize)
}

// Bytes per coupler in the tables of SlotTransport and in hardware.
const (
	memorySenders  = 3 // senders and first frame of a coupler, in each of two tables
	memoryListened = 1
	memoryHardware = 48 // light at both ends, readers, listeners
	memoryLit      = 96 // lists of lit and read couplers, at most one per processor
)

func (p Network) MemoryBytes(c *fabric.Config) uint64 {
	couplers := uint64(p.Couplers())
	if c.Cycle {
		return couplers*memoryHardware + min(couplers, uint64(p.Processors()))*memoryLit
	}
	frames := uint64(0)
	if c.Workload.OneToAll == nil { // with one source, few groups send
		frames = uint64(p.Groups) * uint64(min(p.Groups, p.GroupSize)+rowPad) // packets are small frames, without tails
	}
	return couplers*(2*memorySenders+memoryListened) + 2*frames*uint64(nic.SmallFrameBytes)
}

func (n Network) holds(rule string) string {
	if rule != fabric.RuleCollisionFree || n.GroupSize > 1 {
		return ""
	}
	return "with group_size: 1 a coupler has one sender"
}

const rowPad = 24

// Build implements fabric.Network. Each coupler combines the light of all transmitters of its source group; a fibre
// leads from the coupler to the destination group.
func (p Network) Build(plant fabric.Plant) error {
	g, d := p.Groups, p.GroupSize
	leaves := make([]uint32, p.Processors()) // first coupler that leaves a processor's group
	for i := range leaves {
		leaves[i] = uint32(i / d * g)
	}
	hears := hw.Gather{Inputs: g} // a port has the number of the group at its coupler's other end
	for to := range g {
		for from := range g {
			hears.Wires = append(hears.Wires, uint32(p.Coupler(from, to)))
		}
	}
	return fabric.Stars{Name: "coupler", Link: "fibre", Leaves: leaves, Fan: g, Hears: hears}.Build(plant)
}
