// Package stream is the cycle engine of processors at routers. Their NICs send and receive flit by flit.
package stream

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/nic"
)

// Stream is the hardware of a machine with processors at routers: its Transport in the cycle engine. A NIC sends the
// frames of its TX FIFO flit by flit, as credits permit, and stores arrivals in the RX FIFO. A slot is a tick: the
// cycles between two calls of the handlers.
//
//	boundary, the last cycle of a tick    Hear: frames whose tails have left leave the TX FIFO; frames arrive
//	                                      ... the handlers ...
//	                                      Send: the NIC takes the new frames in the TX FIFO
//	Latch, the edge at its end            sources start with them in the next cycle
//
// The NIC sends every frame that it has taken. Firmware sees the frame in the TX FIFO until the tail has left, and
// cannot withdraw it.
type Stream struct {
	routed
	timing  nic.Timing
	network *hw.FedNetwork

	streamColumns
	shape         fabric.Shape
	ports, stride int // maximum number of ports per processor; bytes per frame
	shards        []streamShard
	chain         arrivals
	log           *frameLog // nil if not requested
}

type streamColumns struct {
	frames    []byte   // by packet in flight: stride bytes
	serial    []uint64 // by packet: its number among all
	fed       uint64   // by packet: its serial number
	told      []uint32 // number of packets injected so far
	taken     takenFrames
	orphans   []uint32 // by node: number of frames in the NIC that are no longer in the TX FIFO
	begun     []uint16 // by node: number of flits of the next frame sent by the last boundary
	latencies latencies
	loads     *ChannelLoads
	order     Order   // arrivals, for the rule in_order
	refused   []uint8 // by node: consecutive refusals
}

// streamShard holds a shard's results of a boundary until the next clock edge.
type streamShard struct {
	fed    []int // node of each new frame
	frames []byte
	freed  []int    // by freed place of an RX FIFO: the node
	over   []uint32 // packets to release
	rx     []uint8  // by port of the shard's processors: number of frames in the RX FIFO before the handlers
	first  int
	places []int // places of routed frames in a TX FIFO
	left   []int // places of the routed frames that have left
}

const noPacket = ^uint32(0)

// arrivals lists the arrived packets of each node, in order.
type arrivals struct {
	first, last []uint32 // by node: first and last packet; noPacket for none
	next        []uint32 // by packet: next packet at its node
}

func (a *arrivals) forget() {
	for i := range a.first {
		a.first[i] = noPacket
	}
}

// New builds the hardware of a network of routers. rtl, unless nil, replaces some routers.
func New(n fabric.Network, c *fabric.Config, workers *hw.Workers, rtl plant.RTL) (*Stream, error) {
	shape := n.Shape()
	s := &Stream{timing: c.Timing, shape: shape, ports: shape.Ports, shards: make([]streamShard, len(c.Shards))}
	err := s.build(n, c, workers, rtl,
		func(r *fabric.Routers, k *hw.Kernel) (wires *hw.RouterNetwork, _ []hw.Component, err error) {
			s.network, err = hw.NewFedNetwork(n.Kind(), k.Clock(), r.Config, &r.Graph, r.Routes,
				hw.Feed{TxFrames: c.TxFrames * shape.Ports, RxFrames: c.RxFrames, Lossless: !r.Sink, Harm: c.Faults != nil,
					Chosen: r.Chosen()}, k.Shards())
			if err != nil {
				return nil, nil, err
			}
			return s.network.RouterNetwork, s.network.Components(), nil
		})
	if err != nil {
		return nil, err
	}
	nodes := len(s.routers.Graph.Nodes)
	s.stride, s.taken = nic.FrameStride(max(c.PayloadBytes, 8)), newTakenFrames(shape.Processors(), c.TxFrames*shape.Ports)
	s.told, s.orphans, s.begun = make([]uint32, nodes), make([]uint32, nodes), make([]uint16, nodes)
	s.loads = NewChannelLoads(s.routers)
	s.order, s.refused = make(Order, nodes*s.routers.Classes()), make([]uint8, nodes)
	s.chain.first, s.chain.last = make([]uint32, nodes), make([]uint32, nodes)
	for i, shard := range c.Shards {
		s.shards[i].first = shard.First * shape.PerUnit
		s.shards[i].rx = make([]uint8, (shard.End-shard.First)*shape.PerUnit*shape.Ports)
	}
	s.Reset(c.Seed)
	return s, nil
}

