// Package pcapngtest reads captures that Starloom wrote into memory, for tests. It trusts
// nothing in package pcapng but the pseudo-header: gopacket reads the packets once the blocks
// have been checked one by one.
//
//	capture.pcapng --blocks, one by one--> Read --gopacket--> Capture: comment, interfaces, packets
package pcapngtest
