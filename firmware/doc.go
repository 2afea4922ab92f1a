// Package firmware runs controller firmware in a wazero sandbox.
//
//	programs/FABRIC/NAME.c --clang--> images/FABRIC/NAME.wasm --embed--> Host.Load -> Image
//	                                                                                   |
//	                      memory of one instance:                              Image.NewInstance
//	                      | program | columns | records: state, RX FIFO, TX FIFO |      |
//	                                  ^ nic.Bank, the host's view                   Instance
//
// One instance serves a bank of processors (banked) or a single one (isolated):
// the image is the same. A handler that traps harms its own processor; the rest of
// the bank goes on. What runs is a copy of the image, which package wasm has rewritten:
// its globals are state like its memory, its loops can be stopped, its NaNs have the same
// bits everywhere. The SHA-256 is that of the image as it was given.
//
// What an image exports (every argument and result is an i32):
//
//	starloom_abi() version              starloom_attach(cells, payload_bytes, rx_frames, tx_frames) descriptor
//	starloom_start(count)               starloom_slot(count, slot)
//	memory                              __stack_pointer (optional: see wasm.Global)
//	starloom_probe_names() list         starloom_param_names() list (optional)
//	starloom_choice(i, t, g, d) group   (optional: two-hops firmware, for its adversary)
//
// and all it may import, from the module "starloom":
//
//	log(text, bytes)    probe(signal, i64 value)    fail(code)    deliver(origin)
//
//	file                    what it holds
//	sdk/starloom.h          the SDK: handlers of one processor become loops over a bank
//	sdk/starloom_registers.h  the register map (generated)
//	programs/               sources of the built-in programs
//	images/                 their images, rebuilt and compared by a test
//	programs.go             the embedded images
//	build.go, inspect.go    `starloom firmware build` and `inspect`
//	wasm/                   the rewriter
//	host.go                 load, check and compile images; when they must stop
//	imports.go              log, probe, fail and deliver
//	instance.go             a bank's handlers, traps
//	slab.go                 memory whose address never changes
//	native.go               firmware in Go over the same ABI: yardstick and second opinion
package firmware
