package pops

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/nic"
)

// SlotTransport is the fabric of the slot engine. For each coupler it stores the number of senders, and the index of
// the first frame among the frames of the source group. The frames of a group are adjacent, so few frames need little
// memory and cache. Two tables alternate, so that a shard may send in slot t while another shard still hears slot
// t-1, with one barrier per slot.
//
// A coupler belongs to the shard of its source group. Latency: one slot. Collision: with two or more senders all
// frames are lost, and every listener gets StatusCollision, as with the couplers of the cycle engine.
type SlotTransport struct {
	net          Network
	shape        fabric.Shape
	timing       nic.Timing
	shards       []hw.Shard
	stride       int // bytes of a frame in a FIFO
	payloadBytes int
	tail         int // bytes of the stride after a small frame
	pitch        int // number of couplers in a table from one group's first coupler to the next group's
	row          int // number of frames in a table from one group's first frame to the next group's
	tables       [2]slotTable
	work         []slotWork

	listened listened
}

type slotTable struct {
	senders []uint8  // number of senders of each coupler: 0, 1, or 2 for a collision
	first   []uint16 // by coupler with a sender: number of the first frame in the group's row
	// by group: number of frames in the row; the first frame on each coupler, with room for a frame that is not
	// first; and the bytes after a small frame. Memory of unused tails is never touched.
	lit    []uint16
	frames []nic.SmallFrame
	tails  []byte
	// by shard, in this slot: number of collided frames, and of frames counted once per coupler
	collided, placed []uint64
}

type meeting struct{ coupler, bit uint32 }

// slotTransport allocates the tables for frames of at most PayloadBytes. Couplers after the last real coupler are
// always dark; loops use them in place of an unpredictable branch.
func (p Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	shards := c.Shards
	t := &SlotTransport{
		net: p, shape: p.Shape(), timing: c.Timing, shards: shards, stride: nic.FrameStride(c.PayloadBytes),
		payloadBytes: c.PayloadBytes,
		pitch:        p.Groups + pitchPad, row: min(p.Groups, p.GroupSize) + rowPad, work: make([]slotWork, len(shards)),
		listened: newListened(p),
	}
	t.tail = max(t.stride-nic.SmallFrameBytes, 0)
	for i := range t.work {
		t.work[i].view = make(nic.FrameView, max(t.stride, nic.SmallFrameBytes))
	}
	for i := range t.tables {
		table := &t.tables[i]
		*table = slotTable{
			senders: make([]uint8, t.entries()), first: make([]uint16, t.entries()), lit: make([]uint16, p.Groups),
			frames: make([]nic.SmallFrame, p.Groups*t.row), tails: make([]byte, p.Groups*t.row*t.tail),
			collided: make([]uint64, len(shards)), placed: make([]uint64, len(shards)),
		}
		hw.AdviseHuge(table.senders)
		hw.AdviseHuge(table.first)
		if c.Workload.OneToAll == nil { // with one source, few groups have several frames, and small pages remain untouched
			hw.AdviseHuge(nic.SmallBytes(table.frames))
		}
	}
	return t, nil
}

// pitchPad is the number of unused entries between the couplers of two groups in a table. Sizes of networks are
// usually powers of two; without a gap, the couplers heard by neighbouring groups would compete for the same cache
// sets.
const pitchPad = 24

func (t *SlotTransport) at(from, to int) int { return from*t.pitch + to }

func (t *SlotTransport) entries() int { return t.at(t.net.Groups+1, 0) }

// Begin implements Transport. It darkens the couplers of the shard.
func (t *SlotTransport) Begin(shard int, slot uint32, exact bool) {
	table, work := &t.tables[slot&1], &t.work[shard]
	work.exact, work.meetings = exact, work.meetings[:0]
	s := t.shards[shard]
	clear(table.senders[t.at(s.First, 0):t.at(s.End, 0)])
	clear(table.lit[s.First:s.End])
	table.collided[shard], table.placed[shard] = 0, 0
	t.listened.clear(s)
}

const slotBlock = 512

