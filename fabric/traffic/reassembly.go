package traffic

import "slices"

// arriving is what has come to a destination and is not over. Frames come in order, except through virtual channels.
type arriving struct {
	heard     []uint32   // by processor: good frames so far
	held      []sighting // last frames that have arrived, and are in a FIFO
	overtaken []uint64   // frames that others of their packet have overtaken, in ascending order: see frameKey
}

func (a *arriving) reset() { a.held, a.overtaken = a.held[:0], a.overtaken[:0] }

func frameKey(origin, number uint32, follow uint8) uint64 {
	return uint64(origin)<<32 | uint64(number&0xffffff)<<8 | uint64(follow)
}

// overtakes notes the frames of a packet that were expected, fewer than so many following, before one that has come.
func (a *arriving) overtakes(s *sighting, follow, expected uint8) {
	for f := follow + 1; f < expected; f++ {
		key := frameKey(s.origin, s.number, f)
		at, _ := slices.BinarySearch(a.overtaken, key)
		a.overtaken = slices.Insert(a.overtaken, at, key)
	}
}

// comes reports whether a frame that comes late was overtaken, and has not come before.
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
