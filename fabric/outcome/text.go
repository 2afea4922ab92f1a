package outcome

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"starloom/fabric"
)

// limits of the violations in the text form; the limit per rule prevents one rule from hiding the others
const (
	violationsShown        = 10
	violationsShownPerRule = 3
)

// WriteText writes the verdict with its reasons, the length of the run, its figures, and the output files with
// commands to open them.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	shown := struct {
		*Report
		Shown    []*Violation
		More     uint64
		Rest     string
		Unsorted bool
	}{Report: r}
	places := Shown(r.Violations, violationsShown, violationsShownPerRule)
	for _, k := range places {
		shown.Shown = append(shown.Shown, &r.Violations[k])
	}
	shown.More, shown.Rest = r.ViolationsTotal-uint64(len(places)), r.restText(places)
	shown.Unsorted = !slices.IsSortedFunc(shown.Shown, func(a, b *Violation) int { return cmp.Compare(a.Cycle, b.Cycle) })
	b.WriteString(texts.Say("report", shown))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(table, "%s\t%s\n", name, value) }
	row("slots", strconv.FormatUint(r.Slots, 10))
	row("cycles", strconv.FormatUint(r.Cycles, 10))
	for _, metric := range r.Metrics {
		if metric.Former {
			continue
		}
		if lined, ok := metric.Value.(fabric.Lined); ok {
			rows(row, metric.Name, lined.Lines())
			continue
		}
		if text := FormatMetric(metric.Value); text != "" { // a list may be empty
			for _, more := range []string{metric.In, metric.Of} {
				if more != "" && metric.Value != nil {
					text += "  " + more
				}
			}
			row(metric.Name, text)
		}
	}
	row("frames", r.framesText())
	for i := range r.Faults {
		row("fault "+r.Faults[i].Kind, r.Faults[i].Text())
	}
	if r.Without != nil {
		row("without faults", r.Without.Text())
	}
	runRows(row, r.rulesWithLimits(), &r.Firmware, r.RTL, r.Engine)
	row("seed", strconv.FormatUint(r.Seed, 10))
	row("digest", r.DigestText())
	if err := table.Flush(); err != nil {
		return err
	}
	writeFiles(&b, r.Files)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) framesText() string {
	text, collided := r.Frames.Text(), fmt.Sprintf("%d collided", r.Frames.Collided)
	if r.Frames.Collided == 0 ||
		slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == fabric.RuleCollisionFree }) {
		return text
	}
	why := " (no rule forbids it)"
	if slices.Contains(r.Rules, fabric.RuleCollisionFree) {
		why = " (in slots in which collision_free allows it)"
	}
	return strings.Replace(text, collided, collided+why, 1)
}

func (r *Report) restText(shown []int) string {
	var rules []string
	count := map[string]int{}
	for k := range r.Violations {
		if rule := r.Violations[k].Rule; !slices.Contains(shown, k) {
			if count[rule]++; count[rule] == 1 {
				rules = append(rules, rule)
			}
		}
	}
	if rules == nil {
		return ""
	}
	for i, rule := range rules {
		rules[i] = fmt.Sprintf("%d of %s", count[rule], rule)
	}
	text := strings.Join(rules, ", ")
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		text += ", as far as listed"
	}
	return " (" + text + ")"
}

// Shown selects the displayed violations: up to most violations in total, and up to ofOneRule violations per rule.
// Violations by handlers precede other violations, because they may cause losses of packets in earlier cycles;
// otherwise the order is by cycle.
func Shown(violations []Violation, most, ofOneRule int) (places []int) {
	own := []string{fabric.RuleTrap, fabric.RuleFail, fabric.RuleIllegalSend,
		fabric.RuleIllegalListen, fabric.RuleMeetsBudget}
	count := map[string]int{}
	for _, handlers := range []bool{true, false} {
		for k := range violations {
			rule := violations[k].Rule
			if slices.Contains(own, rule) != handlers || len(places) == most || count[rule] == ofOneRule {
				continue
			}
			count[rule]++
			places = append(places, k)
		}
	}
	return places
}

// Repeat stands for violations that differ only in time. Place is the index of the first violation, Times their
// number, and Last the index of the last violation.
type Repeat struct{ Place, Times, Last int }

// ShownOnce is Shown without violations that differ from an earlier violation only in time. The violation with index
// one precedes the others of its rule; -1 for none.
func ShownOnce(violations []Violation, one, most, ofOneRule int) (all []Repeat) {
	var once []Violation
	var repeats []Repeat
	order := make([]int, len(violations))
	for k := range order {
		order[k] = k
	}
	if one >= 0 {
		first := slices.IndexFunc(violations, func(v Violation) bool { return v.Rule == violations[one].Rule })
		order = slices.Insert(slices.Delete(order, one, one+1), first, one)
	}
	for _, k := range order {
		v := &violations[k]
		i := slices.IndexFunc(once, func(o Violation) bool {
			return o.Rule == v.Rule && o.Path == v.Path && o.Message == v.Message && o.Cause == v.Cause
		})
		if i < 0 {
			i = len(once)
			once, repeats = append(once, *v), append(repeats, Repeat{Place: k})
		}
		repeats[i].Times++
		repeats[i].Last = k
	}
	for _, i := range Shown(once, most, ofOneRule) {
		all = append(all, repeats[i])
	}
	return all
}

func (r *Report) rulesWithLimits() []string {
	rules := slices.Clone(r.Rules)
	for i, rule := range rules {
		if limit := r.Aside.Known.Limits[rule]; limit != "" && rule != fabric.RuleCollisionFree {
			rules[i] += " (" + limit + ")"
		}
	}
	return rules
}

func runRows(row func(name, value string), rules []string, f *FirmwareReport, rtl []RTLReport, engine string) {
	row("rules", strings.Join(rules, ", "))
	row("firmware", firmwareText(*f))
	if mode := modeText(f); mode != "" {
		row("mode", mode)
	}
	f.handlerRows(row)
	if len(rtl) > 0 {
		row("rtl", rtlText(rtl))
	}
	row("engine", engine)
}

// Release is the version of the sources: the next version after the last one in CHANGELOG.md. It ends in -dev until
// CHANGELOG.md has a heading for it.
const Release = "0.5.0-dev"

// Version returns the release of this program and the commit from which it was built.
func Version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	return fmt.Sprintf("starloom %s, %s", Release, commitText(build.Settings))
}

const commitDigits = 12

func commitText(settings []debug.BuildSetting) string {
	note := map[string]string{}
	for _, s := range settings {
		note[s.Key] = s.Value
	}
	commit := note["vcs.revision"]
	switch {
	case commit == "":
		return "commit unknown (built without version control)"
	case note["vcs.modified"] == "true":
		return fmt.Sprintf("commit %.*s (modified)", commitDigits, commit)
	}
	return fmt.Sprintf("commit %.*s", commitDigits, commit)
}
