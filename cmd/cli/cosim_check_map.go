package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/cosim/coverage"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/prove"
	"starloom/cosim/twin"
	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/internal/tools"
	"starloom/traces"
	"starloom/traces/input"
)

func (o *checkFlags) checkMap(c *cobra.Command, args []string) error {
	if len(o.settings.words) > 0 {
		return input.Mistake("--set", "this option sets keys of a scenario", "give a scenario, or change the pin map")
	}
	o.begun = time.Now()
	if err := o.readExclusions(); err != nil {
		return err
	}
	points, subject, err := o.pinMaps(c, args)
	if err != nil {
		return fault(err)
	}
	if err := o.parseSeeds(c.Flags()); err != nil {
		return err
	}
	if o.Seeds < 1 || o.Seeds > 1_000_000 || o.PowerOn < 0 || o.PowerOn > 1_000_000 {
		return input.Mistake("--seeds", "invalid number of runs", "give 1 to 1000000")
	}
	for _, option := range []string{"cycles", "explore", "seed", "seeds"} {
		if o.StimulusFile != "" && c.Flags().Changed(option) {
			return input.Mistake("--"+option, "the inputs come from "+o.StimulusFile, "leave it out, or --stimulus")
		}
	}
	if len(points) > 1 {
		return o.checkSweep(c, points, args[0], subject)
	}
	return o.checkPoint(c, points[0].Map, subject)
}

// parseSeeds reads a range of seeds, or their number from --seed on.
func (o *checkFlags) parseSeeds(f *pflag.FlagSet) error {
	seeds, err := starloom.ParseSeeds(o.seeds)
	o.Seeds = int(min(seeds.Last-seeds.First, 1_000_000)) + 1
	if err != nil || !strings.Contains(o.seeds, "..") {
		return err
	}
	if f.Changed("seed") {
		return input.Mistake("--seed", "--seeds "+o.seeds+" names the first seed", "delete one of them")
	}
	o.Seed = seeds.First
	return nil
}

