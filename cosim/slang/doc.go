// Package slang reads SystemVerilog with Yosys and its reader slang, which share no code with Verilator or Icarus. It
// writes a design as one module of plain Verilog.
//
//	source --slang--> processes --proc, pmuxtree--> netlist --write_verilog--> plain Verilog
//
// Yosys is the WebAssembly of an npm package, which the user installs, and runs in the process without Node. It sees
// the files of the machine, but writes only into a temporary folder.
package slang
