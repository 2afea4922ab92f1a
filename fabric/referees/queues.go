package referees

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// Queues tracks frames from the slot in which firmware queues them to the slots in which they are sent and received.
// It exists only for a QueueWatcher or the rules no_loss and deadline_slots.
//
//	slot      q         q+1       ...       s         s+1
//	     |---------|---------|---------|---------|---------|
//	     queued                        sent      received: at the boundary
//	     queue wait: s-q slots
//
// A frame queued at a boundary counts when the slot after this boundary crosses. A frame is identified by its
// contents, because the hardware does not number frames.
//
// A medium carries a frame in the slot in which the frame is sent. At routers a frame remains in flight for several
// slots; the hardware identifies the frame and reports its fate (Ended).
type Queues struct {
	config QueueConfig
	names  fabric.Names

	processors int

	// Waiting lists, in order, the frames that have not left each processor: first frames on the fabric, then frames
	// in the TX FIFO. It is nil if waiting times are not required.
	waiting [][]queued
	gone    []uint32 // by processor: number of waiting frames on the fabric
	judged  uint64   // number of frames that have met or missed the deadline
	spared  uint64   // lost frames that NoLoss has spared
	shards  []queueShard
	keys    []uint64 // scratch of lose: received frames
	used    []bool   // scratch of lose: keys already matched with a sent frame
}

// QueueConfig holds the purposes of Queues.
type QueueConfig struct {
	Watcher  QueueWatcher // nil for none
	NoLoss   bool         // frames must be received (rule no_loss)
	Spares   bool         // NoLoss ignores frames destroyed by faults, because firmware sends them again
	Deadline uint32       // slots from queueing to reception, 0 for no limit
	// reports whether a port of a processor is at a router; nil without routers
	Routed func(processor int, port uint16) bool
}

func (c *QueueConfig) routed(processor uint32, port uint16) bool {
	return c.Routed != nil && c.Routed(int(processor), port)
}

func (c *QueueConfig) asks() bool { return c.Watcher != nil || c.NoLoss || c.Deadline > 0 }

// QueueWatcher is a Referee that reports waiting times. Its methods are called between boundaries.
type QueueWatcher interface {
	// Follow sets the queues of the machine. Follow is called before the other methods.
	Follow(q *Queues)
	// Queued is called for a frame to a port with its current place in a TX FIFO; the head has place 1.
	Queued(processor int, port uint16, place int)
	// Left is called for a frame to a port with the slots in which it was queued and sent. Slot sent has crossed.
	Left(processor int, port uint16, queued, sent uint32)
	// Withdrawn is called when the head, and possibly further frames, have left a TX FIFO unsent.
	Withdrawn(processor int)
}

type queued struct {
	mark uint64
	slot uint32 // slot in which the frame was queued
	port uint16
	gone bool // sent in a slot that has not crossed, or in flight at routers
}

// departure is a sent frame; reception is a receiver's status in a slot.
type (
	departure struct {
		mark        uint64
		processor   uint32
		destination uint32
		slot        uint32
		port        uint16
	}
	reception struct {
		processor uint32
		source    uint32 // source of a readable frame
		port      uint16
		status    nic.Status
		any       bool // the frame is for anybody
	}
	ending struct {
		departure
		how fabric.Fate
	}
)

// queueShard holds the records of one shard in order.
type queueShard struct {
	departures []departure
	receptions []reception // receptions in the crossed slot
	ended      []ending    // frames that have ended at this boundary
	emptied    []uint32    // processors whose TX FIFOs were emptied by a fault at this boundary
	_          [64]byte
}

// NewQueues returns the queues of a network, or nil if config does not require them.
func NewQueues(names fabric.Names, processors int, config QueueConfig, shards int) *Queues {
	if !config.asks() {
		return nil
	}
	q := &Queues{config: config, names: names, processors: processors, shards: make([]queueShard, shards)}
	if config.Watcher != nil || config.Deadline > 0 {
		q.waiting, q.gone = make([][]queued, q.processors), make([]uint32, q.processors)
	}
	if config.Watcher != nil {
		config.Watcher.Follow(q)
	}
	return q
}

