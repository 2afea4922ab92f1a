package cli

import (
	"github.com/spf13/cobra"

	"starloom"
)

func newScenario(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "scenario", Short: "Show what a scenario becomes", Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newScenarioShow(networks))
	return parent
}

func newScenarioShow(networks starloom.Networks) *cobra.Command {
	set := settings{networks: networks}
	var o overrides
	var files outputs
	c := &cobra.Command{
		Use:               "show SCENARIO",
		Short:             "Print every value of a scenario, who has decided it, and what follows",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	set.declare(c)
	o.declare(c)
	json := files.file(c.Flags(), "json", "write everything as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := set.load(args[0])
		if err != nil {
			return err
		}
		if err := override(c, scenario, o.given(c.Flags())); err != nil {
			return err
		}
		return withJSON(c, &files, json, inputs(scenario, args[0]), func() (textAndJSON, error) { return scenario.Explain(c.Context()) })
	}
	return c
}
