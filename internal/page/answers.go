package page

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
)

func runAnswers(r *outcome.Report, order []outcome.Repeat, written []outcome.OutputFile) []Answer {
	switch {
	case len(order) > 0:
		firsts := firstOfRules(r, order)
		return Failed(whatTexts(r, firsts), whereTexts(r, firsts), causeBlocks(r, firsts), notesBeside(r), nextSteps(r, firsts[0], written)...)
	case r.Aside.Command == "":
		return Passed(r.Notes, Block{Text: "Nothing failed."})
	}
	return Passed(r.Notes, Block{Text: "Nothing failed. This repeats the run:"}, Block{Command: r.Aside.Command})
}

func causeBlocks(r *outcome.Report, firsts []*outcome.Violation) (blocks []Block) {
	if why := r.Aside.Known.Unfit; why != "" {
		blocks = append(blocks, Block{Text: "`" + r.Aside.Known.Program + "`" + strings.TrimPrefix(why, r.Aside.Known.Program) + "."})
	}
	blocks = append(blocks, ackedBlocks(r, sceneAt(r, firsts[0]))...)
	blocks = append(blocks, deadlineBlocks(r, firsts)...)
	blocks = append(blocks, limitBlocks(r, firsts)...)
	blocks = append(blocks, deadlockBlocks(firsts)...)
	if !r.ByFaults() {
		return blocks
	}
	var names []string
	for k := range r.Faults {
		if r.Faults[k].First != nil {
			names = append(names, "`"+r.FaultName(k)+"`")
		}
	}
	blocks = append(blocks, text("The scenario injects faults, in its key `faults`: %s.%s [Where they struck first](#%s).",
		join(names), breaksAlone(r), firstFault(r)))
	blocks = append(blocks, cutBlocks(r)...)
	blocks = append(blocks, lastSeenBlocks(r)...)
	for i := range r.Aside.Stood {
		if i == rulesNamed {
			break
		}
		blocks = append(blocks, stoodBlocks(r, &r.Aside.Stood[i])...)
	}
	var tried []Step
	for _, remedy := range r.Aside.Remedies {
		if remedy.Tried && remedy.Rule == "" {
			tried = append(tried, Step{Text: remedy.Text, Command: remedy.Command})
		}
	}
	if tried != nil {
		blocks = append(blocks, Block{Text: "This page has run it without one of them:"}, Block{Steps: tried})
	}
	return blocks
}

func lastSeenBlocks(r *outcome.Report) []Block {
	if len(r.Aside.LastSeen) == 0 {
		return nil
	}
	t := &Table{Caption: "Where packets were last that had not arrived when the run ended.",
		Columns: []Column{{"cycle", true}, {"slot", true}, {"where", false}, {"what", false}}}
	for _, v := range r.Aside.LastSeen {
		t.Rows = append(t.Rows, []string{fmt.Sprint(v.Cycle), fmt.Sprint(v.Slot), v.Path, v.Message})
	}
	return []Block{{Table: t}}
}

func deadlockBlocks(firsts []*outcome.Violation) (blocks []Block) {
	i := slices.IndexFunc(firsts, func(v *outcome.Violation) bool { return v.Rule == fabric.RuleDeadlock })
	if i < 0 {
		return nil
	}
	t := &Table{Caption: "A ring, of which no one can move: each waits for what the next one holds, and the last for what the first holds.",
		Columns: []Column{{"who", false}, {"is in", false}, {"waits for", false}}}
	for _, w := range firsts[i].Waits {
		where := w.Holds
		if !w.NIC {
			where += " (" + w.Path + ")"
		}
		t.Rows = append(t.Rows, []string{w.Who, where, w.For})
	}
	blocks = append(blocks, Block{Table: t}, text("The ring closed by cycle %d, in which a flit of the knot moved for the last time.", firsts[i].Cycle))
	if slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Rule == fabric.RuleFinishes }) {
		blocks = append(blocks, text("`%s` follows from `%s`: what waits for the frames of the knot is never done.", fabric.RuleFinishes, fabric.RuleDeadlock))
	}
	return blocks
}

