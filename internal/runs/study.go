package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"starloom/fabric/outcome"
	"starloom/fabric/studies"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/traces"
	draw "starloom/traces/figure"
	"starloom/traces/input"
)

type studyRuns struct {
	study       string
	ctx         context.Context
	options     StudyOptions
	elaborate   func(*studies.Setting) (*config.Config, error)
	rows        []studies.StudyRow
	failed      error // of an export
	done, total int

	folders map[studies.StudyFile]string // folders of files, by kind
	files   traces.Files
	written []outcome.OutputFile

	pictures []outcome.Picture // pictures for a page

	text     func(*studies.Setting) ([]byte, error) // scenario of a setting
	pending  []exported                             // scenarios of the runs since the last row
	exported map[string]bool                        // texts that are written
}

// exported is the scenario of one or several runs.
type exported struct {
	text []byte
	runs int
}

// export stores the scenario of runs for the runs' row.
func (r *studyRuns) export(x *studies.Setting, count int) error {
	if r.options.Export == "" {
		return nil
	}
	text, err := r.text(x)
	r.pending = append(r.pending, exported{text, count})
	return err
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9.=]+`)

// writeExported writes the scenarios of a row.
func (r *studyRuns) writeExported(row *studies.StudyRow) error {
	name := strings.Trim(notInName.ReplaceAllString(row.Case, "-"), "-")
	for _, x := range r.pending {
		if r.exported[string(x.text)] {
			continue
		}
		r.exported[string(x.text)] = true
		path := filepath.Join(r.options.Export, name+".yaml")
		for n := 2; r.exported[path]; n++ {
			path = filepath.Join(r.options.Export, fmt.Sprintf("%s-%d.yaml", name, n))
		}
		r.exported[path] = true
		again := "starloom run " + filepath.Base(path)
		if x.runs > 1 {
			again += fmt.Sprintf(" --seeds %d", x.runs)
		}
		file, err := r.files.Create(path)
		if err != nil {
			return err
		}
		r.written = append(r.written, outcome.OutputFile{Kind: "scenario", Path: path})
		if _, err := fmt.Fprintf(file, "# Study %s, case %s: %s\n%s", r.study, outcome.Printable(row.Case), again,
			x.text); err != nil {
			return err
		}
	}
	r.pending = nil
	return nil
}

func (r *studyRuns) openFolders(s *studies.Study) error {
	options := []struct {
		option, path string
		kind         studies.StudyFile
	}{{"--plots", r.options.Plots, studies.StudyPlot}, {"--orders", r.options.Orders, studies.StudyOrders}}
	for _, f := range options {
		if f.path != "" && !slices.Contains(s.Files, f.kind) {
			return input.Mistake(f.option, "study "+s.Name+" writes no such files", "delete "+f.option)
		}
	}
	if r.options.Export != "" {
		if err := traces.MakeFolder(r.options.Export); err != nil {
			return input.Refused("--export", err, "")
		}
	}
	for _, f := range options {
		if f.path == "" {
			continue
		}
		if err := traces.MakeFolder(f.path); err != nil {
			return input.Refused(f.option, err, "")
		}
		if r.folders == nil {
			r.folders = map[studies.StudyFile]string{}
		}
		r.folders[f.kind] = f.path
	}
	return nil
}

func (r *studyRuns) Writes(kind studies.StudyFile) bool {
	return r.folders[kind] != "" || r.keeps(kind)
}

func (r *studyRuns) keeps(kind studies.StudyFile) bool {
	return r.options.Pictures && kind == studies.StudyPlot
}

// Plot writes a figure. For a page it also draws the figure in the width of a phone.
func (r *studyRuns) Plot(name string, f *draw.Figure) error {
	err := r.File(studies.StudyPlot, name, f.WriteSVG)
	if err != nil || !r.options.Pictures {
		return err
	}
	var svg bytes.Buffer
	narrow := *f
	narrow.Width = draw.WidthNarrow
	err = narrow.WriteSVG(&svg)
	r.pictures[len(r.pictures)-1].Narrow = svg.Bytes()
	return err
}

func (r *studyRuns) File(kind studies.StudyFile, name string, write func(io.Writer) error) error {
	if r.keeps(kind) {
		var svg bytes.Buffer
		if err := write(&svg); err != nil {
			return err
		}
		r.pictures = append(r.pictures, outcome.Picture{Caption: name, SVG: svg.Bytes()})
	}
	folder := r.folders[kind]
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, name+string(kind))
	file, err := r.files.Create(path)
	if err != nil {
		return err
	}
	r.written = append(r.written, outcome.OutputFile{Kind: strings.TrimPrefix(string(kind), "."), Path: path})
	return write(file)
}

func (r *studyRuns) Context() context.Context { return r.ctx }

func (r *studyRuns) Tell(what string) {
	if r.options.Progress != nil {
		r.options.Progress(r.done, r.total, what)
	}
}

func (r *studyRuns) Full() bool { return r.options.Full }

func (r *studyRuns) Wants(name string) bool { return r.options.wants(name) }

func (r *studyRuns) Plan(runs int) { r.total += runs }

func (r *studyRuns) Add(row studies.StudyRow) {
	r.rows = append(r.rows, row)
	if err := r.writeExported(&row); err != nil && r.failed == nil {
		r.failed = err
	}
}

func (r *studyRuns) Run(x *studies.Setting) (*studies.Outcome, error) {
	c, err := r.elaborate(x)
	if err = errors.Join(err, r.export(x, 1)); err != nil {
		return nil, err
	}
	m, err := emulator.New(r.ctx, c,
		emulator.Options{Engine: emulator.EngineSlot, Workers: r.options.Workers, RunTable: x.Table})
	if err != nil {
		return nil, err
	}
	err = m.Run(r.ctx, nil)
	report, table := m.Sum(), m.RunTable()
	if err = errors.Join(err, m.Release(), r.ctx.Err()); err != nil {
		return nil, err
	}
	r.done++
	r.Tell(c.Name)
	outcome := &studies.Outcome{Passed: report.Verdict == outcome.VerdictPass, Slots: report.Slots,
		Metrics: report.Metrics, Table: table}
	if !outcome.Passed {
		v := report.Violations[0]
		outcome.Broken = fmt.Sprintf("%s at cycle %d: %s", v.Rule, v.Cycle, v.Message)
	}
	return outcome, nil
}

func (r *studyRuns) Sample(x *studies.Setting, count int, metric string) (*studies.Sample, error) {
	values := outcome.Histogram{}
	c, err := r.elaborate(x)
	if err = errors.Join(err, r.export(x, count)); err != nil {
		return nil, err
	}
	b := &Batch{Config: c, Seeds: outcome.Seeds{First: 1, Last: uint64(count)},
		Options: emulator.Options{Engine: emulator.EngineSlot, Workers: r.options.Workers}}
	name := b.Config.Name
	sample := &studies.Sample{Runs: count, Counts: values, Sums: map[string]uint64{},
		Lists: map[string]*studies.SampleList{}}
	err = b.Each(r.ctx, func(run *BatchRun, _ uint64) error {
		if !run.Finished {
			return fmt.Errorf("%s, seed %d: not done after %d slots", name, run.Seed, run.Report.Slots)
		}
		for _, m := range run.Report.Metrics {
			switch value := m.Value.(type) {
			case int:
				sample.Sums[m.Name] += uint64(value)
			case []int:
				if sample.Lists[m.Name] == nil {
					sample.Lists[m.Name] = new(studies.SampleList)
				}
				sample.Lists[m.Name].Add(value)
			}
		}
		value, ok := outcome.Number64(run.Report.Metrics.Get(metric))
		if !ok {
			return fmt.Errorf("%s: no metric %s", name, metric)
		}
		values.Add(value)
		if run.Report.Verdict != outcome.VerdictPass {
			sample.Failed++
		}
		r.done++
		r.Tell(name)
		return nil
	})
	if err == nil {
		err = r.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	s := values.Statistic(metric)
	sample.Mean, sample.SD, sample.SE, sample.Median, sample.Max = *s.Mean, *s.SD, *s.SE, *s.Median, *s.Max
	return sample, nil
}

// StudyOptions control the execution of a study; they are the options of package starloom.
type StudyOptions struct {
	Full     bool
	Case     string
	Workers  int
	Plots    string
	Orders   string
	Export   string // folder for the scenarios of the runs, "" for none
	Pictures bool
	Progress func(done, total int, what string)
}

func (o *StudyOptions) wants(name string) bool {
	if o.Case == "" {
		return true
	}
	match, _ := path.Match(o.Case, name) // Study has checked the pattern
	return match
}

type interruptedError struct{ done, total int }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted after %d of %d runs", e.done, e.total)
}

// Study runs a study. It elaborates each run from a setting; text returns the scenario of a setting as a file.
func Study(ctx context.Context, s *studies.Study, o StudyOptions,
	elaborate func(*studies.Setting) (*config.Config, error),
	text func(*studies.Setting) ([]byte, error)) (*outcome.StudyReport, error) {
	if _, err := path.Match(o.Case, ""); err != nil {
		return nil,
			&input.Error{Place: "--case", Reason: fmt.Sprintf("%q is not a pattern", o.Case),
				Remedy: "write * for any text, for example '*n=1024'"}
	}
	r := &studyRuns{study: s.Name, ctx: ctx, options: o, elaborate: elaborate, text: text, exported: map[string]bool{}}
	defer r.files.Abort()
	if err := r.openFolders(s); err != nil {
		return nil, err
	}
	err := errors.Join(s.Run(r), r.failed)
	if ctx.Err() != nil {
		err = &interruptedError{r.done, r.total}
	}
	rows := r.rows
	if err == nil && len(rows) == 0 {
		return nil, input.Mistake("--case", fmt.Sprintf("no case of this size matches %q", o.Case),
			"cases begin with "+strings.Join(s.Cases, ", ")+"; some need --full")
	}
	report := &outcome.StudyReport{Study: s.Name, Verdict: outcome.VerdictPass, Rows: rows,
		Beside: outcome.Beside{Provenance: &traces.Provenance{Version: outcome.Version()}}}
	var interrupted *interruptedError
	switch {
	case errors.As(err, &interrupted):
		report.Verdict, report.Notes, report.Aside.CutShort = outcome.VerdictFail, []string{err.Error()}, true
	case err != nil:
		return nil, err
	}
	if err := r.files.Commit(); err != nil {
		return nil, err
	}
	report.Aside.Pictures = r.pictures
	if report.Files = r.written; r.folders != nil && len(report.Files) == 0 {
		report.Notes = append(report.Notes, "no files were written: the selected cases have none")
	}
	for _, row := range rows {
		if !row.OK {
			report.Verdict = outcome.VerdictFail
		}
	}
	return report, nil
}

// StudyCase is a case that can run alone.
type StudyCase struct {
	Name   string
	Memory uint64 // estimated memory of the first run in bytes; 0 if unknown
}

const caseTime = 100 * time.Millisecond

// StudyCases lists the matching cases of a study in order, without running them.
func StudyCases(ctx context.Context, s *studies.Study, o StudyOptions,
	elaborate func(*studies.Setting) (*config.Config, error)) ([]StudyCase, error) {
	all := &caseFinder{ctx: ctx, options: o}
	if err := s.Run(all); err != nil {
		return nil, err
	}
	var cases []StudyCase
	for _, name := range all.asked {
		hurried, stop := context.WithTimeout(ctx, caseTime)
		one := &caseFinder{ctx: hurried, options: o, only: name, elaborate: elaborate}
		err := s.Run(one)
		over := hurried.Err() != nil
		stop()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.Is(err, errFound) && !over:
			return nil, err
		case one.rows > 0 || over || err != nil:
			cases = append(cases, StudyCase{name, one.memory})
		}
	}
	return cases, nil
}

var errFound = errors.New("this would be run")

// caseFinder collects the cases of a study without running them. It implements studies.Runs.
type caseFinder struct {
	ctx       context.Context
	options   StudyOptions
	elaborate func(*studies.Setting) (*config.Config, error)
	only      string   // requested case; "" for none
	asked     []string // matching cases of the study's latest query
	rows      int
	memory    uint64
}

func (f *caseFinder) Full() bool               { return f.options.Full }
func (f *caseFinder) Context() context.Context { return f.ctx }
func (f *caseFinder) Plan(int)                 {}
func (f *caseFinder) Tell(string)              {}
func (f *caseFinder) Add(studies.StudyRow)     { f.rows++ }

func (f *caseFinder) Wants(name string) bool {
	if f.only != "" || !f.options.wants(name) {
		return name == f.only
	}
	f.asked = append(slices.DeleteFunc(f.asked, func(other string) bool { return other == name }), name)
	return false
}

func (f *caseFinder) Run(x *studies.Setting) (*studies.Outcome, error) { return nil, f.weigh(x) }

func (f *caseFinder) Sample(x *studies.Setting, _ int, _ string) (*studies.Sample, error) {
	return nil, f.weigh(x)
}

func (f *caseFinder) weigh(x *studies.Setting) error {
	c, err := f.elaborate(x)
	if err != nil {
		return err
	}
	parts, _, err := emulator.Weigh(f.ctx, c, emulator.Options{Engine: emulator.EngineSlot})
	if err != nil && f.ctx.Err() == nil {
		return err
	}
	f.memory = parts.Sum()
	return errFound
}

func (f *caseFinder) Writes(studies.StudyFile) bool { return false }

func (f *caseFinder) File(studies.StudyFile, string, func(io.Writer) error) error { return nil }

func (f *caseFinder) Plot(string, *draw.Figure) error { return nil }

// Only returns the pattern that matches only this case.
func (c *StudyCase) Only() string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(c.Name)
}

// JoinStudy joins the reports of separately executed cases.
func JoinStudy(name string, parts []*outcome.StudyReport) *outcome.StudyReport {
	whole := &outcome.StudyReport{Study: name, Verdict: outcome.VerdictPass,
		Beside: outcome.Beside{Provenance: &traces.Provenance{Version: outcome.Version()}}}
	for _, part := range parts {
		whole.Rows = append(whole.Rows, part.Rows...)
		if part.Verdict != outcome.VerdictPass {
			whole.Verdict = outcome.VerdictFail
		}
	}
	return whole
}
