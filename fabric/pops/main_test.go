package pops

import "flag"

var full = flag.Bool("full", false, "run the long tests")

// filled returns a permutation of a kind.
func filled(n int, fill func([]uint32)) []uint32 {
	p := make([]uint32, n)
	fill(p)
	return p
}
