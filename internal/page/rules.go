package page

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces/meaning"
)

// rules returns meaning and remedy of each rule, by name. In a remedy, #violation-1 is the first violation of the
// page.
var rules = sync.OnceValue(func() map[string]*meaning.Entry {
	all := map[string]*meaning.Entry{}
	for _, group := range slices.Concat(fabric.Meanings(), outcome.Meanings()) {
		for i := range group.Entries {
			if e := &group.Entries[i]; e.Remedy != "" {
				all[e.Name] = e
			}
		}
	}
	return all
})

var remedyByKind = map[fabric.FindingKind]string{fabric.FindDuplicate: "duplicate", fabric.FindMisrouted: "misrouted",
	fabric.FindUnsent: "unsent", fabric.FindUnbacked: "unbacked"}

func adviceOn(v *outcome.Violation) string {
	if name := remedyByKind[v.Subject.Kind]; name != "" {
		return texts.Say(name, nil)
	}
	if rule := rules()[v.Rule]; rule != nil {
		return rule.Remedy
	}
	return ""
}

// ruleText returns the short meaning of a rule with its limit in this run, "" if unknown.
func ruleText(name string, limits map[string]string) string {
	rule := rules()[name]
	if rule == nil {
		return ""
	}
	means := firstClause.FindString(rule.Means)
	if limit := limits[name]; limit != "" {
		means += ", here " + limit
	}
	return means
}

// firstClause matches up to the first full stop or semicolon before a space.
var firstClause = regexp.MustCompile(`^([^.;]|[.;][^ ])*`)

func rulesSection(names []string, broken map[string]int, unheld, kept func(rule string) string,
	known *outcome.Known) *Section {
	t := table("Rules of the run. Not tested: requested, but never tested in the run; not checked: not requested.",
		"rule", "means", "result")
	listed, results := map[string]bool{}, map[string]int{}
	row := func(name string) {
		result := "kept"
		if n := broken[name]; n > 0 {
			result = fmt.Sprintf("BROKEN %s", times(n))
			results["broken"]++
		} else if why := unheld(name); why != "" {
			result = "not tested: " + why
			results["not tested"]++
		} else {
			results[result]++
			result += kept(name)
		}
		listed[name] = true
		t.row(name, ruleText(name, known.Limits), result)
	}
	for _, name := range names {
		row(name)
	}
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		if !listed[name] {
			row(name)
		}
	}
	for _, name := range known.Unchecked {
		t.row(name, ruleText(name, nil),
			"not checked: rules of the scenario or of --set replace the rules of "+known.Program)
		results["not checked"]++
	}
	var gist []string
	for _, result := range []string{"broken", "kept", "not tested", "not checked"} {
		if n := results[result]; n > 0 {
			gist = append(gist, fmt.Sprintf("%d %s", n, result))
		}
	}
	return &Section{Title: "Rules", Gist: join(gist), Blocks: []Block{{Table: t}}}
}

func keptBy(r *outcome.Report, rule string) string {
	var k struct {
		Dead      uint64
		Missing   bool
		Unreached int
	}
	switch rule {
	case fabric.RuleFinishes:
		if i := slices.IndexFunc(r.Faults,
			func(f outcome.FaultReport) bool { return f.Kind == fabric.FaultNames[fabric.FaultDead] && f.Count > 0 }); i >= 0 {
			k.Dead = r.Faults[i].Count
		}
		k.Missing = r.Aside.Known.Packets && slices.ContainsFunc(r.Violations, missing)
	case fabric.RuleReceiveStep:
		k.Unreached = broken(r)[fabric.RuleExactlyOnce]
	}
	return texts.Say("kept", k)
}

func missing(v outcome.Violation) bool { return v.Subject.Kind == fabric.FindMissing }

func broken(r *outcome.Report) map[string]int {
	count := map[string]int{}
	for i := range r.Violations {
		count[r.Violations[i].Rule]++
	}
	return count
}

func unheld(r *outcome.Report, rule string) string {
	cut := r.Aside.Known.Cut
	if why := r.Aside.Undecided[rule]; why != "" {
		return why
	}
	switch rule {
	case fabric.RuleFinishes:
		return cut
	case fabric.RuleMeetsBudget:
		if r.Firmware.Cycles == nil || r.Firmware.Cycles.Calls == 0 {
			return "no handler was called"
		}
	case fabric.RuleExactlyOnce:
		if r.Frames.Sent == 0 {
			return unsent
		}
		return cut
	case fabric.RuleCollisionFree, fabric.RuleHeld, fabric.RuleNoLoss, fabric.RuleDeadline, fabric.RuleNoCreation,
		fabric.RuleOneBus, fabric.RuleBusLength:
		if r.Frames.Sent == 0 {
			return unsent
		}
	case fabric.RuleReceiveStep:
		if r.Frames.Delivered == 0 {
			return "no frame was received"
		}
	}
	return ""
}

const unsent = "no frame was sent"

// wordsSection defines the terms of a page, and its signals.
func wordsSection(known *outcome.Known, shown func(signal string) bool) *Section {
	t := table("Words.", "word", "means")
	for _, line := range texts.Lines("words", nil) {
		word, means, _ := strings.Cut(line, ": ")
		t.row(word, means)
	}
	for _, line := range texts.Lines("signals", known) {
		if signal, means, _ := strings.Cut(line, ": "); shown(signal) {
			t.row("`"+signal+"`", means)
		}
	}
	return &Section{Title: "Words", Blocks: []Block{{Table: t}}}
}
