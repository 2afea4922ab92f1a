package emulator

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/fabric/outcome"
	"starloom/fabric/referees"
	"starloom/fabric/stream"
	"starloom/fabric/traffic"
	"starloom/firmware/rv32"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/meter"
	"starloom/nic"
	"starloom/traces"
)

// rtlNotes suggests a command after a run whose RTL failed for reasons other than tools. A check of the scenario
// repeats the run's inputs; a check of a map uses random inputs.
func (m *Machine) rtlNotes(failed bool) (notes []string) {
	if m.RTL == nil || !failed {
		return nil
	}
	count := fmt.Sprintf("%d components of this run are", len(m.RTL.Report))
	if len(m.RTL.Report) == 1 {
		count = m.RTL.Report[0].Path + " of this run is"
	}
	if m.Config.Source.CheckCommand == "" { // not from a file
		return []string{count + " RTL: if it passes without the key rtl, find the first cycle in which RTL and model " +
			"differ with " + m.rtlCheck()}
	}
	notes = []string{fmt.Sprintf("%s RTL: %s finds the first cycle of this run in which RTL and model differ", count,
		m.rtlCheck())}
	if len(m.RTL.ChecksOwn) > 0 {
		notes = append(notes, "with random inputs, which cover more than the inputs of a run: `"+strings.Join(m.RTL.ChecksOwn,
			"` or `")+"`")
	}
	return notes
}

func (m *Machine) rtlCheck() string {
	if check := m.Config.Source.CheckCommand; check != "" {
		return "`" + check + "`"
	}
	return "`" + strings.Join(m.RTL.Checks, "` or `") + "`"
}

// RunTable returns the actions of each step so far, nil without Options.RunTable or without a table.
func (m *Machine) RunTable() fabric.RunTable {
	if tabled, ok := m.Referee.(fabric.Tabled); ok {
		return tabled.RunTable(m.slot)
	}
	return nil
}

// WritePackets writes all packets of traffic (Options.Packets), or all frames of other workloads at routers.
func (m *Machine) WritePackets(to io.Writer) error {
	if packets, ok := m.Referee.(traffic.Packets); ok {
		return packets.WritePackets(to)
	}
	return stream.StreamOf(m.transport).WritePackets(to)
}

// Harmed returns the effect of faults on a medium in a slot.
func (m *Machine) Harmed(medium int, slot uint32) fabric.Effect { return m.faults.harm(medium, slot) }

// FaultOn returns the fault that harmed a medium in a slot, and the flipped bit, -1 for none. A fault that made a
// processor miss the medium also counts. ok is false for none.
func (m *Machine) FaultOn(medium int, slot uint32) (number, bit int, ok bool) {
	if m.faults == nil {
		return 0, -1, false
	}
	effect, number := m.faults.plan.OnMedium(medium, slot)
	if effect == fabric.Flipped {
		return number, m.faults.plan.Bit(number, medium, slot), true
	}
	missed := effect == fabric.Unharmed && m.faults.plan.Misses()
	for processor := 0; missed && processor < m.Shape.Processors(); processor++ {
		if number, ok = m.faults.plan.MissedAt(processor, medium, uint16(m.Shape.Ports), slot); ok {
			return number, -1, true
		}
	}
	return number, -1, effect != fabric.Unharmed
}

func (m *Machine) faultReports() (reports []outcome.FaultReport) {
	if m.faults == nil {
		return nil
	}
	for i := range m.faults.plan.All {
		var sum fabric.FaultCount
		for k := range m.Shards {
			sum.Merge(&m.Shards[k].Ledger.FaultCounts[i])
		}
		kind := m.faults.plan.All[i].Kind
		report := outcome.FaultReport{Kind: fabric.FaultNames[kind], Count: sum.Count}
		if sum.Count > 0 {
			_, _, path := fabric.FaultTargets(m.Network, kind)
			if kind.OnMedia() && kind != fabric.FaultMiss {
				path = m.Names.Link
			}
			report.First = &outcome.FaultFirst{Cycle: m.timing.SlotCycle(sum.Slot), Slot: uint64(sum.Slot),
				Path: path(int(sum.Index))}
		}
		reports = append(reports, report)
	}
	return reports
}

