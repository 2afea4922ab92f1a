package starloom

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// tableNetworks are the columns of the table of rules: each kind of medium, and each way in which a NIC gets at it. neighbours are two
// processors that send to each other.
var tableNetworks = []tableNetwork{
	{name: "POPS", fabric: "pops: {groups: 2, group_size: 2}"},
	{name: "crossbar", fabric: "crossbar: {ports: 3}"},
	{name: "crossbar, queue", fabric: "crossbar: {ports: 3, output: queue}"},
	{name: "aloha", fabric: "crossbar: {ports: 3, medium: aloha}"},
	{name: "bus", fabric: "bus: {vertices: 3, length: 2, buses: [[0, 1, 2], [0, 1, 2]]}"},
	{name: "bus, arbiter", fabric: "bus: {vertices: 3, length: 2, buses: [[0, 1, 2], [0, 1, 2]], arbiter: round_robin}"},
	{name: "EJ, half", fabric: "ej: {a: 1, b: 2, dimensions: 1}"},
	{name: "EJ, full", fabric: "ej: {a: 1, b: 2, dimensions: 1, duplex: full}"},
	{name: "links", fabric: `netlist: {nodes: {"p[0..2]": processor}, links: [["p[0]", "p[1]"], ["p[1]", "p[2]"]]}`},
	{name: "stars", fabric: `netlist: {nodes: {"p[0..2]": processor, s: star}, links: [["p[0..2]", s]]}`},
	{name: "stars, links", fabric: `netlist: {nodes: {"p[0..2]": processor, s: star, b: {kind: bus, arbiter: round_robin}}, links: [["p[0..2]:0", s], ["p[0..2]:1", b]]}`},
	{name: "crossbar drawn", fabric: `netlist: {nodes: {"p[0..2]": processor, x: {kind: crossbar}}, links: [["p[0..2]", x]]}`},
	{name: "routers", fabric: "netlist: {mesh: {k: [2, 2]}, router: {vcs: 4, depth: 4}, streaming: {tick: 32}}"},
	{name: "routers, stars", fabric: `netlist: {streaming: {tick: 32}, nodes: {"r[0..2]": router, "p[0..2]": processor, s: star},
    links: [["r[0..1]:1", "r[1..2]:2"], ["p[0..2]:0", "r[0..2]:0"], ["p[0..2]:1", s]], router: {vcs: 4, depth: 4}}`},
	{name: "traffic: bus", fabric: "bus: {vertices: 3, length: 3, buses: [[0, 1, 2]]}", load: onPurpose + "firmware: {program: bus/traffic}", light: "0.02", long: "200 slots", unit: " slots"},
	{name: "traffic: crossbar", fabric: "crossbar: {ports: 3}", load: onPurpose + "firmware: {program: crossbar/traffic}", light: "0.02", long: "200 slots", unit: " slots"},
	{name: "traffic: routers", fabric: "netlist: {mesh: {k: [4, 4]}, router: {vcs: 4, depth: 4}, streaming: {tick: 8}}",
		load: onPurpose + "firmware: {program: netlist/traffic}", light: "0.003", long: "200 ticks", unit: " ticks"},
	{name: "bare packets", fabric: "netlist: {mesh: {k: [4, 4]}, router: {vcs: 4, depth: 4}}", load: onPurpose, light: "0.003", long: "300 cycles", unit: " cycles"},
}

// tableNetwork is a column. Processors run firmware that keeps all rules but one, or a load of packets: light in the run that keeps a rule,
// heavy, with faults if need be, in the one that breaks it.
type tableNetwork struct{ name, fabric, load, light, long, unit string }

// onPurpose is a load of a rate, of packets of two lengths.
const onPurpose = "workload: {traffic: {rate: %[1]s, size: [{frames: 1}, {frames: 5}], warm_up: 0, measure: 100%[2]s, drain: 300%[2]s}}\n"

// packetColumns are those of a load.
const packetColumns = "traffic: bus|traffic: crossbar|traffic: routers|bare packets"

