package rules

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// tableNetworks are the columns of the table of rules: each kind of medium, and each way in which a NIC gets at it.
// neighbours are two processors that send to each other.
var tableNetworks = []tableNetwork{
	{name: "POPS", fabric: "pops: {groups: 2, group_size: 2}"},
	{name: "crossbar", fabric: "crossbar: {ports: 3}"},
	{name: "crossbar, queue", fabric: "crossbar: {ports: 3, output: queue}"},
	{name: "aloha", fabric: "crossbar: {ports: 3, medium: aloha}"},
	{name: "bus", fabric: "bus: {vertices: 3, length: 2, buses: [[0, 1, 2], [0, 1, 2]]}"},
	{name: "bus, arbiter", fabric: "bus: {vertices: 3, length: 2, buses: [[0, 1, 2], [0, 1, 2]], arbiter: round_robin}"},
	{name: "bus, one tap", fabric: "bus: {vertices: 3, buses: [[0, 1, 2]]}"},
	{name: "bus, schedule", fabric: "bus: {vertices: 6, length: 3}", schedule: "improved", keeper: "bus_gossips"},
	{name: "bus, schedule, arbiter", fabric: "bus: {vertices: 6, length: 3, arbiter: round_robin}", schedule: "improved", keeper: "bus_gossips"},
	{name: "POPS, schedule", fabric: "pops: {groups: 2, group_size: 2}", schedule: "offline"},
	{name: "crossbar, schedule", fabric: "crossbar: {ports: 2}", schedule: "turns-fixed", workload: "scatter: {origin: 0}"},
	{name: "EJ, half", fabric: "ej: {a: 1, b: 2, dimensions: 1}"},
	{name: "EJ, full", fabric: "ej: {a: 1, b: 2, dimensions: 1, duplex: full}"},
	{name: "links", fabric: `netlist: {nodes: {"p[0..2]": processor}, links: [["p[0]", "p[1]"], ["p[1]", "p[2]"]]}`},
	{name: "links, half", fabric: `netlist: {nodes: {"p[0..2]": processor}, links: [{endpoints: ["p[0]", "p[1]"], duplex: half}, ["p[1]", "p[2]"]]}`},
	{name: "links, one port", fabric: `netlist: {access: one, nodes: {"p[0..2]": processor}, links: [["p[0]", "p[1]"], ["p[1]", "p[2]"]]}`},
	{name: "links, credits", fabric: `netlist: {nodes: {"p[0..2]": processor}, links: [{endpoints: ["p[0]", "p[1]"], credits: 4}, {endpoints: ["p[1]", "p[2]"], credits: 4}]}`},
	{name: "buses drawn", fabric: `netlist: {access: switch, nodes: {"p[0..2]": processor, "b[0..1]": {kind: bus, length: 2}}, links: [["p[0..2]", "b[0]"], ["p[0..2]", "b[1]"]]}`},
	{name: "stars", fabric: `netlist: {nodes: {"p[0..2]": processor, s: star}, links: [["p[0..2]", s]]}`},
	{name: "stars, links", fabric: `netlist: {nodes: {"p[0..2]": processor, s: star, b: {kind: bus, arbiter: round_robin}}, links: [["p[0..2]:0", s], ["p[0..2]:1", b]]}`},
	{name: "crossbar drawn", fabric: `netlist: {nodes: {"p[0..2]": processor, x: {kind: crossbar}}, links: [["p[0..2]", x]]}`},
	{name: "routers", fabric: "netlist: {mesh: {k: [2, 2]}, router: {vcs: 4, depth: 4}, streaming: {tick: 32}}"},
	{name: "routers, one VC", fabric: "netlist: {mesh: {k: [2, 2]}, router: {vcs: 1, depth: 4}, streaming: {tick: 32}}"},
	{name: "routers, stars", fabric: `netlist: {streaming: {tick: 32}, nodes: {"r[0..2]": router, "p[0..2]": processor, s: star},
    links: [["r[0..1]:1", "r[1..2]:2"], ["p[0..2]:0", "r[0..2]:0"], ["p[0..2]:1", s]], router: {vcs: 4, depth: 4}}`},
	{name: "traffic: bus", fabric: "bus: {vertices: 3, length: 3, buses: [[0, 1, 2]]}",
		load: onPurpose + "firmware: {program: bus/traffic}", light: "0.02", long: "200 slots", unit: " slots"},
	{name: "traffic: crossbar", fabric: "crossbar: {ports: 3}", load: onPurpose + "firmware: {program: crossbar/traffic}",
		light: "0.02", long: "200 slots", unit: " slots"},
	{name: "traffic: routers", fabric: "netlist: {mesh: {k: [4, 4]}, router: {vcs: 4, depth: 4}, streaming: {tick: 8}}",
		load: onPurpose + "firmware: {program: netlist/traffic}", light: "0.003", long: "200 ticks", unit: " ticks"},
	{name: "traffic: one VC", fabric: "netlist: {mesh: {k: [4, 4]}, router: {vcs: 1, depth: 4}, streaming: {tick: 8}}",
		load: onPurpose + "firmware: {program: netlist/traffic}", light: "0.003", long: "200 ticks", unit: " ticks"},
	{name: "bare packets", fabric: "netlist: {mesh: {k: [4, 4]}, router: {vcs: 4, depth: 4}}", load: onPurpose, light: "0.003",
		long: "300 cycles", unit: " cycles"},
	{name: "bare, one VC", fabric: "netlist: {mesh: {k: [4, 4]}, router: {vcs: 1, depth: 4}}", load: onPurpose, light: "0.003",
		long: "300 cycles", unit: " cycles"},
}

