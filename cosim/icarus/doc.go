// Package icarus makes devices of Verilog that Icarus simulates in a process of its own,
// with four states. It needs Linux.
//
//	Device --commands, inputs--> shared memory <--> ../vpi in vvp
//	       <--outputs, X and Z--
//
//	file               what it holds
//	device_linux.go    Open: the device, its faults
//	build_linux.go     running iverilog, and the module that vvp loads
//	design_linux.go    system tasks of the compiled design, the folder that it runs in
//	memory_linux.go    the shared memory, as ../vpi/cosim.c describes it
//	process_linux.go   the simulator's process
//	trace_linux.go     what is inside of a circuit: ../vpi/trace.c
//	backend.go         Backend
//	other.go           Open on other systems
package icarus