// Measure adds the machine's measurements to measured. run is the number of the machine's run among several.
func (m *Machine) Measure(measured *meter.Measured, run uint64) {
	for i := range m.Shards {
		shard := m.Shards[i].meter.Measured // a copy, which shares only the counts
		shard.Start.Run, shard.Slot.Run = run, run
		measured.Merge(&shard)
	}
	own := meter.Measured{}
	if m.Meter != nil {
		own.Longest = m.Meter.Longest
	}
	if m.Image.riscV {
		own.Stacks = make([]uint32, m.Config.Network.Shape().Processors())
		for p := range own.Stacks {
			bank, cell := m.Cell(p)
			own.Stacks[p] = rv32.StackOf(bank.State(cell))
		}
	}
	measured.Merge(&own)
}

// Measures reports whether the machine measures handlers: their cycles, with a core, or their stacks.
func (m *Machine) Measures() bool { return m.Meter != nil || m.Image.riscV }

func (m *Machine) meterReport(r *outcome.FirmwareReport) {
	if m.Measures() {
		var x meter.Measured
		m.Measure(&x, 0)
		x.Report(r, m.Config.Firmware.CPU, m.Names)
	}
}

// ViolationsNow returns the violations so far. After the end of a run, it also returns violations that only the end
// reveals.
func (m *Machine) ViolationsNow() []outcome.Violation {
	if m.ended {
		return m.Sum().Violations
	}
	return m.Findings.Kept
}

// Bare returns the hardware of a machine without firmware, nil for other machines.
func (m *Machine) Bare() *stream.Bare { return m.bare }

// Loads returns the loads of channels between routers, nil without routers.
func (m *Machine) Loads() *stream.ChannelLoads {
	if m.bare != nil {
		return m.bare.Loads()
	}
	if s := stream.StreamOf(m.transport); s != nil {
		return s.Loads()
	}
	return nil
}

// Channels returns the channels of a network of routers, nil for other networks.
func (m *Machine) Channels() *hw.RouterNetwork {
	if m.bare != nil {
		return m.bare.Network()
	}
	if s := stream.StreamOf(m.transport); s != nil && !fabric.Slotted(m.Network) {
		return s.Network()
	}
	return nil
}

func (m *Machine) parkedBytes() int {
	if m.Parking == nil {
		return 0
	}
	return memoryParked + int(m.Image.stateBytes)
}

// Report summarises the run as if it ended now: in a running machine, unfinished processors violate the rule
// finishes. Unlike Violations, Report visits every processor. After Close it returns the report created by Close.
func (m *Machine) Report() *outcome.Report {
	if m.closed {
		return m.final
	}
	return m.Sum()
}

// Violations returns the first ViolationsMax violations so far, and the first violation of every rule.
func (m *Machine) Violations() []outcome.Violation { return slices.Clone(m.Findings.Kept) }

// Summed returns the digest of the run so far.
func (m *Machine) Summed() traces.Digest {
	if packets, ok := m.Referee.(*traffic.Bare); ok {
		return packets.Digest()
	}
	return m.Digest
}

func (v *violationList) sort() {
	slices.SortStableFunc(v.Kept, func(a, b outcome.Violation) int { return cmp.Compare(a.Cycle, b.Cycle) })
}

