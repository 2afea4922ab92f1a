package starloom

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/outcome"
	"starloom/nic"
	"starloom/traces"
)

// RunOptions say how a run is executed and what it writes. What shows one run only - VCD,
// PCAPNG, Log, a run-table - is refused for many.
type RunOptions struct {
	MachineOptions
	VCD      Output // waveform; EngineAuto takes EngineCycle for it
	GTKW     Output // save file that arranges it in GTKWave; beside VCD if that is a file
	PCAPNG   Output // packet capture
	Lua      Output // dissector for Wireshark and tshark; beside PCAPNG if that is a file
	Log      Output // what firmware logs: a line for each call of sl_log
	JSON     Output // report, see Report.WriteJSON
	JUnit    Output // report as JUnit XML
	CSV      Output // a table with a row for each run
	StatsCSV Output // a table with a row for each figure of the report

	// The survival curve of many runs with faults, with its intervals: SeedsReport.Survival.
	SurvivalCSV Output // a row for each point
	SurvivalSVG Output // a picture of it

	// Who did what in each step: a row for each processor, a column for each step. Not every
	// network and workload has a run-table.
	RunTableCSV Output // cells S3 (sent to 3; S3 S5 to both), R0 (received from 0), - (idle), ~ (blocked), without a header; of gossip on buses the number is that of the bus
	RunTableSVG Output // a picture of it

	// The state of the run, with which another process goes on: the report of the run is the
	// same. Traces start where it was restored.
	Save            string // file for the state at the end or at the break
	Restore         string // file of the state to begin with, of the same scenario, firmware, engine, bank size and mode
	CheckpointEvery uint32 // replace the file Save by the state every so many slots; 0: not
	BreakOn         Break  // stop before the end

	// What the handlers of one processor were told and did, a line for each call. They are called
	// again alone; what they do then must be the same, which is the rule RuleReplay.
	Replay          Output
	ReplayProcessor int

	// Where the longest call of a slot handler has spent its cost: a line for each stack, as flame
	// graph tools read it. For firmware.cpu with a model. The run is repeated for it.
	Profile Output

	// Progress, if set, is called often: at every boundary of one run, after every run of
	// many. It runs on the goroutine of the run, or one at a time, so it delays it.
	Progress func(Progress)
}

// Progress says how far a run has come.
type Progress struct {
	Slots, SlotsLimit uint32 // that have crossed, and after which the run ends at the latest
	Done, Processors  int    // processors that are done or faulty, of all
	Runs, RunsTotal   uint64 // of many runs; else 0
	Repeated          bool   // the run is repeated to find out more: where packets were lost, what faults have done, where the longest call has spent its cycles
}

func (o *RunOptions) record() RecordOptions {
	return RecordOptions{VCD: o.VCD, GTKW: o.GTKW, PCAPNG: o.PCAPNG, Lua: o.Lua, Log: o.Log}
}

// Run emulates a scenario and returns its report. Bad input is an *InputError; an output
// that cannot be written ends the run with its error. When ctx ends, the report says so,
// and it and all outputs end with the last whole slot, whatever the firmware does.
// Firmware that does not even get ready gives no report: then the error is that of ctx.
// With `permutation: all` every permutation is run, and the report sums up.
func Run(ctx context.Context, s *Scenario, o RunOptions) (report *Report, err error) {
	if o.Restore != "" {
		defer refuseBroken(o.Restore, &err)
	}
	o.watched = o.VCD.given()
	if o.watched && o.Engine == EngineSlot {
		return nil, errNoCycles("--engine slot")
	}
	if o.SurvivalCSV.given() || o.SurvivalSVG.given() {
		return nil, &InputError{Place: "--survival", Reason: "a survival curve needs many runs", Remedy: "give --seeds, for example --seeds 1..100"}
	}
	all := s.Workload.Permutation.Kind == PermutationAll
	b, err := s.batch(Seeds{s.Seed, s.Seed}, o.MachineOptions)
	if err != nil {
		return nil, err
	}
	var out outputs
	defer out.abort()
	if err := out.openReports(o); err != nil {
		return nil, err
	}
	t := newTally(all, out.rows)
	if all {
		report, err = runAll(ctx, b, o, t)
	} else if report, err = runOne(ctx, b.config, o, &out); err == nil {
		err = t.add(&batchRun{seed: report.Seed, report: report})
	}
	if err != nil {
		return nil, err
	}
	if report.Files, err = out.commitReports(report, t); err != nil {
		return nil, err
	}
	return report, nil
}

