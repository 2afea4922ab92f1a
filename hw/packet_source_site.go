package hw

import (
	"fmt"
	"math/bits"
)

// PacketSource is a stand-alone source of packets for a kernel with the same clock and one shard of one unit.
type PacketSource struct {
	Registers
	network        *FedNetwork
	queue          int
	dataBits, size int

	data []uint64 // by packet
	gone []uint32 // number of packets whose numbers are free again

	create, credit, held           bool
	created, length, creditVC, vcs uint64
}

// NewPacketSource returns a source whose FIFO holds queue packets. A packet has a size of up to sizeBits bits and
// carries dataBits bits of data.
func NewPacketSource(path string, clock *Clock, config RouterConfig, queue, sizeBits, dataBits int,
	shards []Shard) (*PacketSource, error) {
	if queue < 1 || queue > 1<<16 || sizeBits < 1 || sizeBits > 16 || dataBits < 1 || dataBits > RouterDataBits {
		return nil, fmt.Errorf("%s: %d packets, sizes of %d bits, %d bits of data; allowed: 1 to %d, 1 to 16, 1 to %d", path,
			queue, sizeBits, dataBits, 1<<16, RouterDataBits)
	}
	graph := RouterGraph{Ports: []int{1}, Nodes: []RouterNode{{Latency: 1}}}
	routing, feed := RouteTable{Ports: make([]uint8, 1)}, Feed{TxFrames: queue, Chosen: true}
	n, err := NewFedNetwork(path, clock, config, &graph, routing, feed, shards)
	if err != nil {
		return nil, err
	}
	x := &PacketSource{network: n, queue: queue, size: sizeBits, dataBits: dataBits, data: make([]uint64, queue+1),
		gone: make([]uint32, 1)}
	x.Registers = Declare(Declaration{Path: Join(path, "feed"),
		Registers: []Register{Column("data", x.data), Column("gone", x.gone)}})
	return x, nil
}

// Components returns the parts of the source for a kernel.
func (x *PacketSource) Components() []Component {
	n := x.network
	return []Component{n.Flits, n.Credits, n.Sources, n.table, x}
}

// Site describes the source.
func (x *PacketSource) Site() *Site {
	n := x.network
	c, to := &n.Sources.config, n.Sources.wiring.sources[0]
	field := func(name string, bits int, of func(f Flit) uint64) Port {
		return Port{Name: name, Bits: bits, Put: Unread, Get: GetValue(func(int) uint64 {
			if f, lit := n.Flits.at(to.wire, to.delay-1); lit {
				return of(Flit(f))
			}
			return 0
		})}
	}
	input := func(name string, bits int, put func(value uint64)) Port {
		return Port{Name: name, Bits: bits, Input: true, Get: GetPins(func(int, Pins) {}),
			Put: PutValue(func(_ int, value uint64) error { put(value); return nil })}
	}
	return &Site{
		Twin: "packet_source", What: "sources of packets", Elements: 1, Clocked: true, Take: x.take,
		Path: func(int) string { return n.Sources.Path() },
		Parameters: Same(map[string]int{"VCS": c.VCs, "DEPTH": c.Depth, "WAIT_FOR_TAIL": int(bit(c.WaitForTail)),
			"DATA_BITS": x.dataBits, "SIZE_BITS": x.size, "QUEUE": x.queue}),
		Ports: []Port{
			input("create_i", 1, func(v uint64) { x.create = v != 0 }),
			input("size_i", x.size, func(v uint64) { x.length = v }),
			input("data_i", x.dataBits, func(v uint64) { x.created = v }),
			input("vcs_i", c.VCs, func(v uint64) { x.vcs = v }),
			input("hold_i", 1, func(v uint64) { x.held = v != 0 }),
			input("credit_i", 1, func(v uint64) { x.credit = v != 0 }),
			input("credit_vc_i", IndexBits(c.VCs), func(v uint64) { x.creditVC = v }),
			field("valid_o", 1, func(Flit) uint64 { return 1 }),
			field("head_o", 1, func(f Flit) uint64 { return bit(f.Head()) }),
			field("tail_o", 1, func(f Flit) uint64 { return bit(f.Tail()) }),
			field("vc_o", IndexBits(c.VCs), func(f Flit) uint64 { return uint64(f.VC()) }),
			field("data_o", x.dataBits, func(f Flit) uint64 { return x.data[f.Packet()] }),
		},
	}
}

// take consumes the inputs. It drops a packet for a full FIFO or without VCs, and a credit without an outstanding flit.
func (x *PacketSource) take(int) {
	n := x.network
	n.Flits.take(n.Sources.wiring.sources[0].wire)
	for ; x.gone[0] != n.Gone(0); x.gone[0]++ {
		n.Release(n.Number(0, x.gone[0]))
	}
	if x.create && x.vcs != 0 && int(n.Fed(0)-n.Gone(0)) < x.queue {
		vcs := VCRange{Low: uint8(bits.TrailingZeros64(x.vcs)), High: uint8(bits.Len64(x.vcs) - 1)}
		x.data[n.Feed(0, 0, uint16(max(1, x.length)), 0, vcs)] = x.created
	}
	now := n.Sources.clock.cycle
	if n.Hold(now); x.held {
		n.Hold(now + 1)
	}
	wire := uint32(n.Routers.wiring.first[1])
	n.Credits.take(wire)
	if vcs := n.Sources.config.VCs; x.credit && x.creditVC < uint64(vcs) && n.Sources.sent[x.creditVC] > 0 {
		n.Credits.put(0, wire, 0, uint8(x.creditVC))
	}
}
