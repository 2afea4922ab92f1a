package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/rounded"
)

// Limits of a page of many runs.
const (
	histogramsMax = 12
	histogramBars = 24
)

// Seeds returns the page of many runs.
func Seeds(r *outcome.SeedsReport) *Page {
	p := &Page{Subject: "run --seeds", Name: outcome.Printable(r.Scenario), Verdict: r.Verdict}
	seeds := outcome.Seeds{First: r.Seeds[0], Last: r.Seeds[1]}
	p.Summary = fmt.Sprintf("%s with seeds %s: none broke a rule.", traces.Plural(r.Runs, "run", "runs"), seeds.String())
	if r.FailedTotal > 0 {
		p.Summary = fmt.Sprintf("%d of %s failed, with seeds %s.", r.FailedTotal,
			traces.Plural(r.Runs, "run", "runs"), seeds.String())
		if len(r.Failed) > 0 {
			p.Cause, p.Summary = seedsCause(r), seedsSummary(r)
		}
	}
	if r.Interrupted() {
		p.Summary += fmt.Sprintf(" Interrupted after %d of %d runs.", r.Runs, r.RunsTotal)
	}
	p.Summary += expected(r.Expect)
	p.Answers = seedsAnswers(r)
	p.add(failedSection(r))
	const survival = "Number of runs that have broken no rule, with Wilson's 95% interval."
	if drawn := FigurePicture(survival, survivalFigure(r)); drawn != nil {
		p.Add("Survival", Block{Picture: drawn})
	}
	p.add(statisticsSection(r.Statistics))
	p.add(histogramSection(r.Statistics))
	p.add(rulesSection(r.Rules, seedsBroken(r), func(rule string) string { return seedsUnheld(r, rule) },
		func(string) string { return "" }, &outcome.Known{}))
	p.add(costSection(&r.Firmware))
	more := [][2]string{{"seeds", seeds.String()}, {"runs", strconv.FormatUint(r.Runs, 10)},
		{"digest of all digests", r.Digest}}
	if r.MostSlots != nil {
		more = append(more,
			[2]string{"most slots",
				fmt.Sprintf("%d, repeat with %s", r.MostSlots.Slots, outcome.Alone(r.MostSlots.Seed, r.MostSlots.Permutation))})
	}
	p.add(aboutSection(r.Aside.Command, &r.Firmware, r.RTL, more))
	return p
}

// seedsCause names the rule and the place that most runs broke first, and the cause in one of these runs.
func seedsCause(r *outcome.SeedsReport) string {
	one, count, ofRule := r.MostFailed()
	why, limit := "", ""
	if r.Aside.One != nil {
		why = Run(r.Aside.One, nil).Cause
	}
	for _, note := range r.Notes {
		if one.Rule == fabric.RuleFinishes && strings.HasPrefix(note, outcome.LimitNotePrefix) {
			limit = note
		}
	}
	return texts.Say("seeds cause",
		map[string]any{"R": r, "Count": count, "OfRule": ofRule, "One": one, "Limit": limit, "Why": why})
}

// seedsSummary names the seeds, and the rates at which runs failed.
func seedsSummary(r *outcome.SeedsReport) string {
	var rates []string
	for i := range r.Survival {
		if p := &r.Survival[i]; p.Rate != nil {
			rates = append(rates, fmt.Sprintf("%d at %s", p.Runs-p.Survived, outcome.ExactFloat(*p.Rate)))
		}
	}
	return texts.Say("seeds summary", map[string]any{"Seeds": outcome.Seeds{First: r.Seeds[0], Last: r.Seeds[1]},
		"Rates": rates, "Permutations": r.Permutations})
}

func seedsAnswers(r *outcome.SeedsReport) []Answer {
	if len(r.Failed) == 0 {
		return Passed(r.Notes, Block{Text: "Nothing failed. The [figures](#statistics) have intervals; a single run has " +
			"its own page."})
	}
	one, _, _ := r.MostFailed()
	first := struct {
		*outcome.SeedsReport
		One *outcome.FailedRun
	}{r, one}
	said := texts.Lines("first seed", first)
	return Failed(said[:1], said[1:], nil, r.Notes, texts.Steps("seeds next", first)...)
}

func failedSection(r *outcome.SeedsReport) *Section {
	if len(r.Failed) == 0 {
		return nil
	}
	t := table("Failed runs, by the first broken rule and its place.", "rule", "where", "#runs", "cycles",
		"what", "the first alone")
	t.Columns[2].Opens, t.Lists = true, map[int][]string{}
	t.Sorts = len(r.Failed) > 12
	all, listed := failedGroups(r), 0
	for _, g := range all[:min(len(all), alikeRows)] {
		f := &r.Failed[g.all[0]]
		least, most := f.First.Cycle, f.First.Cycle
		for _, i := range g.all {
			least, most = min(least, r.Failed[i].First.Cycle), max(most, r.Failed[i].First.Cycle)
		}
		t.Lists[len(t.Rows)] = failedRuns(r, g.all)
		t.row(f.Rule, f.First.Path, len(g.all), span(least, most), f.First.Message, "`"+f.Alone()+"`")
		listed += len(g.all)
	}
	if more := r.FailedTotal - uint64(listed); more > 0 {
		t.Left = fmt.Sprintf("%d more failed; --csv has all.", more)
	}
	return &Section{Title: "Runs that failed", Gist: traces.Plural(r.FailedTotal, "run", "runs"),
		Blocks: []Block{{Table: t}}}
}

