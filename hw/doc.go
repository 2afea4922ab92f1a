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
package hw
