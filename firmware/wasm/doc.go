// Package wasm rewrites a firmware image before it runs. The copy computes what the
// image computes; it also lets the host see and stop what it otherwise could not.
//
//	image --binary.Parse--> module --analyse--> where to count, what is given back
//	                           |                          |
//	                           +---------- weave ---------+--> Copy: binary, globals, offsets
//
// What is put in:
//
//	global starloom.global[k]   every mutable global, exported under this name
//	import starloom.host.tick   called when TickTurns turns were counted: at the head of
//	                            every loop, at the entry of functions that may call
//	                            themselves or are long, at memory.fill, copy and init
//	global starloom.lap         how many turns were left when the handler of a cell began
//	export starloom.start       the start function, which the host calls itself
//	canonical NaNs              after every instruction, scalar or SIMD, whose NaN may
//	                            have any bits by the specification
//	selects of integers         in the place of those of floats and vectors, which wazero 1.12.0
//	                            compiles wrongly on amd64; Selects does it for other modules than images
//
//	starloom.counter            only if RewriteMetered asks: what each call costs, by a table of
//	                            costs of the classes of instructions, with a limit
//
//	starloom.branch, .operand   only if RewriteCovered asks: which branches were taken, and what was
//	                            compared
//
// Straight code without floats is copied byte by byte, apart from the numbers of
// functions, which tick moves by one, and from constant addresses, which get one base. On the
// built-in programs counting turns costs about 1 % of a slot.
package wasm
