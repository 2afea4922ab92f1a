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
//	pcapngtest       a strict reader of captures that Starloom wrote, for tests
package pcapng
