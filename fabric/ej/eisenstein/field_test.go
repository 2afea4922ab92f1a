package eisenstein

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/studytest"
)

// golden reads testdata/ej_<name>.csv without its header.
func golden(t testing.TB, name string) [][]string {
	return studytest.Records(t, "testdata/ej_"+name+".csv")[1:]
}

func number(t testing.TB, text string) int {
	value, err := strconv.Atoi(text)
	require.NoError(t, err)
	return value
}

func field(t testing.TB, a, b int) *Field {
	f, err := New(a, b)
	require.NoError(t, err)
	return f
}

func torus(t testing.TB, a, b, dims int) *Torus {
	product, err := NewTorus(field(t, a, b), dims)
	require.NoError(t, err)
	return product
}

func joined(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }

// TestGeneralAlpha compares all 0 <= a <= b <= 12 with reference figures.
func TestGeneralAlpha(t *testing.T) {
	records := golden(t, "general_alpha")
	require.Len(t, records, 90)
	for _, record := range records {
		a, b := number(t, record[0]), number(t, record[1])
		f, err := Degenerate(a, b)
		require.NoError(t, err)
		var profiles []string
		for _, extents := range f.Sectors() {
			profiles = append(profiles, joined(extents))
		}
		require.Equal(t, record[2:], []string{
			strconv.Itoa(f.Size()), strconv.Itoa(f.Diameter()), joined(f.Histogram()), strings.Join(profiles, "|"),
			strconv.Itoa(f.Leaves()), strconv.Itoa(f.Directed()),
		}, "alpha = %d + %d*rho", a, b)
		for s, count := range f.Histogram() {
			require.Equal(t, count, HistogramFormula(a, b, s), "alpha = %d + %d*rho, s = %d", a, b, s)
		}
		require.Zero(t, HistogramFormula(a, b, f.Diameter()+1))
		require.Equal(t, (a+2*b)/3, f.Diameter())
		if (b-a)%3 == 0 {
			require.Equal(t, a+b, f.Directed())
		} else {
			require.Equal(t, a+b-1, f.Directed())
		}
	}
}

// TestNeighboursOfThePaper: EJ_{3+4rho} as the specification numbers it.
func TestNeighboursOfThePaper(t *testing.T) {
	f := field(t, 3, 4)
	require.Equal(t, [...]int{37, 1, 37, 10}, [...]int{f.size, f.high, f.wide, f.skew})
	require.Equal(t, [6]int32{1, 27, 26, 36, 10, 11}, f.neighbours[0])
}

// search is hops from node 0 along some directions, breadth first.
func search(f *Field, directions ...int) []int {
	hops := make([]int, f.Size())
	queue := []int{0}
	for i := 0; i < len(queue); i++ {
		for _, j := range directions {
			if next := f.Neighbour(queue[i], j); next != 0 && hops[next] == 0 {
				hops[next] = hops[queue[i]] + 1
				queue = append(queue, next)
			}
		}
	}
	return hops
}

// TestResidues: numbers, sums, neighbours and weights of random alphas agree with the definition
// of a residue, and with a search.
func TestResidues(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 30 {
		b := 3 + random.IntN(40)
		a := random.IntN(b + 1)
		f := field(t, a, b)
		node := func(z integer) int { return f.Index(z.x, z.y) }
		for n := range f.Size() {
			z := f.integer(n)
			require.Equal(t, n, node(z))
			u, v := random.IntN(100)-50, random.IntN(100)-50
			require.Equal(t, n, node(integer{z.x + a*u - b*v, z.y + b*u + (a+b)*v}), "multiples of alpha change nothing")
			for j, unit := range units {
				require.Equal(t, node(z.plus(1, unit)), f.Neighbour(n, j))
				require.Equal(t, n, f.Neighbour(f.Neighbour(n, j), Opposite(j)))
			}
			other := random.IntN(f.Size())
			require.Equal(t, node(z.plus(1, f.integer(other))), f.Add(n, other))
			require.Equal(t, n, f.Subtract(f.Add(n, other), other))
		}
		shortest, oriented := search(f, 0, 1, 2, 3, 4, 5), search(f, 0, 2, 4)
		for n := range f.Size() {
			require.Equal(t, shortest[n], f.Weight(n), "alpha = %d + %d*rho, node %d", a, b, n)
			require.Equal(t, oriented[n], f.OrientedWeight(n))
		}
	}
}

