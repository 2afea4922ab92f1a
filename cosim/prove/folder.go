package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeFolder adds to a folder what repeats the proof: the commands that have decided it, the tools,
// the verdict. Everything that they read is there already.
func writeFolder(dir string, report *Report) error {
	var run, said strings.Builder
	fmt.Fprintf(&run, "#!/bin/sh\n# Repeats the proof: %s. Status = 1 is proved, 0 refuted.\n", report.Title())
	for _, tool := range report.Tools {
		fmt.Fprintf(&run, "# %s\n", tool)
	}
	fmt.Fprintf(&run, "set -e\ncd \"$(dirname \"$0\")\"\n%s -Q -T -q -s script.ys\n", yosysTool.Command)
	for _, c := range report.commands {
		fmt.Fprintf(&run, "%s -q '%s'\n", abcTool.Command, c)
	}
	if err := report.WriteText(&said); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "verdict.txt"), []byte(said.String()), 0o644); err != nil {
		return err
	}
	if report.Case != nil && report.Case.Shown != nil && report.Case.Shown.Stimulus != nil {
		f, err := os.Create(filepath.Join(dir, "case.csv"))
		if err != nil {
			return err
		}
		if err := report.Case.Shown.Stimulus.WriteCSV(f); err != nil {
			_ = f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "run.sh"), []byte(run.String()), 0o755)
}
