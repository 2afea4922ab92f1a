package check

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/internal/config"
	"starloom/nic"
	"starloom/traces"
)

func (r *Report) WriteJSON(w io.Writer) error { return outcome.WriteJSON(w, r) }

func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  check of %s in %s, seed %d\n",
		strings.ToUpper(string(r.Verdict)), outcome.Printable(cmp.Or(r.Firmware.Image, "firmware")), outcome.Printable(r.Scenario), r.Seed)
	for _, fault := range r.Faults {
		fmt.Fprintf(&b, "  %s\n", outcome.Printable(fault))
	}
	r.writeViolations(&b)
	if d := r.Difference; d != nil {
		d.writeText(&b, r)
	}
	for i := range r.Writes {
		r.Writes[i].writeText(&b)
	}
	for i := range r.Fuzz {
		r.Fuzz[i].writeText(&b)
	}
	r.writeTried(&b)
	r.writeCompared(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) writeTried(b *bytes.Buffer) {
	if r.Fuzzed > 0 {
		fmt.Fprintf(b, "tried: arbitrary frames, statuses, words of the network and states: %s, %s of handlers",
			traces.Plural(r.Fuzzed, "sequence of slots", "sequences of slots"), traces.Plural(r.FuzzCalls, "call", "calls"))
		if r.GaveUp > 0 {
			fmt.Fprintf(b, ", ended by sl_fail: %d", r.GaveUp)
		}
		if r.Branches.Image > 0 {
			fmt.Fprintf(b, "; %d of the image's %s reached", r.Branches.Reached, traces.Plural(r.Branches.Image, "branch", "branches"))
		}
		b.WriteString("\n")
	}
	for _, left := range r.NotTried {
		fmt.Fprintf(b, "not tried: %s\n", outcome.Printable(left))
	}
}

func (r *Report) writeCompared(b *bytes.Buffer) {
	if len(r.Runs) > 0 {
		b.WriteString("compared: digests and reports\n")
	}
	for i := range r.Runs {
		same := "same"
		switch {
		case i == 0:
			same = "the others are compared with it"
		case !r.Runs[i].Same:
			same = "DIFFERS"
		}
		fmt.Fprintf(b, "  %-55s %10s, %s, digest %.16s: %s\n",
			r.Runs[i].Text(), traces.Plural(r.Runs[i].Slots, "slot", "slots"), r.Runs[i].Verdict, r.Runs[i].Digest, same)
	}
	if w := r.Watched; w.Slots > 0 {
		slots := "in all slots"
		if !w.Whole {
			slots = fmt.Sprintf("in slots 0 to %d only: more takes too long", w.Slots)
		}
		fmt.Fprintf(b, "watched: what every handler writes, %s\n", slots)
	}
	for _, left := range r.NotCompared {
		fmt.Fprintf(b, "not compared: %s\n", outcome.Printable(left))
	}
	if r.Difference == nil && len(r.Runs) > 0 {
		fmt.Fprintf(b, "no difference found between %s of %s\n",
			traces.Plural(len(r.Runs), "run", "runs"), traces.Plural(r.Runs[0].Slots, "slot", "slots"))
	}
}

const shownViolations = 8

func (r *Report) writeViolations(b *bytes.Buffer) {
	if r.ViolationsTotal == 0 {
		return
	}
	fmt.Fprintf(b, "  the run itself fails: %s\n", traces.Plural(r.ViolationsTotal, "violation", "violations"))
	shown := r.Violations[:min(len(r.Violations), shownViolations)]
	for i := range shown {
		fmt.Fprintf(b, "    %s: %s: %s\n", shown[i].Rule, shown[i].Where(), outcome.Printable(shown[i].Message))
	}
	if left := r.ViolationsTotal - uint64(len(shown)); left > 0 {
		fmt.Fprintf(b, "    and %d more; `starloom run` lists them\n", left)
	}
}

