// Package fabrictest is the suite that every fabric passes. A fabric's folder holds its
// network; its tests here give the suite scenarios on it, some of which break rules.
//
//	Suite.Run   engines, banks, workers, modes and runtimes agree
//	            a run that is saved, rebuilt and restored anywhere goes on the same
//	            reset is as good as new, tracing and drawing change nothing
//	            RTL in the loop gives the same digest and report
//	            each rule that should break does, and no other
//	Flood.Run   given a network and nothing else: firmware that floods it, faults of
//	            each kind and illegal firmware, in tiny windows and banks and odd shards
//
// The networks of scenarios are tested in this folder, a file each. One folder, given from Go, is
// enough for a fabric: stars is the one of docs/how-to/add-a-network.md, ring has two ports, tuned a discipline
// of its own, and a slot engine that is made wrong in many ways, each of which Flood must find.
package fabrictest
