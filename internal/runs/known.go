package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/referees"
	"starloom/fabric/traffic"
	"starloom/traces"
	"starloom/traces/meaning"
)

func known(ctx context.Context, r *run) {
	m, k := r.machine, &r.report.Aside.Known
	noteProcessors(k, m.Names, m.Shape.Processors())
	k.Ports = m.Shape.Ports
	k.Packets = referees.PacketsOf(m.Referee) != nil && r.config.Known.Carries
	onMedium := func(v outcome.Violation) bool {
		return v.Rule == fabric.RuleCollisionFree || v.Rule == fabric.RuleNoLoss
	}
	if medium := r.config.Network.Abilities().Description.Medium; medium != "" &&
		slices.ContainsFunc(r.report.Violations, onMedium) {
		k.Paths = append(k.Paths, medium+".")
	}
	if numbering := processorPaths(m.Names, &m.Shape); numbering != "" {
		k.Paths = append(k.Paths, numbering)
	}
	k.Outputs = m.Shape.Ports == 1 && k.Count > 1 && m.Names.SentOn(0, 0, 0) != m.Names.SentOn(0, 0, 1)
	if budget := r.report.Firmware.BudgetCycles; budget > 0 {
		k.Limits[fabric.RuleMeetsBudget] = traces.Plural(budget, "cycle", "cycles")
	}
	if p := r.config.Firmware.Program; p != nil {
		k.Program, k.Unchecked, k.Least = p.Name, p.Unchecked(&r.config.Rules), p.Needed()
		if k.Check = r.checking(p, k.Unchecked); k.Check != "" {
			k.Checked = r.whatChecks(ctx, k.Unchecked)
		}
		if p.Instead != "" {
			k.Unfit = p.Note
		}
	}
	switch note := outcome.LimitNote(r.report.Slots); {
	case m.Paused:
		k.Cut = "the run stopped before its end"
	case r.report.Interrupted():
		k.Cut = "the run was interrupted"
	case m.RTLFailed:
		k.Cut = "the run ended with its RTL"
	case slices.Contains(r.report.Notes, note):
		k.Limited, k.LimitedBy = note, "stop.slots"
		if strings.Contains(r.report.Aside.Command, slotsOption(r.config.Slots)) {
			k.LimitedBy = "--slots"
		}
	}
	for i := range r.config.Faults {
		k.Faults = append(k.Faults, r.faultPlan(&r.config.Faults[i]))
	}
	k.Means = means(r.report, r.config.Network)
	r.report.Aside.Remedies = r.remedies(ctx)
}

const namedProcessors = 1 << 16

// showVariables returns the command that shows the variables of the first processor that failed. It returns "" for
// a program of Starloom, for an image without readable variables, and after a replay.
func (r *run) showVariables() string {
	command := r.report.Aside.Command
	if len(r.report.Violations) == 0 || r.config.Firmware.Program != nil || r.config.Bare() || command == "" ||
		r.options.Replay.Output.Given() || r.report.Interrupted() {
		return ""
	}
	processors := map[string]int{}
	for processor := range min(r.machine.Shape.Processors(), namedProcessors) {
		processors[r.machine.Names.Processor(processor)] = processor
	}
	for i := range r.report.Violations {
		if processor, ok := processors[r.report.Violations[i].Path]; ok {
			if _, err := r.machine.StateLayout(); err != nil {
				return ""
			}
			return fmt.Sprintf("%s --replay %d --vars", command, processor)
		}
	}
	return ""
}

// processorPaths returns a formula for the path of processor N, "" for none.
func processorPaths(names fabric.Names, s *fabric.Shape) string {
	last := s.Processors() - 1
	each := strings.Replace(names.Processor(0), "[0]", "[N]", 1)
	if strings.Replace(each, "[N]", fmt.Sprintf("[%d]", last), 1) == names.Processor(last) {
		return fmt.Sprintf("Processor N is `%s`.", each)
	}
	if names.Unit() == "" || s.PerUnit < 2 {
		return ""
	}
	return fmt.Sprintf("Processor N is `%s[N / %d].nic[N mod %d]`, with %d in each: %d is `%s`, %d is `%s`.", names.Unit(),
		s.PerUnit, s.PerUnit, s.PerUnit,
		s.PerUnit, names.Processor(min(s.PerUnit, last)), last, names.Processor(last))
}

