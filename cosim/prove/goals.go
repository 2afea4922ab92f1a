package prove

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"starloom/cosim"
	"starloom/cosim/goals"
	"starloom/cosim/lockstep"
)

// judgement is the work of deciding goals.
type judgement struct {
	*prover
	rows  []*Goal // by goal of the miter
	until time.Time
	races int // number of races, each with files of its own
}

// judge decides the goals of the miter, each for itself. again means that the miter must be built again, under
// assumptions that the report names.
func (p *prover) judge() (again bool, err error) {
	j := &judgement{prover: p, until: time.Now().Add(p.options.limit())}
	if p.report.Goals = nil; p.only() {
		p.report.commands = nil
	}
	seen := map[int]int{}
	for _, g := range p.miter.goals {
		if !g.when {
			seen[g.goal]++
		}
	}
	p.report.Goals = make([]*Goal, 0, len(p.miter.goals))
	for i := range p.miter.goals {
		n := &p.miter.goals[i]
		of := &p.m.Goals.Text.Goals[n.goal]
		row := &Goal{Name: of.Name, Kind: of.Kind, Place: of.Place, Text: of.Text, Verdict: Undecided, Cycle: -1,
			after: of.After}
		if seen[n.goal] > 1 {
			row.Instance = n.scope
		}
		if n.when {
			row = j.rowOf(n)
		} else {
			p.report.Goals = append(p.report.Goals, row)
		}
		j.rows = append(j.rows, row)
	}
	j.absent()
	if none, err := j.assumptions(); none || err != nil {
		return false, err
	}
	if again, err := j.failures(); again || err != nil {
		return again, err
	}
	again, err = j.reaches()
	slices.SortStableFunc(p.report.Goals, func(a, b *Goal) int { return j.order(a) - j.order(b) })
	return again, err
}

func (j *judgement) order(g *Goal) int {
	return slices.IndexFunc(j.m.Goals.Text.Goals, func(of goals.Goal) bool { return of.Place == g.Place })
}

// rowOf returns the goal whose condition n is.
func (j *judgement) rowOf(n *goalNet) *Goal {
	for i, row := range j.rows {
		if of := &j.miter.goals[i]; of.goal == n.goal && of.scope == n.scope && !of.when {
			return row
		}
	}
	return &Goal{}
}

// absent adds goals that the print lacks.
func (j *judgement) absent() {
	for i := range j.m.Goals.Text.Goals {
		of := &j.m.Goals.Text.Goals[i]
		if slices.ContainsFunc(j.miter.goals, func(n goalNet) bool { return n.goal == i }) {
			continue
		}
		j.report.Goals = append(j.report.Goals, &Goal{Name: of.Name, Kind: of.Kind, Place: of.Place, Text: of.Text,
			Verdict: Absent, Cycle: -1, Reason: "the elaborated RTL does not contain it"})
	}
}

// clocked reports whether a goal is checked at the edge of the map's clock, or in every cycle.
func (j *judgement) clocked(n *goalNet) bool {
	return n.clock == "" || strings.HasPrefix(n.clock, "posedge ") // of the only clock: see audit
}

// select returns the goals of the miter of some kind that are open.
func (j *judgement) chosen(of func(n *goalNet) bool) (all []int) {
	for i := range j.miter.goals {
		n := &j.miter.goals[i]
		switch {
		case !of(n):
		case !j.clocked(n):
			j.rows[i].Reason = fmt.Sprintf("it is checked at %s, not at posedge %s", n.clock, j.m.Clock)
		default:
			all = append(all, i)
		}
	}
	return all
}

// failures decides the assertions.
func (j *judgement) failures() (again bool, err error) {
	open := j.chosen(func(n *goalNet) bool { return !n.when && n.kind == goals.Assert })
	return j.decide(open, func(i int, f *fate) (bool, error) {
		g := j.rows[i]
		switch {
		case f.witness != nil:
			g.FoundBy = f.by
			return j.trace(i, f, Refuted)
		case f.proved:
			g.Verdict, g.FoundBy = Proved, f.by
		default:
			j.left(g, f, Bounded)
		}
		return false, nil
	})
}

