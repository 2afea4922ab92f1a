// Package hw is the hardware under everything: the clock, the kernel with its
// three phases, wires, passive star couplers, buses, fibres, and the means to name,
// watch, save and restore them. It knows neither fabrics nor frames.
//
//	          Drive                Settle               Latch
//	registers -----> wires (Light) -----> wires (Light) -----> registers
//	transmitters             StarCouplers         Fibre, receivers
//	     ^                                    |          |
//	     |                        Probes sample here     |
//	     +-----------------------------------------------+
//	                     next cycle (Clock)
//
// A Kernel runs the phases over all components and shards, and skips the cycles in which
// all of them are quiet; Workers spread the shards over the cores; StateVisitor carries
// registers to a file and back. A component declares its registers once (Registers: reset,
// saved state, probes follow) and its ports once (Site: RTL in its place and beside it
// follow).
//
//	file         what it holds
//	kernel.go    Clock, Wire, Component, Kernel: phases, order, checks of the wiring; Quiet
//	fault.go     Fault: a broken invariant, with path and cycle
//	registers.go Registers: what a component declares of its registers
//	site.go      Site: what a component declares of its ports; Pins
//	gather.go    Gather: wiring between banks of different shape
//	workers.go   Workers: persistent worker pool with a barrier
//	shard.go     Shard, Shards: who computes what; Bank: names of an array's elements
//	light.go     Light: dual-rail optical wires; PortSelect
//	coupler.go   StarCouplers: passive star couplers; coupler_drawn.go: wired as drawn; violations.go: where frames have met
//	bus.go       Buses, ArbitratedBuses: buses with taps; taps.go: Taps: which tap is whose
//	duplex_link.go             DuplexLinks: links between two ends, half or full duplex
//	fibre.go     Fibre: propagation delay
//	light_tap.go LightTap: where faults act on the light that reaches receivers
//	signal.go    Signal: plain electrical wires
//	requests.go  Requests: request lines of arbiters, those that are high
//	arbiter_kinds.go  kinds of arbiters, and what each works for
//	arbiter.go   Arbiters: fixed priority, round robin, matrix, TDMA
//	allocator.go ListMatching: one slot of matching by lists of addressees
//	list_allocator.go          ListAllocators: the same as hardware, one input in a cycle; Lists
//	cap_arbiter.go             CapMatching, CapArbiters: the transfers that a slot may have
//	contention.go              ContentionMatching, Contentions: a medium without an arbiter
//	asks.go      Asks: what transmitters ask for; filter.go: Filters; crosspoint.go: Crosspoints;
//	             output_port.go: OutputPorts, a filter and its arbiter as one component
//	coin.go      Toss, Coins: who transmits on it, with probability 1/count
//	router.go    Routers: virtual channels, credits, wormhole; router_allocate.go: a cycle of one on masks;
//	             router_wide.go: the same on lists; router_config.go: RouterConfig;
//	             router_wiring.go: RouterGraph, RouteTable; router_network.go: RouterNetwork, all of one; router_memory.go: what it takes;
//	             router_knots.go: who waits for whom;
//	             router_faults.go: RouterFaults, from outside; router_standing.go: what stands, which credits are lost;
//	             router_signals.go: RouterSignals, what waveforms show; router_crossings.go: Crossings, which channels carry flits;
//	             router_site.go: the ports of one, NewRouter: one alone; router_pins.go: what is there
//	flits.go     Flit, Flits: registers on the way; credit_wires.go: CreditWires; channel.go: what both are
//	packets.go   Packets: bare packets; packet_source.go: PacketSources; packet_sink.go: PacketSinks;
//	             packet_feed.go: FedNetwork, whose packets come and go while it runs; packet_eject.go: sinks that firmware empties
//	fifo.go      FIFOs
//	credit_counter.go          CreditCounters: the places that are free at a receiver
//	lfsr.go      LFSRs: the random register of a NIC
//	bits.go      packed vectors: the ports of RTL
//	set.go       sets of numbers that cost what is in them
//	probe.go     Probe: a signal that a trace may follow; cells.go: Cells: every register of a component
//	path.go      the grammar of names; path_scan.go: what breaks it; pattern.go: globs over them
//	memory_linux.go, huge_linux.go (memory_other.go, huge_other.go: elsewhere)  main memory, huge pages
//	state.go     Save, Restore, StateVisitor
//	random.go    Stream: counter-based randomness
package hw
