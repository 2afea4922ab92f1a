// Package sweep runs a scenario at many points: every combination of the values of some keys, each for some seeds.
//
//	plan (file) --elaborate--> cases, checked whole --what is missing--> pool --> folder --> tables
//	                                                        alone: <--- what has ended processes
//
// All runs are in one process: workers take a run at a time, of a point of their own as long as there are any, then of
// points of others, as far as memory goes. What a run finds depends on none of that, and the folder keeps it.
//
//	file         what it holds
//	sweep.go     Run: from a file to the report; options.go: how
//	case.go      Case: what a point runs; its key, its memory, which of its runs are missing
//	files.go     hashes of the files that results depend on
//	pool.go      workers, and which point each of them runs
//	job.go       the runs of one point
//	alone.go     points that have ended processes, each in a process of its own
//	adaptive.go  one axis is bisected, for each combination of the others
//	cluster.go   points run by the jobs of a cluster; times.go: how long they are likely to take
//	report.go    Report: what was run, and what could not be
//	page.go      the report as a page for a browser
package sweep
