package fabric

import (
	"fmt"

	"starloom/nic"
	"starloom/traces"
)

// Scan reads the registers that the handlers of some cells have written: done, TX and RX counts, held packets, and TX
// overflow.
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
	// Each count is at most the bitwise union of all counts.
	if any>>nic.WordRxCountShift&0xFF > uint64(b.RxFrames) || any>>nic.WordTxCountShift&0xFF > uint64(b.TxFrames) {
		l.scanCounts(b, cells, slot)
	}
	if l.Held != nil {
		l.Held.Scan(b, cells)
	}
	if l.Onlooker != nil {
		l.Onlooker.Acted(b, cells, slot)
	}
	if any>>nic.WordFlagsShift&nic.FlagTxOverflow != 0 {
		l.scanTxOverflow(b, cells, slot)
	}
}

// scanWords summarises registers without data-dependent branches. It returns the number of done or faulty processors,
// the bitwise union of all words, and the maximum of held and all numbers of held packets.
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

// ScanListen removes from the fabric each cell of first..end-1 that listens to a missing port in this slot.
func (l *Ledger) ScanListen(b *nic.Bank, first, end int, slot uint32) {
	ports := b.Listen(slot)[first:end]
	if b.Taps != nil || b.Own != nil {
		l.scanOwn(b, ports, first, slot)
		return
	}
	wrap := uint16(1)
	if b.AllPorts {
		wrap = 2
	}
	excess, limit := uint64(0), uint64(b.Ports)+uint64(wrap-1)
	for _, port := range ports {
		// PortNone is the highest port number, PortAll the next lower. Adding one or two wraps both to small numbers.
		// A port above the limit makes the difference negative.
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
				Text: fmt.Sprintf("listens to port %d; its receiver hears one of the ports 0 to %d%s, or %#x for none", port,
					b.Ports-1, all, nic.PortNone)})
			b.Silence(first + i)
		}
	}
}

func (l *Ledger) scanOwn(b *nic.Bank, ports []uint16, first int, slot uint32) {
	for i, port := range ports {
		if own := b.PortsOf(first + i); int(port) >= own && port != nic.PortNone && (!b.AllPorts || port != nic.PortAll) {
			l.Find(Finding{Kind: FindIllegalHear, Slot: slot, Index: b.First + first + i,
				Text: fmt.Sprintf("listens to port %d; its receiver has %s, counted from 0, or %#x for none", port,
					traces.Plural(own, "port", "ports"), nic.PortNone)})
			b.Silence(first + i)
		}
	}
}

func (l *Ledger) scanHeld(b *nic.Bank, cells []uint32, slot uint32) {
	for _, cell := range cells {
		if held := b.Registers[cell].Held; int(held) > l.Checks.HeldMax {
			l.Find(Finding{Kind: FindHeld, Slot: slot, Index: b.First + int(cell), Value: uint32(held)})
		}
	}
}

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
