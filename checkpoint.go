package starloom

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
	"starloom/internal/outcome"
	"starloom/internal/strict"
	"starloom/traces"
	"starloom/traces/input"
)

// Break says where a run stops before its end. The zero value is nowhere.
type Break struct {
	Rule string // at the end of the boundary at which this rule is broken; RuleTrap for a trap
	Slot uint32 // before this slot, 1 to SlotsMax; 0: at no slot
}

// breakTrap is short for RuleTrap.
const breakTrap = "trap"

// ParseBreak reads slot=N, trap or the name of a rule. The error is an *InputError.
func ParseBreak(text string) (Break, error) {
	if number, ok := strings.CutPrefix(text, "slot="); ok {
		slot, err := strconv.ParseUint(number, 10, 32)
		if err != nil || slot < 1 || slot > SlotsMax {
			return Break{}, &InputError{Place: "--break-on", Reason: fmt.Sprintf("%q is not a slot", strict.Clip(number)), Remedy: fmt.Sprintf("allowed are 1 to %d", SlotsMax)}
		}
		return Break{Slot: uint32(slot)}, nil
	}
	if text == breakTrap {
		text = RuleTrap
	}
	return Break{Rule: text}, nil
}

// check refuses a rule that this run is not held to: nothing would ever stop it.
func (b Break) check(checked []string) error {
	if b.Rule == "" || slices.Contains(checked, b.Rule) {
		return nil
	}
	return &InputError{Place: "--break-on", Reason: fmt.Sprintf("the run is not held to a rule %q", strict.Clip(b.Rule)),
		Remedy: input.DidYouMean(b.Rule, checked, "write slot=N, trap, or one of "+strings.Join(checked, ", "))}
}

// reached says what has happened, "" if nothing has.
func (b Break) reached(m *Machine) string {
	switch {
	case b.Slot > 0 && m.slot >= b.Slot:
		return fmt.Sprintf("slot %d", b.Slot)
	case b.Rule != "" && slices.ContainsFunc(m.findings.kept, func(v Violation) bool { return v.Rule == b.Rule }):
		return "the first violation of " + b.Rule
	}
	return ""
}

// checkpoints are where a run stops between two steps, to save its state or for good.
type checkpoints struct {
	path  string // of the state
	file  *traces.File
	every uint32
	at    Break
	saved bool   // the path has the state of...
	slot  uint32 // ...the boundary before this slot
	why   string // the break has come
}

// errStop stops Machine.Run between two steps.
var errStop = errors.New("stop")

// openCheckpoints brings the machine to the state that is restored, and opens the file of
// the one that is saved.
func (m *Machine) openCheckpoints(o *RunOptions, out *outputs) (c *checkpoints, err error) {
	c = &checkpoints{path: o.Save, every: o.CheckpointEvery, at: o.BreakOn}
	if c.path == "" {
		switch {
		case c.every > 0:
			return nil, &InputError{Place: "--checkpoint-every", Reason: "there is no file for the state", Remedy: "add --save F"}
		case c.at != Break{}:
			return nil, &InputError{Place: "--break-on", Reason: "there is no file for the state", Remedy: "add --save F"}
		}
	}
	rules := m.rules.Checked()
	if m.rtl != nil {
		rules = append(rules, RuleLateLight)
	}
	if err := c.at.check(rules); err != nil {
		return nil, err
	}
	if o.Restore != "" {
		if o.RunTableCSV.given() || o.RunTableSVG.given() {
			return nil, &InputError{Place: "--run-table", Reason: "a run-table shows a run from its beginning, and a saved state does not have it", Remedy: "delete --restore, or --run-table"}
		}
		if err := m.restoreFile(o.Restore); err != nil {
			return nil, err
		}
		if what := c.at.reached(m); what != "" {
			return nil, &InputError{Place: "--break-on", Reason: fmt.Sprintf("the state in %s, of slot %d, is behind %s", o.Restore, m.slot, what), Remedy: "give another place to stop, or none"}
		}
	}
	if c.path == "" {
		return c, nil
	}
	if m.rtl != nil { // not every simulator can save its state: say so before the run
		if err := m.Save(io.Discard); err != nil {
			return nil, &InputError{Place: "--save", Reason: err.Error(), Remedy: "use the backend wasm, or delete --save"}
		}
	}
	c.file, err = out.openQuietly("--save", "state", File(c.path))
	return c, err
}

