package check

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
)

// limits of the default comparison, so that a check takes only seconds
const (
	isolatedProcessorsMax = 4096    // each processor requires the memory of an instance
	slowCallsMax          = 1 << 20 // number of handler calls of a run in the interpreter or the cycle engine
)

func (c *checker) compare() error {
	n := c.processors()
	runs := []Run{{Mode: c.mode(), Runtime: "compiler", Engine: c.engine(), Workers: 1, BankSize: n,
		Metered: c.config.Firmware.CPU != nil}}
	add := func(change func(r *Run)) { // skips duplicates
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
		c.leave("mode banked: the image contains a language runtime and serves one processor per instance")
	case n > isolatedProcessorsMax:
		c.leave(fmt.Sprintf("mode isolated: %d processors are more than %d, and each would need an instance",
			n, isolatedProcessorsMax))
	default:
		runs[0].Mode = config.ModeIsolated
	}
	first, err := c.run(&runs[0])
	if err != nil {
		return err
	}
	c.report.Firmware, c.report.Violations, c.report.ViolationsTotal = first.firmware,
		first.violations, first.violationsTotal
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

func (c *checker) oneMeter(first *outcome.FirmwareReport) string {
	switch {
	case c.config.Timing.ComputeCycles > 0:
		return "metered and unmetered: with firmware.cpu.budget_cycles, handlers may miss slots because of their cost"
	case c.config.Firmware.CPU != nil && first.Traps > 0:
		return "metered and unmetered: handlers trap, perhaps because of their cost"
	}
	return ""
}

// execution holds the results that must be independent of the way of execution.
type execution struct {
	text     []byte // encoded report
	costless []byte // report without handler costs
	firmware outcome.FirmwareReport

	violations      []outcome.Violation
	violationsTotal uint64
}

// comparable returns the comparable results; they include handler costs only if both runs have them.
func (o *execution) comparable(other *execution) (mine, theirs []byte) {
	if o.firmware.CPU != other.firmware.CPU {
		return o.costless, other.costless
	}
	return o.text, other.text
}

func (c *checker) run(run *Run) (result execution, err error) {
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
	if stack := same.Firmware.Stack; stack != nil {
		unlimited := *stack
		unlimited.Limit, same.Firmware.Stack = 0, &unlimited
	}
	same.Notes = slices.DeleteFunc(slices.Clone(same.Notes), func(note string) bool { return note == outcome.NoteChecked })
	if err := errors.Join(err, same.WriteJSON(&costless)); err != nil {
		return execution{}, err
	}
	result.text, result.costless = text.Bytes(), costless.Bytes()
	return result, nil
}
