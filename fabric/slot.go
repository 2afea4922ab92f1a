package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// SlotTransport is the fabric of the slot engine: a coupler is a count of its
// senders and room for one frame. Two tables alternate, so that a shard may send
// into slot t while another one still hears slot t-1, with one barrier per slot.
//
// A coupler belongs to the shard of the group it leaves. Latency: one slot.
// Collision: two or more senders deliver nothing, StatusCollision at every
// listener, as the light of CycleTransport's couplers gives.
type SlotTransport struct {
	pops   POPS
	shards []hw.Shard // in groups
	stride int        // bytes of a frame in a table
	tables [2]slotTable
	work   []slotWork // per shard
}

// slotTable is what all couplers carry in one slot.
type slotTable struct {
	senders []uint8 // per coupler: 0, 1, or 2 for a collision
	frames  []byte  // per coupler: the first sender's frame
	// Per shard: frames that met another one, in this slot.
	collided []uint64
}

// NewSlotTransport makes the tables for frames of at most payloadBytes. The last
// entry of each is a coupler that nobody hears and nobody sends to in earnest: the
// loops use it instead of a branch that no processor can predict.
func NewSlotTransport(pops POPS, payloadBytes int, shards []hw.Shard) *SlotTransport {
	t := &SlotTransport{pops: pops, shards: shards, stride: nic.FrameStride(payloadBytes), work: make([]slotWork, len(shards))}
	for i := range t.work {
		t.work[i].spare = make([]byte, t.stride)
	}
	for i := range t.tables {
		t.tables[i] = slotTable{
			senders:  make([]uint8, pops.Couplers()+1),
			frames:   make([]byte, (pops.Couplers()+1)*t.stride),
			collided: make([]uint64, len(shards)),
		}
		hw.AdviseHuge(t.tables[i].senders)
		if pops.Groups <= 4*pops.GroupSize {
			// Else most couplers never carry a frame, and small pages stay empty.
			hw.AdviseHuge(t.tables[i].frames)
		}
	}
	return t
}

// Begin implements Transport: the couplers that leave the shard are dark.
func (t *SlotTransport) Begin(shard int, slot uint32) {
	table := &t.tables[slot&1]
	s := t.shards[shard]
	clear(table.senders[s.First*t.pops.Groups : s.End*t.pops.Groups])
	table.collided[shard] = 0
}

// slotBlock is how many processors are served at a time.
const slotBlock = 512

// slotWork is a shard's room to work on a block of processors. What they hear lies
// anywhere in a large table, and a processor waits long for one such place but not
// longer for twenty: so every step below is a loop whose turns do not depend on
// each other, and lists are filled without branches that depend on the data.
type slotWork struct {
	cell [slotBlock]uint32 // those who send

	// Those who hear one sender, and those who hear more.
	hits, clashes int
	hit           [slotBlock]uint32 // cell
	coupler       [slotBlock]uint32 // what it hears
	clash         [slotBlock]uint32 // cell
	status        [slotBlock]nic.Status

	spare   []byte // a frame that is lost at once
	touched uint8
}

// Send implements Transport.
func (t *SlotTransport) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, _ Window, cells []uint32) {
	work := &t.work[shard]
	for len(cells) > 0 {
		some := cells[:min(slotBlock, len(cells))]
		for _, cell := range listSenders(work.cell[:], bank.Words, some) {
			t.send(shard, bank, int(cell), ledger, slot)
		}
		cells = cells[len(some):]
	}
}

// listSenders fills list with those of the cells whose tx_count is not 0; list is at
// least as long as cells.
func listSenders(list []uint32, words []uint64, cells []uint32) []uint32 {
	n := 0
	for _, cell := range cells {
		list[n] = cell
		count := words[cell] >> nic.WordTxCountShift & 0xFF
		n += int((count + 0xFF) >> 8) // 1 unless count is 0
	}
	return list[:n]
}

// send puts the frame at the head of a cell's TX FIFO on the couplers that leave
// its group.
func (t *SlotTransport) send(shard int, bank *nic.Bank, cell int, ledger *Ledger, slot uint32) {
	table, spare := &t.tables[slot&1], t.work[shard].spare
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		silenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	processor := bank.First + cell
	first := processor / t.pops.GroupSize * t.pops.Groups
	frame.SetSource(uint32(processor))
	if port := frame.Port(); port == nic.PortAll {
		for c := first; c < first+t.pops.Groups; c++ {
			table.light(c, t.stride, frame, spare, shard)
		}
	} else {
		table.light(first+int(port), t.stride, frame, spare, shard)
	}
	ledger.sent(processor, frame)
	bank.PopTx(cell)
}

// collidedBy is how many frames have newly met another one when a coupler that has
// 0, 1 or 2 (or more) senders gets another one.
var collidedBy = [4]uint8{0, 2, 1, 1}

