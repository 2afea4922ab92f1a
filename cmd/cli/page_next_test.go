package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstStep matches the first suggested step on a page, and its command.
var firstStep = regexp.MustCompile(`(?s)<h2>What to do next</h2>.*?<ol>\n<li>([^\n]*)\n<pre tabindex="0">(.*?)</pre>`)

// triedSteps matches commands that a page has tried, with the number of slots after which they pass.
var triedSteps = regexp.MustCompile(`<pre tabindex="0">starloom ([^\n]*)</pre>\n<p class="aside">Expect PASS after (\d+) slots; this page has tried it`)

// commandWords returns the words of a command line, which may be quoted.
func commandWords(line string) (words []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(word, "'"))
	}
	return words
}

// tags matches HTML tags.
var tags = regexp.MustCompile(`<[^>]*>`)

// read returns the visible text of a page.
func read(html string) string { return tags.ReplaceAllString(unmarked(html), "") }

// failingPage is a failing run, and parts of its page.
type failingPage struct {
	name  string
	args  []string
	first []string // parts of the first command
	says  []string
	not   []string
}

// TestPagesOfFailingRuns checks the pages of failing runs: what failed, where, and as the first
// step a command that corrects it or shows more.
func TestPagesOfFailingRuns(t *testing.T) {
	failingPages(t, []failingPage{
		{"a program that is not right here", []string{"pops-4x3-published.yaml"}, []string{"pops-4x3-published.yaml", "--firmware", "pops/random-corrected"}, []string{
			"collision_free: frames met on a coupler in the 5th of the 5 slots of a step", "This is the same event as the first of collision_free",
			"exactly_once: first at the same cycle and place as collision_free; they are one event. Then at cycle 114, slot 19, pops.group[1].coupler[1].",
			"Processor N is pops.group[N / 4].nic[N mod 4], with 4 in each: 4 is pops.group[1].nic[0], 11 is pops.group[2].nic[3].",
			"The way of the packet of 6 for 0 (0600000000000000) through the run.", "Signals and frames of this slot stand at 1.", "Collisions in the other slots are part of the algorithm.", "heldthe number of packets that the firmware holds", "violated: frames of several senders have met", "pops.group[a].coupler[b] leads from all processors of group a to all processors of group b, and carries one frame in a slot",
			"the lowest byte of a number comes first", "(frames, statuses, deliveries, results; not timing, packets held, logs)",
			"kept: all processors say that they are done; packets that have not arrived break exactly_once",
			"Expect PASS after 30 slots; this page has tried it.", "Expect the same FAIL, and then GTKWave with its marker at cycle 54.", "where a group has as many processors as there are groups (d = g); here d = 4 and g = 3",
			"A processor that hears a frame for any processor only forwards the packet, even if it is the packet's destination",
			"The frames show it. Processor 6 hears an ack of its packet for 0 in slot 8. The packet is still in transit, at " +
				"processor 0, which received it in a frame for any processor, to be forwarded: a packet has arrived only when " +
				"it is received in a frame for its destination. In slot 9 processor 0 sends it to itself, it collides with " +
				"another frame, and no processor sends it again. " +
				"Processor 0 hears an ack of its packet for 3 in slot 8. The packet is still in transit, at processor 1. In slot 9 processor 1 sends it on, it collides with", "4anybodyack of the packet of 0 for 3",
		}, []string{"in slot 5 of a step"}},
		{"a deadline", []string{"gossip.yaml", "--set", "rules.deadline_slots=20"}, []string{"gossip.yaml", "--set", "rules.exactly_once=true",
			"--set", "rules.deadline_slots=27"}, []string{
			"processor 8 has not received the packet of processor 9 after 20 slots: it came after 27, 7 slots late",
			"16 packets missed the deadline of 20 slots: all came late, the last after 27 slots, 7 late. The smallest deadline that all meet is 27.", "The latest is that of processor 9 for processor 8: it crossed in slot 26, the first being 0. " +
				"In the 26 slots before, processor 9 neither sent nor heard a frame in slots 0 to 7, heard frames in slots 8 to 16, " +
				"waited to send another one, as the output of its destination was taken, in slot 17, and sent frames to other processors in slots 18 to 25; its first frame crossed in slot 18. " +
				"It would have been late without that wait, too", "8 to 169heard frames of0, 1, 2, 3, 4, 5, 6, 7, 8", "261sent the late packet to8",
			"gossip/fsa cannot meet this deadline here, whatever its orders and arbiters. With this program processor k may not send before it has heard processors 0 to k-1, one in a slot. So at first few can send, and at last few have anything left to send: all packets need at least 24 slots to arrive.",
			"Why not less than 24\nEach of 10 processors", "10 * 9 = 90. A processor sends or receives one message in a slot, so at most 5 pass in a slot, one in each pair: 90 / 5 = 18 slots for any firmware.",
			"the first 5 processors wait 15 slots in all, with any orders (0 + 1 + 3 + 4 + 7, in the best case)", "90 + 15 + 15 = 120 messages; with 5 in a slot this takes 120 / 5 = 24 slots.",
			"If the network may be smaller, use fabric.crossbar.ports: 7, the largest with which gossip/fsa keeps all rules:\nstarloom run gossip.yaml --set rules.deadline_slots=20 --set rules.exactly_once=true --set fabric.crossbar.ports=7\nExpect PASS after 18 slots; this page has tried it.",
			"If the run is to show this failure, say that it is expected:\nstarloom run gossip.yaml --set rules.deadline_slots=20 --expect fail",
			"Two times matter. The deadline for the packet's arrival at crossbar.nic[8] was the end of slot 19, cycle 119. The packet crossed in slot 26: it was sent at cycle 157, and had arrived at cycle 160.",
			"1. deadline_slots over at cycle 119, the packet sent at cycle 157", "Signals around cycle 157: crossbar.nic[8].", "15726sentcrossbar.nic[9].port[0]", "Surfer with the same signals at cycle 157:",
			"GTKWave opens with its marker, packet_sent, at cycle 157, when the packet was sent, and has another, " +
				"deadline_slots, at cycle 119, by which it should have arrived:", "starloom.slot == 26", "so this run was not checked for exactly_once. Check these rules",
			"starloom run gossip.yaml --set rules.deadline_slots=20 --set rules.exactly_once=true", "The deadline of 20 slots is set on the command line.", "Slots are counted from the start of the run",
			"run it with the deadline that all packets meet, 27 slots; nothing becomes faster. This also checks the rules of gossip/fsa (exactly_once):", "Expect PASS after 27 slots; this page has tried it.", "Expect FAIL, 16 violations (deadline_slots); this page has tried it.",
			"Follow steps 1 to 4 in this order, each only if its condition holds; steps 5 and 6 show more.", "Other programs " +
				"of the fabric for this workload also take too long, at least: " +
				"gossip/hopfield (24 slots), gossip/optimal (24 slots), gossip/voting (24 slots).", "This page has tried other parameters of the program: " +
				"with firmware.params.scheduling=2 (Algorithm 2: if its next addressee cannot hear, a sender chooses the first remaining addressee that can) it fails then, too, with 12 violations (deadline_slots); with firmware.params.scheduling=3 (Algorithm 2': ", "None meets 20 slots.", "Cause\nThe deadline of 20 slots is set on the command line.",
			"tx.portthe number of the output to which the frame is addressed; the NIC itself has one port, port[0]",
			"If it must be in time on this network, write firmware with another algorithm: a round-robin tournament takes 18 " +
				"slots: in each of its 9 rounds the processors meet in pairs, and the processors of a pair send to each other, " +
				"one after the other. Start from the source", "--set rules.exactly_once=true --firmware mine.wasm runs it: PASS " +
				"if it keeps these rules and takes 20 slots or fewer", "starloom run gossip.yaml --set rules.deadline_slots=20 " +
				"--vcd",
			"Its sender is crossbar.nic[9]: its activity in each slot, and its signals when it sent the packet.", "crossbar.nic[9]\ntx.light\ntx.port", "crossbar.output[8].arbiter\nbusy",
			"exactly_once" + "every packet arrives at its destination, once, and nowhere else" + "not checked: rules of the " +
				"scenario or of --set replace the rules of gossip/fsa",
			"lambda27stepslength of the run",
		}, []string{"rules.deadline_slots=20 --set rules.deadline_slots", "Note: the scenario's rules"}},
	})
}

