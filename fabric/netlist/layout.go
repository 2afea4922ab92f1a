package netlist

import "math"

// spread lays nodes out so that the distance of two is about that along the lines between them: stress majorization
// (E. Gansner, Y. Koren and S. North, "Graph drawing by stress majorization", 2004), from where classical
// multidimensional scaling puts them. All is done in one order, and products are rounded, so that every machine
// draws the same.
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
				if length < 1e-6 { // two at one place part: one way or the other, as their numbers say
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

// distances are those along lines; of nodes that no line joins one more than any other.
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
		for i := range v { // no symmetry
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
			value := math.Sqrt(square / previous) // the axis is as long as the root of it
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

// upright turns a picture so that its first node is at the upper left, and the second one to the right of it.
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
