// Package cli is the command line of Starloom: it parses options, calls package starloom and prints. See `starloom
// help`.
//
//	main --> root --> commands --> outputs, options, arguments, report, progress, status
//
// Commands do not depend on each other, and shared code does not depend on commands. Long helps and examples are in
// help/*.txt.
//
// Exit status: 0 the run passed, 1 it broke a rule or did not finish, 2 invalid input, 3 a fault of Starloom, 4 an
// external tool failed, hung or was killed, or a disk is full, 5 a proof for some cycles or an exploration of some
// slots only, 6 an undecided proof or exploration, 129 interrupted by SIGHUP, 130 by SIGINT or SIGTERM.
package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/fabric"
	"starloom/traces/input"
)

func newRoot(networks ...fabric.Network) *cobra.Command {
	root := &cobra.Command{
		Use:               "starloom",
		Short:             "Cycle-accurate emulator for interconnect hardware and its firmware",
		Args:              cobra.ArbitraryArgs,
		Version:           versionText(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		RunE:              group,
		PersistentPreRunE: prepare,
	}
	root.PersistentFlags().BoolP("quiet", "q", false,
		"print only errors, and output requested by -")
	root.PersistentFlags().Bool("all", false, "with --help, print all options, forms and examples")
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(printHelp)
	root.CompletionOptions.HiddenDefaultCmd = true // make install installs the completions
	help := newHelp()
	root.SetHelpCommand(help)
	root.AddCommand(
		newNew(networks), newRun(networks), newDebug(networks), newExplore(networks),
		newEstimate(networks), newScenario(networks), newNetlist(networks),
		newStudy(networks), newSweep(networks),
		newPlot(networks),
		newFirmware(networks), newCosim(networks), newExport(networks), newImport(networks),
		newMap(networks), newTrace(networks),
		newExplain(networks), newSchema(networks),
		newTools(), newVersion(), newCite(),
	)
	describe(root, help)
	return root
}

func prepare(c *cobra.Command, args []string) error {
	if err := refuseEmpty(c, args); err != nil {
		return err
	}
	if all, err := c.Flags().GetBool("all"); err == nil && all && c.Name() != "help" {
		return input.Mistake("--all", "this is for help alone", "write '"+c.CommandPath()+" --help --all'")
	}
	if quiet, err := c.Flags().GetBool("quiet"); err == nil && quiet && c.HasParent() {
		c.SetOut(io.Discard)
		c.SetErr(io.Discard) // errors are printed after the command
	}
	replaceOld(c)
	if c.HasParent() && c.Parent().Name() == "cosim" {
		sayTemporaryCache(c)
	}
	return nil
}

func sayTemporaryCache(c *cobra.Command) {
	if dir, temporary := cosim.UserCache(); temporary {
		fmt.Fprintf(c.ErrOrStderr(), "HOME is not set: compiled RTL is kept in %s; set HOME or XDG_CACHE_HOME to keep it "+
			"elsewhere\n", dir)
	}
}

func newScenario(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "scenario", Short: "Show an elaborated scenario", Args: cobra.ArbitraryArgs, RunE: group,
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
		Short:             "Print every value of a scenario, its origin, and the derived values",
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
		return withJSON(c, &files, json, inputs(scenario, args[0]),
			func() (textAndJSON, error) { return scenario.Explain(c.Context()) })
	}
	return c
}
