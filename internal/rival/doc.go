// Command rival compares benchmarks with those of an earlier commit on one machine in one session.
//
//	git archive COMMIT + today's benchmarks --go test -c--> rival --+
//	working folder ---------------------------go test -c--> now ----+--> rounds: rival, now, rival again --> medians
//
// It prints a line for every time: the rival's median, the median of the rounds' ratios of now to it, and that of the
// rival to itself, which shows the noise of a ratio on this machine. `make bench-rival` runs it.
package main
