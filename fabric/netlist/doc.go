// Package netlist is any network, as somebody has drawn it: processors, links, stars, buses and crossbars, or
// routers, from a file or from Go.
//
//	YAML --read--> Drawing --Net--> Net: everything numbered --+- Shape, Names, wiring: the slot engine
//	New(...).Processors(...).Link(...) --^                      +- Build: the hardware of the cycle engine
package netlist
