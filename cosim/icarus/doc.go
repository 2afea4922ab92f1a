// Package icarus simulates Verilog with Icarus in a separate process, with four states. It requires Linux.
//
//	Device --commands, inputs--> shared memory <--> ../vpi in vvp
//	       <--outputs, X and Z--
package icarus
