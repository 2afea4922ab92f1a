// Package pops is POPS(d,g), the partitioned optical passive star network of A. Mei and R.
// Rizzi, "On-Line Permutation Routing in Partitioned Optical Passive Star Networks": d
// processors in each of g groups, and a star coupler from every group to every group.
//
//	group a                    coupler (a,b)              group b
//	transmitter, any port b -> light of all d meets -> fibre -> receiver, any port a
//
//	file             what it holds
//	network.go       sizes, numbering, names
//	hardware.go      the wiring of the cycle engine
//	twin.go          the whole datapath as RTL
//	slot.go          the slot engine: whole frames; slot_small.go: those of a packet at most
//	listened.go      couplers that somebody listens to
//	programs.go      what is known of the programs: rules, workloads, schedules, notes
//	referee.go       the two-hops class: free acknowledgement, the adversary's workload
//	offline.go       off-line routing: what every processor does in every slot
//	colouring.go     edge colouring of bipartite multigraphs, for it
//	batcher.go       Batcher's merge-exchange as routes
//	adversary.go     two-hops routing and the permutation that defeats it
//	native_random.go a program in Go, the yardstick of the sandbox
//	study.go         Tables I and II, Figure 3, the lower bound; study_tables.go: their figures;
//	study_plots.go   as curves
//	benchmarks/      a C++ simulator with an object for every processor, to compare with
//	meanings.go      what the figures of its study mean, from metrics.yaml
//	example.go       a small scenario of each program, for those who begin
package pops
