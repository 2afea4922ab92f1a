package outcome

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCause: what another run says of violations. Each that it has accounts for one.
func TestCause(t *testing.T) {
	at := func(rule, path, message string, slots ...uint64) (all []Violation) {
		for _, slot := range slots {
			all = append(all, Violation{Rule: rule, Path: path, Message: message, Slot: slot})
		}
		return all
	}
	const faults, own, unclear = CauseFaults, CauseFirmware, CauseUnclear
	for name, c := range map[string]struct {
		slots []uint64 // of violations of rule a on path p with the message m
		sound []Violation
		more  uint64 // that are not in its list
		want  []string
	}{
		"none":                       {[]uint64{3}, nil, 0, []string{faults}},
		"another rule or path":       {[]uint64{3}, append(at("b", "p", "m", 3), at("a", "q", "m", 3)...), 0, []string{faults}},
		"another slot":               {[]uint64{3}, append(at("a", "p", "n", 3), at("a", "p", "m", 9)...), 0, []string{own}},
		"another way":                {[]uint64{3}, at("a", "p", "n", 3), 0, []string{unclear}},
		"not all are listed":         {[]uint64{3, 4}, append(at("b", "p", "m", 3), at("a", "p", "m", 4)...), 100, []string{unclear, own}},
		"each one accounts for one":  {[]uint64{0, 3, 5}, at("a", "p", "m", 0), 0, []string{own, faults, faults}},
		"the same slot first":        {[]uint64{2, 3, 5}, at("a", "p", "m", 3, 5), 0, []string{faults, own, own}},
		"then the nearest":           {[]uint64{6}, at("a", "p", "m", 1, 5), 0, []string{own}},
		"which another does not get": {[]uint64{6, 8, 9}, at("a", "p", "m", 1, 5), 0, []string{own, own, faults}},
	} {
		report := &Report{Violations: append(at("a", "p", "m", c.slots...), at(RuleReplay, "p", "m", 3)...)}
		NoteCauses(report, &Report{Violations: c.sound, ViolationsTotal: uint64(len(c.sound)) + c.more})
		for i, want := range append(c.want, "") { // a replay is of neither run
			require.Equal(t, want, report.Violations[i].Cause, "%s: slot %d", name, report.Violations[i].Slot)
		}
	}
}
