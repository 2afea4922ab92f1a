package page

import (
	"bytes"

	"starloom/traces/figure"
)

// figureSVG draws a figure, nil if there is nothing to draw.
func figureSVG(f *figure.Figure) []byte {
	var b bytes.Buffer
	if f == nil || f.WriteSVG(&b) != nil {
		return nil
	}
	return b.Bytes()
}
