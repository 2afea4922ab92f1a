package starloom

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/runs"
	"starloom/traces"
)

// StudyOptions say how a study is run. The rows are a function of Full and Case.
type StudyOptions struct {
	Full     bool   // all sizes, instead of those that take seconds
	Case     string // only cases whose names match this pattern of path.Match; "" for all
	Workers  int    // 0: all cores
	Plots    string // folder to which plots are written as SVG; "": none
	Orders   string // folder to which orders of gossip that were found are written; "": none
	Progress func(done, total int, what string)
}

// wants reports whether a case is to be run.
func (o *StudyOptions) wants(name string) bool {
	if o.Case == "" {
		return true
	}
	match, _ := path.Match(o.Case, name) // Study has checked the pattern
	return match
}

// StudyInfo describes a study.
type StudyInfo struct {
	Name  string
	Cases []string // how the names of its cases begin
	Doc   string
	Files []fabric.StudyFile

	run func(fabric.Runs) error
}

// interruptedError says how far an interrupted study came.
type interruptedError struct{ done, total int }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted after %d of %d runs", e.done, e.total)
}

// Studies lists the studies: those of all networks of scenario files.
func Studies() (infos []StudyInfo) {
	for _, n := range new(Fabric).kinds() {
		for _, s := range fabric.StudiesOf(n) {
			infos = append(infos, StudyInfo{Name: s.Name, Cases: s.Cases, Doc: s.Doc, Files: s.Files, run: s.Run})
		}
	}
	return infos
}

// Study runs a study by name. The verdict is pass when every row is within its
// tolerance. When ctx ends, the verdict is fail, and the report has the rows so far
// and a note.
func Study(ctx context.Context, name string, o StudyOptions) (*StudyReport, error) {
	studies := Studies()
	i := slices.IndexFunc(studies, func(s StudyInfo) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range studies {
			names = append(names, s.Name)
		}
		return nil, &InputError{
			Place: "study", Reason: fmt.Sprintf("there is no study %q", name), Remedy: "choose one of " + strings.Join(names, ", "),
		}
	}
	if _, err := path.Match(o.Case, ""); err != nil {
		return nil, &InputError{
			Place: "--case", Reason: fmt.Sprintf("%q is not a pattern", o.Case),
			Remedy: "write * for any text, for example '*n=1024'",
		}
	}
	runs := &studyRuns{ctx: ctx, options: o}
	defer runs.files.Abort()
	if err := runs.openFolders(&studies[i]); err != nil {
		return nil, err
	}
	err := studies[i].run(runs)
	if ctx.Err() != nil {
		err = &interruptedError{runs.done, runs.total}
	}
	rows := runs.rows
	if err == nil && len(rows) == 0 {
		return nil, &InputError{
			Place: "--case", Reason: fmt.Sprintf("no case of this size matches %q", o.Case),
			Remedy: "cases begin with " + strings.Join(studies[i].Cases, ", ") + "; some are of --full only",
		}
	}
	report := &StudyReport{Study: name, Verdict: VerdictPass, Rows: rows}
	var interrupted *interruptedError
	switch {
	case errors.As(err, &interrupted):
		report.Verdict, report.Notes, report.Aside.CutShort = VerdictFail, []string{err.Error()}, true
	case err != nil:
		return nil, err
	}
	if err := runs.files.Commit(); err != nil {
		return nil, err
	}
	if report.Files = runs.written; runs.folders != nil && len(report.Files) == 0 {
		report.Notes = append(report.Notes, "no files were written: the cases that were run have none")
	}
	for _, row := range rows {
		if !row.OK {
			report.Verdict = VerdictFail
		}
	}
	return report, nil
}

// studyRuns runs what a study asks for. It implements fabric.Runs.
type studyRuns struct {
	ctx         context.Context
	options     StudyOptions
	rows        []StudyRow
	done, total int

	folders map[fabric.StudyFile]string // where files go, by kind
	files   traces.Files
	written []OutputFile
}

