// Package fabric is what every fabric is: how processors are wired to each other, what
// they have to carry, and what is counted and checked on the way. An author of a network reads
// it, and no engine. Each fabric is a folder below it; a network from Go may be a folder anywhere.
//
//	Network -+- Shape, Names       sizes and paths
//	         +- Programs           what is known of its firmware
//	         +- Referee            what has to arrive where, and what has
//	         +- Wiring, or Slot    whole frames                            -+
//	         +- Build(Plant)       media between transmitters and receivers  +- Transport
//	         |                     of hw and nic, phit by phit             -+
//	         +- Abilities          schedules, ROM, RTL of all of it, studies
//
// Both transports give the same frames, statuses and digests; where they differ, the
// cycle engine is right. Package fabrictest is the suite that holds every fabric to that. The engines, and what
// networks share of them, are packages of their own:
//
//	wired       the slot engine of a network by its wiring alone
//	plant       the cycle engine of NICs that keep to slots
//	stream      the cycle engine of NICs at routers
//	flow        what both engines keep of ports between boundaries: credits, switches, answers
//	referees    referees of packets, and who follows frames: held, queues, losses
//	studies     what a study asks for, and its rows
package fabric