// MarkOf returns a hash of everything that firmware has written in a waiting frame. Only the head of the FIFO is
// known to be legal.
func MarkOf(frame nic.FrameView) uint64 {
	a, b := frame.Words()
	payload := uint64(0)
	switch bytes, room := frame.PayloadBytes(), len(frame)-nic.FrameStride(0); {
	case bytes > room:
	case bytes > nic.PacketBytes:
		payload = traces.Fold(frame.Payload())
	case bytes > 0: // every frame has room for 8 bytes
		payload = binary.LittleEndian.Uint64(frame[nic.FrameStride(0):]) << (64 - 8*bytes)
	}
	const odd = 0x9E3779B97F4A7C15
	mark := uint64(uint32(a)) // the head without the source
	for _, word := range [...]uint64{b, payload} {
		mark = (mark ^ word) * odd
		mark ^= bits.RotateLeft64(mark, 29)
	}
	return mark
}

// Each yields the frames that have not left their processors, each with the slot in which it was queued.
func (q *Queues) Each(yield func(processor int, port uint16, slot uint32)) {
	for processor := range q.waiting {
		for i := range q.waiting[processor] {
			w := &q.waiting[processor][i]
			yield(processor, w.port, w.slot)
		}
	}
}

// Sent records a frame that a NIC puts on the fabric.
func (q *Queues) Sent(shard, processor int, frame nic.FrameView, slot uint32) {
	s := &q.shards[shard]
	s.departures = append(s.departures,
		departure{MarkOf(frame), uint32(processor), frame.Destination(), slot, frame.Port()})
}

func (q *Queues) Ended(shard int, frame nic.FrameView, slot uint32, how fabric.Fate) {
	s := &q.shards[shard]
	s.ended = append(s.ended,
		ending{departure{MarkOf(frame), frame.Source(), frame.Destination(), slot, frame.Port()}, how})
}

// Heard records a receiver's status in a slot. It ignores good frames for other processors.
func (q *Queues) Heard(shard, processor int, port uint16, status nic.Status, frame nic.FrameView) {
	if !q.config.NoLoss || q.config.routed(uint32(processor), port) {
		return
	}
	r := reception{processor: uint32(processor), port: port, status: status}
	if status == nic.StatusOK || status == nic.StatusOverflow {
		r.source, r.any = frame.Source(), frame.Destination() == nic.AnyDestination
		if r.any && r.source == r.processor || !r.any && frame.Destination() != r.processor {
			return
		}
	}
	s := &q.shards[shard]
	s.receptions = append(s.receptions, r)
}

// Emptied records that a fault has emptied the TX FIFO of a processor.
func (q *Queues) Emptied(shard, processor int) {
	q.shards[shard].emptied = append(q.shards[shard].emptied, uint32(processor))
}

// Crossed processes the frames of the crossed slot, slots-1. found may belong to any shard.
func (q *Queues) Crossed(found *fabric.Found, slots uint32, lossy *Lossy) {
	q.take(slots)
	if q.config.NoLoss {
		q.lose(found, slots, lossy)
	}
	for i := range q.shards {
		s := &q.shards[i]
		s.departures = slices.DeleteFunc(s.departures, func(d departure) bool { return d.slot < slots })
		s.receptions, s.ended = s.receptions[:0], s.ended[:0]
	}
	if q.config.Deadline == 0 || slots < q.config.Deadline {
		return
	}
	due := slots - q.config.Deadline
	for processor := range q.waiting {
		for i := range q.waiting[processor] {
			if w := &q.waiting[processor][i]; w.slot == due {
				q.judged++
				still := "still waits"
				if w.gone {
					still = "is still in flight"
				}
				found.Find(fabric.Finding{Kind: fabric.FindOverdue, Slot: slots - 1, Index: processor, Value: due,
					Text: fmt.Sprintf(
						"queued a frame at %s in slot %d, and it %s %s later", q.port(processor, w.port), due, still,
						traces.Plural(q.config.Deadline, "slot", "slots"))})
			}
		}
	}
}

func (q *Queues) port(processor int, port uint16) string {
	if port == nic.PortAll {
		return "all ports"
	}
	return q.names.Port(processor, port)
}

func (q *Queues) take(slots uint32) {
	if q.waiting == nil {
		return
	}
	for i := range q.shards {
		for _, d := range q.shards[i].departures {
			if d.slot >= slots {
				continue
			}
			if q.config.routed(d.processor, d.port) {
				q.fly(d)
				continue
			}
			since, list := d.slot, q.waiting[d.processor]
			k := slices.IndexFunc(list, func(w queued) bool { return w.mark == d.mark })
			if k < 0 && len(list) > 0 && !list[0].gone { // the destination comes from a list and was unknown until now
				k = 0
			}
			if k >= 0 {
				since = list[k].slot
				q.remove(d.processor, k, slots)
			}
			if q.config.Watcher != nil {
				q.config.Watcher.Left(int(d.processor), d.port, since, d.slot)
			}
		}
	}
	for i := range q.shards {
		for _, e := range q.shards[i].ended {
			if k := q.find(&e.departure, true); k >= 0 {
				q.remove(e.processor, k, slots)
			}
		}
	}
}

