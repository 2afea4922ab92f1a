// Package emulator is the machine: processors with their firmware, NICs and the network between them,
// slot by slot. It runs a config.Config and says what a run has come to as an outcome.Report.
//
//	config.Config --New--> Machine --Step, Run--> outcome.Report
//
//	a slot:  Cross (the light of the slot crosses the fabric) --> Boundary, in its last cycle:
//	         hear --> handlers --> judge --> send, window by window of each shard
//
//	file           what it holds
//	machine.go     Machine: what is built, what runs, who observes; what may be called when
//	options.go     Options, and the choice of engine, workers and banks
//	build.go       New; built.go: what is there when a machine is built, and how it is found
//	image.go       the firmware's image; instances.go: its instances; load.go: workload, plan, ROM
//	shard.go       Shard: the part that one worker handles
//	run.go         Step, Run, Cross; boundary.go: the boundary of a slot; window.go: the windows of a shard
//	schedule.go    words of the schedule for the slot that begins
//	strikes.go     faults of processors at a boundary; faults.go: what they have done so far
//	parking.go     processors that sleep, without banks
//	violations.go  what breaks rules, from findings
//	reporting.go   the report of a run
//	repeats.go     a run repeated to find out more: losses.go: where packets were lost, profile.go: the longest
//	               call, and which violations faults have caused
//	replay.go      calls of one processor's handlers; alone.go: made again, alone
//	meter.go       what handlers have cost
//	queues.go      how long frames wait
//	log.go         lines that firmware logs
//	observers.go   Observer: who looks at what the machine does
//	signals.go     signals by path; processor.go: registers and probes of one processor
//	state.go       reset, save and restore; identity.go: whose state it is
//	memory.go      whether a machine fits this computer
//	rtl.go         the end of a run whose RTL has failed
package emulator
