package page

import (
	"fmt"
	"maps"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
)

// rule says what a rule means, and what to do when it is broken: there #violation-1 is the first violation of a page.
type rule struct{ means, next string }

var rules = map[string]rule{
	fabric.RuleTrap: {"no handler of the firmware traps",
		"Open the firmware at the innermost source line of the backtrace. An image built with -g names lines; `starloom firmware build --debug` checks more."},
	fabric.RuleFail: {"no handler calls sl_fail, and no assertion fails",
		"Open the firmware at the source line of the backtrace, and see which of its assumptions does not hold."},
	fabric.RuleIllegalSend: {"firmware sends only what its NIC accepts",
		"Compare port, destination and payload of the frame that the handler queues with what this fabric has."},
	fabric.RuleIllegalListen: {"firmware listens only where there is a port",
		"See which port the handler chooses in this slot; the fabric has fewer."},
	fabric.RuleFinishes: {"every processor is done before the run ends",
		"See what the processor waits for: [its flags and receive status](#violation-1). If it only needs more time, raise stop.slots or give --slots."},
	fabric.RuleDeadlock: {"no packets in routers wait for one another for ever",
		"take some without cycles (`dor`, `dateline`): then no ring can close."},
	fabric.RuleCollisionFree: {"no two frames meet on one medium, in the slots that the rule names",
		"[The frames](#violation-1) are those that met: two processors chose the same medium for the same slot. " +
			"Look at how the firmware chooses slot and port for each of them."},
	fabric.RuleHeld: {"a processor holds no more packets than the rule allows",
		"Follow [the packets](#violation-1) that reach this processor: one comes before another has left."},
	fabric.RuleExactlyOnce: {"every packet arrives exactly once, where it belongs",
		"Follow [the packet](#violation-1) from hop to hop, up to where it was last seen. With a collision, find out who else sent there; " +
			"otherwise see why that processor did not send it on."},
	fabric.RuleNoLoss: {"every frame that firmware queues finds room, and is received",
		"See in [the signals](#violation-1) why the frame had no receiver: a FIFO that was full, no one who listened, or a fault."},
	fabric.RuleDeadline: {"what has to arrive arrives within deadline_slots",
		"If it has to be in time, look at [what its sender did](#violation-1) before, and let the firmware queue it earlier, " +
			"or, if it waited for its medium, take another arbiter or order of senders."},
	fabric.RuleFinishBy: {"the run is over by finish_by",
		"See what the processors that were not done waited for at this cycle, or allow more time."},
	fabric.RuleResults: {"results of the firmware are what the rule says, of every processor that no fault has killed",
		"Compare the results of all processors in the report, and see what this one had received when it gave its own."},
	fabric.RuleLatency: {"a frame between processors at routers comes within latency_max cycles",
		"See where its flits wait: the load of channels, a buffer that is small, or an RX FIFO that its processor does not empty."},
	fabric.RuleInOrder: {"packets of one processor to another come in the order in which they were queued or created",
		"The two took different virtual channels, and the later one was let through first. Give routers one channel where the routes allow it (`vcs: 1`), " +
			"or number the packets, let the receiver put them in order, and leave out this rule."},
	fabric.RuleCredits: {"no credit of a channel between routers is lost",
		"A fault has taken it. Its channel has fewer places from then on, and stands when none is left."},
	fabric.RuleNoCreation: {"a frame of gossip has no item that its sender does not know",
		"See which item the handler puts into the frame, and which [frames](#violation-1) had come to it before."},
	fabric.RuleOneBus: {"a vertex is on one bus in a slot",
		"See which bus the handler sends to and which it listens to in this slot: they must be the same."},
	fabric.RuleBusLength: {"no more vertices are on a bus in a slot than its length",
		"Count who sends, listens and waits on this bus in this slot: one of them must choose another."},
	fabric.RuleReceiveStep: {"a broadcast reaches every processor in the step that its algorithm says",
		"Follow the message along its path: the first hop that is late is where to look."},
	fabric.RuleAgreement: {"all voters that decide decide alike",
		"Compare what the two voters received: a module has told them different values, or a frame was lost."},
	fabric.RuleValidity: {"a voter decides for what the correct modules hold",
		"See which values the voter counted, and from whom."},
	fabric.RuleEnergy: {"no update raises the energy of the network",
		"See which neuron was updated in this slot, with which states of the others."},
	fabric.RuleMeetsBudget: {"a handler is done at the end of its compute window",
		"See where the longest call spent its cycles: [the flame graph](#what-handlers-cost). Make that faster, or raise firmware.cpu.budget_cycles."},
	fabric.RuleLateLight: {"no light reaches the receivers in the last guard cycle of a slot",
		"RTL before this link is later than its model. Add guard_cycles, or correct the RTL."},
	outcome.RuleReplay: {"handlers that are called again alone do the same",
		"Something beside registers, FIFOs and state tells the handler what to do: a static variable, most often. `starloom firmware check` finds it."},
	outcome.RuleInterrupted: {"a run comes to its end", "Run it again, or give it fewer slots."},
	outcome.RuleRTLFault:    {"RTL settles, and does not end the simulation", "See what the RTL has printed, and [its waveform](#violation-1) at this cycle."},
	outcome.RuleRTLUnknown:  {"no output of the RTL is X or Z", "Find the register that reset does not set."},
	outcome.RuleRTLTool:     {"the simulator of the RTL works", "Read what the tool has printed."},
}

