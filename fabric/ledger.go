package fabric

import (
	"encoding/binary"
	"fmt"

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

// findingsMax bounds what one shard keeps of one kind in one slot; the rest is
// only counted. It is the size of a report's list, so no report can miss one.
const findingsMax = 100

// Ledger is what one shard has seen: counters for the whole run, and the events
// of the current slot. Ledgers of different shards are merged in their order, so
// that nothing depends on how the machine was cut.
type Ledger struct {
	Checks    Checks
	Shard     int // whose ledger it is
	Referee   Referee
	Witness   Witness // the referee's, nil if it need not see every frame
	Overhears bool    // packets in frames for somebody else are arrivals, too: Referee.Overhears
	Capture   bool    // keep Sent and Heard for a packet capture
	Held      *Held   // what frames show of the packets that processors hold, nil for nothing
	Follow    *Follow // the packets whose every frame is kept in Followed, nil for none
	Faults    *Faults // of this run, nil for none: SetFaults
	Queues    *Queues // of the machine, nil if no one asks

	Frames        Frames
	HeldMax       uint8
	FindingsTotal uint64
	FaultCounts   []FaultCount // by fault, up to the last whole boundary
	FaultActs     []FaultCount // of processors, in the boundary that runs

	Events // of the current slot
}

// Events are what a shard has seen in one slot.
type Events struct {
	Sum      traces.Sum
	Finished int  // processors that are done or faulty
	Sending  bool // somebody has a frame in its TX FIFO
	Findings []Finding
	kinds    [findingKinds]int
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
		Capture: l.Capture, Held: l.Held, Follow: l.Follow, Queues: l.Queues,
		Events: Events{Findings: l.Findings[:0], arrivals: l.arrivals[:0]}}
	next.SetFaults(l.Faults)
	return next
}

// Checks are the rules that the ledgers watch.
type Checks struct {
	HeldMax     int  // packets per processor, 0 for no rule
	ExactlyOnce bool // a packet arrives once, and only where it belongs
	NoLoss      bool // no frame is lost
	NoCreation  bool // a frame of gossip has no item that its sender does not know
	OneBus      bool // a processor does not listen to another bus than it sends to
	BusLength   bool // not too many processors are on one bus
	ReceiveStep bool // a broadcast reaches a processor in its step
}

// Captured is one frame for the packet capture. Frame is empty for a collision.
type Captured struct {
	Processor int
	Port      uint16
	Slot      uint32     // that it has crossed in, or crosses in
	Status    nic.Status // of a reception
	Frame     nic.Frame
}

// BeginSlot forgets the events of the slot before.
func (e *Events) BeginSlot() {
	e.Sum = traces.Sum{}
	e.Finished, e.Sending, e.Announced = 0, false, 0
	e.Findings = e.Findings[:0]
	e.kinds = [findingKinds]int{}
	e.Sent, e.Heard = e.Sent[:0], e.Heard[:0]
	e.Followed, e.Results = e.Followed[:0], e.Results[:0]
}

// Find notes a finding. Of more than findingsMax of one kind in one slot those
// that come first in Compare's order are kept, in whatever order they come.
func (l *Ledger) Find(f Finding) {
	l.FindingsTotal++
	if l.kinds[f.Kind]++; l.kinds[f.Kind] <= findingsMax {
		l.Findings = append(l.Findings, f)
		return
	}
	highest := -1
	for i := range l.Findings {
		if l.Findings[i].Kind == f.Kind && (highest < 0 || l.Findings[highest].Compare(&l.Findings[i]) < 0) {
			highest = i
		}
	}
	if f.Compare(&l.Findings[highest]) < 0 {
		l.Findings[highest] = f
	}
}

// The kinds of events in the digest.
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
	return l.Capture || l.Held != nil || l.Follow != nil || l.Witness != nil || l.Faults != nil || l.Queues != nil
}

// EventSent is the head of the digest's event of a frame that is sent; its head and route words
// and its payload follow.
func EventSent(port uint16, processor uint32) uint64 {
	return traces.EventHead(eventSent, 0, port, processor)
}

// EventHeard is the head of the event of a frame that is received; its source follows.
func EventHeard(status nic.Status, port uint16, processor uint32) uint64 {
	return traces.EventHead(eventHeard, uint8(status), port, processor)
}

// NoteSent notes a frame that a NIC puts on the fabric.
func (l *Ledger) NoteSent(processor int, frame nic.FrameView, slot uint32) {
	l.noteOnFabric(processor, frame, slot)
	if l.Held != nil && isPacket(frame) {
		l.sentPacket(processor, originOf(frame), slot)
	}
	if l.Witness != nil {
		l.Witness.Sent(l, processor, frame, slot)
	}
	if l.Queues != nil {
		l.Queues.sent(l.Shard, processor, frame, slot)
	}
	l.follow(FollowSent, processor, frame.Port(), frame)
}

