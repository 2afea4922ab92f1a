package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/coverage"
	"starloom/cosim/lockstep"
	"starloom/fabric/outcome"
	"starloom/traces/input"
)

type checkFlags struct {
	starloom.CheckOptions
	outputs         outputs
	html, junit     *output
	begun           time.Time
	vcd, save, json *output
	coverage        *output
	exclude         string // file of exclusions

	settings settings
	twin     string
	params   []string
	backend  *choice
	shrink   bool
	seeds    string
	list     bool
	proves   bool
}

func (o *checkFlags) declare(c *cobra.Command) {
	f := c.Flags()
	o.settings.declare(c)
	f.Uint64Var(&o.Cycles, "cycles", 0, "cycles of each run, `N` (default 100000, with Icarus 10000)")
	f.Uint64Var(&o.Explore, "explore", 0, "then `N` cycles guided by coverage for each seed (default 8 times "+
		"--cycles; with Icarus, equal to --cycles)")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the first run's inputs, `N`")
	f.StringVar(&o.seeds, "seeds", "1", "do runs with the seeds from A to B, or with N seeds from --seed on: `A..B|N`")
	f.IntVar(&o.PowerOn, "reset-seeds", 0, "run the same inputs from `N` random states at power-on (default 3; Icarus "+
		"has X and needs 1)")
	o.backend = choose(c, "backend", "backend that runs the RTL (default: the map's, or wasm)", cosim.Backends...)
	f.StringVar(&o.StimulusFile, "stimulus", "", "take the inputs from `F`: CSV, VCD or FST")
	f.BoolVar(&o.shrink, "shrink", false, "shorten the case that differs (default true; false with --stimulus and for "+
		"a scenario)")
	f.StringVar(&o.twin, "twin", "", "check Starloom's own Verilog of the model `NAME`, without a map")
	f.StringArrayVarP(&o.params, "param", "G", nil, "with --twin, or for a parameter that the map leaves out: set the "+
		"model's parameter P to V by `P=V`")
	f.BoolVar(&o.proves, "prove", false, "if no difference is found, try to prove equality, as cosim prove does")
	o.declareThird(f)
	f.BoolVar(&o.list, "list", false, "list the models that RTL can replace")
	completed(c, "twin", o.twinWords())
	o.vcd = o.outputs.to(f, "vcd", "write the case as a waveform to `F`, in FST if it ends in .fst, and F.gtkw "+
		"(GTKWave) and F.sucl (Surfer) beside it", &o.VCD)
	o.save = o.outputs.to(f, "save", "write the inputs of the case to `F`, CSV for --stimulus", &o.Save)
	o.json = o.outputs.to(f, "json", "write the report as JSON to `F`", &o.JSON)
	o.coverage = o.outputs.to(f, "coverage", "write the coverage of RTL and model to `F`: JSON if it ends in .json, "+
		"LCOV in .info, "+
		"Verilator's format in .dat, otherwise text", &o.Cover)
	f.StringVar(&o.exclude, "exclude", "", "leave the points that `F` lists, with reasons, out of the coverage")
	o.junit = o.outputs.file(f, "junit", "write the verdict as JUnit XML to `F`")
	o.html = o.outputs.file(f, "html", "write a page for a browser to `F.html`")
}

func (o *checkFlags) declareThird(f *pflag.FlagSet) {
	f.BoolVar(&o.Third, "third-reader", false, "let slang read the RTL, too, if it is installed (see starloom tools)")
}

// readExclusions reads the file of --exclude.
func (o *checkFlags) readExclusions() (err error) {
	if o.exclude == "" {
		return nil
	}
	if o.coverage.path == "" {
		return input.Mistake("--exclude", "nothing counts coverage", "add --coverage F, or delete it")
	}
	o.Exclude, err = coverage.ReadExclusions(o.exclude)
	return err
}