// Log starts the record of a row per frame.
func (s *Stream) Log() { s.log = &frameLog{} }

func (s *Stream) Start() { s.kernel.DriveAndSettle() }

func (s *Stream) Begin(shard int, _ uint32, _ bool) {
	x := &s.shards[shard]
	x.fed, x.frames, x.freed, x.over = x.fed[:0], x.frames[:0], x.freed[:0], x.over[:0]
}

func (s *Stream) frame(packet uint32) nic.FrameView {
	at := int(packet) * s.stride
	return nic.FrameView(s.frames[at : at+s.stride : at+s.stride])
}

func (s *Stream) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	if shard == 0 && bank.First == 0 && window.First == 0 {
		s.hearFaults(ledger, slot, slot, slot%uint32(max(1, cyclesPerCredits/s.timing.SlotCycles())) == 0)
	}
	for cell := window.First; cell < window.End; cell++ {
		s.hear(&s.shards[shard], bank, cell, ledger, slot)
	}
	ledger.At = 0
	ledger.Judge(slot)
}

func (s *Stream) hear(x *streamShard, bank *nic.Bank, cell int, ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	ports := s.routers.NIC.Ports(processor)
	for port := range ports {
		s.sent(x, bank, cell, port, ledger, slot)
		bank.SetRx(cell, uint16(port), nic.StatusIdle)
	}
	for port, packet := s.next(processor, ports); packet != noPacket; port, packet = s.next(processor, ports) {
		before := bank.Rx(cell, port)
		if new := s.receive(x, bank, cell, port, packet, ledger, slot); severity[new] > severity[before] {
			before = new
		}
		bank.SetRx(cell, port, before)
		x.over = append(x.over, packet)
	}
	for port := range ports {
		x.rx[(processor-x.first)*s.ports+port] = uint8(bank.RxFrom(cell, uint16(port)))
	}
}

// severity ranks the statuses of a receiver's frames in a tick. The receiver shows the worst status.
var severity = [...]int{nic.StatusIdle: 0, nic.StatusOK: 1, nic.StatusCollision: 2,
	nic.StatusCRC: 3, nic.StatusOverflow: 4}

// next removes and returns the next frame for a processor. Dropped frames come first. The others follow in the order
// of their tails; within a cycle, by port.
func (s *Stream) next(processor, ports int) (port uint16, packet uint32) {
	packet, first := noPacket, 0
	for k := range ports {
		at := s.chain.first[s.routers.NIC.Node(processor, k)]
		// A dropped packet has no cycle of reception; the largest number replaces it.
		if at != noPacket && (packet == noPacket || s.network.Packets.Received[at]+1 < s.network.Packets.Received[packet]+1) {
			packet, first = at, k
		}
	}
	if packet != noPacket {
		s.chain.first[s.routers.NIC.Node(processor, first)] = s.chain.next[packet]
	}
	return uint16(first), packet
}

func (s *Stream) sent(x *streamShard, bank *nic.Bank, cell, port int, ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	node := s.routers.NIC.Node(processor, port)
	told, gone, begun := s.told[node], s.network.Gone(node), s.network.Begun(node)
	before := s.begun[node]
	s.told[node], s.begun[node] = gone, begun
	if gone == told {
		if begun == before && s.orphans[node] == 0 && s.taken.to(processor, port) > 0 {
			ledger.NoteBlocked(bank, cell, s.frame(s.network.Number(node, gone)), slot)
		}
		return
	}
	for number := told; number != gone; number++ {
		packet := s.network.Number(node, number)
		ledger.At = uint64(s.network.Packets.Sent[packet]) + 2 // 1 + the cycle after the source's decision
		ledger.NoteSent(processor, s.frame(packet), slot)
	}
	out := gone - told
	orphans := min(out, s.orphans[node])
	s.orphans[node] -= orphans
	if x.left = s.taken.leave(processor, port, int(out-orphans), x.left[:0]); len(x.left) > 0 {
		s.find(x, bank, cell)
		for i, k := range x.left {
			x.left[i] = x.places[k]
		}
		bank.PopSent(cell, x.left)
		last := s.frame(s.network.Number(node, gone-1))
		bank.NoteTx(cell, uint16(port), nic.TxSent, last.Destination())
	}
}

