package outcome

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// TestExpectation checks the verdict on expectations, by the broken rules, and its words in JUnit, JSON and text.
func TestExpectation(t *testing.T) {
	passed := func() *Report {
		return &Report{Scenario: "s", Verdict: VerdictPass, Rules: []string{"finishes", "no_loss"}}
	}
	failed := func(rules ...string) *Report {
		r := passed()
		r.Verdict = VerdictFail
		for _, rule := range rules {
			r.Violations = append(r.Violations, Violation{Rule: rule, Path: "p", Message: "broken " + rule})
		}
		return r
	}
	for _, c := range []struct {
		expect string
		report *Report
		met    bool
		fails  int // test cases of JUnit
	}{
		{"pass", passed(), true, 0},
		{"fail", passed(), false, 1},
		{"fail:no_loss", passed(), false, 1},
		{"pass", failed("no_loss"), false, 2},
		{"fail", failed("no_loss"), true, 0},
		{"fail:no_loss", failed("no_loss"), true, 0},
		{"fail:no_loss", failed("finishes", "no_loss"), true, 0},
		{"fail:no_loss", failed("finishes"), false, 2},
		{"fail", failed(RuleInterrupted), false, 2},
		{"fail", failed("finishes", RuleRTLTool), false, 3},
	} {
		e, err := ParseExpectation("--expect", c.expect)
		require.NoError(t, err)
		require.Equal(t, c.expect, e.String())
		require.NoError(t, e.Check(c.report.Rules))
		c.report.Expects(e)
		require.Equal(t, c.met, c.report.Expect.Met, "%+v", c)
		require.False(t, e.Met, "what is expected is not changed")
		require.Equal(t, map[bool]Verdict{true: VerdictPass, false: VerdictFail}[c.met],
			c.report.Expect.Judged(c.report.Verdict))
		var junit, text, json strings.Builder
		require.NoError(t, c.report.WriteJUnit(&junit))
		require.Equal(t, c.fails, strings.Count(junit.String(), "<failure"), "%+v\n%s", c, junit.String())
		require.Contains(t, junit.String(), `name="expect `+c.expect+`"`)
		require.Equal(t, c.met && len(c.report.Violations) > 0, strings.Contains(junit.String(), "<system-out>as expected:"), "%+v", c)
		require.NoError(t, c.report.WriteText(&text))
		require.Equal(t, !c.met, strings.Contains(text.String(), "\n  not as expected: "+c.expect+"\n"))
		require.NoError(t, c.report.WriteJSON(&json))
		require.Contains(t, json.String(), `"verdict": "`+string(c.report.Verdict)+"\",\n  \"expect\": {")
	}

	seeds := &SeedsReport{Scenario: "s", Verdict: VerdictFail, Runs: 2, RunsTotal: 2, Failed: []FailedRun{{Seed: 2, Rule: "no_loss"}}}
	for expect, met := range map[string]bool{"fail": true, "fail:no_loss": true, "fail:finishes": false, "pass": false} {
		e, err := ParseExpectation("--expect", expect)
		require.NoError(t, err)
		seeds.Expects(e)
		require.Equal(t, met, seeds.Expect.Met, expect)
	}
	passing := passed()
	passing.Expects(nil)
	require.Nil(t, passing.Expect)
	require.Equal(t, VerdictPass, passing.Expect.Judged(VerdictPass))

	for text, want := range map[string]string{"": "write pass, fail, or", "fails": "write pass", "fail:": "write pass", "pass:no_loss": "write pass", "Fail": "write pass"} {
		_, err := ParseExpectation("--expect", text)
		require.ErrorContains(t, err, want, text)
	}
	e, err := ParseExpectation("--expect", "fail:trap")
	require.NoError(t, err)
	require.Equal(t, fabric.RuleTrap, e.Rule)
	e.Rule = "no_los"
	require.EqualError(t, e.Check([]string{"no_loss"}), `--expect: the run does not check the rule "no_los"; did you mean "no_loss"? it checks no_loss`)
}
