// Package contend is what serves senders that ask: buses and crossbars, in both engines, as parts of networks.
//
//	file                  what it holds
//	buses.go              Buses, and Part: hardware between transmitters and links
//	bus_hardware.go       buses in the cycle engine; bus_slot.go: in the slot engine; turns.go: whom they serve
//	crossbars.go          Crossbar: sizes and names
//	crossbar_hardware.go  a crossbar in the cycle engine; crossbar_slot.go: in the slot engine
//	shared_slot.go        Shared: buses or a crossbar that lanes of NICs share beside others, in the slot engine; shared_hardware.go: in the cycle engine
//	allocation.go         what serves all inputs together: allocators, cap, a medium without an arbiter
//	matching.go           who serves whom in a slot, without the cycles of arbitration; arbiters.go: whom an output serves first
package contend
