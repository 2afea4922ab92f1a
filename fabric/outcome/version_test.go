package outcome

import (
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommit: the version says from which commit the program was built, and whether files were changed since; without version
// control it says that.
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
	require.Regexp(t, "^starloom .*, "+regexp.QuoteMeta(commitText(build.Settings))+"$", Version())
}
