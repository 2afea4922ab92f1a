package starloom

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"starloom/fabric/studies"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/runs"
	"starloom/internal/sweep"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// StudyOptions control a study. Its rows depend only on Full and Case.
type StudyOptions struct {
	Full     bool   // run all sizes instead of only the sizes that take seconds
	Case     string // path.Match pattern that selects cases by name; "": all
	Workers  int    // 0: all cores
	Plots    string // folder for plots as SVG; "": none
	Orders   string // folder for the orders of gossip that a study finds; "" for none
	Export   string // folder for the scenarios of the runs, by case; "" for none
	Pictures bool   // keep the plots in the report, for a page
	Progress func(done, total int, what string)
}

// SweepOptions control a sweep. They never change the result of a run.
type SweepOptions = sweep.Options

// SweepProgress is the progress of a sweep.
type SweepProgress = sweep.Progress

// SweepReport describes the state of a sweep. The tables contain the results.
type SweepReport = sweep.Report

// StudyInfo describes a study.
type StudyInfo struct {
	Name  string
	Cases []string // prefixes of the names of its cases
	Doc   string
	Files []studies.StudyFile
}

// Studies lists the studies of all built-in networks.
func Studies() (infos []StudyInfo) { return Networks(nil).Studies() }

// Studies is the function Studies, and includes the studies of these networks.
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

// Study runs the named study. The verdict is pass if every row is within its tolerance. If ctx ends, the verdict is
// fail, and the report has the finished rows and a note.
func Study(ctx context.Context, name string, o StudyOptions) (*StudyReport, error) {
	return Networks(nil).Study(ctx, name, o)
}

// Study is the function Study, and includes the studies of these networks.
func (list Networks) Study(ctx context.Context, name string, o StudyOptions) (*StudyReport, error) {
	s, err := list.study(name)
	if err != nil {
		return nil, err
	}
	return runs.Study(ctx, s, runs.StudyOptions(o), elaborateSetting, settingText)
}

// StudyCase is a case of a study that can run alone; Only is the pattern that selects it.
type StudyCase = runs.StudyCase

// StudyCases returns the matching cases of a study in report order, without running them.
func (list Networks) StudyCases(ctx context.Context, name string, o StudyOptions) ([]StudyCase, error) {
	s, err := list.study(name)
	if err != nil {
		return nil, err
	}
	return runs.StudyCases(ctx, s, runs.StudyOptions(o), elaborateSetting)
}

// settingText returns the scenario of a setting as a file.
func settingText(x *studies.Setting) ([]byte, error) {
	keys, err := settingScenario(x).keys()
	if err != nil {
		return nil, err
	}
	usual, err := strict.Keys(DefaultScenario())
	if err != nil {
		return nil, err
	}
	delete(usual, "starloom")
	if workload, _ := keys["workload"].(map[string]any); workload["permutation"] == "" {
		delete(workload, "permutation")
		if len(workload) == 0 {
			delete(keys, "workload")
		}
	}
	leaveOut(keys, usual)
	return strict.WriteYAML(keys)
}

// leaveOut deletes keys with their usual values, and objects that contain only such keys.
func leaveOut(keys, usual map[string]any) {
	for key, value := range keys {
		object, _ := value.(map[string]any)
		of, _ := usual[key].(map[string]any)
		some := len(object) > 0
		leaveOut(object, of)
		if some && len(object) == 0 || reflect.DeepEqual(value, usual[key]) {
			delete(keys, key)
		}
	}
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

// Sweep runs the sweep file at path: a scenario at many points, each with some seeds. Results go to a folder, and
// runs already stored there are not repeated. Invalid input yields an *InputError before the first run. If ctx ends,
// the folder contains the finished runs, and its tables are unchanged.
func Sweep(ctx context.Context, path string, o SweepOptions) (*SweepReport, error) {
	return Networks(nil).Sweep(ctx, path, o)
}

// Sweep is the function Sweep for scenarios that may name these networks.
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
