// Package eisenstein implements the arithmetic of Eisenstein-Jacobi networks: residues of the EJ integers x + y*rho
// modulo alpha = a + b*rho, their n-dimensional products, and broadcasts on these products. The source is Z. Hussain,
// "An Improved One-to-All Broadcasting in Higher Dimensional Eisenstein-Jacobi Networks". Where a comment notes an
// error of the paper, the next sentence is the correction.
//
//	 +rho^2   +rho
//	      \   /            rho = (1 + i*sqrt 3)/2, rho^2 = rho - 1, rho^6 = 1
//	-1 --- node --- +1     sector j = 1..6 lies between rho^(j-1), its minor
//	      /   \            direction, and rho^j, its major direction, which it owns
//	  -rho   -rho^2
//
// Directions are numbered 0 to 5, j for rho^j. Nodes of EJ_alpha are 0 to N-1, N = a^2+ab+b^2; nodes of EJ_alpha^(n)
// are sums of c_k*N^(k-1), k = 1..n. Steps count from 1. The package runs neither hardware nor firmware.
package eisenstein

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"starloom/traces"
	"starloom/traces/input"
)

// Directions names the six units rho^j, j = 0..5; j+3 is the opposite of j.
var Directions = [6]string{"+1", "+rho", "+rho^2", "-1", "-rho", "-rho^2"}

var units = [6]integer{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}

// Opposite returns the direction of a link as seen from its other end.
func Opposite(direction int) int { return (direction + 3) % 6 }

// SizeMax is the maximum number of residues. The tables take about 40 bytes per residue.
const SizeMax = 1 << 24

// integer is the EJ integer x + y*rho. x and y may be any integers; the paper permits only non-negative numbers.
type integer struct{ x, y int }

func (z integer) plus(times int, other integer) integer {
	return integer{z.x + times*other.x, z.y + times*other.y}
}

// Field is the set of residues modulo alpha = a + b*rho, 0 <= a <= b: the nodes of EJ_alpha.
//
// A residue has the number y0*w + x0, where h = gcd(a, b), w = N/h, 0 <= y0 < h and 0 <= x0 < w: (w, 0) and (t, h)
// span the multiples of alpha. The paper has no numbering.
type Field struct {
	a, b             int
	size             int
	high, wide, skew int

	neighbours [][6]int32
	weights    []uint16 // hops from node 0
	sectors    stairs
	oriented   stairs // stairs of the three sectors that use only the directions +1, +rho^2 and -rho
}

// New returns the residues modulo a + b*rho. It returns the errors of Degenerate, and an error if N < 7.
func New(a, b int) (*Field, error) {
	f, err := Degenerate(a, b)
	if err == nil && f.size < 7 {
		return nil,
			refuse(a, b,
				fmt.Sprintf("has %s, but a node needs 7: one for itself and one for each of six neighbours",
					traces.Plural(uint64(f.size), "residue", "residues")),
				"give a larger b; a = 1 and b = 2 make the smallest network")
	}
	return f, err
}

// Degenerate returns the residues modulo a + b*rho even for nodes with fewer than six distinct neighbours: N is 1, 3
// or 4. It returns an error if alpha = 0, a < 0, a > b or N > SizeMax.
func Degenerate(a, b int) (*Field, error) {
	switch {
	case a < 0 || b < a:
		return nil, refuse(a, b, "is outside 0 <= a <= b", "give the associate or the conjugate of alpha in this range: "+
			"its network is the same")
	case b == 0:
		return nil, refuse(a, b, "is zero", "give b of 1 or more")
	case norm(a, b).Cmp(big.NewInt(SizeMax)) > 0:
		return nil, refuse(a, b, fmt.Sprintf("has %s residues", norm(a, b)), fmt.Sprintf("at most %d are allowed", SizeMax))
	}
	h, m, k := bezout(b, a+b)
	f := &Field{a: a, b: b, size: int(norm(a, b).Int64()), high: h}
	f.wide = f.size / h
	f.skew = modulo(m*a-k*b, f.wide)
	f.neighbours = make([][6]int32, f.size)
	for node := range f.neighbours {
		for j, unit := range units {
			f.neighbours[node][j] = int32(f.residue(f.integer(node).plus(1, unit)))
		}
	}
	f.sectors = f.climb(sectorDirections[:])
	f.oriented = f.climb(orientedDirections[:])
	f.weights = f.sectors.weights
	return f, nil
}