// deadlineBlocks say why a deadline was missed: who has set it, where the slots went, and what else was tried.
func deadlineBlocks(r *outcome.Report, firsts []*outcome.Violation) (blocks []Block) {
	late := r.Aside.Late
	if late == nil || !slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Rule == fabric.RuleDeadline }) {
		return nil
	}
	if strings.Contains(r.Aside.Command, " rules.deadline_slots=") {
		blocks = append(blocks, text("The deadline of %s is set on the command line.", traces.Plural(late.Deadline, "slot", "slots")))
	}
	if why := late.Cause(); why != "" {
		blocks = append(blocks, Block{Text: why})
	}
	if least := r.Aside.Known.Least; late.Packets && uint64(least.Slots) > late.Deadline {
		blocks = append(blocks, text("`%s` cannot meet this deadline here, whatever its orders and arbiters. %s: until all has arrived, at least %s pass.",
			r.Aside.Known.Program, least.Why, traces.Plural(least.Slots, "slot", "slots")))
		if least.Sum != "" {
			blocks = append(blocks, Block{Fold: fmt.Sprintf("Why not less than %d", least.Slots), Folded: least.Sum + "."})
		}
	} else if least.Slots > 0 && late.Packets {
		blocks = append(blocks, text("With other orders `%s` may meet it: it takes %s or more.", r.Aside.Known.Program, traces.Plural(least.Slots, "slot", "slots")))
	}
	for _, remedy := range r.Aside.Remedies {
		if remedy.Tried && remedy.Rule == fabric.RuleDeadline {
			blocks = append(blocks, Block{Text: remedy.Text})
		}
	}
	return blocks
}

// ackedBlocks say which packets of a scene, nil for none, were lost after they had been acknowledged.
func ackedBlocks(r *outcome.Report, s *outcome.Scene) []Block {
	seen := ""
	for i := 0; s != nil && i < len(s.Trails); i++ {
		if why := ackedText(r, &s.Trails[i]); why != "" {
			seen += " " + why
		}
	}
	if seen == "" {
		return nil
	}
	return []Block{{Text: "The frames show it." + seen + " [Their ways](#violation-1)."}}
}

// limitBlocks say that a run without faults came to its limit of slots, if that is all.
func limitBlocks(r *outcome.Report, firsts []*outcome.Violation) []Block {
	by := r.Aside.Known.LimitedBy
	if by == "" || len(firsts) > 1 || firsts[0].Rule != fabric.RuleFinishes || len(r.Faults) > 0 {
		return nil
	}
	return []Block{text("The run came to its limit of %s, which `%s` sets, before it was over. It broke no other rule up to there.",
		traces.Plural(r.Slots, "slot", "slots"), by)}
}

// notesBeside are the notes of a report without that of its program, which is the cause, and without that of a limit of slots,
// where a remedy speaks of it or the run ends by itself without its faults.
func notesBeside(r *outcome.Report) []string {
	return slices.DeleteFunc(slices.Clone(r.Notes), func(note string) bool {
		return note == r.Aside.Known.Unfit && note != "" || r.Aside.Known.Check != "" && strings.HasPrefix(note, fabric.ReplacedNote) ||
			slices.ContainsFunc(r.Aside.LastSeen, func(v outcome.Violation) bool { return note == outcome.LastSeenNote(&v) }) ||
			note == r.Aside.Known.Limited && (len(r.Aside.Remedies) > 0 || r.Without != nil && r.Without.Slots < r.Slots)
	})
}

func firstOfRules(r *outcome.Report, order []outcome.Repeat) (firsts []*outcome.Violation) {
	for _, x := range order {
		v := &r.Violations[x.Place]
		if !slices.ContainsFunc(firsts, func(f *outcome.Violation) bool { return f.Rule == v.Rule }) {
			firsts = append(firsts, v)
		}
	}
	return firsts
}

// rulesNamed is of how many broken rules it is said in short what has broken them, and where.
const rulesNamed = 3

