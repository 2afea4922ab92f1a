package outcome

import (
	"fmt"
	"strconv"
	"strings"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Seeds is a range of seeds that includes both ends.
type Seeds struct{ First, Last uint64 }

func (s Seeds) String() string { return fmt.Sprintf("%d..%d", s.First, s.Last) }

// ParseSeeds reads A..B, two integers from 0 to 18446744073709551615 with A <= B, or N for 1..N. Its error is an
// *input.Error at place.
func ParseSeeds(place, text string) (Seeds, error) {
	refuse := func(reason, remedy string) (Seeds, error) {
		return Seeds{}, input.Mistake(place, reason, remedy)
	}
	const write = "write the first and the last seed, for example 1..100, or their number; " +
		"allowed: 0 to 18446744073709551615"
	first, last, ok := strings.Cut(text, "..")
	if !ok {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && n > 0 {
			return Seeds{1, n}, nil
		}
		return refuse(fmt.Sprintf("%q is not a range of seeds", strict.Clip(text)), write)
	}
	a, errA := strconv.ParseUint(first, 10, 64)
	b, errB := strconv.ParseUint(last, 10, 64)
	switch {
	case errA != nil || errB != nil:
		return refuse(fmt.Sprintf("%q is not a range of seeds", strict.Clip(text)), write)
	case a > b:
		return refuse(fmt.Sprintf("the range %d..%d is empty", a, b), fmt.Sprintf("write %d..%d", b, a))
	}
	return Seeds{a, b}, nil
}

// Count returns the number of seeds; 0 means 2^64.
func (s Seeds) Count() uint64 { return s.Last - s.First + 1 }

// JUnitSeedsMax is the maximum number of test cases in a JUnit file with a test case per seed.
const JUnitSeedsMax = 10_000

// FailedRunsMax is the maximum number of failed runs in a report; the CSV file lists all of them.
const FailedRunsMax = 10_000

// FinishingTimes are the figures for the time to finish. Failed runs have none of them, because they did not complete
// their work.
var FinishingTimes = []string{"slots", "cycles", "steps", "lambda", "completion"}

// FailedRun is one failed run of many.
type FailedRun struct {
	Seed        uint64   `json:"seed"`
	Permutation *uint64  `json:"permutation,omitempty"` // number of the permutation, if every permutation was run
	Rate        *float64 `json:"rate,omitempty"`        // rate of faults.random, if several are given
	Rule        string   `json:"rule"`                  // first broken rule

	First Violation `json:"-"`
}

// Alone returns the options that repeat the run.
func (f *FailedRun) Alone() string {
	options := Alone(f.Seed, f.Permutation)
	if f.Rate != nil {
		options += " --set faults.random.rates=null --set faults.random.rate=" + ExactFloat(*f.Rate)
	}
	return options
}

// FinishedRun is one passed run of many.
type FinishedRun struct {
	Seed        uint64  `json:"seed"`
	Permutation *uint64 `json:"permutation,omitempty"`
	Slots       uint64  `json:"slots"`
}

// Alone returns the options that repeat one of several runs.
func Alone(seed uint64, permutation *uint64) string {
	options := fmt.Sprintf("--seed %d", seed)
	if permutation != nil {
		options += fmt.Sprintf(" --permutation %d", *permutation)
	}
	return options
}
