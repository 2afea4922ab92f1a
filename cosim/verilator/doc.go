// Package verilator builds devices from Verilog and VHDL with Verilator and a C++ compiler.
//
//	VHDL --ghdl--> Verilog --verilator--> C++ --clang++--> Circuit (wasm) --> Device
//
// Its tests also verify that all backends, Icarus included, behave alike.
package verilator
