package input

import (
	"fmt"
	"slices"
	"strings"
)

const nearestMax = 64

// Nearest returns the most similar word, or "" if no word is close. A word is close if fewer than half of its
// letters, and at most three, differ. A part of a word and a word with parts shortened to initials, such as
// arbiter_rr, are also close.
func Nearest(word string, words []string) string {
	if len(word) > nearestMax {
		return ""
	}
	best, least := "", 1+min(max(1, len(word)/3), max(0, len(word)-1)/2, 3)
	words = slices.DeleteFunc(slices.Clone(words), func(other string) bool { return len(other) > nearestMax })
	for _, other := range words {
		if distance := editDistance(strings.ToLower(word), strings.ToLower(other)); distance < least {
			best, least = other, distance
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, other := range words {
		if strings.Contains(other, word) || strings.Contains(word, other) {
			return other
		}
	}
	for _, other := range words {
		if shortens(parts(word), parts(other)) {
			return other
		}
	}
	return ""
}

func parts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_-./ ", r) })
}

// shortens reports whether word consists of the parts of other, some of them shortened to initials.
func shortens(word, other []string) bool {
	if len(word) == 0 || len(other) == 0 {
		return len(word) == len(other)
	}
	initials := ""
	for k, part := range other {
		initials += part[:1]
		if (initials == word[0] || k == 0 && part == word[0]) && shortens(word[1:], other[k+1:]) {
			return true
		}
	}
	return false
}

// editDistance returns the number of edits; a swap of neighbours counts as one.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	// rows for three prefixes of a
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// DidYouMean prepends to a remedy the known word nearest to a mistyped word, if any is close.
func DidYouMean(word string, known []string, remedy string) string {
	if guess := Nearest(word, known); guess != "" {
		return fmt.Sprintf("did you mean %q? %s", guess, remedy)
	}
	return remedy
}

// RemedyOf lists the allowed words and suggests the nearest.
func RemedyOf(word string, allowed []string) string {
	if len(allowed) == 0 {
		return "there are none"
	}
	text := "there are " + strings.Join(allowed, ", ")
	if len(allowed) == 1 {
		text = "there is " + allowed[0]
	}
	if guess := Nearest(word, allowed); guess != "" {
		text = fmt.Sprintf("did you mean %s? %s", guess, text)
	}
	return text
}
