package input

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
)

// WriteJSON writes a value as JSON, indented by two blanks, with a newline at the end and without escapes for HTML. What Printable
// escapes in a text is an escape of JSON.
func WriteJSON(w io.Writer, value any) error {
	e := JSONEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// JSONEncoder is WriteJSON for one line each.
func JSONEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(jsonPrinter{w})
	e.SetEscapeHTML(false)
	return e
}

type jsonPrinter struct{ to io.Writer }

// Write gets a whole value.
func (p jsonPrinter) Write(text []byte) (int, error) {
	_, err := io.WriteString(p.to, jsonEscaped(string(text)))
	return len(text), err
}

// jsonEscaped escapes what is hidden. It stands in strings alone.
func jsonEscaped(text string) string {
	hidden := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
