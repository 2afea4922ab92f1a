package nic

import (
	"encoding/binary"
	"slices"

	"starloom/hw"
)

// Parked stores processors that no bank serves at present: registers, states, and the frames in the few nonempty
// FIFOs. A machine whose processors mostly sleep has banks for the called processors and parks the others. The zero
// value stores processors in reset.
type Parked struct {
	words    []uint64
	states   []uint64 // states of 8 bytes, by processor
	silenced []uint64
	listen   []uint16 // listening table; nil for the table after reset
	frames   []byte   // for each processor with frames: the cell, and the frames of both FIFOs
}

// Parks reports whether a bank's processors can be parked: whether they have only registers, states, FIFOs and
// listening ports.
func (b *Bank) Parks() bool {
	return !b.Addressed && b.Schedule == nil && b.TxStatus == nil && b.AcceptTag == nil &&
		b.ROMWords == 0 && b.listenSlots == 1
}

// ParkedBytes returns the size of a parked processor without frames.
func (b *Bank) ParkedBytes() int { return sizeProcessor + b.StateBytes() }

// Unpark loads parked processors, starting with number first, into the bank. Their receivers become idle.
func (b *Bank) Unpark(first int, p *Parked) {
	b.First = first
	binary.LittleEndian.PutUint32(b.descriptor[offBankFirst:], uint32(first))
	b.ClearRx()
	if p.words == nil {
		clear(b.Words)
		for cell := range b.Cells {
			clear(b.State(cell))
		}
		b.listenToReset()
		clear(b.silenced)
		return
	}
	copy(b.Words, p.words)
	words := b.StateBytes() / 8
	for cell, at := 0, 0; words > 0 && cell < b.Cells; cell, at = cell+1, at+b.recordBytes {
		record := b.records[at : at+8*words]
		for k, word := range p.states[cell*words : (cell+1)*words] {
			binary.LittleEndian.PutUint64(record[8*k:], word)
		}
	}
	if p.listen != nil {
		copy(b.listen, p.listen)
	} else {
		b.listenToReset()
	}
	copy(b.silenced, p.silenced)
	b.unparkFrames(p.frames)
}

// Park saves the processors of the bank in p.
func (b *Bank) Park(p *Parked) {
	if p.words == nil {
		p.words, p.states, p.silenced = make([]uint64, b.Cells), make([]uint64, b.Cells*b.StateBytes()/8),
			make([]uint64, len(b.silenced))
	}
	copy(p.words, b.Words)
	words := b.StateBytes() / 8
	for cell, at := 0, 0; words > 0 && cell < b.Cells; cell, at = cell+1, at+b.recordBytes {
		record, states := b.records[at:at+8*words], p.states[cell*words:(cell+1)*words]
		for k := range states {
			states[k] = binary.LittleEndian.Uint64(record[8*k:])
		}
	}
	p.listen = nil
	hears := b.hearsAtReset()
	if slices.ContainsFunc(b.listen, func(port uint16) bool { return port != hears }) {
		p.listen = slices.Clone(b.listen)
	}
	copy(p.silenced, b.silenced)
	p.frames = b.parkFrames(p.frames[:0])
}

func (b *Bank) parkFrames(to []byte) []byte {
	const counts = 0xFFFF << WordRxCountShift
	for cell, word := range b.Words {
		if word&counts == 0 {
			continue
		}
		r := &b.Registers[cell]
		to = binary.LittleEndian.AppendUint32(to, uint32(cell))
		for place := range min(int(r.RxCount), b.RxFrames) {
			to = append(to, b.frame(cell, &b.rx, place)...)
		}
		for place := range min(int(r.TxCount), b.TxFrames) {
			to = append(to, b.frame(cell, &b.tx, place)...)
		}
	}
	return to
}

func (b *Bank) unparkFrames(from []byte) {
	take := func(cell int, f *fifo, frames int) {
		for place := 0; place < frames && len(from) >= b.frameStride; place++ {
			copy(b.frame(cell, f, place), from[:b.frameStride])
			from = from[b.frameStride:]
		}
	}
	for len(from) >= 4 { // a saved state may have been altered
		cell := int(binary.LittleEndian.Uint32(from))
		from = from[4:]
		if cell >= b.Cells {
			return
		}
		r := &b.Registers[cell]
		take(cell, &b.rx, min(int(r.RxCount), b.RxFrames))
		take(cell, &b.tx, min(int(r.TxCount), b.TxFrames))
	}
}

// Fits reports whether p stores processors of a bank configured like b.
func (p *Parked) Fits(b *Bank) bool {
	if p.words == nil {
		return true
	}
	return len(p.words) == b.Cells && len(p.states) == b.Cells*b.StateBytes()/8 &&
		len(p.silenced) == len(b.silenced) && (p.listen == nil || len(p.listen) == len(b.listen))
}

// Look returns the number of slots from a slot to the next call of a parked processor without an external event, 0
// for never. calm reports whether all processors are done and none is faulty.
func (p *Parked) Look(slot uint32) (next uint32, calm bool) {
	const frames = 0xFFFF << WordRxCountShift
	least, any, all := uint32(1<<16+1), uint64(0), ^uint64(0)
	for _, w := range p.words {
		any |= w
		all &= w
		sleeps := uint32(uint16(w)-uint16(slot)-1) + 1 // 1 to 65536
		if w>>WordFlagsShift&FlagSleeping == 0 || w&frames != 0 {
			sleeps = 1
		}
		if w>>WordFlagsShift&FlagFaulty != 0 {
			continue
		}
		least = min(least, sleeps)
	}
	calm = all>>WordFlagsShift&FlagDone != 0 && any>>WordFlagsShift&FlagFaulty == 0
	if least > 1<<16 {
		return 0, calm
	}
	return least, calm
}

// Reset frees the memory and puts the processors into their reset state.
func (p *Parked) Reset() { *p = Parked{} }

// State visits all parked data.
func (p *Parked) State(v *hw.StateVisitor, name string) {
	hw.StateList(v, hw.Future, name+".words", &p.words)
	hw.StateList(v, hw.Future, name+".states", &p.states)
	hw.StateList(v, hw.Future, name+".silenced", &p.silenced)
	hw.StateList(v, hw.Future, name+".listen", &p.listen)
	hw.StateList(v, hw.Future, name+".frames", &p.frames)
	v.AfterRestore(func() {
		if len(p.words) == 0 {
			p.Reset()
		}
		if len(p.listen) == 0 {
			p.listen = nil
		}
	})
}
