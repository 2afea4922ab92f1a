package nic

import "math/bits"

// Where NICs ask for outputs by themselves, most handlers of a large network sleep for long,
// and a slot must not cost a look at each. stirred remembers the cells whose handlers may have
// to be called, one bit for each: what the host does to a cell sets it, and ListAwake clears
// it for those that sleep on. Those whose sleep ends by itself are looked for every
// wakeHorizon slots.
type stirred struct {
	cells   []uint64
	resting []uint64 // of the others: those that are done or faulty
}

// wakeHorizon is for how many slots sleepers are looked for at a time; it divides 65536.
const wakeHorizon = 1024

// stirAll makes every cell one that is looked at.
func (b *Bank) stirAll() {
	if !b.Addressed {
		return
	}
	words := (b.Cells + 63) / 64
	if b.stirred.cells == nil {
		b.stirred = stirred{cells: make([]uint64, words), resting: make([]uint64, words)}
	}
	for w := range words {
		b.stirred.cells[w] = ^uint64(0)
	}
	if tail := b.Cells & 63; tail != 0 {
		b.stirred.cells[words-1] = 1<<tail - 1
	}
	clear(b.stirred.resting)
}

// stir makes a cell one that is looked at.
func (b *Bank) stir(cell int) {
	if b.stirred.cells == nil {
		return
	}
	bit := uint64(1) << (cell & 63)
	b.stirred.cells[cell>>6] |= bit
	b.stirred.resting[cell>>6] &^= bit
}

// listStirred is ListAwake by the cells that are stirred.
func (b *Bank) listStirred(list []uint32, first, end int, slot uint32) (awake []uint32, resting int) {
	left := wakeHorizon - slot%wakeHorizon // slots before sleepers are looked for again
	if left == wakeHorizon {
		for cell, w := range b.Words[first:end] {
			if uint32(uint16(w)-uint16(slot)) < wakeHorizon {
				b.stir(first + cell)
			}
		}
	}
	s := &b.stirred
	for at := first &^ 63; at < end; at += 64 {
		window := ^uint64(0)
		if at < first {
			window <<= first - at
		}
		if end-at < 64 {
			window &= 1<<(end-at) - 1
		}
		resting += bits.OnesCount64(s.resting[at>>6] & window)
		for set := s.cells[at>>6] & window; set != 0; set &= set - 1 {
			cell := at + bits.TrailingZeros64(set)
			w := b.Words[cell]
			flags, sleeps := w>>WordFlagsShift, uint32(uint16(w)-uint16(slot))
			faulty := flags&FlagFaulty != 0
			if !faulty && (flags&FlagSleeping == 0 || w>>WordRxCountShift&0xFF != 0 || sleeps == 0) {
				list = append(list, uint32(cell))
				continue
			}
			done := flags&(FlagDone|FlagFaulty) != 0
			if done {
				resting++
			}
			if faulty || sleeps >= left {
				s.cells[at>>6] &^= set & -set
				if done {
					s.resting[at>>6] |= set & -set
				}
			}
		}
	}
	return list, resting
}