func (q *Queues) find(d *departure, gone bool) int {
	return slices.IndexFunc(q.waiting[d.processor], func(w queued) bool { return w.mark == d.mark && w.gone == gone })
}

func (q *Queues) fly(d departure) {
	if k := q.find(&d, false); k >= 0 {
		q.waiting[d.processor][k].gone = true
		q.gone[d.processor]++
	}
}

func (q *Queues) remove(processor uint32, k int, slots uint32) {
	w := q.waiting[processor][k]
	if w.gone {
		q.gone[processor]--
	}
	if slots-w.slot <= q.config.Deadline {
		q.judged++
	}
	q.waiting[processor] = slices.Delete(q.waiting[processor], k, k+1)
}

// Spared returns the number of frames destroyed by faults, which the rule no_loss has ignored.
func (q *Queues) Spared() uint64 { return q.spared }

// Judged returns the number of frames that have met or missed the deadline so far.
func (q *Queues) Judged() uint64 { return q.judged }

// Drop discards the records of a slot that will never cross.
func (q *Queues) Drop(slot uint32) {
	for i := range q.shards {
		s := &q.shards[i]
		s.departures = slices.DeleteFunc(s.departures, func(d departure) bool { return d.slot >= slot })
		s.emptied = s.emptied[:0]
	}
}

// Begin processes the frames sent in the new slot, and emptied FIFOs. Afterwards the caller must call Look for all TX
// FIFOs.
func (q *Queues) Begin(slot uint32) {
	for i := range q.shards {
		s := &q.shards[i]
		for _, processor := range s.emptied {
			if q.waiting != nil {
				q.empty(int(processor))
			}
		}
		s.emptied = s.emptied[:0]
		if q.waiting == nil {
			continue
		}
		for _, d := range s.departures {
			k := q.find(&d, false)
			if k < 0 {
				k = len(q.waiting[d.processor])
				q.add(int(d.processor), queued{mark: d.mark, slot: slot, port: d.port})
			}
			q.waiting[d.processor][k].gone = true
			q.gone[d.processor]++
		}
	}
}

func (q *Queues) empty(processor int) {
	q.waiting[processor] = slices.DeleteFunc(q.waiting[processor], func(w queued) bool { return !w.gone })
	if q.config.Watcher != nil {
		q.config.Watcher.Withdrawn(processor)
	}
}

func (q *Queues) add(processor int, w queued) {
	q.waiting[processor] = append(q.waiting[processor], w)
	if q.config.Watcher != nil {
		q.config.Watcher.Queued(processor, w.port, len(q.waiting[processor]))
	}
}

// Look compares the TX FIFOs of a bank with their previous contents, after the handlers of a slot.
func (q *Queues) Look(bank *nic.Bank, slot uint32) {
	if q.waiting == nil {
		return
	}
	for cell := range bank.Registers {
		processor := bank.First + cell
		frames := min(int(bank.Registers[cell].TxCount), bank.TxFrames)
		if list := q.waiting[processor]; frames > 0 || len(list) > 0 {
			q.look(bank, cell, frames, slot)
		}
	}
}

// look compares one TX FIFO. Handlers append frames and may withdraw others. If the last old frame is still in its
// place, handlers have withdrawn none.
func (q *Queues) look(bank *nic.Bank, cell, frames int, slot uint32) {
	processor := bank.First + cell
	list := q.waiting[processor]
	old := len(list) - int(q.gone[processor])
	if old > frames || old > 0 && (list[len(list)-1].gone || MarkOf(bank.TxFrame(cell, old-1)) != list[len(list)-1].mark) {
		old = q.match(bank, cell, frames)
	}
	for place := old; place < frames; place++ {
		frame := bank.TxFrame(cell, place)
		q.add(processor, queued{mark: MarkOf(frame), slot: slot, port: frame.Port()})
	}
}

func (q *Queues) match(bank *nic.Bank, cell, frames int) (old int) {
	processor, head := bank.First+cell, false
	q.waiting[processor] = slices.DeleteFunc(q.waiting[processor], func(w queued) bool {
		if w.gone {
			return false
		}
		if old < frames && MarkOf(bank.TxFrame(cell, old)) == w.mark {
			old++
			return false
		}
		head = head || old == 0
		return true
	})
	if head && q.config.Watcher != nil {
		q.config.Watcher.Withdrawn(processor)
	}
	return old
}

