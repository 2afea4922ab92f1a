package page

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric/outcome"
	"starloom/traces"
)

// limits of tables of similar failures
const (
	alikeRows  = 30
	alikeItems = 100
)

// alike is a group of failures that differ only in numbers, as ascending indexes.
type alike struct {
	key string
	all []int
}

// groups collects the indexes below count by their keys: largest group first, then the earliest.
func groups(count int, key func(i int) string) (all []alike) {
	at := map[string]int{}
	for i := range count {
		k := key(i)
		if _, ok := at[k]; !ok {
			at[k] = len(all)
			all = append(all, alike{key: k})
		}
		g := &all[at[k]]
		g.all = append(g.all, i)
	}
	slices.SortStableFunc(all, func(a, b alike) int { return cmp.Compare(len(b.all), len(a.all)) })
	return all
}

var digits = regexp.MustCompile(`[0-9]+`)

// shape is a text without its numbers.
func shape(text string) string { return digits.ReplaceAllString(text, "0") }

// items formats members of a group, at most alikeItems, none for a single member.
func items(group []int, format func(i int) string) (list []string) {
	if len(group) < 2 {
		return nil
	}
	for k, i := range group {
		if k == alikeItems {
			return append(list, fmt.Sprintf("%d more", len(group)-k))
		}
		list = append(list, format(i))
	}
	return list
}

// Alike returns a table of violations with one row for violations that differ only in place, time and numbers. cause
// returns the text of the last column; nil for no such column.
func Alike(caption string, all []outcome.Violation, cause func(v *outcome.Violation) string) *Table {
	names := []string{"rule", "#times", "cycles", "where", "what", "cause"}
	if cause == nil {
		names = names[:len(names)-1]
	}
	t := table(caption, names...)
	t.Columns[1].Opens, t.Lists = true, map[int][]string{}
	found := groups(len(all), func(i int) string {
		v := &all[i]
		key := v.Rule + "\n" + shape(v.Message)
		if cause != nil {
			key += "\n" + cause(v)
		}
		return key
	})
	left := 0
	for k, g := range found {
		if k >= alikeRows {
			left += len(g.all)
			continue
		}
		v := &all[g.all[0]]
		places := map[string]bool{}
		least, most := v.Cycle, v.Cycle
		for _, i := range g.all {
			places[all[i].Path] = true
			least, most = min(least, all[i].Cycle), max(most, all[i].Cycle)
		}
		where := v.Path
		if len(places) > 1 {
			where = traces.Plural(uint64(len(places)), "place", "places")
			if prefix := shape(v.Path); !slices.ContainsFunc(slices.Collect(maps.Keys(places)),
				func(path string) bool { return shape(path) != prefix }) {
				where += " like " + v.Path
			}
		}
		t.Lists[len(t.Rows)] = items(g.all, func(i int) string {
			return fmt.Sprintf("cycle %d, %s: %s", all[i].Cycle, all[i].Path, all[i].Text())
		})
		cells := []any{v.Rule, len(g.all), span(least, most), where, v.Text()}
		if cause != nil {
			cells = append(cells, cause(v))
		}
		t.row(cells...)
	}
	if left > 0 {
		t.Left = fmt.Sprintf("%d more; --json lists the first %d.", left, outcome.ViolationsMax)
	}
	return t
}

func span(from, to uint64) string {
	if from == to {
		return strconv.FormatUint(from, 10)
	}
	return fmt.Sprintf("%d to %d", from, to)
}

// ranges formats ascending numbers, with neighbours as ranges.
func ranges(numbers []uint64) string {
	var parts []string
	for i := 0; i < len(numbers); {
		k := i + 1
		for k < len(numbers) && numbers[k] == numbers[k-1]+1 {
			k++
		}
		switch k - i {
		case 1:
			parts = append(parts, fmt.Sprint(numbers[i]))
		case 2:
			parts = append(parts, fmt.Sprint(numbers[i]), fmt.Sprint(numbers[i+1]))
		default:
			parts = append(parts, fmt.Sprintf("%d to %d", numbers[i], numbers[k-1]))
		}
		i = k
	}
	return strings.Join(parts, ", ")
}
