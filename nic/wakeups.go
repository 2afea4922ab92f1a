package nic

import (
	"starloom/hw"
)

// stirred holds the cells whose handlers may be due. If NICs repeat requests by themselves, most handlers of a large
// network sleep for a long time, and a check of every cell in every slot would cost too much. Every action of the
// host on a cell adds the cell; ListAwake removes cells that remain asleep. Every wakeHorizon slots, a search finds
// the sleeping cells with a wake-up slot in the next wakeHorizon slots.
type stirred struct {
	cells   hw.Set
	resting hw.Set // other cells that are done or faulty
}

// wakeHorizon is the number of slots covered by one search for sleeping cells. It divides 65536.
const wakeHorizon = 1024

func (b *Bank) stirAll() {
	if !b.Asks {
		return
	}
	if b.stirred == nil {
		b.stirred = &stirred{hw.NewSet(b.Cells), hw.NewSet(b.Cells)}
	}
	b.stirred.cells.Fill(b.Cells)
	b.stirred.resting.Clear()
}

func (b *Bank) stir(cell int) {
	if s := b.stirred; s != nil {
		s.cells.Add(cell)
		s.resting.Remove(cell)
	}
}

func (b *Bank) listStirred(list []uint32, first, end int, slot uint32) (awake []uint32, resting int) {
	left := wakeHorizon - slot%wakeHorizon // slots until the next search for sleepers
	if left == wakeHorizon {
		for cell, w := range b.Words[first:end] {
			if uint32(uint16(w)-uint16(slot)) < wakeHorizon {
				b.stir(first + cell)
			}
		}
	}
	s := b.stirred
	resting = s.resting.Count(first, end)
	for cell := s.cells.Next(first, end); cell < end; cell = s.cells.Next(cell+1, end) {
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
			s.cells.Remove(cell)
			if done {
				s.resting.Add(cell)
			}
		}
	}
	return list, resting
}
