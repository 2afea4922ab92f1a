package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/prove"
	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/internal/tools"
	"starloom/traces"
	"starloom/traces/input"
)

type proveFlags struct {
	checkFlags // options for a map, and for the output files of a counterexample
	limit      time.Duration
	depth      int
	folder     string
	again      bool
}

// Range of --time. Each engine gets at least a second.
const timeLeast, timeMost = 2 * time.Second, 24 * time.Hour

func newCosimProve(networks starloom.Networks) *cobra.Command {
	o := proveFlags{checkFlags: checkFlags{settings: settings{networks: networks}}}
	c := &cobra.Command{
		Use:               "prove MAP.yml",
		Short:             "Prove that RTL equals the model that it replaces, or find a difference",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: filesOf("yml", "yaml"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.DurationVar(&o.limit, "time", prove.LimitDefault,
		"limit the time of the engines, and of the steps before them, to `T`, such as 90s or 10m")
	f.IntVar(&o.depth, "cycles", 0, "check only the first `N` cycles after a reset (default: all cycles)")
	f.StringVar(&o.folder, "folder", "", "write files that repeat the proof to the new folder `DIR`")
	f.BoolVar(&o.again, "again", false, "ignore the cached results of earlier runs")
	o.declareThird(f)
	f.StringVar(&o.twin, "twin", "", "prove Starloom's own Verilog of the model `NAME` against itself, without a map")
	f.StringArrayVarP(&o.params, "param", "G", nil, "with --twin, or for a parameter that the map leaves out: set the "+
		"model's parameter P to V by `P=V`")
	completed(c, "twin", o.twinWords())
	o.vcd = o.outputs.to(f, "vcd", "write the case that differs as a waveform to `F`, in FST if it ends in .fst", &o.VCD)
	o.save = o.outputs.to(f, "save", "write the inputs of the case that differs to `F`, CSV for cosim check --stimulus",
		&o.Save)
	o.junit = o.outputs.file(f, "junit", "write the verdict as JUnit XML to `F`")
	o.json = o.outputs.file(f, "json", "write the report as JSON to `F`")
	o.html = o.outputs.file(f, "html", "write a page for a browser to `F.html`")
	return c
}

func (o *proveFlags) run(c *cobra.Command, args []string) error {
	o.begun = time.Now()
	points, subject, err := o.pinMaps(c, args)
	if err != nil {
		return fault(err)
	}
	if len(points) > 1 {
		return input.Mistake(args[0],
			fmt.Sprintf("its lists of parameters make %d points, but a proof needs one point", len(points)),
			"name one with -G PARAMETER=VALUE")
	}
	m := points[0].Map
	defer m.Close()
	if o.limit < timeLeast || o.limit > timeMost {
		return input.Mistake("--time", fmt.Sprintf("the time limit %v is out of range", o.limit), "give 2s to 24h")
	}
	if o.depth < 0 || o.depth > 1_000_000 {
		return input.Mistake("--cycles", fmt.Sprintf("invalid number of cycles: %d", o.depth), "give 1 to 1000000")
	}
	if err := o.outputs.check(m.Files()...); err != nil {
		return err
	}
	if o.folder != "" {
		if err := os.Mkdir(o.folder, 0o755); err != nil {
			return input.Refused("--folder", err, "name a new folder inside an existing folder")
		}
	}
	files, err := tools.OpenFiles(nil, o.VCD, o.Save, starloom.Output{}, starloom.Output{})
	if err != nil {
		return err
	}
	defer files.Abort()
	var reports traces.Files
	defer reports.Abort()
	json, err := o.json.open(&reports)
	if err != nil {
		return err
	}
	html, err := o.html.open(&reports)
	if err != nil {
		return err
	}
	junit, err := o.junit.open(&reports)
	if err != nil {
		return err
	}
	report, err := proved(c, m,
		prove.Options{Limit: o.limit, Cycles: o.depth, Folder: o.folder, NoCache: o.again, Third: o.Third})
	if err != nil {
		return fault(err)
	}
	if shown, _ := report.Shown(); shown != nil {
		err = files.Write(shown)
	}
	if json != nil {
		err = errors.Join(err, report.WriteJSON(json))
	}
	if html != nil {
		err = errors.Join(err, page.Proof(report, subject, o.written()).Write(html))
	}
	if junit != nil {
		cases, wrong := provedCases(report)
		err = errors.Join(err, wrong, o.writeJUnit(junit, "cosim prove "+subject, cases...))
	}
	if err := errors.Join(err, reports.Commit()); err != nil {
		return fault(err)
	}
	return o.say(c, report, subject)
}

func proved(c *cobra.Command, m *pinmap.Map, o prove.Options) (*prove.Report, error) {
	progress := newProgress(c.ErrOrStderr())
	defer progress.clear()
	m.Build.Progress, o.Progress = progress.step, progress.step
	report, err := prove.Run(c.Context(), m, o)
	if err == nil {
		report.Provenance = starloom.MapProvenance(m)
	}
	return report, err
}

// provedCases returns the test case of a proof, and one for each assertion of the RTL.
func provedCases(report *prove.Report) (cases []outcome.JUnitCase, err error) {
	if report.Verdict != prove.GoalsOnly {
		one, err := provedCase(report)
		if err != nil {
			return nil, err
		}
		cases = append(cases, one)
	}
	for _, g := range report.Goals {
		c := outcome.JUnitCase{Name: g.Title(), Details: g.Result()}
		switch {
		case g.Failed():
			c.Failure = g.Result()
		case g.Open() || g.Verdict == prove.Bounded || g.Verdict == prove.Absent:
			c.Skipped = g.Result()
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// provedCase returns the test case of a proof. A proof for some cycles, or an undecided proof, is reported as
// skipped.
func provedCase(report *prove.Report) (outcome.JUnitCase, error) {
	var text strings.Builder
	err := report.WriteText(&text)
	c := outcome.JUnitCase{Name: "proof of " + report.Title(), Details: text.String(), Took: report.Took}
	switch report.Verdict {
	case prove.Equal:
	case prove.Differs:
		c.Failure = report.Sentence()
	default:
		c.Skipped = report.Sentence()
	}
	return c, err
}

func (o *proveFlags) say(c *cobra.Command, report *prove.Report, subject string) error {
	text := o.outputs.text(c)
	if err := report.WriteText(text); err != nil {
		return err
	}
	if report.Case != nil {
		if err := o.next(text, report.Case, "prove", subject, ""); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(text, o.traced(report, subject)); err != nil {
		return err
	}
	if report.Verdict == prove.Undecided {
		if _, err := fmt.Fprintf(text, "%s\n", o.undecided(report, subject)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(text, o.repeat(report, subject)); err != nil {
		return err
	}
	return verdictOf(report)
}

// traced names the files with the trace of an assertion, or the options that write them.
func (o *proveFlags) traced(report *prove.Report, subject string) (text string) {
	shown, goal := report.Shown()
	if goal == nil {
		return ""
	}
	if isFile(o.vcd) {
		text = fmt.Sprintf("waveform of %s: %s\n", goal.Name, o.vcd)
	}
	if isFile(o.save) {
		text += fmt.Sprintf("inputs of %s: %s\n", goal.Name, o.save)
	}
	if text != "" {
		return text
	}
	return fmt.Sprintf("for a waveform and the inputs of %s, %s: starloom cosim prove %s --vcd prove.vcd "+
		"--save prove.csv\n", goal.Name, cosim.Count(uint64(shown.Shown.Stimulus.Cycles()), "cycle"), subject)
}

func (o *proveFlags) repeat(report *prove.Report, subject string) string {
	inputs := filepath.Join(o.folder, "case.csv")
	switch _, err := os.Stat(inputs); {
	case o.folder == "":
		return ""
	case report.Repeats():
		return fmt.Sprintf("to repeat it: sh %s\n", filepath.Join(o.folder, "run.sh"))
	case err == nil: // lockstep, not an engine, found the difference
		return fmt.Sprintf("to repeat it: starloom cosim check %s --stimulus %s%s\n", subject, inputs, report.Case.Replay())
	}
	return ""
}

func (o *proveFlags) undecided(report *prove.Report, subject string) string {
	text := "to look for a difference: starloom cosim check " + subject
	if !report.Late {
		return text
	}
	if report.Depth > 0 {
		text = fmt.Sprintf("for these cycles alone: starloom cosim prove %s --cycles %d\n%s", subject, report.Depth, text)
	}
	if o.depth > 0 {
		subject = fmt.Sprintf("%s --cycles %d", subject, o.depth)
	}
	return fmt.Sprintf("with more time: starloom cosim prove %s --time %v\n%s", subject, min(10*o.limit, timeMost), text)
}

// verdictOf returns the worst verdict: a difference or a failed assertion, then what is undecided, then what holds for
// some cycles.
func verdictOf(report *prove.Report) error {
	switch {
	case report.Verdict == prove.Differs || report.GoalsFailed():
		return errFailed
	case report.Verdict == prove.Undecided || report.GoalsOpen():
		return errUndecided
	case report.Verdict == prove.Bounded || report.GoalsBounded():
		return errBounded
	}
	return nil
}