// slotWork is the buffer of a shard for a block of processors. The couplers heard by these processors are scattered
// over a large table, and a CPU serves twenty independent cache misses in the time of one. Each step is therefore a
// loop of independent iterations, and fills lists without data-dependent branches.
type slotWork struct {
	cell [slotBlock]uint32

	// listeners to one sender, with the position of its frame; listeners to several senders
	hits, clashes int
	hit           [slotBlock]hearing
	at            [slotBlock]uint32
	clash         [slotBlock]uint32
	arrived       [slotBlock]fabric.Arrival

	out [slotBlock]sending // frames of small senders

	touched uint64
	view    nic.FrameView

	exact    bool      // the exact cycles of this slot's collisions are required
	meetings []meeting // collisions of this slot, if exact
}

type sending struct {
	nic.SmallFrame
	cell uint32
}

type hearing struct{ cell, coupler uint32 }

func (t *SlotTransport) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	_ fabric.Window, cells []uint32) {
	work := &t.work[shard]
	small := bank.Small() && !ledger.Looks()
	for len(cells) > 0 {
		some := cells[:min(slotBlock, len(cells))]
		senders := bank.ListSenders(work.cell[:], some)
		bank.NoteAllSent(senders) // nothing blocks a coupler
		if small {
			t.sendSmall(shard, bank, senders, ledger, slot)
		} else {
			for _, cell := range senders {
				t.send(shard, bank, int(cell), ledger, slot)
			}
		}
		cells = cells[len(some):]
	}
}

func (t *SlotTransport) send(shard int, bank *nic.Bank, cell int, ledger *fabric.Ledger, slot uint32) {
	table := &t.tables[slot&1]
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	processor := bank.First + cell
	group := processor / t.net.GroupSize
	place := group*t.row + int(table.lit[group])
	view := t.work[shard].view
	frame.SetSource(uint32(processor))
	frame.CopyTo(view[:t.stride])
	table.frames[place] = *nic.SmallAt(view, 0)
	if end := view.Used(); end > nic.SmallFrameBytes {
		copy(table.tails[place*t.tail:], view[nic.SmallFrameBytes:end])
	}
	var fresh int
	if port := frame.Port(); port == nic.PortAll {
		for to := range t.net.Groups {
			fresh |= t.light(table, group, to, frame, shard)
		}
	} else {
		fresh = t.light(table, group, int(port), frame, shard)
	}
	table.lit[group] += uint16(fresh)
	ledger.NoteSent(processor, frame, slot)
	bank.PopTx(cell)
}

// collidedBy is the number of newly collided frames when a frame joins a coupler with 0, 1, or 2 or more senders.
var collidedBy = [4]uint8{0, 2, 1, 1}

// light puts the next frame of a group's row on a coupler. fresh is 1 for the first frame on the coupler, otherwise
// 0.
func (t *SlotTransport) light(table *slotTable, group, to int, frame nic.FrameView, shard int) (fresh int) {
	coupler := t.at(group, to)
	senders := table.senders[coupler]
	table.senders[coupler] = senders + 1 - senders>>1
	table.collided[shard] += uint64(collidedBy[senders&3])
	table.placed[shard]++
	if senders == 0 {
		table.first[coupler] = table.lit[group]
		return 1
	}
	if t.work[shard].exact {
		first := &table.frames[group*t.row+int(table.first[coupler])]
		t.work[shard].meet(coupler, first.HeadBits(), frame.HeadBits())
	}
	return 0
}

// meet records two frames on a coupler by their first 64 bits on the wire. These bits differ, because they include
// the source; both rails are lit from the first differing bit on. With several senders, the first difference involves
// the first sender.
func (w *slotWork) meet(coupler int, a, b uint64) {
	w.meetings = append(w.meetings, meeting{uint32(coupler), uint32(bits.LeadingZeros64(a ^ b))})
}

// Start, Cross and Latch implement Transport. The frames are already in the tables.

func (t *SlotTransport) Start()       {}
func (t *SlotTransport) Cross(uint32) {}
func (t *SlotTransport) Latch()       {}

const lineCells = slotBlock / 2

