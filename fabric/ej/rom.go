package ej

import "starloom/fabric"

// ROM implements fabric.WithROM: the staircases of the programs for every alpha, in words that all
// processors share. Of S sectors - six, or three of oriented links - word i is where sector i begins
// and word S where the last one ends; sector i has a word for q = 1, 2, ...: E_i(q), the largest
// number of hops in its minor direction after q in its major one.
// Images get those of six sectors.
func (e Network) ROM(_ *fabric.Workload, p *fabric.Program) (fabric.ROM, error) {
	var sectors [][]int
	switch {
	case p != nil && p.Name == allToAllC2Program:
		oriented := e.torus().Oriented()
		sectors = oriented[:]
	case p == nil || p.Name == generalProgram:
		six := e.torus().Sectors()
		sectors = six[:]
	default:
		return nil, nil
	}
	words := make(staircases, len(sectors)+1)
	for i, extents := range sectors {
		words[i] = uint32(len(words))
		for _, extent := range extents {
			words = append(words, uint32(extent))
		}
	}
	words[len(sectors)] = uint32(len(words))
	return words, nil
}

// staircases are the words of the ROM.
type staircases []uint32

// Words implements fabric.ROM.
func (s staircases) Words() (processor, machine int) { return 0, len(s) }

// Processor and Machine implement fabric.ROM.

func (s staircases) Processor(int, uint64, []uint32) {}
func (s staircases) Machine(_ uint64, dst []uint32)  { copy(dst, s) }
