// Package emulator is the machine: processors with their firmware, NICs and the fabric, stepped slot by slot.
//
// A Machine is three things: what is built and then stays (built), what runs and is reset, saved and restored
// (running), and who observes without changing a result (observers).
//
//	Config, Options --New--> built --load--> running --Step, Run--> Report
//
// A slot crosses the fabric; in its last cycle the boundary runs, shard by shard and, in each bank, window by window:
//
//	        transport                 instances                     ledger             transport
//	Cross ----> hear ----> choose ----> call ----> settle -------------> send ----> Latch ----> Cross
//	slot n-1    slot n-1   who is       on_slot    costs, queues,        slot n     the edge    slot n
//	            is told    called                  who listens
//
// Where sources learn at once what has arrived, all windows hear before the first one chooses. After all shards,
// merge adds up what they have seen; a boundary that is stopped in its middle is dropped: the run has ended with
// the one before.
//
//	file           what it holds
//	machine.go     Machine, and what all of its calls begin and end with
//	built.go       built: what the machine is made of; its instances, banks and cells by processor
//	running.go     running: the columns of a run, their reset and their state; what a boundary keeps
//	observers.go   Observer, observers: recordings, functions that watch
//	options.go     Options, the engines; what is left open is chosen
//	build.go       New: from configuration to machine
//	image.go       reads, loads and meters the firmware's image, fills in its parameters
//	instances.go   makes the instances of all shards, or the banks for parked processors
//	memory.go      estimates memory, refuses what has none
//	load.go        seed, workload, tables and schedule are put into the processors
//	run.go         Step, Run, Close: slots cross, boundaries run
//	slot_boundary.go  the boundary of all shards: begin, hear, act, merge, or drop; and window by window: hear,
//	               choose, call, settle, send
//	faults.go      faults strike processors at a boundary: killed, restarted, paused, out of room
//	queues.go      frames that are lost or late, after a slot has crossed
//	rtl.go         RTL that has failed ends the run
//	shard.go       Shard: what one worker handles, its events and its books
//	schedule.go    the words of a schedule, slot by slot
//	parking.go     blocks of processors without a bank of their own
//	faulted.go     who is dead, whose FIFOs are smaller
//	shard_meter.go what the handlers of a shard have cost
//	log.go         lines that firmware logs at a boundary
//	violations.go  the list of violations
//	state.go       Reset, Save, Restore: the parts of a run's state
//	identity.go    whether a state is one of this machine, and a run as far as it says
//	inspect.go     Processor: the registers of one
//	signals.go     Signal, Watch: hardware and firmware by path
//	reporting.go   Report: the sum of a run; notes.go: what it notes of faults, of what is missing and of what is not checked
//	repeats.go     runs again to find out more: where packets were lost, what took longest, what faults have done
//	blame.go       which violations each fault brings about alone
//	retell.go      more of violations: who sent frames that met, since when processors stand still, where a late packet was
//	resume.go      what those that stand still do next without faults
//	ways.go        from whom each processor hears a message that one tells all
//	lateness.go    when in a repeated run what has missed its deadline has come
//	losses.go      trails of packets through a repeated run
//	profile.go     the one call that is profiled in a repeated run
//	replay.go      the calls of one processor, kept and made again, alone
//	alone.go       replay as an output of a machine
package emulator
