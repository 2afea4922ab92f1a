package explain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/lockstep"
	"starloom/fabric"
	"starloom/fabric/bus"
	"starloom/fabric/crossbar"
	"starloom/fabric/ej"
	"starloom/fabric/outcome"
	"starloom/fabric/pops"
	"starloom/firmware/check"
	"starloom/internal/estimate"
	"starloom/internal/explain"
	"starloom/internal/sweep/folder"
	"starloom/internal/tools"
	"starloom/nic"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

func book() *explain.Book {
	return explain.Collect([]fabric.Network{&pops.Network{}, &crossbar.Network{}, &bus.Network{}, &ej.Network{}})
}

// produced holds names that outputs have, and the kinds of entries that may explain them.
type produced struct {
	b    *explain.Book
	seen map[*meaning.Entry]bool
}

// explained reports whether a name has an entry in one of the groups, and records which.
func (p *produced) explained(name string, wanted func(g *meaning.Group) bool) (ok bool) {
	for _, f := range p.b.Resolve(name) {
		if wanted(f.Group()) {
			ok = true
			p.seen[f.Entry] = true
			for _, ending := range f.Endings {
				p.seen[ending.Entry] = true
			}
		}
	}
	return ok
}

func kinds(kinds ...string) func(g *meaning.Group) bool {
	return func(g *meaning.Group) bool { return slices.Contains(kinds, g.Kind) }
}

func groups(keys ...string) func(g *meaning.Group) bool {
	return func(g *meaning.Group) bool { return slices.Contains(keys, g.Key) }
}

// TestEveryFigureIsExplained checks that every name in frozen runs, reports, tables, rules and statuses has an entry,
// and that no other entry exists. For quantities of studies see the tests of the fabrics (studytest.Explained).
func TestEveryFigureIsExplained(t *testing.T) {
	p := &produced{book(), map[*meaning.Entry]bool{}}
	metric := kinds(meaning.KindMetric)
	for name := range frozenMetrics(t) {
		require.True(t, p.explained(name, metric), "metric %s", name)
	}
	for _, name := range []string{ // names of other runs: of many runs, with results, with faults
		"latency.pooled.p99", "latency.p50.mean", "results.hops.processors", "results.hops.mean", "rate[0.1].survived", "rate[0.1].slots", "rate[0.1].faults",
		"survival[7]", "lambda.low", "lambda.high", "mu.se", "slots.runs", "steps.sd", "coloured[3].median", "untold", "untold_per_processor_max", "told_again", "steps.min", "accepted.unit", "steps.histogram",
		"frame_latency.p99", "frame_network_latency.mean", "frame_hops.mean", "media_load.mean", "media_load.most",
		"class.urgent.created", "class.urgent.latency.p99", "class.urgent.network_latency.mean",
	} {
		require.True(t, p.explained(name, kinds(meaning.KindMetric, meaning.KindKey)), "metric %s", name)
	}
	require.Subset(t, sources(t), []string{"survival[%d]", "rate[", ".survived", ".faults", ".pooled.", "results.", "frame_latency", "frame_network_latency", "frame_hops.mean", "media_load", "class."}, "the names above")

	for _, r := range []struct {
		of     any
		groups []string
	}{
		{outcome.Report{}, []string{"report"}},
		{outcome.SeedsReport{}, []string{"seeds", "report"}},
		{outcome.StudyReport{}, []string{"study", "report"}},
		{check.Report{}, []string{"check", "report"}},
		{lockstep.Report{}, []string{"cosim"}},
		{tools.Check{}, []string{"cosim"}},
		{estimate.Estimate{}, []string{"estimate"}},
	} {
		for path, numeric := range keysOf(reflect.TypeOf(r.of)) {
			if strings.HasPrefix(path, "statistics.") {
				continue // for each figure, see below
			}
			require.True(t, p.explained(path, groups(r.groups...)), "%T: %s", r.of, path)
			for _, f := range p.b.Resolve(path) {
				if numeric && slices.Contains(r.groups, f.Group().Key) && !strings.HasSuffix(f.Name, "*") {
					require.NotEmpty(t, f.Unit, "%T: %s is a number and has no unit", r.of, path)
				}
			}
		}
	}
	for name := range keysOf(reflect.TypeFor[outcome.Statistic]()) {
		require.True(t, p.explained("slots."+name, groups("report")), "statistic %s", name)
	}
	for i := range (&outcome.Report{Faults: []outcome.FaultReport{{Kind: "dead"}}}).Figures() {
		name := (&outcome.Report{Faults: []outcome.FaultReport{{Kind: "dead"}}}).Figures()[i].Name
		require.True(t, p.explained(name, groups("report")), name)
	}
	for _, row := range strings.Split("status case quantity", " ") {
		require.True(t, p.explained(row, groups("study")), row)
	}
	for key, columns := range map[string]string{
		"packets": "id,source,destination,size,created,sent,received,hops,measured,class,type,request",
		"rows":    "seed,permutation,rate,verdict,rule,violations,digest",
		"sweep":   "runs,failed,load.passes,load.fails",
	} {
		for name := range strings.SplitSeq(columns, ",") {
			require.True(t, p.explained(name, groups(key)), "column %s", name)
		}
	}
	require.Subset(t, sources(t), []string{"id,source,destination,size,created,sent,received,hops,measured", ",class,type,request"})

	p.words(t)
	for i := range p.b.Groups {
		g := &p.b.Groups[i]
		for k := range g.Entries {
			if g.Kind != meaning.KindQuantity {
				require.True(t, p.seen[&g.Entries[k]], "group %s: nothing makes %s", g.Key, g.Entries[k].Name)
			}
		}
	}
}

