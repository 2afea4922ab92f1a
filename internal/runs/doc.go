// Package runs carries out a scenario's runs: one with its passes, or many, of seeds, permutations and rates.
//
//	Config -> one:  ask, begin, open -> run -> end, repeat, finish  -> Report
//	Config -> many: workers -> queue, in the order of numbers -> tally -> SeedsReport
package runs