// TestPagesOfFaultsAndLimits checks the pages of runs that fail by faults, or by their limit of slots.
func TestPagesOfFaultsAndLimits(t *testing.T) {
	failingPages(t, []failingPage{
		{"faults on a bus", []string{"bus-faults.yaml"}, []string{"bus-faults.yaml", "--set", "faults={}"}, []string{
			"Without stuck, with the other faults: no_loss kept, finishes broken, 1 violation.", "Without clock_pause, with the other faults: finishes kept, no_loss broken, 2 violations.",
			"Each was tried alone: stuck breaks no_loss 2 times, clock_pause breaks finishes once.",
			"finishes: with the faults processor 3 does nothing from slot 19 on. Without them it changes its state again in slot 24, and sends its next frame in slot 26. " +
				"In slot 24 the fault clock_pause keeps its handler from being called",
			"--set 'rules={}'", "(processor 3: what was due in slot 24)",
			"starloom run bus-faults.yaml --expect fail", "Expect the same FAIL, with a line that says as expected: fail; the exit status is 0, not 1.",
			"Follow steps 1 to 5 in this order, each only if its condition holds; step 6 shows more.", "If the faults are " +
				"not intended, remove them from the scenario:", "If they are intended, and the run is to show this failure, say " +
				"that " +
				"it is expected:",
			"Expect FAIL only for violations that no firmware can prevent: no_loss is broken wherever a fault destroys a frame. " +
				"Unchanged, it fails as here: 3 violations.", "Expect PASS if it keeps these rules, and those of every run: " +
				"finishes is checked although it is not named; with bus/sensors in place of mine.wasm FAIL, 1 violation " +
				"(finishes); this page has tried it.",
			"Two cycles are marked: 140, and the decisive cycle 168, where slot 24 begins: the handler is not called there, so " +
				"the due action does not happen.",
			"processor 3 was not done when the run ended; it sent its last frame in slot 17, has received none and last changed its state in slot 18; " +
				"it is awake: its handler is called in every slot but those in which the fault clock_pause pauses it. Its cause is the fault clock_pause",
			"Its effects: 2 receptions prevented, first in cycle 84", "GTKWave opens with its marker at cycle 84, where the faults struck first",
			"Its cause is the fault stuck: without faults this does not happen", "The fault stuck struck first in slot 12, which begins with cycle 84, bus.bus[0].wire (signals show it from cycle 86 on).",
			"no_loss: first noticed at cycle 89, slot 12, bus.bus[0], when the frame was to arrive.",
			"heard: nothing (fault stuck)", "clock_pause1 of 8 processors, from slot 20 to 29: bus.nic[3]", "Processor N is bus.nic[N].", "first at the end of the run, after slot 199, cycle 1399, bus.nic[3].",
			"Expect PASS after 145 slots; this page has tried it.", "rx_port none", "rx_portthe port that the NIC hears",
			"with the frames of slot 12, in which the faults struck first", "Signals and frames of this slot stand at the fault stuck.", "Signals below _tapped are those that the listeners receive, after the fault; the marked cycle is the first with an effect",
			"Signals around cycle 86: bus.bus[0].wire. This cycle is marked.",
			"A sender without an answer after some slots sends the frame again.", "it asks for that slot or a later one",
		}, []string{"stop.slots or --slots sets it", "ffff,", "slot 200,"}},
		{"faults in a network of links", []string{"ej-faults.yaml"}, []string{"ej-faults.yaml", "--set", "faults={}"}, []string{
			"processor 3 never received the message of processor 0: it comes by way of processors 1, 2, and 1 had not received it",
			"processor 36 never received the message of processor 0: a fault has killed it", "not those that it damaged (crc)", "37 processors, 222 links, one for each direction",
			"heard: crc (fault bit_flip: bit 104, of the tag)", "finishesevery processor is done, with nothing left to send, before the run endskept by all but 1 processor that a fault has killed, left out",
			"kept by those that received it; 12 processors did not: exactly_once", "processor 14 never received the message of processor 0: it comes by way of processors 36, 25, and a fault has killed 36the fault dead",
			"bit_flip: processor 1 never received the message of processor 0: it comes straight from 0, and in slot 0 a fault flipped its bit 104, of the tag: its CRC was wrong, so it was dropped. " +
				"These receive it through others, and therefore lost it, too: ej.node[2].nic[0], ej.node[3].nic[0], ej.node[12].nic[0]",
			"Violations that only the end of the run reveals are listed in its last cycle.", "from slot 0 to 3 (the run " +
				"ended with slot 2): ej.node[0].dim[1].link[+1].out", "Processor N is ej.node[N].nic[0].", "a fault struck here " +
				"first",
			"A row combines up to 6 of 222 links, some of them from the labelled unit, the others to it: the row of a faulty " +
				"processor shows the frames that others send to it.", "done\n\nfaulty\n\nsends\n\nhears\n\nhears in " +
				"vain\n\nrule broken",
			"If they are intended, and the firmware must survive them, change it:", "Every receiver of a frame answers " +
				"it.", "It is done (sl_done) only when it has the answer.",
			"A sender without an answer after some slots sends the frame again: on the same path, or around dead or stuck parts over another of its 6 ports.",
			"Packets that would pass a processor killed by a fault are sent around it.", "It was broken 12 times, at 12 of " +
				"37 processors. Of these: 6 by the fault bit_flip, 6 by the fault dead.",
		}, []string{"cycle 15, slot 3"}},
		{"too few slots", []string{"ej-traffic.yaml", "--slots", "20"}, []string{"ej-traffic.yaml", "--slots", "21000"}, []string{
			"If the run must reach its end, give it 21000 slots instead of the 20 that --slots sets; warm_up, measure and " +
				"drain of its traffic add up to this number:", "Expect PASS after 11005 slots; this page has tried it.", "If " +
				"the run must be this short, shorten the traffic so that it fits into 20 slots",
			"starloom run ej-traffic.yaml --slots 20 --set 'workload.traffic.warm_up=2 slots' --set 'workload.traffic.measure=10 slots' --set 'workload.traffic.drain=8 slots'\nExpect PASS after 19 slots; this page has tried it.",
			"starloom run ej-traffic.yaml --slots 20 --expect fail", "ej: the whole network",
			"FAIL ej-traffic\nThe run was cut short: --slots ended it after 20 slots (120 cycles). That is the only failure (rule finishes). " +
				"No other rule was broken before; not decided: exactly_once.", "The picture shows 32 of 37 processors, all but " +
				"7, 14, 22, 29, 36.",
			"Cause\nThe run reached its limit of 20 slots, set by --slots, before it was over. It broke no other rule before the limit.", "after slot 19, cycle 119, all processors.",
			"finishes: all processors were to be offered packets for 11000 slots", "The run was limited to 20 slots by --slots.",
			"not tested: the run ended at its limit of 20 slots before all had arrived", "33 figures are unknown, because " +
				"the run ended before they were complete\noffered, accepted",
		}, []string{"flags and receive status", "See it in a waveform", "elsewhere", "GTKWave", "stop.slots or --slots sets it"}},
	})
}

