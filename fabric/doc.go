// Package fabric is what every fabric is: how processors are wired to each other, what
// they have to carry, and what is counted and checked on the way. An author of a network reads
// it, and no engine. Each fabric is a folder below it; a network from Go may be a folder anywhere.
//
//	Network -+- Shape, Names       sizes and paths
//	         +- Programs           what is known of its firmware
//	         +- Referee            what has to arrive where, and what has
//	         +- Wiring, or Fast    whole frames                            -+
//	         +- Build(Plant)       media between transmitters and receivers  +- Transport
//	         |                     of hw and nic, phit by phit             -+
//	         +- abilities          schedules, ROM, RTL of all of it, studies
//
// Both transports give the same frames, statuses and digests; where they differ, the
// cycle engine is right. Package fabrictest is the suite that holds every fabric to that. The engines, and what
// networks share of them, are packages of their own:
//
//	wired       the slot engine of a network by its wiring alone
//	plant       the cycle engine of NICs that keep to slots
//	stream      the cycle engine of NICs at routers
//	flow        what both engines keep of ports between boundaries: credits, switches, answers
//	referees    referees of packets, and who follows frames: held, queues, losses
//	studies     what a study asks for, and its rows
//
//	file             what it holds
//	network.go       Network, Shape, Config; abilities.go: what only some networks can; bare.go: Routers; nic_ports.go: ports of NICs at them
//	names.go         Names: paths; program.go: built-in programs, schedules and tables for firmware
//	wiring.go        Wiring: who drives and who hears each medium
//	plant.go         Plant: the cycle engine as a network sees it; media.go: what a network puts into it; stars.go: passive stars
//	discipline.go    how NICs get at their media, and whom media serve in the slot engine
//	credit_limits.go depth, round trip and resynchronisation, as a scenario gives them; CreditPlan: which ports have them
//	workload.go      what a run has to carry; permutation.go: permutations; traffic.go: packets one after the other
//	duration.go      a time with its unit, and what it is in cycles
//	rules.go         rules; result_rules.go: what results of firmware must be; findings.go: what breaks them, and the words for it
//	transport.go     what carries frames, and when it is called
//	ledger.go        what a shard has seen: counters, digest, arrivals; scan.go: what its handlers have said
//	referee.go       who follows the workload
//	follow.go        every frame of some packets, to find out where they were lost
//	packet_file.go   what has become of each packet, as CSV
//	faults.go        what goes wrong beside the firmware; fault_targets.go: to whom; suffered.go: what that has done
//	results.go       words that firmware gives as its results; results_judged.go: what breaks the rules about them
//	metrics.go       figures of a run
//	meanings.go      what rules, faults and figures mean, from metrics.yaml; Explained: a network that says so
//	example.go       Exemplary: a network that says what a small scenario is
package fabric
