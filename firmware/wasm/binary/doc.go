// Package binary reads and writes the binary format of WebAssembly modules: the MVP, sign extension, saturating
// conversions, multiple results, bulk memory and SIMD. It refuses other instructions and reports their offset.
//
//	image --Parse--> Module --Parts, Encode--> image
//	                   +-- Function.Code --Reader.Instruction--> Instruction
package binary