// restoreFile goes on from a file that Save wrote.
func (m *Machine) restoreFile(path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return &InputError{Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, input.WithoutPath(err)), Remedy: "give a file that --save wrote"}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return &InputError{Place: "--restore", Reason: path + " is not a regular file", Remedy: "give a file that --save wrote"}
	}
	if err := hw.CheckState(bufio.NewReader(file), info.Size()); err != nil {
		return &InputError{Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, err), Remedy: "give a file that --save wrote"}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := m.Restore(bufio.NewReaderSize(file, 1<<20)); err != nil {
		return &InputError{Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, err), Remedy: "restore it with the scenario, the firmware and the options with which it was saved"}
	}
	return nil
}

// refuseBroken refuses a state whose columns are all possible, and not together: what goes on from it has
// broken an invariant of the hardware. No run gets there by itself.
func refuseBroken(path string, err *error) {
	value := recover()
	if value == nil {
		return
	}
	*err = &InputError{Place: "--restore", Reason: fmt.Sprintf("%s: what goes on from this state breaks: %v", path, value),
		Remedy: "give a file that --save wrote, as it was written; if it was, run without --restore, which tells whether Starloom is at fault"}
}

// run runs the machine to its end or its break, and writes the checkpoints on the way.
func (c *checkpoints) run(ctx context.Context, m *Machine, each func() error) error {
	for !m.ended && c.why == "" {
		err := m.Run(ctx, func() error {
			if err := each(); err != nil {
				return err
			}
			if !m.ended && (c.due(m) || c.at.reached(m) != "") {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
		if m.ended {
			return nil // to be saved, or interrupted
		}
		c.why = c.at.reached(m)
		if c.why == "" {
			err = c.write(m)
		} else {
			m.paused, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// due reports whether a checkpoint is written before the slot that begins.
func (c *checkpoints) due(m *Machine) bool {
	return c.every > 0 && m.slot > 0 && m.slot%c.every == 0
}

// write replaces the saved state by that of the machine. A process that is killed leaves
// the one before.
func (c *checkpoints) write(m *Machine) error {
	file, err := traces.Create(c.path)
	if err != nil {
		return &InputError{Place: "--save", Reason: err.Error()}
	}
	defer file.Abort()
	if err := m.Save(file); err != nil {
		return err
	}
	c.saved, c.slot = true, m.slot
	return file.Commit()
}

// finish saves the state at the end or at the break, among the run's other files, and says
// in the report what a break or an interruption leaves to do.
func (c *checkpoints) finish(m *Machine, report *Report, out *outputs) error {
	if c.why != "" {
		report.Notes = append(report.Notes, fmt.Sprintf("the run stopped before slot %d, at %s; what only its end shows was not checked. Go on with the same command without --break-on, and with --restore %s", m.slot, c.why, outcome.ShellQuote(c.path)))
	}
	if c.file == nil {
		return nil
	}
	if m.interrupted {
		c.file.Abort()
		note := "no state was saved: the run was interrupted in the middle of a slot"
		if c.saved {
			note = fmt.Sprintf("go on with --restore %s, the state before slot %d", outcome.ShellQuote(c.path), c.slot)
		}
		report.Notes = append(report.Notes, note)
		return nil
	}
	out.written = append(out.written, OutputFile{Kind: "state", Path: c.path})
	return m.Save(c.file)
}

// refuseStates refuses what is about the state of one run. many says why there are many.
func (o *RunOptions) refuseStates(many, remedy string) error {
	for _, one := range []struct {
		option string
		given  bool
	}{
		{"--save", o.Save != ""}, {"--restore", o.Restore != ""}, {"--checkpoint-every", o.CheckpointEvery > 0}, {"--break-on", o.BreakOn != Break{}},
	} {
		if one.given {
			return &InputError{Place: one.option, Reason: "a state is that of one run, and " + many, Remedy: remedy}
		}
	}
	return nil
}
