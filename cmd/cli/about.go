package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/internal/sweep/plan"
	"starloom/nic"
)

func newSchema(networks starloom.Networks) *cobra.Command {
	ofSweeps := false
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios, or of sweeps",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			data, err := networks.Schema()
			if ofSweeps {
				data, err = plan.Schema()
			}
			if err != nil {
				return fault(err)
			}
			_, err = product(c).Write(data)
			return err
		},
	}
	c.Flags().BoolVar(&ofSweeps, "sweep", false, "that of sweep files")
	return c
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(product(c), versionText())
			return err
		},
	}
}

func versionText() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	return fmt.Sprintf("starloom %s, %s, scenario format 1, report schema %d, frame version %d, %s",
		cmp.Or(build.Main.Version, "unknown"), commitText(build.Settings), starloom.ReportSchema, nic.Version, runtime.Version())
}

// commitDigits is how many digits of a commit are printed.
const commitDigits = 12

// commitText says from which commit the program was built, by what go build has noted.
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
