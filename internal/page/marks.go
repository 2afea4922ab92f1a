package page

import (
	"html/template"
	"regexp"
	"strings"
)

// marks are what a text may have in it: `code`, and [words](#id).
var marks = regexp.MustCompile("`([^`\n]+)`|\\[([^][]+)\\]\\(#([a-z0-9-]+)\\)")

// marked is a text as HTML. A link to an ID that the page does not have becomes its words.
func marked(text string, ids map[string]int) template.HTML {
	var b strings.Builder
	plainly := func(text string) { b.WriteString(template.HTMLEscapeString(text)) }
	at := 0
	for _, m := range marks.FindAllStringSubmatchIndex(text, -1) {
		plainly(text[at:m[0]])
		at = m[1]
		switch {
		case m[2] >= 0:
			b.WriteString("<code>")
			for i, word := range strings.Split(text[m[2]:m[3]], " ") {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString("<span>")
				plainly(word)
				b.WriteString("</span>")
			}
			b.WriteString("</code>")
		case ids[text[m[6]:m[7]]] > 0:
			b.WriteString(`<a href="#` + text[m[6]:m[7]] + `">`)
			plainly(text[m[4]:m[5]])
			b.WriteString("</a>")
		default:
			plainly(text[m[4]:m[5]])
		}
	}
	plainly(text[at:])
	return template.HTML(b.String()) //nolint:gosec // all of it is escaped
}

// plain is a text without its marks, for attributes.
func plain(text string) string { return marks.ReplaceAllString(text, "$1$2") }
