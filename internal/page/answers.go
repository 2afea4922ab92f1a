package page

import (
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

func runAnswers(r *outcome.Report, order []outcome.Repeat, written []outcome.OutputFile) []Answer {
	switch {
	case len(order) > 0:
		firsts := firstOfRules(r, order)
		return Failed(whatTexts(r, firsts), whereTexts(r, firsts), causeBlocks(r, firsts), notesBeside(r),
			nextSteps(r, firsts[0], written)...)
	case r.Aside.Command == "":
		return Passed(r.Notes, Block{Text: "Nothing failed."})
	}
	return Passed(r.Notes, Block{Text: "Nothing failed. This command repeats the run:"}, Block{Command: r.Aside.Command})
}

func causeBlocks(r *outcome.Report, firsts []*outcome.Violation) []Block {
	blocks := slices.Concat(paragraphs("unfit", r), ackedBlocks(r, sceneAt(r, firsts[0])), deadlineBlocks(r, firsts))
	if cutSummary(r) != "" {
		blocks = append(blocks, paragraphs("limit", r)...)
	}
	blocks = append(blocks, deadlockBlocks(firsts)...)
	if !r.ByFaults() {
		return blocks
	}
	var names []string
	first := 0
	for k := range r.Faults {
		if r.Faults[k].First != nil {
			if names = append(names, r.FaultName(k)); len(names) == 1 {
				first = k + 1
			}
		}
	}
	injected := paragraphs("injected", map[string]any{"Names": names, "Alone": breaksAlone(r), "First": first})
	blocks = slices.Concat(blocks, injected, cutBlocks(r), lastSeenBlocks(r))
	for i := range r.Aside.Stood[:min(len(r.Aside.Stood), rulesNamed)] {
		if s := &r.Aside.Stood[i]; s.Next != nil {
			blocks = append(blocks, paragraphs("stood", struct {
				*outcome.Report
				Stood *outcome.Stood
			}{r, s})...)
		}
	}
	var tried []Step
	for _, remedy := range r.Aside.Remedies {
		if remedy.Tried && remedy.Rule == "" {
			tried = append(tried, remedy.Step)
		}
	}
	if tried != nil {
		blocks = append(blocks, Block{Text: "The run was repeated without one fault each:"}, Block{Steps: tried})
	}
	return blocks
}

// seenBefore returns the first located loss before the end of an unfinished run, nil for none.
func seenBefore(r *outcome.Report, v *outcome.Violation) *outcome.Violation {
	if v.Subject.Kind != fabric.FindUnfinished || v.Cause == outcome.CauseFaults || len(r.Aside.LastSeen) == 0 {
		return nil
	}
	return &r.Aside.LastSeen[0]
}

func lastSeenBlocks(r *outcome.Report) []Block {
	if len(r.Aside.LastSeen) == 0 {
		return nil
	}
	t := table("Last places of the packets that had not arrived when the run ended.", "#cycle", "#slot", "where", "what")
	for _, v := range r.Aside.LastSeen {
		t.row(v.Cycle, v.Slot, v.Path, v.Message)
	}
	return []Block{{Table: t}}
}

func deadlockBlocks(firsts []*outcome.Violation) (blocks []Block) {
	i := slices.IndexFunc(firsts, func(v *outcome.Violation) bool { return v.Rule == fabric.RuleDeadlock })
	if i < 0 {
		return nil
	}
	t := table("A ring in which nothing can move: each waits for what the next holds, and the last waits for what the "+
		"first holds.", "who", "is in", "waits for")
	for _, w := range firsts[i].Waits {
		where := w.Holds
		if !w.NIC {
			where += " (" + w.Path + ")"
		}
		t.row(w.Who, where, w.For)
	}
	blocks = append([]Block{{Table: t}}, paragraphs("ring closed", firsts[i].Cycle)...)
	if slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Rule == fabric.RuleFinishes }) {
		blocks = append(blocks,
			text("`%s` follows from `%s`: processors that wait for frames of the knot are never done.",
				fabric.RuleFinishes, fabric.RuleDeadlock))
	}
	return blocks
}