// Sum returns the report of a machine that is not closed.
func (m *Machine) Sum() *outcome.Report {
	frames, held, total := m.counts()
	end := m.Findings.clone()
	count, missing := m.endFindings(&end)
	total += count
	var metrics fabric.Metrics
	if m.bare == nil {
		metrics.Add("steps", m.Steps())
	}
	over := fabric.End{Finished: m.finished, Slots: m.slot, NotArrived: m.notArrived, HeldMax: int(held)}
	metrics = append(metrics, m.Referee.Metrics(&over, m.Config.Known.Carries)...)
	traffic.AddFrames(&metrics, m.Network, m.transport, m.Cycles())
	metrics = append(metrics, m.resultMetrics()...)
	report := &outcome.Report{
		Schema:          outcome.ReportSchema,
		Scenario:        m.Config.Name,
		Seed:            m.Seed,
		Engine:          m.options.Engine,
		Verdict:         outcome.VerdictPass,
		Rules:           m.Config.Checked(),
		Violations:      end.Kept,
		ViolationsTotal: total,
		Cycles:          m.Cycles(),
		Slots:           uint64(m.slot),
		Frames: outcome.Frames{
			Sent: frames.Sent, Delivered: frames.Delivered, Collided: frames.Collided,
			CRC: frames.CRC, Overflow: frames.Overflow + frames.TxOverflow,
			Blocked: frames.Blocked, Unheard: frames.Unheard(), Faulted: frames.Faulted,
		},
		Metrics: metrics,
		Faults:  m.faultReports(),
		Firmware: outcome.FirmwareReport{
			Image: m.Image.Name, SHA256: m.Image.SHA256, Traps: m.traps,
			Results: m.Image.resultNames, Mode: m.Config.Firmware.Mode, Trusted: m.Config.Firmware.Mode == config.ModeBanked,
			BytesPerProcessor: m.parkedBytes(),
		},
		Notes:  slices.Clone(m.Config.Known.Notes),
		Digest: m.Summed().String(),
		Beside: outcome.Beside{Provenance: m.Config.Source.Provenance,
			Aside: outcome.Aside{Missing: missing, Known: outcome.Known{Limits: m.limits()}}},
	}
	if m.limited() && count > 0 {
		report.Notes = append(report.Notes, outcome.LimitNote(uint64(m.slot)))
	}
	report.Notes = slices.Concat(report.Notes, m.routeNotes(report.Violations), m.lackNotes(report))
	for _, notes := range []func() []string{m.trafficNotes, m.flightNotes, m.faultNotes, m.deafNotes, m.leftNotes,
		m.emptyNotes, m.uncheckedNotes} {
		report.Notes = append(report.Notes, notes()...)
	}
	m.meterReport(&report.Firmware)
	report.Aside.Undecided = m.undecided()
	report.NoteTrust(frames.OnTrust)
	if lost := m.Results.Lost; lost > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("%s not in this report: the limit is %d",
			traces.Plural(lost, "result of the firmware is", "results of the firmware are"), fabric.ResultsMax))
	}
	report.Notes = append(report.Notes, m.imageNotes()...)
	if total > 0 {
		report.Verdict, report.Notes = outcome.VerdictFail,
			slices.Concat(report.Notes, m.usualNotes(report.Violations), m.overheardNotes(report.Violations))
	}
	if report.Aside.Killed = m.killed(); m.bare != nil {
		report.Firmware.Mode, report.Firmware.Trusted = "", false
		report.Aside.DigestCovers = "(packets sent and received, and the cycle of each)"
	}
	if m.RTL != nil {
		report.RTL, report.Aside.RTLCheck = m.RTL.Reports(), m.rtlCheck()
		report.Notes = append(report.Notes, m.RTL.BrokenNotes()...)
		report.Notes = append(report.Notes, m.rtlNotes(total > 0 && !report.ToolFailed())...)
	}
	return report
}

// counts returns the sums over the ledgers of all shards.
func (m *Machine) counts() (frames fabric.Frames, heldMax uint8, findings uint64) {
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		frames.Add(l.Frames)
		heldMax = max(heldMax, l.HeldMax)
		findings += l.FindingsTotal
	}
	if m.RTLFailed {
		findings++
	}
	return frames, heldMax, findings
}

