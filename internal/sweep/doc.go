// Package sweep runs a scenario at many points: every combination of the values of some keys, each with some seeds.
//
//	plan (file) --elaborate--> checked cases --missing runs--> pool --> folder --> tables
//	                                                  alone: <--- points that ended processes
//
// All runs share one process. Each worker takes one run at a time, first from a point of its own, then from points of
// others as far as memory allows. Results do not depend on that; the folder keeps them.
package sweep
