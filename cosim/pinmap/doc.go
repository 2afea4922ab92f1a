// Package pinmap maps RTL to a model: it connects the pins of the RTL with the ports of the model.
//
//	          +--------------- Device: ports of the model ----------------+
//	inputs ---| wiring, inversion, ties --> RTL --> wiring, early outputs |--- outputs
//	          |              feedback <------/                            |
//	          +-----------------------------------------------------------+
package pinmap
