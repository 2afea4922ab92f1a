package outcome

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommit: the version says from which commit the program was built, and whether files were changed since; without
// version control it says that.
func TestCommit(t *testing.T) {
	set := func(pairs ...string) (settings []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			settings = append(settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return settings
	}
	const commit = "0123456789abcdef0123456789abcdef01234567"
	require.Equal(t, "commit 0123456789ab", commitText(set("-compiler", "gc", "vcs", "git", "vcs.revision", commit, "vcs.modified", "false")))
	require.Equal(t, "commit 0123456789ab (modified)", commitText(set("vcs.revision", commit, "vcs.modified", "true")))
	require.Equal(t, "commit unknown (built without version control)", commitText(set("-compiler", "gc")))

	build, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	require.Equal(t, "starloom "+Release+", "+commitText(build.Settings), Version())
}

// TestReleaseIsInTheChangelog holds the release to the newest heading of the changelog: that version, or the next minor
// one with -dev.
func TestReleaseIsInTheChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	newest := regexp.MustCompile(`(?m)^## (\d+)\.(\d+)\.(\d+) - \d{4}-\d{2}-\d{2}$`).FindSubmatch(text)
	require.NotNil(t, newest)
	minor, err := strconv.Atoi(string(newest[2]))
	require.NoError(t, err)
	require.Contains(t, []string{
		fmt.Sprintf("%s.%d.%s", newest[1], minor, newest[3]),
		fmt.Sprintf("%s.%d.0-dev", newest[1], minor+1),
	}, Release)
}
