package starloom

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/explore"
	"starloom/internal/outputs"
	"starloom/traces/input/strict"
)

// ExploreReport is the verdict on all runs within bounds.
type ExploreReport = explore.Report

// ExploreOptions control an exploration. They do not change its verdict, counts or schedule.
type ExploreOptions struct {
	Engine  string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers int    // threads; 0: one
	// the scenario of a schedule that breaks a rule
	Counterexample Output
	Progress       func(explore.Progress) // called after each slot; nil for none
}

// Explore runs the scenario through all choices of faults within the bounds of its key explore, by default one drop
// and one restart. It explores states: two runs that reach one state are followed once. If a run breaks a rule, the
// report has the schedule with the fewest faults, then the fewest slots, and a run of both engines has repeated it.
// When ctx ends, the verdict is open. Bad input is an *InputError.
func Explore(ctx context.Context, s *Scenario, o ExploreOptions) (*ExploreReport, error) {
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	var bounds explore.Bounds
	if s.Explore != nil {
		bounds = *s.Explore
	}
	r, err := explore.Of(ctx, c, bounds, explore.Options{Engine: o.Engine, Workers: o.Workers, Progress: o.Progress})
	if err != nil || r.Verdict != explore.Fails {
		return r, err
	}
	return r, s.repeatSchedule(r, o.Counterexample)
}

// repeatSchedule runs the schedule of a report in both engines and writes the scenario.
func (s *Scenario) repeatSchedule(r *ExploreReport, to Output) error {
	text, one, err := s.withSchedule(r, to.Path)
	if err != nil {
		return err
	}
	found := &r.Violations[0]
	engines := []string{EngineSlot, EngineCycle}
	if emulator.NoSlots(s.Fabric.network(), len(s.RTL) > 0) != nil {
		engines = engines[1:]
	}
	for _, engine := range engines {
		o := RunOptions{}
		o.Engine = engine
		report, err := Run(context.Background(), one, o)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool {
			return v.Rule == found.Rule && v.Slot == found.Slot && v.Path == found.Path
		}) {
			return fmt.Errorf("the schedule of an exploration breaks %s in slot %d, and a run of engine %s does not", found.Rule,
				found.Slot, engine)
		}
	}
	if !to.Given() {
		return nil
	}
	var out outputs.Set
	defer out.Abort()
	file, err := out.Open("--output", "scenario", to)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	r.Counterexample = to.Path
	return errors.Join(err, out.Files.Commit())
}

// withSchedule returns the scenario with the faults of a report's schedule, and its text as a file at path.
func (s *Scenario) withSchedule(r *ExploreReport, path string) (text []byte, one *Scenario, err error) {
	keys, err := strict.Keys(s.document)
	if err != nil {
		return nil, nil, err
	}
	folder := filepath.Dir(path)
	s.moveFiles(keys, folder)
	delete(keys, "explore")
	keys["name"] = s.Name + "-counterexample"
	faults, _ := keys["faults"].(map[string]any)
	if faults == nil {
		faults = map[string]any{}
	}
	schedule, _ := faults["schedule"].([]any)
	faults["schedule"], keys["faults"] = append(schedule, scheduled(r.Schedule)...), faults
	if len(r.Schedule) == 0 && len(schedule) == 0 {
		delete(faults, "schedule")
	}
	if len(faults) == 0 {
		delete(keys, "faults")
	}
	if r.Permutation != nil {
		keys["workload"] = map[string]any{"permutation": r.Permutation}
	}
	if text, err = strict.WriteYAML(keys); err != nil {
		return nil, nil, err
	}
	one, err = s.foreign.ParseScenario(filepath.Join(folder, "counterexample"), text)
	return text, one, err
}

// scheduled groups faults by kind and target.
func scheduled(all []explore.Fault) (list []any) {
	type place struct{ kind, target string }
	at := map[place]map[string]any{}
	for _, f := range all {
		p := place{f.Kind, f.Target}
		slots := at[p]
		if slots == nil {
			slots = map[string]any{"list": []any{}}
			at[p] = slots
			list = append(list, map[string]any{"kind": f.Kind, "targets": []any{f.Target}, "slots": slots})
		}
		slots["list"] = append(slots["list"].([]any), f.Slot)
	}
	return list
}

// moveFiles rewrites the paths of the scenario's files to be relative to another folder.
func (s *Scenario) moveFiles(value any, folder string) {
	moved := func(text string) string {
		if path := s.resolve(text); text != "" && slices.Contains(s.Inputs(), path) {
			if rel, err := filepath.Rel(folder, path); err == nil {
				return rel
			}
		}
		return text
	}
	switch v := value.(type) {
	case map[string]any:
		for key, x := range v {
			if text, ok := x.(string); ok {
				v[key] = moved(text)
			} else {
				s.moveFiles(x, folder)
			}
		}
	case []any:
		for i, x := range v {
			if text, ok := x.(string); ok {
				v[i] = moved(text)
			} else {
				s.moveFiles(x, folder)
			}
		}
	}
}
