// Package prove proves that RTL equals the twin of the model that it stands for, cycle by cycle, for
// all inputs, or finds inputs for which it does not.
//
//	twin --\
//	        miter (Verilog) --yosys--> graph (AIGER) --abc--> proved | counterexample --lockstep--> case
//	RTL ---/    ^                        |
//	         pin map                  simulated beside model and RTL
//
// The miter has one output for each bit that is compared: 1 where both sides differ in a cycle in which
// reset is off. Reset is on in the first cycle and free after it. Registers begin with any value; what is X or
// undriven has any value in every cycle. Nothing that could be free is chosen by a tool: see sideScript.
//
// A verdict rests on: Yosys' reading of both sides (the same miter is simulated beside model and RTL), the
// engines (a counterexample is simulated, then replayed in lockstep; the miter with a bit inverted must
// be refuted), and what the report lists. What does not replay is undecided.
package prove