// tableRules are the rows: how a run keeps a rule, and how one breaks it, by the key `how` of the firmware or by a narrower limit. Where
// no run can break it, it is refused.
var tableRules = []tableRule{
	{rule: RuleCollisionFree, keeps: "{period: 1, slots: [1]}", how: 1, refused: "crossbar|crossbar, queue|bus, arbiter|EJ, full|links|crossbar drawn|routers|traffic: crossbar|traffic: routers|bare packets"},
	{rule: RuleHeld, keeps: "8", how: 2, refused: packetColumns},
	{rule: RuleExactlyOnce, keeps: "true", how: 3, refused: "bare packets"},
	{rule: RuleNoLoss, keeps: "true", how: 4, refused: "bare packets"},
	{rule: RuleDeadline, keeps: "2", packets: "100", how: 5},
	{rule: RuleFinishBy, keeps: "8 slots", narrow: "2 cycles"},
	{rule: RuleResults, keeps: "{leader: equal}", how: 6, refused: packetColumns},
	{rule: fabric.RuleLatency, keeps: "60", packets: "200", how: 5, refused: "*", but: "routers|routers, stars|" + packetColumns},
	{rule: fabric.RuleInOrder, keeps: "true", how: 9, refused: "*", but: "routers|routers, stars|" + packetColumns},
	{rule: RuleOneBus, keeps: "true", how: 7, refused: "*", but: "bus|bus, arbiter"},
	{rule: RuleBusLength, keeps: "true", how: 8, refused: "*", but: "bus|bus, arbiter"},
	{rule: RuleNoCreation, keeps: "true", refused: "*"},
	{rule: RuleReceiveStep, keeps: "true", refused: "*"},
	{rule: RuleAgreement, keeps: "true", refused: "*"},
	{rule: RuleValidity, keeps: "true", refused: "*"},
	{rule: RuleEnergy, keeps: "true", refused: "*"},
}

// tableRule is a row.
type tableRule struct {
	rule          string
	keeps, narrow string // the rule in the run that keeps it, and in the one that breaks it if that is another one
	packets       string // the rule in the run of a load that keeps it, if it is another one
	how           int    // of the firmware that breaks it
	refused       string // the columns, "*" for all...
	but           string // ...but these
}

// refusedOn reports whether the rule is refused in a column.
func (r *tableRule) refusedOn(column string) bool {
	named := func(list string) bool { return slices.Contains(strings.Split(list, "|"), column) }
	return r.refused == "*" && !named(r.but) || named(r.refused)
}

// neighbours are parameters of the firmware: two processors that send to each other, and their ports.
func neighbours(t *testing.T, n fabric.Network) string {
	shape, names := n.Shape(), n.Names()
	reaches := func(from, to int) (port, ear int) {
		for port := range shape.PortsOf(from) {
			for ear := range shape.PortsOf(to) {
				if medium := names.SentOn(from, uint16(port), to); medium == names.HeardOn(to, uint16(ear)) {
					return port, ear
				}
			}
		}
		return -1, -1
	}
	if fabric.RoutersOf(n) != nil {
		reaches = func(int, int) (int, int) { return 0, 0 }
	}
	ports := 1
	if d := shape.NIC(); d.AllPorts || d.Own != nil {
		ports = shape.Ports
	}
	for to := 1; to < shape.Processors(); to++ {
		port, ear := reaches(0, to)
		back, backEar := reaches(to, 0)
		if port >= 0 && back >= 0 {
			return fmt.Sprintf("from: 0, to: %d, port: %d, ear: %d, back: %d, back_ear: %d, ports: %d", to, port, ear, back, backEar, ports)
		}
	}
	require.Fail(t, "no neighbours")
	return ""
}

// ruled is a scenario of the table, of a run that keeps a rule or of one that breaks it.
func ruled(t *testing.T, n *tableNetwork, r *tableRule, breaks bool) (*Scenario, error) {
	text, value, how := "starloom: 1\nfabric: {"+n.fabric+"}\n", r.keeps, 0
	if breaks {
		if how = r.how; r.narrow != "" {
			value = r.narrow
		}
	}
	if n.load != "" {
		if r.rule == RuleFinishBy && !breaks {
			value = n.long
		}
		rate, load, faults := n.light, n.load, ""
		switch {
		case r.packets == "" && breaks:
			rate = "0.3"
		case r.packets != "" && breaks: // a packet of 5 frames takes longer
			value = "2"
		case r.packets != "":
			value = r.packets
		}
		if breaks && r.rule == RuleNoLoss {
			faults = "faults: {schedule: [{kind: drop, probability: 0.2}]}\n"
		}
		if breaks && r.rule == RuleExactlyOnce && n.name != "traffic: bus" { // whose frames meet; here one is sent twice
			load = onPurpose + "firmware: {image: " + testImage(t, "carries_traffic") + ", params: {fault: 2, once: 1}}\n"
		}
		if breaks && r.rule == fabric.RuleInOrder && n.unit == " slots" {
			load = onPurpose + "firmware: {image: " + testImage(t, "swaps_traffic") + "}\nnic: {payload_bytes: 16}\n"
		}
		return ParseScenario("table.yaml", []byte(text+fmt.Sprintf(load, rate, n.unit)+"\nrules: {"+r.rule+": "+value+"}\n"+faults))
	}
	image := "firmware: {image: " + testImage(t, "keeps_rules") + "%s}\n"
	s, err := ParseScenario("table.yaml", []byte(text+fmt.Sprintf(image, "")))
	require.NoError(t, err, n.name)
	list := []string{}
	for i := range s.Processors() {
		list = append(list, fmt.Sprint(i))
	}
	params := neighbours(t, s.network())
	var to int
	_, err = fmt.Sscanf(params, "from: 0, to: %d", &to)
	require.NoError(t, err)
	list[0], list[to] = list[to], list[0]
	text += fmt.Sprintf(image, fmt.Sprintf(", params: {how: %d, %s}", how, params)) + "nic: {payload_bytes: 40, tx_frames: 24, rx_frames: 24}\nstop: {slots: 40}\n" +
		"workload: {permutation: [" + strings.Join(list, ", ") + "]}\nrules: {" + r.rule + ": " + value + "}\n"
	return ParseScenario("table.yaml", []byte(text))
}