// words compares rules, statuses and faults with the names in the code.
func (p *produced) words(t *testing.T) {
	rules := []string{check.RuleForeignWrite, check.RuleStaleRead}
	for name, value := range constants(t, "../../fabric/rules.go", "../../fabric/state_rules.go",
		"../../fabric/outcome/violation.go") {
		if strings.HasPrefix(name, "Rule") {
			rules = append(rules, value)
		}
	}
	require.Greater(t, len(rules), 20)
	for key, words := range map[string][]string{
		"rules": rules, "statuses": append(nic.StatusNames, "none"), "faults": fabric.FaultNames[:],
		"text": {"mode", "handlers", "longest call", "without faults", "most slots"},
	} {
		for _, word := range words {
			require.True(t, p.explained(word, func(g *meaning.Group) bool { return g.Key == key && g.Kind == meaning.KindWord }), "%s: %s", key, word)
		}
	}
}

// constants returns the constants of files, by name.
func constants(t *testing.T, files ...string) map[string]string {
	all := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^(?:const |\t)(Rule\w+)\s*= "(\w+)"`).FindAllStringSubmatch(string(data), -1) {
			all[m[1]] = m[2]
		}
	}
	return all
}

// sources returns the quoted texts of files that assemble names.
func sources(t *testing.T) (texts []string) {
	for _, file := range []string{"../runs/tally.go", "../emulator/reporting.go", "../../fabric/traffic/figures.go", "../../fabric/traffic/report.go", "../../fabric/traffic/bare_classes.go", "../../fabric/traffic.go"} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(string(data), -1) {
			var text string
			require.NoError(t, json.Unmarshal([]byte(m), &text))
			texts = append(texts, text)
		}
	}
	return texts
}

// frozenMetrics returns the metrics of all frozen runs, with the keys of lists of objects.
func frozenMetrics(t *testing.T) map[string]bool {
	files, err := filepath.Glob("../../testdata/frozen/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	names := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var report struct {
			Metrics map[string]any `json:"metrics"`
		}
		require.NoError(t, json.Unmarshal(data, &report))
		for name, value := range report.Metrics {
			names[name] = true
			list, ok := value.([]any)
			if !ok || len(list) == 0 {
				continue
			}
			if object, ok := list[0].(map[string]any); ok {
				for key := range object {
					names[name+"."+key] = true
				}
			}
		}
	}
	return names
}

// keysOf returns the paths of all keys of a type's JSON form, and whether they are numbers.
func keysOf(t reflect.Type) map[string]bool {
	all := map[string]bool{}
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			t = t.Elem()
		}
		if at != "" {
			all[at] = t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for i := range t.NumField() {
			field := t.Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case key == "-" || !field.IsExported() || key == "" && !field.Anonymous:
			case key == "":
				walk(field.Type, at)
			case at == "":
				walk(field.Type, key)
			default:
				walk(field.Type, at+"."+key)
			}
		}
	}
	walk(t, "")
	return all
}

// TestFind looks up names with indexes and endings, patterns, endings alone and groups.
func TestFind(t *testing.T) {
	b := book()
	for word, want := range map[string][]string{
		"latency.p99":                             {"latency .p99"},
		"latency.p99.mean":                        {"latency .p99 .mean"},
		"latency.pooled.p99":                      {"latency .pooled .p99"},
		"results.hops.mean":                       {"results.* .mean"},
		"statistics.slots.sd":                     {"slots .sd"},
		"metrics.lambda":                          {"lambda"},
		"utilisation[3]":                          {"utilisation"},
		"violations[0].rule":                      {"violations.rule"},
		"fault[0].dead.mean":                      {"fault[*].* .mean"},
		"rate[0.25].survived.mean":                {"rate[*].survived .mean"},
		"firmware.start_cycles.p99":               {"firmware.*cycles.p99"},
		"processor.hops":                          {"results.*"},
		"4.hops=17":                               {"results.*"},
		"exactly_once":                            {"exactly_once"},
		"table I column A slots":                  {"table I column A slots"},
		"largest n at which it is shorter, l = 3": {"largest n at which it is shorter, l = *"},
		"*.p50":                              {".p50", "firmware.*cycles.p50"},
		"latency_*.p99":                      {"latency_cycles", "latency_slots"},
		"steps saved most often":             {"steps saved most often, l = *", "steps*", "steps*"},
		"broadcasts not of n*M steps, n = 2": {"broadcasts *"},
		"lost":                               {"lost", "lost"},
		"load.m*":                            {"load", "load.most", "load.most.path", "load.most.load"},
		".p50":                               {".p50", "firmware.*cycles.p50"},
	} {
		a, err := b.Find(word)
		require.NoError(t, err, word)
		var found []string
		for _, f := range a.Found {
			name := f.Name
			for _, ending := range slices.Backward(f.Endings) {
				name = strings.Replace(name, " ", " "+ending.Name+" ", 1)
				if !strings.Contains(name, ending.Name) {
					name += " " + ending.Name
				}
			}
			found = append(found, name)
		}
		require.ElementsMatch(t, want, found, word)
	}
	a, err := b.Find("traffic")
	require.NoError(t, err)
	require.Len(t, a.Groups, 1)
	for word, near := range map[string]string{"latncy.p99": "latency.p99", "lamda": "lambda", "exactly-once": "exactly_once", "trafic": "traffic", "slots.meen": "slots_mean"} {
		_, err := b.Find(word)
		var refused *input.Error
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Remedy, "did you mean "+near+"?", word)
	}
	_, err = b.Find("xyzzy")
	require.EqualError(t, err, `explain: no figure, column or rule is called "xyzzy"; 'starloom explain' lists all names except signals of waveforms`)
}

// TestWidth checks that no line is too wide, except unbreakable ones.
func TestWidth(t *testing.T) {
	for _, columns := range []int{60, 80, 200} {
		var text strings.Builder
		require.NoError(t, book().WriteText(&text, columns))
		for line := range strings.Lines(text.String()) {
			require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), columns, line)
		}
	}
}

// TestFolderNames checks that the group names the tables of a sweep.
func TestFolderNames(t *testing.T) {
	for i := range folder.Meanings() {
		if g := folder.Meanings()[i]; g.Key == "sweep" {
			for _, name := range []string{folder.ResultsCSV, folder.RunsCSV, folder.LimitsCSV} {
				require.Contains(t, g.Where, name)
			}
		}
	}
}

// own is a network in Go with its own figure.
type own struct{ *pops.Network }

func (own) Abilities() fabric.Abilities {
	return fabric.Abilities{Description: fabric.Description{Meanings: "- {group: own, title: Own, where: metrics, kind: metric, source: me, entries: [{name: gloss, means: how it shines, unit: lm, range: any, counted: all}]}"}}
}

// TestOwnNetwork checks that descriptions of a network in Go are found like others.
func TestOwnNetwork(t *testing.T) {
	a, err := explain.Collect([]fabric.Network{own{&pops.Network{}}}).Find("gloss.p99")
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, a.WriteText(&text, 80))
	require.Contains(t, text.String(), "gloss  how it shines\n    unit     lm\n    range    any\n    counted  all\n    source   me\n    where    Own: metrics\n\n.p99  ")
}

// TestWordsOfTheRow checks that each word of the row frames is explained as its counter, and that frames lists all of
// them.
func TestWordsOfTheRow(t *testing.T) {
	whole, err := book().Find("frames")
	require.NoError(t, err)
	var parts []string
	for name := range keysOf(reflect.TypeFor[outcome.Frames]()) {
		parts = append(parts, "frames."+name)
		a, err := book().Find(name)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(a.Found, func(f explain.Found) bool { return f.Name == "frames."+name }), name)
	}
	require.Len(t, parts, 8)
	var listed []string
	for _, f := range whole.Parts {
		listed = append(listed, f.Name)
	}
	require.ElementsMatch(t, parts, listed)
	_, err = book().Find("violation") // violation is also a signal of couplers
	require.ErrorContains(t, err, "did you mean violations? 'starloom explain' lists all names except signals of "+
		"waveforms")
}

// TestUnit checks the units of figures and columns, with and without endings, and of names without a unit.
func TestUnit(t *testing.T) {
	b := explain.Collect([]fabric.Network{&pops.Network{}, &crossbar.Network{}})
	for name, unit := range map[string]string{"latency": "cycles", "latency.mean": "cycles", "latency_slots.p99": "slots", "lambda": "steps", "saturated.x": "", "runs": "runs", "epsilon": "",
		"fabric.crossbar.ports": ""} {
		require.Equal(t, unit, b.Unit(name), name)
	}
}
