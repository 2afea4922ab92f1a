// Package vcd writes and reads Value Change Dumps (IEEE 1364-2005, section 18), and
// holds what the tools that read them share.
//
//	Declare, Set, Cycle, Trigger                        Signals
//	----------------------------> Writer --> run.vcd    --------> SaveFile --> run.gtkw
//	                              window: From, To, trigger
//	                                     --> vcd2fst --> run.fst
//
//	            declarations        time by time            instant by instant
//	any VCD --> Header, Var --> Reader ----------> Sampler ---------------------> diff, decode
//	                            Net, Value         clock edges, periods, or every time
//
// Writer and Reader are independent: Starloom's own files are read like any other.
// Errors about a file are *input.Error with file and line.
//
//	file            what it holds
//	writer.go       Writer: declarations, cycles, changes, end
//	window.go       which cycles are written: From and To, trigger, ring of past changes
//	format.go       how a change looks: identifier codes, vectors, names
//	gtkw.go         GTKWave save file that goes beside a VCD
//	surfer.go       the same for Surfer: a command file
//	fst.go          FST, which vcd2fst makes of a VCD
//	reader.go       Reader: time by time, with what has changed
//	read_scan.go    its buffer, tokens and places of errors
//	read_header.go  its declarations
//	read_change.go  its changes
//	read_code.go    its table of identifier codes
//	value.go        Value: bits with x and z, reals, texts
//	timescale.go    Timescale, Duration: units of time and their texts
//	part.go         Part: a signal or some of its bits, found by name
//	pattern.go      Pattern: names with *, ** and [2..5]
//	sampler.go      Sampling, Sampler: values at clock edges, periods or every time
package vcd