// TestTableOfRules: where a rule is allowed, one run keeps it and another one breaks it; elsewhere it is refused, with a reason and a
// remedy. The table stands in the docs.
func TestTableOfRules(t *testing.T) { tableOfRules(t, EngineAuto) }

// TestLongTableOfRules: so it is in the cycle engine.
func TestLongTableOfRules(t *testing.T) { tableOfRules(t, EngineCycle) }

func tableOfRules(t *testing.T, engine string) {
	rows := [][]string{{"rule"}, {"---"}}
	for _, n := range tableNetworks {
		rows[0], rows[1] = append(rows[0], n.name), append(rows[1], "---")
	}
	for k := range tableRules {
		r := &tableRules[k]
		row := []string{"`" + r.rule + "`"}
		for i := range tableNetworks {
			n := &tableNetworks[i]
			if n.name == "traffic: bus" && r.but == "bus|bus, arbiter" { // whose program keeps it; firmware may break it
				row = append(row, "as bus")
				continue
			}
			if r.refusedOn(n.name) {
				requireRefused(t, n, r)
				row = append(row, "-")
				continue
			}
			requireKeptAndBroken(t, engine, n, r)
			row = append(row, "yes")
		}
		rows = append(rows, row)
	}
	var table strings.Builder
	for _, row := range rows {
		table.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	goldenPart(t, "docs/failures.md", "<!-- the table of rules -->\n", "<!-- its end -->\n", table.String())
}

func requireRefused(t *testing.T, n *tableNetwork, r *tableRule) {
	s, err := ruled(t, n, r, false)
	if err == nil {
		_, err = Run(t.Context(), s, RunOptions{MachineOptions: MachineOptions{Runtime: "interpreter"}})
	}
	var refused *InputError
	require.True(t, errors.As(err, &refused), "%s on %s: %v", r.rule, n.name, err)
	require.Contains(t, refused.Error(), r.rule)
	require.NotEmpty(t, refused.Remedy)
}

func requireKeptAndBroken(t *testing.T, engine string, n *tableNetwork, r *tableRule) {
	for _, breaks := range []bool{false, true} {
		s, err := ruled(t, n, r, breaks)
		require.NoError(t, err, "%s on %s", r.rule, n.name)
		report, err := Run(t.Context(), s, RunOptions{MachineOptions: MachineOptions{Engine: engine, Runtime: "interpreter", Workers: 1}})
		require.NoError(t, err, "%s on %s", r.rule, n.name)
		require.Contains(t, report.Rules, r.rule)
		require.NotZero(t, report.Frames.Sent, "%s on %s", r.rule, n.name)
		require.Equal(t, breaks, violationsOf(report, r.rule) > 0, "%s on %s: %+v", r.rule, n.name, report.Violations)
		if !breaks {
			require.Equal(t, VerdictPass, report.Verdict, "%s on %s: %+v", r.rule, n.name, report.Violations)
		}
	}
}

// goldenPart compares what stands between two lines of a file; -update writes it.
func goldenPart(t *testing.T, path, first, last, want string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), first)
	require.True(t, ok, first)
	got, after, ok := strings.Cut(rest, last)
	require.True(t, ok, last)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+first+want+last+after), 0o644))
		return
	}
	require.Equal(t, want, got)
}
