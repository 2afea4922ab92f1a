package hw

// Flit is what a channel carries in one cycle: whether it is the first and the last one of its
// packet, the virtual channel in whose buffer it goes at the far end, and, used in heads only, the
// phase of a torus. The number of the packet, which says its destination, rides beside it, and so do the
// routers that a head has come to: no one but who holds a flit writes while it is under way.
type Flit uint64

const (
	flitHead  = 1 << 0
	flitTail  = 1 << 1
	flitPhase = 1 << 2

	flitVCShift     = 4
	flitVCMask      = VCsMax - 1
	flitHopsShift   = 12
	flitHopsMask    = (1<<16 - 1) << flitHopsShift
	flitNothing     = (1<<4 - 1) << (flitHopsShift + 16) // always 0
	flitPacketShift = 32
)

// VCsMax is the largest number of virtual channels of a port.
const VCsMax = 256

// PacketNodesMax is the largest number of sources and of sinks.
const PacketNodesMax = 1 << 20

// Head reports whether it is the first flit of its packet.
func (f Flit) Head() bool { return f&flitHead != 0 }

// Tail reports whether it is the last flit of its packet.
func (f Flit) Tail() bool { return f&flitTail != 0 }

// VC is the virtual channel that it takes.
func (f Flit) VC() int { return int(f >> flitVCShift & flitVCMask) }

// Hops are the routers that a head has come to, modulo 2^16.
func (f Flit) Hops() uint16 { return uint16(f >> flitHopsShift) }

func (f Flit) further() Flit {
	return f&^flitHopsMask | (f+(f&flitHead)<<flitHopsShift)&flitHopsMask
}

// Packet is the number of its packet.
func (f Flit) Packet() uint32 { return uint32(f >> flitPacketShift) }

func (f Flit) onVC(vc int) Flit { return f&^(flitVCMask<<flitVCShift) | Flit(vc)<<flitVCShift }

// Flits are the registers of a network's flits outside of buffers: of each channel the crossbar
// and output registers of its router, and the latency's worth of its link. A source has one register
// in place of two. What is put there in cycle s is at the far end in cycle s+2+latency (of a source
// s+1+latency), in order, and nothing stalls it.
//
// Wires 0, 1, ... are the input ports of all routers, then come the sinks. Reset: no flit.
type Flits struct{ channels[uint64] }
