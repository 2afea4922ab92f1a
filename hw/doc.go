// Package hw is the foundation of all fabrics: the clock, the kernel with its three phases, wires, passive star
// couplers, buses and fibres, and the means to name, watch, save and restore them. It does not depend on fabrics or
// frames.
//
//	         Drive                Settle               Latch
//	registers -----> wires (Light) -----> wires (Light) -----> registers
//	transmitters             StarCouplers         Fibre, receivers
//	     ^                                    |          |
//	     |                        Probes sample here     |
//	     +-----------------------------------------------+
//	                     next cycle (Clock)
//
// A Kernel runs the phases over all components and shards and skips cycles in which all are quiet. Workers distribute
// the shards over the cores. StateVisitor saves and restores registers. A component declares its registers once, for
// reset, saved state and probes (Registers), and its ports once, for RTL in its place or beside it (Site).
package hw
