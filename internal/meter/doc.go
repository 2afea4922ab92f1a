// Package meter adds up what handlers have cost: the clock of a core, and how long calls took.
//
//	costs of a bank's calls -> Spread, by cycles -> Measured, of a shard, a machine, many runs -> outcome.HandlerCycles
package meter
