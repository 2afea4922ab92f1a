package diff

import (
	"fmt"

	"starloom/traces/vcd"
)

// Options selects the compared signals and times. The zero value compares all signals of both VCDs at every change,
// with x and z as values.
type Options struct {
	// Rules map signals of A to names in B; the first match counts. A signal without a rule matches the signal with
	// the same path; outer scopes such as TOP are ignored.
	Rules []NameRule
	// Only and Ignore are patterns (see vcd.Pattern). A signal is skipped if neither of its two names matches an Only
	// pattern, or if one of its names matches an Ignore pattern.
	Only, Ignore []string

	// Lenient means that x and z match every value.
	Lenient bool
	// RealTolerance is the maximum relative difference of matching reals. With 0, only equal reals match.
	RealTolerance float64
	// Prefix permits one file to end before the other.
	Prefix bool

	// A and B define the sampling of the files. Sampling must be set for both files or for neither. B's clock may
	// have the name of A's clock.
	A, B vcd.Sampling
	// Align is a signal of A whose first change from 0 to 1 marks the same moment in both files. Without Align, B is
	// delayed by OffsetCycles (sampled files) or Offset (other files).
	Align        string
	OffsetCycles int64
	Offset       vcd.Duration
	OffsetBack   bool // Offset is an advance of B instead of a delay

	// From and To limit the comparison, in cycles or times of A.
	From, To Bound

	// Context is the number of cycles or changes drawn before the first difference; 0 selects 16.
	Context int
	// First stops the comparison at the first difference.
	First bool

	// Progress is called regularly with the number of bytes read and the total.
	Progress func(read, size int64)
}

// Bound is a limit of a comparison: a cycle of sampled files, otherwise a time. The zero value is no limit.
type Bound struct {
	Given bool
	Cycle uint64
	Time  vcd.Duration // time in A
	Timed bool         // Time counts, not Cycle
}

// String returns the cycle, or the time with its unit.
func (b Bound) String() string {
	if b.Timed {
		return b.Time.String()
	}
	return fmt.Sprint(b.Cycle)
}

// NameRule maps a signal name. From is a name or a vcd.Pattern; in To, $1, $2 ... are the matches of the first,
// second ... * or ** of the pattern.
//
//	tb.u_dut.count_q               TOP.dut.count_q
//	tb.u_dut.**                    TOP.dut.$1
//	pops.group[*].coupler[*].out   TOP.dut.c_$1_$2
type NameRule struct {
	From, To string
	Place    string // place of the rule, for errors
}