// whatTexts say which rules were broken: a text for each.
func whatTexts(r *outcome.Report, firsts []*outcome.Violation) (texts []string) {
	for i, v := range firsts {
		if i == rulesNamed {
			return append(texts, fmt.Sprintf("And %s more; [all violations](#violations).", traces.Plural(uint64(len(firsts)-i), "rule", "rules")))
		}
		what := "`" + v.Rule + "`: " + v.Message + causeOf(r, v) + "."
		if one := sameEvent(firsts[:i], v); one != nil {
			what += " This is the same event as the first of `" + one.Rule + "`: the same cycle and place."
		}
		if means := ruleText(v.Rule, r.Aside.Known.Limits); means != "" {
			what += " The rule: " + means + "."
		}
		if limit := r.Aside.Known.Limits[v.Rule]; v.Rule == fabric.RuleCollisionFree && limit != "every slot" && limit != "" {
			what += " Collisions in the other slots are part of the algorithm. Slots of a step are counted from 1, those of the run from 0."
		}
		if by := r.Aside.Known.LimitedBy; v.Rule == fabric.RuleFinishes && by != "" {
			what += " The run was limited to " + traces.Plural(r.Slots, "slot", "slots") + " by `" + by + "`."
		}
		what += extent(r, v.Rule) + othersOf(r, v) + shares(r, v.Rule)
		if late := r.Aside.Late; v.Rule == fabric.RuleDeadline && late != nil {
			what += " " + late.Text()
		}
		texts = append(texts, what)
	}
	return texts
}

// othersNamed is how many more violations of a rule are named in short, and shortChars how long the words of each may be.
const othersNamed, shortChars = 5, 80

// othersOf names what else has broken the rule of a first violation, if that are few things and short words say it.
func othersOf(r *outcome.Report, first *outcome.Violation) string {
	short := func(v *outcome.Violation) string {
		message, _, _ := strings.Cut(v.Message, ": ")
		return message
	}
	var others []string
	for i := range r.Violations {
		v := &r.Violations[i]
		if v.Rule != first.Rule || v == first {
			continue
		}
		if others = append(others, short(v)); len(others) > othersNamed || short(v) == short(first) || len(short(v)) > shortChars {
			return ""
		}
	}
	if others == nil || r.ViolationsTotal > uint64(len(r.Violations)) {
		return ""
	}
	return " Besides: " + strings.Join(others, "; ") + "."
}

// sameEvent is one of some violations that is at the cycle and place of another, nil for none.
func sameEvent(before []*outcome.Violation, v *outcome.Violation) *outcome.Violation {
	for _, b := range before {
		if b.Cycle == v.Cycle && b.Path == v.Path {
			return b
		}
	}
	return nil
}

// extent says how often a rule was broken, at how many processors or other places, and in which slots.
func extent(r *outcome.Report, rule string) string {
	places, slots, count, processors := map[string]bool{}, map[uint64]bool{}, 0, 0
	least, most := ^uint64(0), uint64(0)
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == rule {
			if !places[v.Path] && slices.Contains(r.Aside.Known.Processors, v.Path) {
				processors++
			}
			places[v.Path], slots[v.Slot] = true, true
			least, most = min(least, v.Slot), max(most, v.Slot)
			count++
		}
	}
	if f := &r.Firmware; rule == fabric.RuleMeetsBudget && f.Cycles != nil && f.Overruns != nil && *f.Overruns == f.Cycles.Calls {
		return fmt.Sprintf(" Every call of a handler took longer: all %s, every slot.", traces.Plural(uint64(r.Aside.Known.Count), "processor", "processors"))
	}
	if count < 2 {
		return ""
	}
	more := "" // of which a report does not know
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		more = " or more"
	}
	text := fmt.Sprintf(" It was broken %d times%s", count, more)
	switch all := r.Aside.Known.Count; {
	case processors > 1 && processors == all:
		text += fmt.Sprintf(", at all %d processors", all)
	case len(places) > 1 && processors == len(places):
		text += fmt.Sprintf(", at %d of %d processors%s", processors, all, more)
	case len(places) > 1:
		text += fmt.Sprintf(", at %d places%s", len(places), more)
	}
	switch whole := uint64(len(slots)) == most-least+1; {
	case whole && least == 0 && most+1 == r.Slots && len(slots) > 1:
		text += ", in every slot"
	case more != "":
		text += fmt.Sprintf(", from slot %d on", least)
	case len(slots) == 1:
	case len(slots) == 2:
		text += fmt.Sprintf(", in slots %d and %d", least, most)
	case whole:
		text += fmt.Sprintf(", in every slot from %d to %d", least, most)
	default:
		text += fmt.Sprintf(", in %d slots from %d to %d", len(slots), least, most)
	}
	return text + "."
}

