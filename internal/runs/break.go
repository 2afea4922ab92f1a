package runs

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Break says where a run stops before its end. The zero value is nowhere.
type Break struct {
	Rule string // at the end of the boundary at which this rule is broken; RuleTrap for a trap
	Slot uint32 // before this slot, 1 to SlotsMax; 0: at no slot
}

// check refuses a rule that this run is not held to: nothing would ever stop it.
func (b Break) check(checked []string) error {
	if b.Rule == "" || slices.Contains(checked, b.Rule) {
		return nil
	}
	return &input.Error{Place: "--break-on", Reason: fmt.Sprintf("the run is not held to a rule %q", strict.Clip(b.Rule)),
		Remedy: input.DidYouMean(b.Rule, checked, "write slot=N, trap, or one of "+strings.Join(checked, ", "))}
}

// reached says what has happened before a slot, "" if nothing has.
func (b Break) reached(slot uint32, found []outcome.Violation) string {
	switch {
	case b.Slot > 0 && slot >= b.Slot:
		return fmt.Sprintf("slot %d", b.Slot)
	case b.Rule != "" && slices.ContainsFunc(found, func(v outcome.Violation) bool { return v.Rule == b.Rule }):
		return "the first violation of " + b.Rule
	}
	return ""
}
