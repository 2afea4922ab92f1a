package starloom

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/studies"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/runs"
	"starloom/internal/sweep"
	"starloom/traces/input"
)

// StudyOptions say how a study is run. The rows are a function of Full and Case.
type StudyOptions struct {
	Full     bool   // all sizes, instead of those that take seconds
	Case     string // only cases whose names match this pattern of path.Match; "" for all
	Workers  int    // 0: all cores
	Plots    string // folder to which plots are written as SVG; "": none
	Orders   string // folder to which orders of gossip that were found are written; "": none
	Pictures bool   // the report keeps the plots: a page shows them
	Progress func(done, total int, what string)
}

// SweepOptions say how a sweep is run. None of them changes what a run finds.
type SweepOptions = sweep.Options

// SweepProgress says how far a sweep has come.
type SweepProgress = sweep.Progress

// SweepReport says what of a sweep has been run; what was found is in its tables.
type SweepReport = sweep.Report

// StudyInfo describes a study.
type StudyInfo struct {
	Name  string
	Cases []string // how the names of its cases begin
	Doc   string
	Files []studies.StudyFile
}

// Studies lists the studies: those of all networks of scenario files.
func Studies() (infos []StudyInfo) { return Networks(nil).Studies() }

// Studies are those of these networks, too.
func (list Networks) Studies() (infos []StudyInfo) {
	for _, s := range list.studies() {
		infos = append(infos, StudyInfo{Name: s.Name, Cases: s.Cases, Doc: s.Doc, Files: s.Files})
	}
	return infos
}

func (list Networks) studies() (all []*studies.Study) {
	for _, n := range append(new(Fabric).kinds(), list...) {
		all = append(all, studies.StudiesOf(n)...)
	}
	return all
}

// Study runs a study by name. The verdict is pass when every row is within its
// tolerance. When ctx ends, the verdict is fail, and the report has the rows so far
// and a note.
func Study(ctx context.Context, name string, o StudyOptions) (*StudyReport, error) {
	return Networks(nil).Study(ctx, name, o)
}

// Study is Study with the studies of these networks.
func (list Networks) Study(ctx context.Context, name string, o StudyOptions) (*StudyReport, error) {
	s, err := list.study(name)
	if err != nil {
		return nil, err
	}
	return runs.Study(ctx, s, runs.StudyOptions(o), elaborateSetting)
}

// StudyCase is a case of a study that can be run alone: Only is its pattern.
type StudyCase = runs.StudyCase

// StudyCases are the cases of a study that match, in the order of its report. Nothing is run for that.
func (list Networks) StudyCases(ctx context.Context, name string, o StudyOptions) ([]StudyCase, error) {
	s, err := list.study(name)
	if err != nil {
		return nil, err
	}
	return runs.StudyCases(ctx, s, runs.StudyOptions(o), elaborateSetting)
}

func elaborateSetting(x *studies.Setting) (*config.Config, error) {
	return settingScenario(x).elaborate()
}

func (list Networks) study(name string) (*studies.Study, error) {
	found := list.studies()
	i := slices.IndexFunc(found, func(s *studies.Study) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range found {
			names = append(names, s.Name)
		}
		return nil, input.Mistake("study", fmt.Sprintf("there is no study %q", name),
			input.DidYouMean(name, names, "choose one of "+strings.Join(names, ", ")))
	}
	return found[i], nil
}

// Sweep runs the sweep file at path: a scenario at many points, each for some seeds. Results go to a folder,
// and what is there already is not run again. Bad input is an *InputError, and then nothing has been run.
// When ctx ends, the folder has what was run, and its tables stay as they were.
func Sweep(ctx context.Context, path string, o SweepOptions) (*SweepReport, error) {
	return Networks(nil).Sweep(ctx, path, o)
}

// Sweep is Sweep of scenarios that may name these networks.
func (list Networks) Sweep(ctx context.Context, path string, o SweepOptions) (*SweepReport, error) {
	return sweep.Run(ctx, path, o, func(place string, data []byte, set ...Assignment) (*sweep.Case, error) {
		s, err := list.ParseScenario(place, data, set...)
		if err != nil {
			return nil, err
		}
		b, err := s.batch(Seeds{s.Seed, s.Seed}, emulator.Options{})
		return &sweep.Case{Batch: b, Inputs: s.Inputs()}, err
	})
}

func settingScenario(x *studies.Setting) *Scenario {
	s, shape := DefaultScenario(), x.Network.Shape()
	s.Name = fmt.Sprintf("study %s n=%d", x.Program, shape.Processors())
	s.Fabric.Custom = x.Network
	s.NIC = NIC{PayloadBytes: x.PayloadBytes, RXFrames: x.RxFrames, TXFrames: x.TxFrames}
	s.Firmware.Program, s.Firmware.Params, s.Workload, s.Stop.Slots = x.Program, x.Params, x.Workload, x.SlotsMax
	return s
}