// failingPages writes and reads the pages. The first command of each page makes the run pass.
func failingPages(t *testing.T, pages []failingPage) {
	for _, c := range pages {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, c.args[0])
			html := writtenPage(t, dir, statusFail, append([]string{"run"}, c.args...)...)
			step := firstStep.FindStringSubmatch(html)
			require.NotNil(t, step)
			require.Equal(t, "starloom run "+strings.Join(c.first, " "), strings.ReplaceAll(read(step[2]), "'", ""))
			r := starloomIn(t, dir, append([]string{"run"}, c.first...)...)
			require.Equal(t, statusPass, r.status, "the first step mends it: %s%s", r.stdout, r.stderr)
			for _, tried := range triedSteps.FindAllStringSubmatch(html, -1) {
				r := starloomIn(t, dir, commandWords(read(tried[1]))...)
				require.Equal(t, statusPass, r.status, tried[1])
				require.Regexp(t, `\nslots +`+tried[2]+`\n`, r.stdout, tried[1])
			}
			page := read(html)
			for _, part := range c.says {
				require.Contains(t, page, part)
			}
			for _, part := range c.not {
				require.NotContains(t, page, part)
			}
		})
	}
}

// TestPagesOfBudgetAndSlots checks the first step for an exceeded handler budget (one that fits) and for a limit of
// slots in the file (more slots).
func TestPagesOfBudgetAndSlots(t *testing.T) {
	dir := copied(t, "pops-16x16.yaml")
	html := writtenPage(t, dir, statusFail, "run", "pops-16x16.yaml", "--set", "firmware.cpu.model=rv32-inorder", "--set", "firmware.cpu.budget_cycles=530")
	require.Equal(t, "starloom run pops-16x16.yaml --set firmware.cpu.model=rv32-inorder --set firmware.cpu.budget_cycles=536", read(firstStep.FindStringSubmatch(html)[2]))
	html = writtenPage(t, dir, statusFail, "run", "pops-16x16.yaml", "--set", "stop.slots=4")
	step := firstStep.FindStringSubmatch(html)
	require.Regexp(t, `give it 40 slots instead of the 4 that stop\.slots sets:`, read(step[1]))
	require.Equal(t, "starloom run pops-16x16.yaml --set stop.slots=4 --slots 40", read(step[2]))
	r := starloomIn(t, dir, "run", "pops-16x16.yaml", "--set", "stop.slots=4", "--slots", "40")
	require.Equal(t, statusPass, r.status, r.stdout)
}

