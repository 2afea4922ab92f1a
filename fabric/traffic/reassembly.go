package traffic

import "slices"

// arriving holds unfinished arrivals. Frames arrive in order, except in different virtual channels.
type arriving struct {
	heard     []uint32   // good frames of each processor so far
	held      []sighting // last frames of packets, still in a FIFO
	overtaken []uint64   // overtaken frames in the order of frameKey
}

func (a *arriving) reset() { a.held, a.overtaken = a.held[:0], a.overtaken[:0] }

func frameKey(origin, number uint32, follow uint8) uint64 {
	return uint64(origin)<<32 | uint64(number&0xffffff)<<8 | uint64(follow)
}

// overtakes records the frames of a packet that should have arrived before the arrived frame.
func (a *arriving) overtakes(s *sighting, follow, expected uint8) {
	for f := follow + 1; f < expected; f++ {
		key := frameKey(s.origin, s.number, f)
		at, _ := slices.BinarySearch(a.overtaken, key)
		a.overtaken = slices.Insert(a.overtaken, at, key)
	}
}

func (a *arriving) comes(s *sighting) bool {
	at, found := slices.BinarySearch(a.overtaken, frameKey(s.origin, s.number, uint8(s.number>>24)))
	if found {
		a.overtaken = slices.Delete(a.overtaken, at, at+1)
	}
	return found
}

func (a *arriving) forget(origin, number uint32) {
	first, _ := slices.BinarySearch(a.overtaken, frameKey(origin, number, 0))
	end := first
	for end < len(a.overtaken) && a.overtaken[end]>>8 == frameKey(origin, number, 0)>>8 {
		end++
	}
	a.overtaken = slices.Delete(a.overtaken, first, end)
}
