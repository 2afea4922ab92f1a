// Package page writes reports as pages: self-contained HTML files for browsers, phones and paper. Equal reports yield
// equal bytes.
//
//	report --Run, Seeds, Study ...--> Page: answers, sections, tables, pictures --Write--> HTML
//
// A page begins with the verdict, the cause in one sentence, and a picture. The other parts are folded on screen and
// open in print. A page has at most 3 MB and 5,000 SVG elements; it names omitted parts.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/input"
)

// Page is a report for people.
type Page struct {
	Subject  string          // command: run, study, ...
	Name     string          // name of the scenario, the study, ...
	Verdict  outcome.Verdict // pass, fail, or "" without a verdict
	Cause    string          // the failure and its cause in one sentence; "" selects Summary
	Summary  string          // the verdict in a sentence
	Warning  string          // a caution beside the verdict, in a sentence; "" for none
	Next     *Step           // the next step with a command; Write takes it from Answers
	Lead     []Block         // picture below the cause; with nil, Write takes the first picture of the sections
	Answers  []Answer        // failure, place, next steps
	Measured bool            // the page holds times of this machine, so another call gives another page
	Sections []*Section
}

// Answer is the answer to a question at the top of a page.
type Answer struct {
	Question string
	Blocks   []Block
	Open     bool // not folded
}

// Failed returns the answers on a failure: its description, place, cause if known, and next steps. Each text becomes
// a paragraph. The notes of a report precede the steps, because they often name cause and remedy.
func Failed(what, where []string, cause []Block, notes []string, steps ...Step) []Answer {
	paragraphs := func(texts []string) (blocks []Block) {
		for _, text := range texts {
			blocks = append(blocks, Block{Text: text})
		}
		return blocks
	}
	answers := []Answer{{Question: "What failed", Blocks: paragraphs(what)},
		{Question: "Where", Blocks: paragraphs(where)}}
	if len(cause) > 0 {
		answers = append(answers, Answer{Question: "Cause", Blocks: cause, Open: true})
	}
	next := noteBlocks(notes)
	if choices := choicesText(steps); choices != "" {
		next = append(next, Block{Text: choices})
	}
	return append(answers, Answer{nextQuestion, append(next, Block{Steps: steps}), true})
}

func choicesText(steps []Step) string {
	choices := 0
	for choices < len(steps) && steps[choices].When != "" {
		choices++
	}
	switch {
	case choices < 2:
		return ""
	case choices == len(steps):
		return "Follow the steps in this order, each only if its condition holds."
	case choices+1 == len(steps):
		return fmt.Sprintf("Follow %s in this order, each only if its condition holds; step %d shows more.",
			stepSpan(1, choices), choices+1)
	}
	return fmt.Sprintf("Follow %s in this order, each only if its condition holds; %s show more.", stepSpan(1, choices),
		stepSpan(choices+1, len(steps)))
}

func stepSpan(from, to int) string {
	if from+1 == to {
		return fmt.Sprintf("steps %d and %d", from, to)
	}
	return fmt.Sprintf("steps %d to %d", from, to)
}

// Passed returns the answer without a failure.
func Passed(notes []string, next ...Block) []Answer {
	return []Answer{{nextQuestion, append(next, noteBlocks(notes)...), true}}
}

const nextQuestion = "What to do next"

func noteBlocks(notes []string) (blocks []Block) {
	for _, note := range notes {
		blocks = append(blocks, Block{Text: "Note: " + note + "."})
	}
	return blocks
}

// Section is a part of a page with a heading, and can be folded.
type Section struct {
	Title  string
	Gist   string // short summary, next to the title
	Blocks []Block
	Parts  []*Section // sections without further parts

	ID string // anchor; with "", Write derives it from the title
}

// Block is one element of a section. Its texts may contain `code` and [links](#id) to other places of the page.
type Block struct {
	Text    string
	Aside   string   // remark in small print
	List    []string // list points
	Steps   []Step
	Command string // command line
	Lines   []string
	Table   *Table
	Picture *Picture
	Waves   *Waves
	Folded  string // remark under its summary, Fold
	Fold    string
}

// Step is a step of an answer.
type Step = outcome.Step

// Table is a table. The first cell of a row is its heading.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]string
	Lists   map[int][]string // by row: the list that a cell of the column with Opens expands
	Sorts   bool             // readers may sort and filter its rows
	Unseen  bool             // the caption repeats the heading; it is only for screen readers
	Left    string           // remark on omitted rows
}

// Column is a column of a table.
type Column struct {
	Name   string
	Number bool
	Opens  bool // the column's cells open the lists of the table
}

