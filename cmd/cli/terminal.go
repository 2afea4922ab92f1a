package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"starloom/traces/input"
)

// widths of texts: the default for an unknown terminal width, and the minimum
const (
	columnsDefault = 80
	columnsMin     = 40
)

// readable returns the writer for text that people read. On a terminal, it wraps lines at the width and colours the
// verdict, unless NO_COLOR is set or TERM is dumb. Elsewhere the text is unchanged.
func readable(to io.Writer) io.Writer {
	if file, ok := to.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
		to = &terminal{to: to, columns: columnsOf(to, os.Getenv("COLUMNS")), colour: !plain}
	}
	return input.Printer(to)
}

func columnsOf(out io.Writer, variable string) int {
	if n, err := strconv.Atoi(variable); err == nil && n > 0 {
		return max(n, columnsMin)
	}
	if file, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return max(n, columnsMin)
		}
	}
	return columnsDefault
}

type terminal struct {
	to      io.Writer
	columns int
	colour  bool
	line    []byte // a line with an unwritten end
}

func (t *terminal) Write(text []byte) (int, error) {
	t.line = append(t.line, text...)
	end := bytes.LastIndexByte(t.line, '\n') + 1
	var b strings.Builder
	for line := range strings.Lines(string(t.line[:end])) {
		line = wrap(strings.TrimSuffix(line, "\n"), t.columns)
		if t.colour {
			line = coloured(line)
		}
		b.WriteString(line + "\n")
	}
	t.line = append(t.line[:0], t.line[end:]...)
	if _, err := io.WriteString(t.to, b.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

var (
	unbroken = regexp.MustCompile(`'[^']*'\S*|\S+`)                     // a quoted command is one word
	toCopy   = regexp.MustCompile(`(?:^|[ (])(?:starloom|gtkwave|sh) `) // a command to copy
	gaps     = regexp.MustCompile(`\S {2,}|\t`)
	verdicts = regexp.MustCompile(`^(?:(PASS|EQUAL|NO DIFFERENCE|pass|equal)\b|(FAIL|DIFFERENT|fail|differs)\b|` +
		`(undecided\b|  note: saturated:))`)
)

// wrap breaks a line between words, and indents the rest like the first word, or like the value after a name. It does
// not wrap commands, tables and drawings, which a reader copies or compares.
func wrap(line string, columns int) string {
	if utf8.RuneCountInString(line) <= columns || toCopy.MatchString(line) || len(gaps.FindAllString(line, 3)) > 2 {
		return line
	}
	hang := len(line) - len(strings.TrimLeft(line, " "))
	if gap := gaps.FindStringIndex(line); gap != nil && gap[1] <= columns/2 {
		hang = utf8.RuneCountInString(line[:gap[1]])
	} else {
		hang += 2
	}
	var b strings.Builder
	at, from := 0, 0 // column, and first unwritten byte
	for _, word := range unbroken.FindAllStringIndex(line, -1) {
		width, space := utf8.RuneCountInString(line[word[0]:word[1]]), word[0]-from
		if at > hang && at+space+width > columns {
			b.WriteString("\n" + strings.Repeat(" ", hang))
			at, space = hang, 0
		}
		b.WriteString(strings.Repeat(" ", space) + line[word[0]:word[1]])
		at, from = at+space+width, word[1]
	}
	return b.String()
}

// coloured colours the verdict at the beginning of a line: green, red, or yellow for a partial or undecided
// proof and for the note of a saturated network.
func coloured(line string) string {
	found := verdicts.FindStringSubmatchIndex(line)
	if found == nil {
		return line
	}
	colour := "32"
	switch {
	case found[4] >= 0:
		colour = "31"
	case found[6] >= 0 || strings.HasPrefix(line, "equal up to"):
		colour = "33"
	}
	return "\x1b[1;" + colour + "m" + line[:found[1]] + "\x1b[0m" + line[found[1]:]
}
