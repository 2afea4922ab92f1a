package fabric

import (
	"encoding/binary"

	"starloom/nic"
	"starloom/traces"
)

// Frames are the counters of a run.
type Frames struct {
	Sent       uint64 // frames that NICs put on the fabric
	Delivered  uint64 // receptions with status ok
	Collided   uint64 // sent frames that met another one on a medium, per medium
	Alone      uint64 // sent frames that met no other one on a medium, per medium
	Heard      uint64 // of these, those on media that somebody listened to
	Faulted    uint64 // likewise, but a fault let nothing of them be heard
	CRC        uint64 // receptions with status crc
	Overflow   uint64 // good frames lost because an RX FIFO was full
	TxOverflow uint64 // times that a processor's frames of one slot did not all fit into its TX FIFO
	Blocked    uint64 // times that a frame had to wait because its medium was taken
	OnTrust    uint64 // announced packets of which the host cannot read whether a frame has brought them
}

// Add adds the counters of another ledger.
func (f *Frames) Add(o Frames) {
	f.Sent += o.Sent
	f.Delivered += o.Delivered
	f.Collided += o.Collided
	f.Alone += o.Alone
	f.Heard += o.Heard
	f.Faulted += o.Faulted
	f.CRC += o.CRC
	f.Overflow += o.Overflow
	f.TxOverflow += o.TxOverflow
	f.Blocked += o.Blocked
	f.OnTrust += o.OnTrust
}

// NoteHarmed counts the frames, if there are any, on a medium that somebody listened to and a fault has
// harmed: those of a dark one are lost, and of several that follow each other a flip lets receivers hear
// the first, damaged, and none of the others.
func (f *Frames) NoteHarmed(effect Effect, frames uint64) {
	if effect == Flipped && frames > 0 {
		f.Heard++
		frames--
	}
	f.Faulted += frames
}

// Unheard counts the frames that were alone on a medium which no one listened to. RTL may
// show light where the model has none, and then more is heard than was alone.
func (f *Frames) Unheard() uint64 { return f.Alone - min(f.Alone, f.Heard+f.Faulted) }

// Ledger is what one shard has seen: counters for the whole run, and the events
// of the current slot. Ledgers of different shards are merged in their order, so
// that nothing depends on how the machine was cut.
type Ledger struct {
	Checks    Checks
	Shard     int // whose ledger it is
	Referee   Referee
	Witness   Witness      // the referee's, nil if it need not see every frame
	Overhears bool         // packets in frames for somebody else are arrivals, too: Referee.Overhears
	Capture   bool         // keep Sent and Heard for a packet capture
	Held      HeldPackets  // what frames show of the packets that processors hold, nil for nothing
	Follow    *Follow      // the packets whose every frame is kept in Followed, nil for none
	Faults    *Faults      // of this run, nil for none: SetFaults
	Queues    QueuedFrames // of the machine, nil if no one asks
	Onlooker  Onlooker     // who draws what happens, nil for no one
	At        uint64       // 1 + the cycle of the frames that are noted now, 0 if their slot tells it

	Frames      Frames
	HeldMax     uint8
	FaultCounts []FaultCount // by fault, up to the last whole boundary
	FaultActs   []FaultCount // of processors, in the boundary that runs

	Found
	Events // of the current slot
}

// Events are what a shard has seen in one slot.
type Events struct {
	Sum      traces.Sum
	Finished int  // processors that are done or faulty
	Sending  bool // somebody has a frame in its TX FIFO
	Sent     []Captured
	Heard    []Captured
	// Announced counts the packets of which no more than the handlers of this slot says
	// that they have arrived.
	Announced int
	Followed  []Followed
	Results   []Result  // that handlers have given
	arrivals  []Arrival // that the referee has not judged
}

// Next returns the ledger of a new run of the same machine.
func (l *Ledger) Next() Ledger {
	next := Ledger{Checks: l.Checks, Shard: l.Shard, Referee: l.Referee, Witness: l.Witness, Overhears: l.Overhears,
		Capture: l.Capture, Held: l.Held, Follow: l.Follow, Queues: l.Queues, Onlooker: l.Onlooker,
		Found: Found{Findings: l.Findings[:0]}, Events: Events{arrivals: l.arrivals[:0]}}
	next.SetFaults(l.Faults)
	return next
}

