package cli

import (
	"github.com/spf13/cobra"

	"starloom"
	"starloom/traces/input"
)

func newExport(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "export", Short: "Write hardware for other tools", Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newExportVerilog(networks))
	return parent
}

func newExportVerilog(networks starloom.Networks) *cobra.Command {
	set := settings{networks: networks}
	var dir string
	c := &cobra.Command{
		Use:               "verilog SCENARIO -o DIR",
		Short:             "Write all hardware of a machine as Verilog, with a testbench of one run",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	set.declare(c)
	c.Flags().StringVarP(&dir, "output", "o", "", "write the new folder `DIR`")
	c.RunE = func(c *cobra.Command, args []string) error {
		if dir == "" {
			return input.Mistake(c.CommandPath(), "-o is missing", "usage: "+c.UseLine())
		}
		scenario, err := set.load(args[0])
		if err != nil {
			return err
		}
		command := c.CommandPath() + " " + args[0]
		for _, word := range set.words {
			command += " --set " + word
		}
		report, err := starloom.ExportVerilog(c.Context(), scenario, dir, command)
		if err != nil {
			return fault(err)
		}
		return report.WriteText(c.OutOrStdout())
	}
	return c
}