func (t *SlotTransport) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	work, table := &t.work[shard], &t.tables[slot&1]
	ports := bank.Listen(slot)
	for first := window.First; first < window.End; {
		group := (bank.First + first) / t.net.GroupSize
		end := min((group+1)*t.net.GroupSize-bank.First, window.End, first+lineCells)
		t.listen(work, table.senders, ports[first:end], bank.RxStatus[first:end], first, group)
		if max(work.hits, work.clashes) > slotBlock-lineCells {
			t.deliver(work, bank, ledger, slot)
		}
		first = end
	}
	t.deliver(work, bank, ledger, slot)
	ledger.Judge(slot)
}

// listen writes the status of up to lineCells processors of one group, ignoring FIFO overflow, and lists the
// processors that hear a frame. Processors without a listen port hear couplers that are always dark.
func (t *SlotTransport) listen(work *slotWork, senders []uint8, ports []uint16, statuses []uint8, from, group int) {
	g, pitch, here := uint32(t.net.Groups), uint32(t.pitch), uint32(group)
	statuses = statuses[:len(ports)]
	any := uint8(0)
	for i, p := range ports {
		// 0, 1 or 2 senders are StatusIdle, StatusOK and StatusCollision
		status := senders[min(uint32(p), g)*pitch+here]
		statuses[i] = status
		any |= status
	}
	if any == 0 {
		return
	}
	hits, clashes, cell := work.hits, work.clashes, uint32(from)
	hit, clash := &work.hit, &work.clash
	for i, status := range statuses {
		hit[hits&(slotBlock-1)] = hearing{cell, uint32(ports[i])*pitch + here}
		clash[clashes&(slotBlock-1)] = cell
		hits += int(status & 1)
		clashes += int(status >> 1)
		cell++
	}
	work.hits, work.clashes = hits, clashes
}

func (t *SlotTransport) deliver(work *slotWork, bank *nic.Bank, ledger *fabric.Ledger, slot uint32) {
	table, ports := &t.tables[slot&1], bank.Listen(slot)
	hit, clash := work.hit[:work.hits], work.clash[:work.clashes]
	if ledger.Faults != nil {
		hit, clash = t.harm(hit, clash, bank, ledger, slot)
	} else {
		ledger.Frames.Heard += t.firstListeners(hit, ports)
	}
	t.find(work.at[:len(hit)], table.first, hit, ports)
	if bank.Small() && !ledger.Looks() {
		work.touched ^= touchSmall(table.frames, bank, hit, work.at[:len(hit)])
		t.deliverSmall(work, table, bank, hit, ledger, slot)
	} else {
		for i, h := range hit {
			t.deliverOne(work, table, bank, h.cell, work.at[i], ledger, slot)
		}
	}
	for _, cell := range clash {
		ledger.NoteHeard(bank.First+int(cell), ports[cell], nic.StatusCollision, nil, slot)
	}
	work.hits, work.clashes = 0, 0
}

// harm applies faults to listeners and counts the frames that reach them. It returns the unharmed listeners.
func (t *SlotTransport) harm(hit []hearing, clash []uint32, bank *nic.Bank, ledger *fabric.Ledger,
	slot uint32) ([]hearing, []uint32) {
	ports := bank.Listen(slot)
	hit = slices.DeleteFunc(hit, func(h hearing) bool {
		effect, mark := ledger.Harm(bank, int(h.cell), ports[h.cell], slot, false), t.mark(h, ports)
		*mark = uint8(ledger.Frames.Listened(fabric.Listened(*mark), effect, 1))
		return effect != fabric.Unharmed
	})
	return hit, slices.DeleteFunc(clash, func(cell uint32) bool {
		return ledger.Harm(bank, int(cell), ports[cell], slot, true) != fabric.Unharmed
	})
}

func (t *SlotTransport) find(at []uint32, first []uint16, hit []hearing, ports []uint16) {
	row := uint32(t.row)
	for i, h := range hit {
		at[i] = uint32(ports[h.cell])*row + uint32(first[h.coupler])
	}
}

