package hw

import "fmt"

// PacketEjector is a stand-alone sink that a processor empties, for a kernel with one shard of one unit. Flits carry
// data.
type PacketEjector struct {
	Registers
	eject    *ejection
	dataBits int

	data    []uint64 // [vc * (depth + 1) + place]: data of the flits of each VC, a ring
	written []uint16 // by VC: next place in data
	open    []uint8  // by VC: 1 if the last packet lacks its tail
	credit  []uint8  // 1 + VC of the credit on the wire, 0 for none

	valid, tail      bool
	vc, value, freed uint64
}

// NewPacketEjector returns a sink with room for places packets, which get flits of dataBits bits of data on vcs virtual
// channels. depth is the number of credits per channel.
func NewPacketEjector(path string, vcs, depth, places, dataBits int) (*PacketEjector, error) {
	if vcs < 1 || vcs > 64 || depth < 1 || depth > 256 || places < 1 || places > 1<<15 || dataBits < 1 ||
		dataBits > RouterDataBits {
		return nil, fmt.Errorf("%s: %d VCs, depth %d, %d places, %d bits of data; allowed: 1 to 64, 1 to 256, 1 to %d, "+
			"1 to %d", path, vcs, depth, places, dataBits, 1<<15, RouterDataBits)
	}
	w := &routerWiring{nodes: 1, places: []Shard{{0, 0, 1}}}
	x := &PacketEjector{eject: newEjection(w, &RouterConfig{VCs: vcs, Depth: depth}, places), dataBits: dataBits,
		data: make([]uint64, vcs*(depth+1)), written: make([]uint16, vcs), open: make([]uint8, vcs), credit: make([]uint8, 1)}
	x.Registers = Declare(Declaration{Path: path, Derive: x.eject.derive,
		Registers: append(x.eject.registers(), Column("data", x.data), Column("written", x.written, AtMost(uint16(depth))),
			Column("open", x.open, AtMost[uint8](1)), Column("credit", x.credit, AtMost(uint8(vcs))))})
	x.Reset()
	return x, nil
}

// arriving returns the flit on the inputs. It drops a flit for a VC that does not exist or whose buffer is full.
func (x *PacketEjector) arriving() (Flit, bool) {
	e, vc := x.eject, int(x.vc)
	if !x.valid || vc >= e.vcs || int(e.count[vc]) == e.depth {
		return 0, false
	}
	at := vc*(e.depth+1) + int(x.written[vc])
	return Flit(bit(x.open[vc] == 0))*flitHead | Flit(bit(x.tail))*flitTail | Flit(vc)<<flitVCShift |
		Flit(at)<<flitPacketShift, true
}

// ejected returns the flit that leaves the sink in this cycle and its data.
func (x *PacketEjector) ejected() (f Flit, data uint64, ok bool) {
	arriving, lit := x.arriving()
	if f, ok = x.eject.next(0, arriving, lit); !ok {
		return 0, 0, false
	}
	if data = x.data[f.Packet()]; lit && f == arriving {
		data = x.value
	}
	return f, data, true
}

func (x *PacketEjector) Latches() []Wire { return nil }

func (x *PacketEjector) Latch(Shard) {
	e := x.eject
	f, lit := x.arriving()
	if lit {
		vc := f.VC()
		x.data[f.Packet()], x.open[vc] = x.value, uint8(bit(!f.Tail()))
		x.written[vc] = uint16((int(x.written[vc]) + 1) % (e.depth + 1))
	}
	if taken := lit && e.takes(0, f); !taken {
		if f, lit = e.pop(0); !e.holds(0) {
			e.held[0].Clear()
		}
	}
	if x.credit[0] = 0; lit {
		x.credit[0] = 1 + uint8(f.VC())
	}
	e.freed(0, int(x.freed))
}

// Site describes the sink.
func (x *PacketEjector) Site() *Site {
	vcBits := IndexBits(x.eject.vcs)
	input := func(name string, bits int, put func(value uint64)) Port {
		return Port{Name: name, Bits: bits, Input: true, Get: GetPins(func(int, Pins) {}),
			Put: PutValue(func(_ int, value uint64) error { put(value); return nil })}
	}
	output := func(name string, bits int, get func() uint64) Port {
		return exported(name, bits, func(int) uint64 { return get() })
	}
	of := func(value func(f Flit, data uint64) uint64) func() uint64 {
		return func() uint64 {
			if f, data, ok := x.ejected(); ok {
				return value(f, data)
			}
			return 0
		}
	}
	return &Site{
		Twin: "packet_ejector", What: "sinks of packets", Elements: 1, Clocked: true, Combinational: true,
		Path:       func(int) string { return x.Path() },
		Parameters: Same(x.eject.parameters(x.dataBits)),
		Ports: []Port{
			input("valid_i", 1, func(v uint64) { x.valid = v != 0 }),
			input("tail_i", 1, func(v uint64) { x.tail = v != 0 }),
			input("vc_i", vcBits, func(v uint64) { x.vc = v }),
			input("data_i", x.dataBits, func(v uint64) { x.value = v }),
			input("freed_i", IndexBits(int(x.eject.places)+1), func(v uint64) { x.freed = v }),
			output("begin_o", 1, of(func(f Flit, _ uint64) uint64 { return bit(f.Head()) })),
			output("end_o", 1, of(func(f Flit, _ uint64) uint64 { return bit(f.Tail()) })),
			output("data_o", x.dataBits, of(func(f Flit, data uint64) uint64 { return data * bit(f.Head() || f.Tail()) })),
			output("credit_o", 1, func() uint64 { return bit(x.credit[0] != 0) }),
			output("credit_vc_o", vcBits, func() uint64 { return uint64(max(x.credit[0], 1) - 1) }),
		},
	}
}

func (e *ejection) parameters(dataBits int) map[string]int {
	return map[string]int{"VCS": e.vcs, "DEPTH": e.depth, "PLACES": int(e.places), "DATA_BITS": dataBits}
}
