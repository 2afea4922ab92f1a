// Package binary reads and writes the binary format of WebAssembly modules: the MVP, sign extension, saturating
// conversions, several results, bulk memory and SIMD. Other instructions are refused with their offset.
//
//	image --Parse--> Module --Parts, Encode--> image
//	                   +-- Function.Code --Reader.Instruction--> Instruction
package binary
