package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

// Marks of a text become code and links; all else stays text, and so do links that lead nowhere.
func TestMarks(t *testing.T) {
	ids := map[string]string{"here": "Frames & all"}
	for text, html := range map[string]string{
		"see `starloom --x`.":                 "see <code><span>starloom</span> <span>--x</span></code>.",
		"[the frames](#here) & more":          `<a href="#here" data-to="Frames &amp; all">the frames</a> &amp; more`,
		"[the frames](#there)":                "the frames",
		"one ` alone, a[1](b), [x](http://y)": "one ` alone, a[1](b), [x](http://y)",
		"`<b>` [<i>](#here)":                  `<code><span>&lt;b&gt;</span></code> <a href="#here" data-to="Frames &amp; all">&lt;i&gt;</a>`,
		"give --slots, or --stats-csv":        "give <code><span>--slots</span></code>, or <code><span>--stats-csv</span></code>",
		"a -- b, a--":                         "a -- b, a--",
	} {
		require.Equal(t, html, string(marked(text, ids)), text)
	}
	require.Equal(t, "a b, c, --slots", plain("`a b`, [c](#here), --slots"))
}

// A rule is kept only if something has tested it.
func TestRulesThatNothingTested(t *testing.T) {
	r := &outcome.Report{Rules: []string{fabric.RuleTrap, fabric.RuleFinishes, fabric.RuleNoLoss, fabric.RuleReceiveStep},
		Verdict: outcome.VerdictPass}
	require.Contains(t, written(t, Run(r, nil)), "The run kept the 2 rules that it tested, of 4: ")
	require.Equal(t, "no frame was sent", unheld(r, fabric.RuleNoLoss))
	r.Frames.Sent = 1
	require.Empty(t, unheld(r, fabric.RuleNoLoss))
	require.Equal(t, "no frame was received", unheld(r, fabric.RuleReceiveStep))
	r.Frames.Delivered = 1
	require.Empty(t, unheld(r, fabric.RuleReceiveStep))
	require.Contains(t, written(t, Run(r, nil)), "The run kept all 4 rules: ")
	r.Aside.Known.Cut = "the run was interrupted"
	require.Equal(t, "the run was interrupted", unheld(r, fabric.RuleFinishes))
	require.Contains(t, written(t, Run(r, nil)), ">not tested: the run was interrupted</td>")
}

// What failed names every rule up to three, the limit, how many processors and slots, and what each fault has done;
// notes come before the first step.
func TestAnswersNameAll(t *testing.T) {
	r := &outcome.Report{Verdict: outcome.VerdictFail, Slots: 2, Cycles: 20, Notes: []string{"use another program"}}
	for slot := range uint64(2) {
		for _, path := range []string{"a", "b"} {
			r.Violations = append(r.Violations, outcome.Violation{Rule: fabric.RuleDeadline, Slot: slot, Path: path, Message: "late", Cause: outcome.CauseFaults, Faults: []int{1}})
		}
	}
	r.Violations = append(r.Violations, outcome.Violation{Rule: fabric.RuleFinishes, Cycle: 20, Slot: 2, Path: "n.b", Message: "not done"})
	r.ViolationsTotal = 5
	r.Faults = []outcome.FaultReport{{Kind: "dead"}, {Kind: "drop", First: &outcome.FaultFirst{Path: "c"}}}
	r.Aside.Known = outcome.Known{Limits: map[string]string{fabric.RuleDeadline: "7 slots"}, Count: 2, Processors: []string{"a", "b"}, Blamed: true}
	r.Aside.Late = &outcome.Lateness{What: [2]string{"frame", "frames"}, Deadline: 7, Late: 4, Most: 9}
	html := written(t, Run(r, nil))
	for _, part := range []string{
		`<a href="#rules" data-to="Rules">deadline_slots</a>: late. Its cause is the fault <code><span>drop</span></code>: without faults this does not happen.` +
			" It was broken 4 times, at all 2 processors, in every slot. 4 frames missed the deadline of 7 slots: all came late, the last after 9 slots, 2 late. The smallest deadline that all meet is 9.",
		`<p><a href="#rules" data-to="Rules">finishes</a>: not done.</p>`,
		`<p class="cause">The fault <code><span>drop</span></code> first struck c in slot 0: late, in slot 0 (2 of 2 processors); without it this does not happen.</p>`,
		"<p><code><span>finishes</span></code>: first at the end of the run, after slot 1, cycle 19, n.b.</p>",
		"The fault <code><span>dead</span></code> has done nothing.", "The fault <code><span>drop</span></code> struck first in slot 0, which begins with cycle 0, c.", "Each was tried alone: <code><span>drop</span></code> breaks <code><span>deadline_slots</span></code> 4 times.",
		"<p>Note: use another program.</p>\n<ol>", "The same once more, up to cycle 0, slot 1.", "first noticed at cycle 0, slot 0, a. It was also missed at b.",
	} {
		require.Contains(t, html, part)
	}
}
