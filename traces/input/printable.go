package input

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable converts foreign text to one line. Control characters, bidirectional marks, invisible characters and
// bytes that are not UTF-8 become escapes (\x1b, \u202e). All text output uses Printable.
func Printable(text string) string { return escaped(text, "") }

// PrintableLines is Printable, but keeps newlines and tabs.
func PrintableLines(text string) string { return escaped(text, "\n\t") }

func escaped(text, kept string) string {
	hidden := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) && !strings.ContainsRune(kept, r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case r == utf8.RuneError || !hidden(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 1<<16:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		at += size
	}
	return b.String()
}

type printer struct{ to io.Writer }

// Printer returns a writer that applies PrintableLines. A write must end between two characters.
func Printer(to io.Writer) io.Writer { return printer{to} }

func (p printer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.to, PrintableLines(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// CSVWriter writes tables for people and spreadsheets. Texts are Printable, and no spreadsheet evaluates them as
// formulas.
type CSVWriter struct{ *csv.Writer }

// NewCSVWriter returns a CSVWriter on w.
func NewCSVWriter(w io.Writer) *CSVWriter { return &CSVWriter{csv.NewWriter(w)} }

// Write writes a row.
func (w *CSVWriter) Write(row []string) error {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = csvCell(cell)
	}
	return w.Writer.Write(cells)
}

// WriteAll writes rows and flushes them.
func (w *CSVWriter) WriteAll(rows [][]string) error {
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// csvCell adds a leading apostrophe to text that a spreadsheet would evaluate, but not to numbers, histograms and
// "-".
func csvCell(cell string) string {
	if cell == "" || cell == "-" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return Printable(cell)
	}
	for _, number := range strings.FieldsFunc(cell, func(r rune) bool { return r == ' ' || r == ':' }) {
		if _, err := strconv.ParseFloat(number, 64); err != nil {
			return "'" + Printable(cell)
		}
	}
	return cell
}

// WriteJSON writes indented JSON with a final newline, without HTML escapes. It escapes as Printable does.
func WriteJSON(w io.Writer, value any) error {
	e := JSONEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// JSONEncoder returns an encoder with the escapes of WriteJSON, but without indentation.
func JSONEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(jsonPrinter{w})
	e.SetEscapeHTML(false)
	return e
}

type jsonPrinter struct{ to io.Writer }

// Write receives a complete value.
func (p jsonPrinter) Write(text []byte) (int, error) {
	_, err := io.WriteString(p.to, jsonEscaped(string(text)))
	return len(text), err
}

// jsonEscaped escapes invisible characters, which occur only within strings.
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