// Captured is one frame for the packet capture. Frame is empty for a collision.
type Captured struct {
	Processor int
	Port      uint16
	Slot      uint32     // that it has crossed in, or crosses in
	Status    nic.Status // of a reception
	Frame     nic.Frame
	At        uint64 // 1 + the cycle of its first or last bits, 0 if the slot tells it
}

// Cycle is that of the frame, usual if its slot tells it.
func (c *Captured) Cycle(usual uint64) uint64 {
	if c.At > 0 {
		return c.At - 1
	}
	return usual
}

// BeginSlot forgets the events of the slot before.
func (l *Ledger) BeginSlot() {
	l.Found.beginSlot()
	l.Sum = traces.Sum{}
	l.Finished, l.Sending, l.Announced = 0, false, 0
	l.Sent, l.Heard = l.Sent[:0], l.Heard[:0]
	l.Followed, l.Results = l.Followed[:0], l.Results[:0]
}

const (
	eventSent      = 1
	eventHeard     = 2
	eventAnnounced = 3
	eventAltered   = 4
	eventBlocked   = 5
	eventResult    = 6
)

// Looks reports whether somebody looks at every frame, so that all go through NoteSent and
// NoteHeard; if not, a transport may do the same in a faster way for frames of a packet.
func (l *Ledger) Looks() bool {
	return l.Capture || l.Held != nil || l.Follow != nil || l.Witness != nil || l.Faults != nil || l.Queues != nil || l.Onlooker != nil
}

// EventSent is the head of the digest's event of a sent frame; head, route words and payload follow.
func EventSent(port uint16, processor uint32) uint64 {
	return traces.EventHead(eventSent, 0, port, processor)
}

// EventHeard is the head of the event of a frame that is received; its source follows.
func EventHeard(status nic.Status, port uint16, processor uint32) uint64 {
	return traces.EventHead(eventHeard, uint8(status), port, processor)
}

// NoteSent notes a frame that a NIC puts on the fabric.
func (l *Ledger) NoteSent(processor int, frame nic.FrameView, slot uint32) {
	l.noteOnFabric(processor, frame, slot, false)
	if l.Held != nil && frame.IsPacket() {
		l.Held.Sent(l, processor, frame.Origin(), slot)
	}
	if l.Witness != nil {
		l.Witness.Sent(l, processor, frame, slot)
	}
	if l.Queues != nil {
		l.Queues.Sent(l.Shard, processor, frame, slot)
	}
	l.follow(FollowSent, processor, frame.Port(), frame, slot)
}

// NoteFate notes what has become of a frame in flight at routers.
func (l *Ledger) NoteFate(frame nic.FrameView, slot uint32, how Fate) {
	if l.Queues != nil {
		l.Queues.Ended(l.Shard, frame, slot, how)
	}
}

// NoteMet notes a frame in a cell's TX FIFO that has met another one, as its medium tells: it stays there.
func (l *Ledger) NoteMet(bank *nic.Bank, cell int, frame nic.FrameView, slot uint32) {
	l.noteOnFabric(bank.First+cell, frame, slot, true)
	if l.Witness != nil {
		l.Witness.Blocked(l, bank.First+cell, frame, slot)
	}
	bank.NoteTx(cell, frame.Port(), nic.TxCollided, frame.Destination())
}

// noteOnFabric counts a frame, which may stay in its TX FIFO.
func (l *Ledger) noteOnFabric(processor int, frame nic.FrameView, slot uint32, stays bool) {
	l.Frames.Sent++
	if l.Onlooker != nil {
		l.Onlooker.Sent(processor, frame, slot, stays)
	}
	a, b := frame.Words()
	l.Sum.Event(EventSent(frame.Port(), uint32(processor)), a, b, foldPayload(frame))
	if l.Capture {
		l.Sent = append(l.Sent, Captured{Processor: processor, Port: frame.Port(), Slot: slot, Frame: frame.AppendWire(nil), At: l.At})
	}
}

