package nic

import (
	"cmp"
	"slices"
	"unsafe"

	"starloom/hw"
)

// Snapshot visits the processors of a bank between two slots, for snapshots. It includes waiting frames but not
// unused places of FIFOs, and a wake-up slot only while the handler sleeps. It omits data that the host writes before
// each slot, but includes the words of the schedule, because the host may write them only when they change.
func (b *Bank) Snapshot(v *hw.StateVisitor) {
	v.Live(hw.Live{
		Save: func(to []byte, slot uint32) []byte {
			from := b.snapshotSlot(slot)
			for cell := range b.Cells {
				to = b.saveCell(to, cell, from)
			}
			return to
		},
		Return: func(from []byte, slot uint32) []byte {
			first := b.snapshotSlot(slot)
			for cell := range b.Cells {
				from = b.returnCell(from, cell, first)
			}
			b.Restored()
			return from
		},
	})
	hw.StateColumn(v, hw.Future, "rx_status", b.RxStatus)
	hw.StateColumn(v, hw.Future, "listen", b.listen)
	hw.StateColumn(v, hw.Future, "tx_status", b.TxStatus)
	hw.StateColumn(v, hw.Future, "served", b.Served)
	hw.StateColumn(v, hw.Future, "first_choice", b.Choice)
	hw.StateColumn(v, hw.Future, "list_valid", b.Valid)
	hw.StateColumn(v, hw.Future, "accept_tag", b.AcceptTag)
	hw.StateColumn(v, hw.Derived, "schedule", b.Schedule)
	hw.StateColumn(v, hw.Derived, "silenced", b.silenced)
}

const wordWakes = 0xFFFF << WordWakeShift

// snapshotSlot returns the slot from which snapshots count wake-up slots.
func (b *Bank) snapshotSlot(slot uint32) uint32 {
	if b.Timeless {
		return slot
	}
	return 0
}

// wakesIn returns a word of registers with slots added to the wake-up slot of a sleeping handler, without the wake-up
// slot of another one.
func wakesIn(word uint64, slots uint32) uint64 {
	if word>>WordFlagsShift&FlagSleeping == 0 {
		return word &^ wordWakes
	}
	return word&^wordWakes | (word+uint64(slots)<<WordWakeShift)&wordWakes
}

func (b *Bank) saveCell(to []byte, cell int, slot uint32) []byte {
	word := wakesIn(b.Words[cell], -slot)
	to = append(to, unsafe.Slice((*byte)(unsafe.Pointer(&word)), 8)...)
	to = append(to, b.State(cell)...)
	for place := range min(int(b.Registers[cell].RxCount), b.RxFrames) {
		to = b.frame(cell, &b.rx, place).save(to)
	}
	for place := range min(int(b.Registers[cell].TxCount), b.TxFrames) {
		to = b.frame(cell, &b.tx, place).save(to)
	}
	return to
}

func (b *Bank) returnCell(from []byte, cell int, slot uint32) []byte {
	from = from[copy(unsafe.Slice((*byte)(unsafe.Pointer(&b.Words[cell])), 8), from):]
	b.Words[cell] = wakesIn(b.Words[cell], slot)
	from = from[copy(b.State(cell), from):]
	for place := range min(int(b.Registers[cell].RxCount), b.RxFrames) {
		from = from[b.frame(cell, &b.rx, place).Return(from):]
	}
	for place := range min(int(b.Registers[cell].TxCount), b.TxFrames) {
		from = from[b.frame(cell, &b.tx, place).Return(from):]
	}
	return from
}

// save appends the used bytes of a frame. Bytes beyond the payload, which never leave the NIC, are 0.
func (f FrameView) save(to []byte) []byte {
	at, used := len(to), f.Used()
	to = append(to, f[:used]...)
	clear(to[at+min(used, sizeFrame+f.PayloadBytes()):])
	return to
}

// Return copies a frame from the head of a list of Used bytes per frame, and returns the number of used bytes.
func (f FrameView) Return(from []byte) (used int) {
	copy(f[:sizeFrame], from)
	return copy(f[:f.Used()], from)
}

// Outside yields the parts of the firmware's memory between two addresses that do not belong to the bank.
func (b *Bank) Outside(first, end uint64, yield func(first, end uint64)) {
	claims := slices.SortedFunc(slices.Values(b.claims), func(a, b claim) int { return cmp.Compare(a.at, b.at) })
	for _, c := range claims {
		if c.at > first {
			yield(first, min(c.at, end))
		}
		first = max(first, c.at+c.size)
	}
	if first < end {
		yield(first, end)
	}
}
