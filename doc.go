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
//
// All of it works without files: a scenario is bytes or a Go value, a firmware image may be
// bytes, a network may be Go code (Fabric.Custom), and every output goes to a file or to an
// io.Writer. The examples of this package are complete programs. Results are a function of
// scenario and seed; errors that the user can mend are *InputError.
//
// Package starloom reads pin maps, compares and decodes traces and runs lockstep checks for the
// command line, too; whoever only runs scenarios needs none of that.
//
//	file               what it holds
//	scenario*.go       the scenario: types, keys of its own form, checks
//	faults.go          its faults: when and what goes wrong
//	metering.go        what the processors' cores cost, and the clock of handlers; profile.go: where it went
//	schema.go          its JSON Schema
//	aliases.go         types of other packages that are a part of this package's interface
//	programs.go        what is known of the scenario's program: rules, notes
//	workload.go        what a run has to carry, and schedules
//	batch.go           many runs of one scenario: seeds, permutations
//	losses.go          where packets were lost: a failing run is repeated
//	separation.go      what faults have done: a failing run is repeated without them
//	exhaustive.go      all permutations of a small network
//	seeds.go           one scenario for many seeds
//	tally.go           what is kept of many runs
//	statistics.go      mean, deviation, histogram of a figure; survival.go: curves over slots and rates
//	machine.go         the machine and the boundary of a slot; machine_faults.go: faults of processors there
//	parking.go         processors that sleep, without banks
//	queues.go          how long frames wait, where a report or a rule asks
//	run.go             run to the end, metrics, report
//	violations.go      rules and what breaks them
//	outputs.go         where outputs go: files, writers; the reports of a run
//	recording.go       waveform, capture and log of a machine, while it runs
//	waveform.go        signals into a VCD
//	capture.go         frames into a packet capture
//	log.go             what firmware logs
//	signals.go         signals by path, in every cycle or between steps
//	processor.go       registers and probes of one processor
//	memory.go          whether a network fits this computer
//	rtl*.go            RTL in the place of components, and its inputs for lockstep
//	cosim.go           pin maps, lockstep and its files
//	trace.go           waveforms and captures: compared, decoded, looked into
//	state.go           save and restore; checkpoint.go: of runs, and where they stop before their end
//	replay.go          the handlers of one processor, called again alone
//	check_*.go         firmware check: the ways to run, sequences of arbitrary input, what they find
//	report*.go         the report's types and its three forms
//	study*.go          studies
package starloom
