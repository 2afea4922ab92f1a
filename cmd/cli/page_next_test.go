package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstStep is the first thing to do next on a page, and its command.
var firstStep = regexp.MustCompile(`(?s)<ol>\n<li>([^\n]*)\n<pre tabindex="0">(.*?)</pre>`)

// tags are those of HTML.
var tags = regexp.MustCompile(`<[^>]*>`)

// read is a page as it is read.
func read(html string) string { return tags.ReplaceAllString(unmarked(html), "") }

// Pages of five failing runs, of all fabrics: what failed, where, and as the first step a command that mends it.
func TestPagesOfFailingRuns(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		first []string // of the command that mends it
		says  []string
		not   []string
	}{
		{"a program that is not right here", []string{"pops-4x3-published.yaml"}, []string{"pops-4x3-published.yaml", "--firmware", "pops/random-corrected"}, []string{
			"collision_free: frames met on a coupler in the 5th of the 5 slots of a step", "This is the same event as the first of collision_free",
			"exactly_once: first at the same cycle and place as collision_free; they are one event. Then at cycle 114, slot 19, pops.group[1].coupler[1].",
			"The way of the packet of 6 for 0 (0600000000000000) through the run.", "Signals and frames of this slot stand at 1.", "Collisions in the other slots are part of the algorithm.", "(this page has not tried it)",
		}, []string{"in slot 5 of a step"}},
		{"a deadline", []string{"gossip.yaml", "--set", "rules.deadline_slots=20"}, []string{"gossip.yaml", "--set", "rules.deadline_slots=27"}, []string{
			"processor 2 has not received the packet of processor 9 after 20 slots: it came after 21, 1 slot late",
			"16 packets missed the deadline of 20 slots: all came late, the last after 27 slots, 7 late. The smallest deadline that all meet is 27. The latest is that of processor ", "Slots are counted from the start of the run",
			"this shows what the run needs, and makes nothing faster:",
			"The packet is that of crossbar.nic[9]: its signals, and the output that it asks for.", "crossbar.nic[9]\nrx_status\nrx_port\nrx.state\nrx.bits\ntx.light\ntx.port", "crossbar.output[2].arbiter\nbusy",
			"collision_free" + "no two frames meet on one medium, in the slots that the rule names" + "not checked: the scenario's own rules replace those of gossip/fsa",
			"lambda27stepslength of the run",
		}, []string{"rules.deadline_slots=20 --set rules.deadline_slots"}},
		{"faults on a bus", []string{"bus-faults.yaml"}, []string{"bus-faults.yaml", "--set", "faults={}"}, []string{
			"brought about by the fault stuck: without faults this does not happen", "The fault stuck struck first at cycle 84, slot 12, bus.bus[0].wire.",
			"heard: nothing (fault stuck)", "clock_pause1 of 8 processors, from slot 20 to 29: bus.nic[3]", "first at the end of the run, after slot 199, cycle 1399, bus.nic[3].",
			"it keeps all rules then, and ends after 145 slots", "rx_port none", "rx_port is the port that the NIC hears",
			"with the frames of slot 12, in which the faults struck first", "Signals and frames of this slot stand at the fault stuck.", "What the listeners get stands below _tapped",
			"let it notice the loss (a timeout) and send again",
		}, []string{"stop.slots or --slots sets it", "ffff,", "slot 200,"}},
		{"faults in a network of links", []string{"ej-faults.yaml"}, []string{"ej-faults.yaml", "--set", "faults={}"}, []string{
			"heard: crc (fault bit_flip: bit 104, of the tag)", "finishesevery processor is done before the run endskept by all but 1 processor that a fault has killed, left out",
			"kept by those that received it; 12 processors did not: exactly_once", "processor 14 never received the message of processor 0the fault dead",
			"What only the end of the run shows stands in its last cycle.", "a fault struck here first",
		}, []string{"cycle 15, slot 3"}},
		{"too few slots", []string{"ej-traffic.yaml", "--slots", "20"}, []string{"ej-traffic.yaml"}, []string{
			"The run was limited to 20 slots by --slots; the traffic needs up to 21000. Run it without that:", "after slot 19, cycle 119, all processors.",
			"finishes: all processors were to be offered packets for 11000 slots", "before the run ends. The run was limited to 20 slots by --slots.",
			"not tested: the run ended at its limit of 20 slots before all had arrived", "Not known, as the run did not come to where they are complete: offered, accepted",
		}, []string{"flags and receive status", "See it in a waveform", "ej.node[0].nic[0]: finishes", "stop.slots or --slots sets it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, c.args[0])
			html := writtenPage(t, dir, statusFail, append([]string{"run"}, c.args...)...)
			step := firstStep.FindStringSubmatch(html)
			require.NotNil(t, step)
			require.Equal(t, "starloom run "+strings.Join(c.first, " "), strings.ReplaceAll(read(step[2]), "'", ""))
			r := starloomIn(t, dir, append([]string{"run"}, c.first...)...)
			require.Equal(t, statusPass, r.status, "the first step mends it: %s%s", r.stdout, r.stderr)
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

// A budget that handlers miss, and a limit of slots of the file: the first step is the budget that fits, or more slots.
func TestPagesOfBudgetAndSlots(t *testing.T) {
	dir := copied(t, "pops-16x16.yaml")
	html := writtenPage(t, dir, statusFail, "run", "pops-16x16.yaml", "--set", "firmware.cpu.model=rv32-inorder", "--set", "firmware.cpu.budget_cycles=530")
	require.Equal(t, "starloom run pops-16x16.yaml --set firmware.cpu.model=rv32-inorder --set firmware.cpu.budget_cycles=536", read(firstStep.FindStringSubmatch(html)[2]))
	html = writtenPage(t, dir, statusFail, "run", "pops-16x16.yaml", "--set", "stop.slots=4")
	step := firstStep.FindStringSubmatch(html)
	require.Contains(t, read(step[1]), "The run was limited to 4 slots by stop.slots.")
	require.Equal(t, "starloom run pops-16x16.yaml --set stop.slots=4 --slots 40", read(step[2]))
	r := starloomIn(t, dir, "run", "pops-16x16.yaml", "--set", "stop.slots=4", "--slots", "40")
	require.Equal(t, statusPass, r.status, r.stdout)
}

// What a run at its limit of slots has not decided is passed nowhere: not on the page, in JUnit or in the terminal.
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

// A frame that is sent at all ports has a row for each, with its medium, as a capture has it.
func TestPageOfAFrameToAllPorts(t *testing.T) {
	dir := folder(t, map[string]string{"tell.yaml": "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/one-to-all}\n" +
		"workload: {one_to_all: {source: 0}}\nrules: {exactly_once: true, no_loss: true}\nstop: {slots: 9}\n" +
		"faults: {schedule: [{kind: drop, targets: ['pops.group[0].coupler[1]'], slots: {list: [0]}}]}\n"})
	page := read(writtenPage(t, dir, statusFail, "run", "tell.yaml"))
	require.Contains(t, page, "sentpops.group[0].nic[0].port[1]pops.group[0].coupler[1]0anybodydata: the packet of 0 for anybody (00000000ffffffff)")
	require.Contains(t, page, "heard: nothing (fault drop)pops.group[0].coupler[1]")
}
