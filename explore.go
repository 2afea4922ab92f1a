package starloom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/explore"
	"starloom/internal/outputs"
	"starloom/internal/sweep"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// ExploreReport is the verdict on all runs within bounds.
type ExploreReport = outcome.Explored

// ExploreOptions control an exploration. Of these options, only UntilFails affects verdict, counts and schedule.
type ExploreOptions struct {
	Engine  string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers int    // threads; 0: one
	// raise the bounds of the requested kinds one by one, starting with one fault, until a rule breaks or a limit is
	// reached
	UntilFails bool
	Graph      bool // include the graph of states in the report, for at most 500 states
	// try runs for this many slots, guided by the states and branches that they show; 0: explore all runs
	Guide uint64
	// folder for the state of a search, which a later call with the same scenario, bounds and program continues; ""
	// for none
	Out string
	// the scenario of a schedule that breaks a rule
	Counterexample Output
	Pictured       bool                   // Draw the schedule for a page
	Progress       func(explore.Progress) // called after each slot; nil for none
}

// Explore runs the scenario through all choices of faults within the bounds of its key explore, by default one drop
// and one restart. It explores states: runs that reach the same state continue as one run. If a run breaks a rule,
// the report has the schedule with the fewest faults, then the fewest slots, confirmed by a run in both engines. If
// ctx ends, the verdict is open. Invalid input yields an *InputError.
func Explore(ctx context.Context, s *Scenario, o ExploreOptions) (*ExploreReport, error) {
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	var bounds explore.Bounds
	if s.Explore != nil {
		bounds = *s.Explore
	}
	whole := *s
	if latest := bounds.Latest(c); len(latest) > 0 { // a window that covers the packets wherever they are
		whole.Choices = s.withArrivals(latest)
		if c, err = whole.elaborate(); err != nil {
			return nil, err
		}
	}
	of := explore.Of
	if o.UntilFails {
		of = explore.Until
	}
	own := explore.Options{Engine: o.Engine, Workers: o.Workers, Progress: o.Progress, Branches: true, Graph: o.Graph,
		Guide: o.Guide}
	if o.Out != "" {
		if own.Saved, err = s.savedExploration(o.Out); err != nil {
			return nil, err
		}
	}
	r, err := of(ctx, c, bounds, own)
	if err != nil || r.Verdict != outcome.Fails {
		return r, err
	}
	if len(r.Arrivals) > 0 {
		t := *s.Workload.Traffic
		t.Measure = c.Traffic.Measure
		whole.Choices, whole.Workload.Traffic = s.Choices, &t
	}
	return r, whole.repeatSchedule(r, &o)
}

// withArrivals returns the choices of the scenario with the slots of packets.
func (s *Scenario) withArrivals(list []config.ChosenArrival) *config.Choices {
	if len(list) == 0 {
		return s.Choices
	}
	var own config.Choices
	if s.Choices != nil {
		own = *s.Choices
	}
	own.Arrivals = slices.Clone(own.Arrivals)
	own.Arrivals = append(own.Arrivals, list...)
	return &own
}

// savedExploration names a folder, and everything that determines a search except its bounds.
func (s *Scenario) savedExploration(folder string) (saved explore.Saved, err error) {
	saved.Folder = folder
	if saved.Program, err = sweep.ExecutableHash(); err != nil {
		return saved, err
	}
	one := *s
	one.Explore = nil
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %v\n", one.Hash(), s.RTL)
	for _, path := range s.Inputs() {
		data, err := os.ReadFile(path)
		if err != nil {
			return saved, input.Mistake(path, err.Error(), "give a file that can be read")
		}
		fmt.Fprintf(sum, "%s\n", traces.SHA256(data))
	}
	saved.Scenario = hex.EncodeToString(sum.Sum(nil))
	return saved, nil
}

// ExploreCommand returns the command that explores the scenario's file, "" for a scenario without a file.
func (s *Scenario) ExploreCommand() string {
	place, ok := s.file.places[""]
	if !ok {
		return ""
	}
	return "starloom explore " + s.fileWords(place, true) + s.inReport.given
}

// repeatSchedule runs the schedule of a report in both engines. It writes the scenario and draws the run.
func (s *Scenario) repeatSchedule(r *ExploreReport, o *ExploreOptions) error {
	keys, err := s.withSchedule(r, filepath.Dir(o.Counterexample.Path))
	if err != nil {
		return err
	}
	text, err := strict.WriteYAML(keys)
	if err != nil {
		return err
	}
	one, err := s.file.foreign.ParseScenario(filepath.Join(filepath.Dir(o.Counterexample.Path), "counterexample"), text)
	if err != nil {
		return err
	}
	engines := []string{EngineSlot, EngineCycle}
	if emulator.NoSlots(s.Fabric.network(), len(s.RTL) > 0) != nil {
		engines = engines[1:]
	}
	for _, engine := range engines {
		if err := repeats(r, one, engine); err != nil {
			return err
		}
	}
	if r.Repeat, err = s.repeatCommand(r, keys, o.Counterexample.Path); err != nil {
		return err
	}
	if o.Pictured {
		if err := s.drawSchedule(r, one); err != nil {
			return err
		}
	}
	return write(o.Counterexample, text)
}

