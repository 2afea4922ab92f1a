package tools

import (
	"io"
	"strings"

	"starloom/cosim/coverage"
	"starloom/cosim/lockstep"
	"starloom/traces/input"
)

// Case is where the case that a lockstep shows is written to; writers are nil for none.
type Case struct {
	Wave, GTKW, Surfer io.Writer // a waveform, its save file for GTKWave, and its command file for Surfer
	WavePath, GTKWPath string    // by which the save file names them
	Stimulus           io.Writer // CSV
	Report             io.Writer // JSON
	Coverage           io.Writer // what the runs have covered, in this form
	CoverageForm       coverage.Form
}

// Write writes the case of a report.
func (c *Case) Write(report *lockstep.Report) error {
	if c.Wave != nil {
		save, err := report.Shown.WriteVCD(c.Wave, []string{vcdComment(report.Title())})
		if err != nil {
			return err
		}
		if c.GTKW != nil {
			save.Path, save.VCD = c.GTKWPath, c.WavePath
			if err := save.Write(c.GTKW); err != nil {
				return err
			}
		}
		if c.Surfer != nil {
			if err := save.WriteSurfer(c.Surfer); err != nil {
				return err
			}
		}
	}
	if c.Stimulus != nil {
		if report.Shown.Stimulus == nil {
			return &input.Error{
				Place: "--save", Reason: "the case has too many cycles to keep them", Remedy: "leave --save out, or give fewer --cycles",
			}
		}
		if err := report.Shown.Stimulus.WriteCSV(c.Stimulus); err != nil {
			return err
		}
	}
	if c.Coverage != nil {
		if err := report.Covered.Write(c.Coverage, c.CoverageForm); err != nil {
			return err
		}
	}
	if c.Report != nil {
		return report.WriteJSON(c.Report)
	}
	return nil
}

// vcdComment keeps what a comment of a VCD may hold.
func vcdComment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '$' {
			return '?'
		}
		return r
	}, text)
}