func (t *SlotTransport) deliverOne(work *slotWork, table *slotTable, bank *nic.Bank, heard, at uint32,
	ledger *fabric.Ledger, slot uint32) {
	cell, port := int(heard), bank.Listen(slot)[heard]
	*nic.SmallAt(work.view, 0) = table.frames[at]
	frame := work.view[:t.stride]
	if end := frame.Used(); end > nic.SmallFrameBytes {
		copy(frame[nic.SmallFrameBytes:end], table.tails[int(at)*t.tail:])
	}
	ledger.NoteHeard(bank.First+cell, port, bank.PushRx(cell, port, frame), frame, slot)
}

// mark returns the mark of the coupler that a listener hears.
func (t *SlotTransport) mark(h hearing, ports []uint16) *uint8 {
	from := uint32(ports[h.cell])
	return &t.listened.marks[(h.coupler-from*uint32(t.pitch))*uint32(t.net.Groups)+from]
}

// firstListeners counts the couplers with a first listener, in runs without faults.
func (t *SlotTransport) firstListeners(hit []hearing, ports []uint16) (couplers uint64) {
	marks, groups, pitch := t.listened.marks, uint32(t.net.Groups), uint32(t.pitch)
	for _, h := range hit {
		from := uint32(ports[h.cell])
		mark := &marks[(h.coupler-from*pitch)*groups+from]
		couplers += uint64(1 - *mark)
		*mark = 1
	}
	return couplers
}

func (t *SlotTransport) Collisions(shard int, slot uint32, yield func(coupler int, cycle uint32)) (met, alone uint64) {
	if work := &t.work[shard]; yield != nil && len(work.meetings) > 0 {
		slices.SortFunc(work.meetings, func(a, b meeting) int {
			return cmp.Or(cmp.Compare(a.coupler, b.coupler), cmp.Compare(a.bit, b.bit))
		})
		for i, m := range work.meetings {
			if i == 0 || m.coupler != work.meetings[i-1].coupler {
				from, to := int(m.coupler)/t.pitch, int(m.coupler)%t.pitch
				yield(t.net.Coupler(from, to), uint32(t.timing.ComputeCycles)+m.bit/uint32(t.timing.PhitBits))
			}
		}
	}
	table := &t.tables[slot&1]
	return table.collided[shard], table.placed[shard] - table.collided[shard]
}

// Reset implements Transport. It clears all entries, because a saved state contains even unused ones.
func (t *SlotTransport) Reset(uint64) {
	for i := range t.tables {
		table := &t.tables[i]
		clear(table.senders)
		clear(table.first)
		clear(table.lit)
		clear(table.frames)
		clear(table.tails)
		clear(table.collided)
		clear(table.placed)
	}
	for i := range t.work {
		t.work[i].meetings = t.work[i].meetings[:0]
	}
}

func (t *SlotTransport) Path() string { return "fabric" }

// Timeless implements fabric.Timeless. A slot selects only the table that it uses.
func (t *SlotTransport) Timeless() bool { return true }

func (t *SlotTransport) State(v *hw.StateVisitor) {
	if v.Snapshots() {
		v.Live(hw.Live{Save: t.saveCrossing, Return: t.returnCrossing})
		for i := range t.work {
			v.Group(func(v *hw.StateVisitor) { t.stateMeetings(v, i) })
		}
		return
	}
	for i, name := range []string{"even", "odd"} {
		hw.StateColumn(v, hw.Future, name+".senders", t.tables[i].senders, hw.AtMost[uint8](2),
			func(coupler int, senders uint8) error {
				if senders > 0 && (coupler/t.pitch >= t.net.Groups || coupler%t.pitch >= t.net.Groups) {
					return fmt.Errorf("element %d is %d, but there is no such coupler", coupler, senders)
				}
				return nil
			})
		hw.StateColumn(v, hw.Future, name+".first", t.tables[i].first, hw.AtMost(uint16(t.row-1)))
		hw.StateColumn(v, hw.Future, name+".lit", t.tables[i].lit, hw.AtMost(uint16(min(t.net.Groups, t.net.GroupSize))))
		hw.StateColumn(v, hw.Future, name+".frames", nic.SmallBytes(t.tables[i].frames),
			nic.CheckFrames(nic.SmallFrameBytes, t.payloadBytes, t.shape.Processors()))
		hw.StateColumn(v, hw.Future, name+".tails", t.tables[i].tails)
		hw.StateColumn(v, hw.Future, name+".collided", t.tables[i].collided)
		hw.StateColumn(v, hw.Future, name+".placed", t.tables[i].placed)
	}
	for i := range t.work {
		t.stateMeetings(v, i)
	}
}

