// Package netlist builds any network from a YAML file or from Go: processors with links, stars, buses and crossbars,
// or routers.
//
//	YAML --read--> Drawing --Net--> Net: everything numbered --+- Shape, Names, wiring: the slot engine
//	New(...).Processors(...).Link(...) --^                      +- Build: the hardware of the cycle engine
package netlist