func (s *Stream) find(x *streamShard, bank *nic.Bank, cell int) {
	x.places = x.places[:0]
	ports, all := s.routers.NIC.Ports(bank.First+cell), bank.PortsOf(cell)
	for place := range int(bank.Registers[cell].TxCount) {
		if port := int(bank.TxFrame(cell, min(place, bank.TxFrames-1)).Port()); port < ports || port >= all {
			x.places = append(x.places, place)
		}
	}
}

func (s *Stream) receive(x *streamShard, bank *nic.Bank, cell int, port uint16, packet uint32, ledger *fabric.Ledger,
	slot uint32) nic.Status {
	processor, frame := bank.First+cell, s.frame(packet)
	p := s.network.Packets
	if bank.Silenced(cell) { // the NIC accepts the frame, but the processor is off the fabric
		ledger.Frames.Alone++
		ledger.NoteFate(frame, slot, fabric.FateAlone)
		x.freed = append(x.freed, int(p.Destination[packet]))
		return nic.StatusIdle
	}
	if status, harmed := s.harmed(x, processor, port, packet, ledger, slot); harmed {
		return status
	}
	ledger.At = uint64(p.Received[packet]) + 1
	if limit := ledger.Checks.LatencyMax; limit > 0 && p.Received[packet]-p.Created[packet] > limit {
		ledger.Find(fabric.Finding{Kind: fabric.FindSlow, Slot: slot, Index: processor, Value: frame.Source(),
			Cycle: uint64(p.Received[packet]),
			Text: fmt.Sprintf("a frame from processor %d arrived %d cycles after it was queued in cycle %d; at most %d are "+
				"allowed",
				frame.Source(), p.Received[packet]-p.Created[packet], p.Created[packet], limit)})
	}
	if ledger.Checks.InOrder {
		c := Came{s.serial[packet], p.Created[packet], p.Received[packet]}
		if before, overtaken := s.order.Note(s.flow(p.Source[packet], packet),
			s.flow(p.Destination[packet], packet), c); overtaken {
			ledger.Find(fabric.Finding{Kind: fabric.FindOvertaken, Slot: slot, Index: processor, Value: frame.Source(),
				Cycle: uint64(c.Received),
				Text:  c.Text("frame", "queued", "cycle", frame.Source(), uint32(processor), before)})
		}
	}
	status := bank.PushRx(cell, port, frame)
	ledger.NoteHeard(processor, port, status, frame, slot)
	fate := fabric.FateReceived
	if status == nic.StatusOverflow {
		fate = fabric.FateOverflow
	}
	ledger.NoteFate(frame, slot, fate)
	return status
}

// flow numbers pairs of node and class, because frames of different classes may overtake each other.
func (s *Stream) flow(node, packet uint32) uint32 {
	p := s.network.Packets
	if p.FirstVC == nil {
		return node
	}
	return node*uint32(s.routers.Classes()) + uint32(p.FirstVC[packet])/uint32(s.routers.Config.ClassVCs())
}

func (s *Stream) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, _ fabric.Window, cells []uint32) {
	x := &s.shards[shard]
	for _, at := range cells {
		cell := int(at)
		processor := bank.First + cell
		if bank.Silenced(cell) {
			s.Forget(processor)
		}
		s.find(x, bank, cell)
		if taken := int(s.taken.count[processor]); len(x.places) < taken || taken > 0 &&
			!bytes.Equal(s.held(processor), bank.TxFrame(cell, min(x.places[taken-1], bank.TxFrames-1)).Held()) {
			ledger.Find(fabric.Finding{Kind: fabric.FindIllegalSend, Slot: slot, Index: processor,
				Text: "withdraws or changes a frame that its NIC has accepted: a streaming NIC sends the contents of the TX " +
					"FIFO at " +
					"the end of a handler"})
			bank.Silence(cell)
			s.Forget(processor)
		} else if len(x.places) > taken {
			s.take(x, bank, cell, x.places[taken:], ledger, slot)
		}
		for port := range s.routers.NIC.Ports(processor) {
			node, before, left := s.routers.NIC.Node(processor, port), &x.rx[(processor-x.first)*s.ports+port],
				uint8(bank.RxFrom(cell, uint16(port)))
			s.refuses(processor, node, left, *before > left)
			for ; *before > left; *before-- {
				x.freed = append(x.freed, node)
			}
		}
	}
}

