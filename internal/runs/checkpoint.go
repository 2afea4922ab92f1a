package runs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/traces"
	"starloom/traces/input"
)

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
func openCheckpoints(m *emulator.Machine, o *Options, out *outputs.Set) (c *checkpoints, err error) {
	c = &checkpoints{path: o.Save, every: o.CheckpointEvery, at: o.BreakOn}
	if c.path == "" {
		switch {
		case c.every > 0:
			return nil, &input.Error{Place: "--checkpoint-every", Reason: "there is no file for the state", Remedy: "add --save F"}
		case c.at != Break{}:
			return nil, &input.Error{Place: "--break-on", Reason: "there is no file for the state", Remedy: "add --save F"}
		}
	}
	rules := m.Rules.Checked()
	if m.RTL != nil {
		rules = append(rules, fabric.RuleLateLight)
	}
	if err := c.at.check(rules); err != nil {
		return nil, err
	}
	if o.Restore != "" {
		if o.RunTableCSV.Given() || o.RunTableSVG.Given() {
			return nil, &input.Error{
				Place: "--run-table", Reason: "a run-table shows a run from its beginning, and a saved state does not have it",
				Remedy: "delete --restore, or --run-table",
			}
		}
		if err := restoreFile(m, o.Restore); err != nil {
			return nil, err
		}
		if what := c.at.reached(m); what != "" {
			return nil, &input.Error{
				Place: "--break-on", Reason: fmt.Sprintf("the state in %s, of slot %d, is already past %s", o.Restore, m.Slots(), what),
				Remedy: "give another place to stop, or none",
			}
		}
	}
	if c.path == "" {
		return c, nil
	}
	if m.RTL != nil { // not every simulator can save its state: say so before the run
		if err := m.Save(io.Discard); err != nil {
			return nil, &input.Error{Place: "--save", Reason: err.Error(), Remedy: "use the backend wasm, or delete --save"}
		}
	}
	c.file, err = out.OpenQuietly("--save", "state", outputs.File(c.path))
	return c, err
}

// restoreFile goes on from a file that Save wrote.
func restoreFile(m *emulator.Machine, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return &input.Error{Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, input.WithoutPath(err)), Remedy: "give a file that --save wrote"}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return &input.Error{Place: "--restore", Reason: path + " is not a regular file", Remedy: "give a file that --save wrote"}
	}
	if err := hw.CheckState(bufio.NewReader(file), info.Size()); err != nil {
		return &input.Error{Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, err), Remedy: "give a file that --save wrote"}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := m.Restore(bufio.NewReaderSize(file, 1<<20)); err != nil {
		return &input.Error{
			Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, err),
			Remedy: "restore it with the scenario, the firmware and the options with which it was saved",
		}
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
	*err = &input.Error{Place: "--restore", Reason: fmt.Sprintf("%s: what goes on from this state breaks: %v", path, value),
		Remedy: "give a file that --save wrote, as it was written; if it was, run without --restore, which tells whether Starloom is at fault"}
}

// run runs the machine to its end or its break, and writes the checkpoints on the way.
func (c *checkpoints) run(ctx context.Context, m *emulator.Machine, each func() error) error {
	for !m.Ended() && c.why == "" {
		err := m.Run(ctx, func() error {
			if err := each(); err != nil {
				return err
			}
			if !m.Ended() && (c.due(m) || c.at.reached(m) != "") {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
		if m.Ended() {
			return nil // to be saved, or interrupted
		}
		c.why = c.at.reached(m)
		if c.why == "" {
			err = c.write(m)
		} else {
			m.Paused, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// due reports whether a checkpoint is written before the slot that begins.
func (c *checkpoints) due(m *emulator.Machine) bool {
	return c.every > 0 && m.Slots() > 0 && m.Slots()%c.every == 0
}

// write replaces the saved state by that of the machine. A process that is killed leaves
// the one before.
func (c *checkpoints) write(m *emulator.Machine) error {
	file, err := traces.Create(c.path)
	if err != nil {
		return &input.Error{Place: "--save", Reason: err.Error()}
	}
	defer file.Abort()
	if err := m.Save(file); err != nil {
		return err
	}
	c.saved, c.slot = true, m.Slots()
	return file.Commit()
}

// finish saves the state at the end or at the break, among the run's other files, and says
// in the report what a break or an interruption leaves to do.
func (c *checkpoints) finish(m *emulator.Machine, report *outcome.Report, out *outputs.Set) error {
	if c.why != "" {
		report.Notes = append(report.Notes, fmt.Sprintf("the run stopped before slot %d, at %s; what only its end shows was not checked. "+
			"Go on with the same command without --break-on, and with --restore %s", m.Slots(), c.why, outcome.ShellQuote(c.path)))
	}
	if c.file == nil {
		return nil
	}
	if m.Interrupted {
		c.file.Abort()
		note := "no state was saved: the run was interrupted in the middle of a slot"
		if c.saved {
			note = fmt.Sprintf("go on with --restore %s, the state before slot %d", outcome.ShellQuote(c.path), c.slot)
		}
		report.Notes = append(report.Notes, note)
		return nil
	}
	out.Written = append(out.Written, outcome.OutputFile{Kind: "state", Path: c.path})
	return m.Save(c.file)
}
