package ej

import "starloom/fabric"

// rom has the staircases of the programs for every alpha, in words that all
// processors share. Of S sectors - six, or three of oriented links - word i is where sector i begins
// and word S where the last one ends; sector i has a word for q = 1, 2, ...: E_i(q), the largest
// number of hops in its minor direction after q in its major one.
// Images get those of six sectors. Of traffic the words are its routes.
func (e Network) rom(w *fabric.Workload, p *fabric.Program) (fabric.ROM, error) {
	var sectors [][]int
	switch {
	case w.Traffic != nil:
		return e.routes(), nil
	case p != nil && p.Name == allToAllC2Program:
		oriented := e.torus().Oriented()
		sectors = oriented[:]
	case p == nil || p.Name == generalProgram:
		six := e.torus().Sectors()
		sectors = six[:]
	default:
		return nil, nil
	}
	words := make(machineROM, len(sectors)+1)
	for i, extents := range sectors {
		words[i] = uint32(len(words))
		for _, extent := range extents {
			words = append(words, uint32(extent))
		}
	}
	words[len(sectors)] = uint32(len(words))
	return words, nil
}

// routes are the words of the ROM of traffic: the numbering of residues - wide, high, skew - and then, eight
// in a word and the first in its lowest four bits, the direction in which a packet goes on whose destination
// has this residue less the one where it is; 0 for the residue 0.
func (e Network) routes() machineROM {
	const header, perWord, bits = 3, 8, 4
	field := e.torus().Field
	wide, high, skew := field.Numbering()
	words := append(make(machineROM, 0, header+(field.Size()+perWord-1)/perWord), uint32(wide), uint32(high), uint32(skew))
	words = words[:cap(words)]
	for residue := 1; residue < field.Size(); residue++ {
		words[header+residue/perWord] |= uint32(field.Towards(residue)) << (residue % perWord * bits)
	}
	return words
}

// machineROM are the words of a ROM that all processors share.
type machineROM []uint32

func (r machineROM) Words() (processor, machine int) { return 0, len(r) }

// Processor and Machine implement fabric.ROM.

func (r machineROM) Processor(int, uint64, []uint32) {}
func (r machineROM) Machine(_ uint64, dst []uint32)  { copy(dst, r) }
