package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/internal/runs"
	"starloom/internal/slurm"
	"starloom/internal/sweep"
	"starloom/traces"
	"starloom/traces/input"
)

type studyFlags struct {
	starloom.StudyOptions
	networks  starloom.Networks
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
	completed(c, "case", wordsOf(o.cases))
	o.json = o.outputs.file(f, "json", "write the rows as JSON to `F`")
	o.csv = o.outputs.file(f, "csv", "write the rows as a table to `F`")
	o.html = o.outputs.file(f, "html", "write a page of rows and plots for a browser to `F.html`")
	f.StringVar(&o.Plots, "plots", "", "write plots of the measured figures to the folder `DIR`")
	f.StringVar(&o.Export, "export", "", "write the scenarios of the rows to the folder `DIR`")
	f.StringVar(&o.Orders, "orders", "", "write the orders of gossip that a search has found to the folder `DIR`")
	o.workers = f.Uint16("workers", 0, "use `N` threads; 0: all cores")
	o.slurm.declare(c)
	formerly(c, "svg", "plots")
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

func (o *studyFlags) cases(c *cobra.Command, args []string) (names []string, err error) {
	if len(args) == 0 {
		return nil, nil
	}
	cases, err := o.networks.StudyCases(c.Context(), args[0], starloom.StudyOptions{Full: o.Full})
	for _, one := range cases {
		names = append(names, one.Name)
	}
	return names, err
}

func (o *studyFlags) run(c *cobra.Command, name string) error {
	if o.quick && o.Full {
		return input.Mistake("--quick", "--full is given as well", "choose one")
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

// caseTime is the assumed time of a case. Jobs request three times this time, and more after a timeout.
const caseTime = 20 * time.Minute

// caseMemory is the memory in bytes reserved for a case without an estimate.
const caseMemory = 1 << 30

// studySlurm holds the options of a study that runs its cases as cluster jobs.
type studySlurm struct {
	on       *choice
	dryRun   bool
	out      string // folder for reports of cases
	settings string
	keys     string // file with keys of cases, for a job of the cluster
}

func (x *studySlurm) declare(c *cobra.Command) {
	f := c.Flags()
	x.on = choose(c, "on", "run in this process, or case by case as jobs of a Slurm cluster", sweep.OnLocal, sweep.OnSlurm)
	f.StringVar(&x.out, "out", "", "with --on slurm, keep the reports of cases in the folder `DIR`; existing ones are "+
		"not run again")
	f.StringVar(&x.settings, "slurm", "", "with --on slurm, read partition, account, ... from `F`, in the form of a "+
		"sweep file's key slurm:")
	f.BoolVar(&x.dryRun, "dry-run", false, "with --on slurm, print the scripts that would be sent, and run nothing")
	f.StringVar(&x.keys, "points", "", "run only the cases whose keys are in the file `F`, and print nothing")
	_ = f.MarkHidden("points")
}

func (x *studySlurm) used() bool { return x.on.value == sweep.OnSlurm || x.keys != "" }

func (x *studySlurm) check(o *studyFlags) error {
	refuse := func(place, reason, remedy string) error {
		return input.Mistake(place, reason, remedy)
	}
	switch {
	case !x.used() && (x.dryRun || x.out != "" || x.settings != ""):
		return refuse("--on", "--dry-run, --out and --slurm are for cluster jobs", "add --on slurm, or delete them")
	case !x.used():
		return nil
	case x.out == "":
		return refuse("--out", "no folder is named for the reports of the cases",
			"give a folder that all nodes share, for example --out study")
	case o.Plots != "" || o.Orders != "" || o.Export != "":
		return refuse("--on slurm", "--plots, --orders and --export need all cases in one process",
			"run the cases that have such files --on local")
	}
	return nil
}

type caseParts struct {
	*studyFlags
	name       string
	cases      []starloom.StudyCase
	executable string
}

func newCaseParts(ctx context.Context, o *studyFlags, name string) (*caseParts, error) {
	cases, err := o.networks.StudyCases(ctx, name, o.StudyOptions)
	if err != nil {
		return nil, err
	}
	p := &caseParts{studyFlags: o, name: name, cases: cases}
	p.executable, err = sweep.ExecutableHash()
	return p, err
}

func (p *caseParts) key(c *starloom.StudyCase) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %t %q", p.executable, p.name, p.Full, c.Name))
	return hex.EncodeToString(sum[:20])
}

func (p *caseParts) path(key string) string { return filepath.Join(p.slurm.out, key+".json") }

func (p *caseParts) read(key string) (*starloom.StudyReport, error) {
	data, err := os.ReadFile(p.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := new(starloom.StudyReport)
	if err == nil && json.Unmarshal(data, r) != nil {
		return nil, nil
	}
	return r, err
}

func (p *caseParts) runKeys(ctx context.Context) error {
	data, err := os.ReadFile(p.slurm.keys)
	if err != nil {
		return err
	}
	keys := strings.Fields(string(data))
	done := 0
	for i := range p.cases {
		key := p.key(&p.cases[i])
		if !slices.Contains(keys, key) {
			continue
		}
		o := p.StudyOptions
		o.Case = p.cases[i].Only()
		r, err := p.networks.Study(ctx, p.name, o)
		if err != nil {
			return err
		}
		if r.Interrupted() {
			return errInterrupted
		}
		var text strings.Builder
		if err := r.WriteJSON(&text); err != nil {
			return err
		}
		if err := slurm.WriteFile(p.path(key), text.String()); err != nil {
			return err
		}
		done++
	}
	if done < len(keys) {
		return input.Mistake("--points",
			"the study lacks some of the requested cases: this executable differs from the requesting command's executable",
			"do not change it while a study runs, and start the command again")
	}
	return nil
}

func (p *caseParts) work(settings *slurm.Settings) (*slurm.Work, error) {
	self, err := sharedExecutable()
	if err != nil {
		return nil, err
	}
	out, err := filepath.Abs(p.slurm.out)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w := &slurm.Work{
		Name: "starloom-study-" + p.name, Folder: filepath.Join(out, "slurm"), Dir: dir, Settings: settings,
		Command: []string{self, "study", p.name, "--out", out},
	}
	if p.Full {
		w.Command = append(w.Command, "--full")
	}
	w.Command = append(w.Command, "--points")
	for i := range p.cases {
		c := &p.cases[i]
		r, err := p.read(p.key(c))
		if err != nil {
			return nil, err
		}
		if r == nil {
			memory := c.Memory
			if memory == 0 {
				memory = caseMemory
			}
			w.Units = append(w.Units, slurm.Unit{Key: p.key(c), Name: c.Name, Time: caseTime, Memory: memory})
		}
	}
	w.Done = func(key string) (bool, error) {
		r, err := p.read(key)
		return r != nil, err
	}
	return w, nil
}

// runCases runs the cases as jobs. It returns nil without a report after a dry run.
func (p *caseParts) runCases(c *cobra.Command) (*starloom.StudyReport, error) {
	settings, err := slurm.Load(p.slurm.settings)
	if err != nil {
		return nil, err
	}
	w, err := p.work(settings)
	if err != nil {
		return nil, err
	}
	if p.slurm.dryRun {
		return nil, slurm.WriteScripts(product(c), w)
	}
	cluster, err := slurm.Open(c.Context(), settings)
	if err != nil {
		return nil, err
	}
	w.Told = func(told slurm.Progress) { p.Progress(told.Done, told.Units, "cases") }
	out, err := cluster.Run(c.Context(), w)
	if err != nil {
		return nil, err
	}
	return p.join(out)
}

func (p *caseParts) join(out *slurm.Outcome) (*starloom.StudyReport, error) {
	var parts []*starloom.StudyReport
	for i := range p.cases {
		r, err := p.read(p.key(&p.cases[i]))
		if err != nil {
			return nil, err
		}
		if r != nil {
			parts = append(parts, r)
		}
	}
	whole := runs.JoinStudy(p.name, parts)
	for _, f := range out.Failed {
		i := slices.IndexFunc(p.cases, func(c starloom.StudyCase) bool { return p.key(&c) == f.Key })
		whole.Verdict, whole.Notes = starloom.VerdictFail,
			append(whole.Notes, fmt.Sprintf("%s could not be run: %s", p.cases[i].Name, f.Reason))
	}
	if out.Cut {
		whole.Verdict, whole.Aside.CutShort = starloom.VerdictFail, true
		const note = "interrupted with %d of %d cases; the jobs continue, and the same command collects their results; " +
			"'scancel %s' ends them"
		whole.Notes = append(whole.Notes, fmt.Sprintf(note, len(parts), len(p.cases), strings.Join(out.Jobs, " ")))
	}
	return whole, nil
}
