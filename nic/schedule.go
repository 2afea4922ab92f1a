package nic

import "encoding/binary"

// SetSchedule writes the schedule's words for the slot that begins, and wakes the handlers
// whose word is another one than before.
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

// SetScheduleWord writes a cell's word for the slot that begins, which is another one than
// before, and wakes its handler.
func (b *Bank) SetScheduleWord(cell int, word uint64) {
	b.Schedule[cell] = word
	b.Wake(cell)
}

// Wake lets a cell's handler be called in this slot, even if it sleeps.
func (b *Bank) Wake(cell int) {
	b.Registers[cell].Flags &^= FlagSleeping
	b.stir(cell)
}

// ListAwake appends to list those of the cells first..end-1 whose handlers are to
// be called in a slot: all that do not sleep, that sleep until this slot, or that
// have a frame in a FIFO - in the RX FIFO only if the NIC asks for outputs, which it does
// by itself until it is served - unless they are faulty. Among the others, resting counts
// those that are done or faulty.
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
		call := (w^asleep)&(asleep|frames) | ((w^now)&0xFFFF-1)>>63 // not 0 if called: no branch depends on a processor
		call = (call | -call) >> 63
		list[n] = uint32(first + i)
		n += int(call)
		any |= w
		calm += (w>>WordFlagsShift | w>>(WordFlagsShift+1)) &^ call & 1 // FlagDone, FlagFaulty
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

// Touch reads the records of some cells, so that all of them are on their way from memory before the first is
// needed. What it returns is of no use but to keep the loads.
func (b *Bank) Touch(cells []uint32) (any uint64) {
	bytes, records, last := b.recordBytes, b.records, len(b.records)-8
	for _, cell := range cells {
		any ^= binary.LittleEndian.Uint64(records[min(int(cell)*bytes, last):])
	}
	return any
}
