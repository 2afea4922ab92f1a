package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/traces"
)

func newStudy() *cobra.Command {
	var o starloom.StudyOptions
	var quick bool
	var json, csv string
	c := &cobra.Command{
		Use:   "study NAME",
		Short: "Repeat published results and compare",
		Long: `Repeats the runs behind a published table or figure and prints figures side by side:
what the paper prints (published), what a definition or an independent computation gives
(reference), and what was measured, with the tolerance, the number of runs behind the
measured one, the standard deviation of a run (sd) and the standard error of the mean
(se). What is measured is compared with the reference, and where there is none (-) with
what is published. The status of a row is ok, off, or contradicted: runs contradict the
paper, whose words the note quotes, and agree with the reference.
'starloom study list' names the studies and their cases.

--svg draws what the cases that are run have measured. --orders keeps the orders of
gossip that the case search of 'study gossip' has found, orders-N.csv for N+1
processors; they go into a scenario as workload: {gossip: {orders: orders-N.csv}}.
Folders are made if they are not there; files appear when the study is over.`,
		Example: "  starloom study list\n  starloom study pops --quick\n  starloom study pops --case 'd=g*'\n  starloom study pops --full --json pops.json\n  starloom study gossip --svg plots\n  starloom study gossip --case search --orders found",
		Args:    exactly("NAME"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, study := range starloom.Studies() {
				if len(args) == 0 {
					names = append(names, cobra.CompletionWithDesc(study.Name, study.Doc))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "the sizes that take seconds (this is the default)")
	c.Flags().BoolVar(&o.Full, "full", false, "all sizes")
	c.Flags().StringVar(&o.Case, "case", "", "only the cases whose names match the pattern `GLOB`, for example '*n=1024'")
	c.Flags().StringVar(&json, "json", "", "write the rows as JSON to `F`")
	c.Flags().StringVar(&csv, "csv", "", "write the rows as a table to `F`")
	c.Flags().StringVar(&o.Plots, "svg", "", "write plots of what is measured to the folder `DIR`")
	c.Flags().StringVar(&o.Orders, "orders", "", "write the orders of gossip that a search has found to the folder `DIR`")
	workers := c.Flags().Uint16("workers", 0, "use `N` threads; 0: all cores")
	c.RunE = func(c *cobra.Command, args []string) error {
		if quick && o.Full {
			return &starloom.InputError{Place: "--quick", Reason: "--full is given as well", Remedy: "choose one"}
		}
		if err := keep([]output{{"--json", json}, {"--csv", csv}}); err != nil {
			return err
		}
		var files traces.Files
		defer files.Abort()
		jsonFile, err := open(&files, "--json", json)
		if err != nil {
			return err
		}
		csvFile, err := open(&files, "--csv", csv)
		if err != nil {
			return err
		}
		progress := newProgress(c.ErrOrStderr())
		o.Progress, o.Workers = progress.study, int(*workers)
		report, err := starloom.Study(c.Context(), args[0], o)
		progress.clear()
		if err != nil {
			return fault(err)
		}
		if jsonFile != nil {
			err = report.WriteJSON(jsonFile)
		}
		if csvFile != nil {
			err = errors.Join(err, report.WriteCSV(csvFile))
		}
		if err := errors.Join(err, files.Commit()); err != nil {
			return fault(err)
		}
		text := c.OutOrStdout()
		if json == "-" || csv == "-" {
			text = c.ErrOrStderr()
		}
		return printReport(text, report, report.Verdict)
	}
	c.AddCommand(&cobra.Command{
		Use:   "list",
		Short: "List the studies",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, study := range starloom.Studies() {
				fmt.Fprintf(table, "%s\t%s\n\tcases: %s\n", study.Name, study.Doc, strings.Join(study.Cases, ", "))
			}
			return table.Flush()
		},
	})
	return c
}