// cardColumns is the minimum number of columns of a table whose rows become cards on a narrow screen.
const cardColumns = 4

// Cards reports whether, on a narrow screen, rows become cards with the column's name in each cell.
func (t *Table) Cards() bool { return len(t.Columns) >= cardColumns }

// manyColumns is the minimum number of columns of a table in small print on paper.
const manyColumns = 9

// shortRows is the maximum number of rows of a table that is kept on one sheet in print.
const shortRows = 20

// Kinds returns the CSS classes of the table.
func (t *Table) Kinds() string {
	var kinds []string
	for _, kind := range []struct {
		name string
		is   bool
	}{{"sorts", t.Sorts}, {"cards", t.Cards()}, {"many", len(t.Columns) >= manyColumns},
		{"short", len(t.Rows) <= shortRows}} {
		if kind.is {
			kinds = append(kinds, kind.name)
		}
	}
	return strings.Join(kinds, " ")
}

// wideChars is the minimum length of a text with a minimum width on a narrow screen.
const wideChars = 25

// Classes returns the CSS classes of the columns: n for numbers, w for wide texts, l for long texts.
func (t *Table) Classes() []string {
	classes := make([]string, len(t.Columns))
	for i := range t.Columns {
		longest := 0
		for _, row := range t.Rows {
			longest = max(longest, len(row[i]))
		}
		switch {
		case t.Columns[i].Number:
			classes[i] = "n"
		case longest >= 3*wideChars:
			classes[i] = "l"
		case longest >= wideChars:
			classes[i] = "w"
		}
	}
	return classes
}

// Picture is an SVG drawn by this module.
type Picture struct {
	Caption string
	SVG     []byte
	Narrow  []byte // second drawing in the width of a phone; nil if the SVG scrolls there
}

// Drawn returns the SVG element without the prolog of a file.
func (p *Picture) Drawn() template.HTML { return drawn(p.SVG) }

// DrawnNarrow is Drawn for a phone.
func (p *Picture) DrawnNarrow() template.HTML { return drawn(p.Narrow) }

func drawn(svg []byte) template.HTML {
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		svg = svg[at:] // the prolog is for files
	}
	return template.HTML(bytes.TrimSpace(svg)) //nolint:gosec // it is this module's own, and escaped
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var layout = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(pageCSS) },
	"script": func() template.JS { return template.JS(pageJS) },
	"upper":  func(v outcome.Verdict) string { return strings.ToUpper(string(v)) },
	"first":  func(i int) bool { return i == 0 },
	"marked": func(text string) template.HTML { return marked(text, nil) },
	"plain":  plain,
	"words":  func(line string) []string { return strings.Split(line, " ") },
	"listed": func(summary string, items []string) listed { return listed{summary, items} },
}).Parse(pageHTML))

// Write writes the page as HTML.
func (p *Page) Write(w io.Writer) error {
	p.next()
	p.lead()
	p.sayOnce()
	p.fit()
	used := map[string]int{leadID: 1}
	for _, s := range p.Sections {
		s.name(used)
	}
	page, err := layout.Clone()
	if err != nil {
		return fmt.Errorf("page of %s: %w", p.Name, err)
	}
	titles := map[string]string{}
	if p.Lead != nil {
		titles[leadID] = "The picture"
	}
	for _, s := range p.Sections {
		titles[s.ID] = s.Title
		for _, part := range s.Parts {
			titles[part.ID] = part.Title
		}
	}
	page.Funcs(template.FuncMap{"marked": func(text string) template.HTML { return marked(text, titles) }})
	var b bytes.Buffer
	if err := page.Execute(&b, p); err != nil {
		return fmt.Errorf("page of %s: %w", p.Name, err)
	}
	_, err = input.Printer(w).Write(b.Bytes())
	return err
}

func (s *Section) name(used map[string]int) {
	if s.ID == "" {
		s.ID = titleID(s.Title)
	}
	if used[s.ID]++; used[s.ID] > 1 {
		s.ID += fmt.Sprintf("-%d", used[s.ID])
		used[s.ID]++
	}
	for _, part := range s.Parts {
		part.name(used)
	}
}

func titleID(title string) string {
	id := strings.Trim(strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, title), "-")
	if id == "" || unicode.IsDigit(rune(id[0])) {
		id = "part-" + id
	}
	return id
}

func (p *Page) add(s *Section) {
	if s != nil && (len(s.Blocks) > 0 || len(s.Parts) > 0) {
		for _, b := range s.Blocks {
			if b.Table != nil && b.Table.Caption == s.Title+"." {
				b.Table.Unseen = true
			}
		}
		p.Sections = append(p.Sections, s)
	}
}

