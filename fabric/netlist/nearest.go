package netlist

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