// openFolders makes the folders of files before the runs: one that cannot be made is
// refused before a long study, not after it.
func (r *studyRuns) openFolders(s *StudyInfo) error {
	options := []struct {
		option, path string
		kind         fabric.StudyFile
	}{{"--svg", r.options.Plots, fabric.StudyPlot}, {"--orders", r.options.Orders, fabric.StudyOrders}}
	for _, f := range options {
		if f.path != "" && !slices.Contains(s.Files, f.kind) {
			return &InputError{Place: f.option, Reason: "study " + s.Name + " writes no such files", Remedy: "delete " + f.option}
		}
	}
	for _, f := range options {
		if f.path == "" {
			continue
		}
		if err := traces.MakeFolder(f.path); err != nil {
			return &InputError{Place: f.option, Reason: err.Error()}
		}
		if r.folders == nil {
			r.folders = map[fabric.StudyFile]string{}
		}
		r.folders[f.kind] = f.path
	}
	return nil
}

func (r *studyRuns) Writes(kind fabric.StudyFile) bool { return r.folders[kind] != "" }

func (r *studyRuns) File(kind fabric.StudyFile, name string, write func(io.Writer) error) error {
	folder := r.folders[kind]
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, name+string(kind))
	file, err := r.files.Create(path)
	if err != nil {
		return err
	}
	r.written = append(r.written, OutputFile{Kind: strings.TrimPrefix(string(kind), "."), Path: path})
	return write(file)
}

func (r *studyRuns) Context() context.Context { return r.ctx }

func (r *studyRuns) Tell(what string) {
	if r.options.Progress != nil {
		r.options.Progress(r.done, r.total, what)
	}
}

func (r *studyRuns) Full() bool             { return r.options.Full }
func (r *studyRuns) Wants(name string) bool { return r.options.wants(name) }
func (r *studyRuns) Plan(runs int)          { r.total += runs }
func (r *studyRuns) Add(row StudyRow)       { r.rows = append(r.rows, row) }

// scenario is the scenario of a setting.
func (r *studyRuns) scenario(x *fabric.Setting) *Scenario {
	s, shape := DefaultScenario(), x.Network.Shape()
	s.Name = fmt.Sprintf("study %s n=%d", x.Program, shape.Processors())
	s.Fabric.Custom = x.Network
	s.NIC = NIC{PayloadBytes: x.PayloadBytes, RXFrames: x.RxFrames, TXFrames: x.TxFrames}
	s.Firmware.Program, s.Firmware.Params, s.Workload, s.Stop.Slots = x.Program, x.Params, x.Workload, x.SlotsMax
	return s
}

func (r *studyRuns) Run(x *fabric.Setting) (*fabric.Outcome, error) {
	c, err := r.scenario(x).elaborate()
	if err != nil {
		return nil, err
	}
	m, err := emulator.New(r.ctx, c, emulator.Options{Engine: EngineSlot, Workers: r.options.Workers, RunTable: x.Table})
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
	outcome := &fabric.Outcome{Passed: report.Verdict == VerdictPass, Slots: report.Slots, Metrics: report.Metrics, Table: table}
	if !outcome.Passed {
		v := report.Violations[0]
		outcome.Broken = fmt.Sprintf("%s at cycle %d: %s", v.Rule, v.Cycle, v.Message)
	}
	return outcome, nil
}

func (r *studyRuns) Sample(x *fabric.Setting, count int, metric string) (*fabric.Sample, error) {
	values := outcome.Histogram{}
	b, err := r.scenario(x).batch(Seeds{1, uint64(count)}, emulator.Options{Engine: EngineSlot, Workers: r.options.Workers})
	if err != nil {
		return nil, err
	}
	name := b.Config.Name
	sample := &fabric.Sample{Runs: count, Counts: values, Sums: map[string]uint64{}, Lists: map[string]*fabric.SampleList{}}
	err = b.Each(r.ctx, func(run *runs.BatchRun, _ uint64) error {
		if !run.Finished {
			return fmt.Errorf("%s, seed %d: not done after %d slots", name, run.Seed, run.Report.Slots)
		}
		for _, m := range run.Report.Metrics {
			switch value := m.Value.(type) {
			case int:
				sample.Sums[m.Name] += uint64(value)
			case []int:
				if sample.Lists[m.Name] == nil {
					sample.Lists[m.Name] = new(fabric.SampleList)
				}
				sample.Lists[m.Name].Add(value)
			}
		}
		value, ok := outcome.Number64(run.Report.Metrics.Get(metric))
		if !ok {
			return fmt.Errorf("%s: no metric %s", name, metric)
		}
		values.Add(value)
		if run.Report.Verdict != VerdictPass {
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
