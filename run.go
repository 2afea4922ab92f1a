package starloom

import (
	"context"
	"errors"

	"starloom/fabric"
	"starloom/nic"
)

// RunOptions say how a run is executed and what it writes.
type RunOptions struct {
	MachineOptions
	VCD      string // waveform, with a .gtkw file beside it; "" for none
	PCAPNG   string // packet capture, with a .lua dissector beside it; "" for none
	Log      string // firmware log, "-" for standard output; "" for none
	Progress func(Progress)
}

// Progress says how far a run has come.
type Progress struct {
	Slots, SlotsLimit uint32
	Done, Processors  int
	Runs, RunsTotal   uint64 // permutation: all; else 0
}

// Run emulates a scenario and returns its report. Bad input is an *InputError.
// When ctx ends, the report says so and all files are valid as far as they go.
func Run(ctx context.Context, s *Scenario, o RunOptions) (report *Report, err error) {
	o.watched = o.VCD != ""
	o.capture = o.PCAPNG != ""
	if o.watched && o.Engine == EngineSlot {
		return nil, &InputError{Place: "--engine slot", Reason: "a waveform shows single cycles, which this engine does not have", Remedy: "use --engine cycle or auto"}
	}
	if s.Workload.Permutation.Kind == PermutationAll {
		if err := s.Check(); err != nil {
			return nil, err
		}
		return runAll(ctx, s, o)
	}
	m, err := NewMachine(context.WithoutCancel(ctx), s, o.MachineOptions)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	outputs, err := m.openOutputs(o)
	if err != nil {
		return nil, err
	}
	defer outputs.abort()
	if err := m.Run(ctx, func() error {
		if o.Progress != nil {
			o.Progress(Progress{Slots: m.slot, SlotsLimit: s.Stop.Slots, Done: m.done, Processors: m.pops.Processors()})
		}
		return outputs.slot(m)
	}); err != nil {
		return nil, err
	}
	report = m.Report()
	report.Files, err = outputs.commit(m, report)
	return report, err
}

// Run steps until the run has finished, its limit of slots is reached or ctx
// ends. each is called at every boundary, after the handlers; an error of it
// ends the run and is returned.
func (m *Machine) Run(ctx context.Context, each func() error) error {
	limit := m.scenario.Stop.Slots
	for !m.finished && !m.interrupted {
		last := m.slot >= limit
		if ctx.Err() != nil {
			m.interrupted, last = true, true
		}
		m.boundary(last)
		if each != nil {
			if err := each(); err != nil {
				return err
			}
		}
		if last || m.finished {
			break
		}
		m.cross()
	}
	return nil
}

// Report sums up the run so far.
func (m *Machine) Report() *Report {
	var frames fabric.Frames
	var held uint8
	var total uint64
	for i := range m.shards {
		l := &m.shards[i].ledger
		frames.Add(l.Frames)
		held = max(held, l.HeldMax)
		total += l.FindingsTotal
	}
	end := m.findings.clone()
	total += m.endFindings(&end)
	metrics := m.metrics(held)
	report := &Report{
		Schema:          ReportSchema,
		Scenario:        m.scenario.Name,
		Seed:            m.seed,
		Engine:          m.options.Engine,
		Verdict:         VerdictPass,
		Rules:           m.rules.checkedRules(),
		Violations:      end.kept,
		ViolationsTotal: total,
		Cycles:          uint64(m.slot) * uint64(m.timing.SlotCycles()),
		Slots:           uint64(m.slot),
		Frames: Frames{
			Sent: frames.Sent, Delivered: frames.Delivered, Collided: frames.Collided,
			CRC: frames.CRC, Overflow: frames.Overflow + frames.TxOverflow,
		},
		Metrics:  metrics,
		Firmware: FirmwareReport{Image: m.image.name, SHA256: m.image.sha256, Traps: m.traps},
		Digest:   m.digest.String(),
	}
	if total > 0 {
		report.Verdict = VerdictFail
	}
	return report
}

// steps returns the steps of the algorithm that the run took.
func (m *Machine) steps() int {
	per := m.scenario.slotsPerStep()
	return (int(m.slot) + per - 1) / per
}

// metrics are the figures of a POPS run.
func (m *Machine) metrics(held uint8) Metrics {
	var metrics Metrics
	metrics.Add("steps", m.steps())
	if m.carriesPackets() {
		delivered, lost := m.countPackets()
		metrics.Add("delivered", delivered)
		metrics.Add("lost", lost)
	}
	metrics.Add("packets_per_processor_max", int(held))
	return metrics
}

// carriesPackets reports whether the firmware routes the workload's packets: an
// image says so by its rules. Others use the fabric for something else.
func (m *Machine) carriesPackets() bool {
	return m.rules.ExactlyOnce || m.scenario.programRules().ExactlyOnce
}

// countPackets returns how many packets have reached their destination, and how
// many have not although their source is done with them.
func (m *Machine) countPackets() (delivered, lost int) {
	m.eachProcessor(func(processor int, flags uint8) {
		if m.delivery.Arrived[processor] > 0 {
			delivered++
		}
		if flags&nic.FlagDone != 0 && m.delivery.Arrived[m.delivery.Destination[processor]] == 0 {
			lost++
		}
	})
	return delivered, lost
}

// eachProcessor calls f for all processors in order.
func (m *Machine) eachProcessor(f func(processor int, flags uint8)) {
	for i := range m.shards {
		for _, instance := range m.shards[i].instances {
			bank := instance.Bank()
			for cell := range bank.Registers {
				f(bank.First+cell, bank.Registers[cell].Flags)
			}
		}
	}
}

// endFindings adds what only the end of a run can tell, and returns its number:
// an interruption, processors that are not done, packets that never arrived. A
// packet counts as missing when its source thinks it is delivered, or when the
// whole run has finished.
func (m *Machine) endFindings(v *violationList) (count uint64) {
	last := max(m.slot, 1) - 1
	if m.interrupted {
		count++
		v.add(Violation{Rule: RuleInterrupted, Cycle: m.timing.SlotCycle(m.slot), Slot: uint64(m.slot), Path: "pops", Message: "the run was interrupted"})
	}
	find := func(kind fabric.FindingKind, processor, origin int) {
		count++
		violation := m.violation(fabric.Finding{Kind: kind, Slot: last, Index: processor, Value: uint32(origin)})
		violation.Cycle = m.timing.SlotCycle(m.slot)
		v.add(violation)
	}
	if !m.finished {
		m.eachProcessor(func(processor int, flags uint8) {
			if flags&(nic.FlagDone|nic.FlagFaulty) == 0 {
				find(fabric.FindUnfinished, processor, 0)
			}
		})
	}
	if m.rules.ExactlyOnce {
		m.eachProcessor(func(origin int, flags uint8) {
			to := int(m.delivery.Destination[origin])
			if m.delivery.Arrived[to] == 0 && (m.finished || flags&nic.FlagDone != 0) {
				find(fabric.FindMissing, to, origin)
			}
		})
	}
	return count
}
