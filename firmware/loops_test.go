package firmware

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoopsAreNamed: the line of a loop in a built-in program is that of its statement, or for the loop over a bank
// the end of the source. A few lines are others within the loop, due to debug information.
func TestLoopsAreNamed(t *testing.T) {
	statement := regexp.MustCompile(`\b(for|while|do)\b|^STARLOOM_FIRMWARE`)
	named, others := 0, map[string]bool{}
	for _, program := range Programs() {
		view, err := View(t.Context(), program, "unit", nil, nil, Shown{})
		require.NoError(t, err)
		for _, f := range view.Static.Functions {
			for _, l := range f.Loops {
				place := strings.Split(l.Source, ":")
				require.Len(t, place, 3, "%s: %s", program, l.Source)
				path := place[0]
				if !strings.Contains(path, "/") {
					path = filepath.Join("programs", filepath.Dir(program), path)
				}
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				number, err := strconv.Atoi(place[1])
				require.NoError(t, err)
				if line := strings.Split(string(text), "\n")[number-1]; statement.MatchString(line) {
					named++
				} else {
					others[l.Source+line] = true
				}
			}
		}
	}
	require.Greater(t, named, 150)
	require.LessOrEqual(t, len(others)*30, named, others)
}
