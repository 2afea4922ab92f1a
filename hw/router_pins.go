package hw

// RouterDataBits are the bits of a flit that a router in a network does not look at: the phase, the routers that it has
// come to and the packet.
const RouterDataBits = 1 + flitPacketShift - flitHopsShift + 32

// flitCarriedHead is flitHead of a flit whose packet is not counted: that of a router alone.
const flitCarriedHead = 1 << 3

// routerPins is what stands at the pins of routers for which RTL stands, or of one that is a device itself.
type routerPins struct {
	head     Flit     // its bit
	dataBits int      // of a flit
	replaced []bool   // by router; nil: none
	carried  []uint64 // [input VC*depth + place]: the route that a flit has brought with it; nil: a route table says

	// By port: what has been put.
	valid, credit []bool
	flit          []Flit
	vc, creditVC  []uint64
	route         []uint64
}

func (p *routerPins) build(ports int) {
	p.valid, p.credit, p.flit = make([]bool, ports), make([]bool, ports), make([]Flit, ports)
	p.vc, p.creditVC, p.route = make([]uint64, ports), make([]uint64, ports), make([]uint64, ports)
}
