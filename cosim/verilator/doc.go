// Package verilator makes devices of Verilog and VHDL: Verilator translates, a C++
// compiler does the rest.
//
//	VHDL --ghdl--> Verilog --verilator--> C++ --clang++--> Circuit (wasm) --> Device
//	                                          \--g++-----> Shared (.so) ----> Device
//
//	file            what it holds
//	build.go        Build: sources to one wasm file, or what an earlier build has made
//	elaboration.go  what an earlier build has read, so that the same design is not read again
//	run.go          running Verilator and the compiler, what their messages mean
//	warnings.go     those of Verilator that matter
//	ports.go, xml.go           what Verilator finds out about a design: ports, clocks, files
//	glue.go         the generated part of ../glue
//	headers.go      Verilator's headers as clang keeps them
//	ghdl.go         VHDL to Verilog
//	wasi.go         the libraries of C++ in WebAssembly
//	device.go       what the two devices below have in common
//	wasm.go, wasm_device.go    Circuit, Load, Open: RTL in wazero; wasm_memory_*.go: its memory
//	shared.go       BuildShared, OpenShared: RTL as a native library (build tag shared);
//	                shared_off.go: without the tag
//	backend.go      Wasm, Native: both as backends
//
// The tests of this package also hold that all backends, icarus among them, do the same.
package verilator
