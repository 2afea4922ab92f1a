// Package runs carries out a scenario's runs: one with its passes, or many, of seeds, permutations and rates.
//
//	Config -> one:  ask, begin, open -> run -> end, repeat, finish  -> Report
//	Config -> many: workers -> queue, in the order of numbers -> tally -> SeedsReport
//
//	file             what it holds
//	options.go       Options, Progress, and what of them one run or many refuse
//	run.go           Batch.Run and RunSeeds: from options to a report and its files
//	passes.go        the list of what one run does, and when
//	pass.go          what a pass can do, and the run that it shares with others
//	checkpoints.go   a pass: runs from stop to stop, restores and saves states; break.go: where a run stops
//	recording.go     a pass: waveform, packet capture, log
//	run_table.go     a pass: who did what in each step; packets.go: packets of traffic
//	pictures.go      a pass: topology, heat, latency, timeline
//	replay.go        a pass: what the handlers of one processor were told and did
//	profile.go       a pass: where the longest call has spent its cost
//	repeats.go       passes that repeat the run: without its faults, and to find packets that were lost or late
//	scenes.go        a pass: what happened around the first violations, for a page; known.go: what else a page says;
//	                 remedies.go: what may mend a run; remedies_fifo.go: deeper FIFOs
//	bare.go          a run of routers without firmware; bare_runs.go: one, and many; bare_rtl.go: RTL among them; bare_saved.go: saved and
//	                 restored, up to a break; bare_replay.go: what one processor has sent and taken
//	record_rtl.go    the inputs of RTL in a run of models
//	bare_loads.go    the loads of channels, and pictures of them
//	batch.go         Batch: runs of many seeds on many workers
//	queue.go         chunks of runs are handed out, and taken back in order
//	tally.go         what is said of many runs; rows.go: a table with a row for each
//	seeds.go         the report of many seeds, with each rate of faults
//	totals.go        what reports of many runs have in common
//	exhaustive.go    the report of every permutation of a small network
//	permutations.go  permutations by number, and their seeds
//	reports.go       reports in the forms that are wanted, written at the end
//	study.go         Study: the runs that a study asks for; study_cases.go: its cases, run apart
//	meanings.go      what the figures of every run, and of many, mean, from metrics.yaml
package runs
