package starloom

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"starloom/firmware"
	"starloom/nic"
)

// FirmwareCheckOptions say how CheckFirmware looks.
type FirmwareCheckOptions struct {
	JSON Output // report, see FirmwareCheck.WriteJSON

	// Progress, if set, is called with what is done now.
	Progress func(what string)
}

// FirmwareCheck is what CheckFirmware has found.
type FirmwareCheck struct {
	Schema      int              `json:"schema"` // version of this form
	Scenario    string           `json:"scenario"`
	Seed        uint64           `json:"seed"`
	Firmware    FirmwareReport   `json:"firmware"` // of the first run
	Verdict     Verdict          `json:"verdict"`
	Runs        []CheckedRun     `json:"runs"`                 // ways to execute the scenario; the first is what the others are compared with
	NotCompared []string         `json:"not_compared"`         // for people: what was left out, and why
	Difference  *CheckDifference `json:"difference,omitempty"` // the first one
	Writes      []CheckWrite     `json:"writes"`               // what handlers have written that is not their processor's
	Watched     CheckWatched     `json:"watched"`
	Faults      []string         `json:"faults"` // for people: handlers that did not return in the run
}

// firmwareCheckSchema is the version of FirmwareCheck's JSON form.
const firmwareCheckSchema = 1

// CheckedRun is one way to execute the scenario.
type CheckedRun struct {
	Mode     string  `json:"mode"`
	Runtime  string  `json:"runtime"`
	Engine   string  `json:"engine"`
	Workers  int     `json:"workers"`
	BankSize int     `json:"bank_size"` // processors of a bank, or of a worker's part where each is isolated
	Slots    uint64  `json:"slots"`
	Verdict  Verdict `json:"verdict"` // of the run itself
	Digest   string  `json:"digest"`
	Same     bool    `json:"same"` // its report equals that of the first run
}

// text names a way to execute.
func (r *CheckedRun) text() string {
	workers := fmt.Sprintf("%d workers", r.Workers)
	if r.Workers == 1 {
		workers = "1 worker"
	}
	where := "banks of " + fmt.Sprint(r.BankSize)
	if r.Mode == ModeIsolated {
		where = "isolated"
	}
	return fmt.Sprintf("%s, %s, %s, engine %s", where, r.Runtime, workers, r.Engine)
}

// CheckWatched says how much of a banked run was watched, handler by handler.
type CheckWatched struct {
	Slots uint32 `json:"slots"` // whose handlers were watched, from the first one on
	Whole bool   `json:"whole"` // to the end of the run
}

// Bounds of what is done without being asked for: a check should take seconds.
const (
	isolatedProcessorsMax = 4096    // an instance for each takes memory
	slowCallsMax          = 1 << 20 // handlers of a run in the interpreter or with the engine cycle
	watchedProcessorsMax  = 1 << 16
	watchedBank           = 256     // processors: what is compared after each call is their memory
	watchedBytesMax       = 8 << 30 // of memory that is compared
	watchedTicks          = 1 << 8  // of a handler in a watched run
)