// light puts a frame on a coupler: the first one stays, the others go to spare.
func (t *slotTable) light(coupler, stride int, frame nic.FrameView, spare []byte, shard int) {
	senders := t.senders[coupler]
	t.senders[coupler] = min(senders+1, 2)
	t.collided[shard] += uint64(collidedBy[senders&3])
	dst := t.frames[coupler*stride : coupler*stride+stride]
	if senders != 0 {
		dst = spare
	}
	frame.CopyTo(dst)
}

// Cross implements Transport: the frames are where they have to be.
func (t *SlotTransport) Cross(uint32) {}

// lineCells is how many entries of the listening table are read at a time.
const lineCells = 8

// Hear implements Transport. It goes from local index to local index, a few
// neighbours at a time, and for each through the groups: processors of equal index
// mostly hear the same port, and then their couplers lie side by side in the table.
func (t *SlotTransport) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	work, table := &t.work[shard], &t.tables[slot&1]
	ports := bank.Listen(slot)
	groups, cells := t.pops.groupsOf(bank)
	group := bank.First / t.pops.GroupSize
	for first := window.First; first < window.End; first += lineCells {
		width := min(lineCells, window.End-first)
		for a := range groups {
			from := a*cells + first
			t.listen(work, table.senders, ports[from:from+width], bank.RxStatus[from:from+width], from, group+a)
			if max(work.hits, work.clashes) > slotBlock-lineCells {
				t.deliver(work, bank, ledger, slot)
			}
		}
	}
	t.deliver(work, bank, ledger, slot)
}

// listen writes the status of up to lineCells processors of one group, as if no
// FIFO could overflow, and lists those who hear something. Those who listen to
// nobody hear the last coupler, which is always dark.
func (t *SlotTransport) listen(work *slotWork, senders []uint8, ports []uint16, statuses []uint8, from, group int) {
	g, dark := t.pops.Groups, t.pops.Couplers()
	hits, clashes := work.hits, work.clashes
	statuses = statuses[:len(ports)]
	for i, p := range ports {
		port := int(p)
		coupler := port*g + group
		if port >= g {
			coupler = dark
		}
		// 0, 1 or 2 senders are StatusIdle, StatusOK and StatusCollision.
		status := senders[coupler]
		statuses[i] = status
		work.hit[hits&(slotBlock-1)], work.coupler[hits&(slotBlock-1)] = uint32(from+i), uint32(coupler)
		work.clash[clashes&(slotBlock-1)] = uint32(from + i)
		hits += int(status & 1)
		clashes += int(status >> 1)
	}
	work.hits, work.clashes = hits, clashes
}

// deliver gives the listed listeners what they hear and empties the lists.
func (t *SlotTransport) deliver(work *slotWork, bank *nic.Bank, ledger *Ledger, slot uint32) {
	frames, ports := t.tables[slot&1].frames, bank.Listen(slot)
	hit, coupler := work.hit[:work.hits], work.coupler[:work.hits]
	work.touched ^= touch(frames, coupler, t.stride)
	for i, cell := range hit {
		at := int(coupler[i]) * t.stride
		work.status[i] = bank.PushRx(int(cell), ports[cell], frames[at:at+t.stride])
	}
	for i, cell := range hit {
		at := int(coupler[i]) * t.stride
		ledger.heard(bank.First+int(cell), ports[cell], work.status[i], frames[at:at+t.stride], slot)
	}
	for _, cell := range work.clash[:work.clashes] {
		ledger.heard(bank.First+int(cell), ports[cell], nic.StatusCollision, nil, slot)
	}
	work.hits, work.clashes = 0, 0
}

// touch reads a byte at both ends of every frame that will be copied, so that all
// of them are on their way from memory before the first is needed. What it returns
// is of no use but to keep the loads.
func touch(frames []byte, coupler []uint32, stride int) (any uint8) {
	for _, c := range coupler {
		at := int(c) * stride
		any ^= frames[at] ^ frames[at+stride-1]
	}
	return any
}

// Collisions implements Transport.
func (t *SlotTransport) Collisions(shard int, slot uint32, yield func(coupler int)) uint64 {
	table := &t.tables[slot&1]
	if s := t.shards[shard]; yield != nil && table.collided[shard] > 0 {
		for c := s.First * t.pops.Groups; c < s.End*t.pops.Groups; c++ {
			if table.senders[c] > 1 {
				yield(c)
			}
		}
	}
	return table.collided[shard]
}

// Reset implements Transport: every table entry is written before it is read.
func (t *SlotTransport) Reset() {}

// Path implements hw.Stateful.
func (t *SlotTransport) Path() string { return "fabric" }

// State implements hw.Stateful.
func (t *SlotTransport) State(v *hw.StateVisitor) {
	for i, name := range []string{"even", "odd"} {
		hw.StateColumn(v, name+".senders", t.tables[i].senders, hw.AtMost[uint8](2))
		hw.StateColumn(v, name+".frames", t.tables[i].frames)
		hw.StateColumn(v, name+".collided", t.tables[i].collided)
	}
}
