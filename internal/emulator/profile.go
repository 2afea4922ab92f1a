package emulator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"starloom/firmware"
	"starloom/internal/outcome"
)

// Which call of a handler was the longest shows only the end of a run, and a profile of every
// call would cost much time. But a run is a function of its scenario and seed. So it is
// repeated up to that call, which then runs once more, from the same state, in a copy that tells
// of every source line.

// profiling is the call that is profiled while a run is repeated.
type profiling struct {
	processor int
	slot      uint32
	image     *firmware.Image   // the copy that tells of its lines
	profile   *firmware.Profile // of the call, once it has run
	err       error
}

// ProfileWorst repeats a run that has missed its budget, or of which a profile is wanted, and
// says in the report where the longest call of a slot handler has spent its cost. Where there is no
// profile, the report says why.
func (m *Machine) ProfileWorst(ctx context.Context, report *outcome.Report, wanted bool, each func() error) error {
	f := &report.Firmware
	if f.Cycles == nil || !wanted && (f.Overruns == nil || *f.Overruns == 0) {
		return nil
	}
	unknown, err := m.repeatWorst(ctx, report, each)
	if unknown != "" {
		report.Notes = append(report.Notes, "where the longest call has spent its cycles is not known: "+unknown)
	}
	return err
}

// repeatWorst puts the profile of the longest call into the report, or says why it cannot.
func (m *Machine) repeatWorst(ctx context.Context, report *outcome.Report, each func() error) (unknown string, err error) {
	const ended = "the run was repeated to find it, and ended before"
	cycles := report.Firmware.Cycles
	switch {
	case cycles.Worst == nil:
		return "no slot handler was called", nil
	case report.Aside.CutShort:
		return ended, nil
	case report.Interrupted() || report.ToolFailed():
		return "the run was not whole", nil
	}
	image, err := m.Host.LoadProfiled(m.Image.Name, m.metered, *m.Config.Firmware.CPU.Meter)
	if ctx.Err() != nil {
		report.Aside.CutShort = true
		return ended, nil
	}
	if err != nil {
		return "", err
	}
	p := &profiling{processor: int(cycles.Worst.Processor), slot: uint32(cycles.Worst.Slot), image: image}
	m.profiling = p
	defer func() { m.profiling = nil }()
	err = m.Repeat(ctx, report, nil, func() error {
		if p.profile != nil || p.err != nil {
			return errProfiled
		}
		return each()
	})
	switch {
	case ctx.Err() != nil:
		return ended, nil
	case err != nil && !errors.Is(err, errProfiled):
		return "", err
	case p.err != nil:
		return "", p.err
	case p.profile == nil:
		return ended, nil
	}
	if took := m.Meter.Cycles(uint32(p.profile.Cost)); !p.profile.Cut && took != cycles.Max {
		return fmt.Sprintf("the run was repeated to find it, and there it took %d cycles", took), nil
	}
	cycles.Worst.Profile = outcome.NewCallProfile(p.profile)
	return "", nil
}

// errProfiled ends the repeated run.
var errProfiled = errors.New("the call was profiled")

// take profiles the call, if it is one of those that an instance is about to make.
func (p *profiling) take(m *Machine, instance firmware.Instance, called []uint32) {
	if p == nil || m.slot != p.slot {
		return
	}
	bank := instance.Bank()
	cell := p.processor - bank.First
	if cell < 0 || !slices.Contains(called, uint32(cell)) {
		return
	}
	again, err := p.image.NewInstance(bank.BankConfig)
	if err == nil {
		err = again.SetState(instance.Memory(), instance.Globals())
	}
	if p.err = err; err == nil {
		p.profile = again.(firmware.Profiler).ProfileSlot(uint32(cell), m.slot)
	}
}
