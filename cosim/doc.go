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