// NoteMet notes a frame in a cell's TX FIFO that was sent and has met another one, where the
// medium tells that: it stays there.
func (l *Ledger) NoteMet(bank *nic.Bank, cell int, frame nic.FrameView, slot uint32) {
	l.noteOnFabric(bank.First+cell, frame, slot)
	if l.Witness != nil {
		l.Witness.Blocked(l, bank.First+cell, frame, slot)
	}
	bank.NoteTx(cell, frame.Port(), nic.TxCollided, frame.Destination())
}

// noteOnFabric counts a frame.
func (l *Ledger) noteOnFabric(processor int, frame nic.FrameView, slot uint32) {
	l.Frames.Sent++
	a, b := frame.Words()
	l.Sum.Event(EventSent(frame.Port(), uint32(processor)), a, b, foldPayload(frame))
	if l.Capture {
		l.Sent = append(l.Sent, Captured{Processor: processor, Port: frame.Port(), Slot: slot, Frame: frame.AppendWire(nil)})
	}
}

// NoteBlocked notes that the medium of a frame in a cell's TX FIFO is taken in this slot: it
// stays there.
func (l *Ledger) NoteBlocked(bank *nic.Bank, cell int, frame nic.FrameView, slot uint32) {
	l.Frames.Blocked++
	if l.Witness != nil {
		l.Witness.Blocked(l, bank.First+cell, frame, slot)
	}
	a, b := frame.Words()
	l.Sum.Event(traces.EventHead(eventBlocked, 0, frame.Port(), uint32(bank.First+cell)), a, b, 0)
	bank.NoteTx(cell, frame.Port(), nic.TxBlocked, frame.Destination())
}

// foldPayload maps a payload to one word. The bytes after it are not part of the
// frame, whatever the sender's FIFO still holds.
func foldPayload(frame nic.FrameView) uint64 {
	switch payload := frame.Payload(); len(payload) {
	case 0:
		return 0
	case packetBytes:
		return binary.LittleEndian.Uint64(payload)
	default:
		return traces.Fold(payload)
	}
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
		l.follow(FollowReceived, processor, port, frame)
	case nic.StatusCRC:
		l.Frames.CRC++
		if l.Follow != nil {
			l.Followed = append(l.Followed, Followed{Kind: FollowDamaged, Processor: processor, Port: port})
		}
	case nic.StatusOverflow:
		l.Frames.Overflow++
		l.follow(FollowOverflow, processor, port, frame)
		l.NoteSmall(processor, slot, false)
		source = uint64(frame.Source())
	}
	if l.Queues != nil {
		l.Queues.heard(l.Shard, processor, port, status, frame)
	}
	l.Sum.Event(EventHeard(status, port, uint32(processor)), source, 0, 0)
	if l.Capture {
		c := Captured{Processor: processor, Port: port, Slot: slot, Status: status}
		if status == nic.StatusOK || status == nic.StatusOverflow {
			c.Frame = frame.AppendWire(nil)
		}
		l.Heard = append(l.Heard, c)
	}
}

// received notes what a good frame has brought to a processor.
func (l *Ledger) received(processor int, frame nic.FrameView, slot uint32) {
	if l.Witness != nil {
		l.Witness.Received(l, processor, frame, slot)
	}
	if !isPacket(frame) {
		return
	}
	origin := originOf(frame)
	if l.Held != nil {
		l.Held.received(processor, origin, slot)
	}
	if l.Overhears || frame.Destination() == uint32(processor) {
		l.arrivals = append(l.arrivals, Arrival{uint32(processor), origin})
	}
}

// Judge gives the referee what NoteHeard has noted of a slot. Transports call it at the
// end of Hear.
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

// packetBytes is the packet {origin, destination} at the head of a payload, as
// sl_packet of the firmware SDK lays it out.
const packetBytes = 8

// isPacket reports whether a frame carries a packet that the host can read.
func isPacket(frame nic.FrameView) bool {
	return frame.Kind() == nic.KindData && frame.PayloadBytes() >= packetBytes
}

// originOf returns the origin of a frame's packet.
func originOf(frame nic.FrameView) uint32 { return binary.LittleEndian.Uint32(frame.Payload()) }

// Scan reads what the handlers of some cells have said: who is finished, who sends,
// who holds how many packets, whose TX FIFO was too small.
func (l *Ledger) Scan(b *nic.Bank, cells []uint32, slot uint32) {
	finished, any, held := scanWords(b.Words, cells, uint64(l.HeldMax))
	l.Finished += finished
	l.HeldMax = uint8(held)
	if any>>nic.WordTxCountShift&0xFF != 0 {
		l.Sending = true
	}
	if limit := l.Checks.HeldMax; limit > 0 && int(held) > limit {
		l.scanHeld(b, cells, slot)
	}
	// No count is larger than the union of all.
	if any>>nic.WordRxCountShift&0xFF > uint64(b.RxFrames) || any>>nic.WordTxCountShift&0xFF > uint64(b.TxFrames) {
		l.scanCounts(b, cells, slot)
	}
	if l.Held != nil {
		l.Held.scan(b, cells)
	}
	if any>>nic.WordFlagsShift&nic.FlagTxOverflow != 0 {
		l.scanTxOverflow(b, cells, slot)
	}
}

