// Package runs runs a Config: once or many times, with repeats that find out more, and writes reports.
//
//	Options --checks--> passes: open, run, repeat, finish --> outcome.Report
//	Batch: a run for each seed, permutation and rate --workers--> tally --> outcome.SeedsReport
//
//	file             what it holds
//	run_options.go   Options, Progress; Run and RunSeeds
//	passes.go        one run and what it is repeated for; what many runs cannot have
//	checkpoint.go    states that are saved and restored; break.go: where a run stops before its end
//	batch.go         Batch: many runs on many machines, taken in their order
//	exhaustive.go    all permutations of a small network
//	tally.go         what is kept of many runs
//	report_files.go  the reports of a run as files
package runs