func refuse(a, b int, reason, remedy string) error {
	return input.Mistake("fabric.ej.alpha", fmt.Sprintf("alpha = %d + %d*rho %s", a, b, reason), remedy)
}

func norm(a, b int) *big.Int {
	x, y := big.NewInt(int64(a)), big.NewInt(int64(b))
	sum := new(big.Int).Add(x, y)
	return sum.Sub(sum.Mul(sum, sum), x.Mul(x, y)) // (a+b)^2 - ab
}

// bezout returns the greatest common divisor gcd of two numbers, not both zero, and m and k with
// m*a + k*b = gcd.
func bezout(a, b int) (gcd, m, k int) {
	m, nextM, k, nextK := 1, 0, 0, 1
	for b != 0 {
		q := a / b
		a, b = b, a-q*b
		m, nextM = nextM, m-q*nextM
		k, nextK = nextK, k-q*nextK
	}
	return a, m, k
}

func modulo(x, n int) int { return (x%n + n) % n }

func (f *Field) integer(node int) integer { return integer{node % f.wide, node / f.wide} }

func (f *Field) residue(z integer) int {
	y := modulo(z.y, f.high)
	turns := (z.y - y) / f.high
	return y*f.wide + modulo(z.x-turns*f.skew, f.wide)
}

// Alpha returns a and b.
func (f *Field) Alpha() (a, b int) { return f.a, f.b }

// Size returns N, the number of residues.
func (f *Field) Size() int { return f.size }

// Numbering returns the parameters of the numbering. For 0 <= x < wide and 0 <= y < high, the number of x + y*rho is
// y*wide + x. The numbers x + y*rho and (x + skew) + (y + high)*rho belong to the same residue.
func (f *Field) Numbering() (wide, high, skew int) { return f.wide, f.high, f.skew }

// Index returns the number of the residue of x + y*rho. It is exact for coordinates up to 2^31.
func (f *Field) Index(x, y int) int { return f.residue(integer{x, y}) }

// Neighbour returns the node one hop away in a direction, 0 to 5.
func (f *Field) Neighbour(node, direction int) int { return int(f.neighbours[node][direction]) }

// Add returns the residue of the sum of two residues.
func (f *Field) Add(u, v int) int { return f.residue(f.integer(u).plus(1, f.integer(v))) }

// Subtract returns the residue of the difference of two residues.
func (f *Field) Subtract(u, v int) int { return f.residue(f.integer(u).plus(-1, f.integer(v))) }

// Weight returns the number of hops from node 0: the minimum of max(|x|, |y|, |x+y|) in the residue class.
func (f *Field) Weight(node int) int { return int(f.weights[node]) }

// OrientedWeight returns the number of hops from node 0 along +1, +rho^2 and -rho only.
func (f *Field) OrientedWeight(node int) int { return int(f.oriented.weights[node]) }

// Diameter returns the largest weight M, floor((a+2b)/3).
func (f *Field) Diameter() int { return len(f.sectors.histogram) - 1 }

// Directed returns the maximum oriented weight: a+b if 3 divides b-a, otherwise a+b-1.
func (f *Field) Directed() int { return len(f.oriented.histogram) - 1 }

// Histogram returns the number of nodes of every weight 0..M.
func (f *Field) Histogram() []int { return f.sectors.histogram }

// HistogramFormula returns the number of nodes of weight s modulo a + b*rho in closed form, with T = (a+b)/2 and the
// diameter's bound (a+2b)/3 as fractions. The case s = T has precedence, because the two fractions are equal for a =
// b.
func HistogramFormula(a, b, s int) int {
	switch {
	case s == 0:
		return 1
	case 2*s == a+b:
		others := 0
		for other := range (a+2*b)/3 + 1 {
			if other != s {
				others += HistogramFormula(a, b, other)
			}
		}
		return a*a + a*b + b*b - others
	case 2*s < a+b:
		return 6 * s
	case 3*s < a+2*b:
		return 6*(a+2*b) - 18*s
	case 3*s == a+2*b:
		return 2
	}
	return 0
}

// high is the vertical distance of +rho: the sine of 60 degrees.
const high = 0.8660254037844386