// nextByKind are what to look at where a rule is broken in a way of its own.
var nextByKind = map[fabric.FindingKind]string{
	fabric.FindDuplicate: "The processor has had this packet before. See in [the frames](#violation-1) who sent it this time: the same sender, which need not " +
		"repeat what has arrived, or one whose data frame it overhears. What a processor has already it need not listen to; a hop on the way may be " +
		"a control frame, which is no delivery.",
	fabric.FindMisrouted: "See in [the frames](#violation-1) who sent it here: a data frame to this processor says that its packet has arrived, and " +
		"that packet is for another one. On its way to that one it travels here in a control frame.",
	fabric.FindUnsent: "Its TX FIFO had no room: a handler queues only as many frames in a slot as `sl_tx_free` says, " +
		"or the NIC gets more places, `nic.tx_frames`.",
	fabric.FindUnbacked: "See which [frames](#violation-1) had come to this processor: none had the packet that its handler announced (`sl_deliver`).",
}

func nextOf(v *outcome.Violation) string {
	if next := nextByKind[v.Subject.Kind]; next != "" {
		return next
	}
	return rules[v.Rule].next
}

// ruleText is what a rule means, and what it allows here; "" if it is not known.
func ruleText(name string, limits map[string]string) string {
	if limit := limits[name]; limit != "" {
		return rules[name].means + ", here " + limit
	}
	return rules[name].means
}

func rulesSection(names []string, broken map[string]int, unheld, kept func(rule string) string, known *outcome.Known) *Section {
	t := &Table{Caption: "What the run was held to. Not tested: it is asked for, but nothing in the run has tested it; not checked: it is not asked for.",
		Columns: columns([]string{"rule", "means", "result"})}
	listed := map[string]bool{}
	row := func(name string) {
		result := "kept"
		if n := broken[name]; n > 0 {
			result = fmt.Sprintf("BROKEN %s", times(n))
		} else if why := unheld(name); why != "" {
			result = "not tested: " + why
		} else {
			result += kept(name)
		}
		listed[name] = true
		t.Rows = append(t.Rows, []string{name, ruleText(name, known.Limits), result})
	}
	for _, name := range names {
		row(name)
	}
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		if !listed[name] {
			row(name)
		}
	}
	for _, name := range known.Unchecked {
		t.Rows = append(t.Rows, []string{name, rules[name].means, "not checked: rules of the scenario or of --set take the place of those of " + known.Program})
	}
	return &Section{Title: "Rules", Blocks: []Block{{Table: t}}}
}

