package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// notEnglish are words and turns of phrase that a native editor would change, with what to say.
var notEnglish = []struct {
	words   *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bbehind\b`), "after, past, below; behind only of places"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\b(?:there )?(?:is|are|was|were|be) no (?:\w+ )?(` + things + `)s?\b`), "is not a"},
	{regexp.MustCompile(`(?i)\bshall\b`), "must"},
	{regexp.MustCompile(`(?i)\bin front of\b`), "before"},
	{regexp.MustCompile(`(?i)\bnobody\b`), "no one, none"},
	{regexp.MustCompile(`(?i)\bwho(ever)? is in turn\b`), "whose turn it is"},
	{regexp.MustCompile(`(?i)\bor the like\b`), "say what"},
	{regexp.MustCompile(`(?i)\bmeans nothing here\b`), "is not supported, has no effect here"},
	{regexp.MustCompile(`(?i)\bknows nothing of\b`), "does not know, does not apply to"},
	{regexp.MustCompile(`(?i)\bnothing that\b.{0,30}\bdecides\b`), "does not decide"},
	{regexp.MustCompile(`(?i)\bwithout more,`), "by default"},
	{regexp.MustCompile(`(?i)\bif nobody says more\b`), "unless it is set"},
}

// things are nouns with which "is no X" stands where "is not an X" is meant.
const things = "file|reset|model|program|number|clock|power|result|part|place|name|output|input|frame|word|processor|firmware|image|function|curve|" +
	"scenario|port|network|signal|value|key|option|difference|sandbox|fault|error"

// words returns where comments and texts of Go, C and Verilog, pages and helps use them. Sentences run on over
// lines, but each of these is looked for within one.
func words(t *tree) (found []finding) {
	for s := range t.code() {
		if strings.HasPrefix(s.path, "internal/house/") {
			continue
		}
		for line, text := range prose(t, s) {
			found = append(found, wordsIn(s, line, text)...)
		}
	}
	for s := range t.documents() {
		quoted := false // a block of code or of output, which is looked at where it is written
		for i, line := range s.lines {
			if quoted = quoted != strings.HasPrefix(line, "```"); !quoted {
				found = append(found, wordsIn(s, i+1, codeSpan.ReplaceAllString(line, "``"))...)
			}
		}
	}
	return found
}

var codeSpan = regexp.MustCompile("`[^`]*`")

func wordsIn(s *source, line int, text string) (found []finding) {
	for _, w := range notEnglish {
		if m := w.words.FindString(text); m != "" && !strings.HasPrefix(strings.ToLower(m), "there ") {
			found = append(found, finding{"words", s.path, line, m + ": " + w.instead, 0})
		}
	}
	return found
}

// prose yields what people read in a file, line by line: comments, and in Go strings.
func prose(t *tree, s *source) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		if s.syn == nil {
			for i, line := range s.lines {
				if at := strings.Index(line, "//"); at >= 0 && !yield(i+1, line[at:]) {
					return
				}
			}
			return
		}
		stop := false
		text := func(at token.Pos, words string) {
			for i, line := range strings.Split(words, "\n") {
				stop = stop || !yield(t.line(at)+i, line)
			}
		}
		for _, group := range s.syn.Comments {
			for _, c := range group.List {
				if !stop {
					text(c.Pos(), c.Text)
				}
			}
		}
		ast.Inspect(s.syn, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && !stop && strings.Contains(l.Value, " ") {
				text(l.Pos(), l.Value)
			}
			return !stop
		})
	}
}
