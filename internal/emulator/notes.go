package emulator

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/referees"
	"starloom/fabric/traffic"
	"starloom/firmware"
	"starloom/nic"
	"starloom/traces"
)

func (m *Machine) killed() (dead []string) {
	if m.faults == nil { // spares a pass over all processors
		return nil
	}
	for processor := range m.Shape.Processors() {
		if m.faults.killed(processor) {
			dead = append(dead, m.Names.Processor(processor))
		}
	}
	return dead
}

func (m *Machine) faultNotes() []string {
	dead := m.killed()
	if len(dead) == 0 {
		return nil
	}
	rules := "the rule finishes leaves"
	if m.Rules.Results != nil {
		rules = "the rules finishes and results leave"
	}
	return []string{fmt.Sprintf("faults have killed %s, the first is %s: %s them out",
		traces.Plural(len(dead), "processor", "processors"), dead[0], rules)}
}

// deafNotes names processors that listen at no port while a frame waits for them. Outputs hold such a frame without
// loss.
func (m *Machine) deafNotes() []string {
	if !m.ended || m.finished || !m.Shape.NIC().Addressed { // addressed media have no parked processors
		return nil
	}
	deaf := make([]bool, m.Shape.Processors())
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		hears := false
		for column := range bank.ListenSlots() {
			hears = hears || bank.Listen(uint32(column))[cell] != nic.PortNone
		}
		deaf[bank.First+cell] = !hears && !m.faults.killed(bank.First+cell) && !bank.Silenced(cell)
	})
	count, note := 0, ""
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		if bank.Registers[cell].TxCount == 0 || bank.Silenced(cell) || !bank.Legal(cell, bank.TxHead(cell)) {
			return
		}
		to := bank.TxHead(cell).Destination()
		if to == nic.ListedDestination || !deaf[to] {
			return
		}
		deaf[to] = false
		if count++; count == 1 {
			note = fmt.Sprintf("processor %d listens at no port, although a frame of processor %d waits for "+
				"it", to, bank.First+cell)
		}
	})
	switch {
	case count == 0:
		return nil
	case count > 1:
		note += fmt.Sprintf("; the same holds for %s", traces.Plural(count-1, "other processor", "other processors"))
	}
	return []string{note + ": firmware hears only after sl_listen(nic, port)"}
}

const noted, packetsNoted = 3, 6

func (m *Machine) limited() bool {
	return m.ended && !m.finished && m.slot >= m.Config.Slots && (m.bare == nil || m.slot < m.Config.Traffic.Slots())
}

// undecided returns, by rule, the reason why the run does not decide the rule. Rules about results are undecided
// before the end of the run. exactly_once is undecided if packets are missing at the slot limit, because they may
// still arrive.
func (m *Machine) undecided() map[string]string {
	why := map[string]string{}
	if m.Rules.Results != nil && !m.finished {
		why[fabric.RuleResults] = "results are judged at the end of a run"
	}
	lacks := false
	if m.limited() && m.Rules.ExactlyOnce {
		lacks = m.ending != nil
		m.Referee.Missing(func(fabric.Finding) bool {
			lacks = true
			return false
		})
	}
	if lacks {
		why[fabric.RuleExactlyOnce] = fmt.Sprintf("the run ended at its limit of %s before all had arrived",
			traces.Plural(m.slot, "slot", "slots"))
	}
	if len(why) == 0 {
		return nil
	}
	return why
}

// lackNotes lists packets that had not arrived at the slot limit; they break no rule by themselves. If faults
// destroyed frames of a failed run, lackNotes marks the packets for LocateLosses.
func (m *Machine) lackNotes(r *outcome.Report) []string {
	if !m.limited() || !m.Config.Known.Carries || m.ending != nil {
		return nil
	}
	count := 0
	var names []string
	lost := r.ViolationsTotal > 0 && m.faults != nil && r.Frames.Faulted+r.Frames.CRC+r.Frames.Overflow > 0 &&
		referees.PacketsOf(m.Referee) != nil
	m.Referee.Missing(func(f fabric.Finding) bool {
		if count++; count <= packetsNoted {
			names = append(names, fmt.Sprintf("that of processor %d for processor %d", f.Value, f.Index))
			if lost && f.Plain() {
				r.Aside.Missing = append(r.Aside.Missing,
					outcome.MissingPacket{Violation: -1, Origin: f.Value, Destination: uint32(f.Index)})
			}
		}
		return true
	})
	if count == 0 {
		return nil
	}
	so := ""
	if m.Rules.ExactlyOnce {
		so = ", so exactly_once is not decided"
	}
	return []string{fmt.Sprintf("%s not arrived when the run ended%s: %s",
		traces.Plural(count, "packet had", "packets had"), so, list(names, count))}
}

func (m *Machine) trafficNotes() []string {
	r, ok := m.Referee.(traffic.Packets)
	if !ok {
		return nil
	}
	var notes []string
	if lost := r.Lost(); lost > 0 && !m.Rules.NoLoss && !m.Rules.ExactlyOnce {
		notes = append(notes, fmt.Sprintf("%s lost, and no rule forbids it; add no_loss: true to the rules if none may be",
			traces.Plural(lost, "measured packet was", "measured packets were")))
	}
	return append(notes, r.Notes()...)
}

