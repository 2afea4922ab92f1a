package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/meter"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// Options say how CheckFirmware looks.
type Options struct {
	JSON outputs.Output // report, see FirmwareCheck.WriteJSON

	Fuzz      int    // sequences of arbitrary input that are tried; 0 for none
	Reproduce string // folder for a scenario and an input that shows each of what they find; "" for none
	Replay    string // a file of it: only this sequence is tried

	// Progress, if set, is called with what is done now.
	Progress func(what string)
}

// Report is what CheckFirmware has found.
type Report struct {
	Schema      int                    `json:"schema"` // version of this form
	Scenario    string                 `json:"scenario"`
	Seed        uint64                 `json:"seed"`
	Firmware    outcome.FirmwareReport `json:"firmware"` // of the first run; without one, of the machine whose handlers were called
	Verdict     outcome.Verdict        `json:"verdict"`
	Runs        []Run                  `json:"runs"`                 // ways to execute the scenario; the first is what the others are compared with
	NotCompared []string               `json:"not_compared"`         // for people: what was left out, and why
	Difference  *Difference            `json:"difference,omitempty"` // the first one
	Writes      []Write                `json:"writes"`               // what handlers have written that is not their processor's
	Watched     Watched                `json:"watched"`
	Faults      []string               `json:"faults"` // for people: handlers that did not return in the run

	// What the first run has broken: a scenario that fails fails its check.
	Violations      []outcome.Violation `json:"violations"`
	ViolationsTotal uint64              `json:"violations_total"`

	Fuzzed    int           `json:"fuzzed"`     // sequences of arbitrary input that were tried
	FuzzCalls int           `json:"fuzz_calls"` // of handlers, by these
	GaveUp    int           `json:"gave_up"`    // of these sequences, those that have ended in sl_fail
	Fuzz      []FuzzFinding `json:"fuzz"`       // what handlers must not do, in the order in which it was found
	Branches  Branches      `json:"branches"`
	NotTried  []string      `json:"not_tried"` // for people: what no sequence has had
}

// Branches says how much of the firmware sequences of arbitrary input have reached: sides of
// branches, entries of functions and heads of loops.
type Branches struct {
	Reached int `json:"reached"`
	Image   int `json:"image"` // that the image has, start handlers and all
}

// schema is the version of FirmwareCheck's JSON form.
const schema = 2

// Run is one way to execute the scenario.
type Run struct {
	Mode     string          `json:"mode"`
	Runtime  string          `json:"runtime"`
	Engine   string          `json:"engine"`
	Workers  int             `json:"workers"`
	BankSize int             `json:"bank_size"` // processors of a bank, or of a worker's part where each is isolated
	Metered  bool            `json:"metered"`   // handlers cost something
	Slots    uint64          `json:"slots"`
	Verdict  outcome.Verdict `json:"verdict"` // of the run itself
	Digest   string          `json:"digest"`
	Same     bool            `json:"same"` // its report equals that of the first run
}

// Text names a way to execute.
func (r *Run) Text() string {
	where := "banks of " + fmt.Sprint(r.BankSize)
	if r.Mode == config.ModeIsolated {
		where = "isolated"
	}
	metered := ""
	if r.Metered {
		metered = ", metered"
	}
	return fmt.Sprintf("%s, %s, %s, engine %s%s", where, r.Runtime, traces.Plural(r.Workers, "worker", "workers"), r.Engine, metered)
}

// options are those of `starloom run` that execute a scenario in this way.
func (r *Run) options() string {
	text := fmt.Sprintf("--mode %s --runtime %s --workers %d --bank %d --engine %s", r.Mode, r.Runtime, r.Workers, r.BankSize, r.Engine)
	if r.Metered {
		text += ", firmware.cpu with a model"
	}
	return text
}

