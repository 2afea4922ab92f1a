// Package traces holds the common parts of all traces of a run: the run digest, atomic output files, and drawings.
// Each package below it handles one file format or tool, or holds shared parts: errors, figures, arithmetic. One
// cycle number links all traces: a VCD's #time, a packet's time stamp in nanoseconds, and the cycle in its
// pseudo-header.
//
//	                  Declare, Set(id, value), Cycle(t), Trigger(t)
//	machine (probes) -----------------------------------------> vcd.Writer ------+--> run.vcd
//	       |                                                          |          |
//	       |                                                  Signals +-> SaveFile --> run.gtkw
//	       |  Packet(interface, pseudo-header, frame)                            |
//	       +--------------------------------------------------> pcapng.Writer ---+--> run.pcapng
//	       |  Event(head, a, b, c), Slot(slot, sum)                              |
//	       +--------------------------------------------------> Digest   File, Files:
//	                                                              |      temp file, then rename
//	                                                      32 hex digits in the report
//
//	any VCD --> vcd.Reader --+--> diff: two files, side by side    --> diff.Report, drawing
//	or FST                   +--> decode: phits of interfaces      --> nic.Decoder, pcapng.Writer
//	any capture -------------+--> info                             --> info.Report
//
// A package imports only packages to its left:
//
//	input, rounded, meaning | input/strict | traces | figure | vcd, pcapng | diff, decode, info
//
// None of these packages depends on hardware, NICs or scenarios: callers provide names of statuses and paths of
// signals as data.
//
// Outputs do not depend on the wall clock, the host, the operating system, the order of signal updates within a
// cycle, or the number of workers.
package traces
