package meaning

import (
	"regexp"
	"strings"
)

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
