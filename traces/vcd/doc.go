// Package vcd writes and reads Value Change Dumps (IEEE 1364-2005, section 18), and
// holds what the tools that read them share.
//
//	Declare, Set, Cycle, Trigger                        Signals
//	----------------------------> Writer --> run.vcd    --------> SaveFile --> run.gtkw
//	                              window: From, To, trigger
//	                                     --> vcd2fst --> run.fst
//
//	  Open: file, gzip, standard input, FST --> fst2vcd --+
//	                                                      v
//	            declarations        time by time            instant by instant
//	any VCD --> Header, Var --> Reader ----------> Sampler ---------------------> diff, decode
//	                            Net, Value         clock edges, periods, or every time
//
// Writer and Reader are independent: Starloom's own files are read like any other. What of a strange
// file is read, and what is refused: RATIONALE.md, "What of a strange VCD is read?".
// Errors about a file are *input.Error with file and line.
//
//	file            what it holds
//	writer.go       Writer: declarations, cycles, changes, end
//	window.go       which cycles are written: From and To, trigger, ring of past changes
//	format.go       how a change looks: identifier codes, vectors, names
//	gtkw.go         GTKWave save file that goes beside a VCD
//	surfer.go       the same for Surfer: a command file
//	fst.go          FST, which vcd2fst makes of a VCD
//	open.go         Open: whatever a waveform is in; Waveform: as often as it is read
//	keep.go         where a VCD comes from; what is kept of standard input
//	read_fst.go     the VCD that fst2vcd makes of an FST
//	left_out.go     what fst2vcd leaves out: values before time 0, pauses
//	reader.go       Reader: time by time, with what has changed; times with fractions
//	read_scan.go    its buffer, tokens and places of errors
//	read_header.go  its declarations; parameters that are reals
//	read_change.go  its changes
//	read_port.go    states of ports ($dumpports)
//	read_text.go    escapes in texts
//	read_code.go    its table of identifier codes
//	value.go        Value: bits with x and z, reals, texts
//	timescale.go    Timescale, Duration: units of time and their texts
//	part.go         Part: a signal or some of its bits, found by name
//	pattern.go      Pattern: names with *, ** and [2..5]
//	sampler.go      Sampling, Sampler: values at clock edges, periods or every time
package vcd
