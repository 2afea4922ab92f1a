// Package fabric defines the common parts of all fabrics: the wiring of processors, their workload, and the counters
// and checks of a run. The author of a network needs this package, but no engine. Each fabric is a folder below this
// one; a network written in Go may be anywhere.
//
//	Network -+- Shape, Names       sizes and paths
//	         +- Programs           properties of its firmware
//	         +- Referee            expected and actual arrivals
//	         +- Wiring, or Slot    whole frames                            -+
//	         +- Build(Plant)       media between transmitters and receivers  +- Transport
//	         |                     of hw and nic, phit by phit             -+
//	         +- Abilities          schedules, ROM, RTL of all of it, studies
//
// Both transports yield the same frames, statuses and digests. The cycle engine is the reference. Tests of package
// fabrictest compare both for every fabric. The engines and common parts of networks are separate packages:
//
//	wired       the slot engine of a network given by its wiring
//	plant       the cycle engine of slotted NICs
//	stream      the cycle engine of NICs at routers
//	flow        state of ports between boundaries: credits, switches, grants
//	referees    referees of packets, queues, held and lost packets
//	studies     requests and rows of studies
package fabric
