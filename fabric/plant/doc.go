// Package plant is the cycle engine of networks whose NICs keep to slots: the transmitters and receivers of all NICs,
// the media that a network's Build gives it, and what each discipline does at the boundary of a slot.
//
//	file            what it holds
//	plant.go        Plant: the Transport; build.go: what Build needs of it
//	receive.go      what receivers tell; watch.go: collisions, late light, frames that are foreseen
//	access.go       Access: the half of a discipline; one_port.go, all_ports.go, addressed.go, switched.go, mixed.go: each;
//	                requests.go: what those that ask share
//	hardware.go     Hardware: what carries frames in the cycle engine, a Plant or a Stream, and who watches it
//	rtl.go          who puts RTL in the place of that hardware; datapath.go: all of it as one component
//	sent_sums.go    whether RTL delivers what was sent, for the digest
package plant