// TestUndecidedRules checks that a rule undecided at the limit of slots passes neither on the page nor in JUnit or
// the terminal.
func TestUndecidedRules(t *testing.T) {
	dir := copied(t, "pops-16x16.yaml")
	r := starloomIn(t, dir, "run", "pops-16x16.yaml", "--slots", "4", "--junit", "r.xml", "--html", "r.html")
	require.Equal(t, statusFail, r.status)
	require.Regexp(t, `note: \d+ packets had not arrived when the run ended, so exactly_once is not decided: that of processor \d+ for processor \d+, `, r.stdout)
	junit, err := os.ReadFile(filepath.Join(dir, "r.xml"))
	require.NoError(t, err)
	require.Contains(t, string(junit), `name="exactly_once">
      <skipped message="not decided: the run ended at its limit of 4 slots before all had arrived"></skipped>`)
	require.Contains(t, string(junit), ` skipped="1"`)
	html, err := os.ReadFile(filepath.Join(dir, "r.html"))
	require.NoError(t, err)
	require.Contains(t, string(html), "not tested: the run ended at its limit of 4 slots before all had arrived")
	r = starloomIn(t, dir, "run", "pops-16x16.yaml", "--junit", "-")
	require.NotContains(t, r.stdout, "skipped", "a run that has finished has decided it")
}