func (s *Stream) take(x *streamShard, bank *nic.Bank, cell int, places []int, ledger *fabric.Ledger, slot uint32) {
	processor, waits := bank.First+cell, 0
	for port := range s.routers.NIC.Ports(processor) {
		node := s.routers.NIC.Node(processor, port)
		waits += int(s.network.Fed(node) - s.told[node])
	}
	for _, place := range places {
		if waits >= 2*s.taken.room {
			return
		}
		frame := bank.TxFrame(cell, min(place, bank.TxFrames-1))
		if !bank.Legal(cell, frame) {
			fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
			s.Forget(processor)
			return
		}
		frame.SetSource(uint32(processor))
		x.fed, x.frames = append(x.fed, s.routers.NIC.Node(processor, int(frame.Port()))),
			append(x.frames, make([]byte, s.stride)...)
		frame.CopyTo(x.frames[len(x.frames)-s.stride:])
		s.taken.take(processor, int(frame.Port()))
		waits++
	}
}

// held returns the relevant bytes of the last frame in a processor's NIC. The NIC must have taken a frame.
func (s *Stream) held(processor int) []byte {
	ports := s.taken.ports(processor)
	port := int(ports[len(ports)-1])
	node := s.routers.NIC.Node(processor, port)
	return s.frame(s.network.Number(node, s.told[node]+s.orphans[node]+uint32(s.taken.to(processor, port))-1)).Held()
}

func (s *Stream) Forget(processor int) (goOn int) {
	taken := s.taken.ports(processor)
	for _, port := range taken {
		s.orphans[s.routers.NIC.Node(processor, int(port))]++
	}
	s.taken.forget(processor)
	return len(taken)
}

func (s *Stream) Cross(slot uint32) {
	s.begin(slot)
	if plant.Guarded(s.rtl, func() { s.cross(s.timing.BoundaryCycle(slot)) }); s.failed() {
		return
	}
	s.crossed()
}

func (s *Stream) begin(slot uint32) {
	s.lookForKnots()
	s.network.Hold(s.timing.SlotCycle(slot) + uint64(s.timing.ComputeCycles))
}

func (s *Stream) crossed() {
	s.network.Arrived(func(packet uint32) {
		p := s.network.Packets
		to := p.Destination[packet]
		if s.chain.next[packet] = noPacket; s.chain.first[to] == noPacket {
			s.chain.first[to] = packet
		} else {
			s.chain.next[s.chain.last[to]] = packet
		}
		s.chain.last[to] = packet
		if p.Received[packet] == hw.PacketPending {
			return
		}
		s.latencies.note(p.Received[packet]-p.Created[packet], p.Received[packet]-p.Sent[packet], p.Hops[packet])
		s.loads.Note(p.Source[packet], to, uint64(p.Size[packet]), hw.ChanceOf(p, packet))
	})
}

func (s *Stream) cross(boundary uint64) {
	for s.kernel.Cycle() < boundary && !s.failed() {
		if s.Watch == nil || s.WatchError != nil {
			if skip := s.kernel.QuietFor(boundary - s.kernel.Cycle()); skip > 0 {
				s.kernel.Skip(skip)
				continue
			}
		}
		s.kernel.DriveAndSettle()
		s.Look(s.kernel.Cycle())
		s.kernel.Latch()
	}
	s.kernel.DriveAndSettle()
	s.Look(s.kernel.Cycle())
}

