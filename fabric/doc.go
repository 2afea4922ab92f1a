// Package fabric is what every fabric is: how processors are wired to each other, what
// they have to carry, what is counted and checked on the way, and the two ways to carry
// frames. Each fabric is a folder below it; a network from Go may be a folder anywhere.
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
// Plant is right. Package fabrictest is the suite that holds every fabric to that.
//
//	file             what it holds
//	network.go       Network, Shape, Config; abilities.go: what only some networks can; bare.go: Routers; nic_ports.go: ports of NICs at them
//	channel_loads.go flits that have crossed the channels between routers
//	names.go         Names: paths; program.go: built-in programs, schedules and tables for firmware
//	wiring.go        Wiring: who drives and who hears each medium; wiring_of.go: that of a network; slot_transport.go: the slot engine of a
//	                 network by its wiring alone, and what faster ones are compared with; slot_small.go: its frames of one packet
//	workload.go      what a run has to carry; permutation.go: permutations; traffic.go: packets one after the other
//	duration.go      a time with its unit, and what it is in cycles
//	rules.go         rules; result_rules.go: what results of firmware must be; findings.go: what breaks them, and the words for it
//	transport.go     what carries frames, and when it is called
//	discipline.go    how NICs get at their media: one_port.go, all_ports.go, addressed.go,
//	                 switched.go, mixed.go; access.go: the half of each in a plant;
//	                 requests.go: what those that ask share; server.go: whom media serve, in the slot engine
//	plant.go         a plant as networks see it; cycle_plant.go: the hardware of the cycle engine; media.go: what a network puts into it
//	plant_build.go   what its Build needs of a plant; plant_stars.go: passive stars; plant_receive.go: what receivers tell
//	plant_watch.go   collisions, late light, frames that are foreseen
//	joint.go         Joint: a Plant and a Stream whose cycles run together
//	switches.go      where the one switch of a NIC is in a slot, and the rules of that
//	credits.go       how many frames of a port may wait at its receiver
//	credit_limits.go depth, round trip and resynchronisation, as a scenario gives them
//	credits_state.go what a saved state holds of credits, and whether none is missing
//	answer.go        what becomes of a frame whose NIC asks before it sends
//	hardware.go      Hardware: what carries frames in the cycle engine, a Plant or a Stream
//	packet_file.go   what has become of each packet, as CSV
//	stream.go        the hardware of processors at routers; stream_knots.go: frames that wait for one another; stream_log.go: a row for each frame, latencies;
//	                 stream_taken.go: which frames of TX FIFOs it has;
//	                 router_faults.go: what faults do to channels and routers, what stands; stream_faults.go: to frames
//	rtl.go           who puts RTL in the place of that hardware; datapath.go: all of it as one
//	                 component
//	sent_sums.go     whether RTL delivers what was sent, for the digest
//	ledger.go        what a shard has seen: counters, digest, arrivals; scan.go: what its handlers have said
//	onlooker.go      who draws what a shard sees
//	referee.go       who follows the workload
//	packets.go       the referee of packets, announced deliveries included; packet.go: one in a frame
//	told.go          the referee of a packet of each processor for all others
//	follow.go        every frame of some packets, to find out where they were lost
//	lost.go          why a frame was lost; queues.go: how long it has waited
//	held.go          packets that processors hold, as frames show it; order.go: which of them have come in order
//	faults.go        what goes wrong beside the firmware; fault_targets.go: to whom; suffered.go: what that has done
//	results.go       words that firmware gives as its results; results_judged.go: what breaks the rules about them
//	metrics.go       figures of a run
//	study.go         what a study asks for, and its rows
//	study_parts.go   the cases of a study, and the published figures that it compares with
//	meanings.go      what rules, faults and figures mean, from metrics.yaml; Explained: a network that says so
//	example.go       Exemplary: a network that says what a small scenario is
package fabric