// whereTexts say where the first violation is: what faults did before, the place in the network and in the firmware, who
// sent there; where it was broken next, and where the other rules were broken first.
func whereTexts(r *outcome.Report, firsts []*outcome.Violation) (texts []string) {
	first := firsts[0]
	if slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Cause == outcome.CauseFaults }) {
		for k := range r.Faults[:min(len(r.Faults), faultsNamed)] {
			texts = append(texts, faultText(r, k))
		}
	}
	where := capital(whereOf(r, first)) + "."
	if came := crossed(r, first); came != nil {
		where = fmt.Sprintf("Two moments. By the end of slot %d, cycle %d, the packet should have come to %s: that is the deadline. "+
			"It came in slot %d: it was sent at cycle %d, and had come at cycle %d.", first.Slot, first.Cycle, first.Path, came.Crossed, came.Cycle, came.Came)
	}
	if len(texts) > 0 {
		where = fmt.Sprintf("`%s`: first noticed %s.", first.Rule, noticed(r, first))
	}
	if len(first.Backtrace) > 0 {
		where += " In the firmware: " + first.Backtrace[0].String() + "."
	}
	if c := r.Firmware.Cycles; first.Rule == fabric.RuleMeetsBudget && c != nil && c.Worst != nil && c.Worst.Profile != nil {
		if stack := c.Worst.Profile.Stack; len(stack) > 0 {
			where += fmt.Sprintf(" The longest call of a handler, %s, spent most of its %d cycles in %s.", c.Worst.Text(), c.Max, stack[0].Frame)
		}
	}
	if s := sceneAt(r, first); s != nil {
		if senders := sendersOn(s); senders != "" {
			where += " Sent there in this slot: " + senders + "."
		}
		if s.Sender != "" {
			where += " The packet is that of " + s.Sender + ": [what that did in each slot, and the signals when it sent this one](#violation-1)."
		}
	}
	where += nextPlace(r, first)
	texts = append(texts, where)
	for i, v := range firsts[1:min(len(firsts), rulesNamed)] {
		text := fmt.Sprintf("`%s`: first %s.", v.Rule, noticed(r, v))
		if one := sameEvent(firsts[:i+1], v); one != nil {
			text = fmt.Sprintf("`%s`: first at the same cycle and place as `%s`; they are one event.", v.Rule, one.Rule)
		}
		texts = append(texts, text+nextPlace(r, v))
	}
	return append(texts, r.Aside.Known.Paths...)
}

// nextPlace says where and when a rule was broken next, at another place or time than a first violation, "" for nowhere.
func nextPlace(r *outcome.Report, first *outcome.Violation) string {
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == first.Rule && v != first && (v.Path != first.Path || v.Cycle != first.Cycle) {
			if v.Cycle == first.Cycle {
				return sameTime(r, first)
			}
			return fmt.Sprintf(" Then %s.", noticed(r, v))
		}
	}
	return ""
}

// placesNamed is at how many more places it is said that a rule was broken in the same cycle.
const placesNamed = 8

// sameTime names the other places at which a rule was broken in the cycle of a first violation.
func sameTime(r *outcome.Report, first *outcome.Violation) string {
	var places []string
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == first.Rule && v.Cycle == first.Cycle && v.Path != first.Path && !slices.Contains(places, v.Path) {
			places = append(places, v.Path)
		}
	}
	also := "In the same cycle also at"
	if first.Rule == fabric.RuleDeadline {
		also = "It was also missed at"
	}
	if more := len(places) - placesNamed; more > 1 {
		return fmt.Sprintf(" %s %s and %d more places.", also, strings.Join(places[:placesNamed], ", "), more)
	}
	return fmt.Sprintf(" %s %s.", also, join(places))
}

// sceneAt is the scene of a violation, nil if there is none.
func sceneAt(r *outcome.Report, v *outcome.Violation) *outcome.Scene {
	for i := range r.Aside.Scenes {
		if s := &r.Aside.Scenes[i]; s.Violation >= 0 && &r.Violations[s.Violation] == v {
			return s
		}
	}
	return nil
}

const sendersShown = 4

func sendersOn(s *outcome.Scene) string {
	var names []string
	for i := range s.Frames {
		x := &s.Frames[i]
		if !x.Sent || x.Slot != s.Slot || x.Medium != s.Path && x.Link != s.Path {
			continue
		}
		if len(names) == sendersShown {
			return join(names) + " and others"
		}
		names = append(names, fmt.Sprintf("processor %d at %s", x.Processor, x.Path))
	}
	return join(names)
}
