package traffic

import (
	"unsafe"

	"starloom/fabric"
)

// What a source takes, in bytes: its cursors and its places in the lists, and the flights that lists have room for
// when a processor holds few packets.
const (
	memorySource  = 7*4 + 1 + 2 + 4 + 8 + 8
	memoryFlights = 4 * unsafe.Sizeof(flight{})
	memorySeen    = 2 * unsafe.Sizeof(sighting{})
)

// listGrowth is how much larger a list that has grown may be than what is in it, with the one that it has outgrown.
const listGrowth = 2.25

// MemoryBytes estimates what the workload takes on a network: what a Referee keeps, with a file of packets if logs.
func MemoryBytes(s *Spec, shape *fabric.Shape, logs bool) uint64 {
	n, slots := uint64(shape.Processors()), uint64(s.Slots())
	bytes := n*uint64(memorySource+memoryFlights+memorySeen) + 8*uint64(shape.Media) + 2*8*slots
	if n <= flowProcessorsMax {
		bytes += 12 * n * n
	}
	if s.Pattern == fabric.PatternPermutation {
		bytes += 4 * n
	}
	rows := uint64(len(s.Rows))
	bytes += rows * uint64(unsafe.Sizeof(row{})+unsafe.Sizeof(fabric.TrafficRow{}))
	if rows == 0 {
		rows = uint64(s.Rate * float64(n) * float64(slots))
	}
	if logs { // and they are sorted
		bytes += uint64(float64(rows)*listGrowth)*uint64(unsafe.Sizeof(logged{})) + rows*uint64(unsafe.Sizeof(logged{})+8)
	}
	return bytes
}
