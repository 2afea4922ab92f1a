// Package fabric wires processors to each other: addressing, workloads, what is
// counted and checked on the way, and the two ways to carry frames.
//
//	           +-- SlotTransport: a coupler is a counter and one frame
//	Transport -+
//	           +-- CycleTransport: transmitters, couplers, fibre, receivers of hw and nic
//
// Both give the same frames, statuses and digests; where they differ,
// CycleTransport is right.
//
//	file             what it holds
//	pops.go          POPS(d,g): sizes, numbering, names
//	permutation.go   workloads
//	transport.go     what carries frames, and when it is called
//	slot.go          whole frames, slot by slot
//	slot_small.go    the same for frames that carry at most a packet
//	listened.go      couplers that somebody listens to
//	cycle.go         phits, cycle by cycle
//	rtl.go           RTL in place of couplers and links: what is exchanged, and when
//	sent_sums.go     whether RTL delivers what was sent, for the digest
//	rtl_nic.go       RTL in place of transmitters and receivers
//	rtl_datapath.go  RTL in place of all hardware
//	colouring.go     edge colouring of bipartite multigraphs
//	offline.go       off-line routing: what every processor does in every slot
//	batcher.go       Batcher's merge-exchange as routes
//	adversary.go     two-hops routing and the permutation that defeats it
//	ledger.go        counters, digest, packets on their way, findings for the rules
//	announce.go      deliveries that firmware announces, against what frames have brought
//	follow.go        every frame of some packets, to find out where they were lost
//	held.go          packets that processors hold, as frames show it
package fabric
