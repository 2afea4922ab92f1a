// Package netlist is any network, as somebody has drawn it: processors, stars and links between them, from a
// file or from Go.
//
//	YAML --read--> Drawing --Net--> Net: everything numbered --+- Shape, Names, wiring: the slot engine
//	New(...).Processors(...).Link(...) --^                      +- Build: the hardware of the cycle engine
//
//	file         what it holds
//	network.go   Network: the keys of a scenario
//	read.go      reads them, and goes on after a mistake; mistakes.go: all of them at once
//	drawing.go   Drawing: nodes and links with ranges; ranges.go: what a range stands for
//	draw.go      numbers nodes, ports and media; check.go: what is missing
//	net.go       Net: sizes, names
//	hardware.go  media in the cycle engine
//	rom.go       what firmware reads: ports, neighbours, ways; write.go: a netlist as text, YAML, DOT
//	programs.go  what is known of the programs; example.go: a small scenario
//	of.go        the netlist of another network
package netlist
