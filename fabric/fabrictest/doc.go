// Package fabrictest is the suite that every fabric passes. A fabric's folder holds its
// network; its tests here give the suite scenarios on it, some of which break rules.
//
//	Suite.Run   engines, banks, workers, modes and runtimes agree
//	            a run that is saved, rebuilt and restored anywhere goes on the same
//	            reset is as good as new, tracing changes nothing
//	            RTL in the loop gives the same digest and report
//	            each rule that should break does, and no other
//
// The networks of scenarios are tested in this folder, a file each; a toy network in ring: one
// folder, given from Go, is enough for a fabric.
//
//	file       what it holds
//	suite.go   Suite and Case: what is run, and compared with what
package fabrictest
