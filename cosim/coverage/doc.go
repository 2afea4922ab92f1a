// Package coverage is what runs of RTL and of its model have covered: lines, branches and toggles of
// the RTL, as Verilator counts them, and values of the model's registers.
//
//	cosim.Counter --Add--> RTL    ---\
//	                                  +--> Coverage --> text, JSON, LCOV, Verilator's own form
//	hw.Cell ------See----> Model  ---/
//
//	file           what it holds
//	coverage.go    Coverage: both, merged; Summary: how much of what there is
//	rtl.go         RTL: points and how often they have been counted
//	model.go       Model: values of registers
//	lines.go       lines and branches of sources, as LCOV and texts have them
//	write.go       Write: the forms of a file; text.go: what was not covered, for people
package coverage