func (f *Field) least(node int) integer {
	at := f.sectors.places[node]
	sector := sectorDirections[at.sector]
	return integer{}.plus(int(at.q), units[sector.major]).plus(int(at.p), units[sector.minor])
}

// Place returns the position of a node in a hexagonal plane around node 0, in hops: +1 to the right, +rho up right.
func (f *Field) Place(node int) (x, y float64) { return f.least(node).place() }

// Unit returns the vector of a direction in the plane.
func Unit(direction int) (dx, dy float64) { return units[direction].place() }

func (z integer) place() (x, y float64) {
	return float64(z.x) + float64(float64(z.y)/2), float64(float64(z.y) * high)
}

// Torus is EJ_alpha^(n): node (c_n, ..., c_1) has the number c_1 + c_2*N + ... + c_n*N^(n-1).
type Torus struct {
	*Field
	Dims int

	powers   []int    // powers N^k, k = 0..n
	inverses []uint64 // inverses 2^64 / N^k, rounded up; 0 for k = 0
}

// NewTorus returns the product of dims copies of a field. It returns an error if dims is below 1 or the product has
// more than 2^31-1 nodes.
func NewTorus(f *Field, dims int) (*Torus, error) {
	if dims < 1 {
		return nil, input.Mistake("fabric.ej.dims", fmt.Sprintf("dims is %d", dims), "give 1 or more")
	}
	t := &Torus{Field: f, Dims: dims, powers: []int{1}, inverses: []uint64{0}}
	for k := range dims {
		if t.powers[k] > math.MaxInt32/f.size {
			return nil, input.Mistake("fabric.ej.dims",
				fmt.Sprintf("dims is %d, but %d^%d nodes are more than %d", dims, f.size, dims, math.MaxInt32),
				fmt.Sprintf("allowed with this alpha are %d dimensions", k))
		}
		t.powers = append(t.powers, t.powers[k]*f.size)
		t.inverses = append(t.inverses, math.MaxUint64/uint64(t.powers[k+1])+1)
	}
	return t, nil
}

// Nodes returns N^n.
func (t *Torus) Nodes() int { return t.powers[t.Dims] }

// Coordinate returns c_k of a node, k = 1..n.
func (t *Torus) Coordinate(node, k int) int {
	from := t.Above(node, k-1)
	return from - t.Above(from, 1)*t.size
}

// Above returns node / N^k, k = 0..n: the coordinates from c_(k+1) on. It uses the high half of the product with the
// inverse. This is exact below 2^32 and much faster than a division.
func (t *Torus) Above(node, k int) int {
	if k == 0 {
		return node
	}
	above, _ := bits.Mul64(uint64(node), t.inverses[k])
	return int(above)
}

// Neighbour returns the node one hop away in dimension k = 1..n and a direction 0 to 5.
func (t *Torus) Neighbour(node, k, direction int) int {
	c := t.Coordinate(node, k)
	return node + (int(t.neighbours[c][direction])-c)*t.powers[k-1]
}

// Link returns the dimension and the direction of the link from a node to a neighbour. It panics if the nodes are not
// neighbours.
func (t *Torus) Link(from, to int) (k, direction int) {
	for k := 1; k <= t.Dims; k++ {
		c, d := t.Coordinate(from, k), t.Coordinate(to, k)
		if direction := slices.Index(t.neighbours[c][:], int32(d)); c != d && direction >= 0 &&
			t.Neighbour(from, k, direction) == to {
			return k, direction
		}
	}
	panic(fmt.Sprintf("eisenstein: nodes %d and %d are not neighbours", from, to))
}

// Add adds all coordinates of two nodes.
func (t *Torus) Add(u, v int) int { return t.each(u, v, t.Field.Add) }

// Subtract subtracts all coordinates of two nodes.
func (t *Torus) Subtract(u, v int) int { return t.each(u, v, t.Field.Subtract) }

func (t *Torus) each(u, v int, of func(c, d int) int) (node int) {
	for k, power := range t.powers[:t.Dims] {
		node += of(t.Coordinate(u, k+1), t.Coordinate(v, k+1)) * power
	}
	return node
}

// Distance returns the number of hops between two nodes: the sum over the dimensions.
func (t *Torus) Distance(u, v int) (hops int) {
	for k := range t.Dims {
		hops += t.Weight(t.Field.Subtract(t.Coordinate(u, k+1), t.Coordinate(v, k+1)))
	}
	return hops
}
