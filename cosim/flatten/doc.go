// Package flatten prints a module in any language that Verilator or GHDL reads as one module of
// plain Verilog with the same ports, for tools that read nothing else, such as Yosys.
//
//	VHDL --ghdl--> Verilog --verilator--> tree --Print--> Module --Compare--> the same in 10,000 cycles
//
// Verilator resolves parameters, types, generate, packages and interfaces, and inlines instances,
// functions and tasks; it says how wide every operation is. What it leaves, processes, is run
// here once with symbols for values, until there is an expression for every bit that is written:
//
//	if, case        multiplexers
//	loops           unrolled: their ends must be constants, or follow from them
//	break, return   states that merge where the jump arrives
//	a[i] = x        every element that i may choose, or a shifted mask
//	reset           the process runs once with it on and once off: its values must be constants
//	initial         values at power-on; what nothing else writes is a constant
//
// What is X in the source stays X (an index beyond the end, a division by zero, a bit that nothing
// drives): a proof must hold for both values. What a circuit cannot have is refused with its place.
//
// In the print X is a wire that nothing drives, one for each place. Verilator hides some: it cuts an index to the bits that all
// elements need (the tree before that has it whole: prepare.go), folds what it knows, makes 0 of Z, keeps one of several drivers,
// decides what X chooses in generate, and computes constant functions with cut indexes: refused, with the place (refusals.go).
//
// What is taken on trust is the rest of Verilator's elaboration, and GHDL's before it.
package flatten
