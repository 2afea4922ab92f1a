package booksim

import "slices"

// random is the generator ran_array of D. E. Knuth, Seminumerical Algorithms, third edition, section 3.6: x[j] =
// x[j-100] - x[j-37] mod 2^30. Of every 1009 numbers, the first 100 are used.
type random struct {
	state [randomLong]int
	left  []int // numbers that are still to be used
}

const (
	randomLong    = 100
	randomShort   = 37
	randomModulus = 1 << 30
	randomQuality = 1009
	randomApart   = 70
)

// randomUnseeded is the seed of a generator that draws before it is seeded.
const randomUnseeded = 314159

// newRandom starts the generator, as in exercise 3.6-9: the state is a polynomial, z^(2^70 + seed) in effect, modulo
// z^100 + z^37 + 1.
func newRandom(seed int) *random {
	var x [2*randomLong - 1]int
	word := (seed + 2) & (randomModulus - 2)
	for j := range randomLong {
		x[j] = word
		if word <<= 1; word >= randomModulus {
			word -= randomModulus - 2
		}
	}
	x[1]++
	for word, left := seed&(randomModulus-1), randomApart-1; left > 0; {
		for j := randomLong - 1; j > 0; j-- {
			x[2*j], x[2*j-1] = x[j], 0
		}
		for j := 2*randomLong - 2; j >= randomLong; j-- {
			x[j-(randomLong-randomShort)] = below(x[j-(randomLong-randomShort)] - x[j])
			x[j-randomLong] = below(x[j-randomLong] - x[j])
		}
		if word&1 == 1 {
			copy(x[1:randomLong+1], x[:randomLong])
			x[0] = x[randomLong]
			x[randomShort] = below(x[randomShort] - x[randomLong])
		}
		if word > 0 {
			word >>= 1
		} else {
			left--
		}
	}
	r := &random{}
	copy(r.state[randomLong-randomShort:], x[:randomShort])
	copy(r.state[:], x[randomShort:randomLong])
	for range 10 {
		r.array(2*randomLong - 1)
	}
	return r
}

func below(n int) int { return n & (randomModulus - 1) }

// array returns n numbers and advances the state by n.
func (r *random) array(n int) []int {
	all := append(make([]int, 0, n+randomLong), r.state[:]...)
	for j := randomLong; j < n+randomLong; j++ {
		all = append(all, below(all[j-randomLong]-all[j-randomShort]))
	}
	copy(r.state[:], all[n:])
	return all[:n]
}

// draw returns a number from 0 to n-1.
func (r *random) draw(n int) int {
	if len(r.left) == 0 {
		r.left = r.array(randomQuality)[:randomLong]
	}
	drawn := r.left[0]
	r.left = r.left[1:]
	return drawn % n
}

// permutation returns the destinations of BookSim's pattern randperm for a seed: number i goes to a drawn one of the
// places that are still empty.
func permutation(nodes, seed int) []int {
	r, all, empty := newRandom(seed), make([]int, nodes), make([]int, nodes)
	for i := range empty {
		empty[i] = i
	}
	for i := range nodes {
		at := r.draw(len(empty))
		all[empty[at]] = i
		empty = slices.Delete(empty, at, at+1)
	}
	return all
}
