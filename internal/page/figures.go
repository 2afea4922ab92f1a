package page

import (
	"bytes"
	"html"
	"regexp"
	"strconv"

	"starloom/traces/figure"
)

// FigureSVG draws a figure, nil if there is nothing to draw.
func FigureSVG(f *figure.Figure) []byte {
	var b bytes.Buffer
	if f == nil || f.WriteSVG(&b) != nil {
		return nil
	}
	return b.Bytes()
}

func titled(svg []byte, other string) string {
	_, rest, ok := bytes.Cut(svg, []byte("<title>"))
	title, _, whole := bytes.Cut(rest, []byte("</title>"))
	if !ok || !whole || len(title) == 0 {
		return other
	}
	return html.UnescapeString(string(title))
}

var widthOf = regexp.MustCompile(`^[^>]*\bwidth="([0-9.]+)`)

// sideBySide is up to which width two pictures may stand side by side, a little smaller than they are.
const sideBySide = 800

// Wide reports whether the picture needs the whole width.
func (p *Picture) Wide() bool {
	found := widthOf.FindSubmatch(p.SVG)
	if found == nil {
		return true
	}
	width, err := strconv.ParseFloat(string(found[1]), 64)
	return err != nil || width > sideBySide
}