func repeats(r *ExploreReport, one *Scenario, engine string) error {
	found, o := &r.Violations[0], RunOptions{}
	o.Engine = engine
	report, err := Run(context.Background(), one, o)
	if err != nil {
		return err
	}
	k := slices.IndexFunc(report.Violations, func(v outcome.Violation) bool {
		return v.Rule == found.Rule && v.Subject == found.Subject &&
			(v.Slot == found.Slot || v.Subject.Kind == fabric.FindMissing) // a run locates the loss
	})
	if k < 0 {
		return fmt.Errorf("the schedule of an exploration breaks %s in slot %d, but a run in engine %s does not", found.Rule,
			found.Slot, engine)
	}
	*found = report.Violations[k] // a run says more of the cause
	return nil
}

// repeatCommand returns the command that runs the schedule, "" for a scenario without a file.
func (s *Scenario) repeatCommand(r *ExploreReport, keys map[string]any, path string) (string, error) {
	if path != "" && path != "-" {
		return "starloom run " + outcome.ShellQuote(path), nil
	}
	command := s.runCommand()
	if r.Never != nil && command != "" {
		command += fmt.Sprintf(" --slots %d", r.Never.Shown)
	}
	if command == "" || keys["faults"] == nil && keys["choices"] == nil {
		return command, nil
	}
	command += fmt.Sprintf(" --seed %d", s.Seed)
	if len(r.Arrivals) > 0 {
		command += " --set " + outcome.ShellQuote("workload.traffic.measure="+s.Workload.Traffic.Measure.String())
	}
	for _, key := range []string{"faults", "choices"} {
		if keys[key] != nil {
			text, err := json.Marshal(keys[key])
			if err != nil {
				return "", err
			}
			command += " --set " + outcome.ShellQuote(key+"="+string(text))
		}
	}
	return command, nil
}

func write(to Output, text []byte) error {
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
	return errors.Join(err, out.Files.Commit())
}

// withSchedule returns the keys of the scenario with the faults of a report's schedule, for a file in a folder.
func (s *Scenario) withSchedule(r *ExploreReport, folder string) (keys map[string]any, err error) {
	document, err := s.document()
	if err != nil {
		return nil, err
	}
	if keys, err = strict.Keys(document); err != nil {
		return nil, err
	}
	s.moveFiles(keys, folder)
	delete(keys, "explore")
	if s.Explore != nil && len(s.Explore.Rules) > 0 {
		if keys["explore"], err = strict.Keys(explore.Bounds{Rules: s.Explore.Rules}); err != nil {
			return nil, err
		}
	}
	keys["name"], keys["seed"] = s.Name+"-counterexample", s.Seed
	if len(r.Draws)+len(r.ArbiterStart)+len(r.Arrivals) > 0 {
		var arrivals []config.ChosenArrival
		for _, x := range r.Arrivals {
			arrivals = append(arrivals, config.ChosenArrival{Packet: x.Packet, Slot: x.Slot})
		}
		choices := &config.Choices{}
		if given := s.withArrivals(arrivals); given != nil {
			*choices = *given
		}
		choices.Draws = slices.Clone(choices.Draws)
		for _, d := range r.Draws {
			choices.Draws = append(choices.Draws, config.ChosenDraws{Processor: d.Processor, Slot: d.Slot, Outcomes: d.Outcomes})
		}
		choices.ArbiterStart = slices.Clone(choices.ArbiterStart)
		for _, x := range r.ArbiterStart {
			choices.ArbiterStart = append(choices.ArbiterStart, config.ArbiterStart{Arbiter: x.Arbiter, First: x.First})
		}
		if keys["choices"], err = strict.Keys(choices); err != nil {
			return nil, err
		}
	}
	if len(r.Arrivals) > 0 {
		keys["workload"].(map[string]any)["traffic"].(map[string]any)["measure"] = s.Workload.Traffic.Measure.String()
	}
	if r.Permutation != nil {
		keys["workload"] = map[string]any{"permutation": r.Permutation}
	}
	if r.Never != nil {
		keys["stop"] = map[string]any{"slots": r.Never.Shown}
	}
	if len(r.Schedule) == 0 {
		return keys, nil
	}
	faults, _ := keys["faults"].(map[string]any)
	if faults == nil {
		faults = map[string]any{}
	}
	schedule, _ := faults["schedule"].([]any)
	if random, ok := faults["random"].(map[string]any); ok { // the random fault keeps its number, and therefore its draws
		if rate, ok := random["rate"]; ok {
			random["probability"] = rate
			delete(random, "rate")
			schedule = append(schedule, random)
			delete(faults, "random")
		}
	}
	faults["schedule"], keys["faults"] = append(schedule, scheduled(r.Schedule)...), faults
	return keys, nil
}

// scheduled groups faults by kind and target.
func scheduled(all []outcome.ExploredFault) (list []any) {
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

// moveFiles makes the paths of the scenario's files relative to another folder.
func (s *Scenario) moveFiles(value any, folder string) {
	moved := func(text string) string {
		if path := s.resolve(text); text != "" && slices.Contains(s.Inputs(), path) {
			if rel, err := filepath.Rel(folder, path); err == nil {
				return rel
			}
			return path // absolute, unlike the folder
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
