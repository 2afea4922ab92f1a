// Package meaning defines the format in which packages describe their figures.
//
// A package with figures has a file metrics.yaml beside its code, a list of groups:
//
//   - group: traffic        word for the whole group
//     title: Traffic
//     where: outputs with its figures
//     kind: metric          one of Kinds
//     source: source of entries without one of their own
//     entries:
//   - {name: offered, means: ..., unit: ..., range: ..., counted: ..., source: ...}
//   - {name: no_loss, means: ..., remedy: ...}
//
// Package internal/explain finds entries by name. Package meaning imports no other package of Starloom, so every
// package may import it.
package meaning

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// Group is a set of related figures, such as the figures of a workload, the columns of a table, or the rules.
type Group struct {
	Key     string  `yaml:"group"` // word for the whole group
	Title   string  `yaml:"title"`
	Where   string  `yaml:"where"` // outputs that contain the figures
	Kind    string  `yaml:"kind"`  // one of Kinds
	Source  string  `yaml:"source"`
	Entries []Entry `yaml:"entries"`
}

// Entry describes a figure. A text or a container of other figures has no unit, range or count.
type Entry struct {
	Name    string `yaml:"name"`  // name in outputs; * stands for any characters
	Means   string `yaml:"means"` // a sentence without its full stop
	Unit    string `yaml:"unit"`
	Range   string `yaml:"range"`
	Counted string `yaml:"counted"` // what counts, from when to when
	Source  string `yaml:"source"`  // paper with section, equation or table; "" for the source of the group
	Remedy  string `yaml:"remedy"`  // remedy for a broken rule
}

// Kinds of groups.
const (
	KindMetric   = "metric"   // figures of a run, as in Report.Metrics
	KindKey      = "key"      // keys of a report's JSON form, with dots: frames.sent
	KindColumn   = "column"   // columns of a table
	KindQuantity = "quantity" // quantities of a study's rows
	KindEnding   = "ending"   // suffixes of a figure's name: .mean
	KindWord     = "word"     // values that are words: rules, statuses
)

// Kinds are the kinds of groups.
var Kinds = []string{KindMetric, KindKey, KindColumn, KindQuantity, KindEnding, KindWord}

// Read parses a metrics.yaml. An error is a mistake of the file's author, not of a user.
func Read(text string) (groups []Group, err error) {
	loader, err := yaml.NewLoader(bytes.NewReader([]byte(text)), yaml.WithKnownFields())
	if err == nil {
		err = loader.Load(&groups)
	}
	if err != nil {
		return nil, fmt.Errorf("metrics.yaml: %w", err)
	}
	for i := range groups {
		if err := groups[i].check(); err != nil {
			return nil, fmt.Errorf("metrics.yaml, group %q: %w", groups[i].Key, err)
		}
	}
	return groups, nil
}

// Must is Read for embedded text. It panics on an error.
func Must(text string) []Group {
	groups, err := Read(text)
	if err != nil {
		panic(err)
	}
	return groups
}

func (g *Group) check() error {
	if g.Key == "" || g.Title == "" || g.Where == "" || !slices.Contains(Kinds, g.Kind) {
		return fmt.Errorf("a group has a word, a title, a place and one of the kinds %s", strings.Join(Kinds, ", "))
	}
	for i := range g.Entries {
		e := &g.Entries[i]
		figure := e.Unit != "" || e.Range != "" || e.Counted != ""
		switch {
		case e.Name == "" || e.Means == "":
			return fmt.Errorf("entry %d (%s) has no name or no meaning", i+1, e.Name)
		case figure && (e.Unit == "" || e.Range == "" || e.Counted == ""):
			return fmt.Errorf("the figure %s lacks its unit, its range or its counting rule", e.Name)
		case !figure && (g.Kind == KindMetric || g.Kind == KindQuantity):
			return fmt.Errorf("%s lacks its unit, its range and its counting rule", e.Name)
		}
	}
	return nil
}

// Matches reports whether a name matches a pattern. In the pattern, * matches any characters and ? matches one
// character.
func Matches(pattern, name string) bool {
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// Of returns the entry of a figure, nil for none. It searches by name, by pattern, and by the name without its last
// suffix.
func Of(groups []Group, name string) *Entry {
	var wide *Entry
	for i := range groups {
		if kind := groups[i].Kind; kind != KindMetric && kind != KindKey {
			continue
		}
		for k := range groups[i].Entries {
			e := &groups[i].Entries[k]
			switch {
			case e.Name == name:
				return e
			case wide == nil && strings.Contains(e.Name, "*") && Matches(e.Name, name):
				wide = e
			}
		}
	}
	if wide != nil {
		return wide
	}
	if bare := index.ReplaceAllString(name, ""); bare != name {
		return Of(groups, bare)
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		return Of(groups, name[:dot])
	}
	return nil
}