// scanWords goes through the registers of some processors, one load and no branch
// that depends on them: how many are done or faulty, the union of all words, and the
// largest number of packets held, not below held.
func scanWords(words []uint64, cells []uint32, held uint64) (finished int, any, heldMax uint64) {
	var done uint64
	for _, cell := range cells {
		w := words[cell]
		done += (w>>nic.WordFlagsShift | w>>(nic.WordFlagsShift+1)) & 1 // FlagDone, FlagFaulty
		any |= w
		held = max(held, w>>nic.WordHeldShift&0xFF)
	}
	return int(done), any, held
}

// ScanListen takes those of the cells first..end-1 off the fabric that listen where
// there is no port in this slot.
func (l *Ledger) ScanListen(b *nic.Bank, first, end int, slot uint32) {
	ports := b.Listen(slot)[first:end]
	if b.Taps != nil {
		l.scanTaps(b, ports, first, slot)
		return
	}
	wrap := uint16(1)
	if b.AllPorts {
		wrap = 2
	}
	excess, limit := uint64(0), uint64(b.Ports)+uint64(wrap-1)
	for _, port := range ports {
		// PortNone is the highest port, PortAll is below it: plus one or two they wrap. What
		// is above the limit then makes the difference negative.
		excess |= limit - uint64(port+wrap)
	}
	if int64(excess) >= 0 {
		return
	}
	for i, port := range ports {
		if int(port) >= b.Ports && port != nic.PortNone && (!b.AllPorts || port != nic.PortAll) {
			all := ""
			if b.AllPorts {
				all = fmt.Sprintf(", %#x for all", nic.PortAll)
			}
			l.Find(Finding{Kind: FindIllegalHear, Slot: slot, Index: b.First + first + i,
				Text: fmt.Sprintf("listens to port %d; its receiver hears one of the ports 0 to %d%s, or %#x for none", port, b.Ports-1, all, nic.PortNone)})
			b.Silence(first + i)
		}
	}
}

// scanTaps is ScanListen where processors have ports of their own.
func (l *Ledger) scanTaps(b *nic.Bank, ports []uint16, first int, slot uint32) {
	for i, port := range ports {
		if own := b.PortsOf(first + i); int(port) >= own && port != nic.PortNone {
			l.Find(Finding{Kind: FindIllegalHear, Slot: slot, Index: b.First + first + i,
				Text: fmt.Sprintf("listens to port %d; its receiver has %s, counted from 0, or %#x for none", port, traces.Plural(own, "port", "ports"), nic.PortNone)})
			b.Silence(first + i)
		}
	}
}

// scanHeld names the processors that hold too much.
func (l *Ledger) scanHeld(b *nic.Bank, cells []uint32, slot uint32) {
	for _, cell := range cells {
		if held := b.Registers[cell].Held; int(held) > l.Checks.HeldMax {
			l.Find(Finding{Kind: FindHeld, Slot: slot, Index: b.First + int(cell), Value: uint32(held)})
		}
	}
}

// scanCounts takes those processors off the fabric that have written counts into
// their registers that no FIFO of theirs can have.
func (l *Ledger) scanCounts(b *nic.Bank, cells []uint32, slot uint32) {
	for _, cell := range cells {
		r := &b.Registers[cell]
		rx, tx := int(r.RxCount) > b.RxFrames, int(r.TxCount) > b.TxFrames
		if rx {
			l.Find(Finding{Kind: FindIllegalHear, Slot: slot, Index: b.First + int(cell),
				Text: fmt.Sprintf("says that its RX FIFO holds %d frames; it has room for %d", r.RxCount, b.RxFrames)})
		}
		if tx {
			l.Find(Finding{Kind: FindIllegalSend, Slot: slot, Index: b.First + int(cell), Text: b.Refusal(int(cell), nil)})
		}
		if rx || tx {
			b.Silence(int(cell))
		}
	}
}

// scanTxOverflow counts the processors whose TX FIFO was too small.
func (l *Ledger) scanTxOverflow(b *nic.Bank, cells []uint32, slot uint32) {
	for _, cell := range cells {
		r := &b.Registers[cell]
		if r.Flags&nic.FlagTxOverflow == 0 {
			continue
		}
		l.Frames.TxOverflow++
		r.Flags &^= nic.FlagTxOverflow
		if l.Checks.NoLoss {
			text := "queued a frame that was lost: its TX FIFO was full"
			if l.Faults.Smaller(b.First+int(cell), true) {
				text += ", which a fault has made smaller"
			}
			l.Find(Finding{Kind: FindUnsent, Slot: slot, Index: b.First + int(cell), Text: text})
		}
	}
}
