// Package starloom emulates interconnect hardware that does not exist yet, cycle
// by cycle, with the controller firmware of every processor running in a
// WebAssembly sandbox.
//
//	scenario.yaml -> Scenario -> Machine -> Report
//	                               |  \--> waveform (VCD), packet capture (pcapng), log
//	                               |
//	         Cross: the light of a slot crosses the fabric, up to its last cycle
//	         the boundary, in that cycle, for every shard of the machine:
//	         Hear (fabric) -> handlers (firmware) -> Scan (rules) -> Send (fabric)
//	         then Latch: the edge at the end of the cycle takes what was sent
//
//	Run(ctx, scenario, options)     one run, with its files
//	RunSeeds(ctx, scenario, ...)    a run for each of many seeds, and statistics
//	NewMachine, Step, Save, Restore the same, under the caller's control
//	Study(ctx, name, options)       runs that repeat published numbers
//
//	file               what it holds
//	scenario*.go       the scenario: types, strict parser, checks
//	schema.go          its JSON Schema
//	aliases.go         types of package fabric that are a part of this package's interface
//	programs.go        what is known of the scenario's program: rules, notes
//	workload.go        what a run has to carry, and schedules
//	batch.go           many runs of one scenario: seeds, permutations
//	losses.go          where packets were lost: a failing run is repeated
//	exhaustive.go      all permutations of a small network
//	seeds.go           one scenario for many seeds
//	tally.go           what is kept of many runs
//	statistics.go      mean, deviation, histogram of a figure
//	machine.go         the machine and the boundary of a slot
//	run.go             run to the end, metrics, report
//	violations.go      rules and what breaks them
//	outputs.go         waveform, capture and log of a run
//	rtl*.go            RTL in the place of components, and its inputs for lockstep
//	cosim.go           pin maps, lockstep and its files
//	trace*.go          waveforms and captures: compared, decoded, looked into
//	state.go           save and restore
//	report*.go         the report's types and its three forms
//	study*.go          studies
//	inputerror.go      errors of the user's input
package starloom
