// Package crossbar is the fabric of gossiping and scattering: a port per processor, both ways,
// and arbiters that decide in each slot who is served.
//
//	processor i --asks--> filter of output q --request--> arbiter of q --grant--+
//	            --light--------------------------------------------------> crosspoint --> output q --> link --> processor q
//
// A NIC asks for the output of its frame's destination, with the frame's tag, or for those of a
// request list. Who is not served is blocked, keeps its frame, and asks again in the next slot.
package crossbar
