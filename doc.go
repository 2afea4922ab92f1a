// Package starloom emulates interconnect hardware that does not exist yet, cycle
// by cycle, with the controller firmware of every processor running in a
// WebAssembly sandbox.
//
//	YAML or Go -> Scenario -> Machine -> Report
//	                            |  \--> Recording: waveform (VCD), packet capture (pcapng), log
//	                            |
//	         Cross: the light of a slot crosses the fabric, up to its last cycle
//	         the boundary, in that cycle, for every shard of the machine:
//	         Hear (fabric) -> handlers (firmware) -> Scan (rules) -> Send (fabric)
//	         then Latch: the edge at the end of the cycle takes what was sent
//
//	Run(ctx, scenario, options)     one run, with its outputs
//	RunSeeds(ctx, scenario, ...)    a run for each of many seeds, and statistics
//	NewMachine, Step, Record, ...   the same, under the caller's control
//	Study(ctx, name, options)       runs that repeat published numbers
//	Sweep(ctx, file, options)       runs of every combination of the values of some keys
//
// All of it works without files: a scenario is bytes or a Go value, a firmware image may be
// bytes, a network may be Go code (Fabric.Custom, Networks), and every output goes to a file or to an
// io.Writer. The examples of this package are complete programs. Results are a function of
// scenario and seed; errors that the user can mend are *InputError.
//
// Package starloom reads pin maps, compares and decodes traces and runs lockstep checks for the
// command line, too; whoever only runs scenarios needs none of that.
//
// The package is a door: types, and thin functions. In internal/ each trade has a package, from the
// bottom up:
//
//	strict, maps       YAML, read strictly: scenarios, pin maps, maps of traces
//	outcome, outputs   reports and their forms; where outputs go
//	page               reports as pages for a browser
//	meter, config      what handlers cost; what a scenario becomes before it runs
//	rtl, emulator      RTL in a machine; the machine and the boundary of its slots
//	record, runs       waveform, capture and log of a machine; one run and many
//	slurm              work done by the jobs of a cluster
//	sweep              a scenario at many points: the file, the folder of results, the pool
//	check, tools       what firmware must not do; traces, and lockstep of RTL
//	estimate           what memory and time a run will take
//	meaning, explain   what figures mean: the form in which packages say it, and how it is found
//	template           a scenario to begin with
package starloom
