package cli

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/traces"
)

// studyFlags are the options of `study`.
type studyFlags struct {
	starloom.StudyOptions
	networks  starloom.Networks // whose studies there are, too
	quick     bool
	workers   *uint16
	outputs   outputs
	html      *output
	json, csv *output
	slurm     studySlurm
}

func newStudy(networks starloom.Networks) *cobra.Command {
	o := studyFlags{networks: networks}
	c := &cobra.Command{
		Use:               "study NAME",
		Short:             "Repeat published results and compare",
		Args:              exactly("NAME"),
		ValidArgsFunction: o.names,
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	f := c.Flags()
	f.BoolVar(&o.quick, "quick", false, "the sizes that take seconds (this is the default)")
	f.BoolVar(&o.Full, "full", false, "all sizes")
	f.StringVar(&o.Case, "case", "", "only the cases whose names match the pattern `GLOB`, for example '*n=1024'")
	o.json = o.outputs.file(f, "json", "write the rows as JSON to `F`")
	o.csv = o.outputs.file(f, "csv", "write the rows as a table to `F`")
	o.html = o.outputs.file(f, "html", "write rows and plots as a page for a browser to `F.html`: one file that needs nothing else")
	f.StringVar(&o.Plots, "svg", "", "write plots of what is measured to the folder `DIR`")
	f.StringVar(&o.Orders, "orders", "", "write the orders of gossip that a search has found to the folder `DIR`")
	o.workers = f.Uint16("workers", 0, "use `N` threads; 0: all cores")
	o.slurm.declare(c)
	c.AddCommand(newStudyList(networks))
	return c
}

func (o *studyFlags) names(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, study := range o.networks.Studies() {
			names = append(names, cobra.CompletionWithDesc(study.Name, study.Doc))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (o *studyFlags) run(c *cobra.Command, name string) error {
	if o.quick && o.Full {
		return &starloom.InputError{Place: "--quick", Reason: "--full is given as well", Remedy: "choose one"}
	}
	if err := errors.Join(o.slurm.check(o), o.outputs.check()); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	json, err := o.json.open(&files)
	if err != nil {
		return err
	}
	csv, err := o.csv.open(&files)
	if err != nil {
		return err
	}
	html, err := o.html.open(&files)
	if err != nil {
		return err
	}
	o.Pictures = html != nil
	progress := newProgress(c.ErrOrStderr())
	o.Progress, o.Workers = progress.study, int(*o.workers)
	report, err := o.report(c, name)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if report == nil {
		return nil
	}
	if json != nil {
		err = report.WriteJSON(json)
	}
	if csv != nil {
		err = errors.Join(err, report.WriteCSV(csv))
	}
	if html != nil {
		err = errors.Join(err, page.Study(report, o.command(name)).Write(html))
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	return printReport(o.outputs.text(c), report, report.Verdict)
}

func (o *studyFlags) command(name string) string {
	words := "starloom study " + outcome.ShellQuote(name)
	if o.Full {
		words += " --full"
	}
	if o.Case != "" {
		words += " --case " + outcome.ShellQuote(o.Case)
	}
	return words
}

// report runs the study; it is nil if there is none to print.
func (o *studyFlags) report(c *cobra.Command, name string) (*starloom.StudyReport, error) {
	if !o.slurm.used() {
		return o.networks.Study(c.Context(), name, o.StudyOptions)
	}
	p, err := newCaseParts(c.Context(), o, name)
	if err != nil {
		return nil, err
	}
	if o.slurm.keys != "" {
		return nil, p.runKeys(c.Context())
	}
	return p.runCases(c)
}

func newStudyList(networks starloom.Networks) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the studies",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(product(c), 0, 0, 2, ' ', 0)
			for _, study := range networks.Studies() {
				fmt.Fprintf(table, "%s\t%s\n\tcases: %s\n", study.Name, study.Doc, strings.Join(study.Cases, ", "))
			}
			return table.Flush()
		},
	}
}
