// Package coverage holds the coverage of runs of RTL and its model: lines, branches and toggles of the RTL, as
// Verilator counts them, and values of the model's registers.
//
//	cosim.Counter --Add--> RTL    ---\
//	                                  +--> Coverage --> text, JSON, LCOV, Verilator's own form
//	hw.Cell ------See----> Model  ---/
package coverage