// TestPageOfAFrameToAllPorts checks that a frame sent at all ports has a row with the medium for each, as in a
// capture.
func TestPageOfAFrameToAllPorts(t *testing.T) {
	dir := folder(t, map[string]string{"tell.yaml": "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/one-to-all}\n" +
		"workload: {one_to_all: {source: 0}}\nrules: {exactly_once: true, no_loss: true}\nstop: {slots: 9}\n" +
		"faults: {schedule: [{kind: drop, targets: ['pops.group[0].coupler[1]'], slots: {list: [0]}}]}\n"})
	page := read(writtenPage(t, dir, statusFail, "run", "tell.yaml"))
	require.Contains(t, page, "sentpops.group[0].nic[0].port[1]pops.group[0].coupler[1]0anybodydata: the packet of 0 for anybody (00000000ffffffff)")
	require.Contains(t, page, "heard: nothing (fault drop)pops.group[0].coupler[1]")
}

// TestMarkersOfFaults checks that the waveform of a run that fails due to faults also has markers at their first
// strikes, sorted by time.
func TestMarkersOfFaults(t *testing.T) {
	dir := copied(t, "bus-faults.yaml")
	require.Equal(t, statusFail, starloomIn(t, dir, "run", "bus-faults.yaml", "--vcd", "run.vcd").status)
	gtkw, err := os.ReadFile(filepath.Join(dir, "run.gtkw"))
	require.NoError(t, err)
	require.Contains(t, string(gtkw), " 84 84 89 96 140 ")
	require.Contains(t, string(gtkw), "[markername] Afault_stuck\n[markername] Bno_loss\n[markername] Cno_loss\n[markername] Dfault_clock_pause\n")
}

