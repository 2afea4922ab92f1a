package main

import (
	"github.com/spf13/cobra"

	"starloom"
)

func newFirmwareCheck() *cobra.Command {
	var json, reproduce, replay string
	var fuzz uint32
	var seed uint64
	c := &cobra.Command{
		Use:   "check IMAGE|PROGRAM SCENARIO",
		Short: "Run firmware in all ways that must not change a result and compare",
		Long: `Runs a scenario with an image, or a built-in program, in all the ways that must
not change what is found: isolated and banked, compiler and interpreter, one worker
and two, banks of several sizes, the engines slot and cycle, metered and not.
Reports and digests are compared. The first difference is looked for slot by slot:
the processor, the register, status, frame or bytes of its state, before and after
in both runs, and the usual cause.

One more run calls every handler of a banked machine alone and compares the memory
before and after: what a handler writes into what belongs to another processor is
found even if no result depends on it, and so is a memory that grows. So are static
variables and globals that handlers write, by name if the image has debug
information: processors of a bank share them, and what a handler does must not depend
on what another one has left there. Each of these fails the check, and so do a handler
that does not return and a run that fails: one that traps, say, or that announces a
packet which no frame has brought. Variables that every call writes before it reads
them are noted. An image with a runtime of its own
serves one processor per instance: then there is no bank, and nothing that is shared.

Then handlers get arbitrary input: after some slots of runs with three seeds, a
processor hears any frames slot after slot, up to 16 of them, and its state goes on:
any payload, kind, flags, tag and destination, at the ports that it listens to; now
and then any statuses of receivers and transmitters, other words of the workload, the
schedule or the network's tables, another state, or a call by name. Frames are made of
constants that the image compares with, too, and of what handlers have just compared;
sequences that take a new branch, or bring a byte of the state to a new value, are kept
and continued: so a word of four bytes, or four frames in their order, are found. A trap,
a failed assertion, a handler that does not return, an illegal send or listen, counts
that no FIFO can have, foreign writes, announcements that no frame backs, and behaviour
that depends on bytes of the RX FIFO that are of no frame, are reported with the
smallest input that was found. Assertions are sl_assert and, of firmware build --debug,
those of the SDK and of clang's sanitizers: such a build finds most. What frames and
statuses can cause fails the check; the rest is noted, and so is sl_fail, with which
firmware decides to give up: its sequences are counted. Sequences are drawn from the
seed: the same seed, the same findings. They end when 256 have shown what fails the
check, or did not return. What was not tried is said. --reproduce writes, for each
finding, the smallest scenario and input that were found to show it, with the image and
all files that they read: the folder can be sent to someone else. The report has the
command that shows it again, with the same verdict.

What takes too long on a large network is left out, and said.

Exit status: 0 nothing found, 1 a difference or one of these, 2 bad input.`,
		Example: `  starloom firmware check router.wasm examples/pops-16x16.yaml
  starloom firmware check router.wasm examples/pops-4x4-figure3.yaml --json check.json
  starloom firmware check router.wasm examples/pops-16x16.yaml --fuzz 1000000 --reproduce found
  starloom firmware check found/router.wasm found/01-firmware_trap.yaml --replay found/01-firmware_trap.json`,
		Args:              exactly("IMAGE|PROGRAM", "SCENARIO"),
		ValidArgsFunction: files("wasm"),
	}
	c.Flags().StringVar(&json, "json", "", "write the report as JSON to `F`")
	c.Flags().Uint32Var(&fuzz, "fuzz", 30000, "try `N` sequences of arbitrary input; 0: none")
	c.Flags().StringVar(&reproduce, "reproduce", "", "write a scenario and an input for each of what that finds into the folder `DIR`")
	c.Flags().StringVar(&replay, "replay", "", "only try the sequence in `F`, which --reproduce has written")
	c.Flags().Uint64Var(&seed, "seed", 0, "use the seed `N`")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := starloom.LoadScenario(args[1])
		if err != nil {
			return err
		}
		override := starloom.Overrides{Image: args[0], ImagePlace: args[0]}
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
		report, err := starloom.CheckFirmware(c.Context(), scenario, starloom.FirmwareCheckOptions{
			JSON: starloom.File(json), Fuzz: int(fuzz), Reproduce: reproduce, Replay: replay, Progress: progress.step,
		})
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