// TestStaircases: staircases have exactly one place per residue, including places without a hop.
func TestStaircases(t *testing.T) {
	for b := 1; b <= 30; b++ {
		for a := range b + 1 {
			f, err := Degenerate(a, b)
			require.NoError(t, err)
			for _, s := range []stairs{f.sectors, f.oriented} {
				places := 1
				for _, extents := range s.extents {
					for q, extent := range extents {
						places += extent + 1
						require.True(t, q == 0 || extent <= extents[q-1])
					}
				}
				require.Equal(t, f.Size(), places)
			}
		}
	}
}

// TestRoutes: for every alpha, a route that reduces the residue at each hop arrives after as many
// hops as the norm of the residue.
func TestRoutes(t *testing.T) {
	for b := 1; b <= 12; b++ {
		for a := range b + 1 {
			f, err := New(a, b)
			if err != nil {
				continue
			}
			wide, high, skew := f.Numbering()
			require.Equal(t, f.Index(5, 7), f.Index(5+skew, 7+high))
			require.Equal(t, f.Size(), wide*high)
			for to := range f.Size() {
				left := to
				for hops := f.Weight(to); hops > 0; hops-- {
					require.Equal(t, hops, f.Weight(left), "alpha = %d + %d*rho, to %d", a, b, to)
					left = f.Neighbour(left, Opposite(f.Towards(left)))
				}
				require.Zero(t, left)
			}
		}
	}
}

func TestRefusedAlphas(t *testing.T) {
	for text, alpha := range map[string][2]int{
		"alpha = 0 + 0*rho is zero":                           {0, 0},
		"alpha = 0 + 1*rho has 1 residue,":                    {0, 1},
		"alpha = 1 + 1*rho has 3 residues":                    {1, 1},
		"alpha = 0 + 2*rho has 4 residues":                    {0, 2},
		"alpha = 2 + 1*rho is outside 0 <= a <= b":            {2, 1},
		"alpha = -1 + 3*rho is outside 0 <= a <= b":           {-1, 3},
		"has 16785409 residues; at most 16777216 are allowed": {0, 4097},
		"has 4951760157141591468340674561 residues":           {1, 1 << 46},
	} {
		_, err := New(alpha[0], alpha[1])
		require.ErrorContains(t, err, text)
	}
	f := field(t, 3, 4)
	_, err := NewTorus(f, 0)
	require.EqualError(t, err, "fabric.ej.dims: dims is 0; give 1 or more")
	_, err = NewTorus(f, 6)
	require.EqualError(t, err, "fabric.ej.dims: dims is 6, but 37^6 nodes are more than 2147483647; allowed with this "+
		"alpha are 5 dimensions")
	_, err = NewTorus(f, 5)
	require.NoError(t, err)
}

// TestTorus: neighbours differ in one coordinate, and distances equal those of a search.
func TestTorus(t *testing.T) {
	for _, size := range [][3]int{{1, 2, 3}, {2, 2, 2}, {2, 3, 2}, {0, 3, 3}} {
		net := torus(t, size[0], size[1], size[2])
		hops := make([]int, net.Nodes())
		queue := []int{0}
		for i := 0; i < len(queue); i++ {
			node := queue[i]
			require.Equal(t, hops[node], net.Distance(0, node))
			require.Equal(t, hops[node], net.Distance(node, 0))
			other := queue[i/2]
			require.Equal(t, hops[node], net.Distance(net.Add(other, node), other))
			require.Equal(t, node, net.Subtract(net.Add(other, node), other))
			for k := 1; k <= net.Dims; k++ {
				for j := range 6 {
					next := net.Neighbour(node, k, j)
					require.Equal(t, node, net.Neighbour(next, k, Opposite(j)))
					dim, direction := net.Link(node, next)
					require.Equal(t, [2]int{k, j}, [2]int{dim, direction})
					require.Equal(t, net.Field.Neighbour(net.Coordinate(node, k), j), net.Coordinate(next, k))
					if next != 0 && hops[next] == 0 {
						hops[next] = hops[node] + 1
						queue = append(queue, next)
					}
				}
			}
		}
		require.Len(t, queue, net.Nodes())
	}
}

// TestAbove: quotients by an inverse are those of division, up to the largest node of every size.
func TestAbove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for b := 2; b < 200; b += 1 + b/7 {
		for dims := 1; ; dims++ {
			f, err := New(1, b)
			require.NoError(t, err)
			net, err := NewTorus(f, dims)
			if err != nil {
				break // more than 2^31-1 nodes
			}
			power := 1
			for k := range dims + 1 {
				for range 200 {
					node := r.IntN(net.Nodes())
					node -= node % power // the first of a quotient, and the last one below it
					require.Equal(t, node/power, net.Above(node, k))
					require.Equal(t, (node+net.Nodes()-1)%net.Nodes()/power, net.Above((node+net.Nodes()-1)%net.Nodes(), k))
				}
				power *= net.Size()
			}
		}
	}
}
