// Package crossbar implements the fabric of gossip and scattering: a port per processor, in both directions, and
// arbiters that choose whom to serve in each slot.
//
//	processor i --asks--> filter of output q --request--> arbiter of q --grant--+
//	            --light--------------------------------------------------> crosspoint --> output q --> link --> processor q
//
// A NIC asks for the output of its frame's destination, with the frame's tag, or for the outputs of a request list. A
// blocked NIC keeps its frame and asks again in the next slot.
package crossbar
