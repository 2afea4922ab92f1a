package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/fabric/outcome"
)

// firmwareCheckFlags are the options of `firmware check`.
type firmwareCheckFlags struct {
	starloom.FirmwareCheckOptions
	settings settings
	fuzz     uint32
	seed     uint64
	outputs  outputs
}

func newFirmwareCheck(networks starloom.Networks) *cobra.Command {
	o := firmwareCheckFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "check IMAGE|PROGRAM SCENARIO",
		Short:             "Run firmware in all ways that must not change a result and compare",
		Args:              exactly("IMAGE|PROGRAM", "SCENARIO"),
		ValidArgsFunction: oneFile("wasm"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args[0], args[1]) },
	}
	f := c.Flags()
	o.settings.declare(c)
	o.outputs.to(f, "json", "write the report as JSON to `F`", &o.JSON)
	o.outputs.to(f, "html", "write the report as a page for a browser to `F.html`: one file that needs nothing else", &o.HTML)
	f.Uint32Var(&o.fuzz, "fuzz", 30000, "try `N` sequences of arbitrary input; 0: none")
	f.StringVar(&o.Reproduce, "reproduce", "", "write a scenario and an input for each of what that finds into the folder `DIR`")
	f.StringVar(&o.Replay, "replay", "", "only try the sequence in `F`, which --reproduce has written")
	f.Uint64Var(&o.seed, "seed", 0, "use the seed `N`")
	return c
}

func (o *firmwareCheckFlags) run(c *cobra.Command, image, path string) error {
	scenario, err := o.settings.load(path)
	if err != nil {
		return err
	}
	over := starloom.Overrides{Image: image, ImagePlace: image}
	if c.Flags().Changed("seed") {
		over.Seed = &o.seed
	}
	if err := override(c, scenario, over); err != nil {
		return err
	}
	if err := o.outputs.check(inputs(scenario, path)...); err != nil {
		return err
	}
	o.Command = o.command(c.Flags(), image, path)
	progress := newProgress(c.ErrOrStderr())
	o.Fuzz, o.Progress = int(o.fuzz), progress.step
	report, err := starloom.CheckFirmware(c.Context(), scenario, o.FirmwareCheckOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if err := report.WriteText(o.outputs.text(c)); err != nil {
		return err
	}
	if report.Verdict != starloom.VerdictPass {
		return errFailed
	}
	return nil
}

func (o *firmwareCheckFlags) command(f *pflag.FlagSet, image, path string) string {
	words := "starloom firmware check " + outcome.ShellQuote(image) + " " + outcome.ShellQuote(path) + o.settings.again()
	for _, name := range []string{"seed", "fuzz", "replay"} {
		if f.Changed(name) {
			words += " --" + name + " " + outcome.ShellQuote(f.Lookup(name).Value.String())
		}
	}
	return words
}
