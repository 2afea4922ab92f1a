package fabric

import (
	_ "embed"
	"fmt"
)

// stateRulesSource is this file, whose comments describe keys of a scenario.
//
//go:embed state_rules.go
var stateRulesSource string

const (
	RuleNever = "never" // Rules.States: a condition holds at no boundary
	RuleAfter = "after" // Rules.States: one condition is followed by another
)

// StateRule is a rule about the probes and results of all processors at the end of every boundary. Either a condition
// must never hold, or one condition must be followed by another. Conditions are expressions over the names of probes
// and results. Each name has the fields count (number of processors with a nonzero value), min, max, sum, and values
// (a list by processor).
type StateRule struct {
	// condition that must hold at no boundary, such as leader.count > 1
	Never string `json:"never,omitempty"`
	// condition that starts the time within which then must hold
	After string `json:"after,omitempty"`
	// maximum time between the conditions After and Then, in slots, or in ticks for routers
	Within *Duration `json:"within,omitempty" jsonschema:"minimum=1,maximum=4294967293"`
	// condition that must follow
	Then string `json:"then,omitempty"`

	// Slots is Within in slots, set when the scenario is elaborated.
	Slots uint32 `json:"-"`
}

func (StateRule) Declaration() string { return stateRulesSource }

func (r *StateRule) String() string {
	if r.Never != "" {
		return r.Never
	}
	return fmt.Sprintf("%s within %s after %s", r.Then, r.Within, r.After)
}

// Name returns the name of the rule: RuleNever or RuleAfter.
func (r *StateRule) Name() string {
	if r.Never != "" {
		return RuleNever
	}
	return RuleAfter
}

// Mistake returns the reason why the rule is incomplete or contradictory, and a remedy. It returns "" for a valid
// rule.
func (r *StateRule) Mistake() (reason, remedy string) {
	const forms = `write {never: "leader.count > 1"}, or {after: "request.count > 0", within: 40 slots, ` +
		`then: "grant.count > 0"}`
	switch after := r.After != "" || r.Then != "" || r.Within != nil; {
	case r.Never != "" && after:
		return "never and after are two rules", "write them as two entries"
	case r.Never == "" && (r.After == "" || r.Then == "" || r.Within == nil):
		return "a rule has never, or all of after, within and then", forms
	}
	return "", ""
}
