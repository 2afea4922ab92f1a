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
//	wiring.go    which bit goes where; what is wrong with a map
//	device.go    Device: RTL with the ports of a model
//	twin.go      OfTwin: the twins' own maps
package pinmap
