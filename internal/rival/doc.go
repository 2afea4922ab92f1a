// Command rival measures benchmarks beside those of an earlier commit, on one machine in one sitting.
//
//	git archive COMMIT + benchmarks of today --go test -c--> rival --+
//	working folder ----------------------------go test -c--> now ----+--> rounds: rival, now, rival again --> medians
//
// Every figure of time becomes a line: the rival's median, the median of the rounds' ratios of
// now to it, and that of the rival to itself, which says what a ratio is worth on this machine. `make bench-rival` runs it.
package main
