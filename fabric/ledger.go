package fabric

import (
	"encoding/binary"

	"starloom/nic"
	"starloom/traces"
)

// Frames holds the counters of a run.
type Frames struct {
	Sent       uint64 // frames put on the fabric
	Delivered  uint64 // receptions with status ok
	Collided   uint64 // sent frames that collided, per medium
	Alone      uint64 // by medium: number of sent frames without a collision
	Heard      uint64 // frames of Alone on media with listeners
	Faulted    uint64 // number of frames of Alone on media with listeners that faults have destroyed
	CRC        uint64 // receptions with status crc
	Overflow   uint64 // number of good frames lost to a full RX FIFO
	TxOverflow uint64 // number of slots in which a processor's frames did not fit into its TX FIFO, summed over processors
	Blocked    uint64 // number of times that a frame waited for a taken medium
	OnTrust    uint64 // number of announced packets whose frames the host cannot verify
}

// Add adds the counters of another ledger.
func (f *Frames) Add(other Frames) {
	f.Sent += other.Sent
	f.Delivered += other.Delivered
	f.Collided += other.Collided
	f.Alone += other.Alone
	f.Heard += other.Heard
	f.Faulted += other.Faulted
	f.CRC += other.CRC
	f.Overflow += other.Overflow
	f.TxOverflow += other.TxOverflow
	f.Blocked += other.Blocked
	f.OnTrust += other.OnTrust
}

// NoteHarmed counts the frames on a medium with listeners that a fault has harmed. On a dark medium all frames are
// lost. A flip damages the first of several consecutive frames, and the later frames are lost.
func (f *Frames) NoteHarmed(effect Effect, frames uint64) {
	if effect == Flipped && frames > 0 {
		f.Heard++
		frames--
	}
	f.Faulted += frames
}

// Listened is the state of a medium's counted frames in a slot.
type Listened = uint32

// States of Frames.Listened.
const (
	NotListened Listened = iota // no receiver has had light
	AllMissed                   // all receivers so far have missed it
	HasListened                 // a receiver has received the frames, intact or damaged
)

// Listened counts the collision-free frames on a medium when their light reaches a receiver, with an effect of
// faults. The first receiver counts. Frames that all receivers miss are lost to the fault. Listened returns the next
// state of the medium.
func (f *Frames) Listened(state Listened, effect Effect, frames uint64) (next Listened) {
	switch {
	case state == HasListened || effect == Missed && state == AllMissed:
		return state
	case effect == Missed:
		f.Faulted += frames
		return AllMissed
	case state == AllMissed:
		f.Faulted -= frames // the sum of all shards is right
	}
	if effect == Unharmed {
		f.Heard += frames
	} else {
		f.NoteHarmed(effect, frames)
	}
	return HasListened
}

// Unheard returns the number of frames that were alone on a medium without listeners. With RTL, receivers may hear
// more frames than Alone counts, because RTL may show light where the model is dark.
func (f *Frames) Unheard() uint64 { return f.Alone - min(f.Alone, f.Heard+f.Faulted) }

// Ledger holds the observations of one shard: the counters of the run, and the events of the current slot. Ledgers
// are merged in shard order, so results are independent of the division into shards.
type Ledger struct {
	Checks    Checks
	Shard     int
	Referee   Referee
	Witness   Witness      // the referee's witness; nil if the referee does not observe every frame
	Overhears bool         // Referee.Overhears: packets in frames for other processors count as arrivals
	Capture   bool         // keep Sent and Heard for a packet capture
	Held      HeldPackets  // packets in processors, derived from frames; nil if frames are not tracked
	Follow    *Follow      // packets whose frames are stored in Followed, nil for none
	Faults    *Faults      // faults of this run, nil for none; set by SetFaults
	Queues    QueuedFrames // queued frames of the machine, nil for none
	Onlooker  Onlooker     // observer for a picture, nil for none
	At        uint64       // 1 + cycle of the recorded frames; 0 if the cycle follows from the slot

	Frames      Frames
	HeldMax     uint8
	FaultCounts []FaultCount // effects by fault, up to the last complete boundary
	FaultActs   []FaultCount // effects by fault of processors, in the current boundary

	Found
	Events // events of the current slot
}

// Events holds the events of a shard in one slot.
type Events struct {
	Sum      traces.Sum
	Finished int  // processors that are done or faulty
	Sending  bool // a processor has a frame in its TX FIFO
	Sent     []Captured
	Heard    []Captured
	// Announced is the number of packets in this slot whose arrival is known only from announcements.
	Announced int
	Followed  []Followed
	Results   []Result
	arrivals  []Arrival // arrivals for the referee that Judge has not yet passed on
}

