package explain

import (
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/traffic"
	"starloom/internal/check"
	"starloom/internal/estimate"
	"starloom/internal/runs"
	"starloom/internal/sweep/folder"
	"starloom/internal/tools"
	"starloom/nic"
	"starloom/traces/meaning"
)

// Book is all that is said of figures, in the order in which it is listed.
type Book struct{ Groups []meaning.Group }

// Collect gathers what all packages say, and the networks.
func Collect(networks []fabric.Network) *Book {
	b := &Book{}
	b.add(outcome.Meanings(), runs.Meanings(), fabric.Meanings(), traffic.Meanings())
	for _, n := range networks {
		b.add(fabric.MeaningsOf(n))
	}
	b.add(nic.Meanings(), folder.Meanings(), check.Meanings(), tools.Meanings(), estimate.Meanings())
	return b
}

func (b *Book) add(groups ...[]meaning.Group) {
	b.Groups = append(b.Groups, slices.Concat(groups...)...)
}

type entry struct {
	group *meaning.Group
	*meaning.Entry
}

func (b *Book) each(yield func(e entry) bool) {
	for i := range b.Groups {
		for k := range b.Groups[i].Entries {
			if !yield(entry{&b.Groups[i], &b.Groups[i].Entries[k]}) {
				return
			}
		}
	}
}

// Names are all names without those that stand for several, and the words of all groups.
func (b *Book) Names() (names []string) {
	for i := range b.Groups {
		names = append(names, b.Groups[i].Key)
	}
	for e := range b.each {
		if !strings.Contains(e.Name, "*") {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