// CheckFirmware runs a scenario in all the ways that must not change what it finds - banked
// and isolated, compiler and interpreter, one worker and two, banks of several sizes, both
// engines - compares reports and explains the first difference, slot by slot. A banked run in
// which every handler is called alone finds what handlers write that is not their processor's.
// Bad input is an *InputError; when ctx ends, the error is that of ctx.
func CheckFirmware(ctx context.Context, s *Scenario, o FirmwareCheckOptions) (check *FirmwareCheck, err error) {
	if s.Workload.Permutation.Kind == PermutationAll {
		return nil, &InputError{Place: s.Place("workload.permutation"), Reason: "permutation: all is many runs, and one is checked", Remedy: "choose one of them, such as random or reverse"}
	}
	var out outputs
	defer out.abort()
	json, err := out.open("--json", "json", o.JSON)
	if err != nil {
		return nil, err
	}
	own := *s
	c := &firmwareChecker{ctx: ctx, scenario: &own, progress: o.Progress}
	if c.progress == nil {
		c.progress = func(string) {}
	}
	c.report = FirmwareCheck{Schema: firmwareCheckSchema, Scenario: s.Name, Seed: s.Seed, Verdict: VerdictPass,
		NotCompared: []string{}, Writes: []CheckWrite{}, Faults: []string{}}
	if len(own.RTL) > 0 {
		own.RTL = nil
		c.leave("RTL: the models run in its place (starloom cosim check compares the two)")
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if json != nil {
		if err := c.report.WriteJSON(json); err != nil {
			return nil, err
		}
	}
	return &c.report, out.files.Commit()
}

// firmwareChecker is a check that is going on.
type firmwareChecker struct {
	ctx      context.Context
	scenario *Scenario
	progress func(what string)
	report   FirmwareCheck
}

// leave notes what is not compared.
func (c *firmwareChecker) leave(what string) {
	c.report.NotCompared = append(c.report.NotCompared, what)
}

// check does all of it. A handler that does not return would keep all other runs: then
// nothing is compared.
func (c *firmwareChecker) check() error {
	c.progress("watches every handler of a banked run")
	endless, err := c.watch()
	if err != nil {
		return err
	}
	if endless {
		c.report.Verdict = VerdictFail
		c.leave("runs: a handler does not return")
		return nil
	}
	if err := c.compare(); err != nil {
		return err
	}
	if c.report.Difference != nil || slices.ContainsFunc(c.report.Writes, CheckWrite.harms) {
		c.report.Verdict = VerdictFail
	}
	return nil
}

// machine builds a machine for a way to execute.
func (c *firmwareChecker) machine(run *CheckedRun) (*Machine, error) {
	return c.machineWith(run.Mode, MachineOptions{Engine: run.Engine, Workers: run.Workers, BankSize: run.BankSize, Runtime: run.Runtime, audit: true})
}

func (c *firmwareChecker) machineWith(mode string, o MachineOptions) (*Machine, error) {
	s := *c.scenario
	s.Firmware.Mode = mode
	return NewMachine(c.ctx, &s, o)
}

// compare runs the scenario in all ways, and looks for the first difference between the
// first one and the first that differs from it.
func (c *firmwareChecker) compare() error {
	n := c.scenario.Processors()
	runs := []CheckedRun{{Mode: ModeBanked, Runtime: "compiler", Engine: EngineSlot, Workers: 1, BankSize: n}}
	if n <= isolatedProcessorsMax {
		runs = slices.Insert(runs, 0, CheckedRun{Mode: ModeIsolated, Runtime: "compiler", Engine: EngineSlot, Workers: 1, BankSize: n})
	} else {
		c.leave(fmt.Sprintf("mode isolated: %d processors are more than %d, and each would take an instance", n, isolatedProcessorsMax))
	}
	first, err := c.run(&runs[0])
	if err != nil {
		return err
	}
	c.report.Firmware = first.firmware
	runs = append(runs,
		CheckedRun{Mode: ModeBanked, Runtime: "compiler", Engine: EngineSlot, Workers: 2, BankSize: 1},
		CheckedRun{Mode: ModeBanked, Runtime: "compiler", Engine: EngineSlot, Workers: 2, BankSize: max(1, n/2)})
	if calls := (runs[0].Slots + 1) * uint64(n); calls <= slowCallsMax {
		runs = append(runs,
			CheckedRun{Mode: ModeBanked, Runtime: "interpreter", Engine: EngineSlot, Workers: 1, BankSize: n},
			CheckedRun{Mode: runs[0].Mode, Runtime: "interpreter", Engine: EngineSlot, Workers: 2, BankSize: max(1, n/2)},
			CheckedRun{Mode: ModeBanked, Runtime: "compiler", Engine: EngineCycle, Workers: 1, BankSize: n})
	} else {
		c.leave(fmt.Sprintf("interpreter and engine cycle: %d calls of handlers are more than %d; use a smaller network or end the run earlier with stop.slots", calls, slowCallsMax))
	}
	for i := range runs {
		if i > 0 {
			other, err := c.run(&runs[i])
			if err != nil {
				return err
			}
			runs[i].Same = bytes.Equal(first.text, other.text)
		}
	}
	runs[0].Same = true
	c.report.Runs = runs
	if k := slices.IndexFunc(runs, func(r CheckedRun) bool { return !r.Same }); k >= 0 {
		c.progress("looks for the first difference")
		return c.explain(&runs[0], &runs[k])
	}
	return nil
}

// outcome is what of a run must not depend on how it is executed.
type outcome struct {
	text     []byte
	firmware FirmwareReport
}

// run executes the scenario in one way.
func (c *firmwareChecker) run(run *CheckedRun) (result outcome, err error) {
	c.progress("runs " + run.text())
	m, err := c.machine(run)
	if err != nil {
		return outcome{}, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.Run(c.ctx, nil); err != nil {
		return outcome{}, err
	}
	if err := c.ctx.Err(); err != nil {
		return outcome{}, err
	}
	report := m.report()
	run.BankSize = min(m.shape.Units, (run.BankSize+m.shape.PerUnit-1)/m.shape.PerUnit) * m.shape.PerUnit
	run.Slots, run.Verdict, run.Digest = report.Slots, report.Verdict, report.Digest
	result.firmware = report.Firmware
	same := *report
	same.Engine, same.Firmware.BytesPerProcessor = "", 0
	var text bytes.Buffer
	if err := same.WriteJSON(&text); err != nil {
		return outcome{}, err
	}
	result.text = text.Bytes()
	return result, nil
}

// CheckWrite is something that a handler has changed and that is not its processor's.
type CheckWrite struct {
	Slot      uint32 `json:"slot"`      // the first in which it was seen
	Processor int    `json:"processor"` // whose handler, the first one
	Path      string `json:"path"`
	Count     int    `json:"count"` // handler calls that did it

	// One of these.
	Neighbour *int   `json:"neighbour,omitempty"` // the processor in whose part of the bank it was
	Shared    bool   `json:"shared,omitempty"`    // of the bank, and of no processor
	Variable  string `json:"variable,omitempty"`  // static variable, or what else is outside of the bank
	Global    string `json:"global,omitempty"`    // of WebAssembly
	Grown     int    `json:"grown_bytes,omitempty"`

	Column  string `json:"column,omitempty"` // of the bank, by its name in the register map
	Address uint32 `json:"address"`
	Before  string `json:"before,omitempty"` // bytes, in hex
	After   string `json:"after,omitempty"`
}

// harms reports whether a write can only be wrong. A static variable may hold what all
// processors may share; that it does harm shows in a difference.
func (w CheckWrite) harms() bool { return w.Neighbour != nil || w.Shared }

// checkWritesMax bounds the list of writes.
const checkWritesMax = 32

// watch runs the scenario banked, calls every handler alone and notes what it writes. endless
// says that one did not return.
func (c *firmwareChecker) watch() (endless bool, err error) {
	n := c.scenario.Processors()
	if n > watchedProcessorsMax {
		c.leave(fmt.Sprintf("writes of single handlers: %d processors are more than %d", n, watchedProcessorsMax))
		return false, nil
	}
	m, err := c.watched()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	slotBytes := 0
	for _, shard := range m.shards {
		for _, instance := range shard.instances {
			slotBytes += instance.Bank().Cells * len(instance.Memory())
		}
	}
	seen := map[string]int{} // place in the list of writes
	for compared := 0; !m.ended && compared < watchedBytesMax; compared += slotBytes {
		if err := c.ctx.Err(); err != nil {
			return false, err
		}
		if err := m.Step(); err != nil {
			return false, err
		}
		for _, shard := range m.shards {
			for _, instance := range shard.instances {
				for _, write := range instance.(*firmware.Watched).TakeWrites() {
					c.noteWrite(m, instance.Bank(), &write, seen)
				}
			}
		}
	}
	c.report.Watched = CheckWatched{Slots: m.slot, Whole: m.ended}
	for _, v := range m.findings.kept {
		if v.Rule == RuleTrap && m.host.Endless() {
			c.report.Faults = append(c.report.Faults, fmt.Sprintf("slot %d: %s: %s", v.Slot, v.Path, v.Message))
		}
	}
	return len(c.report.Faults) > 0, nil
}

// watched is a banked machine whose handlers are called one at a time, and end.
func (c *firmwareChecker) watched() (*Machine, error) {
	return c.machineWith(ModeBanked, MachineOptions{Engine: EngineSlot, Workers: 1, BankSize: min(watchedBank, c.scenario.Processors()), handlersWatched: true, handlerTicks: watchedTicks})
}

// noteWrite adds a write to the report, or to the count of those like it.
func (c *firmwareChecker) noteWrite(m *Machine, bank *nic.Bank, write *firmware.Write, seen map[string]int) {
	processor := bank.First + write.Cell
	w := CheckWrite{Slot: write.Slot, Processor: processor, Path: m.names.Processor(processor), Count: 1,
		Column: write.Column, Address: write.Address, Before: fmt.Sprintf("%x", write.Before), After: fmt.Sprintf("%x", write.After), Global: write.Global, Grown: write.Grown}
	switch {
	case write.Grown > 0 || write.Global != "":
	case write.Owner >= 0:
		neighbour := bank.First + write.Owner
		w.Neighbour = &neighbour
	case write.Column != "":
		w.Shared = true
	default:
		w.Variable = or(write.Variable, fmt.Sprintf("memory at %#x, which the image has no name for", write.Address))
	}
	key := fmt.Sprint(w.Neighbour != nil, w.Column, w.Variable, w.Global, w.Grown > 0)
	if k, ok := seen[key]; ok {
		c.report.Writes[k].Count++
		return
	}
	if len(c.report.Writes) < checkWritesMax {
		seen[key] = len(c.report.Writes)
		c.report.Writes = append(c.report.Writes, w)
	}
}
