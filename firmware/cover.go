package firmware

import (
	"bytes"

	"starloom/firmware/wasm"
)

// Cover lets images that are loaded from now on note which branches their handlers take, and what
// they compare: see wasm.Covered.
func (h *Host) Cover() { h.covers = true }

// Covered says what the image's copy notes.
func (w *Watched) Covered() wasm.Covered { return w.in.image.copy.Covered }

// TakeBranches adds those that were taken since the last call to a set.
func (w *Watched) TakeBranches(set []uint64) {
	for k, g := range w.in.cover.branches {
		set[k] |= g.Get()
		g.Set(0)
	}
}

// Operands are what a comparison has compared.
type Operands [2]uint64

// TakeOperands appends those of all comparisons that were made since the last call, the last ones of
// each, where they differ.
func (w *Watched) TakeOperands(list []Operands) []Operands {
	operands := w.in.cover.operands
	for k := 0; k < len(operands); k += 2 {
		if pair := (Operands{operands[k].Get(), operands[k+1].Get()}); pair[0] != pair[1] {
			list = append(list, pair)
			operands[k].Set(0)
			operands[k+1].Set(0)
		}
	}
	return list
}

// Base is what an instance was before calls that are taken back.
type Base struct {
	memory   []byte
	globals  []uint64
	silenced []uint64
}

// Keep notes what the instance is.
func (w *Watched) Keep(b *Base) {
	b.memory, b.globals = append(b.memory[:0], w.Memory()...), w.Globals()
	b.silenced = append(b.silenced[:0], w.Bank().SilencedCells()...)
}

// TakeBack lets the instance be what it was, and returns the first write since then into what
// belongs to another cell than the one that was called, nil if there is none.
func (w *Watched) TakeBack(b *Base, cell int) (foreign *Write, err error) {
	memory := w.Memory()
	if len(memory) != len(b.memory) {
		err = w.SetState(b.memory, b.globals)
	} else {
		for at := 0; at < len(memory); at += watchedChunk {
			now, old := memory[at:min(at+watchedChunk, len(memory))], b.memory[at:min(at+watchedChunk, len(memory))]
			if bytes.Equal(now, old) {
				continue
			}
			if foreign == nil {
				foreign = w.foreign(cell, at, old, now)
			}
			copy(now, old)
		}
		for i, g := range w.in.globals {
			g.Set(b.globals[i])
		}
		w.Bank().Restored()
	}
	copy(w.Bank().SilencedCells(), b.silenced)
	w.TakeEvents()
	return foreign, err
}

// foreign is the first change in a piece of memory at an address of what is another cell's.
func (w *Watched) foreign(cell, address int, old, now []byte) *Write {
	for i := range now {
		if old[i] == now[i] {
			continue
		}
		if column, owner := w.in.bank.Owner(uint64(address + i)); owner >= 0 && owner != cell {
			return &Write{WriteKind: WriteKind{Column: column, Neighbour: true}, Cell: cell, Owner: owner, Address: uint32(address + i)}
		}
	}
	return nil
}
