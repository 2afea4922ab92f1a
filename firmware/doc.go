// Package firmware runs controller firmware in a wazero sandbox.
//
//	programs/FABRIC/NAME.c --clang--> images/FABRIC/NAME.wasm --embed--> Host.Load -> Image
//	                                                                              |
//	                                                                      Image.NewInstance
//	  memory of one instance:                                                     |
//	  | program | columns | records: state, head of each FIFO | planes: the rest |  Instance
//	              ^ nic.Bank, the host's view
//
// One instance serves a bank of processors (banked) or a single processor (isolated), with the same image. A trap in
// a handler disables only its own processor. The executed code is a copy of the image rewritten by package wasm:
// globals are state, loops can be stopped, NaNs have the same bits on every platform. The SHA-256 is that of the
// original image.
//
// ABI.md defines exports, imports and the order of calls.
package firmware
