package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/estimate"
	"starloom/internal/sweep"
	"starloom/traces"
	"starloom/traces/input"
)

type sweepFlags struct {
	starloom.SweepOptions
	settings settings
	workers  uint16
	outputs  outputs
	html     *output
	junit    *output
	fail     bool
	on       *choice
	dryRun   bool
	points   string
}

func newSweep(networks starloom.Networks) *cobra.Command {
	o := sweepFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "sweep FILE",
		Short:             "Run a scenario at many points, on all cores",
		Args:              exactly("FILE"),
		ValidArgsFunction: oneFile("yaml", "yml"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.Out, "out", "", "write results to the folder `DIR`; existing ones are not run again")
	f.Uint16Var(&o.workers, "workers", 0, "use `N` threads; 0: all cores")
	f.StringVar(&o.Adaptive, "adaptive", "",
		"bisect the axis `AXIS`, looking for the value at which runs begin to fail or "+
			"to "+
			"saturate, for "+
			"each combination of the others")
	o.settings.declare(c)
	o.html = o.outputs.file(f, "html", "write a page of results and plots for a browser to `F.html`")
	o.junit = o.outputs.file(f, "junit", "write a test case for each point as JUnit XML to `F`")
	f.BoolVar(&o.fail, "fail-on-violation", false, "exit with 1 if a run failed, as 'starloom run' does")
	f.StringArrayVar(&o.Keys, "point", nil, "run only the point with this `KEY`, and write no tables")
	f.StringVar(&o.points, "points", "", "run only the points whose keys are in the file `F`, and write no tables")
	_ = errors.Join(f.MarkHidden("point"), f.MarkHidden("points"))
	o.on = choose(c, "on", "run in this process, or as jobs of a Slurm cluster", sweep.OnLocal, sweep.OnSlurm)
	f.BoolVar(&o.dryRun, "dry-run", false, "with --on slurm, print the scripts instead of sending them, and run only "+
		"as much as "+
		"is needed to estimate their times")
	c.AddCommand(newSweepMerge())
	return c
}

func (o *sweepFlags) run(c *cobra.Command, path string) (err error) {
	if o.Set, err = o.settings.assignments(); err != nil {
		return err
	}
	if err := o.place(c, path); err != nil {
		return err
	}
	if err := o.outputs.check(path); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	html, err := o.html.open(&files)
	if err != nil {
		return err
	}
	junit, err := o.junit.open(&files)
	if err != nil {
		return err
	}
	progress := newProgress(c.ErrOrStderr())
	o.Workers, o.Progress = int(o.workers), progress.sweep
	if len(o.Keys) == 0 && path != input.StandardInput { // a child cannot read it again
		o.Child = func(ctx context.Context, key string) *exec.Cmd { return o.child(ctx, path, key) }
		o.Checked = func(e sweep.Extent) { writeExtent(readable(c.ErrOrStderr()), e, o.Adaptive != "") }
	}
	report, err := o.settings.networks.Sweep(c.Context(), path, o.SweepOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if o.dryRun {
		return nil
	}
	if len(report.Files) > 0 { // without tables there is no other form
		if err := errors.Join(o.writeForms(report, path, html, junit), files.Commit()); err != nil {
			return fault(err)
		}
	}
	err = printReport(o.outputs.text(c), report, report.Verdict())
	if err == nil && o.fail && report.Failed > 0 {
		return errFailed
	}
	return err
}

func (o *sweepFlags) writeForms(report *starloom.SweepReport, path string, html, junit io.Writer) error {
	if junit != nil {
		if err := report.WriteJUnit(junit, o.fail); err != nil {
			return err
		}
	}
	if html != nil {
		p, err := report.Page(o.command(path), newBook(o.settings.networks).Unit)
		if err != nil {
			return err
		}
		if err := p.Write(html); err != nil {
			return err
		}
	}
	for _, to := range []*output{o.html, o.junit} {
		if to.path != "" && to.path != "-" {
			report.Files = append(report.Files, to.path)
		}
	}
	return nil
}

func (o *sweepFlags) place(c *cobra.Command, path string) error {
	if o.points != "" {
		data, err := os.ReadFile(o.points)
		if err != nil {
			return input.Mistake("--points", err.Error(), "give a file with a key in each line")
		}
		o.Keys = append(o.Keys, strings.Fields(string(data))...)
		if !c.Flags().Changed("workers") {
			o.workers = taskProcessors()
		}
	}
	if o.On = o.on.value; o.On != sweep.OnSlurm {
		if o.dryRun {
			return input.Mistake("--dry-run", "this option shows jobs for a cluster", "add --on slurm, or delete it")
		}
		return nil
	}
	if path == input.StandardInput {
		return input.Mistake("--on slurm", "jobs cannot read standard input", "give the sweep as a file")
	}
	if o.dryRun {
		o.DryRun = product(c)
	}
	self, err := sharedExecutable()
	o.Command = append(append([]string{self}, o.again(path)...), "--points")
	return err
}

// taskProcessors returns the number of processors of a cluster task: one, unless the task has requested more.
func taskProcessors() uint16 {
	n, err := strconv.ParseUint(os.Getenv("SLURM_CPUS_PER_TASK"), 10, 16)
	if err != nil {
		return 1
	}
	return uint16(n)
}

func sharedExecutable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(self, string(filepath.Separator)+"go-build") && filepath.Base(filepath.Dir(self)) == "exe" {
		return "", input.Mistake("--on slurm", self+" is deleted when 'go run' ends",
			"'go build' the program into a folder that all nodes share, and run that")
	}
	return self, nil
}

