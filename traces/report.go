package traces

import (
	"fmt"
	"io"
	"strings"

	"starloom/traces/input"
)

// What the reports of all tools have in common.
const (
	// NamesKept is how many names are kept of a list that may be long.
	NamesKept = 20
	// NamesShown is how many of them a text shows.
	NamesShown = 5
)

// NameList is a list of which only the beginning is kept.
type NameList struct {
	Count int      `json:"count"`
	Names []string `json:"names,omitempty"`
}

// NewNameList counts names and keeps the first NamesKept.
func NewNameList(names []string) NameList {
	return NameList{Count: len(names), Names: names[:min(len(names), NamesKept)]}
}

// Some is the first NamesShown names, for a text.
func (l NameList) Some() string {
	text := strings.Join(l.Names[:min(len(l.Names), NamesShown)], ", ")
	if l.Count > NamesShown {
		text += ", ..."
	}
	return text
}

// WriteJSON writes a report as JSON, indented and without escapes for HTML.
func WriteJSON(w io.Writer, value any) error {
	return input.WriteJSON(w, value)
}

// Plural is a count with its word: 1 signal, 2 signals.
func Plural[N int | uint32 | uint64](count N, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, many)
}
