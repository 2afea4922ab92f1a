package nic

import (
	"encoding/binary"
	"slices"

	"starloom/hw"
)

// SetSchedule writes the schedule's words for the beginning slot, and wakes the handlers whose words have changed.
func (b *Bank) SetSchedule(words []uint64) {
	registers, schedule := b.Registers[:len(words)], b.Schedule[:len(words)]
	for cell, word := range words {
		if schedule[cell] != word {
			schedule[cell] = word
			registers[cell].Flags &^= FlagSleeping
			b.stir(cell)
		}
	}
}

// SetScheduleWord writes a cell's new word for the beginning slot, and wakes the cell's handler.
func (b *Bank) SetScheduleWord(cell int, word uint64) {
	b.Schedule[cell] = word
	b.Wake(cell)
}

// Number returns the number of a slot that firmware sees. Wake registers count slots of the run; those of the cells
// count the firmware's numbers until restore is called.
func (b *Bank) Number(cells []uint32, slot uint32) (number uint32, restore func()) {
	if b.FirstSlot == 0 {
		return slot, nothing
	}
	shift := func(by uint16) {
		for _, cell := range cells {
			b.Registers[cell].Wake += by
		}
	}
	shift(uint16(b.FirstSlot))
	return slot + b.FirstSlot, func() { shift(-uint16(b.FirstSlot)) }
}

func nothing() {}

// Wake ensures that a cell's handler is called in this slot, even if the handler sleeps.
func (b *Bank) Wake(cell int) {
	b.Registers[cell].Flags &^= FlagSleeping
	b.stir(cell)
}

// ListAwake appends the cells from first to end-1 whose handlers are due in a slot. A handler is due unless its cell
// is faulty or it sleeps; a sleeping handler is due in its wake-up slot, or when a FIFO holds a frame. If the NIC
// repeats requests by itself, only the RX FIFO counts. resting is the number of done or faulty cells without a due
// handler.
func (b *Bank) ListAwake(list []uint32, first, end int, slot uint32) (awake []uint32, resting int) {
	if b.Asks {
		return b.listStirred(list, first, end, slot)
	}
	start := len(list)
	n := start
	list = list[:start+end-first]
	const asleep = FlagSleeping << WordFlagsShift
	const frames = 0xFFFF << WordRxCountShift // rx_count and tx_count
	var any, calm uint64
	now := uint64(uint16(slot))
	for i, w := range b.Words[first:end] {
		call := (w^asleep)&(asleep|frames) | ((w^now)&0xFFFF-1)>>63 // nonzero if the handler is due, without a branch
		call = (call | -call) >> 63
		list[n] = uint32(first + i)
		n += int(call)
		any |= w
		calm += (w>>WordFlagsShift | w>>(WordFlagsShift+1)) &^ call & 1
	}
	list, resting = list[:n], int(calm)
	if any>>WordFlagsShift&FlagFaulty != 0 {
		n = start
		for _, cell := range list[start:] {
			if b.Registers[cell].Flags&FlagFaulty != 0 {
				resting++
				continue
			}
			list[n] = cell
			n++
		}
	}
	return list[:n], resting
}

// Touch loads the records of the cells, so that the loads overlap instead of waiting for each other. The result
// prevents the compiler from removing the loads.
func (b *Bank) Touch(cells []uint32) (any uint64) {
	bytes, records, last := b.recordBytes, b.records, len(b.records)-8
	for _, cell := range cells {
		any ^= binary.LittleEndian.Uint64(records[min(int(cell)*bytes, last):])
	}
	return any
}

// TouchFirst loads the first cell's registers, record, reception status and port of the previous slot.
func (b *Bank) TouchFirst(slot uint32) (any uint64) {
	any = b.Words[0]
	if heard := b.Listen(slot - 1); len(heard) > 0 && len(b.RxStatus) > 0 && len(b.records) > 0 {
		any ^= uint64(heard[0]) ^ uint64(b.RxStatus[0]) ^ uint64(b.records[0])
	}
	return any
}

// A frame is foreseen if its phits are predictable: it is alone on its media, its path does not change before its end,
// and single cycles are not observed. The transmitter ends before its first phit, or with it if an output must accept
// the frame first. The receivers take the whole frame at once; their registers are then as after all phits:
//
//	cycle               0    1    2    3    4
//	transmitter, phits  a0   a1   a2
//	receiver                 a0   a1   a2   good
//	foreseen           good                         due, bits and frame as in cycle 4

