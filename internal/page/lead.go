package page

import (
	"slices"
	"strings"

	"starloom/fabric/outcome"
)

const leadID = "picture"

// lead moves the first waveform or picture of the sections to a place below the cause.
func (p *Page) lead() {
	if p.Lead != nil {
		return
	}
	for _, s := range p.Sections {
		for _, part := range append([]*Section{s}, s.Parts...) {
			i := slices.IndexFunc(part.Blocks, func(b Block) bool { return b.Waves != nil || b.Picture != nil })
			if i < 0 {
				continue
			}
			p.Lead = []Block{part.Blocks[i]}
			part.Blocks = slices.Delete(part.Blocks, i, i+1)
			if part != s {
				part.Blocks = slices.Insert(part.Blocks, i, text("The signals are in [the first picture](#%s).", leadID))
			}
			p.Sections = slices.DeleteFunc(p.Sections, empty)
			return
		}
	}
}

// nextChars is the maximum length of a first step without a command that precedes the command at the top.
const nextChars = 100

// commandChars is the length of the longest command at the top of a page: about two lines. The picture must fit on the
// first screen.
const commandChars = 160

// next sets the line at the top of a failing page: the first step with a command, after a short step without a
// command.
func (p *Page) next() {
	at := slices.IndexFunc(p.Answers, func(a Answer) bool { return a.Question == nextQuestion })
	if p.Cause == "" && p.Verdict != outcome.VerdictFail || at < 0 {
		return
	}
	for _, block := range p.Answers[at].Blocks {
		i := slices.IndexFunc(block.Steps, func(s Step) bool { return s.Command != "" })
		if i < 0 {
			continue
		}
		next := block.Steps[i]
		if next.Then != "" { // the list stays below
			next.Text = strings.TrimSuffix(next.Text, ": either") + ", as listed below. " + next.Then
		}
		next.Text = brief(next.Text)
		if first := &block.Steps[0]; i > 0 && first.When == "" && len(first.Text) <= nextChars && len(first.List) == 0 {
			next.Text = first.Text + " " + next.Text
		}
		if len(next.Command) > commandChars {
			next.Text, next.Command = strings.TrimRight(next.Text, ":.")+"; the command stands below.", ""
		}
		p.Next = &next
		return
	}
}

// brief truncates the long text of a step after its first clause.
func brief(text string) string {
	for _, end := range []string{"; ", ". ", ", which ", " ("} {
		if clause, _, cut := strings.Cut(text, end); cut && len(text) > nextChars {
			text = clause + ":"
		}
	}
	return text
}

func empty(s *Section) bool { return len(s.Blocks) == 0 && len(s.Parts) == 0 }

// sayOnce drops asides and legends that the page already contains.
func (p *Page) sayOnce() {
	said := map[string]bool{}
	p.eachBlock(func(b *Block) {
		switch {
		case b.Waves != nil && said[b.Waves.Legend]:
			b.Waves.Legend = ""
		case b.Waves != nil:
			said[b.Waves.Legend] = true
		case said[b.Aside]:
			b.Aside = ""
		case b.Aside != "":
			said[b.Aside] = true
		}
	})
}

// listed is a cell that opens a list.
type listed struct {
	Summary string
	Items   []string
}
