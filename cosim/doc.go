// Package cosim puts RTL in the place of a modelled part, or beside it.
//
// Everything is a Device: ports with words, a clock that is driven from outside. This
// package says what a device is and holds what all backends need; it imports none of them.
//
//	Source --Backend--> Design --> Device      verilator, icarus
//	hw, nic --------- twin.Model -> Device     twin
//	                                   |
//	        pinmap: any RTL with the ports of a model
//	                                   |
//	        lockstep: model and RTL on the same inputs
//	        prove: the same for all inputs, by Yosys and abc
//	        inloop: RTL in the place of parts of a machine
//
//	file            what it holds
//	device.go       the interface of all devices, and their faults
//	source.go       Source: the files of a design
//	filelist.go     lists of files; language.go: languages of files, libraries of VHDL
//	options.go      how to build, how to open; seeing.go: what shows or counts more than ports
//	backend.go      Backend, Design: what makes devices of RTL
//	ports.go        where ports have their words
//	params.go, datafiles.go    parameters of text, files of $readmem
//	tool.go         programs that Starloom runs; stopped.go: how they end; tool_linux.go: with Starloom; tool_other.go: elsewhere, by themselves
//	warnings.go     what a tool accepts but a verdict must name; ifdef.go: text that a chip is not made of
//	inputerror.go   errors of what the user gave
//	cache.go        results of earlier builds; cache_unix.go, cache_other.go: whose folder that is
//	log.go          what a circuit prints
//	embed.go        the folders below that are not Go, for the packages that use them
//
//	folder          what it holds
//	verilator/      RTL as WebAssembly
//	flatten/        RTL of any language as one module of plain Verilog
//	icarus/         RTL in a process of its own, four states
//	condition/      conditions over the ports of a model
//	twin/           the components of hw and nic with the ports of their Verilog
//	pinmap/         which RTL stands for which model, pin by pin
//	coverage/       what runs have covered of RTL and model
//	lockstep/       model beside RTL, up to the first difference, made short
//	prove/          RTL proved equal to its twin, or refuted
//	inloop/         RTL in the place of elements of a machine's components
//	internal/cosimtest         what the tests of several packages need
//	rtl/            Verilog twins of the components of packages hw and nic
//	glue/           the C++ between Verilator's model and columns of words
//	vpi/            the module that Icarus loads
//
// rtl, glue and vpi are embedded here and not where they are used: go:embed does not
// reach up, and rtl belongs to no single package.
package cosim