// runOne emulates one permutation and writes its traces.
func runOne(ctx context.Context, c *Config, o RunOptions, out *outputs) (report *Report, err error) {
	if o.Profile.given() && c.Firmware.CPU == nil {
		return nil, &InputError{Place: "--profile", Reason: "firmware.cpu has no model: handlers take no time", Remedy: "add cpu: {model: rv32-inorder} to the key firmware"}
	}
	machine := o.MachineOptions
	machine.RunTable = o.RunTableCSV.given() || o.RunTableSVG.given()
	if o.Replay.given() {
		if err := o.checkReplay(c); err != nil {
			return nil, err
		}
		machine.replay = o.ReplayProcessor + 1
	}
	m, err := newMachine(ctx, c, machine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	table := m.RunTable()
	if p := m.program; machine.RunTable && table == nil && p != nil && p.Workloads == nil {
		return nil, &InputError{Place: "--run-table", Reason: "the program " + p.Name + " has no run-table", Remedy: "delete the option"}
	}
	if machine.RunTable && table == nil {
		remedy := fmt.Sprintf("run a scenario with workload: {%s: %s} or {%s: %s}", fabric.WorkloadGossip, workloadExample[fabric.WorkloadGossip], fabric.WorkloadOneToAll, workloadExample[fabric.WorkloadOneToAll])
		if kind := c.Workload.Kind(); kind == fabric.WorkloadGossip || kind == fabric.WorkloadOneToAll {
			remedy = "delete the option"
		}
		return nil, &InputError{
			Place:  "--run-table",
			Reason: fmt.Sprintf("%s with the workload %s has no run-table", m.network.Kind(), c.Workload.Kind()),
			Remedy: remedy,
		}
	}
	points, err := m.openCheckpoints(&o, out)
	if err != nil {
		return nil, err
	}
	if o.Replay.given() && o.Restore != "" {
		if err := m.resumeReplay(); err != nil {
			return nil, err
		}
	}
	recording, err := m.record(o.record(), out)
	if err != nil {
		return nil, err
	}
	csv, err := out.open("--run-table", "run-table", o.RunTableCSV)
	if err != nil {
		return nil, err
	}
	svg, err := out.open("--run-table", "run-table", o.RunTableSVG)
	if err != nil {
		return nil, err
	}
	replay, err := out.openQuietly("--replay", "replay", o.Replay)
	if err != nil {
		return nil, err
	}
	folded, err := out.openQuietly("--profile", "profile", o.Profile)
	if err != nil {
		return nil, err
	}
	if err := points.run(ctx, m, func() error {
		if o.Progress != nil {
			o.Progress(Progress{Slots: m.slot, SlotsLimit: c.Slots, Done: m.done, Processors: m.shape.Processors()})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	report = m.report()
	m.attach(nil)
	if replay != nil {
		if err := m.writeReplay(replay, report); err != nil {
			return nil, err
		}
	}
	if err := points.finish(m, report, out); err != nil {
		return nil, err
	}
	if csv != nil {
		err = table.WriteCSV(csv)
	}
	if svg != nil {
		err = errors.Join(err, table.WriteSVG(svg))
	}
	if err != nil {
		return nil, err
	}
	repeated := func() error {
		if o.Progress != nil {
			o.Progress(Progress{Slots: m.slot, SlotsLimit: uint32(report.Slots), Done: m.done, Processors: m.shape.Processors(), Repeated: true})
		}
		return nil
	}
	if !m.paused { // these repeat the whole run
		if err := m.separate(ctx, report, repeated); err != nil {
			return nil, err
		}
		if err := m.locateLosses(ctx, report, repeated); err != nil {
			return nil, err
		}
		if err := recording.repeatWaveform(ctx, m, report, repeated); err != nil {
			return nil, err
		}
	}
	if err := m.profileWorst(ctx, report, folded, out, repeated); err != nil {
		return nil, err
	}
	return report, recording.finish(report.Violations, report.Cycles)
}

// Run steps until the run has finished, its limit of slots is reached or ctx ends; then
// it has ended, and another Run does nothing. each, if not nil, is called at every
// boundary, after the handlers; it may read whatever can be read between steps. An error of it
// is returned after the edge that ends the boundary, and the next Run or Step goes on from
// there. When ctx ends while handlers run, they are stopped, their boundary does not count,
// and the run has ended: that is not an error; the report says so.
func (m *Machine) Run(ctx context.Context, each func() error) error {
	if err := m.enterWhole("running"); err != nil {
		return err
	}
	defer m.leave()
	stop := new(atomic.Bool)
	m.stop = stop
	m.until(ctx)
	defer func() {
		m.stop = new(atomic.Bool)
		m.until(context.Background())
	}()
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	if !m.started {
		if err := m.start(ctx, each); err != nil {
			return err
		}
	}
	for !m.ended {
		if err := m.step(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

// Report sums up the run so far, as if it ended here: while it goes on, processors that
// are not done break the rule finishes. It looks at every processor; Violations does not.
// Of a machine that is closed it is the report of that moment.
func (m *Machine) Report() *Report {
	if m.closed {
		return m.final
	}
	return m.report()
}

// Violations returns what has broken a rule so far, without what only the end of a run
// can tell: the first ViolationsMax, and the first of every rule.
func (m *Machine) Violations() []Violation { return slices.Clone(m.findings.kept) }

// cycles returns the cycles that have passed, 0 before the end of slot 0.
func (m *Machine) cycles() uint64 { return uint64(m.slot) * uint64(m.timing.SlotCycles()) }

func (m *Machine) report() *Report {
	var frames fabric.Frames
	var held uint8
	var total uint64
	for i := range m.shards {
		l := &m.shards[i].ledger
		frames.Add(l.Frames)
		held = max(held, l.HeldMax)
		total += l.FindingsTotal
	}
	if m.rtlFailed {
		total++
	}
	end := m.findings.clone()
	count, missing := m.endFindings(&end)
	total += count
	var metrics Metrics
	metrics.Add("steps", m.steps())
	metrics = append(metrics, m.referee.Metrics(&fabric.End{Finished: m.finished, Slots: m.slot, NotArrived: m.notArrived, HeldMax: int(held)}, m.config.Known.Carries)...)
	if _, judged := m.referee.(fabric.Judge); m.image.results && !judged {
		metrics.Add("results", m.results.All())
	}
	report := &Report{
		Schema:          ReportSchema,
		Scenario:        m.config.Name,
		Seed:            m.seed,
		Engine:          m.options.Engine,
		Verdict:         VerdictPass,
		Rules:           m.rules.Checked(),
		Violations:      end.kept,
		ViolationsTotal: total,
		Cycles:          m.cycles(),
		Slots:           uint64(m.slot),
		Frames: Frames{
			Sent: frames.Sent, Delivered: frames.Delivered, Collided: frames.Collided,
			CRC: frames.CRC, Overflow: frames.Overflow + frames.TxOverflow, Blocked: frames.Blocked, Unheard: frames.Unheard(), Faulted: frames.Faulted,
		},
		Metrics:  metrics,
		Faults:   m.faultReports(),
		Firmware: FirmwareReport{Image: m.image.name, SHA256: m.image.sha256, Traps: m.traps, Mode: m.config.Firmware.Mode, Trusted: m.config.Firmware.Mode == ModeBanked, BytesPerProcessor: m.parkedBytes()},
		Notes:    slices.Clone(m.config.Known.Notes),
		Digest:   m.digest.String(),
		Aside:    outcome.Aside{Missing: missing},
	}
	if m.ended && !m.finished && m.slot >= m.config.Slots && count > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("the run ended at its limit of %s; stop.slots or --slots sets it", traces.Plural(m.slot, "slot", "slots")))
	}
	report.Notes = append(report.Notes, m.faultNotes()...)
	m.meterReport(&report.Firmware)
	report.NoteTrust(frames.OnTrust)
	if lost := m.results.Lost; lost > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("%s not in this report: %d is the most that is kept", traces.Plural(lost, "result of the firmware is", "results of the firmware are"), fabric.ResultsMax))
	}
	if len(m.image.recursive) > 0 {
		report.Notes = append(report.Notes, "the firmware has "+firmware.RecursionText(m.image.recursive))
	}
	if m.image.checked && m.meter != nil {
		report.Notes = append(report.Notes, outcome.NoteChecked)
	}
	if total > 0 {
		report.Verdict = VerdictFail
	}
	if m.rtl != nil {
		report.RTL, report.Aside.RTLCheck = m.rtl.report, m.rtlCheck()
		report.Notes = append(report.Notes, m.rtlNotes(total > 0 && !report.ToolFailed())...)
	}
	return report
}

// steps returns the steps of the algorithm that the run took.
func (m *Machine) steps() int {
	per := m.config.Known.SlotsPerStep
	return (int(m.slot) + per - 1) / per
}

// eachProcessor calls f for all processors in order, but for blocks of parked ones that are
// all done, without a fault and with nothing left to send.
func (m *Machine) eachProcessor(f func(bank *nic.Bank, cell int)) {
	for i := range m.shards {
		for k := range m.shards[i].blocks {
			if b := &m.shards[i].blocks[k]; !b.calm || b.wakes && b.next == m.slot+1 {
				bank := m.show(b).Bank()
				for cell := range bank.Registers {
					f(bank, cell)
				}
			}
		}
		for _, instance := range m.shards[i].instances {
			bank := instance.Bank()
			for cell := range bank.Registers {
				f(bank, cell)
			}
		}
	}
}

// endFindings adds what only the end of a run can tell, and returns its number:
// an interruption, processors that are not done or still want to send, and, once
// the run has finished, packets that never arrived; missing are those of them that are
// listed.
func (m *Machine) endFindings(v *violationList) (count uint64, missing []outcome.MissingPacket) {
	if m.rtlFailed || m.paused {
		return 0, nil // a run that RTL has ended, or a break, had no chance to finish
	}
	if m.interrupted { // no processor had a chance to get done
		v.add(Violation{Rule: RuleInterrupted, Cycle: m.timing.SlotCycle(m.slot), Slot: uint64(m.slot), Path: m.network.Kind(), Message: "the run was interrupted"})
		return 1, nil
	}
	find := func(f fabric.Finding) (kept bool) {
		count++
		if kept = v.wants(f.Kind.Rule()); kept {
			f.Slot = m.slot
			v.add(m.violation(f))
		}
		return kept
	}
	unfinished := func(bank *nic.Bank, cell int, why func(bank *nic.Bank, cell int) (text, cause string)) {
		f := fabric.Finding{Kind: fabric.FindUnfinished, Index: bank.First + cell}
		cause := ""
		if v.wants(RuleFinishes) { // of millions, a hundred are described
			f.Text, cause = why(bank, cell)
		}
		if find(f) {
			v.kept[len(v.kept)-1].Cause = cause
		}
	}
	if m.ending != nil {
		if !m.finished {
			m.ending.Unfinished(func(f fabric.Finding) {
				if f.Kind != fabric.FindUnfinished || !m.killed(f.Index) {
					find(f)
				}
			})
		}
		return count, missing
	}
	notDone, leftToSend := m.notDone, m.leftToSend
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		switch bank.Registers[cell].Flags & (nic.FlagDone | nic.FlagFaulty) {
		case 0:
			unfinished(bank, cell, notDone)
		case nic.FlagDone:
			if m.waitsForCredit(bank, cell) != "" {
				unfinished(bank, cell, leftToSend)
			}
		case nic.FlagFaulty:
			if !bank.Silenced(cell) {
				unfinished(bank, cell, ownFault)
			}
		}
	})
	if !m.finished && count == 0 {
		m.eachProcessor(func(bank *nic.Bank, cell int) {
			if bank.Registers[cell].TxCount > 0 {
				unfinished(bank, cell, leftToSend)
			}
		})
	}
	if m.finished && m.rules.ExactlyOnce {
		m.referee.Missing(func(f fabric.Finding) bool {
			if find(f) && f.Plain() {
				missing = append(missing, outcome.MissingPacket{Violation: len(v.kept) - 1, Origin: f.Value, Destination: uint32(f.Index)})
			}
			return true
		})
	}
	return count, missing
}

// notDone says that a processor was not done, and what has kept it.
func (m *Machine) notDone(bank *nic.Bank, cell int) (text, cause string) {
	const notDone = "was not done when the run ended"
	if what := m.waitsForCredit(bank, cell); what != "" {
		return notDone + ": it waits for " + what, CauseFaults
	}
	return notDone + m.waitsFor(bank, cell), ""
}

// leftToSend says that a processor was done with frames in its TX FIFO. Only faults lose the credits for which
// they wait.
func (m *Machine) leftToSend(bank *nic.Bank, cell int) (text, cause string) {
	text = fmt.Sprintf("was done and had %s left to send when the run ended", traces.Plural(uint64(bank.Registers[cell].TxCount), "frame", "frames"))
	if what := m.waitsForCredit(bank, cell); what != "" {
		return text + ": it waits for " + what, CauseFaults
	}
	return text, ""
}

func ownFault(*nic.Bank, int) (text, cause string) {
	return "set its own faulty flag and was not done", ""
}

// waitsForCredit says for which lost credit a processor waits, "" for none.
func (m *Machine) waitsForCredit(bank *nic.Bank, cell int) string {
	if credited, ok := m.transport.(fabric.Credited); ok && bank.Registers[cell].TxCount > 0 {
		if c := credited.Credits(); c != nil {
			return c.WaitsFor(bank, cell)
		}
	}
	return ""
}

// waitsFor says what keeps a processor that is not done, as far as its referee or its NIC knows.
func (m *Machine) waitsFor(bank *nic.Bank, cell int) string {
	registers := &bank.Registers[cell]
	if waiter, ok := m.referee.(fabric.Waiter); ok {
		var frame nic.FrameView
		if registers.TxCount > 0 {
			frame = bank.TxHead(cell)
		}
		listens := func(processor int) bool {
			other, its := m.processor(processor)
			return other.Listen(m.slot)[its] != nic.PortNone
		}
		if what := waiter.WaitsFor(bank.First+cell, frame, listens); what != "" {
			return ": it waits for " + what
		}
	}
	if more := uint32(registers.Wake - uint16(m.slot)); registers.Flags&nic.FlagSleeping != 0 && more > longSleep {
		return fmt.Sprintf(": it sleeps until slot %d, or until something comes", m.slot+more)
	}
	return ""
}

// longSleep is a sleep of so many slots that it may well be why a processor is not done.
const longSleep = 64
