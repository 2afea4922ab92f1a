// Package cosim puts register-transfer code in the place of a modelled part, or
// beside it.
//
// Everything is a Device: ports with words, a clock that is driven from outside.
//
//	file            what it holds
//	rtl/            Verilog twins of the components of packages hw and nic
//	device.go       the interface of all devices, and their faults
//	inputerror.go, toolerror.go   errors of what the user gave, and of programs that Starloom runs
//	build.go        Source, Build: Verilog or VHDL to one wasm file
//	cache.go        results of earlier builds
//	ports.go, ports_xml.go     what Verilator finds out about a design: ports, clocks, files
//	verilator.go    running Verilator and the compiler, what their messages mean
//	warnings.go     what a tool accepts and a verdict must name
//	params.go, datafiles.go    parameters of text, files of $readmem
//	verilator_glue.go, glue/   the C++ between Verilator's model and columns of words
//	verilator_device.go        what the two devices below have in common
//	wasm.go, wasm_device.go    Circuit, OpenWasm: RTL in wazero; wasm_memory_*.go: its memory
//	purego.go       BuildShared, OpenShared: RTL as a native library (build tag purego); purego_off.go: without the tag
//	icarus_*.go     OpenIcarus: RTL in a process of its own, four states; vpi/: the module that it loads
//	ghdl.go         VHDL to Verilog
//	twin.go         Twin, Twins: Verilog beside the Go component, parameters to test
//	twin_model.go   Model: components of hw and nic behind the ports of a module
//	twin_hw.go, twin_nic.go, twin_pops.go   the twins
//	twin_schedule.go                        Schedule, Stimulate: resets and phases of a run's inputs
//	twin_random.go, twin_traffic.go         Random: draws; what circuits meet in use
//	twin_mutants.go Mutants: twins with a mistake, which lockstep has to find
//	pinmap.go       PinMap: any RTL as a device with the ports of a model; pinmap_wiring.go,
//	                pinmap_device.go: which bit goes where; pinmap_twin.go: the twins' own maps
//	lockstep.go     Lockstep: model and RTL on the same inputs, up to the first difference
//	lockstep_stimulus.go       Stimulus: inputs cycle by cycle; CSV, VCD
//	coverage.go     Coverage: what the inputs never did
//	recorder.go     Recorder: a model that keeps its inputs, for lockstep on those of a run
//	lockstep_past.go                        whether what was before the last reset matters
//	lockstep_report.go         what was found, as text, waveform and JSON
//	shrink.go       a short case instead of a long run
package cosim
