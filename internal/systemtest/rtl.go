package systemtest

import (
	"slices"
	"starloom"
	"strings"
	"testing"
)

// WithRTL returns a scenario with parts as RTL.
func WithRTL(s *starloom.Scenario, parts ...starloom.RTL) *starloom.Scenario {
	replaced := *s
	replaced.RTL = parts
	return &replaced
}

// ModelText is a report as JSON without what only a run with RTL says.
func ModelText(t testing.TB, r *starloom.Report) string {
	model := *r
	model.RTL = nil
	model.Notes = slices.DeleteFunc(slices.Clone(r.Notes), func(note string) bool { return strings.Contains(note, "RTL") })
	return ReportText(t, &model)
}
