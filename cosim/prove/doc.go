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
//
//	file         what it holds
//	prove.go     Run: one proof; options.go: Options; stopwatch.go: what bounds the steps before and after the engines
//	miter.go     the miter as Verilog, with the wiring of the pin map
//	contract.go  what the map assumes, and when outputs count, in it
//	build.go     both sides read, and the graph of both
//	yosys.go     what Yosys is told
//	audit.go     what a graph with one clock does not show, and is refused
//	aiger.go     graphs: AIGER, cones, simulation
//	agree.go     the miter beside model and RTL on random inputs
//	begin.go     the graph after its first cycle, in which reset is on
//	views.go     what the twin shows of its state for a proof, and registers that are the same
//	reach.go     inputs for branches that the second simulator has not taken
//	classes.go   cones that are alike
//	race.go      which engine gets which outputs, for how long; engines.go: the engines
//	look_on.go   what is tried after a counterexample that lockstep does not show, and on what it rests
//	report.go    Report: the verdict, as text and JSON
//	cache.go     what earlier proofs have decided; folder.go: what repeats a proof
package prove
