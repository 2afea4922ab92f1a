package netlist

import (
	"math"

	"starloom/fabric"
)

// spread places nodes so that their distances approximate path lengths: stress majorization (E. Gansner, Y. Koren and
// S. North, "Graph drawing by stress majorization", 2004), with a start from classical multidimensional scaling. A
// fixed order and rounded products yield the same picture on every machine.
func spread(near [][]int) []Place {
	const apart, rounds = 1.35, 150
	far := distances(near)
	at := scaled(far)
	for i := range at {
		at[i].X, at[i].Y = float64(apart*at[i].X), float64(apart*at[i].Y)
	}
	for range rounds {
		for i := range at {
			var sum Place
			weights := 0.0
			for j := range at {
				if i == j {
					continue
				}
				wanted := float64(apart * far[i][j])
				dx, dy := at[i].X-at[j].X, at[i].Y-at[j].Y
				length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
				if length < 1e-6 { // nodes at equal positions move apart in a direction that depends on their numbers
					dx, dy, length = 1, float64(i-j)/float64(len(at)), 1
				}
				weight := 1 / float64(wanted*wanted)
				sum.X += float64(weight * (at[j].X + float64(wanted*dx)/length))
				sum.Y += float64(weight * (at[j].Y + float64(wanted*dy)/length))
				weights += weight
			}
			if weights > 0 {
				at[i] = Place{X: sum.X / weights, Y: sum.Y / weights}
			}
		}
	}
	return upright(at)
}

// distances returns path lengths in links. The distance of unconnected nodes is the longest path plus one link.
func distances(near [][]int) [][]float64 {
	far, most := make([][]float64, len(near)), 1.0
	for i := range near {
		far[i] = make([]float64, len(near))
		queue, seen := []int{i}, make([]bool, len(near))
		seen[i] = true
		for ; len(queue) > 0; queue = queue[1:] {
			for _, j := range near[queue[0]] {
				if !seen[j] {
					seen[j], queue = true, append(queue, j)
					far[i][j] = far[i][queue[0]] + 1
					most = max(most, far[i][j])
				}
			}
		}
	}
	for i := range far {
		for j := range far[i] {
			if i != j && far[i][j] == 0 {
				far[i][j] = most + 1
			}
		}
	}
	return far
}

func scaled(far [][]float64) []Place {
	n := len(far)
	centred, means, mean := make([][]float64, n), make([]float64, n), 0.0
	for i := range far {
		for j := range far[i] {
			means[i] += float64(far[i][j]*far[i][j]) / float64(n)
		}
		mean += means[i] / float64(n)
	}
	for i := range far {
		centred[i] = make([]float64, n)
		for j := range far[i] {
			centred[i][j] = -(float64(far[i][j]*far[i][j]) - means[i] - means[j] + mean) / 2
		}
	}
	var axes [2][]float64
	for a := range axes {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Mod(float64(float64(i+1)*0.6180339887498949)+float64(float64(a)*0.25), 1) - 0.45
		}
		for range 100 {
			for _, other := range axes[:a] {
				dot, square := 1e-12, 1e-12
				for i := range v {
					dot += float64(v[i] * other[i])
					square += float64(other[i] * other[i])
				}
				for i := range v {
					v[i] -= float64(dot / square * other[i])
				}
			}
			next, square := make([]float64, n), 1e-12
			for i := range next {
				for j := range v {
					next[i] += float64(centred[i][j] * v[j])
				}
				square += float64(next[i] * next[i])
			}
			previous := 1e-12
			for i := range v {
				previous += float64(v[i] * v[i])
			}
			value := math.Sqrt(square / previous) // the length of the axis is the square root of its eigenvalue
			size := math.Sqrt(square) / math.Sqrt(value)
			for i := range v {
				v[i] = next[i] / size
			}
		}
		axes[a] = v
	}
	at := make([]Place, n)
	for i := range at {
		at[i] = Place{X: axes[0][i], Y: axes[1][i]}
	}
	return at
}

// upright rotates a picture until the first node is at the upper left and the second to its right.
func upright(at []Place) []Place {
	if len(at) < 2 {
		return at
	}
	dx, dy := at[1].X-at[0].X, at[1].Y-at[0].Y
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	if length < 1e-6 {
		return at
	}
	dx, dy = dx/length, dy/length
	middle := 0.0
	for i := range at {
		x, y := at[i].X, at[i].Y
		at[i] = Place{X: float64(x*dx) + float64(y*dy), Y: float64(y*dx) - float64(x*dy)}
		middle += at[i].Y / float64(len(at))
	}
	if at[0].Y < middle {
		for i := range at {
			at[i].Y = -at[i].Y
		}
	}
	return at
}

// Place is a position in a picture; neighbours are at least 1 apart.
type Place = fabric.Place

const placesMax = 4096

func short(p Place) Place {
	length := math.Sqrt(float64(p.X*p.X) + float64(p.Y*p.Y))
	return Place{X: p.X / length, Y: p.Y / length}
}

// gridPlaces places a grid: x to the right, y upwards, z to the back. Further dimensions are copies, placed
// alternately to the side and above.
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
	wide, high := 1.0, 1.0
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
			if d%2 == 1 { // slanted, so that lines avoid other nodes
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

// groupPlaces places groups on a circle, one group width apart. The nodes of each group are on a smaller circle.
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

// treePlaces places the root at the top and each parent above the middle of its children.
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
