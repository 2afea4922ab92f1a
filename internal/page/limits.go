package page

import (
	"bytes"
	"fmt"

	"starloom/traces"
)

// What a page has at most.
const (
	BytesMax    = 3 << 20 // of the file
	ElementsMax = 5000    // of SVG
	// tablesMax and picturesMax leave room for each other and for all else.
	tablesMax   = 1 << 20
	picturesMax = 3 << 19
	rowBytes    = 24 // of a row beside its cells: tags
	cellBytes   = 24
)

// Elements counts the elements of SVG.
func Elements(svg []byte) (count int) {
	for i := range len(svg) - 1 {
		if next := svg[i+1]; svg[i] == '<' && (next >= 'a' && next <= 'z') {
			count++
		}
	}
	return count
}

// fit leaves out pictures and rows of tables beyond what a page may have, the last first, and says so.
func (p *Page) fit() {
	elements, pictures, rows := 0, 0, 0
	p.eachBlock(func(b *Block) {
		var svg []byte
		caption := ""
		switch {
		case b.Picture != nil:
			svg, caption = b.Picture.SVG, b.Picture.Caption
		case b.Waves != nil:
			svg, caption = []byte(b.Waves.SVG()), b.Waves.Caption
		case b.Table != nil:
			rows += b.Table.fit(tablesMax - rows)
			return
		default:
			return
		}
		count, size := Elements(svg), len(svg)
		if elements+count > ElementsMax || pictures+size > picturesMax {
			*b = Block{Aside: fmt.Sprintf("Left out, because a page has at most %d elements of SVG: %s (%d).", ElementsMax, caption, count)}
			if elements+count <= ElementsMax {
				b.Aside = fmt.Sprintf("Left out, because a page would be longer than %d MB: %s.", BytesMax>>20, caption)
			}
			return
		}
		elements, pictures = elements+count, pictures+size
	})
}

// fit leaves out the last rows of a table that would take more bytes, and returns what it takes.
func (t *Table) fit(most int) (size int) {
	named := 0 // cards
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
