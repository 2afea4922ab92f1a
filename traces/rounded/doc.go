// Package rounded has elementary functions that give the same bits on every architecture.
//
// Those of package math do not: some are in assembly, and the compiler fuses a product with a sum
// where an architecture can, which rounds once instead of twice. Here they are computed with more
// digits than a float64 has, in integers, and rounded to the nearest float64 at the end. They take
// some microseconds: they are for figures of reports, not for inner loops.
package rounded
