// Package verilator makes devices of Verilog and VHDL: Verilator translates, a C++
// compiler does the rest.
//
//	VHDL --ghdl--> Verilog --verilator--> C++ --clang++--> Circuit (wasm) --> Device
//
//	file            what it holds
//	build.go        Build: sources to one wasm file, or what an earlier build has made
//	tools.go        the tools that it needs; target.go: what it compiles for
//	elaboration.go  what an earlier build has read, so that the same design is not read again
//	flat.go         Flatten: a design in one module, as Verilator has elaborated it
//	ghdl.go         VHDL to Verilog; ghdl_verilog.go: what is wrong in GHDL's Verilog is mended or refused
//	verilate.go     builder: one build; running Verilator, what its messages mean; warnings.go: those that matter
//	design.go, xml.go          what Verilator finds out about a design: ports, clocks, files
//	misread.go      what Verilator simulates otherwise than the source says; miswidth.go: by width or sign; effects.go: by calls
//	shell.go        a module with plain ports around one with arrays, interfaces, types; shellports.go: its ports
//	seeing.go       what is built in so that more than ports can be seen; large.go: what is too large for that;
//	                poweron.go: registers that begin as without it
//	glue.go         ../glue, and the part of it that is generated for a design
//	compile.go      C++ of Verilator to a result; scheduler.go: what is changed in it
//	compiler.go     running compiler and linker, what their messages mean
//	headers.go      Verilator's headers as the compiler keeps them
//	wasi.go         the libraries of C++ in WebAssembly
//	description.go  Description: what a result says about itself
//	device.go       results of the glue's functions, and how a device has ended
//	wasm.go, wasm_device.go    Circuit, Load, Open: RTL in wazero; wasm_memory_*.go: its memory
//	wasm_seeing.go  what such a circuit shows and counts
//	backend.go      Wasm: the same as a backend
//
// The tests of this package also hold that all backends, icarus among them, do the same.
package verilator
