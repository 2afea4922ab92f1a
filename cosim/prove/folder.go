package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeFolder adds to a folder what repeats the proof: the commands that have decided it, the tools,
// the verdict. Everything that they read is there already.
func (p *prover) writeFolder() error {
	var run, said strings.Builder
	fmt.Fprintf(&run, "#!/bin/sh\n# Repeats the proof: %s. Status = 1 is proved, 0 refuted.\n", p.report.Title())
	for _, tool := range p.report.Tools {
		fmt.Fprintf(&run, "# %s\n", tool)
	}
	fmt.Fprintf(&run, "set -e\ncd \"$(dirname \"$0\")\"\n%s -Q -T -q -s script.ys\n", yosysTool.Command)
	for _, c := range p.report.commands {
		fmt.Fprintf(&run, "%s -q '%s'\n", abcTool.Command, c)
	}
	if err := p.report.WriteText(&said); err != nil {
		return err
	}
	if err := os.WriteFile(p.path("verdict.txt"), []byte(said.String()), 0o644); err != nil {
		return err
	}
	if p.report.Case != nil && p.report.Case.Shown != nil && p.report.Case.Shown.Stimulus != nil {
		f, err := os.Create(p.path("case.csv"))
		if err != nil {
			return err
		}
		if err := p.report.Case.Shown.Stimulus.WriteCSV(f); err != nil {
			_ = f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(p.dir, "run.sh"), []byte(run.String()), 0o755)
}
