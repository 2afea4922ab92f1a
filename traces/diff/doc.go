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
//
//	file        what it holds
//	options.go  Options, NameRule: what is compared, and when
//	diff.go     Files: both files up to the end or the first difference
//	differ.go   one comparison
//	align.go    how much later B is, and the bounds
//	merge.go    both files instant by instant
//	match.go    which values match
//	compare.go  what differs at an instant
//	tail.go     what one file has after the end of the other
//	finish.go   how far the comparison has come, and what was skipped
//	pairs.go    which signals, or bits of them, are compared with which
//	report.go   Report, as text and JSON
//	draw.go     what happened before the first difference, drawn
package diff