// Add adds a section unless it is empty.
func (p *Page) Add(title string, blocks ...Block) { p.add(&Section{Title: title, Blocks: blocks}) }

func text(format string, values ...any) Block { return Block{Text: fmt.Sprintf(format, values...)} }

// table returns a table with the named columns. The name of a numeric column begins with #.
func table(caption string, names ...string) *Table {
	t := &Table{Caption: caption}
	for _, name := range names {
		name, number := strings.CutPrefix(name, "#")
		t.Columns = append(t.Columns, Column{Name: name, Number: number})
	}
	return t
}

func (t *Table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.Rows = append(t.Rows, row)
}

func join(list []string) string { return strings.Join(list, ", ") }

// marks matches `code`, [links](#id), and options, which are also code because a line must not break within them.
var marks = regexp.MustCompile("`([^`\n]+)`|\\[([^][]+)\\]\\(#([a-z0-9-]+)\\)|--[a-z][a-z-]*[a-z]")

// marked renders a text as HTML. A link to an absent ID becomes plain text.
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

// Limits of a page.
const (
	BytesMax    = 3 << 20 // size of the file in bytes
	ElementsMax = 5000    // number of SVG elements
	// tablesMax and picturesMax leave room for each other and for texts.
	tablesMax   = 1 << 20
	picturesMax = 3 << 19
	rowBytes    = 24 // size of a row's tags
	cellBytes   = 24
)

// Elements counts the SVG elements.
func Elements(svg []byte) (count int) {
	for i := range len(svg) - 1 {
		if next := svg[i+1]; svg[i] == '<' && (next >= 'a' && next <= 'z') {
			count++
		}
	}
	return count
}

// fit replaces pictures, and rows of tables, beyond the limits of a page by remarks, starting with the last.
func (p *Page) fit() {
	elements, pictures, rows := 0, 0, 0
	p.eachBlock(func(b *Block) {
		var svg []byte
		caption := ""
		switch {
		case b.Picture != nil:
			svg, caption = slices.Concat(b.Picture.SVG, b.Picture.Narrow), b.Picture.Caption
		case b.Waves != nil:
			svg, caption = []byte(b.Waves.SVG()), b.Waves.Caption
		case b.Table != nil:
			rows += b.Table.fit(tablesMax - rows)
			return
		default:
			return
		}
		count, size := Elements(svg), len(svg)
		if b.Picture != nil && b.Picture.Narrow != nil && (elements+count > ElementsMax || pictures+size > picturesMax) {
			b.Picture.Narrow, svg = nil, b.Picture.SVG
			count, size = Elements(svg), len(svg)
		}
		if elements+count > ElementsMax || pictures+size > picturesMax {
			*b = Block{Aside: fmt.Sprintf("Left out, because a page has at most %d SVG elements: %s (%d).",
				ElementsMax, caption, count)}
			if elements+count <= ElementsMax {
				b.Aside = fmt.Sprintf("Left out, because a page would be longer than %d MB: %s.", BytesMax>>20, caption)
			}
			return
		}
		elements, pictures = elements+count, pictures+size
	})
}

// fit drops rows from the end of a table that exceeds most bytes, and returns the size of the rest.
func (t *Table) fit(most int) (size int) {
	named := 0 // column names in cards
	if t.Cards() {
		for i := range t.Columns {
			named += len(` data-name=""`) + len(t.Columns[i].Name)
		}
	}
	for i, row := range t.Rows {
		now := rowBytes + named
		for _, cell := range row {
			now += cellBytes + len(cell) + bytes.Count([]byte(cell), []byte{'<'})*4
		}
		for _, item := range t.Lists[i] {
			now += cellBytes + len(item) + bytes.Count([]byte(item), []byte{'<'})*4
		}
		if size+now > most {
			left := traces.Plural(len(t.Rows)-i, "row is", "rows are")
			t.Left = fmt.Sprintf("%s left out, because a page has at most %d MB.", left, BytesMax>>20)
			t.Rows = t.Rows[:i]
			return size
		}
		size += now
	}
	return size
}

func (p *Page) eachBlock(f func(b *Block)) {
	each := func(list []Block) {
		for i := range list {
			f(&list[i])
		}
	}
	each(p.Lead)
	for _, a := range p.Answers {
		each(a.Blocks)
	}
	for _, s := range p.Sections {
		each(s.Blocks)
		for _, part := range s.Parts {
			each(part.Blocks)
		}
	}
}
