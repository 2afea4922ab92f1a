package estimate

import "math"

// point is a quantity of a run at one size.
type point struct{ n, y float64 }

// law is a way to go on from the last points of a list; it is asked for sizes above them.
type law func(points []point, n float64) float64

// power goes on as a power of the size, through the last two points.
func power(points []point, n float64) float64 {
	a, b := points[len(points)-2], points[len(points)-1]
	if a.n == b.n || a.y <= 0 || b.y <= 0 {
		return b.y
	}
	return b.y * math.Pow(n/b.n, math.Log(b.y/a.y)/math.Log(b.n/a.n))
}

// logarithm goes on as the logarithm of the size, through the last two points.
func logarithm(points []point, n float64) float64 {
	a, b := points[len(points)-2], points[len(points)-1]
	if a.n == b.n {
		return b.y
	}
	return b.y + float64((b.y-a.y)*math.Log(n/b.n)/math.Log(b.n/a.n))
}

func constant(points []point, _ float64) float64 {
	last := points[max(0, len(points)-3):]
	var sum float64
	for _, p := range last {
		sum += p.y
	}
	return sum / float64(len(last))
}

// places is how many slots a run at size n takes: by the law that would best have told each of the last
// points from those before it. points are in the order of their sizes.
func places(points []point, n float64) float64 {
	if len(points) < 3 {
		if len(points) == 2 {
			return power(points, n)
		}
		return points[0].y
	}
	best, least := 0.0, math.Inf(1)
	for _, l := range []law{constant, logarithm, power} {
		var off float64
		for end := max(2, len(points)-3); end < len(points); end++ {
			told := l(points[:end], points[end].n)
			off += math.Abs(math.Log(math.Max(told, 1) / math.Max(points[end].y, 1)))
		}
		if off < least-1e-9 {
			best, least = l(points, n), off
		}
	}
	return math.Max(best, 1)
}

// pointsFitted is how many of the largest sizes a power is fitted to.
const pointsFitted = 3

func fitted(points []point, n float64) float64 {
	last := points[max(0, len(points)-pointsFitted):]
	var sx, sy, sxx, sxy float64
	for _, p := range last {
		x, y := math.Log(p.n), math.Log(math.Max(p.y, 1))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+float64(x*x), sxy+float64(x*y)
	}
	count := float64(len(last))
	exponent := 1.0
	if spread := float64(count*sxx) - float64(sx*sx); len(last) > 1 && spread > 0 {
		exponent = (float64(count*sxy) - float64(sx*sy)) / spread
	}
	return math.Exp(sy/count + float64(exponent*(math.Log(n)-sx/count)))
}
