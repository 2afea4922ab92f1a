// Package icarus makes devices of Verilog that Icarus simulates in a process of its own,
// with four states. It needs Linux.
//
//	Device --commands, inputs--> shared memory <--> ../vpi in vvp
//	       <--outputs, X and Z--
package icarus
