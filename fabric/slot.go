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
	t := &SlotTransport{pops: pops, shards: shards, stride: nic.FrameStride(payloadBytes)}
	for i := range t.tables {
		t.tables[i] = slotTable{
			senders:  make([]uint8, pops.Couplers()),
			frames:   make([]byte, pops.Couplers()*t.stride),
			collided: make([]uint64, len(shards)),
		}
		hw.AdviseHuge(t.tables[i].senders)
		hw.AdviseHuge(t.tables[i].frames)
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
func (t *SlotTransport) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32) {
	table := &t.tables[slot&1]
	g := t.pops.Groups
	group := bank.First / t.pops.GroupSize
	groupEnd := (group + 1) * t.pops.GroupSize
	for cell := range bank.Registers {
		if bank.Registers[cell].TxCount == 0 {
			continue
		}
		processor := bank.First + cell
		for processor >= groupEnd {
			group++
			groupEnd += t.pops.GroupSize
		}
		frame := bank.TxHead(cell)
		if !bank.Legal(cell, frame) {
			silenceIllegal(bank, cell, frame, ledger, slot)
			continue
		}
		frame.SetSource(uint32(processor))
		first := group * g
		if port := frame.Port(); port == nic.PortAll {
			for c := first; c < first+g; c++ {
				table.light(c, t.stride, frame, shard)
			}
		} else {
			table.light(first+int(port), t.stride, frame, shard)
		}
		ledger.sent(processor, frame)
		bank.PopTx(cell)
	}
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

// Hear implements Transport. It goes from local index to local index and, for
// each, through the groups: processors of equal index mostly hear the same port,
// and then their couplers lie side by side in the table.
func (t *SlotTransport) Hear(_ int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	table := &t.tables[slot&1]
	g := t.pops.Groups
	groups, cells := t.pops.groupsOf(bank)
	group := bank.First / t.pops.GroupSize
	for k := window.First; k < window.End; k++ {
		for a := range groups {
			cell := a*cells + k
			r := &bank.Registers[cell]
			port := r.RxPort
			if int(port) >= g {
				r.RxStatus = uint8(nic.StatusIdle)
				continue
			}
			coupler := int(port)*g + group + a
			switch table.senders[coupler] {
			case 0:
				r.RxStatus = uint8(nic.StatusIdle)
			case 1:
				frame := nic.FrameView(table.frames[coupler*t.stride : coupler*t.stride+t.stride])
				ledger.heard(bank.First+cell, port, bank.PushRx(cell, port, frame), frame, slot)
			default:
				r.RxStatus = uint8(nic.StatusCollision)
				ledger.heard(bank.First+cell, port, nic.StatusCollision, nil, slot)
			}
		}
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
