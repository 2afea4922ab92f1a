// Package pinmap says which RTL stands for which model, and which of its pins is which
// port of the model.
//
//	          +--------------- Device: ports of the model ----------------+
//	inputs ---| wiring, inversion, ties --> RTL --> wiring, early outputs |--- outputs
//	          |              feedback <------/                            |
//	          +-----------------------------------------------------------+
//
//	file         what it holds
//	map.go       Map, Library: the map, and what it can name
//	open.go      how the RTL of a map is built and opened
//	wires.go     Wires: which bit comes from where, as plain data
//	wirer.go     finding ports and pins
//	wiring.go    how a map becomes Wires; what is wrong with a map
//	timing.go    clocks and resets
//	place.go     what a place in a machine changes: parameters, an output that is derived
//	pins.go      pins, numbers and functions as a map writes them
//	joins.go     what these stand for
//	pulses.go    ports of which RTL has a pulse for each number: credits of virtual channels
//	routing.go   Wires as moves of bits
//	limits.go    what a map takes for granted
//	contract.go  Contract: what the inputs respect, and when an output counts
//	guard.go     what inputs of the RTL may be, asked cycle by cycle
//	stream.go    sides with valid and ready, by their roles
//	device.go    Device: RTL with the ports of a model
//	play.go      the same for many cycles in one call
//	seeing.go    RTL that shows or counts more than its ports
//	twin.go      OfTwin: the twins' own maps
package pinmap
