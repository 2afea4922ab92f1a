package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

const faultsNamed, lostShown = 4, 8

func faultText(r *outcome.Report, fault int) string {
	f, shown := &r.Faults[fault], uint64(0)
	if s := sceneOfFault(r, fault); s != nil && s.Waves != nil && f.First != nil && s.Path == f.First.Path &&
		s.Waves.Columns[s.Waves.Marked] > f.First.Cycle {
		shown = s.Waves.Columns[s.Waves.Marked]
	}
	return texts.Say("struck", map[string]any{"Fault": f, "Name": r.FaultName(fault), "Number": fault + 1, "Shown": shown})
}

func breaksAlone(r *outcome.Report) (parts []string) {
	for k := range r.Faults {
		count := map[string]int{}
		for i := range r.Violations {
			if v := &r.Violations[i]; r.Aside.Known.Blamed && slices.Contains(v.Faults, k) {
				count[v.Rule]++
			}
		}
		for _, rule := range slices.Sorted(maps.Keys(count)) {
			parts = append(parts,
				texts.Say("breaks", map[string]any{"Fault": r.FaultName(k), "Rule": rule, "Count": count[rule]}))
		}
	}
	return parts
}

func cutBlocks(r *outcome.Report) (blocks []Block) {
	for k := range r.Faults {
		var roots, behind []string
		for i := range r.Violations {
			v := &r.Violations[i]
			switch {
			case v.Rule != fabric.RuleExactlyOnce || !slices.Equal(v.Faults, []int{k}):
			case strings.Contains(v.Message, ": it comes by way of "):
				behind = append(behind, v.Path)
			default:
				roots = append(roots, v.Message)
			}
		}
		if len(roots) > 0 && len(roots) <= faultsNamed && len(behind) > 0 {
			if more := len(behind) - lostShown; more > 0 {
				behind = append(behind[:lostShown], fmt.Sprintf("%d more", more))
			}
			blocks = append(blocks,
				paragraphs("cut off", map[string]any{"Fault": r.FaultName(k), "Roots": roots, "Behind": behind})...)
		}
	}
	return blocks
}

func shares(r *outcome.Report, rule string) (order []string) {
	count := map[string]int{}
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == rule && v.Cause != "" {
			who := texts.Say("share", failure{r, v})
			if count[who]++; count[who] == 1 {
				order = append(order, who)
			}
		}
	}
	if len(order) < 2 {
		return nil
	}
	for i, who := range order {
		order[i] = fmt.Sprintf("%d %s", count[who], who)
	}
	return order
}

func sceneOfFault(r *outcome.Report, fault int) *outcome.Scene {
	for i := range r.Aside.Scenes {
		if s := &r.Aside.Scenes[i]; s.Violation < 0 && s.Fault == fault {
			return s
		}
	}
	return nil
}

// struck returns the first effect of faults in a run that failed because of them, nil for none.
func struck(r *outcome.Report) (first *outcome.FaultFirst) {
	for k := range r.Faults {
		if at := r.Faults[k].First; r.ByFaults() && at != nil && (first == nil || at.Cycle < first.Cycle) {
			first = at
		}
	}
	return first
}

func faultsSection(r *outcome.Report) *Section {
	if len(r.Faults) == 0 {
		return nil
	}
	set := r.Aside.Known.Faults
	t := table("Settings and effects of each fault.", "fault", "is set to", "has done")
	for i := range r.Faults {
		to := ""
		if i < len(set) {
			_, to, _ = strings.Cut(set[i], ": ")
		}
		t.row(r.FaultName(i), to, r.Faults[i].Text())
	}
	s := &Section{Title: "Faults of the scenario", Blocks: []Block{{Table: t}}}
	if r.Without != nil {
		s.Blocks = append(s.Blocks, text("The same run without the faults: %s.", r.Without.Text()))
	}
	return s
}
