// Package wasm rewrites a firmware image before it runs. The copy computes the same results, but the host can observe
// and stop it.
//
//	image --binary.Parse--> module --analyse--> places to count, globals to restore
//	                           |                          |
//	                           +---------- weave ---------+--> Copy: binary, globals, offsets
//
// Added code:
//
//	global starloom.global[k]   every mutable global, exported under this name
//	import starloom.host.tick   called after TickTurns turns, which are counted at loop heads, at the entry of
//	                            recursive or long functions, and at memory.fill, copy and init
//	global starloom.lap         turns left when the handler of a cell began
//	export starloom.start       the start function, called by the host
//	canonical NaNs              after every scalar or SIMD instruction whose NaN bits the specification leaves open
//	integer selects             in place of selects of floats and vectors, which wazero 1.12.0 compiles incorrectly on
//	                            amd64; Selects does it for modules other than images
//
//	starloom.counter            with RewriteMetered: the cost of each call by a table of instruction classes, with a
//	                            limit
//
//	starloom.drawn, .outcomes   with Additions.Chooses: a draw, for whose outcome starloom_choice asks the host
//
//	starloom.branch, .operand   with Additions.Covers: branches taken and operands of comparisons
//
// Straight code without floats is copied unchanged, except for function numbers, which tick shifts by one, and
// constant addresses, which share one base. In the built-in programs, counting turns costs about 1 % of a slot.
package wasm
