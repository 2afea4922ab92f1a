// Package rounded has elementary functions with identical bits on all architectures.
//
// Package math does not guarantee that: some functions are in assembly, and the compiler may fuse a product and a
// sum, which rounds once instead of twice. These functions compute with more digits than a float64, in integers, and
// round once at the end. They take some microseconds: use them for figures of reports, not in inner loops.
package rounded
