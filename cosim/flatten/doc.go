// Package flatten converts a design in any language that Verilator or GHDL reads to one module of plain Verilog with
// the same ports, the print. Tools such as Yosys read only plain Verilog.
//
//	VHDL --ghdl--> Verilog --verilator--> tree --Print--> Module --Compare--> 10,000 equal cycles
//
// Verilator resolves parameters, types, generate, packages and interfaces; inlines instances, functions and tasks;
// and annotates every operation with its width. The remaining processes are executed symbolically here, once, which
// yields an expression for every bit that they write:
//
//	if, case        multiplexers
//	loops           unrolled; their bounds must be constants or follow from them
//	break, return   states that merge at the target of the jump
//	a[i] = x        every element that i may select, or a shifted mask
//	reset           the process runs once with reset on and once off; reset values must be constants
//	initial         power-on values; constants for variables with no other writes
//
// X in the source stays X in the print, as an undriven wire for each place (an index beyond the end, a division by
// zero, an undriven bit): a proof must hold for both values. Constructs without a circuit are rejected with their
// place.
//
// Verilator hides some X: it truncates an index to the bits that valid elements need (prepare.go reads the tree
// before that), folds constants, turns Z into 0, keeps one of several drivers, takes a branch of a generate whose
// condition is X, and evaluates constant functions with truncated indexes. Such cases are rejected with their place
// (refusals.go).
//
// The rest of the elaboration by Verilator and GHDL is trusted.
package flatten
