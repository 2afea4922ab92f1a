package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/referees"
	"starloom/nic"
)

// LocateLosses repeats a run with lost packets and adds to the report the place at which each listed packet was lost.
// It does nothing without losses. LocateLosses adds a note if ctx ends the repetition, or if the repetition differs
// from the run, for example because RTL depends on more than its inputs.
func (m *Machine) LocateLosses(ctx context.Context, report *outcome.Report, each func() error) error {
	if len(report.Aside.Missing) == 0 {
		return nil
	}
	m.losses = &losses{
		trails: map[uint32]*trail{}, shards: m.Shards, packets: referees.PacketsOf(m.Referee),
		names: m.Names, timing: m.timing, faults: m.faults, ports: uint16(m.Shape.Ports),
	}
	origins := make([]uint32, len(report.Aside.Missing))
	for i, p := range report.Aside.Missing {
		origins[i] = p.Origin
		m.losses.trails[p.Origin] = &trail{holder: -1, full: -1}
	}
	follow := fabric.NewFollow(m.Shape.Processors(), origins)
	m.setFollow(follow)
	defer func() { m.setFollow(nil) }()
	if err := m.Repeat(ctx, report, nil, each); err != nil {
		return err
	}
	switch {
	case m.Interrupted:
		report.Notes = append(report.Notes, "interrupted while the run was repeated to find where packets were lost")
	case m.Digest.String() != report.Digest:
		report.Notes = append(report.Notes, "the places where packets were lost are unknown: a repetition of the run gave "+
			"a different "+
			"digest")
	default:
		for _, p := range report.Aside.Missing {
			if p.Violation >= 0 {
				m.losses.locate(p, &report.Violations[p.Violation])
				continue
			}
			if !m.losses.taken(p) {
				continue // the packet may be in flight
			}
			v := outcome.Violation{Message: fmt.Sprintf("the packet of processor %d for processor %d", p.Origin, p.Destination)}
			m.losses.locate(p, &v)
			report.Aside.LastSeen = append(report.Aside.LastSeen, v)
			report.Notes = append(report.Notes, outcome.LastSeenNote(&v))
		}
		slices.SortStableFunc(report.Violations, func(a, b outcome.Violation) int { return cmp.Compare(a.Cycle, b.Cycle) })
	}
	report.Aside.Missing = nil
	return nil
}

func (m *Machine) setFollow(follow *fabric.Follow) {
	if follow == nil {
		m.losses = nil
	}
	for i := range m.Shards {
		m.Shards[i].Ledger.Follow = follow
	}
}

// Repeat repeats the run of a report from its beginning. watch, unless nil, is called every cycle.
func (m *Machine) Repeat(ctx context.Context, report *outcome.Report, watch func(cycle uint64) error,
	each func() error) error {
	if err := m.Restart(m.Seed); err != nil {
		return err
	}
	if m.Hardware != nil {
		m.Hardware.Watching().Watch = watch
	}
	err := m.Run(ctx, each)
	report.Aside.CutShort = report.Aside.CutShort || m.Interrupted
	if watch != nil {
		err = errors.Join(err, m.Hardware.Watching().WatchError)
	}
	return err
}

// ProfileWorst repeats a run that has exceeded its budget, or with wanted any run. It adds a cost profile of the
// longest slot-handler call to the report, or a note with the reason for its absence.
func (m *Machine) ProfileWorst(ctx context.Context, report *outcome.Report, wanted bool, each func() error) error {
	f := &report.Firmware
	if f.Cycles == nil || !wanted && (f.Overruns == nil || *f.Overruns == 0) {
		return nil
	}
	unknown, err := m.repeatWorst(ctx, report, each)
	if unknown != "" {
		report.Notes = append(report.Notes, "the cost profile of the longest call is unknown: "+unknown)
	}
	return err
}

