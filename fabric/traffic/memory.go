package traffic

import (
	"unsafe"

	"starloom/fabric"
)

// Bytes of traffic, measured in processes that ran nothing else (TestLongMemoryEstimates): once per run, per source,
// and in the lists of a source that sends in every slot.
const (
	memoryOnce   = 1 << 20
	memorySource = 6*4 + 1 + 2 + 2*4
	memoryBusy   = unsafe.Sizeof(flight{}) + 4*unsafe.Sizeof(sighting{}) + 2*unsafe.Sizeof(creation{}) + 4
)

// Factors from the content of a growing list to its memory: including the list that it has outgrown, and including
// all uncollected lists.
const (
	listGrowth = 2.25
	listsGrow  = 5.2
)

// MemoryBytes estimates the memory of a Referee on a network in bytes; logs includes a file of packets.
func MemoryBytes(s *Spec, shape *fabric.Shape, logs bool) uint64 {
	n, slots := uint64(shape.Processors()), uint64(s.Slots())
	bytes := memoryOnce + n*memorySource + uint64(float64(n)*s.busy()*listsGrow*float64(memoryBusy)) + 8*uint64(
		shape.Media)
	bytes += 2 * 8 * min(slots, latenciesMemory)
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
	if logs {
		bytes += uint64(float64(rows)*listGrowth)*uint64(unsafe.Sizeof(logged{})) + rows*uint64(unsafe.Sizeof(logged{})+8)
	}
	return bytes
}

// latenciesMemory limits the number of distinct latencies, in slots, that are assumed; each latency needs a counter.
const latenciesMemory = 1 << 16

func (s *Spec) busy() float64 {
	if s.Arrivals == fabric.ArrivalsFile {
		return 1
	}
	frames, weights := 0.0, 0.0
	for _, size := range s.Size {
		frames += float64(float64(size.Frames) * size.Share())
		weights += size.Share()
	}
	return min(1, s.Rate*frames/weights)
}

// Bytes of a bare packet: its columns; its entries in the queues of its source and shard, and in the buffers for
// sorting these queues; the lists sorted when the packet is drawn; and its two events for the digest.
const (
	memoryBare   = 3*4 + 2*2 + 3*4
	memoryQueued = 4 * 4
	memorySorted = 3 * 4
	memoryEvents = 2 * 3 * 4
	memoryClass  = 3 + 4 + 4 // class, type, and request; its entry in the queue of its class
	memoryReply  = 2 * 4     // links to its reply, and in the queue of replies
)

// BareBytes estimates the memory of bare packets between processors in bytes; logs includes a file of packets.
func BareBytes(s *Spec, processors int, logs bool) uint64 {
	rows, file := float64(len(s.Rows)), uint64(len(s.Rows))*uint64(unsafe.Sizeof(fabric.TrafficRow{})+8)
	if rows == 0 {
		rows = s.rate() * float64(processors) * float64(s.End)
	}
	each := listGrowth*(memoryBare+memorySorted+memoryEvents) + memoryQueued
	if logs {
		each += 2 * 4
	}
	if len(s.classes) > 0 {
		each += memoryClass
	}
	if s.Replies() {
		each += memoryReply
	}
	return memoryOnce + file + uint64(rows*each)
}
