package scatter

import "starloom/traces/rounded"

// Cost is C = S t (section 1 of the paper): messages, that is context switches of
// receivers, per unit, times units to completion.
func Cost(messagesPerUnit, units float64) float64 { return messagesPerUnit * units }

// ScatterCost is the cost of random scattering, with one message per node and unit.
func ScatterCost(n int, units float64) float64 { return Cost(float64(n), units) }

// BroadcastCost is n^2: everybody to everybody in one unit.
func BroadcastCost(n int) float64 { return Cost(float64(n)*float64(n), 1) }

// GraphCost is the cost on a fixed graph, whose nodes tell all neighbours in every unit:
// the item arrives after as many units as the diameter.
func GraphCost(n, degree int, diameter float64) float64 {
	return Cost(float64(degree)*float64(n), diameter)
}

// RingCost is that of a ring: degree 2, diameter n/2.
func RingCost(n int) float64 { return GraphCost(n, 2, float64(n/2)) }

// Diameters of graphs of degree 3, as multiples of log2 n (section 1 of the paper).
const (
	CubeConnectedCyclesDiameter = 5.0 / 2 // cube-connected cycles
	DenseTrivalentDiameter      = 3.0 / 2 // dense trivalent graphs
	BestTrivalentDiameter       = 1.1     // the best that are known
)

// TrivalentCost is that of a graph of degree 3 with one of the diameters above: 7.5, 4.5 and
// 3.3 times n log2 n, where random scattering takes 1.693 (SYNC) or 1.386 (ASYNC).
func TrivalentCost(n int, diameter float64) float64 {
	return GraphCost(n, 3, diameter*rounded.Log2(float64(n)))
}