// Latch implements Transport. After the edge, sources hold the frames that NICs have taken.
func (s *Stream) Latch() {
	if plant.Guarded(s.rtl, s.kernel.Latch); s.failed() {
		return
	}
	created := uint32(s.kernel.Cycle())
	for i := range s.shards {
		x := &s.shards[i]
		for _, packet := range x.over {
			if s.log != nil {
				s.log.add(s, packet)
			}
			s.network.Release(packet)
		}
		for _, node := range x.freed {
			s.network.Freed(node, 1)
		}
		x.over, x.freed = x.over[:0], x.freed[:0]
	}
	for i := range s.shards {
		x := &s.shards[i]
		for k, node := range x.fed {
			frame := nic.FrameView(x.frames[k*s.stride : (k+1)*s.stride])
			s.feed(node, frame, created)
		}
		x.fed, x.frames = x.fed[:0], x.frames[:0]
	}
}

func (s *Stream) feed(node int, frame nic.FrameView, created uint32) {
	flits := nic.Phits(nic.FrameBytes(frame.PayloadBytes()), s.routers.Bits)
	by, class, left := s.routers.Leaves(int(frame.Source()), int(frame.Port()), frame.Tag())
	to := s.routers.NIC.Node(int(frame.Destination()), by)
	packet := s.network.Feed(node, uint32(to), uint16(flits), created, s.routers.VCs(class, left))
	for int(packet) >= len(s.serial) {
		s.serial, s.chain.next = append(s.serial, 0), append(s.chain.next, noPacket)
		s.frames = append(s.frames, make([]byte, s.stride)...)
	}
	copy(s.frame(packet), frame)
	s.serial[packet] = s.fed
	s.fed++
}

// InFlight returns the number of frames between NICs and processors, after Hear of a boundary.
func (s *Stream) InFlight() (frames int) {
	frames = s.network.Live()
	for i := range s.shards {
		frames += len(s.shards[i].fed) - len(s.shards[i].over)
	}
	return frames
}

func (s *Stream) Reset(uint64) {
	s.routed.reset()
	s.frames, s.serial, s.fed, s.chain.next = s.frames[:0], s.serial[:0], 0, s.chain.next[:0]
	clear(s.told)
	s.taken.reset()
	clear(s.orphans)
	clear(s.begun)
	s.latencies = latencies{}
	s.loads.reset()
	clear(s.order)
	clear(s.refused)
	s.chain.forget()
	for i := range s.shards {
		s.Begin(i, 0, false)
		clear(s.shards[i].rx)
	}
	if s.log != nil {
		s.log = &frameLog{}
	}
	s.kernel.BeforeCycle0()
}

func (s *Stream) Routers() *hw.RouterSignals {
	r := s.signals(hw.PacketNumbers{Bits: 32, Of: func(packet uint32) uint64 { return s.serial[packet] }})
	most := nic.Phits(s.stride, s.routers.Bits)
	r.FedBy(hw.FedBy{Flits: most, Holds: s.timing.ComputeCycles > 0, Freed: func(node int) (places int) {
		for i := range s.shards {
			for _, of := range s.shards[i].freed {
				if of == node {
					places++
				}
			}
		}
		return places
	}})
	return r
}

func (s *Stream) State(v *hw.StateVisitor) {
	s.routed.state(v)
	hw.StateList(v, hw.Future, "frames", &s.frames)
	hw.StateList(v, hw.Future, "serial", &s.serial)
	hw.StateScalar(v, hw.Future, "fed", &s.fed)
	hw.StateColumn(v, hw.Future, "told", s.told)
	s.taken.state(v, s.ports)
	hw.StateColumn(v, hw.Future, "orphans", s.orphans)
	hw.StateColumn(v, hw.Future, "begun", s.begun)
	s.latencies.state(v)
	s.loads.state(v)
	s.order.State(v)
	hw.StateColumn(v, hw.Future, "refused", s.refused, hw.AtMost(uint8(refusalsMax)))
	v.AfterRestore(func() {
		s.chain.next = make([]uint32, len(s.serial))
		s.chain.forget()
	})
}

// latencies counts arrived frames by latency in cycles.
type latencies struct {
	whole, network map[uint64]uint64
	hops           uint64
}

func (l *latencies) note(whole, network uint32, hops uint16) {
	if l.whole == nil {
		l.whole, l.network = map[uint64]uint64{}, map[uint64]uint64{}
	}
	l.whole[uint64(whole)]++
	l.network[uint64(network)]++
	l.hops += uint64(hops)
}

