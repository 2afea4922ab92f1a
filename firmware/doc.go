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
//
//	file                    what it holds
//	ABI.md                  what an image must be
//	abi.go                  its table of limits, for the help
//	sdk/starloom.h          the SDK: handlers of one processor become loops over a bank
//	sdk/starloom_pops.h     addressing and schedules of one network; starloom_bus.h: of another
//	sdk/starloom_netlist.h  ports, neighbours and ways in a network that a file draws
//	sdk/starloom_gossip.h   the automaton of gossip, for the programs that use it
//	sdk/starloom_registers.h  the register map (generated)
//	sdk/starloom_target.h   what differs between an image and a native unit test
//	sdk/starloom_native.h, .c  the host of some processors for native unit tests
//	programs/               sources of the built-in programs
//	images/                 their images, rebuilt and compared by a test
//	programs.go             the embedded images
//	build.go, inspect.go    `starloom firmware build` and `inspect`
//	overview.go             the static view of `inspect`
//	wasm/                   the rewriter
//	host.go                 what runs images, and when they must stop
//	compilations.go         what stays compiled for the next host
//	names.go                what images export and import, by name
//	load.go                 an image checked and compiled
//	image.go                what is known of it; how an instance of it begins
//	limit.go                how long a handler may take where somebody asks
//	meter.go                what handlers cost; profile.go: where in the source
//	watched.go              what each handler writes that is not its own processor's; statics.go: and
//	                        whether another handler reads it
//	cover.go                what handlers have reached and compared, and calls that are taken back
//	logf.go                 formatted log lines
//	imports.go              what an image calls: log, probe, fail, deliver, result; whether it may go on
//	talk.go                 what a handler says through them
//	listener.go             its calls, for a profile
//	wasi.go                 what a language's runtime asks for
//	instance.go             a bank's handlers: made, reset, saved
//	run.go                  the same called; those that trap
//	event.go                what they do beside their frames
//	trap.go                 why one has ended, and where in the source
//	texts.go                words of messages
//	slab.go                 memory whose address never changes (slab_unix.go, slab_other.go: taken from the system)
//	native.go               firmware in Go over the same ABI: yardstick and second opinion
package firmware
