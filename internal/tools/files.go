package tools

import (
	"io"

	"starloom/cosim/coverage"
	"starloom/cosim/lockstep"
	"starloom/internal/outputs"
	"starloom/traces"
)

// Files are the output files of a check.
type Files struct {
	outputs.Set
	to Case
}

// OpenFiles opens the output files of a check before the check runs. With among, these files and the files of among
// appear together.
func OpenFiles(among *traces.Files, vcd, save, report, covered outputs.Output) (*Files, error) {
	beside := vcd.Beside(outputs.Output{}, ".gtkw")
	to := Case{WavePath: vcd.Path, GTKWPath: beside.Path, CoverageForm: coverage.FormOf(covered.Path)}
	c := &Files{Set: outputs.Set{Among: among}, to: to}
	if wave, err := c.OpenWaveform(vcd); err != nil {
		c.Abort()
		return nil, err
	} else if wave != nil {
		c.to.Wave = wave
	}
	for _, f := range []struct {
		option, kind string
		output       outputs.Output
		to           *io.Writer
	}{
		{"--vcd", "gtkw", beside, &c.to.GTKW}, {"--vcd", "sucl", vcd.Beside(outputs.Output{}, ".sucl"), &c.to.Surfer},
		{"--save", "csv", save, &c.to.Stimulus}, {"--json", "json", report, &c.to.Report},
		{"--coverage", "coverage", covered, &c.to.Coverage},
	} {
		file, err := c.Open(f.option, f.kind, f.output)
		if err != nil {
			c.Abort()
			return nil, err
		}
		if file != nil {
			*f.to = file
		}
	}
	return c, nil
}

// Write writes the files, which appear together.
func (c *Files) Write(report *lockstep.Report) error {
	if err := c.to.Write(report); err != nil {
		return err
	}
	return c.Files.Commit()
}
