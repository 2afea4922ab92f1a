package nic

import (
	"encoding/binary"

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

// A frame is foreseen if its later phits are predictable: its first phit is alone on its media, its path does not
// change before its end, and single cycles are not observed. The transmitter ends with the first phit. When this phit
// arrives, the receivers take the whole frame; their registers are then as after all phits:
//
//	cycle               0    1    2    3    4
//	transmitter, phits  a0   a1   a2
//	receiver                 a0   a1   a2   good
//	foreseen            a0
//	                         a0   good              due, bits and frame as in cycle 4

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
	Carries      []uint32 // by wire lit in this slot: transmitter of the wire's frame
	GoesOn       []bool   // by transmitter: its light arrives phit by phit, because its frame is not foreseen
}

// Foresee sets the foreseen frames whose first phits will arrive in this slot; nil for none. It returns false if
// light has already arrived in this slot. Every link must have a latency of at least 1 cycle.
func (d *Deserialisers) Foresee(frames *Foreseen) bool {
	d.foreseen = nil
	for _, heard := range d.heard {
		if len(heard) > 0 {
			return false
		}
	}
	d.foreseen = frames
	return true
}

// take gives a transmitter's frame to all listeners of a medium; now is the cycle of its first phit.
func (d *Deserialisers) take(shard int, medium, transmitter uint32, now uint64) {
	t := d.foreseen.Transmitters
	frame := t.frames[int(transmitter)*t.stride:][:t.stride]
	bytes := FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))
	phits := Phits(bytes, d.phitBits)
	frame = frame[:(phits-1)*d.phitBits>>3+9] // bytes that putPhit has written up to the last phit
	for cell := d.head[medium]; cell != noOne; cell = d.next[cell] {
		d.state[cell], d.bits[cell], d.due[cell] = receiverGood, uint32(8*bytes), now+uint64(phits)
		copy(d.frames[int(cell)*d.stride:], frame)
		d.heard[shard] = append(d.heard[shard], uint32(cell))
	}
}
