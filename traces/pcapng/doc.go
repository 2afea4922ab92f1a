// Package pcapng writes packet captures and reads them block by block. A packet is a frame as sent or received by a
// port, after a pseudo-header with time, direction and the receiver's status.
//
//	Packet(interface, direction, status, slot, cycle, frame)
//	--------------------------------------------------------> Writer --> run.pcapng --> Wireshark
//	                                                                          |
//	                  Block: section, interface, packet <-- Reader <----------+
//
// Package nic defines the contents of frames; it also writes Wireshark's dissector from PseudoHeaderFields.
//
//	pcapngtest       a strict reader of Starloom's captures, for tests
package pcapng
