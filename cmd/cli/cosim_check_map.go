package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/internal/page"
	"starloom/traces"
)

// checkMap runs the RTL of a pin map, or a twin, in lockstep with its model.
func (o *checkFlags) checkMap(c *cobra.Command, args []string) error {
	if len(o.settings.words) > 0 {
		return &starloom.InputError{Place: "--set", Reason: "this is for the keys of a scenario", Remedy: "give a scenario, or change the pin map"}
	}
	m, subject, err := o.pinMap(c, args)
	if err != nil {
		return fault(err)
	}
	if o.Seeds < 1 || o.Seeds > 1_000_000 || o.PowerOn < 0 || o.PowerOn > 1_000_000 {
		return &starloom.InputError{Place: "--seeds", Reason: "no such number of runs", Remedy: "give 1 to 1000000"}
	}
	for _, option := range []string{"cycles", "explore", "seed", "seeds"} {
		if o.StimulusFile != "" && c.Flags().Changed(option) {
			return &starloom.InputError{Place: "--" + option, Reason: "the inputs come from " + o.StimulusFile, Remedy: "leave it out, or --stimulus"}
		}
	}
	if o.backend.value != "" {
		m.Backend = o.backend.value
		m.Places["backend"] = "--backend"
	}
	inputs := append([]string{m.File, m.Image, o.StimulusFile}, m.Source.Files...)
	if err := o.outputs.check(inputs...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	html, err := o.html.open(&files)
	if err != nil {
		return err
	}
	o.NoShrink = !o.shrink && (o.StimulusFile != "" || c.Flags().Changed("shrink"))
	o.Among = &files
	progress := newProgress(c.ErrOrStderr())
	m.Build.Progress, o.Progress = progress.step, progress.cycles
	report, err := starloom.CosimCheck(c.Context(), m, o.CheckOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	defer m.Close()
	if html != nil {
		err = page.Lockstep(report, "", subject+o.again(), o.written()).Write(html)
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	text := o.outputs.text(c)
	if err := report.WriteText(text); err != nil {
		return err
	}
	if err := o.next(text, subject, report.Divergence != nil); err != nil {
		return err
	}
	if report.Divergence != nil {
		return errFailed
	}
	return nil
}

// pinMap is what the command line names, and how to name it again.
func (o *checkFlags) pinMap(c *cobra.Command, args []string) (*pinmap.Map, string, error) {
	if o.twin == "" {
		if len(args) == 0 {
			return nil, "", &starloom.InputError{
				Place: c.CommandPath(), Reason: "MAP.yml is missing",
				Remedy: "give a pin map, or --twin NAME; '" + c.CommandPath() + " --help' shows one",
			}
		}
		if err := exactly("MAP.yml")(c, args); err != nil {
			return nil, "", err
		}
		m, err := o.settings.networks.LoadPinMap(args[0])
		if err != nil {
			return nil, "", err
		}
		subject, err := o.complete(m)
		return m, args[0] + subject, err
	}
	if len(args) > 0 {
		return nil, "", &starloom.InputError{Place: "--twin", Reason: "there is a map, too: " + args[0], Remedy: "give one of them"}
	}
	parameters, subject, err := o.parameters()
	if err != nil {
		return nil, "", err
	}
	m, err := o.settings.networks.TwinMap(o.twin, parameters, "")
	return m, "--twin " + o.twin + subject, err
}

// parameters reads -G, and writes it again.
func (o *checkFlags) parameters() (twin.Parameters, string, error) {
	values, err := pairs("-G", o.params, true)
	if err != nil {
		return nil, "", err
	}
	subject, parameters := "", twin.Parameters{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := strconv.ParseUint(values[name], 0, 32)
		if err != nil {
			return nil, "", &starloom.InputError{Place: "-G", Reason: fmt.Sprintf("%s is %q", name, values[name]), Remedy: "give an integer from 0 to 4294967295"}
		}
		parameters[name] = int(value)
		subject += " -G " + name + "=" + values[name]
	}
	return parameters, subject, nil
}

// complete gives a map the parameters of the model that it leaves to a machine.
func (o *checkFlags) complete(m *pinmap.Map) (string, error) {
	parameters, subject, err := o.parameters()
	if err != nil || len(parameters) == 0 {
		return "", err
	}
	tw, err := m.Twin()
	if err != nil {
		return "", err
	}
	for name, value := range parameters {
		_, known := tw.Sets[0][name]
		if _, given := m.Parameters[name]; given || !known {
			return "", &starloom.InputError{
				Place: "-G", Reason: "a map has its own parameters",
				Remedy: "write parameters: and params: in the map; -G gives parameters of the model that it leaves out",
			}
		}
		m.Parameters[name] = value
	}
	return subject, nil
}
