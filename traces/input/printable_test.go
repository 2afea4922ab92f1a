package input

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// everyHidden are all Unicode characters that are controls, formats, bidirectional marks, or line and paragraph
// separators.
func everyHidden() (all []rune) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			all = append(all, r)
		}
	}
	return all
}

// TestPrintable: hidden and cursor-moving characters become escapes; others stay, in all scripts.
func TestPrintable(t *testing.T) {
	for _, plain := range []string{"", "a b", "caf\u00e9 \u65e5\u672c\u8a9e \u0645\u0631\u062d\u0628\u0627", `\x1b \u202e`, "\ufffd"} {
		require.Equal(t, plain, Printable(plain))
	}
	require.Equal(t, `\x1b[31m\x07\x0a\x09\x7f\u0085\u202e\u2066\u200f\u061c\u2028\u2029\u200b\ufeff\U000e0001\xff\xc3`,
		Printable("\x1b[31m\a\n\t\x7f\u0085\u202e\u2066\u200f\u061c\u2028\u2029\u200b\ufeff\U000e0001\xff\xc3"))
	hidden := everyHidden()
	require.Greater(t, len(hidden), 200)
	for _, r := range hidden {
		text := Printable("a" + string(r) + "b")
		require.True(t, strings.HasPrefix(text, `a\`) && strings.HasSuffix(text, "b"), "%U: %q", r, text)
		require.False(t, strings.ContainsFunc(text, func(r rune) bool { return r > '~' || r < ' ' }), "%U", r)
		kept := r == '\n' || r == '\t'
		require.Equal(t, kept, PrintableLines(string(r)) == string(r), "%U", r)
	}
	var b strings.Builder
	n, err := Printer(&b).Write([]byte("a\tb\x1b\n"))
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.Equal(t, "a\tb\\x1b\n", b.String())
}

// TestCSVIsNoFormula: text that a spreadsheet would evaluate gets an apostrophe; numbers stay.
func TestCSVIsNoFormula(t *testing.T) {
	var b strings.Builder
	require.NoError(t, NewCSVWriter(&b).WriteAll([][]string{
		{"=1+1", "+a", "-a", "@a", "\ta", "\ra", "a=1", "x\u202ey"}, {"-1.5", "+3", "-1e9", "-", "", "0", "'a", "-Inf"},
	}))
	require.Equal(t, "'=1+1,'+a,'-a,'@a,'\\x09a,'\\x0da,a=1,x\\u202ey\n-1.5,+3,-1e9,-,,0,'a,-Inf\n", b.String())
}

// TestJSONIsVisible: hidden characters become escapes, and the value is the same.
func TestJSONIsVisible(t *testing.T) {
	var b strings.Builder
	want := map[string]string{"a\u202e": string(everyHidden()) + "caf\u00e9 <&>"}
	require.NoError(t, WriteJSON(&b, want))
	require.NotContains(t, strings.ReplaceAll(b.String(), "\n", ""), "\u202e")
	require.Equal(t, strings.TrimSpace(PrintableLines(b.String())), strings.TrimSpace(b.String()))
	require.Contains(t, b.String(), `"a\u202e": "`)
	require.Contains(t, b.String(), `\udb40\udc01`)
	require.Contains(t, b.String(), "caf\u00e9 <&>")
	var got map[string]string
	require.NoError(t, json.Unmarshal([]byte(b.String()), &got))
	require.Equal(t, want, got)
}
