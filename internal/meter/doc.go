// Package meter counts the cost of handlers: the clock of a core, and the distribution of call times.
//
//	costs of a bank's calls -> Spread, by cycles -> Measured, of a shard, a machine, many runs -> outcome.HandlerCycles
package meter
