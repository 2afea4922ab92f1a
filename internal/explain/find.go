// Package explain finds the meanings of figures by their names in reports, tables and studies.
//
//	metrics.yaml of each package --Collect--> Book --Find--> Answer --WriteText--> text
//
// Each package describes its own figures; a network written in Go may do so, too (fabric.Description). This package
// collects the descriptions and parses names. A name consists of a figure, list indices, and suffixes such as .p99
// and .mean.
package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/traffic"
	"starloom/firmware/check"
	"starloom/internal/estimate"
	"starloom/internal/runs"
	"starloom/internal/sweep/folder"
	"starloom/internal/tools"
	"starloom/nic"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

// Answer lists the meanings of a word.
type Answer struct {
	Word   string
	Found  []Found
	Parts  []Found // entries below the name; for frames, frames.sent and others
	Groups []*meaning.Group
}

// Found is an entry for a name, with the meanings of the name's suffixes.
type Found struct {
	entry
	As      string
	Endings []entry
}

func (e entry) Group() *meaning.Group { return e.group }

// Find looks up a word: the name of a figure with indices and suffixes, a pattern with * and ?, a suffix alone, or
// the word of a group. For an unknown word it returns an *input.Error.
func (b *Book) Find(word string) (*Answer, error) {
	a := &Answer{Word: word}
	for i := range b.Groups {
		if b.Groups[i].Key == word {
			a.Groups = append(a.Groups, &b.Groups[i])
		}
	}
	switch {
	case strings.HasPrefix(word, "."):
		a.Found = b.only(func(e entry) bool { return strings.HasSuffix(e.Name, word) })
	case strings.ContainsAny(word, "*?") && len(a.Groups) == 0:
		a.Found = b.only(func(e entry) bool { return b.fits(word, e) })
	}
	if len(a.Found) == 0 { // a name may contain a *, as in `broadcasts not of n*M steps`
		a.Found = b.Resolve(word)
	}
	// part of a row, such as 0 blocked
	a.Found = append(a.Found, b.only(func(e entry) bool { return e.Name == "frames."+word })...)
	a.Parts = b.only(func(e entry) bool { return e.group.Kind == meaning.KindKey && directly(word, e.Name) })
	if len(a.Found) == 0 && len(a.Groups) == 0 {
		remedy := "'starloom explain' lists all names except signals of waveforms"
		if near := b.nearest(word); near != "" {
			remedy = fmt.Sprintf("did you mean %s? %s", near, remedy)
		}
		return nil, input.Mistake("explain", fmt.Sprintf("no figure, column or rule is called %q", word), remedy)
	}
	return a, nil
}

// Unit returns the unit of a figure, "" for an unknown figure or a figure without a unit.
func (b *Book) Unit(name string) string {
	unit := ""
	for _, f := range b.Resolve(name) {
		switch known := f.group.Kind == meaning.KindMetric || f.group.Kind == meaning.KindKey ||
			f.group.Kind == meaning.KindColumn; {
		case !known || f.Entry.Unit == "" || f.Entry.Unit == "none":
		case unit != "" && unit != f.Entry.Unit:
			return ""
		default:
			unit = f.Entry.Unit
		}
	}
	return unit
}

func directly(object, key string) bool {
	name, ok := strings.CutPrefix(key, object+".")
	return ok && !strings.Contains(name, ".")
}

func (b *Book) only(wanted func(e entry) bool) (found []Found) {
	for e := range b.each {
		if wanted(e) {
			found = append(found, Found{entry: e, As: e.Name})
		}
	}
	return found
}

func (b *Book) fits(pattern string, e entry) bool {
	if meaning.Matches(pattern, e.Name) {
		return true
	}
	dot := max(strings.LastIndexByte(pattern, '.'), 0)
	if e.group.Kind != meaning.KindMetric || strings.Trim(pattern[:dot], "*?") == "" ||
		!meaning.Matches(pattern[:dot], e.Name) {
		return false
	}
	return slices.ContainsFunc(b.endings(), func(ending entry) bool { return meaning.Matches(pattern[dot:], ending.Name) })
}

func (b *Book) endings() (all []entry) {
	for e := range b.each {
		if e.group.Kind == meaning.KindEnding {
			all = append(all, e)
		}
	}
	return all
}

var (
	indices = regexp.MustCompile(`\[[0-9]+\]`)
	heads   = regexp.MustCompile(`^(metrics|statistics|rows)\.(.+)$`)
	result  = regexp.MustCompile(`^(\d+|processor)\.[^.= ]+(=.*)?$`) // results of firmware in the format of text reports
)

// Resolve returns the entries of a figure's name. It looks up the name itself, then the name without a suffix, then
// entries with a trailing *, then the name without an index. It ignores a leading key of the JSON form.
func (b *Book) Resolve(name string) []Found {
	if head := heads.FindStringSubmatch(name); head != nil {
		if found := b.Resolve(head[2]); len(found) > 0 {
			return found
		}
	}
	var same, wide, quantities []Found
	for e := range b.each {
		switch {
		case e.Name == name:
			same = append(same, Found{entry: e, As: name})
		case e.group.Kind == meaning.KindQuantity && strings.HasPrefix(e.Name, name+","): // the name lacks the sizes of runs
			quantities = append(quantities, Found{entry: e, As: e.Name})
		case !strings.Contains(e.Name, "*") || !meaning.Matches(e.Name, name):
		case e.group.Kind == meaning.KindQuantity:
			quantities = append(quantities, Found{entry: e, As: name})
		case strings.HasSuffix(e.Name, "*"):
			wide = append(wide, Found{entry: e, As: name})
		default:
			same = append(same, Found{entry: e, As: name})
		}
	}
	// The most specific pattern comes first.
	slices.SortStableFunc(quantities, func(x, y Found) int { return len(y.Name) - len(x.Name) })
	if len(same) > 0 {
		return append(same, quantities...)
	}
	for _, ending := range b.endings() {
		base, ok := strings.CutSuffix(name, ending.Name)
		if !ok || base == "" {
			continue
		}
		found := slices.DeleteFunc(b.Resolve(base), func(f Found) bool { return !f.figure() })
		for i := range found {
			found[i].Endings = append(found[i].Endings, b.same(ending.Name)...)
		}
		if len(found) > 0 {
			return found
		}
	}
	if found := append(wide, quantities...); len(found) > 0 {
		return found
	}
	switch bare := indices.ReplaceAllString(name, ""); {
	case bare != name:
		return b.Resolve(bare)
	case result.MatchString(name):
		return b.only(func(e entry) bool { return e.Name == "results.*" })
	}
	return nil
}

// figure reports whether the entry is a number of a run; only numbers have suffixes.
func (f *Found) figure() bool {
	return f.Unit != "" && (f.group.Kind == meaning.KindMetric || f.group.Kind == meaning.KindKey)
}

func (b *Book) same(name string) []entry {
	return slices.DeleteFunc(b.endings(), func(e entry) bool { return e.Name != name })
}

func (b *Book) nearest(word string) string {
	names := b.Names()
	for _, ending := range b.endings() {
		if base, ok := strings.CutSuffix(word, ending.Name); ok && base != "" {
			if near := input.Nearest(base, names); near != "" && len(b.Resolve(near+ending.Name)) > 0 {
				return near + ending.Name
			}
		}
	}
	return input.Nearest(word, names)
}

// Book holds all descriptions in listing order.
type Book struct{ Groups []meaning.Group }

// Collect gathers the descriptions of all packages and networks.
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

// Names returns all names without patterns, and the words of all groups.
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
