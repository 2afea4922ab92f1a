package input

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrorsMax is how many mistakes are named at once.
const ErrorsMax = 20

// Errors are all that is wrong with what a user gave: each with its place, and what to do.
type Errors struct {
	List []*Error
	More int // beyond those of List

	taken map[Error]bool // those of List
}

func (m *Errors) Error() string {
	lines := make([]string, 0, len(m.List)+1)
	for _, e := range m.List {
		lines = append(lines, e.Error())
	}
	if m.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", m.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes one by one.
func (m *Errors) Unwrap() (all []error) {
	for _, e := range m.List {
		all = append(all, e)
	}
	return all
}

// Take adds what an error holds, unless it is there already, and reports whether that is mistakes of a user.
func (m *Errors) Take(err error) bool {
	var several *Errors
	var one *Error
	switch {
	case errors.As(err, &several):
		for _, e := range several.List {
			m.Take(e)
		}
		m.More += several.More
	case !errors.As(err, &one):
		return false
	case !m.taken[*one]:
		if m.taken == nil {
			m.taken = map[Error]bool{}
		}
		m.taken[*one] = true
		m.List = append(m.List, one)
	}
	return true
}

// Add adds a mistake: it keeps the first ones and counts the others.
func (m *Errors) Add(err error) {
	if len(m.List) >= ErrorsMax {
		m.More++
		return
	}
	m.Take(err)
}

// Quote is a text of a file that has no head to say what it is: the first mistake alone quotes it, since a stranger's scenario may name any file.
func (m *Errors) Quote(text string) string {
	if len(m.List) > 0 {
		return "what stands here"
	}
	return strconv.Quote(Clip(text))
}

// lineOf is the end of a place in a file.
var lineOf = regexp.MustCompile(`^(.*):(\d+):(\d+)$`)

// Err is nil for none, the *Error if it is one, else the first ErrorsMax of all: file by file, in the order of lines.
func (m *Errors) Err() error {
	switch {
	case len(m.List) == 0:
		return nil
	case len(m.List) == 1 && m.More == 0:
		return m.List[0]
	}
	type place struct{ file, line, column int }
	files, at := map[string]int{}, map[*Error]place{}
	for _, e := range m.List {
		parts := lineOf.FindStringSubmatch(e.Place)
		if parts == nil {
			parts = []string{"", e.Place, "0", "0"}
		}
		if _, known := files[parts[1]]; !known {
			files[parts[1]] = len(files)
		}
		line, _ := strconv.Atoi(parts[2])
		column, _ := strconv.Atoi(parts[3])
		at[e] = place{files[parts[1]], line, column}
	}
	all := &Errors{List: slices.Clone(m.List), More: m.More}
	slices.SortStableFunc(all.List, func(a, b *Error) int {
		x, y := at[a], at[b]
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line), cmp.Compare(x.column, y.column))
	})
	if beyond := len(all.List) - ErrorsMax; beyond > 0 {
		all.List, all.More = all.List[:ErrorsMax], all.More+beyond
	}
	return all
}
