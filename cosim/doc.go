// Package cosim runs RTL beside a modelled component or in place of it.
//
// RTL and models implement Device: ports as words, with a clock that the caller drives. This package defines devices
// and the parts that all backends share. It imports no backend.
//
//	Source --Backend--> Design --> Device      verilator, icarus
//	hw, nic --------- twin.Model -> Device     twin
//	                                   |
//	        pinmap: any RTL with the ports of a model
//	                                   |
//	        lockstep: model and RTL on the same inputs
//	        prove: the same for all inputs, by Yosys and abc
//	        inloop: RTL in place of parts of a machine
//
//	folder          contents
//	verilator/      RTL as WebAssembly
//	flatten/        RTL of any language as one module of plain Verilog
//	icarus/         RTL in a separate process, four states
//	condition/      conditions over the ports of a model
//	twin/           components of hw and nic with the ports of their Verilog
//	pinmap/         maps of RTL pins to ports of a model
//	coverage/       coverage of RTL and model
//	lockstep/       model beside RTL, up to the first difference, shortened
//	prove/          RTL proved equal to its twin, or refuted
//	inloop/         RTL in place of elements of a machine's components
//	internal/cosimtest         shared test helpers
//	rtl/            Verilog twins of the components of packages hw and nic
//	glue/           the C++ between Verilator's model and columns of words
//	vpi/            the module that Icarus loads
//
// This package embeds rtl, glue and vpi, because go:embed cannot refer to parent folders and several packages use
// rtl.
package cosim
