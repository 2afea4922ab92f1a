package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// runHead is the beginning of run.sh, which rebuilds the miter and compares it byte by byte with the stored one.
const runHead = `set -e
export LC_ALL=C
cd "$(dirname "$0")"
cp miter.aig miter.before
yosys -Q -T -q -s script.ys
cmp miter.aig miter.before
rm miter.before
status() { # STATUS COMMANDS
  yosys-abc -q "$2; print_status" | grep "Status = $1 " || { echo "not repeated: $2"; exit 1; }
}
proved() { status 1 "$1"; }
refuted() { status 0 "$1"; }
reduced() { # CONE COMMANDS OUTPUT...: outputs that become constant 0 are proved
  cone=$1
  rm -f "$cone-reduced.aig"
  yosys-abc -q "$2; write_aiger $cone-reduced.aig" > /dev/null
  shift 2
  latches=$(sed -n 1p "$cone-reduced.aig" | cut -d ' ' -f 4)
  for output; do
    test "$(sed -n "$((2 + latches + output))p" "$cone-reduced.aig")" = 0 ||
	{ echo "not repeated: output $output of $cone"; exit 1; }
  done
  echo "$cone: outputs proved: $*"
}
`

// Repeats reports whether the folder of the proof has run.sh, which repeats what engines decided.
func (r *Report) Repeats() bool { return len(r.commands) > 0 }

// writeFolder adds a script that repeats the proof: the deciding commands, the tool versions and the verdict. The
// input files of the commands are already in the folder.
func writeFolder(dir string, report *Report) error {
	var run, said strings.Builder
	fmt.Fprintf(&run, "#!/bin/sh\n# Repeats the proof: %s.\n# It was made with\n", report.Title())
	for _, tool := range report.Tools {
		fmt.Fprintf(&run, "#   %s\n", tool)
	}
	run.WriteString(runHead)
	for _, c := range report.commands {
		fmt.Fprintln(&run, c)
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
	if !report.Repeats() {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "run.sh"), []byte(run.String()), 0o755)
}
