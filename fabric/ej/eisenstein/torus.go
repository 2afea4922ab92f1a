package eisenstein

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"starloom/traces/input"
)

// Torus is EJ_alpha^(n): node (c_n, ..., c_1) is numbered c_1 + c_2*N + ... + c_n*N^(n-1).
type Torus struct {
	*Field
	Dims int // n

	powers   []int    // N^k, k = 0..n
	inverses []uint64 // 2^64 / N^k, rounded up; 0 for k = 0
}

// NewTorus returns the product of dims copies of a field. Errors are less than one dimension and
// more than 2^31-1 nodes.
func NewTorus(f *Field, dims int) (*Torus, error) {
	if dims < 1 {
		return nil, &input.Error{Place: "fabric.ej.dims", Reason: fmt.Sprintf("dims is %d", dims), Remedy: "give 1 or more"}
	}
	t := &Torus{Field: f, Dims: dims, powers: []int{1}, inverses: []uint64{0}}
	for k := range dims {
		if t.powers[k] > math.MaxInt32/f.size {
			return nil, &input.Error{
				Place:  "fabric.ej.dims",
				Reason: fmt.Sprintf("dims is %d, and %d^%d nodes are more than %d", dims, f.size, dims, math.MaxInt32),
				Remedy: fmt.Sprintf("allowed with this alpha are %d dimensions", k),
			}
		}
		t.powers = append(t.powers, t.powers[k]*f.size)
		t.inverses = append(t.inverses, math.MaxUint64/uint64(t.powers[k+1])+1)
	}
	return t, nil
}

// Nodes is N^n.
func (t *Torus) Nodes() int { return t.powers[t.Dims] }

// Coordinate is c_k of a node, k = 1..n.
func (t *Torus) Coordinate(node, k int) int {
	from := t.Above(node, k-1)
	return from - t.Above(from, 1)*t.size
}

// Above is node / N^k, k = 0..n: the coordinates from c_(k+1) on. The high half of a product with the
// inverse is exact below 2^32, and takes a fraction of a division's time.
func (t *Torus) Above(node, k int) int {
	if k == 0 {
		return node
	}
	above, _ := bits.Mul64(uint64(node), t.inverses[k])
	return int(above)
}

// Neighbour is the node that is one hop away in dimension k = 1..n, in a direction 0 to 5.
func (t *Torus) Neighbour(node, k, direction int) int {
	c := t.Coordinate(node, k)
	return node + (int(t.neighbours[c][direction])-c)*t.powers[k-1]
}

// Link is the dimension and the direction of the link from a node to a neighbour.
func (t *Torus) Link(from, to int) (k, direction int) {
	for k := 1; k <= t.Dims; k++ {
		c, d := t.Coordinate(from, k), t.Coordinate(to, k)
		if direction := slices.Index(t.neighbours[c][:], int32(d)); c != d && direction >= 0 && t.Neighbour(from, k, direction) == to {
			return k, direction
		}
	}
	panic(fmt.Sprintf("eisenstein: nodes %d and %d are no neighbours", from, to))
}

// Add is the node of the sums of all coordinates.
func (t *Torus) Add(u, v int) int { return t.each(u, v, t.Field.Add) }

// Subtract is the node of the differences of all coordinates.
func (t *Torus) Subtract(u, v int) int { return t.each(u, v, t.Field.Subtract) }

func (t *Torus) each(u, v int, of func(c, d int) int) (node int) {
	for k, power := range t.powers[:t.Dims] {
		node += of(t.Coordinate(u, k+1), t.Coordinate(v, k+1)) * power
	}
	return node
}

// Distance is the number of hops between two nodes: the sum over the dimensions.
func (t *Torus) Distance(u, v int) (hops int) {
	for k := range t.Dims {
		hops += t.Weight(t.Field.Subtract(t.Coordinate(u, k+1), t.Coordinate(v, k+1)))
	}
	return hops
}