// NoteBlocked notes that the medium of a frame in a cell's TX FIFO is taken in this slot: it stays there.
func (l *Ledger) NoteBlocked(bank *nic.Bank, cell int, frame nic.FrameView, slot uint32) {
	l.Frames.Blocked++
	if l.Onlooker != nil {
		l.Onlooker.Blocked(bank.First+cell, frame, slot)
	}
	if l.Witness != nil {
		l.Witness.Blocked(l, bank.First+cell, frame, slot)
	}
	a, b := frame.Words()
	l.Sum.Event(traces.EventHead(eventBlocked, 0, frame.Port(), uint32(bank.First+cell)), a, b, 0)
	bank.NoteTx(cell, frame.Port(), nic.TxBlocked, frame.Destination())
}

// NoteHeard notes what a receiver says of a slot, unless it is idle. frame is the
// frame in the RX FIFO or the medium's table; it is read for StatusOK only.
func (l *Ledger) NoteHeard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32) {
	source := uint64(0)
	switch status {
	case nic.StatusOK:
		l.Frames.Delivered++
		source = uint64(frame.Source())
		l.received(processor, frame, slot)
		l.follow(FollowReceived, processor, port, frame, slot)
	case nic.StatusCRC:
		l.Frames.CRC++
		if l.Follow != nil {
			l.Followed = append(l.Followed, Followed{Kind: FollowDamaged, Processor: processor, Port: port, Slot: slot})
		}
	case nic.StatusOverflow:
		l.Frames.Overflow++
		l.follow(FollowOverflow, processor, port, frame, slot)
		l.NoteSmall(processor, slot, false)
		source = uint64(frame.Source())
	}
	if l.Onlooker != nil {
		l.Onlooker.Heard(processor, port, status, frame, slot)
	}
	if l.Queues != nil {
		l.Queues.Heard(l.Shard, processor, port, status, frame)
	}
	l.Sum.Event(EventHeard(status, port, uint32(processor)), source, 0, 0)
	if l.Capture {
		c := Captured{Processor: processor, Port: port, Slot: slot, Status: status, At: l.At}
		if status == nic.StatusOK || status == nic.StatusOverflow {
			c.Frame = frame.AppendWire(nil)
		}
		l.Heard = append(l.Heard, c)
	}
}

func (l *Ledger) received(processor int, frame nic.FrameView, slot uint32) {
	if l.Witness != nil {
		l.Witness.Received(l, processor, frame, slot)
	}
	if !frame.IsPacket() {
		return
	}
	origin := frame.Origin()
	if l.Held != nil {
		l.Held.Received(processor, origin, slot)
	}
	if l.Overhears || frame.Destination() == uint32(processor) {
		l.arrivals = append(l.arrivals, Arrival{uint32(processor), origin})
	}
}

// Judge gives the referee what NoteHeard has noted of a slot. Transports call it at the end of Hear.
func (l *Ledger) Judge(slot uint32) {
	if len(l.arrivals) > 0 {
		l.Referee.Arrive(l, slot, l.arrivals)
		l.arrivals = l.arrivals[:0]
	}
}

// Claim judges a message of which firmware says that it has come to stay, for referees that see in
// frames what has: it changes nothing but what they find.
func (l *Ledger) Claim(processor int, origin, slot uint32, has bool) {
	if !has && l.Checks.ExactlyOnce {
		l.Find(Finding{Kind: FindUnbacked, Slot: slot, Index: processor, Value: origin})
	}
}

// follow notes a frame if its packet is followed.
func (l *Ledger) follow(kind FollowedKind, processor int, port uint16, frame nic.FrameView, slot uint32) {
	if l.Follow == nil || !frame.IsPacket() {
		return
	}
	if origin := frame.Origin(); l.Follow.has(origin) {
		l.Followed = append(l.Followed, Followed{kind, processor, port, origin, frame.Source(), slot})
	}
}

// NoteResult notes a result that the handlers of this slot have given.
func (l *Ledger) NoteResult(x Result) {
	l.Sum.Event(traces.EventHead(eventResult, 0, 0, uint32(x.Processor)), uint64(x.Word), x.Value, 0)
	l.Results = append(l.Results, x)
}

// NoteAnnounced notes in the digest that firmware says that a packet has come to stay.
func (l *Ledger) NoteAnnounced(processor int, origin uint32) {
	l.Sum.Event(traces.EventHead(eventAnnounced, 0, 0, uint32(processor)), uint64(origin), 0, 0)
}

