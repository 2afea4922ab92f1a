package cli

import "github.com/spf13/cobra"

// newRoot makes all commands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "starloom",
		Short:             "Cycle-accurate emulator for interconnect hardware and its firmware",
		Args:              cobra.ArbitraryArgs,
		Version:           versionText(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		RunE:              group,
		PersistentPreRunE: refuseEmpty,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(printHelp)
	help := newHelp()
	root.SetHelpCommand(help)
	root.AddCommand(newRun(), newScenario(), newStudy(), newSweep(), newFirmware(), newCosim(), newTrace(), newSchema(), newVersion())
	describe(root, help)
	return root
}
