// Package verilator makes devices of Verilog and VHDL: Verilator translates, a C++
// compiler does the rest.
//
//	VHDL --ghdl--> Verilog --verilator--> C++ --clang++--> Circuit (wasm) --> Device
//
// The tests of this package also hold that all backends, icarus among them, do the same.
package verilator
