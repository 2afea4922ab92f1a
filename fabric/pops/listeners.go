package pops

import "starloom/hw"

// listened marks the couplers that somebody has listened to at this boundary, so that a
// frame is heard once, however many hear it. Those that end at a group lie side by side and
// belong to the group's shard: it is its processors that listen.
//
// Which frames no one has heard follows from sums: those that were alone on a coupler, less
// the couplers with one sender and at least one listener.
type listened struct {
	groups int
	marks  []uint8 // per coupler, by the group it ends at and the one it leaves: 0 or 1
}

func newListened(p Network) listened {
	l := listened{p.Groups, make([]uint8, p.Couplers())}
	hw.AdviseHuge(l.marks)
	return l
}

func (l *listened) clear(s hw.Shard) { clear(l.marks[s.First*l.groups : s.End*l.groups]) }
