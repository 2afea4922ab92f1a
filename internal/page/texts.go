package page

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

//go:embed texts.tmpl
var textsSource string

var texts = outcome.NewTexts(textsSource,
	template.FuncMap{"after": strings.TrimPrefix, "contains": strings.Contains, "times": times, "ordash": outcome.OrDash,
		"sentence":  sentence,
		"clause":    func(text string) string { first, _, _ := strings.Cut(text, "; "); return first },
		"firstPart": func(text string) string { first, _, _ := strings.Cut(text, ": "); return first },
		"joined":    func(list []string) string { return strings.Join(list, "; ") },
		"trimDot":   func(text string) string { return strings.TrimSuffix(text, ".") },
		"unquoted":  func(text string) string { return strings.Trim(text, "`") }})

func paragraphs(name string, values any) (blocks []Block) {
	for _, line := range texts.Lines(name, values) {
		blocks = append(blocks, Block{Text: line})
	}
	return blocks
}

type failure struct {
	R *outcome.Report
	V *outcome.Violation
}

// Where returns the cycle of the violation, or the end of the run, with its path.
func (f failure) Where() string { return texts.Say("where", f) }

// Noticed is Where within a sentence.
func (f failure) Noticed() string { return texts.Say("noticed", f) }

// herePlace finds the place of a loss in a message: it is the path of the violation.
var herePlace = regexp.MustCompile(`\b(dark|it|frame|damaged|listened|arrived|and) here\b`)

// Broke returns the message of the violation with its place and the senders of collided frames, without the state of
// an unfinished processor.
func (f failure) Broke() string {
	text := texts.Say("broke", f) + outcome.SendersText(f.V.Senders)
	if f.V.Path == "" {
		return text
	}
	return herePlace.ReplaceAllString(text, "$1 at "+strings.ReplaceAll(f.V.Path, "$", "$$"))
}

// Unfinished returns what the first unfinished processor lacked in a run that missed finish_by, "" if that is unknown
// and for other rules.
func (f failure) Unfinished() string {
	for i := range f.R.Violations {
		if v := &f.R.Violations[i]; f.V.Rule == fabric.RuleFinishBy && v.Rule == fabric.RuleFinishes {
			text, _, _ := strings.Cut(v.Message, "; it sent its last")
			if !strings.HasSuffix(text, " was not done when the run ended") {
				return text
			}
		}
	}
	return ""
}

func (f failure) cause() string { return texts.Say("cause", f) }

// times formats the number of a rule's violations, which is a lower bound from ViolationsMax on.
func times(n int) string {
	switch {
	case n == 1:
		return "once"
	case n >= outcome.ViolationsMax:
		return fmt.Sprintf("%d times or more", n)
	}
	return fmt.Sprintf("%d times", n)
}

// sentence capitalises a text that begins with a word, but not with a name such as grant_o.
func sentence(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsFunc(strings.TrimSuffix(word, ","), func(r rune) bool { return r < 'a' || r > 'z' }) {
		return text
	}
	return capital(text)
}