// tableNetwork is a column. Its processors run firmware that keeps all rules but one, or a load of packets: a light
// load for the run that keeps the rule, a heavy load, with faults if needed, for the run that breaks it.
type tableNetwork struct {
	name, fabric, load, light, long, unit string
	schedule, workload                    string // of firmware, and what it is for
	keeper                                string // an image that keeps all rules where one has to follow the schedule
}

// onPurpose is a load of a rate, of packets of two lengths.
const onPurpose = "workload: {traffic: {rate: %[1]s, size: [{frames: 1}, {frames: 5}], warm_up: 0, measure: 100%[2]s, drain: 300%[2]s}}\n"

// packetColumns are those of a load.
const packetColumns = "traffic: bus|traffic: crossbar|traffic: routers|traffic: one VC|bare packets|bare, one VC"

// tableRules are the rows: how a run keeps a rule, and how one breaks it, by the key `how` of the firmware or by a
// narrower limit. Where no run can break it, it is refused.
var tableRules = []tableRule{
	{rule: starloom.RuleCollisionFree, keeps: "{period: 1, slots: [1]}", how: 1,
		refused: "crossbar|crossbar, queue|bus, arbiter|bus, schedule, arbiter|crossbar, schedule|EJ, full|links|links, one port|links, credits|crossbar drawn|routers|routers, one VC|traffic: crossbar|" +
			"traffic: routers|traffic: one VC|bare packets|bare, one VC"},
	{rule: starloom.RuleHeld, keeps: "8", how: 2, refused: packetColumns},
	{rule: starloom.RuleExactlyOnce, keeps: "true", how: 3, refused: "bare packets|bare, one VC"},
	{rule: starloom.RuleNoLoss, keeps: "true", how: 4, refused: "bare packets|bare, one VC"},
	{rule: starloom.RuleDeadline, keeps: "2", packets: "100", how: 5, refused: "bus, schedule|bus, schedule, arbiter|crossbar, schedule"},
	{rule: starloom.RuleFinishBy, keeps: "8 slots", narrow: "2 cycles"},
	{rule: starloom.RuleResults, keeps: "{leader: equal}", how: 6, refused: packetColumns},
	{rule: fabric.RuleLatency, keeps: "60", packets: "200", how: 5, refused: "*", but: "routers|routers, one VC|routers, stars|" + packetColumns},
	{rule: fabric.RuleInOrder, keeps: "true", how: 9, refused: "*", but: "routers|routers, stars|" + strings.TrimSuffix(packetColumns, "|bare, one VC")},
	{rule: starloom.RuleOneBus, keeps: "true", how: 7, refused: "*", but: "bus|bus, arbiter|bus, schedule|bus, schedule, arbiter|buses drawn"},
	{rule: starloom.RuleBusLength, keeps: "true", how: 8, refused: "*", but: "bus|bus, arbiter|buses drawn"},
}