// left describes a goal that no engine decided.
func (j *judgement) left(g *Goal, f *fate, bounded string) {
	g.Depth = max(0, f.frames-1)
	if g.Verdict = Undecided; j.options.Cycles > 0 && f.frames > j.options.Cycles {
		g.Verdict, g.Depth = bounded, j.options.Cycles
		return
	}
	g.Reason = fmt.Sprintf("not decided in %v", j.options.limit())
}

// reaches decides covers, and the conditions before implications.
func (j *judgement) reaches() (again bool, err error) {
	open := j.chosen(func(n *goalNet) bool { return n.when || n.kind == goals.Cover })
	return j.decide(open, func(i int, f *fate) (bool, error) {
		g, n := j.rows[i], &j.miter.goals[i]
		switch {
		case f.witness != nil && n.when:
			g.When = Reached
		case f.witness != nil:
			g.FoundBy = f.by
			return j.trace(i, f, Reached)
		case f.proved && !n.when:
			g.Verdict, g.FoundBy = Unreachable, f.by
		case f.proved:
			g.When = Unreachable
			if g.Verdict == Proved || g.Verdict == Bounded {
				g.Verdict = Vacuous
			}
		case n.when:
			g.When = Undecided
			g.Reason = fmt.Sprintf("the condition before its implication does not occur in %s, and may never occur",
				cosim.Count(uint64(max(0, f.frames-1)), "cycle"))
		default:
			j.left(g, f, Undecided)
			g.Reason = fmt.Sprintf("not reached in %s", cosim.Count(uint64(g.Depth), "cycle"))
		}
		return false, nil
	})
}

// trace replays a witness in lockstep, on RTL with this goal alone.
func (j *judgement) trace(i int, f *fate, verdict string) (again bool, err error) {
	g := j.rows[i]
	g.Depth = len(f.witness) - 1
	j.options.Progress("replays the trace of " + g.Name)
	stimulus := lockstep.StimulusOf(j.model, "the trace of "+g.Name, j.miter.rows(j.model, f.witness))
	model, err := j.m.NewModel()
	if err != nil {
		return false, err
	}
	row, rule := stimulus.Broken(model)
	if err := model.Close(); err != nil {
		return false, err
	}
	if rule != "" {
		if j.report.RuleBroken == "" {
			j.report.RuleBroken = rule
			return true, nil
		}
		g.Reason = fmt.Sprintf("%s has a trace that breaks a rule of the neighbours: in cycle %d %s", f.by, row, rule)
		return false, nil
	}
	message := fmt.Sprintf("%s (%s) fails", g.Name, g.Place)
	if verdict == Reached {
		message = fmt.Sprintf("%s (%s) is reached", g.Name, g.Place)
	}
	other, err := j.m.OnlyGoal(j.miter.goals[i].goal, message)
	if err != nil {
		return false, err
	}
	found, err := lockstep.Run(j.ctx, other, lockstep.Options{Stimulus: stimulus, PowerOn: replayPowerOns, NoShrink: true})
	if err := other.CloseRTL(); err != nil {
		return false, err
	}
	if err != nil {
		return false, err
	}
	if d := found.Divergence; d != nil && d.Kind == string(cosim.FaultFatal) && int(d.Cycle) > g.after {
		g.Verdict, g.Case, g.Cycle = verdict, found, int(d.Cycle)
		return false, nil
	}
	if !j.report.KeepsInitial && j.miter.declares {
		j.report.KeepsInitial = true
		return true, nil
	}
	g.Reason = fmt.Sprintf("%s has a trace of %s that lockstep does not confirm", f.by,
		cosim.Count(uint64(len(f.witness)), "cycle"))
	return false, nil
}