func (o *checkFlags) twinWords() cobra.CompletionFunc {
	return wordsOf(func(*cobra.Command, []string) (names []string, err error) {
		for _, t := range o.settings.networks.Twins() {
			names = append(names, t.Name)
		}
		return names, nil
	})
}

// writeJUnit writes a test case for each subject.
func (o *checkFlags) writeJUnit(w io.Writer, name string, cases ...outcome.JUnitCase) error {
	if w == nil {
		return nil
	}
	return outcome.WriteJUnit(w, name, time.Since(o.begun), cases)
}

// junitOf returns the test case of a check. Its output is the text form of the report.
func junitOf(report *lockstep.Report, took time.Duration) (c outcome.JUnitCase, err error) {
	var text strings.Builder
	err = report.WriteText(&text)
	c = outcome.JUnitCase{Name: report.Title(), Details: text.String(), Took: took}
	if d := report.Divergence; d != nil {
		c.Failure = d.Text
	}
	return c, err
}

// isFile reports whether an output option is set and names a regular file. The file may not exist yet. For a pipe or
// device, isFile returns false.
func isFile(o *output) bool {
	if o == nil || o.path == "" || o.path == "-" {
		return false
	}
	info, err := os.Stat(o.path)
	return err != nil || info.Mode().IsRegular()
}

func (o *checkFlags) next(w io.Writer, report *lockstep.Report, verb, subject, options string) error {
	var b strings.Builder
	if isFile(o.vcd) {
		fmt.Fprintf(&b, "waveform: %s; look at it with: gtkwave %s\n", o.vcd,
			strings.TrimSuffix(o.vcd.path, filepath.Ext(o.vcd.path))+".gtkw")
	}
	if isFile(o.coverage) {
		fmt.Fprintf(&b, "coverage: %s%s\n", o.coverage, coverageHint(o.coverage.path))
	}
	if isFile(o.save) {
		fmt.Fprintf(&b, "inputs: %s; run them again with: starloom cosim check %s --stimulus %s%s\n", o.save,
			subject, o.save, report.Replay())
	}
	if report.Divergence != nil && o.vcd.path == "" && o.save.path == "" {
		fmt.Fprintf(&b, "for a waveform and the inputs: starloom cosim %s %s%s --vcd %s.vcd --save %s.csv\n", verb,
			subject, options, verb, verb)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func coverageHint(path string) string {
	switch coverage.FormOf(path) {
	case coverage.LCOV:
		return "; look at it with: genhtml --branch-coverage -o coverage " + path
	case coverage.Verilator:
		return "; verilator_coverage reads it and merges it with other files"
	}
	return ""
}

func (o *checkFlags) again() (text string) {
	if o.backend.value != "" {
		text += " --backend " + o.backend.value
	}
	if o.StimulusFile != "" {
		text += " --stimulus " + o.StimulusFile
	}
	if o.Cycles != 0 {
		text += fmt.Sprintf(" --cycles %d", o.Cycles)
	}
	if o.Explore != 0 {
		text += fmt.Sprintf(" --explore %d", o.Explore)
	}
	if o.Seed != 0 {
		text += fmt.Sprintf(" --seed %d", o.Seed)
	}
	if o.Seeds != 1 {
		text += fmt.Sprintf(" --seeds %d", o.Seeds)
	}
	if o.PowerOn != 0 {
		text += fmt.Sprintf(" --reset-seeds %d", o.PowerOn)
	}
	return text
}

func (o *checkFlags) written() (files []outcome.OutputFile) {
	for _, one := range []struct {
		kind string
		to   *output
	}{{"vcd", o.vcd}, {"save", o.save}} {
		if isFile(one.to) {
			files = append(files, outcome.OutputFile{Kind: one.kind, Path: one.to.path})
		}
	}
	if isFile(o.vcd) {
		files = append(files,
			outcome.OutputFile{Kind: "gtkw", Path: strings.TrimSuffix(o.vcd.path, filepath.Ext(o.vcd.path)) + ".gtkw"})
	}
	return files
}
