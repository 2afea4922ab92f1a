// Package diff compares two VCDs side by side in one pass: at every change or, for sampled files, in every cycle.
//
//	a.vcd --> vcd.Reader --> vcd.Sampler --+
//	               |                       |
//	            pairing of signals,        +--> merge --> compare --> Report --> draw
//	            whole or by bits           |   instant by instant    first difference,
//	               |                       |                         skipped parts
//	b.vcd --> vcd.Reader --> vcd.Sampler --+
//
// The verdict is equal only if both files were compared completely. A file that ends before the other's last change
// differs.
package diff
