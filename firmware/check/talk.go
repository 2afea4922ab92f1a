package check

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/explore"
	"starloom/traces/input"
)

const (
	talkProcessorsMax = 64
	talkSlots         = 2 // slots of a search for each sequence of arbitrary input
	talkLosses        = 3 // without stated faults
)

// talk searches for schedules that break a rule. Its slots grow with the number of sequences of arbitrary input.
func (c *checker) talk(sequences int) error {
	leave := func(why string) error {
		c.report.NotTried = append(c.report.NotTried, "losses and restarts of processors that talk: "+why)
		return nil
	}
	switch n := c.processors(); {
	case n < 2:
		return leave("there is one processor")
	case n > talkProcessorsMax:
		return leave(fmt.Sprintf("%d processors are more than %d; take a smaller scenario", n, talkProcessorsMax))
	case c.report.ViolationsTotal > 0:
		return leave("the run without them fails already")
	}
	budget := uint64(talkSlots * sequences)
	if e := c.keys.Explore; e != nil && e.Faults != nil {
		t, err := c.search(*e, true, budget, nil)
		if refused(err) {
			return leave(err.Error())
		}
		if err != nil {
			return err
		}
		c.report.Talks = append(c.report.Talks, *t)
		return c.carries(*e, true, budget)
	}
	losses := explore.Bounds{Faults: &explore.Limits{Drop: talkLosses, Miss: talkLosses}}
	if _, err := c.search(losses, false, 1, nil); refused(err) { // misses are of slots alone
		losses.Faults.Miss = 0
	}
	restarts := explore.Bounds{Faults: &explore.Limits{Drop: 1, Restart: 1}}
	for _, x := range []struct {
		bounds explore.Bounds
		judged func(v *outcome.Violation) bool
		note   bool
	}{{losses, ownStatement, false}, {losses, nil, true}, {restarts, nil, true}} {
		t, err := c.search(x.bounds, false, budget, x.judged)
		if refused(err) {
			return leave(err.Error())
		}
		if err != nil {
			return err
		}
		t.Note = x.note
		if n := len(c.report.Talks); n > 0 && slices.Equal(c.report.Talks[n-1].Faults, t.Faults) &&
			(c.report.Talks[n-1].Fails() || t.Violation == nil) {
			continue // it says no more than the search for statements of the firmware
		}
		c.report.Talks = append(c.report.Talks, *t)
	}
	if err := c.carries(losses, false, budget); err != nil {
		return err
	}
	c.report.NotTried = append(c.report.NotTried, "whether the firmware survives losses and restarts: the scenario does "+
		"not say that it must, as explore: {faults: {drop: 2}} does; broken rules are notes, but for assertions, traps and "+
		"illegal actions after losses. With stated faults, assertions that frames of the machine keep are notes")
	return nil
}

func refused(err error) bool {
	var x *input.Error
	return errors.As(err, &x)
}

// ownStatement reports whether a violation is of an assertion of the firmware, or of the rules of the machine for
// handlers.
func ownStatement(v *outcome.Violation) bool {
	switch v.Rule {
	case fabric.RuleTrap, fabric.RuleIllegalSend, fabric.RuleIllegalListen:
		return true
	}
	return v.Rule == fabric.RuleFail && strings.Contains(v.Message, ": assertion `")
}

// search tries runs of the machine within bounds.
func (c *checker) search(bounds explore.Bounds, stated bool, budget uint64,
	judged func(v *outcome.Violation) bool) (*Talk, error) {
	own := *c.config
	r, err := explore.Of(c.ctx, &own, bounds, explore.Options{Guide: budget, Branches: true, Judged: judged})
	if err != nil {
		return nil, err
	}
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	t := &Talk{Stated: stated, Slots: r.Guide.Slots, Trials: r.Guide.Trials, States: r.Counts.States, Schedule: r.Schedule}
	for _, k := range fabric.FaultNames {
		if n := r.Bounds[k]; n > 0 {
			t.Faults = append(t.Faults, fmt.Sprintf("%s %d", k, n))
		}
	}
	for _, l := range r.Lines {
		t.Branches.Image += l.Branches
		if t.Branches.Reached += l.Reached; l.Reached > 0 {
			c.reached[lineOf(l.Source)] = true
		}
	}
	if len(r.Violations) == 0 {
		return t, nil
	}
	t.Violation = &r.Violations[0]
	if t.Schedule == nil {
		t.Schedule = []outcome.ExploredFault{}
	}
	if command := own.Source.RunCommand; command != "" {
		t.Again = fmt.Sprintf("%s --seed %d --set %s", command, own.Seed, outcome.ShellQuote(scheduleKey(r.Schedule)))
	}
	return t, nil
}

// scheduleKey returns an assignment of a schedule to the scenario key "faults".
func scheduleKey(list []outcome.ExploredFault) string {
	var words []string
	for _, f := range list {
		words = append(words, fmt.Sprintf("{kind: %s, slots: {list: [%d]}, targets: [%q]}", f.Kind, f.Slot, f.Target))
	}
	return "faults={schedule: [" + strings.Join(words, ", ") + "]}"
}

var line = regexp.MustCompile(`[^/]+:[0-9]+`)

// lineOf returns file:line of a place in the sources, without folder and column.
func lineOf(source string) string { return line.FindString(path.Base(source)) }

// kept reports whether the frames of the machine's own processors reach an assertion of the firmware and keep it, with
// the faults that the scenario states. Arbitrary frames that break it then break what the protocol relies on.
// Assertions of the SDK are not kept.
func (c *checker) kept(text, source string) bool {
	if len(c.report.Talks) == 0 || !c.report.Talks[0].Stated {
		return false
	}
	for _, sdk := range []string{"the ", "this ", "sl_"} {
		if strings.HasPrefix(text, sdk) {
			return false
		}
	}
	return c.reached[lineOf(source)] && !slices.ContainsFunc(c.report.Talks, func(t Talk) bool {
		return t.Fails() && strings.Contains(t.Violation.Message, text)
	})
}
