// Package traces holds what all traces of a run have in common: the run digest, files that
// are whole or not there, and drawings. The packages below it hold one kind of file or
// one tool each, or what these share: errors, figures, arithmetic. One cycle number links them all: a VCD's #time, a packet's time stamp
// in nanoseconds and the cycle in its pseudo-header are the same.
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
// A package imports only what stands to its left:
//
//	input, rounded, meaning | input/strict | traces | figure | vcd, pcapng | diff, decode, info
//
// None of them depends on hardware, NICs or scenarios: names of statuses and
// paths of signals are data that their callers give.
//
// No output depends on the wall clock, the host, the operating system, the order
// in which signals are set within a cycle, or the number of workers.
package traces
