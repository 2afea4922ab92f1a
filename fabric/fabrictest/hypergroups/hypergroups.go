// Package hypergroups is a network of unequal processors: groups of processors with one star per group, and a further
// star for the first processors of all groups. docs/how-to/add-a-network.md mentions it.
package hypergroups

import (
	"errors"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/nic"
)

// ports is the maximum number of ports of a processor.
const ports = 2

// Hypergroups are groups of processors. Port 0 of a processor leads to the star of its group; port 1, which only
// processor 0 of a group has, to the last star. Star k belongs to group k.
type Hypergroups struct {
	Groups int `json:"groups" jsonschema:"required,minimum=1,maximum=4096,description=groups"`
	Size   int `json:"size" jsonschema:"minimum=1,maximum=4096,description=processors of a group"`
}

// Kind returns the first component of all paths.
func (h Hypergroups) Kind() string { return "hypergroups" }

// Check limits the number of processors.
func (h Hypergroups) Check() error {
	if h.Groups*h.Size > 1<<16 {
		return errors.New("hypergroups have 65536 processors at most")
	}
	return nil
}

func (h Hypergroups) processors() int { return h.Groups * h.Size }
func (h Hypergroups) media() int      { return h.Groups + 1 }

// star returns the star of a port in both directions, -1 for a missing port.
func (h Hypergroups) star(processor, port int) int {
	switch {
	case port == 0:
		return processor / h.Size
	case port == 1 && processor%h.Size == 0:
		return h.Groups
	default:
		return -1
	}
}

// leads returns the stars of all ports.
func (h Hypergroups) leads() (leads []uint32) {
	for port := range h.processors() * ports {
		lead := fabric.NoMedium
		if star := h.star(port/ports, port%ports); star >= 0 {
			lead = uint32(star)
		}
		leads = append(leads, lead)
	}
	return leads
}

// Shape returns one unit, since processors differ; the discipline has a wiring and the number of ports of each
// processor.
func (h Hypergroups) Shape() fabric.Shape {
	wiring := fabric.NewWiring(h.processors() * ports)
	copy(wiring.Sends, h.leads())
	copy(wiring.Hears, h.leads())
	own := make([]uint16, h.processors())
	for processor := range own {
		own[processor] = 1
		if processor%h.Size == 0 {
			own[processor] = ports
		}
	}
	return fabric.Shape{
		Units: 1, PerUnit: h.processors(), Ports: ports, Media: h.media(),
		Discipline: fabric.OnePort{Wiring: wiring, Own: nic.NewOwn(own, nil, ports)},
		Words:      [nic.ShapeWords]uint32{uint32(h.Groups), uint32(h.Size)},
	}
}

// Programs returns none.
func (h Hypergroups) Programs() []fabric.Program { return nil }

// Referee tracks one packet per processor, or one for all.
func (h Hypergroups) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return referees.NewPackets(h.processors())
}

// MemoryBytes returns 0: the network needs little memory.
func (h Hypergroups) MemoryBytes(*fabric.Config) uint64 { return 0 }

// Abilities returns none.
func (h Hypergroups) Abilities() fabric.Abilities { return fabric.Abilities{} }

// Names returns names that agree with the wiring.
func (h Hypergroups) Names() fabric.Names {
	return names{fabric.UnitNames{Path: "hypergroups.net", PerUnit: h.processors()}, h}
}

type names struct {
	fabric.UnitNames
	Hypergroups
}

func (n names) Medium(star int) string                 { return fmt.Sprintf("hypergroups.net[0].star[%d]", star) }
func (n names) Link(star int) string                   { return n.Medium(star) + ".fibre" }
func (n names) MediumNoun() (one, many string)         { return "star", "stars" }
func (n names) HeardOn(processor int, port uint16) int { return n.star(processor, int(port)) }
func (n names) SentOn(processor int, port uint16, towards int) int {
	if port == nic.PortAll {
		port = 0
		if processor%n.Size == 0 && towards/n.Size != processor/n.Size {
			port = 1
		}
	}
	return n.star(processor, int(port))
}

// Build adds the hardware of the cycle engine. The wiring selects the stars that a receiver hears.
func (h Hypergroups) Build(p fabric.Plant) error {
	hears := hw.Gather{Inputs: h.media()}
	for star := range h.media() {
		hears.Wires = append(hears.Wires, uint32(star))
	}
	readers, err := hears.Readers(h.media())
	if err != nil {
		return err
	}
	near, err := p.Light(p.Bank("star", "", h.media()), nil)
	if err != nil {
		return err
	}
	far, err := p.Light(p.Bank("star", "fibre", h.media()), readers)
	if err != nil {
		return err
	}
	t := p.Transmitters()
	stars, err := hw.NewDrawnCouplers(t.Light(), t.Ports(), near, h.leads(), ports)
	if err != nil {
		return err
	}
	fibres, err := hw.NewFibre(far.Bank().Path(), p.Clock(), near, far, p.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return p.Carry(fabric.Media{Medium: stars, Links: fibres, Far: far, Hears: hears, Whole: true})
}
