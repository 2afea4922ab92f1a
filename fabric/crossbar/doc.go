// Package crossbar is the fabric of gossiping and scattering: a port per processor, both ways,
// and arbiters that decide in each slot who is served.
//
//	processor i --asks--> filter of output q --request--> arbiter of q --grant--+
//	            --light--------------------------------------------------> crosspoint --> output q --> link --> processor q
//
// A NIC asks for the output of its frame's destination, with the frame's tag, or for those of a
// request list. Who is not served is blocked, keeps its frame, and asks again in the next slot.
//
//	file          what it holds
//	network.go    sizes, defaults, names
//	programs.go   programs, their rules and what they want of the network
//	gossip.go     the workload of gossip: orders as ROM, its referee
//	scatter.go    the referee of scattering; turns.go: whose turn it is, slot by slot
//	voting.go     modules and voters: faults, agreement and validity
//	hopfield.go   an associative memory: patterns, starts, energy
//	values.go     what both take from a file or draw
//	study_*.go    the studies gossip and scatter, and the figures that they repeat
//	gossip/       arithmetic of gossip: orders, closed forms, run-tables, search
//	scatter/      arithmetic of scattering: exact laws, mean field
//	meanings.go   what figures of runs and studies mean, from metrics.yaml
//	example.go    a small scenario of each program, for those who begin
package crossbar