// keptBy says who has kept a rule that faults have kept others from, or that only some could break: what follows "kept".
func keptBy(r *outcome.Report, rule string) string {
	count := broken(r)
	switch dead := slices.IndexFunc(r.Faults, func(f outcome.FaultReport) bool { return f.Kind == fabric.FaultNames[fabric.FaultDead] && f.Count > 0 }); {
	case rule == fabric.RuleFinishes && dead >= 0:
		return fmt.Sprintf(" by all but %s, left out", traces.Plural(r.Faults[dead].Count, "processor that a fault has killed", "processors that a fault has killed"))
	case rule == fabric.RuleFinishes && r.Aside.Known.Packets && slices.ContainsFunc(r.Violations, missing):
		return ": all processors say that they are done; packets that have not arrived break exactly_once"
	case rule == fabric.RuleReceiveStep && count[fabric.RuleExactlyOnce] > 0:
		return fmt.Sprintf(" by those that received it; %s did not: exactly_once", traces.Plural(uint64(count[fabric.RuleExactlyOnce]), "processor", "processors"))
	}
	return ""
}

func missing(v outcome.Violation) bool { return v.Subject.Kind == fabric.FindMissing }

func broken(r *outcome.Report) map[string]int {
	count := map[string]int{}
	for i := range r.Violations {
		count[r.Violations[i].Rule]++
	}
	return count
}

// times is once, or 2 times; of more than are listed, no one has counted those of one rule.
func times(n int) string {
	switch {
	case n == 1:
		return "once"
	case n >= outcome.ViolationsMax:
		return fmt.Sprintf("%d times or more", n)
	}
	return fmt.Sprintf("%d times", n)
}

// unheld says why nothing in a run has tested a rule, "" if something has.
func unheld(r *outcome.Report, rule string) string {
	cut := r.Aside.Known.Cut
	if why := r.Aside.Undecided[rule]; why != "" {
		return why
	}
	switch rule {
	case fabric.RuleFinishes:
		return cut
	case fabric.RuleMeetsBudget:
		if r.Firmware.Cycles == nil || r.Firmware.Cycles.Calls == 0 {
			return "no handler was called"
		}
	case fabric.RuleExactlyOnce:
		if r.Frames.Sent == 0 {
			return unsent
		}
		return cut
	case fabric.RuleCollisionFree, fabric.RuleHeld, fabric.RuleNoLoss, fabric.RuleDeadline, fabric.RuleNoCreation, fabric.RuleOneBus, fabric.RuleBusLength:
		if r.Frames.Sent == 0 {
			return unsent
		}
	case fabric.RuleReceiveStep:
		if r.Frames.Delivered == 0 {
			return "no frame was received"
		}
	}
	return ""
}

const unsent = "no frame was sent"

// words are those of a page that a reader may not know, as the glossary of the documentation explains them.
var words = [][2]string{
	{"cycle", "one period of the clock that all hardware shares; 1 ns in traces"},
	{"slot", "the cycles in which one frame crosses a medium"},
	{"processor", "a controller with its NIC"},
	{"NIC", "network interface of a processor: transmitter, receiver, FIFOs, registers"},
	{"port", "a connection of a NIC to a medium"},
	{"medium", "what carries frames: a coupler, a bus, an output of a crossbar, a link"},
	{"frame", "what a NIC sends in a slot: a header, a payload, a CRC"},
	{"packet", "what is to be carried from a source to a destination, in one frame or more, over one hop or more"},
	{"handler", "a function of the firmware that the host calls: at the start, and in every slot"},
	{"path", "the name of a part, such as `pops.group[3].nic[0]`; `*` and `**` stand for one part and for any parts"},
}

func wordsSection() *Section {
	t := &Table{Caption: "Words.", Columns: columns([]string{"word", "means"})}
	for _, w := range words {
		t.Rows = append(t.Rows, []string{w[0], w[1]})
	}
	return &Section{Title: "Words", Blocks: []Block{{Table: t}}}
}
