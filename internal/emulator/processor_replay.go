package emulator

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/fabric/traffic"
	"starloom/firmware/variables"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

func (m *Machine) newReplay(config nic.BankConfig, instantiate maker) error {
	config.First, config.Cells = m.options.Replay-1, 1
	instance, err := instantiate(config)
	if err != nil {
		return err
	}
	if m.faults != nil {
		m.faults.shrink(instance.Bank())
	}
	m.Replay = &replay{processor: config.First, stride: nic.FrameStride(config.PayloadBytes),
		instance: instance, recording: true}
	for i := range m.Shards {
		m.Shards[i].replay = m.Replay
	}
	return nil
}

// ResumeReplay copies state, registers and probes of the processor from a restored machine to its replay. The whole
// memory of an isolated instance is copied, because it may hold additional state.
func (m *Machine) ResumeReplay() error {
	r := m.Replay
	if r.from = m.slot; m.bare != nil {
		return nil
	}
	from, cell := m.InstanceOf(r.processor)
	bank, alone := from.Bank(), r.instance.Bank()
	copy(r.instance.Probes(), probesOf(from, cell))
	if m.Parking == nil && bank.Cells == 1 { // a parked processor has only state and registers
		return r.instance.SetState(from.Memory(), from.Globals())
	}
	copy(alone.State(0), bank.State(cell))
	alone.SetCell(0, bank.Cell(cell))
	return nil
}

// WriteReplay replays the processor and writes a line for each call, and with a layout a second line with its
// variables. A difference from the run is a violation.
func (m *Machine) WriteReplay(w io.Writer, report *outcome.Report, layout *variables.Layout) error {
	r := m.Replay
	if m.bare != nil {
		return m.writeSource(w, r)
	}
	r.recording = false
	m.writeROM(r.instance.Bank())
	m.until(context.Background())
	out := bufio.NewWriter(w)
	since := ""
	if r.from > 0 {
		since = fmt.Sprintf(" from slot %d on", r.from)
	}
	fmt.Fprintf(out, "%s alone: its handlers were called %s in %s%s\n", m.Names.Processor(r.processor),
		traces.Plural(len(r.Calls), "time", "times"), traces.Plural(m.slot-r.from, "slot", "slots"), since)
	n, quiet := newNarrator(m, r), &quietCalls{out: out}
	told := newTelling(layout, r, report)
	if told != nil {
		told.begin(out, r.from > 0)
	}
	number, what, err := r.Again(func(call *ReplayCall) error {
		what, changes := n.describe(call), ""
		if told != nil {
			changes = told.add(call, what, r.instance.Bank().State(0))
		}
		return quiet.write(call, what, changes)
	})
	if err != nil {
		return err
	}
	if err := quiet.end(); err != nil {
		return err
	}
	if told != nil {
		told.finish(out)
		report.Aside.Variables = told.table(m.Names.Processor(r.processor), m.timing.SlotCycle)
	}
	if r.cut {
		fmt.Fprintf(out, "later calls were not recorded: the limit is %d MiB\n", replayBytesMax>>20)
	}
	if what == "" {
		fmt.Fprintln(out, "equal to the whole run")
		return out.Flush()
	}
	slot := r.Calls[number].slot
	fmt.Fprintf(out, "in the whole run, this call acted differently: %s\n", what)
	v := violationList{Kept: report.Violations}
	v.add(outcome.Violation{
		Rule: outcome.RuleReplay, Cycle: m.timing.SlotCycle(slot), Slot: uint64(slot), Path: m.Names.Processor(r.processor),
		Message: fmt.Sprintf("processor %d: alone, with the same inputs, the handler acts differently (%s): it depends on "+
			"more than its NIC and its state, such as a static variable or another processor's record", r.processor, what),
	})
	report.Violations, report.Verdict = v.Kept, outcome.VerdictFail
	report.ViolationsTotal++
	return out.Flush()
}

func newNarrator(m *Machine, r *replay) *narrator {
	return &narrator{stride: r.stride, probes: m.Image.probes, values: probesOf(r.instance, 0),
		results: m.Image.resultNames, written: map[int]uint64{}, clock: m.Meter}
}

func (m *Machine) writeSource(to io.Writer, r *replay) error {
	type event struct {
		cycle uint32
		what  string
	}
	var events []event
	note := func(cycle uint32, format string, values ...any) {
		if cycle != hw.PacketPending && cycle >= r.from && cycle < m.slot {
			events = append(events, event{cycle, fmt.Sprintf(format, values...)})
		}
	}
	p := m.Referee.(*traffic.Bare)
	for i := range uint32(p.Count()) {
		id := p.ID(i)
		if int(p.Source[i]) == r.processor {
			note(p.Created[i], "packet %d to %d is created, %s", id, p.Destination[i],
				traces.Plural(uint64(p.Size[i]), "flit", "flits"))
			note(p.Sent[i], "sends the head of packet %d", id)
		}
		if int(p.Destination[i]) == r.processor {
			note(p.Received[i], "receives the tail of packet %d from %d, created in cycle %d, over %s", id,
				p.Source[i], p.Created[i],
				traces.Plural(uint64(p.Hops[i]), "router", "routers"))
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.cycle, b.cycle) })
	out, since := bufio.NewWriter(to), ""
	if r.from > 0 {
		since = fmt.Sprintf(" from cycle %d on", r.from)
	}
	fmt.Fprintf(out, "%s has no firmware: its source and sink in %s%s\n", m.Names.Processor(r.processor),
		traces.Plural(m.slot-r.from, "cycle", "cycles"), since)
	for len(events) > 0 {
		cycle, line := events[0].cycle, []string(nil)
		for ; len(events) > 0 && events[0].cycle == cycle; events = events[1:] {
			line = append(line, events[0].what)
		}
		fmt.Fprintf(out, "cycle %d: %s\n", cycle, strings.Join(line, "; "))
	}
	return out.Flush()
}
