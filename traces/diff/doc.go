// Package diff compares two VCDs, side by side in one pass. Values are compared at every
// change or, if the files are sampled, in every cycle.
//
//	a.vcd --> vcd.Reader --> vcd.Sampler --+
//	               |                       |
//	            pairing: which signal      +--> merge --> compare --> Report --> draw
//	            is which, bits and all     |   instant by instant    first difference,
//	               |                       |                         what was skipped
//	b.vcd --> vcd.Reader --> vcd.Sampler --+
//
// The verdict is equal only if all of both files was compared. A file that ends before the last
// change of the other one differs.
package diff