func (m *Machine) flightNotes() []string {
	if !m.ended || !m.Rules.NoLoss || m.flying == nil || m.flying.InFlight() == 0 {
		return nil
	}
	return []string{traces.Plural(m.flying.InFlight(), "frame was",
		"frames were") + " in flight when the run ended: not lost, and not judged by no_loss"}
}

func list(names []string, count int) string {
	text := strings.Join(names, ", ")
	if more := count - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (m *Machine) leftNotes() []string {
	if !m.finished && !m.limited() || m.Config.Firmware.Program != nil {
		return nil
	}
	frames, processors := 0, 0
	var names []string
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		left := int(bank.Registers[cell].RxCount)
		if left == 0 || bank.Silenced(cell) || m.faults.killed(bank.First+cell) {
			return
		}
		frames += left
		if processors++; processors <= noted {
			names = append(names, fmt.Sprintf("%s: %d", m.Names.Processor(bank.First+cell), left))
		}
	})
	if frames == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s never taken from the RX FIFO by firmware (%s)",
		traces.Plural(frames, "frame was", "frames were"), list(names, processors))}
}

func (m *Machine) armedSlots() (count uint32) {
	for slot := range min(m.slot, uint32(len(m.armed))) {
		if m.armed[slot] {
			count += 1 + (m.slot-1-slot)/uint32(len(m.armed))
		}
	}
	return count
}

func (m *Machine) emptyNotes() (notes []string) {
	for _, condition := range m.Unmet() {
		notes = append(notes, "the rule after judged nothing: "+condition+" never held")
	}
	if len(m.armed) == 0 || m.armedSlots() > 0 {
		return notes
	}
	return append(notes, fmt.Sprintf("collision_free judged no slot: the run ended after %s, before %s",
		traces.Plural(m.slot, "slot", "slots"), m.Rules.Limits()[fabric.RuleCollisionFree]))
}

func (m *Machine) imageNotes() (notes []string) {
	if len(m.Image.Recursive) > 0 {
		notes = append(notes, "the firmware has "+firmware.RecursionText(m.Image.Recursive))
	}
	if m.Image.checked && m.Meter != nil {
		notes = append(notes, outcome.NoteChecked)
	}
	return notes
}

func (m *Machine) uncheckedNotes() []string {
	c := m.Config
	if c.Firmware.Program != nil || c.Source.Place == nil {
		return nil
	}
	asked, bare := c.Rules, fabric.Rules{Deadlock: c.Rules.Deadlock, MeetsBudget: c.Rules.MeetsBudget}
	if m.deadlineJudged() == 0 {
		asked.DeadlineSlots = 0 // a rule without judged packets checks nothing
	}
	if m.armedSlots() == 0 {
		asked.CollisionFree = nil
	}
	switch stated, ruled := c.Source.StatesWorkload(), !slices.Equal(asked.Checked(), bare.Checked()); {
	case !ruled && stated && m.ending == nil:
		return []string{"nothing checks the workload; `rules: {exactly_once: true}` does"}
	case !ruled && !stated:
		return []string{"only the rules of every run were checked; add other rules under `rules:`, such as " +
			"exactly_once, no_loss or deadline_slots"}
	}
	return nil
}

func (m *Machine) usualNotes(broken []outcome.Violation) []string {
	c := m.Config
	if c.Firmware.Program != nil || c.Source.Place == nil || m.ending != nil || !c.Workload.Usual() ||
		c.Source.StatesWorkload() ||
		!slices.ContainsFunc(broken, func(v outcome.Violation) bool { return v.Rule == fabric.RuleExactlyOnce }) {
		return nil
	}
	return []string{"the scenario states no workload: exactly_once judges the default, a packet from each processor to " +
		"another " +
		"by a random permutation; state another workload under `workload:`"}
}

func (m *Machine) overheardNotes(broken []outcome.Violation) []string {
	again := func(v outcome.Violation) bool {
		return v.Subject.Kind == fabric.FindDuplicate && v.Rule == fabric.RuleExactlyOnce
	}
	forAll := []string{fabric.WorkloadOneToAll, fabric.WorkloadAllToAll}
	if m.Config.Firmware.Program != nil || !slices.Contains(forAll, m.Config.Workload.Kind()) ||
		!slices.ContainsFunc(broken, again) {
		return nil
	}
	return []string{"exactly_once counts each data frame with the packet that a NIC receives, whatever its address: a " +
		"processor that has the packet must stop listening (sl_listen(nic, SL_PORT_NONE)), or relays must send control " +
		"frames and receivers must call sl_deliver"}
}

// routeNotes reports whether packets may wait in a cycle. Even with acyclic routes, NICs can close a cycle.
func (m *Machine) routeNotes(broken []outcome.Violation) []string {
	r := fabric.RoutersOf(m.Network)
	if r == nil || r.Shown == "" {
		return nil
	}
	throughNIC := func(v outcome.Violation) bool {
		return slices.ContainsFunc(v.Waits, func(w fabric.Waiting) bool { return w.NIC })
	}
	if slices.ContainsFunc(broken, throughNIC) {
		return []string{r.Shown + "; this applies to the routers, but the ring of this run includes NICs"}
	}
	return []string{r.Shown}
}
