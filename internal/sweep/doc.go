// Package sweep runs a scenario at many points: every combination of the values of some keys, each for some seeds.
//
//	plan (file) --elaborate--> cases, checked whole --what is missing--> pool --> folder --> tables
//	                                                        alone: <--- what has ended processes
//
// All runs are in one process: workers take a run at a time, of a point of their own as long as there are any, then of
// points of others, as far as memory goes. What a run finds depends on none of that, and the folder keeps it.
package sweep
