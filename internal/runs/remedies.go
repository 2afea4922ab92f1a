package runs

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/internal/outcome"
	"starloom/internal/strict"
	"starloom/traces"
)

// remedies are what may mend a run that has failed, as commands to copy: the likeliest first.
func (r *run) remedies() (list []outcome.Remedy) {
	report, command := r.report, r.report.Aside.Command
	if command == "" || len(report.Violations) == 0 {
		return nil
	}
	broke := func(rule string) bool {
		return slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool { return v.Rule == rule })
	}
	add := func(command, format string, values ...any) {
		list = append(list, outcome.Remedy{Text: fmt.Sprintf(format, values...), Command: command})
	}
	if p := r.config.Firmware.Program; p != nil && p.Instead != "" {
		add(strings.Replace(command, " --firmware "+p.Name, "", 1)+" --firmware "+p.Instead,
			"Run it with `%s` in the place of `%s`, which is not right for a network of this size (this page has not tried it):",
			p.Instead, p.Name)
	}
	byFaults := slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool { return v.Cause == outcome.CauseFaults })
	if w := report.Without; w != nil && byFaults {
		text := fmt.Sprintf("it keeps all rules then, and ends after %s", traces.Plural(w.Slots, "slot", "slots"))
		if w.Verdict == outcome.VerdictFail {
			text = fmt.Sprintf("it fails then, too, with %s", traces.Plural(w.ViolationsTotal, "violation", "violations"))
		}
		add(set(command, "faults", "{}"), "Run it without its faults: %s.", text)
	}
	if broke(fabric.RuleFinishes) && r.report.Aside.Known.Limited != "" && (report.Without == nil || report.Without.Slots >= report.Slots) {
		list = append(list, r.moreSlots(command))
	}
	if slots := report.Aside.Late.Meets(); broke(fabric.RuleDeadline) && slots > 0 {
		add(set(command, "rules.deadline_slots", fmt.Sprint(slots)), "Run it with the deadline that all meet, %s: "+
			"this shows what the run needs, and makes nothing faster:",
			traces.Plural(slots, "slot", "slots"))
	}
	if f := &report.Firmware; broke(fabric.RuleMeetsBudget) && f.Cycles != nil {
		add(set(command, "firmware.cpu.budget_cycles", fmt.Sprint(f.Cycles.Max)),
			"If the compute window may be longer, run it with one in which the longest call of a handler fits, %s:", traces.Plural(f.Cycles.Max, "cycle", "cycles"))
	}
	return list
}

// set gives a key of the scenario a value on a command line, in the place of one that it has there.
func set(command, key, value string) string {
	words := strings.Split(command, " ")
	for i := len(words) - 2; i >= 0; i-- {
		if words[i] == strict.SetOption && strings.HasPrefix(words[i+1], key+"=") {
			words = slices.Delete(words, i, i+2)
		}
	}
	return strings.Join(words, " ") + " " + strict.SetOption + " " + outcome.ShellQuote(key+"="+value)
}

// moreTimes is how many times as many slots a run gets of which no one knows how many it needs.
const moreTimes = 10

// slotsOption is the option that limits a run, on its command line.
func slotsOption(limit uint32) string { return fmt.Sprintf(" --slots %d", limit) }

// moreSlots is the remedy for a run that has come to its limit of slots.
func (r *run) moreSlots(command string) outcome.Remedy {
	limit := r.config.Slots
	needs := ""
	if r.config.Traffic != nil {
		needs = fmt.Sprintf("; the traffic needs up to %d", r.config.Traffic.Slots())
	}
	if option := slotsOption(limit); strings.Contains(command, option) {
		return outcome.Remedy{Text: fmt.Sprintf("The run was limited to %s by `--slots`%s. Run it without that:", traces.Plural(limit, "slot", "slots"), needs),
			Command: strings.Replace(command, option, "", 1)}
	}
	more, text := uint64(limit)*moreTimes, "If the processors only need more time, ten times as many slots show it:"
	if r.config.Traffic != nil {
		more, text = uint64(r.config.Traffic.Slots()), "Give it as many:"
	}
	return outcome.Remedy{Text: fmt.Sprintf("The run was limited to %s by `stop.slots`%s. %s", traces.Plural(limit, "slot", "slots"), needs, text),
		Command: fmt.Sprintf("%s --slots %d", command, min(more, 1<<32-2))}
}
