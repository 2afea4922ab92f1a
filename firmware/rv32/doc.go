// Package rv32 runs programs for RV32I, RV32IM and RV32IMC processors in the sandbox for WebAssembly images.
//
//	ELF --Load--> Program --Image--> WebAssembly image with the instructions' costs
//	                 |                    = shim/shim.wasm (entry points of the ABI, the NIC's window)
//	                 |                    + a function for each function of the program
//	                 +-----NewProcessor--> interpreter: the reference
//
// A processor keeps its registers and its RAM in its own record; text and constants are shared. A translated function
// has the type (pc, state) -> pc and holds the registers in locals. It returns the address of the next instruction,
// or an odd address if the processor waits (wfi).
//
//	loop          a loop of WebAssembly, unless control enters it at a second place
//	other jumps   br_table over the entries of the function
//	other places  cold code: every instruction is an entry of a slow translation
//	calls         calls; a return to another address than that of the caller goes back to the dispatcher
//
// The code contains the cost of each block of instructions as a constant that no instruction uses; see wasm.Costs.
package rv32
