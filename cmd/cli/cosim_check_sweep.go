package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim/coverage"
	"starloom/internal/tools"
	"starloom/traces"
)

func (o *checkFlags) checkSweep(c *cobra.Command, points []starloom.PinMapPoint, file, subject string) error {
	if err := o.refuseInSweep(); err != nil {
		return err
	}
	inputs := []string{file}
	for _, p := range points {
		inputs = append(append(inputs, p.Image), p.Source.Files...)
	}
	if err := o.outputs.check(inputs...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	report, err := o.json.open(&files)
	if err != nil {
		return err
	}
	cover, err := o.coverage.open(&files)
	if err != nil {
		return err
	}
	var covered coverage.Coverage // of all points
	options := starloom.CheckOptions{Options: o.Options}
	options.Coverage = cover != nil
	sweep := tools.NewSweep(file)
	progress := newProgress(c.ErrOrStderr())
	defer progress.clear()
	for _, p := range points {
		if o.backend.value != "" {
			p.Backend = o.backend.value
			p.Places["backend"] = "--backend"
		}
		p.Build.Progress, options.Progress = progress.step, progress.cycles
		found, err := starloom.CosimCheck(c.Context(), p.Map, options)
		if err = closed(err, p.Map); c.Context().Err() != nil {
			return err
		}
		if err := sweep.Add(p, found, err); err != nil {
			return fault(err)
		}
		if found != nil && found.Covered != nil {
			covered.Merge(found.Covered)
		}
	}
	progress.clear()
	if report != nil {
		err = sweep.WriteJSON(report)
	}
	if cover != nil {
		err = errors.Join(err, covered.Write(cover, coverage.FormOf(o.coverage.path)))
	}
	if err = errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	text := o.outputs.text(c)
	if err := sweep.WriteText(text); err != nil {
		return err
	}
	return o.endOfSweep(c, sweep, subject)
}

func (o *checkFlags) refuseInSweep() error {
	for _, one := range []struct{ option, value string }{
		{"--stimulus", o.StimulusFile}, {"--vcd", o.vcd.path}, {"--save", o.save.path}, {"--html", o.html.path},
	} {
		if one.value != "" {
			return &starloom.InputError{
				Place: one.option, Reason: "the pin map has lists of parameters, and this is for one of each",
				Remedy: "choose with -G NAME=VALUE, as the table names them, or leave it out",
			}
		}
	}
	if o.proves {
		return &starloom.InputError{
			Place: "--prove", Reason: "the pin map has lists of parameters, and a proof is of one of each", Remedy: "choose with -G NAME=VALUE",
		}
	}
	return nil
}

func (o *checkFlags) endOfSweep(c *cobra.Command, sweep *tools.Sweep, subject string) error {
	if shown := sweep.Shown(); shown >= 0 && sweep.Points[shown].Report.Divergence != nil {
		_, err := fmt.Fprintf(o.outputs.text(c), "for the case: starloom cosim check %s -G %s%s\n",
			subject, strings.Join(sweep.Points[shown].Values, " -G "), o.again())
		if err != nil {
			return err
		}
	}
	switch failed, refused, differs := sweep.Worst(); {
	case failed:
		return errTool
	case refused:
		return errRefused
	case differs:
		return errFailed
	}
	return nil
}
