// Package starloom emulates interconnect hardware that does not exist yet, cycle by cycle, with the controller
// firmware of every processor running in a WebAssembly sandbox.
//
//	YAML or Go -> Scenario -> Machine -> Report
//	                            |  \--> Recording: waveform (VCD), packet capture (pcapng), log
//	                            |
//	         Cross: the light of a slot crosses the fabric, up to its last cycle
//	         the boundary, in that cycle, for every shard of the machine:
//	         Hear (fabric) -> handlers (firmware) -> Scan (rules) -> Send (fabric)
//	         then Latch: the edge at the end of the cycle latches the sent frames
//
//	Run(ctx, scenario, options)     one run, with its outputs
//	RunSeeds(ctx, scenario, ...)    one run per seed, and statistics
//	NewMachine, Step, Record, ...   the same, controlled by the caller
//	Study(ctx, name, options)       runs that reproduce published numbers
//	Sweep(ctx, file, options)       runs of every combination of the values of some keys
//
// A run needs no files: a scenario may be bytes or a Go value, a firmware image may be bytes, a network may be Go
// code (Fabric.Custom, Networks), and every output may go to an io.Writer. The examples of this package are complete
// programs. Results are a function of scenario and seed. Errors that the user can correct are *InputError.
//
// For the command line, the package also reads pin maps, compares and decodes traces and runs lockstep checks.
// Programs that only run scenarios do not need these functions.
//
// The package consists of types and thin functions. The packages of internal/ do the work; from the bottom up:
//
//	strict, maps       strict parsing of YAML: scenarios, pin maps, maps of traces
//	outcome, outputs   reports and their formats; destinations of outputs
//	page               reports as pages for a browser
//	meter, config      costs of handlers; elaborated scenarios
//	rtl, emulator      RTL in a machine; the machine and the boundary of its slots
//	record, runs       waveform, capture and log of a machine; one run and many
//	slurm              work as jobs of a Slurm cluster
//	sweep              a scenario at many points: the file, the folder of results, the pool
//	check, tools       checks of firmware; traces, and lockstep of RTL
//	estimate           prediction of the memory and time of a run
//	meaning, explain   meanings of figures: format and search
//	template           a scenario to begin with
package starloom
