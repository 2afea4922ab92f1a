package eisenstein

import "slices"

// A one-dimensional broadcast is a set of sectors. In a sector a message travels q >= 1 hops in the major direction,
// then p >= 0 hops in the minor direction, to q*major + p*minor. A residue may have several shortest representations.
// The field uses the representation with the lexicographically largest exponents over all directions. This is a
// monomial order, so a used representation without one of its hops is also used. The sector is therefore a staircase,
// in which the extent of p does not grow with q.

type sector struct{ major, minor int }

// sectorDirections are the directions of sectors 1..6: rho^j and rho^(j-1).
var sectorDirections = [6]sector{{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {0, 5}}

// orientedDirections are the sectors of an orientation in which each link is driven from one end. The sum of +1,
// +rho^2 and -rho is 0.
var orientedDirections = [3]sector{{0, 2}, {2, 4}, {4, 0}}

// place is the position of a residue: q*major + p*minor in a sector. q is 0 only at node 0.
type place struct {
	sector int8
	q, p   uint16
}

type stairs struct {
	sectors   []sector
	extents   [][]int // largest p for each q-1, by sector
	places    []place
	weights   []uint16
	histogram []int
}

func (s *stairs) compare(a, b place) int {
	exponents := func(at place) (exponents [6]uint16) {
		exponents[s.sectors[at.sector].major] = at.q
		exponents[s.sectors[at.sector].minor] = at.p
		return exponents
	}
	left, right := exponents(a), exponents(b)
	return slices.Compare(left[:], right[:])
}

func (f *Field) climb(sectors []sector) stairs {
	s := stairs{
		sectors: sectors, extents: make([][]int, len(sectors)),
		places: make([]place, f.size), weights: make([]uint16, f.size), histogram: []int{1},
	}
	for left := f.size - 1; left > 0; {
		weight := len(s.histogram)
		found := 0
		for i, sector := range sectors {
			for p := range weight {
				q := weight - p
				node := f.residue(integer{}.plus(q, units[sector.major]).plus(p, units[sector.minor]))
				here := place{int8(i), uint16(q), uint16(p)}
				switch {
				case node == 0 || s.weights[node] > 0 && int(s.weights[node]) < weight:
					continue
				case s.weights[node] == 0:
					found++
				case s.compare(here, s.places[node]) < 0:
					continue
				}
				s.weights[node], s.places[node] = uint16(weight), here
			}
		}
		s.histogram = append(s.histogram, found)
		left -= found
	}
	for _, place := range s.places[1:] {
		extents := s.extents[place.sector]
		for len(extents) < int(place.q) {
			extents = append(extents, 0)
		}
		extents[place.q-1] = max(extents[place.q-1], int(place.p))
		s.extents[place.sector] = extents
	}
	return s
}

// Sectors returns the staircases of sectors 1..6. Entry q-1 of a sector is the largest p with a node at q*major +
// p*minor. A sector may be empty.
func (f *Field) Sectors() [6][]int { return [6][]int(f.sectors.extents) }

// Oriented returns the staircases of the three sectors between +1, +rho^2 and -rho.
func (f *Field) Oriented() [3][]int { return [3][]int(f.oriented.extents) }

// Towards returns the direction, 0 to 5, of the first hop from node 0 to a nonzero residue. The route is a shortest
// route in the six sectors, major direction first. After a hop, the rest of the route is the route to the remaining
// residue.
func (f *Field) Towards(node int) (direction int) {
	return f.sectors.sectors[f.sectors.places[node].sector].major
}