// checking returns the command that also checks the named rules of the program, "" for none.
func (r *run) checking(p *fabric.Program, rules []string) string {
	command := r.report.Aside.Command
	if command == "" || len(rules) == 0 {
		return ""
	}
	values := programRules(p, rules)
	if values == nil {
		return ""
	}
	for _, own := range values {
		command = set(command, "rules."+own.rule, unquoted(own.value))
	}
	return command
}

type ruleValue struct{ rule, value string }

func (v *ruleValue) json() string { return fmt.Sprintf("{%q: %s}", v.rule, v.value) }

func noteProcessors(k *outcome.Known, names fabric.Names, count int) {
	k.Count = count
	if count > outcome.ViolationsMax {
		return
	}
	for processor := range count {
		k.Processors = append(k.Processors, names.Processor(processor))
	}
}

// programRules returns the named rules of a program, or nil if a scenario has no key for one of them.
func programRules(p *fabric.Program, rules []string) (list []ruleValue) {
	values := map[string]json.RawMessage{}
	form, err := json.Marshal(p.Rules)
	if err != nil || json.Unmarshal(form, &values) != nil {
		return nil
	}
	for _, rule := range rules {
		if values[rule] == nil {
			return nil
		}
		list = append(list, ruleValue{rule, string(values[rule])})
	}
	return list
}

const faultTargetsNamed = 4

func (r *run) faultPlan(f *fabric.Fault) string {
	n := r.config.Network
	_, many := n.Names().MediumNoun()
	_, count, path := fabric.FaultTargets(n, f.Kind)
	if processors := n.Shape().Processors(); !f.Kind.OnMedia() && f.Targets.Next(processors, count) == count {
		count = processors // no router is a target
	}
	receivers := f.HasReceivers(n)
	if f.Kind.OnMedia() && !receivers {
		count = fabric.FaultMedia(n, f.Kind)
	}
	plan := outcome.FaultPlan{Kind: fabric.FaultNames[f.Kind], OnMedia: f.Kind.OnMedia(), Receivers: receivers,
		Of: count, Slots: f.List, From: f.From, Every: f.Every,
		Probability: math.Round(float64(f.Chance)/(1<<32)*1e9) / 1e9, RXFrames: f.RxFrames, TXFrames: f.TxFrames}
	if f.To != math.MaxUint32 {
		plan.To = &f.To
	}
	plan.Targets = f.Targets.Count(0, plan.Of)
	text := plan.Text(many)
	if slots := r.report.Slots; plan.To != nil && slots > 0 && uint64(*plan.To) >= slots {
		to := fmt.Sprintf(" to %d", *plan.To)
		text = strings.Replace(text, to, fmt.Sprintf("%s (the run ended with slot %d)", to, slots-1), 1)
	}
	if plan.Targets == plan.Of && plan.Of > faultTargetsNamed {
		return text
	}
	at := f.Targets.Next(0, plan.Of)
	for k := range min(plan.Targets, faultTargetsNamed) {
		text += map[bool]string{true: ": ", false: ", "}[k == 0] + path(at)
		at = f.Targets.Next(at+1, plan.Of)
	}
	if more := plan.Targets - faultTargetsNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func means(report *outcome.Report, n fabric.Network) map[string]outcome.Meaning {
	groups := slices.Concat(outcome.Meanings(), Meanings(), fabric.Meanings(), traffic.Meanings(), fabric.MeaningsOf(n))
	all := map[string]outcome.Meaning{}
	for _, figure := range report.Figures() {
		if e := meaning.Of(groups, figure.Name); e != nil {
			all[figure.Name] = outcome.Meaning{Means: e.Means, Unit: e.Unit}
		}
	}
	for k := range report.Faults {
		all[fmt.Sprintf("fault[%d].%s", k, report.Faults[k].Kind)] = outcome.Meaning{Means: "number of times that the " +
			"fault has struck",
			Unit: "events"}
	}
	return all
}
