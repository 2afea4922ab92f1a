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

	hearing []hearing // per shard
}

// slotTable is what all couplers carry in one slot.
type slotTable struct {
	senders []uint8 // per coupler: 0, 1, or 2 for a collision
	frames  []byte  // per coupler: the first sender's frame
	// Per shard: frames that met another one, in this slot.
	collided []uint64
}

// NewSlotTransport makes the tables for frames of at most payloadBytes.
func NewSlotTransport(pops POPS, payloadBytes int, shards []hw.Shard) *SlotTransport {
	t := &SlotTransport{pops: pops, shards: shards, stride: nic.FrameStride(payloadBytes), hearing: make([]hearing, len(shards))}
	for i := range t.tables {
		t.tables[i] = slotTable{
			senders:  make([]uint8, pops.Couplers()),
			frames:   make([]byte, pops.Couplers()*t.stride),
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

// Send implements Transport.
func (t *SlotTransport) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	groups, cells := t.pops.groupsOf(bank)
	for a := range groups {
		first := (bank.First/t.pops.GroupSize + a) * t.pops.Groups
		from := a*cells + window.First
		for i, w := range bank.Words[from : a*cells+window.End] {
			if w&(0xFF<<nic.WordTxCountShift) != 0 {
				t.send(shard, bank, from+i, first, ledger, slot)
			}
		}
	}
}

// send puts the frame at the head of a cell's TX FIFO on the couplers that leave
// its group, which start at first.
func (t *SlotTransport) send(shard int, bank *nic.Bank, cell, first int, ledger *Ledger, slot uint32) {
	table := &t.tables[slot&1]
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		silenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	processor := bank.First + cell
	frame.SetSource(uint32(processor))
	if port := frame.Port(); port == nic.PortAll {
		for c := first; c < first+t.pops.Groups; c++ {
			table.light(c, t.stride, frame, shard)
		}
	} else {
		table.light(first+int(port), t.stride, frame, shard)
	}
	ledger.sent(processor, frame)
	bank.PopTx(cell)
}

// light puts a frame on a coupler.
func (t *slotTable) light(coupler, stride int, frame nic.FrameView, shard int) {
	switch t.senders[coupler] {
	case 0:
		t.senders[coupler] = 1
		frame.CopyTo(t.frames[coupler*stride : coupler*stride+stride])
	case 1:
		t.senders[coupler] = 2
		t.collided[shard] += 2
	default:
		t.collided[shard]++
	}
}

// Cross implements Transport: the frames are where they have to be.
func (t *SlotTransport) Cross(uint32) {}

// Hear implements Transport. It goes from local index to local index, a cache
// line of registers at a time, and for each through the groups: processors of
// equal index mostly hear the same port, and then their couplers lie side by side
// in the table.
func (t *SlotTransport) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	h := &t.hearing[shard]
	g := t.pops.Groups
	groups, cells := t.pops.groupsOf(bank)
	group := bank.First / t.pops.GroupSize
	h.count = 0
	for first := window.First; first < window.End; first += lineCells {
		end := min(first+lineCells, window.End)
		for a := range groups {
			for cell := a*cells + first; cell < a*cells+end; cell++ {
				port := int(bank.Words[cell] >> nic.WordRxPortShift)
				if port >= g {
					bank.Registers[cell].RxStatus = uint8(nic.StatusIdle)
					continue
				}
				h.cell[h.count], h.coupler[h.count] = uint32(cell), uint32(port*g+group+a)
				if h.count++; h.count == hearingBlock {
					t.deliver(h, bank, ledger, slot)
				}
			}
		}
	}
	t.deliver(h, bank, ledger, slot)
}

// lineCells is how many register blocks share a cache line.
const lineCells = 8

// hearingBlock is how many listeners are served at a time.
const hearingBlock = 512

// hearing is a block of listeners. What they hear lies anywhere in a large table,
// and a processor waits long for one such place but not longer for twenty of them:
// so each step below is a loop of loads that do not depend on each other.
type hearing struct {
	count   int
	cell    [hearingBlock]uint32
	coupler [hearingBlock]uint32
	senders [hearingBlock]uint8
	hits    [hearingBlock]uint32 // positions in the block of those who hear one sender
	status  [hearingBlock]nic.Status
}

// deliver serves the listeners of a block and empties it.
func (t *SlotTransport) deliver(h *hearing, bank *nic.Bank, ledger *Ledger, slot uint32) {
	table := &t.tables[slot&1]
	gatherSenders(h.senders[:h.count], h.coupler[:h.count], table.senders)
	hits := 0
	for i, senders := range h.senders[:h.count] {
		switch senders {
		case 0:
			bank.Registers[h.cell[i]].RxStatus = uint8(nic.StatusIdle)
		case 1:
			h.hits[hits] = uint32(i)
			hits++
		default:
			r := &bank.Registers[h.cell[i]]
			r.RxStatus = uint8(nic.StatusCollision)
			ledger.heard(bank.First+int(h.cell[i]), r.RxPort, nic.StatusCollision, nil, slot)
		}
	}
	for _, i := range h.hits[:hits] {
		at := int(h.coupler[i]) * t.stride
		h.status[i] = bank.PushRx(int(h.cell[i]), bank.Registers[h.cell[i]].RxPort, table.frames[at:at+t.stride])
	}
	for _, i := range h.hits[:hits] {
		at := int(h.coupler[i]) * t.stride
		cell := int(h.cell[i])
		ledger.heard(bank.First+cell, bank.Registers[cell].RxPort, h.status[i], table.frames[at:at+t.stride], slot)
	}
	h.count = 0
}

// gatherSenders looks up the senders of every coupler. dst and coupler have one
// length, which removes the first bounds check; the second one stays.
func gatherSenders(dst []uint8, coupler []uint32, senders []uint8) {
	dst = dst[:len(coupler)]
	for i, c := range coupler {
		dst[i] = senders[c]
	}
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
