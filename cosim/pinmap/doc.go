// Package pinmap says which RTL stands for which model, and which of its pins is which
// port of the model.
//
//	          +--------------- Device: ports of the model ----------------+
//	inputs ---| wiring, inversion, ties --> RTL --> wiring, early outputs |--- outputs
//	          |              feedback <------/                            |
//	          +-----------------------------------------------------------+
package pinmap
