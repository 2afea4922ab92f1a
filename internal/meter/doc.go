// Package meter adds up what handlers have cost: the clock of a core, and how long calls took.
//
//	costs of a bank's calls -> Spread, by cycles -> Measured, of a shard, a machine, many runs -> outcome.HandlerCycles
//
//	file      what it holds
//	meter.go  Clock, Spread, Measured; SpreadWhole takes back what an interrupted boundary has added
//	cpu.go    CPU: a core whose instructions take time
package meter