// Next returns the ledger for a new run of the same machine.
func (l *Ledger) Next() Ledger {
	next := Ledger{Checks: l.Checks, Shard: l.Shard, Referee: l.Referee, Witness: l.Witness, Overhears: l.Overhears,
		Capture: l.Capture, Held: l.Held, Follow: l.Follow, Queues: l.Queues, Onlooker: l.Onlooker,
		Found: Found{Findings: l.Findings[:0]}, Events: Events{arrivals: l.arrivals[:0]}}
	next.SetFaults(l.Faults)
	return next
}

// Captured is one frame of the packet capture. Frame is empty for a collision.
type Captured struct {
	Processor int
	Port      uint16
	Slot      uint32     // slot in which the frame crosses
	Status    nic.Status // status of a reception
	Frame     nic.Frame
	At        uint64 // 1 + cycle of the first or last bits; 0 if the cycle follows from the slot
}

// Cycle returns the cycle of the frame, or usual if the cycle follows from the slot.
func (c *Captured) Cycle(usual uint64) uint64 {
	if c.At > 0 {
		return c.At - 1
	}
	return usual
}

// BeginSlot clears the events of the previous slot.
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

// Looks reports whether every frame must pass NoteSent and NoteHeard. Otherwise a transport may use a faster path for
// frames with packets.
func (l *Ledger) Looks() bool {
	return l.Capture || l.Held != nil || l.Follow != nil || l.Witness != nil || l.Faults != nil ||
		l.Queues != nil || l.Onlooker != nil
}

// EventSent returns the head of the digest event for a sent frame. The head, route words and payload of the frame
// follow.
func EventSent(port uint16, processor uint32) uint64 {
	return traces.EventHead(eventSent, 0, port, processor)
}

// EventHeard returns the head of the digest event for a received frame. The source of the frame follows.
func EventHeard(status nic.Status, port uint16, processor uint32) uint64 {
	return traces.EventHead(eventHeard, uint8(status), port, processor)
}

// NoteSent records a frame that a NIC puts on the fabric.
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

// NoteSmallSent is NoteSent for a plain frame of a machine that does not look at each frame (Looks).
func (l *Ledger) NoteSmallSent(processor uint32, frame *nic.SmallFrame) {
	l.Frames.Sent++
	l.Sum.Event(EventSent(uint16(frame.Port()), processor), frame.Head, frame.Route, frame.Packet)
}

// NoteFate records the fate of a frame in flight at routers.
func (l *Ledger) NoteFate(frame nic.FrameView, slot uint32, how Fate) {
	if l.Queues != nil {
		l.Queues.Ended(l.Shard, frame, slot, how)
	}
}

// NoteMet records that a frame in a cell's TX FIFO has collided, as its medium reports. The frame remains in the
// FIFO.
func (l *Ledger) NoteMet(bank *nic.Bank, cell int, frame nic.FrameView, slot uint32) {
	l.noteOnFabric(bank.First+cell, frame, slot, true)
	if l.Witness != nil {
		l.Witness.Blocked(l, bank.First+cell, frame, slot)
	}
	bank.NoteTx(cell, frame.Port(), nic.TxCollided, frame.Destination())
}

// noteOnFabric counts a frame on the fabric. stays means that the frame remains in its TX FIFO.
func (l *Ledger) noteOnFabric(processor int, frame nic.FrameView, slot uint32, stays bool) {
	l.Frames.Sent++
	if l.Onlooker != nil {
		l.Onlooker.Sent(processor, frame, slot, stays)
	}
	a, b := frame.Words()
	l.Sum.Event(EventSent(frame.Port(), uint32(processor)), a, b, foldPayload(frame))
	if l.Capture {
		l.Sent = append(l.Sent, Captured{Processor: processor, Port: frame.Port(), Slot: slot,
			Frame: frame.AppendWire(nil), At: l.At})
	}
}

// NoteBlocked records that the medium of a frame in a cell's TX FIFO is taken in this slot. The frame remains in the
// FIFO.
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

// NoteHeard records a receiver's status in a slot, except StatusIdle. frame is in the RX FIFO or in the medium's
// table. NoteHeard reads frame only for StatusOK and StatusOverflow.
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

