package cli

import (
	"github.com/spf13/cobra"

	"starloom/fabric"
)

// newRoot makes all commands. Scenarios may name the networks, too.
func newRoot(networks ...fabric.Network) *cobra.Command {
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
	root.AddCommand(
		newRun(networks), newEstimate(networks), newScenario(networks), newStudy(networks), newSweep(networks), newPlot(),
		newFirmware(networks), newCosim(networks), newTrace(), newExplain(networks), newSchema(networks), newVersion(),
	)
	describe(root, help)
	return root
}