// TestMarkerOfALatePacket checks that the waveform of a run past its deadline has markers at its end and where the
// latest packet crossed.
func TestMarkerOfALatePacket(t *testing.T) {
	dir := copied(t, "gossip.yaml")
	require.Equal(t, statusFail, starloomIn(t, dir, "run", "gossip.yaml", "--set", "rules.deadline_slots=20", "--vcd", "run.vcd").status)
	gtkw, err := os.ReadFile(filepath.Join(dir, "run.gtkw"))
	require.NoError(t, err)
	require.Contains(t, string(gtkw), "[markername] Adeadline_slots\n[markername] Bpacket_sent\n")
	require.Contains(t, string(gtkw), " 157 119 157 ")
}

// TestRTLIsLeftOut checks that the command line omits RTL components of a scenario.
func TestRTLIsLeftOut(t *testing.T) {
	dir := folder(t, map[string]string{"r.yaml": "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random-corrected}\n" +
		"rtl: [{replace: 'pops.**'}]\n"})
	r := starloomIn(t, dir, "run", "r.yaml", "--set", "rtl=[]")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.NotContains(t, r.stdout, "\nrtl ")
}

// TestCollisionsThatAreAllowed checks that collisions that no rule forbids, or that a rule allows, are not called
// failures, and that the advice for others is not more slots.
func TestCollisionsThatAreAllowed(t *testing.T) {
	dir := copied(t, "pops-16x16.yaml")
	r := starloomIn(t, dir, "run", "pops-16x16.yaml")
	require.Regexp(t, ` [1-9]\d* collided \(in slots in which collision_free allows it\), 0 crc`, r.stdout)
	r = starloomIn(t, dir, "run", "pops-16x16.yaml", "--set", "rules={exactly_once: true}")
	require.Regexp(t, ` [1-9]\d* collided \(no rule forbids it\), 0 crc`, r.stdout)
	r = starloomIn(t, copied(t, "pops-4x3-published.yaml"), "run", "pops-4x3-published.yaml")
	require.Contains(t, r.stdout, " 20 collided, 0 crc")
	require.Contains(t, r.stdout, "must be free of collisions; sent by processors 0 and 1\n")
}

// deadlock is a scenario whose firmware waits for its TX FIFO before it accepts requests.
const deadlock = "starloom: 1\nfabric: {netlist: {mesh: {k: [4, 4]}, router: {vcs: 1, depth: 1}}}\n" +
	"nic: {tx_frames: 1, rx_frames: 1}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}\n"

// TestPageOfADeadlock checks that a page of frames waiting for each other at routers names the least depth of the RX
// FIFO that avoids this, and other remedies.
func TestPageOfADeadlock(t *testing.T) {
	dir := folder(t, map[string]string{"ask.yaml": deadlock})
	page := read(writtenPage(t, dir, statusFail, "run", "ask.yaml"))
	for _, part := range []string{"finishes follows from deadlock", "give it 4 frames instead of 1",
		"starloom run ask.yaml --set nic.rx_frames=4\nExpect PASS after", "its handler takes all of its RX FIFO before it waits for its TX FIFO", "the ring may close again", "Channels over time: the number of flits on each."} {
		require.Contains(t, page, part)
	}
	require.NotContains(t, page, "router[1].output[2] has sent and heard no frame")
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "ask.yaml", "--set", "nic.rx_frames=4").status)
	require.Equal(t, statusFail, starloomIn(t, dir, "run", "ask.yaml", "--set", "nic.rx_frames=2").status)
}

// TestPageOfANetlistThatFails checks the page of a netlist in which no one receives a frame.
func TestPageOfANetlistThatFails(t *testing.T) {
	dir := folder(t, map[string]string{"ring.yaml": "starloom: 1\nfabric: {netlist: {ring: {n: 4}}}\nfirmware: {program: netlist/next-hop}\n" +
		"rules: {no_loss: true}\nstop: {slots: 30}\nfaults: {schedule: [{kind: drop, targets: ['netlist.**'], slots: {list: [0]}}]}\n"})
	page := read(writtenPage(t, dir, statusFail, "run", "ring.yaml"))
	require.Contains(t, page, "heard: nothing (fault drop)netlist.link[")
	require.Contains(t, page, "A sender without an answer after some slots sends the frame again")
}

