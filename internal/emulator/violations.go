package emulator

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

// violationList keeps the first ViolationsMax violations and the first violation of every rule, in order of time.
type violationList struct {
	pending []fabric.Finding // findings of this boundary, from all shards
	Kept    []outcome.Violation
}

func (v *violationList) add(x outcome.Violation) {
	if outcome.Wants(v.Kept, x.Rule) {
		v.Kept = append(v.Kept, x)
	}
}

func (v *violationList) clone() violationList { return violationList{Kept: slices.Clone(v.Kept)} }

// the order is independent of the shards
func (v *violationList) take(c *fabric.Circumstances) {
	slices.SortStableFunc(v.pending, func(a, b fabric.Finding) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Kind, b.Kind), a.Compare(&b))
	})
	for _, f := range v.pending {
		if outcome.Wants(v.Kept, f.Kind.Rule()) {
			v.Kept = append(v.Kept, violationOf(c, f))
		}
	}
	v.pending = v.pending[:0]
}

func violationOf(c *fabric.Circumstances, f fabric.Finding) outcome.Violation {
	v := outcome.Violation{Rule: f.Kind.Rule(), Slot: uint64(f.Slot), Backtrace: f.Backtrace, Waits: f.Waits,
		Subject: outcome.Subject{Kind: f.Kind, Index: f.Index, Value: f.Value}}
	v.Cycle, v.Path, v.Message = c.Describe(&f)
	return v
}