func deadlineBlocks(r *outcome.Report, firsts []*outcome.Violation) []Block {
	late, least := r.Aside.Late, r.Aside.Known.Least
	if late == nil ||
		!slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Rule == fabric.RuleDeadline }) {
		return nil
	}
	blocks := paragraphs("deadline", r)
	if late.Packets && uint64(least.Slots) > late.Deadline && least.Sum != "" {
		blocks = append(blocks, Block{Fold: texts.Say("why not less", least), Folded: least.Sum + "."})
	}
	for _, remedy := range r.Aside.Remedies {
		if remedy.Tried && remedy.Rule == fabric.RuleDeadline {
			blocks = append(blocks, Block{Text: remedy.Text})
		}
	}
	return blocks
}

func ackedBlocks(r *outcome.Report, s *outcome.Scene) []Block {
	var seen []ackedLoss
	for i := 0; s != nil && i < len(s.Trails); i++ {
		if loss := ackedThenLost(r, &s.Trails[i]); loss != nil {
			seen = append(seen, *loss)
		}
	}
	return paragraphs("acked", seen)
}

// notesBeside returns the notes of a report that do not repeat its cause or remedies.
func notesBeside(r *outcome.Report) []string {
	return slices.DeleteFunc(slices.Clone(r.Notes), func(note string) bool {
		return note == r.Aside.Known.Unfit && note != "" || r.Aside.Known.Check != "" &&
			strings.HasPrefix(note, fabric.ReplacedNote) ||
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

const rulesNamed = 3

func whatTexts(r *outcome.Report, firsts []*outcome.Violation) (what []string) {
	for i, v := range firsts {
		if i == rulesNamed {
			return append(what, texts.Say("more rules", len(firsts)-i))
		}
		limits := r.Aside.Known.Limits
		what = append(what, texts.Say("what", struct {
			failure
			Same           *outcome.Violation
			Limit          string
			Extent         *extent
			Others, Shares []string
		}{failure{r, v}, sameEvent(firsts[:i], v), limits[v.Rule], extentOf(r, v.Rule),
			othersOf(r, v), shares(r, v.Rule)}))
	}
	return what
}

const othersNamed, shortChars = 5, 80

// othersOf returns the messages of the other violations of a rule, shortened; nil if the messages are too many, too
// long, or equal.
func othersOf(r *outcome.Report, first *outcome.Violation) (others []string) {
	short := func(v *outcome.Violation) string {
		message, _, _ := strings.Cut(v.Message, ": ")
		return message
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		if v.Rule != first.Rule || v == first {
			continue
		}
		if others = append(others, short(v)); len(others) > othersNamed || short(v) == short(first) ||
			len(short(v)) > shortChars {
			return nil
		}
	}
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		return nil
	}
	return others
}

func sameEvent(before []*outcome.Violation, v *outcome.Violation) *outcome.Violation {
	for _, b := range before {
		if b.Cycle == v.Cycle && b.Path == v.Path {
			return b
		}
	}
	return nil
}

type extent struct {
	Always                                bool // every handler call broke the rule
	Count, All, Processors, Places, Slots int
	More                                  string // " or more" if the report does not list all violations
	Least, Most                           uint64 // first and last slot
	Whole, Every                          bool   // a violation in each slot from Least to Most; in each slot of the run
}

// extentOf returns the extent of a rule's violations, nil for a single violation.
func extentOf(r *outcome.Report, rule string) *extent {
	x := &extent{All: r.Aside.Known.Count, Least: ^uint64(0)}
	places, slots := map[string]bool{}, map[uint64]bool{}
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == rule {
			if !places[v.Path] && slices.Contains(r.Aside.Known.Processors, v.Path) {
				x.Processors++
			}
			places[v.Path], slots[v.Slot] = true, true
			x.Least, x.Most = min(x.Least, v.Slot), max(x.Most, v.Slot)
			x.Count++
		}
	}
	f := &r.Firmware
	x.Always = rule == fabric.RuleMeetsBudget && f.Cycles != nil && f.Overruns != nil && *f.Overruns == f.Cycles.Calls
	if x.Count < 2 && !x.Always {
		return nil
	}
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		x.More = " or more"
	}
	x.Places, x.Slots = len(places), len(slots)
	x.Whole = uint64(x.Slots) == x.Most-x.Least+1
	x.Every = x.Whole && x.Least == 0 && x.Most+1 == r.Slots && x.Slots > 1
	return x
}

