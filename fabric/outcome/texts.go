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

// Texts are named templates of sentences. A package stores the sentences about its causes, remedies and figures in a
// file texts.tmpl.
type Texts struct{ book func() *template.Template }

// NewTexts parses a source on first use. The templates may call the functions below and the functions in own.
func NewTexts(source string, own template.FuncMap) (t *Texts) {
	t = &Texts{}
	t.book = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
			"say": t.Say, "lines": t.Lines, "plural": plural, "slots": slots, "series": series, "code": code,
			"join": join, "capital": capital,
			"printable": Printable, "float": FormatFloat, "exact": ExactFloat, "bare": bareList,
			"upper": func(text any) string { return strings.ToUpper(fmt.Sprint(text)) },
			"list":  listText, "mib": func(bytes uint64) uint64 { return bytes >> 20 },
			"add": func(a, b any) int64 { return integer(a) + integer(b) },
			"sub": func(a, b any) int64 { return integer(a) - integer(b) },
			"mul": func(a, b any) int64 { return integer(a) * integer(b) },
		}).Funcs(own).Parse(source))
	})
	return t
}

// Say executes a template.
func (t *Texts) Say(name string, values any) string {
	var b strings.Builder
	if err := t.book().ExecuteTemplate(&b, name, values); err != nil {
		panic(err) // the source is part of the program
	}
	return b.String()
}

// Lines returns the non-empty lines of Say.
func (t *Texts) Lines(name string, values any) []string {
	return strings.FieldsFunc(t.Say(name, values), func(r rune) bool { return r == '\n' })
}

// Step is an action for the user, with an optional command and the expected result.
type Step struct {
	When    string // condition, "" for none
	Text    string
	List    []string // list below Text; Then follows the list
	Then    string
	Command string
	Expect  string // expected result, without a full stop
}

// Steps parses the lines of Say into steps. The first character of a line selects the field of the step:
//
//	?   When; begins a step
//	>   Text; begins a step
//	-   an element of List
//	$   Command
//	=   Expect
//
// Any other line is Text, or Then if the step already has a Text.
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

// plural formats a count with its noun. By default the plural has an s.
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

func series(list []string) string {
	if n := len(list) - 1; n > 1 {
		return join(list[:n]) + ", and " + list[n]
	}
	return strings.Join(list, " and ")
}
