package outcome

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/traces/input"
)

// Expectation is the expected end of a run. Runs with a mutant or a fault may be expected to fail. An expectation
// does not change the verdict.
type Expectation struct {
	Verdict Verdict `json:"verdict"`
	Rule    string  `json:"rule,omitempty"` // rule that must be broken; "" for any
	Met     bool    `json:"met"`
}

// ParseExpectation parses pass, fail, or fail:RULE. The error is an *input.Error at place.
func ParseExpectation(place, text string) (*Expectation, error) {
	verdict, rule, ruled := strings.Cut(text, ":")
	e := &Expectation{Verdict: Verdict(verdict), Rule: rule}
	if e.Verdict != VerdictFail && (e.Verdict != VerdictPass || ruled) || ruled && rule == "" {
		return nil, input.Mistake(place, fmt.Sprintf("%q is not a possible verdict of a run", text),
			"write pass, fail, or fail:RULE with the rule that the run must break")
	}
	if rule == "trap" { // as in --break-on
		e.Rule = fabric.RuleTrap
	}
	return e, nil
}

func (e *Expectation) String() string {
	if e.Rule != "" {
		return string(e.Verdict) + ":" + e.Rule
	}
	return string(e.Verdict)
}

// Check rejects a rule that the run cannot break.
func (e *Expectation) Check(checked []string) error {
	if e == nil || e.Rule == "" || slices.Contains(checked, e.Rule) || slices.Contains(rulesBeside, e.Rule) {
		return nil
	}
	return input.Mistake("--expect", fmt.Sprintf("the run does not check the rule %q", e.Rule),
		input.DidYouMean(e.Rule, append(slices.Clone(checked), rulesBeside...), "it checks "+strings.Join(checked, ", ")))
}

func (e *Expectation) judge(verdict Verdict, cut bool, broken func(rule string) bool) *Expectation {
	if e == nil {
		return nil
	}
	judged := *e
	judged.Met = !cut && verdict == e.Verdict && (e.Rule == "" || broken(e.Rule))
	return &judged
}

// Judged returns the verdict with respect to the expectation. Without an expectation it returns the run's own
// verdict.
func (e *Expectation) Judged(verdict Verdict) Verdict {
	switch {
	case e == nil:
		return verdict
	case e.Met:
		return VerdictPass
	}
	return VerdictFail
}

// Words describes whether the run ended as expected. It returns "" without an expectation.
func (e *Expectation) Words() string {
	switch {
	case e == nil:
		return ""
	case e.Met:
		return "as expected: " + e.String()
	}
	return "not as expected: " + e.String()
}
