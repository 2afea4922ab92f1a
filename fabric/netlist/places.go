package netlist

import (
	"math"

	"starloom/fabric"
)

// Place is where a picture has something; neighbours are at distance 1 or more.
type Place = fabric.Place

// placesMax is how many nodes a shorthand gives places to.
const placesMax = 4096

// short is the same way, of length 1.
func short(p Place) Place {
	length := math.Sqrt(float64(p.X*p.X) + float64(p.Y*p.Y))
	return Place{X: p.X / length, Y: p.Y / length}
}

// gridPlaces are those of a grid: x to the right, y upwards, z to the back, and further dimensions as copies side by
// side, above each other, and so on.
func gridPlaces(k []int) (places []Place) {
	step := gridSteps(k)
	nodes := 1
	for _, size := range k {
		nodes *= size
	}
	for r := range nodes {
		at, rest := Place{}, r
		for d, size := range k {
			at.X += float64(step[d].X * float64(rest%size))
			at.Y += float64(step[d].Y * float64(rest%size))
			rest /= size
		}
		places = append(places, at)
	}
	return places
}

func gridSteps(k []int) (steps []Place) {
	const back, up = 0.68, 0.56
	steps = []Place{{X: 1}, {Y: 1}}
	wide, high := 1.0, 1.0 // from a node to the same one of the next copy
	if len(k) > 2 {
		steps[0].X = float64(back*float64(k[2]-1)) + 1
		steps[1].Y = float64(up*float64(k[2]-1)) + 1
		steps = append(steps, Place{X: back, Y: up})
		wide, high = float64(back*float64(k[2]-1))+1, float64(up*float64(k[2]-1))+1
	}
	if len(k) > 3 {
		wide += float64(steps[0].X * float64(k[0]-1))
		high += float64(steps[1].Y * float64(k[1]-1))
		for d := 3; d < len(k); d++ {
			if d%2 == 1 { // aslant, so that lines do not pass through other nodes
				steps = append(steps, Place{X: wide + 0.6, Y: 0.25 * wide})
				wide += float64(float64(k[d]-1) * (wide + 0.6))
			} else {
				steps = append(steps, Place{X: -0.25 * high, Y: high + 1.6})
				high += float64(float64(k[d]-1) * (high + 1.6))
			}
		}
	}
	return steps
}

func circle(nodes int) (places []Place) {
	radius := max(1, float64(nodes)/(2*math.Pi))
	for i := range nodes {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(nodes))
		places = append(places, Place{X: float64(radius * sin), Y: float64(radius * cos)})
	}
	return places
}

// groupPlaces are those of groups around a point, at distances as long as a group is wide, and of the nodes of each around its own.
func groupPlaces(groups, nodes int) (places []Place) {
	around, wide := circle(nodes), 0.0
	if nodes == 1 {
		around = []Place{{}}
	}
	for _, at := range around {
		wide = max(wide, float64(2*at.Y)+1.5)
	}
	for _, group := range circle(groups) {
		for _, at := range around {
			places = append(places, Place{X: float64(wide*group.X) + at.X, Y: float64(wide*group.Y) + at.Y})
		}
	}
	return places
}

// treePlaces are those of a tree: the root at the top, each node above the middle of its children.
func treePlaces(arity, nodes int) (places []Place) {
	places = make([]Place, nodes)
	leaf := 0.0
	var lay func(r, level int)
	lay = func(r, level int) {
		places[r].Y = float64(-1.3 * float64(level))
		first := r*arity + 1
		if first >= nodes {
			places[r].X = leaf
			leaf++
			return
		}
		for child := first; child < first+arity; child++ {
			lay(child, level+1)
		}
		places[r].X = (places[first].X + places[first+arity-1].X) / 2
	}
	lay(0, 0)
	return places
}
