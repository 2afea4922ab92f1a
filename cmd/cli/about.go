package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/sweep/plan"
	"starloom/nic"
)

func newSchema(networks starloom.Networks) *cobra.Command {
	ofSweeps := false
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios, or of sweeps",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			data, err := networks.Schema()
			if ofSweeps {
				data, err = plan.Schema()
			}
			if err != nil {
				return fault(err)
			}
			_, err = product(c).Write(data)
			return err
		},
	}
	c.Flags().BoolVar(&ofSweeps, "sweep", false, "that of sweep files")
	return c
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(product(c), versionText())
			return err
		},
	}
}

func versionText() string {
	return fmt.Sprintf("%s, scenario format 1, report schema %d, frame version %d, %s", outcome.Version(), starloom.ReportSchema, nic.Version, runtime.Version())
}