// Text describes the way to execute.
func (r *Run) Text() string {
	where := "banks of " + fmt.Sprint(r.BankSize)
	if r.Mode == config.ModeIsolated {
		where = "isolated"
	}
	metered := ""
	if r.Metered {
		metered = ", metered"
	}
	return fmt.Sprintf("%s, %s, %s, engine %s%s", where, r.Runtime, traces.Plural(r.Workers, "worker", "workers"), r.Engine, metered)
}

func (r *Run) options() string {
	text := fmt.Sprintf("--mode %s --runtime %s --workers %d --bank %d --engine %s", r.Mode, r.Runtime, r.Workers, r.BankSize, r.Engine)
	if r.Metered {
		text += ", firmware.cpu with a model"
	}
	return text
}

func (d *Difference) writeText(b *bytes.Buffer, r *Report) {
	first, other := r.Runs[d.Runs[0]].Text(), r.Runs[d.Runs[1]].Text()
	if !d.Found {
		fmt.Fprintf(b, "  first difference: the reports differ in %s (the state of no processor does)\n", outcome.Printable(d.Field))
		fmt.Fprintf(b, "    %s  %s\n    %s  %s\n", cmp.Or(outcome.Printable(d.First), "nothing"), first, cmp.Or(outcome.Printable(d.Other), "nothing"), other)
		d.writeCause(b)
		return
	}
	fmt.Fprintf(b, "  first difference: slot %d: %s: %s", d.Slot, d.Path, d.Item)
	if d.Offset > 0 {
		fmt.Fprintf(b, ", from byte %d on", d.Offset)
	}
	if d.Processors == 1 {
		b.WriteString(" (no other processor differs in this slot)\n")
	} else {
		fmt.Fprintf(b, " (%d processors differ in this slot)\n", d.Processors)
	}
	if d.Before != "" {
		fmt.Fprintf(b, "    before  %s\n", d.Before)
	}
	fmt.Fprintf(b, "    after   %s  %s\n", cmp.Or(d.First, "nothing"), first)
	fmt.Fprintf(b, "    after   %s  %s\n", cmp.Or(d.Other, "nothing"), other)
	if d.SeenSlot != nil && *d.SeenSlot != int64(d.Slot) {
		fmt.Fprintf(b, "    frames, statuses or deliveries differ from slot %d on\n", *d.SeenSlot)
	}
	d.writeCause(b)
}

func (d *Difference) writeCause(b *bytes.Buffer) {
	fmt.Fprintf(b, "    usual cause: %s\n    remedy: %s\n", outcome.Printable(d.Cause), outcome.Printable(d.Remedy))
}

func (w *Write) writeText(b *bytes.Buffer) {
	what := "static variable"
	switch {
	case !w.fails():
		what = "note"
	case w.Grown > 0:
		what = "memory growth"
	case w.Harms():
		what = "foreign write"
	case w.Global != "":
		what = "global"
	}
	fmt.Fprintf(b, "  %s: slot %d: %s: %s\n", what, w.Slot, w.Path, outcome.Printable(w.text()))
	if w.Before != w.After {
		fmt.Fprintf(b, "    before %s, after %s; in %s\n", w.Before, w.After, traces.Plural(w.Count, "call", "calls"))
	}
	if w.fails() {
		fmt.Fprintf(b, "    remedy: %s\n", w.remedy())
	}
}

func (w *Write) text() string {
	switch {
	case w.Grown > 0:
		return fmt.Sprintf("its handler lets the memory grow by %d bytes, for all processors of the bank", w.Grown)
	case w.Global != "":
		return fmt.Sprintf("its handler changes the global %s of WebAssembly, which all processors of a bank share%s", w.Global, w.scratch())
	case w.Neighbour != nil:
		return fmt.Sprintf("its handler writes into what belongs to processor %d: %s, at address %#x", *w.Neighbour, w.Column, w.Address)
	case w.Shared:
		return fmt.Sprintf("its handler writes into %s of the bank, at address %#x, which is not a processor's", w.Column, w.Address)
	}
	return fmt.Sprintf("its handler writes into %s, at address %#x, which all processors of a bank share%s", w.Variable, w.Address, w.scratch())
}

