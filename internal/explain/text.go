package explain

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"starloom/traces/meaning"
)

const foundMax = 8

// WriteText lists all groups, wrapped to the given number of columns.
func (b *Book) WriteText(w io.Writer, columns int) error {
	p := printer{columns: columns}
	for i := range b.Groups {
		if i > 0 {
			p.out.WriteByte('\n')
		}
		p.list(&b.Groups[i])
	}
	p.out.WriteByte('\n')
	p.paragraph("", 0, "'starloom explain NAME' explains one entry in full; a word in brackets names its group.")
	_, err := w.Write(p.out.Bytes())
	return err
}

// WriteText writes the answer, wrapped to the given number of columns.
func (a *Answer) WriteText(w io.Writer, columns int) error {
	p := printer{columns: columns}
	if len(a.Found) > foundMax {
		p.names(a.Found)
	} else {
		for i := range a.Found {
			if i > 0 {
				p.out.WriteByte('\n')
			}
			p.found(&a.Found[i])
		}
	}
	if len(a.Parts) > 0 {
		p.out.WriteString("\nIts parts:\n")
		p.names(a.Parts)
	}
	for i, g := range a.Groups {
		if i > 0 || len(a.Found) > 0 {
			p.out.WriteByte('\n')
		}
		p.list(g)
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

// links matches links within a page, because pages also contain remedies.
var links = regexp.MustCompile(`\[([^][]+)\]\(#[a-z0-9-]+\)`)

type printer struct {
	out     bytes.Buffer
	columns int
}

func (p *printer) found(f *Found) {
	p.entry(f.As, f.entry)
	for _, ending := range f.Endings {
		p.out.WriteByte('\n')
		p.entry(ending.Name, ending)
	}
}

func (p *printer) entry(name string, e entry) {
	p.paragraph(name+"  ", 4, e.Means)
	source := e.Source
	if source == "" {
		source = e.group.Source
	}
	for _, row := range [][2]string{
		{"unit", e.Unit}, {"range", e.Range}, {"counted", e.Counted},
		{"remedy", links.ReplaceAllString(e.Remedy, "$1")}, {"source", source},
		{"where", e.group.Title + ": " + e.group.Where},
	} {
		if row[1] != "" {
			p.paragraph(fmt.Sprintf("    %-9s", row[0]), 13, row[1])
		}
	}
}

func (p *printer) list(g *meaning.Group) {
	p.paragraph("", 2, fmt.Sprintf("%s [%s]: %s", g.Title, g.Key, g.Where))
	var all []Found
	for i := range g.Entries {
		all = append(all, Found{entry: entry{g, &g.Entries[i]}})
	}
	p.names(all)
}

const nameMost = 28

func (p *printer) names(all []Found) {
	width := 0
	for _, f := range all {
		if n := utf8.RuneCountInString(f.Name); n <= nameMost {
			width = max(width, n)
		}
	}
	for _, f := range all {
		p.paragraph(fmt.Sprintf("  %-*s  ", width, f.Name), width+4, f.Means)
	}
}

func (p *printer) paragraph(head string, indent int, text string) {
	line, at := head, utf8.RuneCountInString(head)
	first := true
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case first:
			first = false
		case at+1+n > p.columns:
			p.out.WriteString(strings.TrimRight(line, " ") + "\n")
			line, at = strings.Repeat(" ", indent), indent
		default:
			line += " "
			at++
		}
		line += word
		at += n
	}
	p.out.WriteString(line + "\n")
}
