package prove

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/lockstep"
)

// Title names a goal: assert a_full (fifo.sv:12:3) in u0.
func (g *Goal) Title() string {
	text := fmt.Sprintf("%s %s (%s)", g.Kind, g.Name, g.Place)
	if g.Instance != "" {
		text += " in " + g.Instance
	}
	return text
}

// Result returns the verdict about a goal, with its cycle or depth.
func (g *Goal) Result() string {
	text := g.Verdict
	switch g.Verdict {
	case Refuted, Reached:
		text = fmt.Sprintf("%s in cycle %d", text, g.Cycle)
	case Bounded:
		text = fmt.Sprintf("holds up to %s", cosim.Count(uint64(g.Depth), "cycle"))
	case Undecided:
		if g.Depth > 0 {
			text = fmt.Sprintf("undecided, no failure in %s", cosim.Count(uint64(g.Depth), "cycle"))
		}
	case Vacuous:
		if g.Reason == "" {
			return "VACUOUS: the condition before its implication never occurs"
		}
		text = "VACUOUS"
	}
	if g.Reason != "" {
		text += ": " + g.Reason
	}
	return text
}

// GoalLines lists the goals with their verdicts, nil for none.
func (r *Report) GoalLines() (lines []string) {
	if len(r.Goals) == 0 {
		return nil
	}
	lines = append(lines, r.goalCounts())
	for _, g := range r.Goals {
		line := fmt.Sprintf("  %s: %s", g.Title(), g.Result())
		if g.FoundBy != "" && (g.Verdict == Proved || g.Verdict == Unreachable) {
			line += ", by " + g.FoundBy
		}
		lines = append(lines, line)
	}
	return lines
}

// goalCounts counts verdicts: 4 assertions: 3 proved, 1 refuted.
func (r *Report) goalCounts() string {
	var parts, order []string
	counts := map[string]uint64{}
	for _, g := range r.Goals {
		if counts[g.Verdict]++; counts[g.Verdict] == 1 {
			order = append(order, g.Verdict)
		}
	}
	for _, verdict := range order {
		parts = append(parts, fmt.Sprintf("%d %s", counts[verdict],
			strings.Replace(verdict, Bounded, "good in the cycles examined", 1)))
	}
	return fmt.Sprintf("%s: %s", cosim.Count(uint64(len(r.Goals)), "assertion"), strings.Join(parts, ", "))
}

// GoalsSentence returns the verdicts about the goals as a sentence, "" without goals.
func (r *Report) GoalsSentence() string {
	for _, g := range r.Goals {
		if g.Failed() {
			return fmt.Sprintf("%s: %s.", g.Title(), g.Result())
		}
	}
	if len(r.Goals) == 0 {
		return ""
	}
	return "Of " + r.goalCounts() + "."
}

// GoalsFailed reports whether a goal is refuted, vacuous or unreachable.
func (r *Report) GoalsFailed() bool { return slices.ContainsFunc(r.Goals, (*Goal).Failed) }

// GoalsOpen reports whether a goal is not decided.
func (r *Report) GoalsOpen() bool { return slices.ContainsFunc(r.Goals, (*Goal).Open) }

// GoalsBounded reports whether a goal holds only for some cycles.
func (r *Report) GoalsBounded() bool {
	return slices.ContainsFunc(r.Goals, func(g *Goal) bool { return g.Verdict == Bounded })
}

// Shown returns the case that files show: that of the comparison, of the first failed goal, or of the first cover; nil
// for none. goal is nil for the comparison.
func (r *Report) Shown() (found *lockstep.Report, goal *Goal) {
	if r.Case != nil {
		return r.Case, nil
	}
	for _, verdict := range []string{Refuted, Reached} {
		for _, g := range r.Goals {
			if g.Case != nil && g.Verdict == verdict {
				return g.Case, g
			}
		}
	}
	return nil, nil
}

func (r *Report) goalReservations() (lines []string) {
	lines = append(lines, "holds for these parameters, one clock, two states, all inputs and all later resets: X and "+
		"undriven nets may have any value in every cycle")
	if r.KeepsInitial {
		lines = append(lines, "registers begin with the values that the RTL declares")
	} else {
		lines = append(lines, "assertions count from the cycle after a reset at power-on, which leaves registers without a "+
			"reset at any value")
	}
	lines = append(lines, r.taken()...)
	return append(append(lines, fmt.Sprintf(
		"the graph of the RTL ran beside the RTL in %s of random inputs; RTL read by %s",
		cosim.Count(r.AgreeCycles, "cycle"), r.Front)), r.readers()...)
}
