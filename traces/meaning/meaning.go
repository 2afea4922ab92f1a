package meaning

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// Group are figures that belong together: those of a workload, the columns of a table, the rules.
type Group struct {
	Key     string  `yaml:"group"` // the word that stands for all of them
	Title   string  `yaml:"title"`
	Where   string  `yaml:"where"` // in which outputs they stand
	Kind    string  `yaml:"kind"`  // one of Kinds
	Source  string  `yaml:"source"`
	Entries []Entry `yaml:"entries"`
}

// Entry says what a figure means. A figure has all of it, a text and what only holds others no unit, range and count.
type Entry struct {
	Name    string `yaml:"name"`  // as outputs have it; * stands for any characters
	Means   string `yaml:"means"` // in a sentence without its full stop
	Unit    string `yaml:"unit"`
	Range   string `yaml:"range"`
	Counted string `yaml:"counted"` // what counts, from when to when
	Source  string `yaml:"source"`  // paper with section, equation or table; "" for that of the group
}

// The kinds of groups.
const (
	KindMetric   = "metric"   // figures of a run, as Report.Metrics has them
	KindKey      = "key"      // keys of a report's JSON form, with dots: frames.sent
	KindColumn   = "column"   // columns of a table
	KindQuantity = "quantity" // quantities of a study's rows
	KindEnding   = "ending"   // what may follow a figure's name: .mean
	KindWord     = "word"     // values that are words: rules, statuses
)

// Kinds are those of a group.
var Kinds = []string{KindMetric, KindKey, KindColumn, KindQuantity, KindEnding, KindWord}

// Read reads groups from the text of a file metrics.yaml. An error is one of its author, not of a user.
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

// Must is Read of a text that is part of the program.
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
			return fmt.Errorf("%s is a figure and lacks its unit, its range or how it is counted", e.Name)
		case !figure && (g.Kind == KindMetric || g.Kind == KindQuantity):
			return fmt.Errorf("%s lacks its unit, its range and how it is counted", e.Name)
		}
	}
	return nil
}

// Matches reports whether a name is one that a pattern stands for. In a pattern, * stands for any characters and ? for one.
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

// index is a place in a list: lost[3].
var index = regexp.MustCompile(`\[[0-9]+\]`)

// Of is what the groups say of a figure of a run: by its name, by a pattern, or, without its last ending, by that of the
// figure that it is part of; nil for nothing.
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
