// Package wasm rewrites a firmware image before it runs. The copy computes what the
// image computes; it also lets the host see and stop what it otherwise could not.
//
//	image --parse--> module --analyse--> where to count, what is given back
//	                    |                          |
//	                    +---------- weave ---------+--> Copy: binary, globals, offsets
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
//
//	file          what it holds
//	reader.go     the format's numbers, names and vectors
//	module.go     sections, read and written
//	code.go       instructions: MVP, sign extension, saturating conversions, several
//	              results, bulk memory, SIMD; others are refused with their offset
//	limits.go     what would take the compiler minutes or gigabytes
//	cost.go       where turns are counted: loops, recursion, long functions
//	bounds.go     bounds of the cost of a function, without running it
//	trips.go      how often a counted loop turns
//	static.go     what an image holds and may cost, for people
//	laps.go       where the turn of a cell begins
//	operands.go   the stack of operands, as far as an analysis knows it
//	stack.go      the globals that every function gives back: stack pointers
//	types.go      the types of operands
//	select.go     selects of floats as selects of their bits
//	copy.go       what is known of a copy, and the names that it has for the host
//	copier.go     instructions whose functions have moved
//	weaver.go     functions on their way into a copy; locals that are added
//	rewrite.go    the copy is made
//	addresses.go  loads from constant addresses: one base, one check
//	classes.go    classes of instructions, and tables of their costs
//	meter.go      the counter of costs
//	entry.go      entry points that are called for each cell alone, and read once for all
//	flow.go       what code does with its locals, and where it stores
//	cover.go      branches and comparisons
//	places.go     source lines: offsets of the copy, looked up in the image's own DWARF
//	sourcemap.go  the same of an image without: those of the source map that it names
//	variables.go  static variables by their address, from the same
package wasm
