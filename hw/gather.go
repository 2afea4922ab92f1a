package hw

import "fmt"

// Gather is wiring that joins banks of different shape, as data: every unit of the bank
// that reads has Inputs inputs, and input p of unit u is wire Wires[u*Inputs+p] of the
// bank that is read. No wire is read twice.
type Gather struct {
	Inputs int      // of each unit, at least 1
	Wires  []uint32 // Inputs for each unit
}

// Wire returns the wire of an input.
func (g Gather) Wire(unit, input int) uint32 { return g.Wires[unit*g.Inputs+input] }

// Readers returns the unit that reads each of a number of wires, as NewLight wants them. It
// refuses wiring that leaves a wire out or reads one twice.
func (g Gather) Readers(wires int) ([]uint32, error) {
	if g.Inputs < 1 || len(g.Wires)%g.Inputs != 0 || len(g.Wires) != wires {
		return nil, fmt.Errorf("%d wires in units of %d inputs, there are %d wires", len(g.Wires), g.Inputs, wires)
	}
	readers := make([]uint32, wires)
	read := make([]bool, wires)
	for i, wire := range g.Wires {
		if int(wire) >= wires || read[wire] {
			return nil, fmt.Errorf("input %d of unit %d reads wire %d of %d, which does not exist or is read already", i%g.Inputs, i/g.Inputs, wire, wires)
		}
		readers[wire], read[wire] = uint32(i/g.Inputs), true
	}
	return readers, nil
}