func (l *latencies) state(v *hw.StateVisitor) {
	hw.StateScalar(v, hw.Future, "hops", &l.hops)
	l.visit(v, "latency", &l.whole)
	l.visit(v, "network_latency", &l.network)
}

func (l *latencies) visit(v *hw.StateVisitor, name string, counts *map[uint64]uint64) {
	values := slices.Sorted(maps.Keys(*counts))
	var times []uint64
	for _, value := range values {
		times = append(times, (*counts)[value])
	}
	hw.StateList(v, hw.Future, name+".cycles", &values)
	hw.StateList(v, hw.Future, name+".times", &times)
	v.AfterRestore(func() {
		*counts = map[uint64]uint64{}
		for i := range min(len(values), len(times)) {
			(*counts)[values[i]] = times[i]
		}
	})
}

// Latencies returns the numbers of arrived frames by latency in cycles: from queueing to arrival (whole), and from
// sending to arrival (network). hops is the total number of routers passed.
func (s *Stream) Latencies() (whole, network map[uint64]uint64, hops uint64) {
	return s.latencies.whole, s.latencies.network, s.latencies.hops
}

// Loads returns the loads of channels between routers.
func (s *Stream) Loads() *ChannelLoads {
	s.loads.cross(s.network.RouterNetwork)
	return s.loads
}

type frameLog struct{ rows []fabric.PacketRow }

func (s *Stream) row(packet uint32) fabric.PacketRow {
	row := fabric.PacketRowOf(s.network.Packets, packet)
	row.ID, row.Measured = s.serial[packet], true
	row.Source, row.Destination = s.ends(packet)
	return row
}

func (l *frameLog) add(s *Stream, packet uint32) { l.rows = append(l.rows, s.row(packet)) }

// WritePackets writes a row per frame, in the format of bare packets: arrived frames by arrival and source, then the
// others by creation.
func (s *Stream) WritePackets(to io.Writer) error {
	s.network.CountHops()
	rows := slices.Clone(s.log.rows)
	for packet, size := range s.network.Packets.Size {
		if size > 0 {
			rows = append(rows, s.row(uint32(packet)))
		}
	}
	slices.SortFunc(rows, func(a, b fabric.PacketRow) int {
		if a.Received == fabric.NotYet && b.Received == fabric.NotYet {
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(cmp.Compare(a.Received, b.Received), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	})
	return fabric.WritePackets(to, false, slices.Values(rows))
}

// ChannelLoads counts the flits of arrived packets on each channel between routers.
type ChannelLoads struct {
	ways  *fabric.RouterWays
	flits []uint64 // flits by link
}

// NewChannelLoads returns zero loads.
func NewChannelLoads(r *fabric.Routers) *ChannelLoads {
	return &ChannelLoads{r.Ways(), make([]uint64, len(r.Graph.Links))}
}

// cross counts the flits that have crossed each channel, if the routes are a relation. It reports whether they are.
func (l *ChannelLoads) cross(n *hw.RouterNetwork) (counted bool) {
	for link := range l.flits {
		flits, is := n.Crossed(link)
		if !is {
			return false
		}
		l.flits[link] = flits
	}
	return len(l.flits) > 0
}

// Note counts the flits of arrived packets from one node to another, with the draws of one of them. Of a relation, it
// counts nothing.
func (l *ChannelLoads) Note(source, destination uint32, flits uint64, by hw.Chance) {
	if l.ways.Routes.Sets != nil {
		return
	}
	l.ways.FollowBy(source, destination, by, func(link int) { l.flits[link] += flits })
}

// PerCycle returns the number of flits per cycle on each channel, in the order of the routers' links.
func (l *ChannelLoads) PerCycle(cycles uint64) []float64 {
	loads := make([]float64, len(l.flits))
	for i, flits := range l.flits {
		loads[i] = float64(flits) / float64(max(cycles, 1))
	}
	return loads
}

// Total returns the flits over all channels.
func (l *ChannelLoads) Total() (flits uint64) {
	for _, of := range l.flits {
		flits += of
	}
	return flits
}

func (l *ChannelLoads) reset() { clear(l.flits) }

func (l *ChannelLoads) state(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "channel_flits", l.flits)
}