// NoteAltered notes that a processor has received another frame than its source has sent.
func (l *Ledger) NoteAltered(processor int, port uint16, wire nic.Frame) {
	l.Sum.Event(traces.EventHead(eventAltered, 0, port, uint32(processor)), traces.Fold(wire), 0, 0)
}

// NoteArrival notes a packet for the referee, where a transport does not go through NoteHeard.
func (l *Ledger) NoteArrival(processor, origin uint32) {
	l.arrivals = append(l.arrivals, Arrival{processor, origin})
}

// HeldPackets follow the packets that processors hold, as frames show it.
type HeldPackets interface {
	Sent(l *Ledger, processor int, origin, slot uint32)
	Received(processor int, origin, slot uint32)
	// Scan notes what some processors say of it.
	Scan(b *nic.Bank, cells []uint32)
}

// QueuedFrames follow frames from queueing to reception.
type QueuedFrames interface {
	Sent(shard, processor int, frame nic.FrameView, slot uint32)
	Heard(shard, processor int, port uint16, status nic.Status, frame nic.FrameView)
	// Ended: a frame was in flight at routers, and is no more.
	Ended(shard int, frame nic.FrameView, slot uint32, how Fate)
	// Emptied: a fault has emptied the TX FIFO of a processor.
	Emptied(shard, processor int)
}

// Fate is what has become of a frame in flight.
type Fate uint8

// The fates.
const (
	FateReceived Fate = iota // in the RX FIFO of its receiver
	FateOverflow             // the RX FIFO was full
	FateDamaged              // by a fault: its CRC was wrong
	FateDropped              // by a fault
	FateAlone                // its receiver is off the network
)

// foldPayload maps a payload to one word; the bytes after it in the sender's FIFO are not part of the frame.
func foldPayload(frame nic.FrameView) uint64 {
	switch payload := frame.Payload(); len(payload) {
	case 0:
		return 0
	case nic.PacketBytes:
		return binary.LittleEndian.Uint64(payload)
	default:
		return traces.Fold(payload)
	}
}

// Onlooker is told what a shard sees as it happens, to draw it. It changes nothing; a ledger has one only if
// somebody wants a picture.
type Onlooker interface {
	// Acted: the handlers of a slot have run, and the processors of these cells may have done something.
	Acted(bank *nic.Bank, cells []uint32, slot uint32)
	// Sent: a frame is on the fabric in a slot. One that stays has met another one, and remains in its TX FIFO.
	Sent(processor int, frame nic.FrameView, slot uint32, stays bool)
	// Blocked: the medium of a frame is taken in a slot.
	Blocked(processor int, frame nic.FrameView, slot uint32)
	// Heard: what a receiver says of a slot, unless it is idle; the frame can be read for StatusOK and StatusOverflow.
	Heard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32)
	// Collided: frames have met on a medium in a slot.
	Collided(medium int, slot uint32)
}

// Follow is a set of packets whose frames are looked at one by one.
type Follow struct{ origins []uint64 } // one bit per origin

// NewFollow returns the set of these origins.
func NewFollow(processors int, origins []uint32) *Follow {
	f := &Follow{make([]uint64, (processors+63)/64)}
	for _, origin := range origins {
		f.origins[origin>>6] |= 1 << (origin & 63)
	}
	return f
}

func (f *Follow) has(origin uint32) bool {
	return uint64(origin>>6) < uint64(len(f.origins)) && f.origins[origin>>6]>>(origin&63)&1 != 0
}

// Followed is what has happened to a frame with a packet that is followed.
type Followed struct {
	Kind      FollowedKind
	Processor int    // that sends or listens
	Port      uint16 // that it sends to or hears
	Origin    uint32 // of the packet; not of a damaged frame
	Source    uint32 // received, overflow: who sent the frame
	Slot      uint32 // that it has crossed in, or crosses in
}

// FollowedKind says what has happened. A frame that has met another one leaves no trace
// but its sending.
type FollowedKind uint8

// The kinds of what happens to a frame.
const (
	FollowSent     FollowedKind = iota // put on the fabric
	FollowReceived                     // status ok
	FollowOverflow                     // a full RX FIFO
	FollowDamaged                      // status crc: any frame
)
