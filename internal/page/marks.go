package page

import (
	"html/template"
	"regexp"
	"strings"
)

// marks are what a text may have in it: `code`, and [words](#id). An option is code, too: a line must not end within it.
var marks = regexp.MustCompile("`([^`\n]+)`|\\[([^][]+)\\]\\(#([a-z0-9-]+)\\)|--[a-z][a-z-]*[a-z]")

// marked is a text as HTML. A link to an ID that the page does not have becomes its words.
func marked(text string, ids map[string]string) template.HTML {
	var b strings.Builder
	plainly := func(text string) { b.WriteString(template.HTMLEscapeString(text)) }
	at := 0
	for _, m := range marks.FindAllStringSubmatchIndex(text, -1) {
		plainly(text[at:m[0]])
		at = m[1]
		code := text[m[0]:m[1]]
		if m[2] >= 0 {
			code = text[m[2]:m[3]]
		}
		switch {
		case m[4] < 0:
			b.WriteString("<code>")
			for i, word := range strings.Split(code, " ") {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString("<span>")
				plainly(word)
				b.WriteString("</span>")
			}
			b.WriteString("</code>")
		case ids[text[m[6]:m[7]]] != "":
			b.WriteString(`<a href="#` + text[m[6]:m[7]] + `" data-to="`)
			plainly(ids[text[m[6]:m[7]]])
			b.WriteString(`">`)
			plainly(text[m[4]:m[5]])
			b.WriteString("</a>")
		default:
			plainly(text[m[4]:m[5]])
		}
	}
	plainly(text[at:])
	return template.HTML(b.String()) //nolint:gosec // all of it is escaped
}

func plain(text string) string {
	return marks.ReplaceAllStringFunc(text, func(mark string) string {
		if strings.HasPrefix(mark, "--") {
			return mark
		}
		return marks.ReplaceAllString(mark, "$1$2")
	})
}