func (o *sweepFlags) command(path string) string {
	words := "starloom sweep " + outcome.ShellQuote(path) + " --out " + outcome.ShellQuote(o.Out)
	if o.Adaptive != "" {
		words += " --adaptive " + outcome.ShellQuote(o.Adaptive)
	}
	return words + o.settings.again()
}

func (o *sweepFlags) again(path string) []string {
	args := []string{"sweep", path, "--out", o.Out}
	for _, word := range o.settings.words {
		args = append(args, "--set", word)
	}
	return args
}

func (o *sweepFlags) child(ctx context.Context, path, key string) *exec.Cmd {
	args := append(o.again(path), "--point", key, "--workers", fmt.Sprint(o.workers))
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	child := exec.CommandContext(ctx, self, args...)
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	return child
}

func writeExtent(w io.Writer, e sweep.Extent, adaptive bool) {
	for _, note := range e.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
	text := fmt.Sprintf("starloom: %s, %s", traces.Plural(uint64(e.Points), "point", "points"),
		traces.Plural(e.Runs, "run", "runs"))
	if e.RunsThere > 0 {
		text += fmt.Sprintf("; %d of them are done", e.RunsThere)
	}
	if e.RunsThere < e.Runs {
		text += fmt.Sprintf("; a point takes up to %d MiB; %s", (e.Memory+1<<20-1)>>20,
			traces.Plural(uint64(e.Workers), "worker", "workers"))
		if e.Time > 0 {
			text += "; about " + estimate.DurationText(e.Time)
		}
	}
	if adaptive {
		text += "; bisection runs only the points that it needs"
	}
	fmt.Fprintln(w, text)
}

func newSweepMerge() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Join folders of results",
		Args:  atLeastOne("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return input.Mistake("--out", "no folder is named for the results", "give one, for example --out results")
			}
			points, files, err := sweep.Merge(out, args)
			if err != nil {
				return fault(err)
			}
			_, err = fmt.Fprintf(readable(c.OutOrStdout()),
				"%s, %s new in %s; 'starloom sweep FILE --out %s' writes the tables\n",
				traces.Plural(uint64(points), "point", "points"), traces.Plural(uint64(files), "file", "files"),
				input.Printable(out), input.Printable(out))
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "copy the results into the folder `DIR`")
	return c
}
