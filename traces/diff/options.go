package diff

import (
	"fmt"

	"starloom/traces/vcd"
)

// Options says what of two VCDs is compared, and when. The zero value compares
// all signals that both have, at every change, x and z as values of their own.
type Options struct {
	// Rules say what signals of A are called in B; the first that fits counts. A
	// signal without a rule is the one with the same path, or the same path apart from
	// scopes around everything, such as TOP.
	Rules []NameRule
	// Only and Ignore are patterns (see vcd.Pattern): a signal neither of whose names
	// fits an Only, or one of whose names fits an Ignore, is left out.
	Only, Ignore []string

	// Lenient lets x and z match everything.
	Lenient bool
	// RealTolerance is how far apart matching reals may be, as a fraction of the larger
	// one. 0: only the same number matches.
	RealTolerance float64
	// Prefix lets one file end before the other.
	Prefix bool

	// A and B say how the files are sampled: both are, or neither is. If both
	// give A's name of a clock, B's is that signal's name there.
	A, B vcd.Sampling
	// Align is a signal of A. Its first change from 0 to 1 is the same moment in
	// both files. Without it OffsetCycles (sampled) or Offset (not) says how much
	// later things happen in B.
	Align        string
	OffsetCycles int64
	Offset       vcd.Duration
	OffsetBack   bool // B is earlier by Offset

	// From and To bound what is compared, in cycles or common units of A; To -1
	// means to the end.
	From, To Bound

	// Context is how many cycles or changes are drawn, up to the first difference.
	// 0 means 16.
	Context int
	// First ends the comparison at the first difference.
	First bool

	// Progress is called now and then with the bytes read and their total.
	Progress func(read, size int64)
}

// Bound is a limit of a comparison: a cycle when it is sampled, else a time. The
// zero value means no limit.
type Bound struct {
	Given bool
	Cycle uint64
	Time  vcd.Duration // of A
	Timed bool         // Time counts, not Cycle
}

// String is the bound as it is given: a cycle, or a time with its unit.
func (b Bound) String() string {
	if b.Timed {
		return b.Time.String()
	}
	return fmt.Sprint(b.Cycle)
}

// NameRule says what a signal of one file is called in the other. From is a name
// or a vcd.Pattern, To a name in which $1, $2 ... stand for what the first, second ...
// * or ** of the pattern has matched.
//
//	tb.u_dut.count_q               TOP.dut.count_q
//	tb.u_dut.**                    TOP.dut.$1
//	pops.group[*].coupler[*].out   TOP.dut.c_$1_$2
type NameRule struct {
	From, To string
	Place    string // where the rule stands, for errors
}
