package page

import (
	"bytes"
	"html"

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

// titled is the title of SVG, or else another text.
func titled(svg []byte, other string) string {
	_, rest, ok := bytes.Cut(svg, []byte("<title>"))
	title, _, whole := bytes.Cut(rest, []byte("</title>"))
	if !ok || !whole || len(title) == 0 {
		return other
	}
	return html.UnescapeString(string(title))
}