func (o *checkFlags) checkPoint(c *cobra.Command, m *pinmap.Map, subject string) error {
	if o.backend.value != "" {
		m.Backend = o.backend.value
		m.Places["backend"] = "--backend"
	}
	if m.Goals != nil && m.Goals.Only {
		return input.Mistake(m.Place("goals"), "a check compares RTL with a model, but goals: only names none",
			"decide its assertions by `starloom cosim prove "+subject+"`, or name a model and write goals: beside")
	}
	inputs := append(m.Files(), o.StimulusFile)
	if err := o.outputs.check(inputs...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	html, err := o.html.open(&files)
	if err != nil {
		return err
	}
	junit, err := o.junit.open(&files)
	if err != nil {
		return err
	}
	o.NoShrink = !o.shrink && (o.StimulusFile != "" || c.Flags().Changed("shrink"))
	o.Among = &files
	progress := newProgress(c.ErrOrStderr())
	m.Build.Progress, o.Progress = progress.step, progress.cycles
	report, err := starloom.CosimCheck(c.Context(), m, o.CheckOptions)
	progress.clear()
	if err == nil {
		err = report.CheckExclusions()
	}
	if err != nil {
		return fault(err)
	}
	defer m.Close()
	var proof *prove.Report
	if o.proves && report.Divergence == nil {
		if proof, err = proved(c, m, prove.Options{}); err != nil {
			return fault(err)
		}
	}
	if html != nil {
		err = page.LockstepProved(report, proof, subject, o.again(), o.written()).Write(html)
	}
	if junit != nil {
		err = errors.Join(err, o.writePointJUnit(junit, subject, report, proof))
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	text := o.outputs.text(c)
	if err := report.WriteText(text); err != nil {
		return err
	}
	if err := o.next(text, report, "check", subject, o.again()); err != nil {
		return err
	}
	if report.Divergence != nil {
		return errFailed
	}
	if proof == nil {
		if m.Image != "" || len(m.Timing.Clocks) > 1 || len(report.Left) > 0 { // such maps cannot be proved
			return nil
		}
		_, err := fmt.Fprintf(text, "for a proof for all inputs: starloom cosim prove %s\n", subject)
		return err
	}
	if err := proof.WriteText(text); err != nil {
		return err
	}
	return verdictOf(proof)
}

func (o *checkFlags) writePointJUnit(w io.Writer, subject string, report *lockstep.Report, proof *prove.Report) error {
	one, err := junitOf(report, 0)
	cases := []outcome.JUnitCase{one}
	if proof != nil {
		proved, wrong := provedCases(proof)
		cases, err = append(cases, proved...), errors.Join(err, wrong)
	}
	return errors.Join(err, o.writeJUnit(w, "cosim check "+subject, cases...))
}

func (o *checkFlags) pinMaps(c *cobra.Command, args []string) ([]starloom.PinMapPoint, string, error) {
	if o.twin == "" {
		if len(args) == 0 {
			return nil, "", input.Mistake(c.CommandPath(), "MAP.yml is missing",
				"give a pin map, or --twin NAME; '"+c.CommandPath()+" --help --all' shows one")
		}
		if err := exactly("MAP.yml")(c, args); err != nil {
			return nil, "", err
		}
		load := o.settings.networks.LoadPinMaps
		if args[0] == input.StandardInput && o.settings.standard != nil {
			load = func(string) ([]starloom.PinMapPoint, error) {
				return o.settings.networks.ParsePinMaps(input.StandardInputName, o.settings.standard)
			}
		}
		points, err := load(args[0])
		if err != nil {
			return nil, "", err
		}
		points, subject, err := o.choose(points)
		return points, args[0] + subject, err
	}
	if len(args) > 0 {
		return nil, "", input.Mistake("--twin", "a map is also given: "+args[0], "give one of them")
	}
	parameters, subject, err := o.parameters()
	if err != nil {
		return nil, "", err
	}
	m, err := o.settings.networks.TwinMap(o.twin, parameters, "")
	return []starloom.PinMapPoint{{Map: m}}, "--twin " + o.twin + subject, err
}

func (o *checkFlags) parameters() (twin.Parameters, string, error) {
	values, err := pairs("-G", o.params, true)
	if err != nil {
		return nil, "", err
	}
	subject, parameters := "", twin.Parameters{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := strconv.ParseUint(values[name], 0, 32)
		if err != nil {
			return nil, "",
				&starloom.InputError{Place: "-G", Reason: fmt.Sprintf("%s is %q", name, values[name]),
					Remedy: "give an integer from 0 to 4294967295"}
		}
		parameters[name] = int(value)
		subject += " -G " + name + "=" + values[name]
	}
	return parameters, subject, nil
}

func (o *checkFlags) choose(points []starloom.PinMapPoint) ([]starloom.PinMapPoint, string, error) {
	parameters, subject, err := o.parameters()
	if err != nil || len(parameters) == 0 {
		return points, "", err
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		value := fmt.Sprintf("%s=%d", name, parameters[name])
		if !slices.ContainsFunc(points[0].Values, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			continue
		}
		chosen := slices.DeleteFunc(slices.Clone(points),
			func(p starloom.PinMapPoint) bool { return !slices.Contains(p.Values, value) })
		if len(chosen) == 0 {
			return nil, "", input.Mistake("-G", "no point of the pin map has "+value, "give a value of its list")
		}
		points = chosen
		delete(parameters, name)
	}
	for _, p := range points {
		if err := o.complete(p.Map, parameters); err != nil {
			return nil, "", err
		}
	}
	return points, subject, nil
}

func (o *checkFlags) complete(m *pinmap.Map, parameters twin.Parameters) error {
	tw, err := m.Twin()
	if err != nil {
		return err
	}
	for name, value := range parameters {
		_, known := tw.Sets[0][name]
		if of, places := strings.CutPrefix(m.Source.Params[name], "$"); places && !known {
			return input.Mistake("-G", fmt.Sprintf("%s of the RTL follows %s of the model", name, of),
				fmt.Sprintf("give -G %s=%d", of, value))
		}
		if _, given := m.Parameters[name]; given || !known {
			return input.Mistake("-G", "a pin map has its own parameters",
				"write parameters: and params: in the map; -G sets parameters of the model that the map omits")
		}
		m.Parameters[name] = value
	}
	return nil
}

func (o *checkFlags) checkSweep(c *cobra.Command, points []starloom.PinMapPoint, file, subject string) error {
	if err := o.refuseInSweep(); err != nil {
		return err
	}
	inputs := []string{file}
	for _, p := range points {
		inputs = append(inputs, p.Files()...)
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
	junit, err := o.junit.open(&files)
	if err != nil {
		return err
	}
	var covered coverage.Coverage
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
	if err == nil {
		err = covered.CheckExclusions()
	}
	if cover != nil {
		err = errors.Join(err, covered.Write(cover, coverage.FormOf(o.coverage.path)))
	}
	if junit != nil {
		cases, wrong := sweep.JUnit()
		err = errors.Join(err, wrong, o.writeJUnit(junit, "cosim check "+subject, cases...))
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
			return input.Mistake(one.option, "the pin map has lists of parameters, but this option needs one value of each",
				"choose with -G NAME=VALUE, using the names in the table, or delete the option")
		}
	}
	if o.proves {
		return input.Mistake("--prove", "the pin map has lists of parameters, but a proof needs one value of each",
			"choose with -G NAME=VALUE")
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
