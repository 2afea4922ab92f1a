package outcome

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// Version says which version of Starloom this program has, and from which commit it was built.
func Version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	return fmt.Sprintf("starloom %s, %s", cmp.Or(build.Main.Version, "unknown"), commitText(build.Settings))
}

// commitDigits is how many digits of a commit are printed.
const commitDigits = 12

func commitText(settings []debug.BuildSetting) string {
	note := map[string]string{}
	for _, s := range settings {
		note[s.Key] = s.Value
	}
	commit := note["vcs.revision"]
	switch {
	case commit == "":
		return "commit unknown (built without version control)"
	case note["vcs.modified"] == "true":
		return fmt.Sprintf("commit %.*s (modified)", commitDigits, commit)
	}
	return fmt.Sprintf("commit %.*s", commitDigits, commit)
}