func (m *Machine) limits() map[string]string {
	limits := m.Rules.Limits()
	if limit := limits[fabric.RuleResults]; limit != "" {
		judged := "not judged: the run was not over"
		if m.finished {
			judged = traces.Plural(m.Shape.Processors()-len(m.killed()), "processor judged", "processors judged")
		}
		limits[fabric.RuleResults] = limit + ": " + judged
	}
	if m.queues != nil && m.queues.Spared() > 0 {
		limits[fabric.RuleNoLoss] = fmt.Sprintf("only frames not lost to faults: %s lost to faults not judged",
			traces.Plural(m.queues.Spared(), "frame", "frames"))
	}
	if packets, ok := m.Referee.(traffic.Packets); ok {
		return packets.Limits(limits)
	}
	if limit := limits[fabric.RuleDeadline]; limit != "" {
		what := [2]string{"frame judged, from its queueing on", "frames judged, each from its queueing on"}
		if m.Config.Known.Carries {
			what = [2]string{"packet of the workload judged, no other frame", "packets of the workload judged, no other frames"}
		}
		limits[fabric.RuleDeadline] = limit + ": " + traces.Plural(m.deadlineJudged(), what[0], what[1])
		if !m.Config.Known.Carries && !m.Rules.NoLoss {
			limits[fabric.RuleDeadline] += "; no_loss would report a lost frame"
		}
	}
	return limits
}

func (m *Machine) judgeResults(find func(fabric.Finding) bool) {
	if m.Rules.Results != nil && m.finished {
		m.Rules.Results.Judge(&m.Results, m.Image.resultNames, m.Shape.Processors(), m.faults.killed,
			func(f fabric.Finding) { find(f) })
	}
}

func (m *Machine) resultMetrics() (metrics fabric.Metrics) {
	if !m.Image.results {
		return nil
	}
	rows, names := m.Results.All(), m.Image.resultNames
	if _, judged := m.Referee.(fabric.Judge); !judged && names == nil {
		metrics.Add("results", rows)
	} else if !judged {
		metrics.Add("results", outcome.NamedResults{Rows: rows, Names: names})
	}
	words := make([]outcome.Histogram, len(names))
	for k := range words {
		words[k] = outcome.Histogram{}
	}
	for _, row := range rows {
		if word := row[1]; word < uint64(len(words)) {
			words[word].Add(float64(int64(row[2])))
		}
	}
	for k, name := range names {
		s := words[k].Statistic("results." + name)
		metrics = append(metrics, s.Figures("processors")...)
	}
	return metrics
}

// Steps returns the number of algorithm steps of the run, rounded up.
func (m *Machine) Steps() int {
	per := m.Config.Known.SlotsPerStep
	return (int(m.slot) + per - 1) / per
}

