package main

import (
	"github.com/spf13/cobra"

	"starloom"
)

func newFirmwareCheck() *cobra.Command {
	var json string
	var seed uint64
	c := &cobra.Command{
		Use:   "check IMAGE|PROGRAM SCENARIO",
		Short: "Run firmware in all ways that must not change a result and compare",
		Long: `Runs a scenario with an image, or a built-in program, in all the ways that must
not change what is found: isolated and banked, compiler and interpreter, one worker
and two, banks of several sizes, the engines slot and cycle. Reports and digests
are compared. The first difference is looked for slot by slot: the processor, the
register, status, frame or bytes of its state, before and after in both runs, and
the usual cause.

One more run calls every handler of a banked machine alone and compares the memory
before and after: what a handler writes into what belongs to another processor is
found even if no result depends on it. That fails the check. So does a handler that
does not return. Static variables and globals that handlers write are noted, by
name if the image has debug information: processors of a bank share them.

What takes too long on a large network is left out, and said.

Exit status: 0 no difference, 1 a difference, a foreign write or a handler that does
not return, 2 bad input. Whether the runs themselves pass makes no difference.`,
		Example: `  starloom firmware check router.wasm examples/pops-16x16.yaml
  starloom firmware check pops/random examples/pops-4x4-figure3.yaml --json check.json`,
		Args:              exactly("IMAGE|PROGRAM", "SCENARIO"),
		ValidArgsFunction: files("wasm"),
	}
	c.Flags().StringVar(&json, "json", "", "write the report as JSON to `F`")
	c.Flags().Uint64Var(&seed, "seed", 0, "use the seed `N`")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := starloom.LoadScenario(args[1])
		if err != nil {
			return err
		}
		override := starloom.Overrides{Image: args[0]}
		if c.Flags().Changed("seed") {
			override.Seed = &seed
		}
		if err := scenario.Override(c.Context(), override); err != nil {
			return err
		}
		if err := keep([]output{{"--json", json}}, append(scenario.Inputs(), args[1])...); err != nil {
			return err
		}
		text := c.OutOrStdout()
		if json == "-" {
			text = c.ErrOrStderr()
		}
		progress := newProgress(c.ErrOrStderr())
		report, err := starloom.CheckFirmware(c.Context(), scenario, starloom.FirmwareCheckOptions{JSON: starloom.File(json), Progress: progress.step})
		progress.clear()
		if err != nil {
			return fault(err)
		}
		if err := report.WriteText(text); err != nil {
			return err
		}
		if report.Verdict != starloom.VerdictPass {
			return errFailed
		}
		return nil
	}
	return c
}
