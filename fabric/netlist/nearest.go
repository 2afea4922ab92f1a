package netlist

import "starloom/hw"

// latencyWeight is a weight above every number of hops.
const latencyWeight = 1 << 20

// weight orders links by latency, then paths by the number of routers.
func weight(latency int) int { return latencyWeight*latency + 1 }

// nearest is a heap of processors, ordered by distance and number.
type nearest []reach

type reach struct{ distance, processor int }

func (r *reach) before(other *reach) bool {
	return r.distance < other.distance || r.distance == other.distance && r.processor < other.processor
}

func (h *nearest) push(r reach) {
	*h = append(*h, r)
	all := *h
	for at := len(all) - 1; at > 0; {
		above := (at - 1) / 2
		if !all[at].before(&all[above]) {
			return
		}
		all[at], all[above] = all[above], all[at]
		at = above
	}
}

func (h *nearest) pop() reach {
	all := *h
	first, last := all[0], len(all)-1
	all[0], *h = all[last], all[:last]
	all = all[:last]
	for at := 0; ; {
		least := at
		for below := 2*at + 1; below <= 2*at+2 && below < len(all); below++ {
			if all[below].before(&all[least]) {
				least = below
			}
		}
		if least == at {
			return first
		}
		all[at], all[least] = all[least], all[at]
		at = least
	}
}

// linksInto returns the links into each router of a graph.
func linksInto(g *hw.RouterGraph) [][]*hw.RouterLink {
	into := make([][]*hw.RouterLink, len(g.Ports))
	for i := range g.Links {
		l := &g.Links[i]
		into[l.To] = append(into[l.To], l)
	}
	return into
}

// extend lowers distances of routers, -1 for none, over links before the ways that they stand for. weigh returns the
// weight of a link, 0 for a link that ways do not use.
func extend[T int | int32](distance []T, into [][]*hw.RouterLink, weigh func(l *hw.RouterLink) int) []T {
	open := nearest{}
	for r, d := range distance {
		if d >= 0 {
			open.push(reach{int(d), r})
		}
	}
	for len(open) > 0 {
		at := open.pop()
		if at.distance > int(distance[at.processor]) {
			continue
		}
		for _, l := range into[at.processor] {
			w := weigh(l)
			if d := T(at.distance + w); w > 0 && (distance[l.From] < 0 || d < distance[l.From]) {
				distance[l.From] = d
				open.push(reach{int(d), l.From})
			}
		}
	}
	return distance
}

// onlyAt returns the distances 0 of one router, and none of the others.
func onlyAt[T int | int32](router, routers int) []T {
	distance := make([]T, routers)
	for i := range distance {
		distance[i] = -1
	}
	distance[router] = 0
	return distance
}

// distancesTo returns the weights of the shortest ways from all routers to one, -1 for none.
func distancesTo(router int, into [][]*hw.RouterLink) []int {
	return extend(onlyAt[int](router, len(into)), into, func(l *hw.RouterLink) int { return weight(l.Latency) })
}
