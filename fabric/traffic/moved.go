package traffic

import (
	"slices"

	"starloom/fabric"
)

// Move puts a packet of a file into another slot.
type Move struct {
	ID   uint64 // fabric.TrafficRow.ID
	Slot uint32 // slot or tick whose first cycle creates the packet
}

// Moved returns the packets of a file with some of them in other slots of each cycles, in order of time. unknown is the
// number of a move whose packet is not in the file, len(moves) if all are.
func Moved(rows []fabric.TrafficRow, moves []Move, each uint64) (moved []fabric.TrafficRow, unknown int) {
	moved = slices.Clone(rows)
	for i, m := range moves {
		k := slices.IndexFunc(moved, func(r fabric.TrafficRow) bool { return r.ID == m.ID })
		if k < 0 {
			return nil, i
		}
		moved[k].Created = uint64(m.Slot) * each
	}
	sort(moved)
	return moved, len(moves)
}
