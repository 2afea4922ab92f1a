package netlist

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Remedies that are complete enough for a tool to apply.
var (
	located   = regexp.MustCompile(`^n\.yaml:(\d+):(\d+): (.*?); (.*)$`)
	meant     = regexp.MustCompile(`^did you mean "([^"]+)"`)
	allowed   = regexp.MustCompile(`^(?:write an integer: |allowed: )(-?\d+) to (\d+)`)
	atMost    = regexp.MustCompile(`^give at most (\d+)$`)
	words     = regexp.MustCompile(`^allowed: (\w+), \w+`)
	valued    = regexp.MustCompile(`^write (\w[\w.:]*)(?:,? or .*)?$`)
	addKey    = regexp.MustCompile(`(?:^|or )(?:add|write|take) ((?:apart|router|access|kind|model|output|arbiter): (?:\{[^}]*\}|\w+))`)
	deleteKey = regexp.MustCompile(`^delete (\w+)(?:[,;]|$)`)
	aligned   = regexp.MustCompile(`or write (align: true) at the star (\w+)$`)
)

// token returns the first token of text: a quoted text, a bracket with its contents, or a word.
func token(text string) string {
	for _, form := range []string{`^"[^"]*"`, `^'[^']*'`, `^\[[^\]]*\]`, `^\{[^}]*\}`, `^[^,:\[\]{}\n]+`} {
		if found := regexp.MustCompile(form).FindString(text); found != "" {
			return found
		}
	}
	return ""
}

// remedied returns the file after the remedy of its first mistake has been applied; ok is false if
// the remedy contains no text to write.
func remedied(text, mistake string) (mended string, ok bool) {
	part := located.FindStringSubmatch(mistake)
	if part == nil {
		return "", false
	}
	line, _ := strconv.Atoi(part[1])
	column, _ := strconv.Atoi(part[2])
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	if at += column - 1; at > len(text) {
		return "", false
	}
	m := mistaken{text: text, at: at, here: token(text[at:]), reason: part[3], remedy: part[4]}
	for _, mend := range []func() (string, bool){m.value, m.deleted, m.added} {
		if mended, ok = mend(); ok {
			return mended, true
		}
	}
	return "", false
}

// mistaken is a file with a mistake and the text at its place.
type mistaken struct {
	text           string
	at             int
	here           string
	reason, remedy string
}

// replace puts another word there.
func (m *mistaken) replace(with string) (string, bool) {
	if m.here != "" && (m.here[0] == '"' || m.here[0] == '\'') {
		with = m.here[:1] + with + m.here[:1]
	}
	return m.text[:m.at] + with + m.text[m.at+len(m.here):], true
}

// value writes another value.
func (m *mistaken) value() (string, bool) {
	if found := meant.FindStringSubmatch(m.remedy); found != nil {
		if end := regexp.MustCompile(`no port (\S+)`).FindStringSubmatch(m.reason); end != nil {
			return strings.Replace(m.text, end[1]+`'`, found[1]+`'`, 1), strings.Contains(m.text, end[1]+`'`)
		}
		return m.replace(found[1])
	}
	if found := allowed.FindStringSubmatch(m.remedy); found != nil {
		few := strings.Contains(m.remedy, "nodes") || strings.Contains(m.remedy, "bits") // the most would take long
		if few || len(m.here) < 3 || strings.Contains(m.here, ".") {
			return m.replace(found[1])
		}
		return m.replace(found[2])
	}
	if found := atMost.FindStringSubmatch(m.remedy); found != nil && strings.HasPrefix(m.here, "[") {
		most, _ := strconv.Atoi(found[1])
		return m.replace("[" + strings.Join(strings.Split(strings.Trim(m.here, "[]"), ",")[:most], ",") + "]")
	}
	if found := words.FindStringSubmatch(m.remedy); found != nil && strings.Contains(m.reason, " is ") {
		return m.replace(found[1])
	}
	if found := valued.FindStringSubmatch(m.remedy); found != nil && found[1] != "a" && found[1] != "an" {
		return m.replace(found[1])
	}
	return "", false
}

// deleted removes the text that the remedy says to delete.
func (m *mistaken) deleted() (string, bool) {
	if found := deleteKey.FindStringSubmatch(m.remedy); found != nil {
		key := found[1]
		pair := regexp.MustCompile(`(?m)^` + key + `: .*\n?|, ` + key + `: (?:\{[^}]*\}|\[[^\]]*\]|[^,}\n]+)`)
		if at := pair.FindStringIndex(m.text); at != nil {
			return m.text[:at[0]] + m.text[at[1]:], true
		}
	}
	if strings.HasPrefix(m.remedy, "delete it") && strings.HasPrefix(m.here, "!") {
		return m.text[:m.at] + strings.TrimPrefix(m.text[m.at:], strings.Fields(m.here)[0]+" "), true
	}
	return "", false
}

// added writes a missing key, or another value of an existing key.
func (m *mistaken) added() (string, bool) {
	if found := aligned.FindStringSubmatch(m.remedy); found != nil {
		return strings.Replace(m.text, found[2]+": star", found[2]+": {kind: star, "+found[1]+"}", 1), true
	}
	found := addKey.FindStringSubmatch(m.remedy)
	if found == nil {
		return "", false
	}
	key, _, _ := strings.Cut(found[1], ":")
	old := regexp.MustCompile(`\b` + key + `: \w+`).FindStringIndex(m.text)
	switch {
	case old != nil:
		return m.text[:old[0]] + found[1] + m.text[old[1]:], true
	case key == "apart" || key == "router" || key == "access":
		return found[1] + "\n" + m.text, true
	case m.here == "{}":
		return m.replace("{" + found[1] + "}")
	case strings.HasPrefix(m.here, "{"):
		return m.replace("{" + found[1] + ", " + m.here[1:])
	}
	return "", false
}

// TestRemedies: a remedy that names a text to write or to delete can be applied word for word;
// after one mistake after the other has been corrected, the file is read.
func TestRemedies(t *testing.T) {
	mended := 0
	for _, w := range wrong {
		if w.name == "dimensions" { // 65,536 nodes
			continue
		}
		text, steps := w.text, ""
		for range 8 {
			_, err := read(t, text)
			if err == nil {
				break
			}
			next, ok := remedied(text, strings.Split(err.Error(), "\n")[0])
			if !ok {
				steps = ""
				break
			}
			steps += fmt.Sprintf("%s\n  -> %s\n", err, strings.ReplaceAll(next, "\n", " / "))
			text = next
		}
		if steps == "" {
			continue
		}
		_, err := read(t, text)
		assert.NoError(t, err, "%s: %s\n%s", w.name, w.text, steps)
		mended++
	}
	require.GreaterOrEqual(t, mended, 60) // the author must supply the rest: the missing part is not known
}