// whereTexts locates the first effects of faults, then the first violation of each rule in the network and in the
// firmware.
func whereTexts(r *outcome.Report, firsts []*outcome.Violation) (where []string) {
	faulted := slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Cause == outcome.CauseFaults })
	for k := 0; faulted && k < min(len(r.Faults), faultsNamed); k++ {
		where = append(where, faultText(r, k))
	}
	for i, v := range firsts[:min(len(firsts), rulesNamed)] {
		p := placed{failure: failure{r, v}, Faulted: len(where) > 0, Same: sameEvent(firsts[:i], v)}
		p.next()
		kind := "place"
		if i == 0 {
			p.look()
			kind = "first place"
		}
		where = append(where, texts.Say(kind, p))
	}
	return append(where, r.Aside.Known.Paths...)
}

type placed struct {
	failure
	Faulted  bool // a fault struck before
	Same     *outcome.Violation
	Came     *outcome.LatestPath
	Worst    *outcome.WorstCall
	Senders  []string
	Sender   string
	Next     string   // place of the next violation, "" for none
	Also     []string // other paths in the same cycle, if Next is ""
	AlsoMore int
}

func (p *placed) look() {
	p.Came = crossed(p.R, p.V)
	if c := p.R.Firmware.Cycles; p.V.Rule == fabric.RuleMeetsBudget && c != nil && c.Worst != nil &&
		c.Worst.Profile != nil && len(c.Worst.Profile.Stack) > 0 {
		p.Worst = c.Worst
	}
	if s := sceneAt(p.R, p.V); s != nil {
		p.Senders, p.Sender = sendersOn(s), s.Sender
	}
}

const placesNamed = 8

func (p *placed) next() {
	first, same := p.V, false
	for i := range p.R.Violations {
		v := &p.R.Violations[i]
		if v.Rule != first.Rule || v == first || v.Path == first.Path && v.Cycle == first.Cycle {
			continue
		}
		if p.Next == "" && !same {
			if same = v.Cycle == first.Cycle; !same {
				p.Next = failure{p.R, v}.Noticed()
			}
		}
		if same && v.Cycle == first.Cycle && !slices.Contains(p.Also, v.Path) {
			p.Also = append(p.Also, v.Path)
		}
	}
	if more := len(p.Also) - placesNamed; more > 1 {
		p.Also, p.AlsoMore = p.Also[:placesNamed], more
	}
}

func sceneAt(r *outcome.Report, v *outcome.Violation) *outcome.Scene {
	for i := range r.Aside.Scenes {
		if s := &r.Aside.Scenes[i]; s.Violation >= 0 && &r.Violations[s.Violation] == v {
			return s
		}
	}
	return nil
}

const sendersShown = 4

func sendersOn(s *outcome.Scene) (names []string) {
	for i := range s.Frames {
		x := &s.Frames[i]
		if !x.Sent || x.Slot != s.Slot || x.Medium != s.Path && x.Link != s.Path {
			continue
		}
		if len(names) == sendersShown {
			names[sendersShown-1] += " and others"
			return names
		}
		names = append(names, texts.Say("sender", x))
	}
	return names
}

type summary struct {
	*outcome.Report
	Tested           int      // number of tested rules
	Names, Undecided []string // broken rules; untested rules except finishes
	By               string   // origin of the limit of slots
}

func summaryOf(r *outcome.Report) *summary {
	s := &summary{Report: r, By: r.Aside.Known.LimitedBy, Names: outcome.LeftOf(r).Rules}
	for _, rule := range r.Rules {
		if unheld(r, rule) == "" {
			s.Tested++
		} else if rule != fabric.RuleFinishes {
			s.Undecided = append(s.Undecided, rule)
		}
	}
	return s
}

func runSummary(r *outcome.Report) string {
	if cut := cutSummary(r); cut != "" {
		return cut
	}
	return texts.Say("summary", summaryOf(r))
}

// cutSummary returns the summary of a run that fails only because of its slot limit, "" for others.
func cutSummary(r *outcome.Report) string {
	if count := broken(r); r.Aside.Known.LimitedBy == "" || len(r.Faults) > 0 || len(count) != 1 ||
		count[fabric.RuleFinishes] == 0 {
		return ""
	}
	return texts.Say("cut short", summaryOf(r))
}
