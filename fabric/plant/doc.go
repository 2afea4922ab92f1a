// Package plant is the cycle engine of networks whose NICs keep to slots: the transmitters and receivers of all NICs,
// the media that a network's Build gives it, and what each discipline does at the boundary of a slot.
//
//	file              what it holds
//	plant.go          Plant: the Transport, which runs the cycles; build.go: how it is built, and Carry
//	front.go          Front: transmitters and receivers, media, and what is known of the slot; no cycle
//	receive.go        what receivers tell; watch.go: collisions, late light, frames that are foreseen
//	access.go         Access: the half of a discipline; disciplines.go: which of them one has, or that of one from outside;
//	                  one_port.go, all_ports.go, addressed.go, switched.go, mixed.go: each; requests.go: what those that ask share
//	hardware.go       Hardware: what carries frames in the cycle engine, a Plant or a Stream, and who watches it
//	rtl.go            who puts RTL in the place of that hardware; datapath.go: all of it as one component
//	sent_sums.go      whether RTL delivers what was sent, for the digest
package plant
