package scatter

import (
	"math"

	"starloom/traces/rounded"
)

// The mean field, for large n, follows the expected fraction of coloured nodes as if its variance were 0.

// additional units of scattering for each doubling of the number of nodes: the factor of log2 n
const (
	SyncPerDoubling  = 1 + math.Ln2 // Lemma 5, Theorem 2: 1.693
	AsyncPerDoubling = 2 * math.Ln2 // Theorem 3: 1.386
)

// Field holds the fractions of coloured and uncoloured nodes in the mean field of SYNC. Both are stored to avoid
// cancellation.
type Field struct {
	P float64
	Q float64
}

// NewField returns the mean field of n nodes with one coloured node.
func NewField(n int) Field {
	checkNodes(n)
	return Field{P: 1 / float64(n), Q: float64(n-1) / float64(n)}
}

// Next returns the field one unit later: p' = 1 - (1-p) e^-p (Lemma 4, Eq. 3.2), and q' = q e^-p.
func (f Field) Next() Field {
	left := rounded.Exp(-f.P)
	return Field{P: float64(f.P*left) - rounded.Expm1(-f.P), Q: f.Q * left}
}

// SyncTime returns T_n(a) by the mean field of SYNC: the time at which a of n nodes are uncoloured, 0 < a < n-1.
// units is the time rounded up; real interpolates ln q between units. T_n(a) is about log2 n + ln n - ln a + 0.1053.
func SyncTime(n int, a float64) (units int, real float64) {
	checkMissing(n, a)
	goal := rounded.Log(a / float64(n))
	field := NewField(n)
	before := field.Q
	for ; rounded.Log(field.Q) > goal; units++ {
		before = field.Q
		field = field.Next()
	}
	top := rounded.Log(before)
	return units, float64(units-1) + (top-goal)/(top-rounded.Log(field.Q))
}

// AsyncColoured returns the fraction of coloured nodes after a time in units, by the mean field of ASYNC: p/(1-p) =
// e^t / (n-1) (Theorem 3).
func AsyncColoured(n int, time float64) float64 {
	checkNodes(n)
	return 1 / (1 + float64(float64(n-1)*rounded.Exp(-time)))
}

// AsyncTime returns T_n(a) by the mean field of ASYNC, ln((n-1)(n-a)/a), 0 < a < n-1 (Theorem 3). The time is
// slightly too short, because the mean field ignores the random start: fewer than 1-a of the runs have ended by this
// time.
func AsyncTime(n int, a float64) float64 {
	checkMissing(n, a)
	return rounded.Log(float64(n-1) * (float64(n) - a) / a)
}