func (w *Write) scratch() string {
	if w.Carries {
		return ""
	}
	return "; every call has written it before it read it"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

const remedyOwnState = "keep all that a processor remembers in its state_t"

func (w *Write) remedy() string {
	if w.Grown > 0 {
		return "take no memory in a run: its size is that of the bank, not of a processor"
	}
	return remedyOwnState
}

// noteAside introduces results of arbitrary input that are not faults.
const noteAside = "note, on arbitrary input: "

func (x *FuzzFinding) writeText(b *bytes.Buffer) {
	kind, needs := "", ""
	switch {
	case x.GaveUp:
		kind, needs = noteAside, " (the firmware's own decision)"
	case !x.Received:
		kind, needs = noteAside, " (found with words of the network, a call or a state that is damaged, and not without)"
	}
	in := &x.Input
	fmt.Fprintf(b, "  %s%s: %s: %s%s\n    after %s of the run with seed %d", kind, x.Rule, x.Path, outcome.Printable(x.Text), needs,
		traces.Plural(in.Slots, "slot", "slots"), in.Seed)
	if in.Call != nil {
		fmt.Fprintf(b, ", call %s%v", outcome.Printable(in.Call.Name), in.Call.Arguments)
	}
	later := 0
	for k := range in.Steps {
		if k > 0 {
			later++
		}
		if later > 0 && (k == len(in.Steps)-1 || !in.Steps[k].empty()) {
			fmt.Fprintf(b, "; %s later", traces.Plural(later, "slot", "slots"))
			later = 0
		}
		in.Steps[k].writeText(b, uint32(in.Processor))
	}
	b.WriteString("\n")
	if x.Again != "" {
		fmt.Fprintf(b, "    again: %s\n", x.Again)
	}
}

func (x *FuzzStep) writeText(b *bytes.Buffer, processor uint32) {
	for i := range x.Frames {
		fmt.Fprintf(b, ", %s", x.Frames[i].text(processor))
	}
	for _, status := range x.Statuses {
		fmt.Fprintf(b, ", status of port %d %v", status.Port, nic.Status(status.Status))
	}
	for _, status := range x.Transmit {
		fmt.Fprintf(b, ", transmit status of port %d %d, served %d", status.Port, status.Status, status.Served)
	}
	if x.Schedule != nil {
		fmt.Fprintf(b, ", schedule %#x", *x.Schedule)
	}
	if x.Workload != nil {
		fmt.Fprintf(b, ", workload %#x", *x.Workload)
	}
	for _, w := range x.ROM {
		fmt.Fprintf(b, ", word %d of %s %#x", w.Word, map[bool]string{true: "the machine's table", false: "its table"}[w.Machine], w.Value)
	}
	if x.State != "" {
		fmt.Fprintf(b, ", state %.32s...", x.State)
	}
}

func (x *FuzzFrame) text(processor uint32) string {
	text := fmt.Sprintf("frame from %d", x.Source)
	if x.Kind != 0 {
		text = fmt.Sprintf("%v %s", nic.Kind(x.Kind), text)
	}
	if x.Destination != processor {
		text += fmt.Sprintf(" to %#x", x.Destination)
	}
	if x.Flags != 0 {
		text += fmt.Sprintf(", flags %#x", x.Flags)
	}
	if x.Tag != 0 {
		text += fmt.Sprintf(", tag %#x", x.Tag)
	}
	return text + " with payload " + cmp.Or(x.Payload, "nothing")
}

func eventPlace(e *firmware.Event) string {
	where := cmp.Or(e.Function, "an unknown function")
	if e.Source != "" {
		where += " at " + e.Source
	}
	return where
}