// Watched says how much of a banked run was watched, handler by handler.
type Watched struct {
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

// Firmware checks the firmware of what a scenario has become, in all the ways to run it.
func Firmware(ctx context.Context, own *config.Config, keys Keys, o *Options) (check *Report, err error) {
	if o.Reproduce != "" && (o.Fuzz <= 0 || o.Replay != "") {
		return nil, &input.Error{
			Place: "--reproduce", Reason: "no handler is called on arbitrary input that could find something",
			Remedy: "delete it, or --fuzz 0 and --replay",
		}
	}
	var out outputs.Set
	defer out.Abort()
	json, err := out.Open("--json", "json", o.JSON)
	if err != nil {
		return nil, err
	}
	models := *own
	c := &firmwareChecker{ctx: ctx, config: &models, keys: keys, progress: o.Progress}
	if c.progress == nil {
		c.progress = func(string) {}
	}
	c.report = Report{Schema: schema, Scenario: own.Name, Seed: own.Seed, Verdict: outcome.VerdictPass,
		NotCompared: []string{}, Writes: []Write{}, Faults: []string{}, Violations: []outcome.Violation{}, Fuzz: []FuzzFinding{}, NotTried: []string{}}
	if len(own.RTL) > 0 {
		models.RTL = nil
		c.leave("RTL: the models run in its place (starloom cosim check compares the two)")
	}
	if own.Firmware.Program == nil {
		c.alone = c.servesOne()
	}
	if err := c.check(o); err != nil {
		return nil, err
	}
	if json != nil {
		if err := c.report.WriteJSON(json); err != nil {
			return nil, err
		}
	}
	return &c.report, out.Files.Commit()
}

// firmwareChecker is a check that is going on.
type firmwareChecker struct {
	ctx      context.Context
	config   *config.Config // without RTL
	keys     Keys
	alone    bool // the image serves one processor per instance: nothing is banked
	progress func(what string)
	report   Report

	recursive []string // functions of the image that may call themselves
	unlisted  int      // findings that a full list had no room for
	repeats   int      // sequences that have found something
}

// servesOne reports whether the image serves one processor per instance. One that cannot be
// read is refused when a machine is built.
func (c *firmwareChecker) servesOne() bool {
	binary, err := c.imageBytes()
	if err != nil {
		return false
	}
	info, err := firmware.InspectImage(c.ctx, c.config.Firmware.Name, binary)
	return err == nil && info.Runtime
}

// processors is the size of the network.
func (c *firmwareChecker) processors() int { return c.config.Network.Shape().Processors() }

// unitCPU is a core on which every instruction costs 1, and no call is too long.
func unitCPU() *meter.CPU {
	costs, err := wasm.Table("unit", nil)
	if err != nil {
		panic(err) // it is one of the models
	}
	return &meter.CPU{Model: "unit", Meter: &wasm.Meter{Costs: costs, Limit: firmware.LimitMax}, Ratio: 1}
}

// leave notes what is not compared.
func (c *firmwareChecker) leave(what string) {
	c.report.NotCompared = append(c.report.NotCompared, what)
}

// check does all of it. A handler that does not return would keep all other runs: then
// nothing is compared.
func (c *firmwareChecker) check(o *Options) error {
	if o.Replay != "" {
		err := c.replay(o.Replay)
		c.conclude()
		return err
	}
	c.progress("watches every handler of a banked run")
	if err := c.watch(); err != nil {
		return err
	}
	if len(c.report.Faults) > 0 {
		c.conclude()
		c.leave("runs: a handler does not return")
		return nil
	}
	if err := c.compare(); err != nil {
		return err
	}
	if o.Fuzz > 0 {
		if err := c.fuzz(o); err != nil {
			return err
		}
	}
	c.conclude()
	return nil
}

// conclude sets the verdict.
func (c *firmwareChecker) conclude() {
	r := &c.report
	if len(r.Faults) > 0 || r.ViolationsTotal > 0 || r.Difference != nil ||
		slices.ContainsFunc(r.Writes, Write.fails) || slices.ContainsFunc(r.Fuzz, FuzzFinding.Fails) {
		r.Verdict = outcome.VerdictFail
	}
}

// machine builds a machine for a way to execute.
func (c *firmwareChecker) machine(run *Run) (*emulator.Machine, error) {
	own := *c.config
	own.Firmware.Mode = run.Mode
	if run.Metered != (own.Firmware.CPU != nil) { // which is not done where there is a budget
		own.Firmware.CPU = nil
		if run.Metered {
			own.Firmware.CPU = unitCPU()
		}
	}
	return emulator.New(c.ctx, &own, emulator.Options{Engine: run.Engine, Workers: run.Workers, BankSize: run.BankSize, Runtime: run.Runtime, Audit: true})
}

// compare runs the scenario in all ways, and looks for the first difference between the
// first one and the first that differs from it.
func (c *firmwareChecker) compare() error {
	n := c.processors()
	runs := []Run{{Mode: c.mode(), Runtime: "compiler", Engine: emulator.EngineSlot, Workers: 1, BankSize: n, Metered: c.config.Firmware.CPU != nil}}
	add := func(change func(r *Run)) { // unless a run is in the list
		run := runs[0]
		run.Mode = c.mode()
		change(&run)
		run.BankSize = c.wholeUnits(run.BankSize)
		if !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	switch {
	case c.alone:
		c.leave("mode banked: the image brings a runtime of its own, and serves one processor per instance")
	case n > isolatedProcessorsMax:
		c.leave(fmt.Sprintf("mode isolated: %d processors are more than %d, and each would take an instance", n, isolatedProcessorsMax))
	default:
		runs[0].Mode = config.ModeIsolated
	}
	first, err := c.run(&runs[0])
	if err != nil {
		return err
	}
	c.report.Firmware, c.report.Violations, c.report.ViolationsTotal = first.firmware, first.violations, first.violationsTotal
	if runs[0].Mode != c.mode() {
		add(func(*Run) {})
	}
	if !c.alone {
		add(func(r *Run) { r.Workers, r.BankSize = 2, 1 })
	}
	add(func(r *Run) { r.Workers, r.BankSize = 2, max(1, n/2) })
	if why := c.oneMeter(&first.firmware); why != "" {
		c.leave(why)
	} else {
		add(func(r *Run) { r.Metered = !r.Metered })
	}
	if calls := (runs[0].Slots + 1) * uint64(n); calls <= slowCallsMax {
		add(func(r *Run) { r.Runtime = "interpreter" })
		if runs[0].Mode != c.mode() {
			add(func(r *Run) {
				r.Mode, r.Runtime, r.Workers, r.BankSize = runs[0].Mode, "interpreter", 2, max(1, n/2)
			})
		}
		add(func(r *Run) { r.Engine = emulator.EngineCycle })
	} else {
		c.leave(fmt.Sprintf("interpreter and engine cycle: %d calls of handlers are more than %d; "+
			"use a smaller network or end the run earlier with stop.slots", calls, slowCallsMax))
	}
	runs[0].Same = true
	differs, reports := -1, [2][]byte{}
	for i := range runs[1:] {
		other, err := c.run(&runs[i+1])
		if err != nil {
			return err
		}
		a, b := first.comparable(&other)
		if runs[i+1].Same = bytes.Equal(a, b); !runs[i+1].Same && differs < 0 {
			differs, reports = i+1, [2][]byte{a, b}
		}
	}
	c.report.Runs = runs
	if differs > 0 {
		c.progress("looks for the first difference")
		return c.explain(&runs[0], &runs[differs], reports)
	}
	return nil
}

// wholeUnits rounds the size of a bank up, as a machine does.
func (c *firmwareChecker) wholeUnits(size int) int {
	shape := c.config.Network.Shape()
	return shape.WholeUnits(size) * shape.PerUnit
}

// mode is that of all runs but the first.
func (c *firmwareChecker) mode() string {
	if c.alone {
		return config.ModeIsolated
	}
	return config.ModeBanked
}

// oneMeter says why handlers cannot both cost something and nothing, "" if they can.
func (c *firmwareChecker) oneMeter(first *outcome.FirmwareReport) string {
	switch {
	case c.config.Timing.ComputeCycles > 0:
		return "metered and not: with firmware.cpu.budget_cycles, handlers may miss slots because of what they cost"
	case c.config.Firmware.CPU != nil && first.Traps > 0:
		return "metered and not: handlers trap, and may do so because of what they cost"
	}
	return ""
}

// execution is what of a run must not depend on how it is executed.
type execution struct {
	text     []byte // of the report
	costless []byte // of the report without what handlers cost
	firmware outcome.FirmwareReport

	violations      []outcome.Violation
	violationsTotal uint64
}

// comparable returns what must be equal of two: what handlers cost only if they cost something in
// both runs.
func (o *execution) comparable(other *execution) (mine, theirs []byte) {
	if o.firmware.CPU != other.firmware.CPU {
		return o.costless, other.costless
	}
	return o.text, other.text
}

// run executes the scenario in one way.
func (c *firmwareChecker) run(run *Run) (result execution, err error) {
	c.progress("runs " + run.Text())
	m, err := c.machine(run)
	if err != nil {
		return execution{}, err
	}
	defer func() { err = errors.Join(err, m.Release()) }()
	if err := m.Run(c.ctx, nil); err != nil {
		return execution{}, err
	}
	if err := c.ctx.Err(); err != nil {
		return execution{}, err
	}
	report := m.Sum()
	run.BankSize = c.wholeUnits(run.BankSize)
	run.Slots, run.Verdict, run.Digest = report.Slots, report.Verdict, report.Digest
	result.firmware, result.violations, result.violationsTotal = report.Firmware, report.Violations, report.ViolationsTotal
	c.recursive = m.Image.Recursive
	same := *report
	same.Engine, same.Firmware.BytesPerProcessor, same.Firmware.Mode, same.Firmware.Trusted = "", 0, "", false
	var text, costless bytes.Buffer
	err = same.WriteJSON(&text)
	same.Firmware.CPU, same.Firmware.Cycles, same.Firmware.StartCycles = "", nil, nil
	same.Notes = slices.DeleteFunc(slices.Clone(same.Notes), func(note string) bool { return note == outcome.NoteChecked })
	if err := errors.Join(err, same.WriteJSON(&costless)); err != nil {
		return execution{}, err
	}
	result.text, result.costless = text.Bytes(), costless.Bytes()
	return result, nil
}

// Write is something that a handler has changed and that is not its processor's.
type Write struct {
	Slot      uint32 `json:"slot"`      // the first in which it was seen
	Processor int    `json:"processor"` // whose handler, the first one
	Path      string `json:"path"`
	Count     int    `json:"count"` // handler calls that did it

	// One of these.
	Neighbour *int   `json:"neighbour,omitempty"`   // the processor in whose part of the bank it was
	Shared    bool   `json:"shared,omitempty"`      // of the bank, and of no processor
	Variable  string `json:"variable,omitempty"`    // static variable, or what else is outside of the bank
	Global    string `json:"global,omitempty"`      // of WebAssembly
	Grown     int    `json:"grown_bytes,omitempty"` // the memory, of all processors of the bank

	// Carries says of a static variable or a global that what a handler does depends on what another
	// one has left there. One that every call writes before it reads it does not fail the check.
	Carries bool `json:"carries,omitempty"`

	Column  string `json:"column,omitempty"` // of the bank, by its name in the register map
	Address uint32 `json:"address"`
	Before  string `json:"before,omitempty"` // bytes, in hex
	After   string `json:"after,omitempty"`
}

// Harms reports whether a write does harm by itself: a neighbour's memory is of another size, or
// holds something else, than if it were alone. That of a static variable shows in a difference,
// sooner or later.
func (w Write) Harms() bool { return w.Neighbour != nil || w.Shared || w.Grown > 0 }

// fails reports whether a write fails the check.
func (w Write) fails() bool { return w.Harms() || w.Carries }

// checkWritesMax bounds the list of writes outside of the bank.
const checkWritesMax = 32

// watch runs the scenario banked, calls every handler alone, and notes what it writes and whether
// it returns.
func (c *firmwareChecker) watch() (err error) {
	n := c.processors()
	if n > watchedProcessorsMax {
		c.leave(fmt.Sprintf("writes of single handlers: %d processors are more than %d", n, watchedProcessorsMax))
		return nil
	}
	m, err := c.watched(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Release()) }()
	slotBytes := 0
	for _, shard := range m.Shards {
		for _, instance := range shard.Instances {
			slotBytes += instance.Bank().Cells * len(instance.Memory())
		}
	}
	noted := writeNotes{kinds: map[firmware.WriteKind]int{}}
	endless := 0
	step := func() error { return m.Start(c.ctx, nil) }
	for compared := -slotBytes; !m.Ended() && compared < watchedBytesMax; compared += slotBytes {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
		step = m.Step
		for _, shard := range m.Shards {
			for _, instance := range shard.Instances {
				watched := instance.(*firmware.Watched)
				for _, e := range watched.TakeEndless() {
					if endless++; endless <= outcome.ViolationsMax {
						c.report.Faults = append(c.report.Faults, fmt.Sprintf("slot %d: %s: its handler traps in %s: %s",
							m.Slots(), m.Names.Processor(instance.Bank().First+e.Cell), eventPlace(&e), e.Text))
					}
				}
				writes, cut := watched.TakeWrites()
				if c.alone { // no one shares what it writes
					continue
				}
				noted.cut = noted.cut || cut
				for _, write := range writes {
					c.noteWrite(m, instance.Bank(), &write, &noted)
				}
			}
		}
	}
	for _, shard := range m.Shards {
		for _, instance := range shard.Instances {
			for kind, k := range noted.kinds {
				if k >= 0 && instance.(*firmware.Watched).Carries(kind) {
					c.report.Writes[k].Carries = true
				}
			}
		}
	}
	c.report.Watched = Watched{Slots: m.Slots(), Whole: m.Ended()}
	c.report.Firmware = m.Sum().Firmware
	if endless > outcome.ViolationsMax {
		c.leave(fmt.Sprintf("what else does not return: the list ends after %d handlers of %d", outcome.ViolationsMax, endless))
	}
	if noted.unlisted > 0 {
		c.leave(fmt.Sprintf("writes outside of the bank: the list ends after %d, and there are %d more", checkWritesMax, noted.unlisted))
	}
	if noted.cut {
		c.leave("what else is written outside of the bank: more is changed there than is noted")
	}
	return nil
}

// watched is a machine whose handlers are called one at a time, and end: banked, if the image
// can be. For arbitrary input, they note what they have reached.
func (c *firmwareChecker) watched(covered bool) (*emulator.Machine, error) {
	own := *c.config
	own.Firmware.Mode = c.mode()
	return emulator.New(c.ctx, &own, emulator.Options{Engine: emulator.EngineSlot, Workers: 1, BankSize: min(watchedBank, c.processors()),
		HandlersWatched: true, HandlersCovered: covered, HandlerTicks: watchedTicks})
}

// writeNotes are the kinds of writes that were seen.
type writeNotes struct {
	kinds    map[firmware.WriteKind]int // places in the list of writes, -1 for none
	unlisted int                        // that a full list had no room for
	cut      bool                       // there were more, unseen
}

// noteWrite adds a write to the report, or to the count of those like it. A full list has room
// for what does harm, of which there are few kinds.
func (c *firmwareChecker) noteWrite(m *emulator.Machine, bank *nic.Bank, write *firmware.Write, noted *writeNotes) {
	if k, ok := noted.kinds[write.WriteKind]; ok {
		if k >= 0 {
			c.report.Writes[k].Count += write.Calls
		}
		return
	}
	processor := bank.First + write.Cell
	w := Write{Slot: m.Slots(), Processor: processor, Path: m.Names.Processor(processor), Count: write.Calls,
		Column: write.Column, Address: write.Address, Before: fmt.Sprintf("%x", write.Before), After: fmt.Sprintf("%x", write.After),
		Global: write.Global, Grown: write.Grown}
	switch {
	case write.Grows || write.Global != "":
	case write.Neighbour:
		neighbour := bank.First + write.Owner
		w.Neighbour = &neighbour
	case write.Column != "":
		w.Shared = true
	default:
		w.Variable = cmp.Or(write.Variable, fmt.Sprintf("memory at %#x, which the image has no name for", write.Address))
	}
	if !w.Harms() && len(c.report.Writes) >= checkWritesMax {
		noted.unlisted++
		noted.kinds[write.WriteKind] = -1
		return
	}
	noted.kinds[write.WriteKind] = len(c.report.Writes)
	c.report.Writes = append(c.report.Writes, w)
}
