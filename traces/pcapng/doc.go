// Package pcapng writes packet captures and reads them block by block. Every packet is a
// frame as a port has sent or received it, with a pseudo-header before it that says when,
// which way, and what the receiver made of it.
//
//	Packet(interface, direction, status, slot, cycle, frame)
//	--------------------------------------------------------> Writer --> run.pcapng --> Wireshark
//	                                                                          |
//	                  Block: section, interface, packet <-- Reader <----------+
//
// What is in a frame belongs to package nic, which also writes Wireshark's dissector
// from PseudoHeaderFields.
//
//	file or folder   what it holds
//	writer.go        Writer: interfaces and packets
//	reader.go        Reader: the blocks of any capture, one in memory
//	clock.go         Clock: what the times of an interface are
//	pseudoheader.go  the 16 bytes before every captured frame, as a table
//	pcapngtest       a strict reader of captures that Starloom wrote, for tests
package pcapng