// failedGroups groups failed runs by the first broken rule and its place.
func failedGroups(r *outcome.SeedsReport) []alike {
	return groups(len(r.Failed), func(i int) string { return r.Failed[i].Rule + "\n" + r.Failed[i].First.Path })
}

// failedRuns lists the runs of a group: their seeds, or the options of each run.
func failedRuns(r *outcome.SeedsReport, group []int) []string {
	seeds := make([]uint64, len(group))
	for k, i := range group {
		f := &r.Failed[i]
		if seeds[k] = f.Seed; f.Permutation != nil || f.Rate != nil {
			return items(group, func(i int) string { return "`" + r.Failed[i].Alone() + "`" })
		}
	}
	if len(group) < 2 {
		return nil
	}
	return []string{"seeds " + ranges(seeds)}
}

func seedsBroken(r *outcome.SeedsReport) map[string]int {
	count := map[string]int{}
	for i := range r.Failed {
		count[r.Failed[i].Rule]++
	}
	return count
}

func seedsUnheld(r *outcome.SeedsReport, rule string) string {
	one := outcome.Report{Firmware: r.Firmware}
	for i := range r.Statistics {
		if s := &r.Statistics[i]; s.Max != nil {
			switch s.Name {
			case "frames.sent":
				one.Frames.Sent = uint64(*s.Max)
			case "frames.delivered":
				one.Frames.Delivered = uint64(*s.Max)
			}
		}
	}
	return unheld(&one, rule)
}

func survivalFigure(r *outcome.SeedsReport) *figure.Figure {
	if len(r.Survival) == 0 {
		return nil
	}
	return r.Survival.Plot(r.Scenario)
}

func statisticsSection(all outcome.Statistics) *Section {
	t := table("Figures over the runs. The interval is the 95% interval of the mean, from the standard error (normal "+
		"distribution).",
		"figure", "#runs", "#mean", "#sd", "#min", "#median", "#max")
	t.Sorts = len(all) > 12
	for i := range all {
		s := &all[i]
		mean := outcome.OrDash(s.Mean)
		if s.Mean != nil && s.SE != nil {
			mean = rounded.PlusMinus(*s.Mean, float64(rounded.Z95**s.SE))
		}
		t.row(s.Name, s.Runs, mean, outcome.OrDash(s.SD), outcome.OrDash(s.Min), outcome.OrDash(s.Median),
			outcome.OrDash(s.Max))
	}
	return &Section{Title: "Statistics", Blocks: []Block{{Table: t}}}
}

func histogramSection(all outcome.Statistics) *Section {
	s, left := &Section{Title: "Histograms"}, 0
	for i := range all {
		x := &all[i]
		if len(x.Histogram) < 2 || x.Name[len(x.Name)-1] == ']' {
			continue
		}
		if len(s.Blocks) == histogramsMax {
			left++
			continue
		}
		caption := fmt.Sprintf("%s: distribution of its values over %s.", x.Name, traces.Plural(x.Runs, "run", "runs"))
		if drawn := FigurePicture(caption, histogram(x)); drawn != nil {
			s.Blocks = append(s.Blocks, Block{Picture: drawn})
		}
	}
	if left > 0 {
		s.Blocks = append(s.Blocks,
			Block{Aside: traces.Plural(uint64(left), "figure has",
				"figures have") + " no histogram here; --stats-csv contains all histograms."})
	}
	return s
}

func histogram(x *outcome.Statistic) *figure.Figure {
	c := figure.Curve{Name: "runs", Style: figure.Bars}
	if len(x.Histogram) <= histogramBars {
		for _, bin := range x.Histogram {
			c.Points = append(c.Points, figure.Point{X: bin.Value, Y: float64(bin.Count)})
		}
	} else {
		low, width := *x.Min, (*x.Max-*x.Min)/histogramBars
		counts := make([]uint64, histogramBars)
		for _, bin := range x.Histogram {
			counts[min(int(math.Floor((bin.Value-low)/width)), histogramBars-1)] += bin.Count
		}
		for k, count := range counts {
			c.Points = append(c.Points, figure.Point{X: low + float64((float64(k)+0.5)*width), Y: float64(count)})
		}
	}
	return &figure.Figure{Title: x.Name, X: figure.Axis{Label: x.Name}, Y: figure.Axis{Label: "runs", Whole: true},
		Curves: []figure.Curve{c}}
}
