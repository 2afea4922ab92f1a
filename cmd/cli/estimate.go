package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"starloom"
)

func newEstimate(networks starloom.Networks) *cobra.Command {
	o := runFlags{settings: settings{networks: networks}}
	var again bool
	c := &cobra.Command{
		Use:               "estimate SCENARIO",
		Short:             "Say what memory and time a run will take, and larger ones",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	f := c.Flags()
	json := o.outputs.file(f, "json", "write everything as JSON to `F`")
	o.outputs.to(f, "vcd", "as run would write a waveform to `F`, which is not written", &o.VCD)
	o.outputs.to(f, "pcapng", "as run would write a packet capture to `F`, which is not written", &o.PCAPNG)
	o.outputs.to(f, "log", "as run would write the firmware's log lines to `F`, which is not written", &o.Log)
	o.settings.declare(c)
	o.overrides.declare(c)
	o.declareExecution(c)
	f.BoolVar(&again, "recalibrate", false, "measure again what was measured before on this machine")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := o.settings.load(args[0])
		if err != nil {
			return err
		}
		many, err := o.manySeeds(f)
		if err != nil {
			return err
		}
		if err := override(c, scenario, o.overrides.given(f)); err != nil {
			return err
		}
		return withJSON(c, &o.outputs, json, inputs(scenario, args[0]), func() (textAndJSON, error) {
			o.execution()
			asked := starloom.EstimateOptions{Run: o.RunOptions, Cache: estimatesFolder(), Again: again}
			if f.Changed("seeds") {
				asked.Seeds = &many
			}
			return scenario.Estimate(c.Context(), asked)
		})
	}
	return c
}

// estimatesFolder is where measurements are kept, "" if the user has no such place.
func estimatesFolder() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "starloom", "estimates")
}
