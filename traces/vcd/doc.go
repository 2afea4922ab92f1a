// Package vcd writes and reads Value Change Dumps (IEEE 1364-2005, section 18), and holds the common parts of tools
// that read them.
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
// Writer and Reader are independent: Starloom's files are read like any other. RATIONALE.md, "What of a strange VCD
// is read?", lists deviations from the standard that are accepted or refused. Errors about a file are *input.Error
// with file and line.
package vcd
