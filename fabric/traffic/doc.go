// Package traffic offers packets to firmware, follows them, and measures how long they take: the workload
// traffic, on every fabric. What is sent is a function of workload, seed and processor alone; carrying it is
// the firmware's.
//
//	draws --> sources --word of the schedule--> firmware --frames--> referee --> figures
//	          (cursors)  <------cleared--------                     (flights)     log
//
// Time counts in slots, in a streaming network in cycles. A packet is created at the beginning of a slot, and is
// offered at the first boundary not before that, one at a time: while the word of a source is not cleared,
// the packets created since wait. The queue is two cursors, at what is created next and at what is offered
// next, so that it takes the same memory whatever its length: what the second one passes is drawn again.
//
//	file         what it holds
//	spec.go      Spec: the keys with what they leave open, and what is wrong with them
//	arrivals.go  when packets are created
//	pattern.go   where they go
//	draws.go     Draws: all of it, packet by packet
//	sources.go   the cursors of a shard's sources, who creates in a slot; offer.go: what is offered
//	flights.go   packets from the first offer to the last frame
//	referee.go   Referee: what frames show of packets; arriving.go: those that have not all come
//	figures.go   latencies, queues, loads; report.go: the metrics that a report has of them
//	memory.go    how much all of this takes
//	log.go       packets that are over; packets.go: the file of all packets; file.go: packets from a file
//	bare.go      Bare: the packets of routers without firmware, and their figures
//	frames.go    figures of frames between processors at routers; loads.go: those of channels
//	window.go    what a run shows of its window: whether packets have arrived, whether the network is saturated, notes
//	judge.go     rules of packets: latency_max, deadline_slots, in_order
//	meanings.go  what the figures of traffic mean, from metrics.yaml
package traffic
