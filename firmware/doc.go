// Package firmware runs controller firmware in a wazero sandbox.
//
//	programs/FABRIC/NAME.c --clang--> images/FABRIC/NAME.wasm --embed--> Host.Load -> Image
//	                                                                              |
//	                                                                      Image.NewInstance
//	  memory of one instance:                                                     |
//	  | program | columns | records: state, head of each FIFO | planes: the rest |  Instance
//	              ^ nic.Bank, the host's view
//
// One instance serves a bank of processors (banked) or a single one (isolated):
// the image is the same. A handler that traps harms its own processor; the rest of
// the bank goes on. What runs is a copy of the image, which package wasm has rewritten:
// its globals are state like its memory, its loops can be stopped, its NaNs have the same
// bits everywhere. The SHA-256 is that of the image as it was given.
//
// What an image exports and imports, and in which order it is called, is in ABI.md.
package firmware
