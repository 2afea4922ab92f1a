// Package traces writes what a run leaves behind for people and for other
// tools: waveforms (VCD with a GTKWave save file), packet captures (pcapng) and
// the run digest. It also reads, compares and decodes waveforms, those of other
// simulators included. One cycle number links them all: a VCD's #time, a packet's
// time stamp in nanoseconds and the cycle in its pseudo-header are the same.
//
//	                  Declare, Set(id, value), Cycle(t), Trigger(t)
//	machine (probes) ----------------------------------------------> VCD ----+--> run.vcd
//	       |                                                          |      |
//	       |                                                  Signals +-> GTKW --> run.gtkw
//	       |  Packet(interface, pseudo-header, frame)                        |
//	       +---------------------------------------------------> PCAPNG --+--+--> run.pcapng
//	       |  Event(head, a, b, c), Slot(slot, sum)                       |
//	       +---------------------------------------------------> Digest   +-- File, Files:
//	                                                                |         temp file, then rename
//	                                                        32 hex digits in the report
//
//	any VCD --> VCDReader --+--> Diff: two files, side by side    --> DiffReport, waves
//	                        +--> Decoding: phits of interfaces    --> nic.Decoder, PCAPNG
//	any capture ------------+--> ReadInfo                         --> Infos
//
// The package knows nothing of hardware, NICs or scenarios: names of statuses
// and paths of signals are data that its callers give.
//
//	file             what it holds
//	vcd.go           VCD writer: declarations, cycles, changes, end
//	vcd_window.go    which cycles are written: From and To, trigger, ring of past changes
//	vcd_format.go    how a change looks: identifier codes, vectors, names
//	gtkw.go          GTKWave save file that goes beside a VCD
//	pseudoheader.go  the 16 bytes in front of every captured frame, as a table
//	pcapng.go        packet capture writer
//	pcapng_read.go   reader for captures that Starloom wrote
//	vcd_read.go      VCD reader: time by time, with what has changed
//	vcd_read_*.go    its parts: buffer, declarations, changes, codes, values, time scales
//	diff.go          two VCDs side by side, up to the end or the first difference
//	diff_*.go        names, pairs of signals, sampling, drawing, report
//	decode.go        phits out of a VCD: valid and data, or dual-rail light
//	info*.go         what is in a VCD or a capture
//	waves.go         signals drawn as text
//	digest.go        run digest: order-free within a slot, chained over slots
//	file.go          output files that are whole or not there
//
// No output depends on the wall clock, the host, the operating system, the order
// in which signals are set within a cycle, or the number of workers.
package traces
