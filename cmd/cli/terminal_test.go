package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWrap checks where lines break, and that tables, drawings and commands keep their lines.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line string
		want string
	}{
		{"short", "short"},
		{"a line of some words that is too long", "a line of some words\n  that is too long"},
		{"  an item of some words that is too long", "  an item of some\n    words that is\n    too long"},
		{"frames  102 sent, 84 delivered", "frames  102 sent, 84\n        delivered"},
		{"a name that is long  and its value", "a name that is long\n  and its value"},
		{"first  second  third  fourth  fifth", "first  second  third  fourth  fifth"},
		{"again: starloom run a.yaml --seed 123456", "again: starloom run a.yaml --seed 123456"},
		{"see 'starloom run --help' for all options", "see\n  'starloom run --help'\n  for all options"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n  b"},
		{"ĥĥĥĥĥĥĥĥĥ ĥĥĥĥĥĥĥĥĥĥ", "ĥĥĥĥĥĥĥĥĥ ĥĥĥĥĥĥĥĥĥĥ"},
	} {
		require.Equal(t, c.want, wrap(c.line, 20), c.line)
	}
}

// TestColours checks the colours of verdicts, and that a line is held until its end is written.
func TestColours(t *testing.T) {
	for line, want := range map[string]string{
		"PASS  s": "\x1b[1;32mPASS\x1b[0m  s", "FAIL  s": "\x1b[1;31mFAIL\x1b[0m  s",
		"fail: grant_o": "\x1b[1;31mfail\x1b[0m: grant_o", "undecided: time": "\x1b[1;33mundecided\x1b[0m: time",
		"equal: 3 outputs":               "\x1b[1;32mequal\x1b[0m: 3 outputs",
		"  note: saturated: in 9 cycles": "\x1b[1;33m  note: saturated:\x1b[0m in 9 cycles", "  note: saturated is not known": "  note: saturated is not known",
		"equal up to 9 cycles": "\x1b[1;33mequal\x1b[0m up to 9 cycles",
		"  PASS":               "  PASS", "PASSED": "PASSED", "rules": "rules",
	} {
		require.Equal(t, want, coloured(line))
	}
	var b bytes.Buffer
	w := &terminal{to: &b, columns: 80, colour: true}
	for _, part := range []string{"PA", "SS  s", "\nframes"} {
		_, err := w.Write([]byte(part))
		require.NoError(t, err)
	}
	require.Equal(t, "\x1b[1;32mPASS\x1b[0m  s\n", b.String())
}