// TestPageOfAnOverflow checks that a page names the least depth, found by doubling, with which the run passes, and
// describes losses if no rule forbids them.
func TestPageOfAnOverflow(t *testing.T) {
	dir := folder(t, map[string]string{
		"x.yaml": "starloom: 1\nfabric: {crossbar: {ports: 6, output: queue}}\nfirmware: {program: crossbar/traffic}\nnic: {rx_frames: 1}\n" +
			"workload: {traffic: {rate: 0.5, warm_up: 50, measure: 200, drain: 50}}\nrules: {no_loss: true}\n",
		"aloha.yaml": "starloom: 1\nfabric: {bus: {vertices: 5, buses: [[0, 1, 2, 3, 4]]}}\nfirmware: {program: bus/traffic}\n" +
			"workload: {traffic: {rate: 0.1, warm_up: 50, measure: 200, drain: 50}}\n",
	})
	page := read(writtenPage(t, dir, statusFail, "run", "x.yaml"))
	const deeper = "starloom run x.yaml --set nic.rx_frames=4\nExpect PASS after 250 slots; this page has tried it."
	require.Contains(t, page, deeper)
	require.NotContains(t, page, "queues have grown", "what was lost is no queue")
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "x.yaml", "--set", "nic.rx_frames=4").status)
	require.Equal(t, statusFail, starloomIn(t, dir, "run", "x.yaml", "--set", "nic.rx_frames=2").status)
	r := starloomIn(t, dir, "run", "aloha.yaml")
	require.Equal(t, statusPass, r.status)
	require.Regexp(t, `note: \d+ measured packets were lost, and no rule forbids it; add no_loss: true`, r.stdout+r.stderr)
}

// TestNotesOfImages checks the notes about an image without rules, to which the rules of every run apply, or without
// a workload, which gets the usual one. Misplaced keys are found.
func TestNotesOfImages(t *testing.T) {
	dir := folder(t, map[string]string{"hello.c": "#include \"starloom.h\"\ntypedef struct { uint32_t unused; } state_t;\nstatic void start(sl_nic *nic, state_t *s) { sl_done(nic); }\n" +
		"static void slot(sl_nic *nic, state_t *s) {}\nSTARLOOM_FIRMWARE(state_t, start, slot)\n",
		"hello.yaml": "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {image: hello.wasm}\nstop: {slots: 5}\n"})
	require.Equal(t, statusPass, starloomIn(t, dir, "firmware", "build", "hello.c").status)
	require.Contains(t, starloomIn(t, dir, "run", "hello.yaml").stdout, "note: only the rules of every run were checked; add other rules under `rules:`")
	r := starloomIn(t, dir, "run", "hello.yaml", "--set", "rules.exactly_once=true")
	require.Contains(t, r.stdout, "note: the scenario states no workload: exactly_once judges the default, ")
	r = starloomIn(t, dir, "run", "hello.yaml", "--set", "rules.exactly_once=true", "--set", "workload={one_to_all: {}}")
	require.NotContains(t, r.stdout, "states no workload")
	r = starloomIn(t, dir, "run", "hello.yaml", "--set", "exactly_once=true")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "did you mean rules.exactly_once?")
}

// TestWherePacketsWereLast checks that text and page of a run that faults kept from its end state where missing
// packets were lost.
func TestWherePacketsWereLast(t *testing.T) {
	dir := t.TempDir()
	scenario := `starloom: 1
fabric: {netlist: {mesh: {k: [3, 3]}}}
firmware: {program: netlist/next-hop}
faults: {schedule: [{kind: drop, targets: ["netlist.link[7].forth.fibre"]}]}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "net.yaml"), []byte(scenario), 0o666))
	r := starloomIn(t, dir, "run", "net.yaml", "--html", "net.html")
	require.Equal(t, statusFail, r.status, r.stderr)
	where := "netlist.link[7].forth: the packet of processor 2 for processor 4: sent for the last time by processor 1, and a fault made it dark here"
	require.Contains(t, r.stdout, "note: cycle 10, slot 1, "+where)
	html, err := os.ReadFile(filepath.Join(dir, "net.html"))
	require.NoError(t, err)
	require.Contains(t, string(html), "Last places of the packets that had not arrived when the run ended.")
	require.NotContains(t, string(html), where, "in the table, not as a note")
}
