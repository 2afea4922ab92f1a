package runs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
	"starloom/traces"
	"starloom/traces/input"
)

// checkpoints stops a run between two steps, to save its state or to end it.
type checkpoints struct {
	nothing
	file  *traces.File // file of the final state, nil for none
	saved bool         // the file has the state before slot
	slot  uint32
	why   string // reason of the break
}

var errStop = errors.New("stop")

func (p *checkpoints) begin(r *run) error {
	m, o := r.machine, r.options
	if err := o.checkSave(); err != nil {
		return err
	}
	rules := m.Config.Checked()
	if m.RTL != nil && m.Plant != nil {
		rules = append(rules, fabric.RuleLateLight)
	}
	if err := o.BreakOn.check(rules); err != nil {
		return err
	}
	if rule := o.BreakOn.Rule; m.Config.Bare() && slices.Contains(m.Rules.OfPackets(), rule) {
		return input.Mistake("--break-on", "without firmware "+rule+" is checked only when the run has ended",
			"break at the slot of the violation: --break-on slot=N")
	}
	if o.State.Restore != "" {
		if err := p.restore(m, o); err != nil {
			return err
		}
	}
	if o.State.Save != "" && m.RTL != nil { // some simulators cannot save their state: refuse before the run
		if err := m.Save(io.Discard); err != nil {
			return input.Mistake("--save-state", err.Error(), "use the backend wasm, or delete --save-state")
		}
	}
	return nil
}

func (o *Options) checkSave() error {
	const reason, remedy = "there is no file for the state", "add --save-state F"
	switch {
	case o.State.Save != "":
	case o.State.CheckpointEvery > 0:
		return input.Mistake("--checkpoint-every", reason, remedy)
	case o.BreakOn != Break{}:
		return input.Mistake("--break-on", reason, remedy)
	}
	return nil
}

func (p *checkpoints) restore(m *emulator.Machine, o *Options) error {
	if o.runTable() {
		return input.Mistake("--run-table",
			"a run-table shows a run from its beginning, which a saved state does not contain",
			"delete --restore, or --run-table")
	}
	if o.Packets.Given() && !m.Config.Bare() {
		return &input.Error{Place: "--packets", Reason: "a file of packets lists the packets of the whole run, but a " +
			"saved state " +
			"contains only packets in flight",
			Remedy: "delete --restore, or --packets"}
	}
	if err := restoreFile(m.Restore, o.State.Restore); err != nil {
		return err
	}
	return o.past(m.Slots(), m.Findings.Kept)
}

func (o *Options) past(slot uint32, found []outcome.Violation) error {
	what := o.BreakOn.reached(slot, found)
	if what == "" {
		return nil
	}
	return input.Mistake("--break-on",
		fmt.Sprintf("the state in %s, of slot %d, is already past %s", o.State.Restore, slot, what),
		"give another place to stop, or none")
}

func (p *checkpoints) open(r *run) (err error) {
	if r.options.State.Save != "" {
		p.file, err = r.out.OpenQuietly("--save-state", "state", outputs.File(r.options.State.Save))
	}
	return err
}

func restoreFile(restore func(io.Reader) error, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return &input.Error{Place: "--restore", Reason: fmt.Sprintf("%s: %v", path, input.WithoutPath(err)),
			Remedy: "give a file that --save-state wrote"}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return input.Mistake("--restore", path+" is not a regular file", "give a file that --save-state wrote")
	}
	if err := hw.CheckState(bufio.NewReader(file), info.Size()); err != nil {
		return input.Mistake("--restore", fmt.Sprintf("%s: %v", path, err), "give a file that --save-state wrote")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := restore(bufio.NewReaderSize(file, 1<<20)); err != nil {
		return input.Mistake("--restore", fmt.Sprintf("%s: %v", path, err),
			"restore it with the scenario, the firmware and the options with which it was saved")
	}
	return nil
}

// refuseBroken rejects a state with contradictory columns, which violates an invariant of the hardware.
func refuseBroken(path string, err *error) {
	value := recover()
	if value == nil {
		return
	}
	*err = &input.Error{Place: "--restore",
		Reason: fmt.Sprintf("%s: the run continued from this state breaks: %v", path, value),
		Remedy: "give an unmodified file that --save-state wrote; if the file is unmodified, a run without --restore " +
			"shows whether Starloom is at fault"}
}

func (p *checkpoints) run(ctx context.Context, r *run) error {
	m, o := r.machine, r.options
	progress := r.progress(r.config.Slots, false)
	for !m.Ended() && p.why == "" {
		m.Until = o.BreakOn.Slot
		if every := o.State.CheckpointEvery; every > 0 && (m.Until <= m.Slots() ||
			m.Until > m.Slots()-m.Slots()%every+every) {
			m.Until = m.Slots() - m.Slots()%every + every
		}
		err := m.Run(ctx, func() error {
			if err := progress(); err != nil {
				return err
			}
			if !m.Ended() && (o.due(m) || o.BreakOn.reached(m.Slots(), m.Findings.Kept) != "") {
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
		p.why = o.BreakOn.reached(m.Slots(), m.Findings.Kept)
		if p.why == "" {
			err = writeState(m.Save, o.State.Save)
			p.saved, p.slot = true, m.Slots()
		} else {
			m.Paused, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) due(m *emulator.Machine) bool {
	return o.State.CheckpointEvery > 0 && m.Slots() > 0 && m.Slots()%o.State.CheckpointEvery == 0
}

func writeState(save func(io.Writer) error, path string) error {
	file, err := traces.Create(path)
	if err != nil {
		return input.Refused("--save-state", err, "")
	}
	defer file.Abort()
	if err := save(file); err != nil {
		return err
	}
	return file.Commit()
}

func (o *Options) stopped(slot uint32, why string) string {
	return fmt.Sprintf("the run stopped before slot %d, at %s; rules that apply at its end were not checked. "+
		"To continue, use the same command without --break-on, and with --restore %s", slot, why,
		outcome.ShellQuote(o.State.Save))
}

func (p *checkpoints) end(r *run) error {
	m, path := r.machine, r.options.State.Save
	if p.why != "" {
		r.report.Notes = append(r.report.Notes, r.options.stopped(m.Slots(), p.why))
	}
	if p.file == nil {
		return nil
	}
	if m.Interrupted && m.Whole() {
		r.report.Notes = append(r.report.Notes,
			fmt.Sprintf("to continue, use --restore %s, the state before slot %d", outcome.ShellQuote(path), m.Slots()))
	} else if m.Interrupted {
		p.file.Abort()
		note := "no state was saved: the run was interrupted in the middle of a slot"
		if p.saved {
			note = fmt.Sprintf("to continue, use --restore %s, the state before slot %d", outcome.ShellQuote(path), p.slot)
		}
		r.report.Notes = append(r.report.Notes, note)
		return nil
	}
	r.out.Written = append(r.out.Written, outcome.OutputFile{Kind: "state", Path: path})
	return m.Save(p.file)
}
