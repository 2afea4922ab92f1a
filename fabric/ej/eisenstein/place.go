package eisenstein

// high is how far +rho leads up: the sine of 60 degrees.
const high = 0.8660254037844386

// least is the representative of a node with the fewest hops from 0.
func (f *Field) least(node int) integer {
	at := f.sectors.places[node]
	sector := sectorDirections[at.sector]
	return integer{}.plus(int(at.q), units[sector.major]).plus(int(at.p), units[sector.minor])
}

// Place is where a node lies in a hexagonal plane around node 0, in hops: +1 leads to the right, +rho up and to the
// right.
func (f *Field) Place(node int) (x, y float64) { return f.least(node).place() }

// Unit is where a direction leads to in the plane.
func Unit(direction int) (dx, dy float64) { return units[direction].place() }

func (z integer) place() (x, y float64) {
	return float64(z.x) + float64(float64(z.y)/2), float64(float64(z.y) * high)
}