// tableRule is a row.
type tableRule struct {
	rule          string
	keeps, narrow string // the rule in the run that keeps it, and in the run that breaks it if different
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
func ruled(t *testing.T, n *tableNetwork, r *tableRule, breaks bool) (*starloom.Scenario, error) {
	head, value := "starloom: 1\nfabric: {"+n.fabric+"}\n", r.keeps
	if breaks && r.narrow != "" {
		value = r.narrow
	}
	if n.load != "" {
		return ruledLoad(t, head, value, n, r, breaks)
	}
	return ruledFirmware(t, head, value, n, r, breaks)
}

// ruledLoad has a load of packets.
func ruledLoad(t *testing.T, head, value string, n *tableNetwork, r *tableRule,
	breaks bool) (*starloom.Scenario, error) {
	if r.rule == starloom.RuleFinishBy && !breaks {
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
	if breaks && r.rule == starloom.RuleNoLoss {
		faults = "faults: {schedule: [{kind: drop, probability: 0.2}]}\n"
	}
	if breaks && r.rule == starloom.RuleExactlyOnce && n.name != "traffic: bus" { // whose frames meet; here one is sent twice
		load = onPurpose + "firmware: {image: " + systemtest.Image(t, "carries_traffic") + ", params: {fault: 2, once: 1}}\n"
	}
	if breaks && r.rule == fabric.RuleInOrder && (n.unit == " slots" || n.name == "traffic: one VC") {
		load = onPurpose + "firmware: {image: " + systemtest.Image(t, "swaps_traffic") + "}\nnic: {payload_bytes: 16}\n"
	}
	return starloom.ParseScenario("table.yaml", []byte(head+fmt.Sprintf(load, rate, n.unit)+"\nrules: {"+r.rule+": "+value+"}\n"+faults))
}

// ruledFirmware has firmware that sends on purpose.
func ruledFirmware(t *testing.T, head, value string, n *tableNetwork, r *tableRule,
	breaks bool) (*starloom.Scenario, error) {
	name, how := "keeps_rules", 0
	if breaks {
		how = r.how
	}
	follows := n.keeper != "" && (!breaks || r.rule == starloom.RuleResults) // results are judged of a run that is over
	if n.schedule != "" {
		name = "keeps_rules_scheduled"
		if breaks && r.rule == starloom.RuleExactlyOnce { // of gossip and scattering, which have no packets, it judges claims
			how = 10
		}
	}
	if follows {
		name = n.keeper
	}
	firmware := "firmware: {image: " + systemtest.Image(t, name) + "%s}\n"
	if n.schedule != "" {
		firmware = strings.Replace(firmware, "%s", ", schedule: "+n.schedule+"%s", 1)
	}
	if n.workload != "" {
		head += "workload: {" + n.workload + "}\n"
	}
	tail := "stop: {slots: 40}\nrules: {" + r.rule + ": " + value + "}\n"
	if follows {
		return starloom.ParseScenario("table.yaml", []byte(head+fmt.Sprintf(firmware, fmt.Sprintf(", params: {how: %d}", how))+"nic: {payload_bytes: 1}\n"+tail))
	}
	s, err := starloom.ParseScenario("table.yaml", []byte(head+fmt.Sprintf(firmware, "")))
	require.NoError(t, err, n.name)
	list := []string{}
	for i := range s.Processors() {
		list = append(list, fmt.Sprint(i))
	}
	params := neighbours(t, inside.Decided(s).Network)
	var to int
	_, err = fmt.Sscanf(params, "from: 0, to: %d", &to)
	require.NoError(t, err)
	list[0], list[to] = list[to], list[0]
	head += fmt.Sprintf(firmware, fmt.Sprintf(", params: {how: %d, %s}", how, params)) + "nic: {payload_bytes: 40, tx_frames: 24, rx_frames: 24}\n"
	if r.rule != starloom.RuleDeadline && n.workload == "" && n.keeper == "" { // which would judge these packets alone
		tail += "workload: {permutation: [" + strings.Join(list, ", ") + "]}\n"
	}
	return starloom.ParseScenario("table.yaml", []byte(head+tail))
}

// programRules are rules of programs, rules of every run and rules that follow from the scenario, each with a run
// that keeps it and a run that breaks it. IMAGE[name] is one of the images of the tests.
var programRules = []struct{ rule, where, keeps, breaks string }{
	{starloom.RuleNoCreation, "gossip on a bus", "fabric: {bus: {vertices: 10, length: 3}}\nfirmware: {program: bus/two-phase}",
		"fabric: {bus: {vertices: 10, length: 3}}\nrules: {no_creation: true}\nfirmware: {image: IMAGE[bus_gossips], schedule: improved, params: {how: 1}}"},
	{starloom.RuleNoCreation, "gossip on links", "fabric: {netlist: {ring: {n: 5}}}\nfirmware: {program: netlist/gossip}\nworkload: {gossip: {}}",
		"fabric: {netlist: {ring: {n: 5}}}\nfirmware: {image: IMAGE[invents]}\nrules: {no_creation: true}\nworkload: {gossip: {}}"},
	{starloom.RuleNoCreation, "gossip at routers", "fabric: {netlist: {mesh: {k: [3, 2]}, router: {}}}\nfirmware: {program: netlist/gossip}\nworkload: {gossip: {}}",
		"fabric: {netlist: {mesh: {k: [3, 2]}, router: {}}}\nfirmware: {image: IMAGE[invents]}\nrules: {no_creation: true}\nworkload: {gossip: {}}"},
	{starloom.RuleExactlyOnce, "gossip on a crossbar", "fabric: {crossbar: {ports: 4}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {}}",
		"fabric: {crossbar: {ports: 4}}\nfirmware: {image: IMAGE[keeps_rules]}\nrules: {exactly_once: true}\nworkload: {gossip: {}}"},
	{starloom.RuleReceiveStep, "broadcasts of EJ networks", broadcastOfEJ,
		broadcastOfEJ + "faults: {schedule: [{kind: restart, targets: ['ej.node[0].nic[0]'], slots: {list: [1]}}," +
			" {kind: drop, slots: {list: [0]}}]}"},
	{starloom.RuleAgreement, "gossip/voting", votes + "}}", votes + ", faulty: [1, 2], fault: two-faced}}\nrules: {agreement: true}"},
	{starloom.RuleValidity, "gossip/voting", votes + "}}", votes + ", faulty: [0, 1], fault: value}}\nrules: {validity: true}"},
	{starloom.RuleEnergy, "gossip/hopfield", recalls + "firmware: {program: gossip/hopfield}",
		recalls + "firmware: {image: IMAGE[ascends], params: {neurons: 16}}\nrules: {energy: true}"},
	{starloom.RuleFinishes, "every run", keepsAll, plainPOPS + "firmware: {image: IMAGE[never_done]}"},
	{starloom.RuleTrap, "every run", keepsAll, plainPOPS + "firmware: {image: IMAGE[traps]}"},
	{starloom.RuleFail, "every run", keepsAll, plainPOPS + "firmware: {image: IMAGE[gives_up]}"},
	{starloom.RuleIllegalSend, "every run", keepsAll, plainPOPS + "firmware: {image: IMAGE[sends_to_no_port]}"},
	{starloom.RuleIllegalListen, "every run", keepsAll, plainPOPS + "firmware: {image: IMAGE[listens_to_no_port]}"},
	{starloom.RuleMeetsBudget, "firmware with a budget", plainPOPS + "firmware: {program: pops/random-corrected, cpu: {model: unit, budget_cycles: 5000}}",
		plainPOPS + "firmware: {program: pops/random-corrected, cpu: {model: unit, budget_cycles: 1}}"},
	{fabric.RuleDeadlock, "routers", "nic: {tx_frames: 16, rx_frames: 16}\n" + asksAll, "nic: {tx_frames: 1, rx_frames: 1}\n" + asksAll},
	{fabric.RuleCredits, "routers with a fault that loses credits", loseCredits + "rate: 0.0000001}}", loseCredits + "rate: 0.002}}"},
}

const (
	broadcastOfEJ = "fabric: {ej: {a: 2, b: 3, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n"
	votes         = "fabric: {crossbar: {ports: 3}}\nfirmware: {program: gossip/voting}\nworkload: {gossip: {values: random"
	recalls       = "fabric: {crossbar: {ports: 4}}\nnic: {payload_bytes: 24}\nworkload: {gossip: {values: random, sessions: 3}}\n"
	plainPOPS     = "fabric: {pops: {groups: 2, group_size: 2}}\nstop: {slots: 200}\n"
	keepsAll      = plainPOPS + "firmware: {program: pops/random-corrected}"
	asksAll       = "fabric: {netlist: {mesh: {k: [4, 4]}, router: {vcs: 1, depth: 1}}}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}"
	loseCredits   = "fabric: {netlist: {mesh: {k: [4, 4]}, router: {}}}\nworkload: {traffic: {rate: 0.05, measure: 500}}\nfaults: {random: {kind: credit_loss, "
)

// TestRulesOfPrograms keeps and breaks each rule of a program and each that every run has, in both modes; the docs have
// the table.
func TestRulesOfPrograms(t *testing.T) {
	images := regexp.MustCompile(`IMAGE\[(\w+)\]`)
	tables := []string{"| rule | of |\n| --- | --- |\n"}
	for _, r := range programRules {
		for _, text := range []string{r.keeps, r.breaks} {
			breaks := text == r.breaks
			text = images.ReplaceAllStringFunc(text, func(name string) string {
				if name = images.FindStringSubmatch(name)[1]; name == "ascends" {
					return systemtest.AscendingImage(t)
				}
				return systemtest.Image(t, name)
			})
			for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
				s, err := starloom.ParseScenario("table.yaml", []byte("starloom: 1\n"+text+"\n"))
				require.NoError(t, err, text)
				if s.Firmware.Program != "" || s.Firmware.Image != "" {
					s.Firmware.Mode = mode
				}
				report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Runtime: "interpreter", Workers: 1}})
				require.NoError(t, err, text)
				require.Contains(t, report.Rules, r.rule)
				require.Equal(t, breaks, systemtest.ViolationsOf(report, r.rule) > 0, "%s: %s: %+v", r.rule, text, report.Violations)
				require.Equal(t, breaks, report.Verdict != starloom.VerdictPass, "%s: %+v", text, report.Violations)
			}
		}
		if r.rule == starloom.RuleNoCreation || r.rule == starloom.RuleReceiveStep ||
			r.rule == starloom.RuleAgreement || r.rule == starloom.RuleValidity || r.rule == starloom.RuleEnergy {
			for i := range tableNetworks {
				if r.rule == starloom.RuleNoCreation && tableNetworks[i].keeper != "" { // which is gossip
					continue
				}
				requireRefused(t, &tableNetworks[i], &tableRule{rule: r.rule, keeps: "true"})
			}
		}
		tables = append(tables, "| `"+r.rule+"` | "+r.where+" |\n")
	}
	systemtest.GoldenPart(t, "docs/reference/rules.md", "<!-- rules of programs -->\n", "<!-- their end -->\n", strings.Join(tables, ""))
}