func (m *Machine) repeatWorst(ctx context.Context, report *outcome.Report,
	each func() error) (unknown string, err error) {
	const ended = "a repetition of the run ended before this call"
	cycles := report.Firmware.Cycles
	switch {
	case cycles.Worst == nil:
		return "no slot handler was called", nil
	case report.Aside.CutShort:
		return ended, nil
	case report.Interrupted() || report.ToolFailed():
		return "the run was not whole", nil
	}
	image, err := m.Host.LoadProfiled(m.Image.Name, m.Image.metered, *m.Config.Firmware.CPU.Meter)
	if ctx.Err() != nil {
		report.Aside.CutShort = true
		return ended, nil
	}
	if err != nil {
		return "", err
	}
	p := &profiling{processor: int(cycles.Worst.Processor), slot: uint32(cycles.Worst.Slot), image: image}
	if p.from = p.slot; m.Meter.Resumes {
		p.from -= min(p.slot, uint32((cycles.Max-1)/m.Meter.Budget))
	}
	m.profiling = p
	defer func() { m.profiling = nil }()
	err = m.Repeat(ctx, report, nil, func() error {
		if p.done || p.err != nil {
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
	case !p.done:
		return ended, nil
	}
	if took := m.Meter.Cycles(uint32(p.profile.Cost)); !p.profile.Cut && took != cycles.Max {
		return fmt.Sprintf("in a repetition of the run the call took %d cycles", took), nil
	}
	cycles.Worst.Profile = outcome.NewCallProfile(p.profile)
	return "", nil
}

var errProfiled = errors.New("the call was profiled")

// Separate repeats a failed run without its faults to find the violations caused by faults.
func (m *Machine) Separate(ctx context.Context, report *outcome.Report, each func() error) error {
	if m.faults == nil || report.Verdict == outcome.VerdictPass || m.Interrupted || m.RTLFailed {
		return nil
	}
	m.ways = m.watchWays()
	m.faults.plan.Off = true
	m.eachBank((*nic.Bank).Unshrink)
	defer func() {
		m.Look(nil)
		m.faults.plan.Off = false
		m.eachBank(m.faults.shrink)
	}()
	if err := m.Repeat(ctx, report, nil, each); err != nil {
		return err
	}
	if m.Interrupted || m.RTLFailed {
		report.Notes = append(report.Notes, "the violations caused by faults are unknown: "+
			"a repetition of the run without faults did not finish")
		return nil
	}
	sound := m.Sum()
	report.Without = &outcome.WithoutFaults{
		Verdict: sound.Verdict, ViolationsTotal: sound.ViolationsTotal,
		Slots: sound.Slots, Frames: sound.Frames, Digest: sound.Digest,
	}
	outcome.NoteCauses(report, sound)
	return nil
}

// watchWays observes the next repetition to find the paths of a one-to-all message. It returns nil for other
// workloads, and if every processor has received the message.
func (m *Machine) watchWays() *ways {
	if m.Config.Workload.OneToAll == nil || referees.PacketsOf(m.Referee) != nil || !m.Config.Known.Carries {
		return nil
	}
	w := &ways{make([]int, m.Shape.Processors()), make([]heardAt, m.Shape.Processors()), map[int]bool{}, map[int]bool{}}
	m.Referee.Missing(func(f fabric.Finding) bool {
		w.missed[f.Index] = true
		if m.faults.killed(f.Index) {
			w.killed[f.Index] = true
		}
		return true
	})
	if len(w.missed) == 0 {
		return nil
	}
	for processor := range w.from {
		w.from[processor] = -1
	}
	m.Look(w)
	return w
}

// TellWays adds to the violation of each missed message the place at which its path was interrupted.
func (m *Machine) TellWays(report *outcome.Report) {
	if m.ways == nil {
		return
	}
	for i := range report.Violations {
		if v := &report.Violations[i]; v.Subject.Kind == fabric.FindMissing && v.Cause == outcome.CauseFaults {
			v.Message += m.ways.text(int(v.Subject.Value), v.Subject.Index, m.fate)
		}
	}
	m.ways = nil
}

func (m *Machine) fate(processor int, at heardAt) string {
	medium := m.Names.HeardOn(processor, at.port)
	switch effect, fault, _ := m.faults.plan.At(processor, at.port, at.slot); effect {
	case fabric.Missed:
		return fmt.Sprintf("in slot %d a fault made processor %d miss it", at.slot, processor)
	case fabric.Flipped:
		return fmt.Sprintf("in slot %d a fault %s", at.slot, m.faults.plan.FlipText(fault, medium, at.slot))
	case fabric.Dark:
		return fmt.Sprintf("in slot %d a fault made the path dark", at.slot)
	}
	return "was lost between them"
}