// Reset removes all frames.
func (q *Queues) Reset() {
	for i := range q.waiting {
		q.waiting[i] = q.waiting[i][:0]
	}
	clear(q.gone)
	q.judged, q.spared = 0, 0
	for i := range q.shards {
		s := &q.shards[i]
		s.departures, s.receptions, s.ended, s.emptied = s.departures[:0], s.receptions[:0], s.ended[:0], s.emptied[:0]
	}
}

// queuesState are the words of a state: two per waiting frame, three per sent frame. Slots count from origin.
type queuesState struct {
	counts       []uint32
	frames, sent []uint64
	since        []uint32 // of snapshots: slots of waiting frames, if no rule judges them
	origin       uint32   // of snapshots: the current slot, so that states of different slots are comparable
	judgesAge    bool
}

func (q *Queues) write(s *queuesState) {
	for i, list := range q.waiting {
		s.counts[i] = uint32(len(list))
		for _, w := range list {
			rest := uint64(w.port) << 32
			if s.judgesAge {
				rest |= uint64(w.slot - s.origin)
			} else {
				s.since = append(s.since, w.slot)
			}
			if w.gone {
				rest |= 1 << 48
			}
			s.frames = append(s.frames, w.mark, rest)
		}
	}
	for i := range q.shards {
		for _, d := range q.shards[i].departures {
			s.sent = append(s.sent, d.mark, keyOf(d.destination, d.processor), uint64(d.slot-s.origin)|uint64(d.port)<<32)
		}
	}
}

func (q *Queues) read(s *queuesState) {
	for i, count := range s.counts {
		for range count {
			word := s.frames[1]
			w := queued{mark: s.frames[0], slot: uint32(word) + s.origin, port: uint16(word >> 32), gone: word>>48 != 0}
			if w.gone {
				q.gone[i]++
			}
			if !s.judgesAge {
				w.slot, s.since = s.since[0], s.since[1:]
			}
			q.waiting[i], s.frames = append(q.waiting[i], w), s.frames[2:]
		}
	}
	for sent := s.sent; len(sent) > 0; sent = sent[3:] {
		q.shards[0].departures = append(q.shards[0].departures,
			departure{mark: sent[0], processor: uint32(sent[1]), destination: uint32(sent[1] >> 32),
				slot: uint32(sent[2]) + s.origin, port: uint16(sent[2] >> 32)})
	}
}

// State visits waiting and sent frames. latest returns the machine's slot.
func (q *Queues) State(v *hw.StateVisitor, latest func() uint32) {
	class := hw.Statistic // waiting times are only figures, unless a rule judges them
	if q.config.NoLoss || q.config.Deadline > 0 {
		class = hw.Future
	}
	judged := q.judged
	hw.StateScalar(v, hw.Statistic, "queues.judged", &judged)
	spared := q.spared
	if q.config.Spares {
		hw.StateScalar(v, hw.Statistic, "queues.spared", &spared)
	}
	s := &queuesState{counts: make([]uint32, len(q.waiting)), judgesAge: true}
	if v.Snapshots() {
		s.origin, s.judgesAge = latest(), q.config.Deadline > 0
	}
	if v.Saving() {
		q.write(s)
	}
	var total, words, sentWords uint64 // counts of restored values
	past := func(word uint64) error {
		if slot := uint32(word); slot > latest() {
			return fmt.Errorf("slot %d is after the machine's slot %d", slot, latest())
		}
		return nil
	}
	hw.StateColumn(v, class, "queues.count", s.counts,
		func(_ int, count uint32) error { total += uint64(count); return nil })
	hw.StateList(v, class, "queues.frame", &s.frames, func(i int, word uint64) error {
		words++
		if i%2 == 1 {
			return past(word)
		}
		return nil
	})
	hw.StateList(v, class, "queues.sent", &s.sent, func(i int, word uint64) error {
		sentWords++
		switch {
		case i%3 == 1 && uint64(uint32(word)) >= uint64(q.processors):
			return fmt.Errorf("a frame of processor %d of %d", uint32(word), q.processors)
		case i%3 == 2:
			return past(word)
		}
		return nil
	})
	if !s.judgesAge {
		hw.StateList(v, hw.Statistic, "queues.since", &s.since)
	}
	v.Verify(func() error {
		if words != 2*total || sentWords%3 != 0 {
			return fmt.Errorf("%d words for %d waiting frames, %d words for sent frames", words, total, sentWords)
		}
		return nil
	})
	v.AfterRestore(func() {
		q.Reset()
		q.judged, q.spared = judged, spared
		q.read(s)
	})
}
