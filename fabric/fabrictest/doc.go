// Package fabrictest is the test suite for every fabric. A fabric's folder holds its network; its tests here give the
// suite scenarios, some of which break rules.
//
//	Suite.Run   engines, banks, workers, modes and runtimes agree
//	            a run saved, rebuilt and restored at any slot continues unchanged
//	            reset is as good as new, tracing and drawing change nothing
//	            RTL in the loop yields the same digest and report
//	            each rule that should break does, and no other
//	Flood.Run   for any network: firmware that floods it, faults of each kind and
//	            illegal firmware, in tiny windows and banks and odd shards
//
// Networks of scenarios are tested in this folder, one per file. Three folders hold fabrics written in Go: stars is
// the one of docs/how-to/add-a-network.md, ring has two ports, and tuned has a discipline of its own and a slot
// engine with many mutations, each of which Flood must find.
package fabrictest