// endFindings adds violations that only the end of a run reveals, and returns their number: an interruption,
// processors that are not done or still have frames to send, and in a finished run packets that never arrived.
// missing lists these packets.
func (m *Machine) endFindings(v *violationList) (count uint64, missing []outcome.MissingPacket) {
	if m.RTLFailed || m.Paused {
		return 0, nil // RTL or a break point has ended the run early
	}
	if m.Interrupted {
		v.add(outcome.Violation{
			Rule: outcome.RuleInterrupted, Cycle: m.timing.SlotCycle(m.slot), Slot: uint64(m.slot),
			Path: m.Network.Kind(), Message: "the run was interrupted",
		})
		return 1, nil
	}
	find := func(f fabric.Finding) (kept bool) {
		count++
		if kept = outcome.Wants(v.Kept, f.Kind.Rule()); kept {
			f.Slot = m.slot
			if f.Cycle > 0 {
				f.Slot = uint32(f.Cycle / uint64(m.timing.SlotCycles()))
			}
			v.add(violationOf(m.circumstances(), f))
		}
		return kept
	}
	if m.flying != nil {
		checks := m.checks()
		m.flying.AtEnd(&checks, func(f fabric.Finding) { find(f) })
	}
	m.judgeResults(find)
	unfinished := func(bank *nic.Bank, cell int, why func(bank *nic.Bank, cell int) (text, cause string)) {
		f := fabric.Finding{Kind: fabric.FindUnfinished, Index: bank.First + cell}
		cause := ""
		if outcome.Wants(v.Kept, fabric.RuleFinishes) { // only listed processors are described
			f.Text, cause = why(bank, cell)
		}
		if find(f) {
			v.Kept[len(v.Kept)-1].Cause = cause
		}
	}
	if m.ending != nil {
		m.notArrivedAtEnd(func(f fabric.Finding) { find(f) })
		if m.bare != nil {
			v.sort()
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
	if m.finished && m.Rules.ExactlyOnce {
		routed := referees.PacketsOf(m.Referee) != nil // otherwise no frames carry the missing packets
		m.Referee.Missing(func(f fabric.Finding) bool {
			if find(f) && f.Plain() && routed {
				missing = append(missing,
					outcome.MissingPacket{Violation: len(v.Kept) - 1, Origin: f.Value, Destination: uint32(f.Index)})
			}
			return true
		})
	}
	m.endDeadline(find)
	return count, missing
}

// notArrivedAtEnd yields missing parts of the workload. A finished run can lack parts only with traffic.
func (m *Machine) notArrivedAtEnd(yield func(fabric.Finding)) {
	if m.finished && m.offering == nil {
		return
	}
	m.ending.Unfinished(func(f fabric.Finding) {
		if f.Kind != fabric.FindUnfinished || !m.faults.killed(f.Index) {
			yield(f)
		}
	})
}

func (m *Machine) waitsForCredit(bank *nic.Bank, cell int) string {
	if bank.Registers[cell].TxCount == 0 { // the usual case
		return ""
	}
	if credited, ok := m.transport.(flow.Credited); ok {
		if c := credited.Credits(); c != nil {
			return c.WaitsFor(bank, cell)
		}
	}
	return ""
}

func (m *Machine) waitsFor(bank *nic.Bank, cell int) string {
	registers := &bank.Registers[cell]
	if waiter, ok := m.Referee.(fabric.Waiter); ok {
		var frame nic.FrameView
		if registers.TxCount > 0 {
			frame = bank.TxHead(cell)
		}
		listens := func(processor int) bool {
			other, its := m.Cell(processor)
			return other.Listen(m.slot)[its] != nic.PortNone
		}
		if what := waiter.WaitsFor(bank.First+cell, frame, listens); what != "" {
			return ": it waits for " + what
		}
	}
	if more := uint32(registers.Wake - uint16(m.slot)); registers.Flags&nic.FlagSleeping != 0 && more > longSleep {
		return fmt.Sprintf(": it sleeps until slot %d, or until a frame arrives", m.slot+more)
	}
	return ""
}

// longSleep is the minimum number of slots of a sleep that may explain an unfinished processor.
const longSleep = 64

func (m *Machine) notDone(bank *nic.Bank, cell int) (text, cause string) {
	const notDone = "was not done when the run ended"
	if what := m.waitsForCredit(bank, cell); what != "" {
		return notDone + ": it waits for " + what, outcome.CauseFaults
	}
	return notDone + m.waitsFor(bank, cell), ""
}

// leftToSend describes a processor that was done with frames left in its TX FIFO. Faults are the cause if the
// processor waits for credit.
func (m *Machine) leftToSend(bank *nic.Bank, cell int) (text, cause string) {
	text = fmt.Sprintf("was done and had %s left to send when the run ended",
		traces.Plural(uint64(bank.Registers[cell].TxCount), "frame", "frames"))
	if what := m.waitsForCredit(bank, cell); what != "" {
		return text + ": it waits for " + what, outcome.CauseFaults
	}
	return text, ""
}

func ownFault(*nic.Bank, int) (text, cause string) {
	return "set its own faulty flag and was not done", ""
}

// WriteLog writes the lines logged by firmware at the last boundary.
func (m *Machine) WriteLog(w io.Writer) error {
	return m.Log.write(w, m.circumstances(), m.Network.Kind(), m.slot)
}