// saveCrossing appends the frames of each group, and for each lit coupler the senders and the number of the frame.
func (t *SlotTransport) saveCrossing(to []byte, slot uint32) []byte {
	table, le := &t.tables[slot&1], binary.LittleEndian
	to = append(to, table.senders...)
	for group, lit := range table.lit {
		to = le.AppendUint16(to, lit)
		for place := group * t.row; place < group*t.row+int(lit); place++ {
			to = append(to, nic.SmallBytes(table.frames[place:place+1])...)
			to = append(to, table.tails[place*t.tail:(place+1)*t.tail]...)
		}
	}
	for coupler, senders := range table.senders {
		if senders > 0 {
			to = le.AppendUint16(to, table.first[coupler])
		}
	}
	for shard := range t.work {
		to = le.AppendUint64(le.AppendUint64(to, table.collided[shard]), table.placed[shard])
	}
	return to
}

func (t *SlotTransport) returnCrossing(from []byte, slot uint32) []byte {
	table, le := &t.tables[slot&1], binary.LittleEndian
	from = from[copy(table.senders, from):]
	for group := range table.lit {
		table.lit[group] = le.Uint16(from)
		from = from[2:]
		for place := group * t.row; place < group*t.row+int(table.lit[group]); place++ {
			from = from[copy(nic.SmallBytes(table.frames[place:place+1]), from):]
			from = from[copy(table.tails[place*t.tail:(place+1)*t.tail], from):]
		}
	}
	for coupler, senders := range table.senders {
		if senders > 0 {
			table.first[coupler] = le.Uint16(from)
			from = from[2:]
		}
	}
	for shard := range t.work {
		table.collided[shard], table.placed[shard] = le.Uint64(from), le.Uint64(from[8:])
		from = from[16:]
	}
	return from
}

func (t *SlotTransport) stateMeetings(v *hw.StateVisitor, shard int) {
	work, name := &t.work[shard], hw.Index("meetings", shard)
	var couplers, firstBits []uint32
	for _, m := range work.meetings {
		couplers, firstBits = append(couplers, m.coupler), append(firstBits, m.bit)
	}
	hw.StateList(v, hw.Future, name+".coupler", &couplers, hw.AtMost(uint32(t.entries()-1)))
	hw.StateList(v, hw.Future, name+".bit", &firstBits, hw.AtMost[uint32](63))
	v.AfterRestore(func() {
		work.meetings = work.meetings[:0]
		for i := range min(len(couplers), len(firstBits)) {
			work.meetings = append(work.meetings, meeting{couplers[i], firstBits[i]})
		}
	})
}

// listened marks the couplers with a listener at this boundary, so that each frame counts as heard once. The incoming
// couplers of a group are adjacent and belong to the shard of the group, whose processors listen.
//
// The number of unheard frames is the number of frames without a collision, minus the number of couplers with one
// sender and a listener.
type listened struct {
	groups int
	marks  []uint8 // 0 or 1 for each coupler, ordered by destination group, then by source group
}

func newListened(p Network) listened {
	l := listened{p.Groups, make([]uint8, p.Couplers())}
	hw.AdviseHuge(l.marks)
	return l
}

func (l *listened) clear(s hw.Shard) { clear(l.marks[s.First*l.groups : s.End*l.groups]) }

// The slot engine's path for frames with at most a packet. It is equivalent to SlotTransport.send and
// Ledger.NoteHeard, word by word.

func (t *SlotTransport) sendSmall(shard int, bank *nic.Bank, senders []uint32, ledger *fabric.Ledger, slot uint32) {
	for len(senders) > 0 {
		group := (bank.First + int(senders[0])) / t.net.GroupSize
		end, n := uint32((group+1)*t.net.GroupSize-bank.First), len(senders)
		if senders[n-1] >= end {
			n, _ = slices.BinarySearch(senders, end)
		}
		t.sendGroup(shard, group, bank, senders[:n], ledger, slot)
		senders = senders[n:]
	}
}

