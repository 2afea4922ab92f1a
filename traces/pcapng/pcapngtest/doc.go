// Package pcapngtest reads captures written by Starloom, for tests. It relies on package pcapng only for the
// pseudo-header: gopacket reads the packets after all blocks have been checked.
//
//	capture.pcapng --blocks, one by one--> Read --gopacket--> Capture: comment, interfaces, packets
package pcapngtest
