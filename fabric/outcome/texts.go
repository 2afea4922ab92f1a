package outcome

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"text/template"

	"starloom/traces"
)

// Texts are templates of sentences, by name. A package keeps those of its causes, remedies and figures in a file texts.tmpl.
type Texts struct{ book func() *template.Template }

// NewTexts returns the templates of a source. They may call the functions of own, and say, lines, plural and the others below.
func NewTexts(source string, own template.FuncMap) (t *Texts) {
	t = &Texts{}
	t.book = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
			"say": t.Say, "lines": t.Lines, "plural": plural, "slots": slots, "series": series, "code": code, "join": join, "capital": capital,
			"printable": Printable, "float": FormatFloat, "exact": ExactFloat, "bare": bareList,
			"upper": func(text any) string { return strings.ToUpper(fmt.Sprint(text)) },
			"list":  listText, "mib": func(bytes uint64) uint64 { return bytes >> 20 },
			"add": func(a, b any) int64 { return integer(a) + integer(b) },
			"sub": func(a, b any) int64 { return integer(a) - integer(b) }, "mul": func(a, b any) int64 { return integer(a) * integer(b) },
		}).Funcs(own).Parse(source))
	})
	return t
}

// Say returns a text with its values.
func (t *Texts) Say(name string, values any) string {
	var b strings.Builder
	if err := t.book().ExecuteTemplate(&b, name, values); err != nil {
		panic(err) // the source is part of the program
	}
	return b.String()
}

// Lines returns the lines of a text that are not empty.
func (t *Texts) Lines(name string, values any) []string {
	return strings.FieldsFunc(t.Say(name, values), func(r rune) bool { return r == '\n' })
}

// Step is something to do, with a command line or without, and what to expect of it.
type Step struct {
	When    string // the condition on which it is to be done, "" for none
	Text    string
	List    []string // of what, if there is more than a sentence; then Then
	Then    string
	Command string
	Expect  string // without a full stop
}

// Steps returns the steps of a text, which begin with "?" and the condition or with ">". Further lines hold list points ("- "), what
// follows the list, the command ("$ ") and what to expect ("= ").
func (t *Texts) Steps(name string, values any) (steps []Step) {
	for _, line := range t.Lines(name, values) {
		if line[0] == '?' || line[0] == '>' {
			steps = append(steps, Step{})
		}
		s, rest := &steps[len(steps)-1], strings.TrimSpace(line[1:])
		switch line[0] {
		case '?':
			s.When = rest
		case '>':
			s.Text = rest
		case '-':
			s.List = append(s.List, rest)
		case '$':
			s.Command = rest
		case '=':
			s.Expect = rest
		default:
			if s.Text == "" {
				s.Text = line
			} else {
				s.Then = line
			}
		}
	}
	return steps
}

//go:embed texts.tmpl
var textsSource string

var texts = NewTexts(textsSource, nil)

func integer(v any) int64 {
	n := reflect.Indirect(reflect.ValueOf(v))
	if n.CanUint() {
		return int64(n.Uint())
	}
	return n.Int()
}

// plural is a count with its noun: one, and many, which is one with an s unless it is given.
func plural(count any, one string, many ...string) string {
	if len(many) == 0 {
		many = []string{one + "s"}
	}
	return traces.Plural(uint64(integer(count)), one, many[0])
}

func slots(count any) string { return plural(count, "slot") }

func join(list []string) string { return strings.Join(list, ", ") }

func code(list []string) string { return "`" + strings.Join(list, "`, `") + "`" }

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// series joins "a", "a and b", "a, b, and c".
func series(list []string) string {
	if n := len(list) - 1; n > 1 {
		return join(list[:n]) + ", and " + list[n]
	}
	return strings.Join(list, " and ")
}