// TestTableOfRules: where a rule is allowed, one run keeps it and another one breaks it; elsewhere it is refused, with
// a reason and a remedy. The table stands in the docs. Some of the cells have a processor in an instance of its own.
func TestTableOfRules(t *testing.T) {
	cells := 0
	tableOfRules(t, starloom.EngineAuto, func() string {
		cells++
		return []string{starloom.ModeBanked, starloom.ModeIsolated}[cells%6/5]
	})
}

// TestLongTableOfRules: so it is in the cycle engine, and with every processor in an instance of its own.
func TestLongTableOfRules(t *testing.T) {
	tableOfRules(t, starloom.EngineCycle, func() string { return starloom.ModeBanked })
	for _, engine := range []string{starloom.EngineAuto, starloom.EngineCycle} {
		tableOfRules(t, engine, func() string { return starloom.ModeIsolated })
	}
}

func tableOfRules(t *testing.T, engine string, mode func() string) {
	rows := [][]string{{"rule"}, {"---"}}
	for _, n := range tableNetworks {
		rows[0], rows[1] = append(rows[0], n.name), append(rows[1], "---")
	}
	for k := range tableRules {
		r := &tableRules[k]
		row := []string{"`" + r.rule + "`"}
		for i := range tableNetworks {
			n := &tableNetworks[i]
			if r.refusedOn(n.name) {
				requireRefused(t, n, r)
				row = append(row, "-")
				continue
			}
			requireKeptAndBroken(t, engine, mode(), n, r)
			row = append(row, "yes")
		}
		rows = append(rows, row)
	}
	var table strings.Builder
	for _, row := range rows {
		table.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	systemtest.GoldenPart(t, "docs/reference/rules.md", "<!-- the table of rules -->\n", "<!-- its end -->\n", table.String())
}

func requireRefused(t *testing.T, n *tableNetwork, r *tableRule) {
	s, err := ruled(t, n, r, false)
	if err == nil {
		_, err = starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Runtime: "interpreter"}})
	}
	var refused *starloom.InputError
	require.True(t, errors.As(err, &refused), "%s on %s: %v", r.rule, n.name, err)
	require.Contains(t, refused.Error(), r.rule)
	require.NotEmpty(t, refused.Remedy)
}

func requireKeptAndBroken(t *testing.T, engine, mode string, n *tableNetwork, r *tableRule) {
	for _, breaks := range []bool{false, true} {
		s, err := ruled(t, n, r, breaks)
		require.NoError(t, err, "%s on %s", r.rule, n.name)
		if s.Firmware.Mode == starloom.ModeBanked && (s.Firmware.Program != "" || s.Firmware.Image != "") {
			s.Firmware.Mode = mode
		}
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine, Runtime: "interpreter", Workers: 1}})
		require.NoError(t, err, "%s on %s", r.rule, n.name)
		require.Contains(t, report.Rules, r.rule)
		require.NotZero(t, report.Frames.Sent, "%s on %s", r.rule, n.name)
		require.Equal(t, breaks, systemtest.ViolationsOf(report, r.rule) > 0, "%s on %s: %+v", r.rule, n.name, report.Violations)
		if !breaks {
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%s on %s: %+v", r.rule, n.name, report.Violations)
		}
	}
}