// sendGroup is sendSmall for cells of one group. Each step is a separate loop, because a CPU that waits for memory in
// a long loop cannot issue the next load.
func (t *SlotTransport) sendGroup(shard, group int, bank *nic.Bank, senders []uint32,
	ledger *fabric.Ledger, slot uint32) {
	table, work := &t.tables[slot&1], &t.work[shard]
	n := 0
	for _, cell := range senders {
		head, r := bank.SmallTxHead(cell), &bank.Registers[cell]
		if !head.Plain(t.net.Groups) || r.TxCount != 1 {
			t.send(shard, bank, int(cell), ledger, slot)
			continue
		}
		work.out[n&(slotBlock-1)] = sending{head.From(uint32(bank.First) + cell), cell}
		r.TxCount = 0
		n++
	}
	out, row := work.out[:n], table.frames[group*t.row:(group+1)*t.row]
	couplers := t.at(group, 0)
	counts, first := table.senders[couplers:couplers+t.net.Groups], table.first[couplers:couplers+t.net.Groups]
	lit, collided := table.lit[group], uint64(0)
	for i := range out {
		frame := &out[i].SmallFrame
		port := frame.Port()
		count := counts[port]
		counts[port] = count + 1 - count>>1
		collided += uint64(collidedBy[count&3])
		if work.exact && count > 0 {
			work.meet(couplers+port, row[first[port]].HeadBits(), frame.HeadBits())
		}
		// No branch tests whether a coupler is taken, because the outcome is as random as the traffic.
		fresh := uint16(1) - uint16(count+1)>>1
		row[lit] = *frame
		first[port] ^= (first[port] ^ lit) & -fresh
		lit += fresh
	}
	table.lit[group] = lit
	ledger.Frames.Sent += uint64(n)
	table.collided[shard] += collided
	table.placed[shard] += uint64(n)
	for i := range out {
		o := &out[i]
		ledger.Sum.Event(fabric.EventSent(uint16(o.Port()), uint32(bank.First)+o.cell), o.Head, o.Route, o.Packet)
	}
}

func (t *SlotTransport) deliverSmall(w *slotWork, table *slotTable, bank *nic.Bank, hit []hearing,
	ledger *fabric.Ledger, slot uint32) {
	ports, arrivals := bank.Listen(slot), 0
	for i, h := range hit {
		cell, at := h.cell, w.at[i&(slotBlock-1)]
		frame, r, port := &table.frames[at], &bank.Registers[cell], ports[cell]
		if !frame.IsSmall() {
			t.deliverOne(w, table, bank, cell, at, ledger, slot)
			continue
		}
		processor, count := uint32(bank.First)+cell, int(r.RxCount)
		status := nic.StatusOK
		if count < bank.RxFrames {
			*bank.SmallRx(cell, count) = frame.On(port)
			r.RxCount = uint8(count + 1)
			ledger.Frames.Delivered++
			if frame.IsPacket() && (frame.Destination() == processor || ledger.Overhears) {
				w.arrived[arrivals&(slotBlock-1)] = fabric.Arrival{Processor: processor, Origin: frame.Origin()}
				arrivals++
			}
		} else {
			status = nic.StatusOverflow
			bank.RxStatus[cell] = uint8(status)
			ledger.Frames.Overflow++
		}
		ledger.Sum.EventOf(fabric.EventHeard(status, port, processor), uint64(frame.Source()))
	}
	arrived := w.arrived[:arrivals]
	if arrivals > 0 {
		w.touched ^= referees.PacketsOf(ledger.Referee).Touch(arrived)
		ledger.Referee.Arrive(ledger, slot, arrived)
	}
}

// touchSmall loads both ends of every copied frame and of its destination, so that all these cache lines are
// requested before the first is needed. The result prevents the compiler from removing the loads.
func touchSmall(frames []nic.SmallFrame, bank *nic.Bank, hit []hearing, at []uint32) (any uint64) {
	for i, h := range hit {
		from, to := &frames[at[i]], bank.SmallRx(h.cell, 0)
		any ^= from.Head ^ from.Packet ^ to.Head ^ to.Packet ^ bank.Words[h.cell]
	}
	return any
}