// Finish makes all transmitters idle, except those in goesOn, as if they had sent their last phits. Loaded frames
// remain in their registers.
func (t *Serialisers) Finish(goesOn []bool) {
	for i := range t.shards {
		shard := &t.shards[i]
		kept := shard.active[:0]
		for _, cell := range shard.active {
			if goesOn[cell] {
				kept = append(kept, cell)
				continue
			}
			t.length[cell], t.ports.Value[cell] = 0, hw.PortNone
		}
		shard.active = kept
	}
}

// Foreseen holds the frames of a slot.
type Foreseen struct {
	Transmitters *Serialisers
	Links        *hw.Fibre  // to the receivers
	Lit          []uint32   // by wire: Mark if a frame is on the wire in this slot
	Wires        [][]uint32 // by shard of the transmitters: the wires of Lit
	Carries      []uint32   // by lit wire: transmitter of the wire's frame
	GoesOn       []bool     // by transmitter: its light arrives phit by phit, because its frame is not foreseen
	Mark         uint32     // differs from that of earlier slots, and is not 0
	Begins       uint64     // cycle of the first phits
}

// has returns 1 for a wire with a foreseen frame, otherwise 0. Its outcome is as random as the traffic: no branch.
func (f *Foreseen) has(wire uint32) uint64 {
	wire = min(wire, uint32(len(f.Lit)-1))
	return oneIf(f.Lit[wire] == f.Mark) &^ oneIf(f.GoesOn[f.Carries[wire]])
}

// Heard reports whether light has arrived in this slot.
func (d *Deserialisers) Heard() bool {
	return slices.ContainsFunc(d.heard, func(cells []uint32) bool { return len(cells) > 0 })
}

// Foresee sets the foreseen frames of this slot, nil for none. Their light no longer counts.
func (d *Deserialisers) Foresee(frames *Foreseen) { d.foreseen = frames }

// TakeForeseen gives the foreseen frames to a shard's listeners. Shards may call it concurrently.
func (d *Deserialisers) TakeForeseen(s hw.Shard) {
	f, t := d.foreseen, d.foreseen.Transmitters
	d.heard[s.Index] = d.foreseenBy(s, d.heard[s.Index][:0])
	for _, cell := range d.heard[s.Index] {
		wire := d.hooked[cell]
		frame := t.frames[int(f.Carries[wire])*t.stride:][:t.stride]
		bytes := FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))
		phits := Phits(bytes, d.phitBits)
		d.state[cell], d.bits[cell] = receiverGood, uint32(8*bytes)
		d.due[cell] = f.Begins + uint64(f.Links.Delay(int(wire))+phits)
		// bytes that putPhit writes up to the last phit
		copy(d.frames[int(cell)*d.stride:], frame[:(phits-1)*d.phitBits>>3+9])
	}
}

// foreseenBy appends the shard's listeners of foreseen frames. With few frames, it follows the lists of the listeners,
// which last as long as no receiver is switched.
func (d *Deserialisers) foreseenBy(s hw.Shard, list []uint32) []uint32 {
	f, first, lit := d.foreseen, s.First*d.bank.PerUnit, 0
	hooked := d.hooked[first : s.End*d.bank.PerUnit]
	for _, wires := range f.Wires {
		lit += len(wires)
	}
	if few := lit < len(hooked)/sparse; few && d.scanned[s.Index] && !d.listed[s.Index] {
		d.list(s)
	} else if !few || !d.listed[s.Index] {
		d.scanned[s.Index] = true
		n := 0
		list = slices.Grow(list, len(hooked))[:len(hooked)]
		for i, wire := range hooked {
			list[n] = uint32(first + i)
			n += int(f.has(wire))
		}
		return list[:n]
	}
	for _, wires := range f.Wires {
		for _, wire := range wires {
			if d.in.Reader(wire) != s.Index || f.has(wire) == 0 {
				continue
			}
			for cell := d.head[wire]; cell != noOne; cell = d.next[cell] {
				list = append(list, uint32(cell))
			}
		}
	}
	slices.Sort(list)
	return list
}

// sparse is the number of receivers per lit wire above which the lists of listeners are faster than all receivers.
const sparse = 8
