// Package ej implements Eisenstein-Jacobi networks of any dimension and broadcasts in them (Z. Hussain, "An Improved
// One-to-All Broadcasting in Higher Dimensional Eisenstein-Jacobi Networks"). Every node has six links in each
// dimension.
package ej

import (
	_ "embed"
	"fmt"
	"sync"

	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// source is this file, whose comments describe keys of a scenario.
//
//go:embed network.go
var source string

// Network is EJ_{a+b*rho}^(n): nodes are n-tuples of residues of the Eisenstein-Jacobi integers modulo a+b*rho, rho =
// (1+i*sqrt(3))/2. In each dimension, a node has links to the six residues that differ by a unit (section 2 of the
// paper). Node c_1 + c_2*N + c_3*N^2 + ... has the residue c_k in dimension k.
//
// A NIC sends and receives on all of its ports in one slot. Port 6*(k-1)+j leads, in dimension k, to the node whose
// residue is larger by rho^j: +1, +rho, +rho^2, -1, -rho, -rho^2.
type Network struct {
	// a of alpha = a+b*rho, at most b
	A int `json:"a" jsonschema:"required,minimum=0,maximum=65536"`
	// b of alpha; (a, b) must not be (0,1), (1,1) or (0,2)
	B int `json:"b" jsonschema:"required,minimum=1,maximum=65536"`
	// number of dimensions n; the network has (a*a+a*b+b*b)^n nodes
	Dimensions int `json:"dimensions" jsonschema:"required,minimum=1,maximum=11"`
	// half: a link carries one direction per slot, and opposite frames collide; full: both directions (default half,
	// for traffic full)
	Duplex string `json:"duplex,omitempty" jsonschema:"enum=half,enum=full"`
	// maximum number of packets of an all-to-all broadcast on a link in one slot, 0 for no limit (default)
	PacketsPerLink int `json:"packets_per_link,omitempty" jsonschema:"minimum=0,maximum=4096"`

	Credits *fabric.CreditLimits `json:"credits,omitempty"`

	program string // argument of Adapt, "" for an image
	params  map[string]int64
	decided []string // keys set by the program
}

func (Network) Declaration() string { return source }

const (
	DuplexHalf = "half" // a link carries one direction per slot
	DuplexFull = "full" // a link carries both directions
)

const directions = 6

const alphaMax = 1 << 16

// DimensionsMax follows from two limits: a NIC has ports for 11 dimensions, and 12 dimensions with at least seven
// nodes each have more than 2^31-1 processors.
const DimensionsMax = 11

const _ = uint(nic.LanesMax/directions - DimensionsMax)

const packetsPerLinkMax = 4096

// resized changes a and b together, as the programs require. When a and b are minimal, it removes dimensions.
func (e Network) resized(steps int) fabric.Network {
	least := 0
	if e.B-e.A < 2 {
		least = 1 // smaller values yield fewer than seven residues
	}
	fewer := max(least-(e.A+steps), 0)
	e.A, e.B, e.Dimensions = e.A+steps+fewer, e.B+steps+fewer, e.Dimensions-fewer
	return e
}

func (e Network) Kind() string { return "ej" }

func (e Network) adapt(program, _ string, params map[string]int64) fabric.Network {
	e.program, e.params = program, params
	if e.Duplex == "" {
		e.Duplex = DuplexHalf
		if program == trafficProgram {
			e.Duplex, e.decided = DuplexFull, []string{"duplex"}
		}
	}
	return e
}

func (e Network) Check() error {
	refuse := func(key, reason, remedy string) error {
		return input.Mistake("fabric.ej."+key, reason, remedy)
	}
	switch {
	case e.Dimensions < 1 || e.Dimensions > DimensionsMax:
		return refuse("dimensions", fmt.Sprintf("dimensions is %d", e.Dimensions),
			fmt.Sprintf("allowed: 1 to %d; more dimensions need 2^31 processors or more", DimensionsMax))
	case e.PacketsPerLink < 0 || e.PacketsPerLink > packetsPerLinkMax:
		return refuse("packets_per_link", fmt.Sprintf("packets_per_link is %d", e.PacketsPerLink),
			fmt.Sprintf("allowed: 0 (no limit) to %d", packetsPerLinkMax))
	}
	const alphas = "choose 0 <= a <= b with a*a+a*b+b*b of 7 or more, e.g. a: 3, b: 4"
	switch {
	case e.A < 0 || e.A > e.B:
		return refuse("a", fmt.Sprintf("a is %d and b %d", e.A, e.B), alphas)
	case e.B > alphaMax:
		return refuse("b", fmt.Sprintf("b is %d", e.B), fmt.Sprintf("at most %d is possible", alphaMax))
	case e.norm() < directions+1:
		residues := traces.Plural(uint64(e.norm()), "residue", "residues")
		return refuse("b", fmt.Sprintf("%d+%d*rho has %s, but no node has six different "+
			"neighbours", e.A, e.B, residues), alphas)
	case e.norm() > eisenstein.SizeMax:
		return refuse("b", fmt.Sprintf("%d+%d*rho has %d residues", e.A, e.B, e.norm()),
			fmt.Sprintf("at most %d are possible", eisenstein.SizeMax))
	}
	nodes := 1.
	for range e.Dimensions {
		nodes *= float64(e.norm())
	}
	if nodes > 1<<31-1 {
		return refuse("dimensions",
			fmt.Sprintf("%d nodes in each of %d dimensions are %.4g processors", e.norm(), e.Dimensions, nodes),
			fmt.Sprintf("at most %d are possible", 1<<31-1))
	}
	if e.program == trafficProgram && e.Duplex == DuplexHalf {
		return refuse("duplex", "duplex is half, and "+trafficProgram+" sends in both directions of a link",
			"write duplex: full, or delete it")
	}
	for _, program := range onlySuccessors {
		if e.program == program && e.B != e.A+1 {
			take := fmt.Sprintf("take b: %d", e.A+1)
			if e.A == 0 { // 0+1*rho is too small
				take = "take a: 1 and b: 2"
			}
			return refuse("b", fmt.Sprintf("a is %d and b is %d, but %s needs b = a+1", e.A, e.B, program),
				fmt.Sprintf("%s, or use a program for every alpha: %s or %s", take, generalProgram, allToAllC2Program))
		}
	}
	if err := e.checkLinks(refuse); err != nil {
		return err
	}
	return e.checkCombined(refuse)
}

// checkLinks rejects a limit per link below the number of packets of an algorithm with phases, because the limit does
// not lengthen the phases.
func (e Network) checkLinks(refuse func(key, reason, remedy string) error) error {
	if e.PacketsPerLink == 0 || e.program != allToAllProgram && e.program != allToAllC1Program {
		return nil
	}
	unlimited := e
	unlimited.PacketsPerLink = 0
	if most := unlimited.mostPackets(e.program); e.PacketsPerLink < most {
		return refuse("packets_per_link",
			fmt.Sprintf("packets_per_link is %d, but %s puts %d packets on a link in one step",
				e.PacketsPerLink, e.program, most),
			fmt.Sprintf("use 0 (no limit), %d or more, or %s, which waits for its turn", most, allToAllC2Program))
	}
	return nil
}

func (e Network) checkCombined(refuse func(key, reason, remedy string) error) error {
	most, fit := e.mostPackets(e.program), nic.PayloadBytesMax/packetBytes(&fabric.Program{Name: e.program})
	if most <= fit {
		return nil
	}
	remedy := "give fewer dimensions, or a smaller alpha"
	if e.program == allToAllC2Program {
		remedy = fmt.Sprintf("%s, or packets_per_link: %d or less", remedy, packetsPerLinkMax)
	}
	return refuse("dimensions",
		fmt.Sprintf("%s sends up to %d packets on a link in one step, but a frame holds only %d",
			e.program, most, fit), remedy)
}

func (e Network) norm() int { return e.A*e.A + e.A*e.B + e.B*e.B }

func (e Network) diameter() int { return (e.A + 2*e.B) / 3 }

func (e Network) ports() int { return directions * e.Dimensions }

func (e Network) nodes() int {
	nodes := 1
	for range e.Dimensions {
		nodes *= e.norm()
	}
	return nodes
}

func (e Network) torus() *eisenstein.Torus {
	field, err := eisenstein.New(e.A, e.B)
	if err != nil {
		panic(err)
	}
	t, err := eisenstein.NewTorus(field, e.Dimensions)
	if err != nil {
		panic(err)
	}
	return t
}

// Shape implements fabric.Network. A unit is a node, a medium is one direction of a link. The words for firmware are
// N, n, M and packets_per_link.
func (e Network) Shape() fabric.Shape {
	return fabric.Shape{
		Units: e.nodes(), PerUnit: 1, Ports: e.ports(), Discipline: fabric.AllPorts{}, PortLabels: e.portLabels(),
		Media: e.nodes() * e.ports(),
		Words: [nic.ShapeWords]uint32{uint32(e.norm()), uint32(e.Dimensions), uint32(e.diameter()), uint32(e.PacketsPerLink)},
	}
}

func (e Network) settled() (n fabric.Network, program []string) {
	if e.Credits != nil {
		limits := e.Credits.Settled()
		e.Credits = &limits
	}
	return e, e.decided
}

func (e Network) opposites() []uint32 {
	if e.Duplex == DuplexFull {
		return nil
	}
	opposites := make([]uint32, e.nodes()*e.ports())
	for medium := range opposites {
		direction := medium % directions
		opposites[medium] = uint32(medium - direction + (direction+directions/2)%directions)
	}
	return opposites
}

// sentOn returns the medium of a node's sending port. A link has the number of its port at the end from which it
// leads in direction +1, +rho or +rho^2. For j < 3, medium node*6n+6(k-1)+j is the light from port 6(k-1)+j of the
// node. For j >= 3 it is the light that arrives over the link of port 6(k-1)+j-3, from the neighbour's port with the
// same j.

func (e Network) sentOn(t *eisenstein.Torus, node, port int) int {
	if port%directions >= directions/2 {
		node = t.Neighbour(node, port/directions+1, port%directions)
	}
	return node*e.ports() + port
}

// heardOn returns the medium at a node's receiving port, which is the medium of the neighbour's opposite port.
func (e Network) heardOn(t *eisenstein.Torus, node, port int) int {
	return e.sentOn(t, t.Neighbour(node, port/directions+1, port%directions), opposite(port))
}

func opposite(port int) int {
	return port/directions*directions + (port+directions/2)%directions
}

func (e Network) Names() fabric.Names {
	return names{UnitNames: fabric.UnitNames{Path: "ej.node", PerUnit: 1, Ports: e.portLabels()}, net: e,
		media: e.mediumLabels(), torus: sync.OnceValue(e.torus)}
}

type names struct {
	fabric.UnitNames
	net   Network
	media []string
	torus func() *eisenstein.Torus
}

func label(what string, dimension, direction int) string {
	return fmt.Sprintf("dim[%d].%s[%s]", dimension, what, eisenstein.Directions[direction])
}

func (e Network) portLabels() (labels []string) {
	for port := range e.ports() {
		labels = append(labels, label("port", port/directions+1, port%directions))
	}
	return labels
}

func (e Network) linkLabels() (labels []string) {
	for link := range e.ports() / 2 {
		labels = append(labels, label("link", link/(directions/2)+1, link%(directions/2)))
	}
	return labels
}

func (e Network) mediumLabels() (labels []string) {
	for medium := range e.ports() {
		direction := ".out"
		if medium%directions >= directions/2 {
			direction = ".in"
		}
		labels = append(labels, label("link", medium/directions+1, medium%(directions/2))+direction)
	}
	return labels
}

func (n names) Medium(medium int) string {
	return hw.Index(n.Path, medium/len(n.media)) + "." + n.media[medium%len(n.media)]
}

func (n names) Link(medium int) string       { return n.Medium(medium) + "." + fibre }
func (names) MediumNoun() (one, many string) { return "link", "links" }

func (n names) SentOn(node int, port uint16, _ int) int {
	return n.net.sentOn(n.torus(), node, int(port)%n.net.ports())
}

func (n names) HeardOn(node int, port uint16) int {
	return n.net.heardOn(n.torus(), node, int(port)%n.net.ports())
}

// plane places the residues of the first dimension by their least representatives.
func (e Network) plane() fabric.Plane {
	torus := e.torus()
	return fabric.Plane{
		Place: func(node int) (x, y float64, drawn bool) {
			if node >= torus.Size() {
				return 0, 0, false
			}
			x, y = torus.Place(node)
			return x, y, true
		},
		Step: func(port int) (dx, dy float64) {
			if port >= directions {
				return 0, 0
			}
			return eisenstein.Unit(port)
		},
	}
}

func (e Network) holds(rule string) string {
	if rule != fabric.RuleCollisionFree || e.Duplex != DuplexFull {
		return ""
	}
	return "with duplex: full, each direction of a link has one sender"
}
