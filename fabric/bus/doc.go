// Package bus is the bus network: vertices, and buses that are sets of them.
//
//	        vertex 0   vertex 1   vertex 2   vertex 3
//	           |          |          |          |         each on one bus in a slot
//	bus 0   ---+----------+----------+-------------------
//	bus 1   --------------+---------------------+--------
//	bus 2   --------------------------+---------+--------
//
// A frame that a vertex sends on a bus reaches all that listen to it. Two frames on one bus are
// lost, unless an arbiter lets one of them wait.
//
//	file          what it holds
//	network.go    Network: sizes, names, limits
//	plan.go       Plan: which buses a schedule uses, and which taps a vertex has
//	schedule.go   what the vertices do in each slot of a gossip
//	programs.go   the programs, their rules and what they need
//	gossip.go     the referee of gossip: what every vertex knows
//	waiting.go    Waiting: how long frames have waited at each tap
//	study.go      what is published of gossip on buses; study_runs.go: the runs beside it
//	gossip/       its arithmetic: schedules, lengths, bounds, the shortest ones, run-tables
//	meanings.go   what figures of runs and studies mean, from metrics.yaml
//	example.go    a small scenario of each program, for those who begin
package bus
