package runs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/internal/meaning"
	"starloom/internal/outcome"
	"starloom/traces"
)

// known notes what the run knows of itself, for its page.
func known(r *run) {
	m, k := r.machine, &r.report.Aside.Known
	k.Limits, k.Count = m.Rules.Limits(), m.Shape.Processors()
	if k.Count <= outcome.ViolationsMax {
		for processor := range k.Count {
			k.Processors = append(k.Processors, m.Names.Processor(processor))
		}
	}
	k.Packets = m.Referee.Routed() != nil && r.config.Known.Carries
	if budget := r.report.Firmware.BudgetCycles; budget > 0 {
		k.Limits[fabric.RuleMeetsBudget] = traces.Plural(budget, "cycle", "cycles")
	}
	if p := r.config.Firmware.Program; p != nil {
		k.Program, k.Unchecked = p.Name, p.Unchecked(&r.config.Rules)
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
	k.Means = r.means()
	r.report.Aside.Remedies = r.remedies()
}

// faultTargetsNamed is of how many targets of a fault a page has the paths.
const faultTargetsNamed = 4

// faultPlan says what a fault of the scenario is set to.
func (r *run) faultPlan(f *fabric.Fault) string {
	n := r.config.Network
	names := n.Names()
	_, many := names.MediumNoun()
	plan := outcome.FaultPlan{Kind: fabric.FaultNames[f.Kind], OnMedia: f.Kind.OnMedia(), Of: n.Shape().Processors(), Slots: f.List, From: f.From, Every: f.Every,
		Probability: math.Round(float64(f.Chance)/(1<<32)*1e9) / 1e9, RXFrames: f.RxFrames, TXFrames: f.TxFrames}
	path := names.Processor
	if plan.OnMedia {
		plan.Of, path = n.Shape().Media, names.Medium
	}
	if f.To != math.MaxUint32 {
		plan.To = &f.To
	}
	plan.Targets = f.Targets.Count(0, plan.Of)
	text := plan.Text(many)
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

// means says what the figures of the report mean.
func (r *run) means() map[string]outcome.Meaning {
	groups := slices.Concat(outcome.Meanings(), Meanings(), fabric.Meanings(), traffic.Meanings(), fabric.MeaningsOf(r.config.Network))
	all := map[string]outcome.Meaning{}
	for _, figure := range r.report.Figures() {
		if e := meaning.Of(groups, figure.Name); e != nil {
			all[figure.Name] = outcome.Meaning{Means: e.Means, Unit: e.Unit}
		}
	}
	for k := range r.report.Faults {
		all[fmt.Sprintf("fault[%d].%s", k, r.report.Faults[k].Kind)] = outcome.Meaning{Means: "how often the fault has struck", Unit: "events"}
	}
	return all
}
