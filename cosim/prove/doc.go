// Package prove proves that RTL equals the Verilog twin of its model, cycle by cycle, for all inputs, or finds inputs
// with a difference.
//
//	twin --\
//	        miter (Verilog) --yosys--> graph (AIGER) --abc--> proved | counterexample --lockstep--> case
//	RTL ---/    ^                        |
//	         pin map                  simulated beside model and RTL
//
// The miter has an output for each compared bit. It is 1 where both sides differ in a cycle with reset off. Reset is
// on in the first cycle and free afterwards. Registers start at any value; X and undriven nets have any value in
// every cycle. No tool may choose free values (see sideScript).
//
// A verdict rests on Yosys' reading of both sides (the miter is simulated beside model and RTL), on the engines (a
// counterexample is simulated, then replayed in lockstep; they must refute the miter with a bit inverted), and on the
// assumptions that the report lists. A counterexample that does not replay leaves the proof undecided.
package prove
