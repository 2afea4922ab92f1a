// Package pcapngtest reads captures that Starloom wrote into memory, for tests. It trusts
// nothing that package pcapng holds, but for the pseudo-header: gopacket reads the packets
// once the blocks were checked one by one.
//
//	capture.pcapng --blocks, one by one--> Read --gopacket--> Capture: comment, interfaces, packets
//
//	file     what it holds
//	read.go  Capture; Read
package pcapngtest