// NoteSmallHeard is NoteHeard for a plain frame, with StatusOK or StatusOverflow, of a machine that does not look at
// each frame (Looks).
func (l *Ledger) NoteSmallHeard(processor uint32, port uint16, status nic.Status, frame *nic.SmallFrame) {
	if status != nic.StatusOK {
		l.Frames.Overflow++
	} else {
		l.Frames.Delivered++
		if frame.IsPacket() && (frame.Destination() == processor || l.Overhears) {
			l.NoteArrival(processor, frame.Origin())
		}
	}
	l.Sum.EventOf(EventHeard(status, port, processor), uint64(frame.Source()))
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

// Judge passes the arrivals of a slot to the referee. Transports call Judge at the end of Hear.
func (l *Ledger) Judge(slot uint32) {
	if len(l.arrivals) > 0 {
		l.Referee.Arrive(l, slot, l.arrivals)
		l.arrivals = l.arrivals[:0]
	}
}

// Claim checks a packet announced by firmware, for referees that observe frames. has means that the processor
// received the packet in a frame. Claim only adds findings.
func (l *Ledger) Claim(processor int, origin, slot uint32, has bool) {
	if !has && l.Checks.ExactlyOnce {
		l.Find(Finding{Kind: FindUnbacked, Slot: slot, Index: processor, Value: origin})
	}
}

func (l *Ledger) follow(kind FollowedKind, processor int, port uint16, frame nic.FrameView, slot uint32) {
	if l.Follow == nil || !frame.IsPacket() {
		return
	}
	if origin := frame.Origin(); l.Follow.has(origin) {
		l.Followed = append(l.Followed, Followed{kind, processor, port, origin, frame.Source(), slot})
	}
}

// NoteResult records a result that a handler reported in this slot.
func (l *Ledger) NoteResult(result Result) {
	l.Sum.Event(traces.EventHead(eventResult, 0, 0, uint32(result.Processor)), uint64(result.Word), result.Value, 0)
	l.Results = append(l.Results, result)
}

// NoteAnnounced records a firmware announcement of a packet in the digest.
func (l *Ledger) NoteAnnounced(processor int, origin uint32) {
	l.Sum.Event(traces.EventHead(eventAnnounced, 0, 0, uint32(processor)), uint64(origin), 0, 0)
}

// NoteAltered records that a received frame differs from the sent frame.
func (l *Ledger) NoteAltered(processor int, port uint16, wire nic.Frame) {
	l.Sum.Event(traces.EventHead(eventAltered, 0, port, uint32(processor)), traces.Fold(wire), 0, 0)
}

// NoteArrival records the arrival of a packet for the referee, for transports that bypass NoteHeard.
func (l *Ledger) NoteArrival(processor, origin uint32) {
	l.arrivals = append(l.arrivals, Arrival{processor, origin})
}

// HeldPackets tracks the packets in processors by observing frames.
type HeldPackets interface {
	Sent(l *Ledger, processor int, origin, slot uint32)
	Received(processor int, origin, slot uint32)
	// Scan records the counts in the registers of the cells.
	Scan(b *nic.Bank, cells []uint32)
}

// QueuedFrames tracks frames from queueing to reception.
type QueuedFrames interface {
	Sent(shard, processor int, frame nic.FrameView, slot uint32)
	Heard(shard, processor int, port uint16, status nic.Status, frame nic.FrameView)
	// Ended records that a frame is no longer in flight at routers.
	Ended(shard int, frame nic.FrameView, slot uint32, how Fate)
	// Emptied records that a fault has emptied the TX FIFO of a processor.
	Emptied(shard, processor int)
}

// Fate is the outcome of a frame in flight.
type Fate uint8

const (
	FateReceived Fate = iota // the frame is in its receiver's RX FIFO
	FateOverflow             // the RX FIFO was full
	FateDamaged              // a fault damaged the frame: the CRC was wrong
	FateDropped              // a fault dropped the frame
	FateAlone                // the receiver is off the network
)

// foldPayload maps a payload to one word. It ignores later bytes in the sender's FIFO, which do not belong to the
// frame.
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

// Onlooker observes the events of a shard for a picture, and changes nothing.
type Onlooker interface {
	// Acted is called after the handlers of a slot, with the cells that may have acted.
	Acted(bank *nic.Bank, cells []uint32, slot uint32)
	// Sent is called for a frame on the fabric in a slot. stays means that the frame has collided and remains in its
	// TX FIFO.
	Sent(processor int, frame nic.FrameView, slot uint32, stays bool)
	// Blocked is called for a frame whose medium is taken in a slot.
	Blocked(processor int, frame nic.FrameView, slot uint32)
	// Heard is called with a receiver's status in a slot, except StatusIdle. frame is valid for StatusOK and
	// StatusOverflow.
	Heard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32)
	// Collided is called for a medium with a collision in a slot.
	Collided(medium int, slot uint32)
}

// Follow is a set of packets. Each event of their frames is recorded.
type Follow struct{ origins []uint64 } // bit per origin

// NewFollow returns the set of packets with these origins.
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

// Followed is an event of a frame that carries a followed packet.
type Followed struct {
	Kind      FollowedKind
	Processor int    // sender or listener
	Port      uint16 // port on which the frame was sent or heard
	Origin    uint32 // origin of the packet; 0 for a damaged frame
	Source    uint32 // sender of a received or overflowed frame
	Slot      uint32 // slot in which the frame crosses
}

// FollowedKind is the kind of an event. A collided frame has only FollowSent.
type FollowedKind uint8

const (
	FollowSent     FollowedKind = iota // put on the fabric
	FollowReceived                     // received with status ok
	FollowOverflow                     // lost to a full RX FIFO
	FollowDamaged                      // a frame received with status crc
)
