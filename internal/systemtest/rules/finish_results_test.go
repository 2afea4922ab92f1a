package rules

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/bus"
	"starloom/fabric/studies"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// electing is a run of firmware on one bus that is done after five slots, with results of its own.
func electing(t testing.TB, how int, rules string) *starloom.Scenario {
	arbiter := "fixed"
	if strings.HasPrefix(rules, starloom.RuleCollisionFree) {
		arbiter = "none"
	}
	s, err := starloom.ParseScenario("elects.yaml", fmt.Appendf(nil, "starloom: 1\nfabric: {bus: {vertices: 3, length: 3, buses: [[0, 1, 2]], arbiter: %s}}\n"+
		"stop: {slots: 60}\nfirmware: {image: %s, params: {how: %d}}\nrules: {%s}\n", arbiter, systemtest.Image(t, "keeps_rules"), how, rules))
	require.NoError(t, err)
	return s
}

// TestFinishBy judges the end of a run, in slots or cycles, in both engines; what can never be late is refused.
func TestFinishBy(t *testing.T) {
	base := systemtest.RunBoth(t, electing(t, 0, ""))
	require.EqualValues(t, 4, base.Slots)
	each := base.Cycles / base.Slots
	for limit, late := range map[string]bool{
		"4 slots": false, "3 slots": true, "4": false, fmt.Sprintf("%d cycles", 4*each): false, fmt.Sprintf("%d cycles", 4*each-1): true, "1 slot": true,
	} {
		report := systemtest.RunBoth(t, electing(t, 0, "finish_by: "+limit))
		require.Contains(t, report.Rules, starloom.RuleFinishBy)
		require.Equal(t, base.Digest, report.Digest)
		if !late {
			require.Equal(t, starloom.VerdictPass, report.Verdict, limit)
			continue
		}
		require.EqualValues(t, 1, report.ViolationsTotal, limit)
		require.Equal(t, starloom.RuleFinishBy, report.Violations[0].Rule)
		require.Equal(t, "bus", report.Violations[0].Path)
	}
	late := systemtest.RunBoth(t, electing(t, 0, "finish_by: 3 slots")).Violations[0]
	require.Equal(t, "the run was not over after 3 slots: 0 of 3 processors were done", late.Message)
	require.Equal(t, 3*each, late.Cycle)

	seeds, err := starloom.RunSeeds(t.Context(), electing(t, 0, "finish_by: 3 slots"), starloom.Seeds{First: 1, Last: 3}, starloom.RunOptions{})
	require.NoError(t, err)
	require.Len(t, seeds.Failed, 3)
	require.Equal(t, starloom.RuleFinishBy, seeds.Failed[0].Rule)

	for rules, want := range map[string]string{
		"finish_by: 61 slots": "rules.finish_by is 61 slots, but stop.slots ends the run after 60 slots: the rule could never be broken; write a lower limit, or make the run longer",
		"finish_by: 3 ticks":  "only firmware at routers has ticks",
		"finish_by: 0":        "allowed: 1 to",
		"finish_by: soon":     "write a number with its unit",
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {bus: {vertices: 3, length: 3, buses: [[0, 1, 2]]}}\nstop: {slots: 60}\nfirmware: {program: bus/sensors}\nrules: {"+rules+"}\n"))
		if err == nil {
			_, err = starloom.NewMachine(t.Context(), electing(t, 0, rules), starloom.MachineOptions{})
		}
		require.ErrorContains(t, err, want)
	}
}

// TestFinishByOfPackets checks that a run with traffic and without firmware ends when the measured packets have
// arrived.
func TestFinishByOfPackets(t *testing.T) {
	const mesh = "mesh: {k: [2, 2]}, router: {vcs: 2, depth: 4}"
	load := "workload: {traffic: {rate: 0.1, warm_up: 10, measure: 200, drain: 500}}\n"
	for name, rest := range map[string]string{"bare": load, "firmware": load + "firmware: {program: netlist/traffic}\n"} {
		plain, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, mesh, rest), starloom.RunOptions{})
		require.NoError(t, err)
		for cycles, verdict := range map[uint64]starloom.Verdict{plain.Cycles: starloom.VerdictPass,
			plain.Cycles - 1: starloom.VerdictFail, 5: starloom.VerdictFail} {
			report, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, mesh,
				rest+fmt.Sprintf("rules: {finish_by: %d cycles}\n", cycles)), starloom.RunOptions{})
			require.NoError(t, err)
			require.Equal(t, verdict, report.Verdict, "%s %d: %v", name, cycles, report.Violations)
			require.Equal(t, plain.Digest, report.Digest)
			require.Contains(t, report.Rules, starloom.RuleFinishBy)
		}
	}
	_, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, mesh,
		load+"firmware: {program: netlist/traffic}\nrules: {finish_by: 99999 cycles}\n"), starloom.RunOptions{})
	require.ErrorContains(t, err, "the windows of traffic end the run after")
}

// hurried is a bus network whose programs of gossip must be over in time, and a study of them.
type hurried struct {
	bus.Network
	by fabric.Duration
}

func (h hurried) Abilities() fabric.Abilities {
	a := h.Network.Abilities()
	adapt := a.Adapt
	a.Adapt = func(program, schedule string, params map[string]int64) fabric.Network {
		return hurried{adapt(program, schedule, params).(bus.Network), h.by}
	}
	a.Description.Studies = h.studies()
	return a
}

func (h hurried) Programs() []fabric.Program {
	programs := h.Network.Programs()
	for i := range programs {
		programs[i].Rules.FinishBy = &h.by
	}
	return programs
}

func (h hurried) studies() []fabric.Study {
	return []fabric.Study{&studies.Study{Name: "hurried", Cases: []string{"all"}, Run: func(r studies.Runs) error {
		out, err := r.Run(&studies.Setting{Network: h.Abilities().Adapt("bus/improved", "", nil), Program: "bus/improved",
			Sizes: nic.Sizes{PayloadBytes: 1, RxFrames: 1, TxFrames: 1}, SlotsMax: 40})
		if err == nil {
			r.Add(studies.StudyRow{Case: "all", Quantity: out.Broken, Measured: float64(out.Slots), OK: out.Passed})
		}
		return err
	}}}
}

// TestFinishByInStudies: a program's own rule holds in the runs of a study; one that no run can break is left out.
func TestFinishByInStudies(t *testing.T) {
	for slots, late := range map[uint64]bool{5: false, 4: true, 41: false} {
		by := fabric.Duration{Count: slots, Unit: fabric.UnitSlots}
		report, err := starloom.Networks{hurried{bus.Network{Vertices: 6, Length: 3}, by}}.Study(t.Context(), "hurried", starloom.StudyOptions{})
		require.NoError(t, err)
		require.Equal(t, !late, report.Rows[0].OK, report.Rows[0])
		require.Equal(t, late, strings.Contains(report.Rows[0].Quantity, "the run was not over after 4 slots"), report.Rows[0])
	}
}

// TestResultRules: named results of firmware are held to numbers, limits and one another when the run is over.
func TestResultRules(t *testing.T) {
	const odd = 6 // processor 0 gives another leader
	for _, c := range []struct {
		how         int
		rule, broke string
	}{
		{0, "leader: equal", ""}, {0, "leader: 1", ""}, {0, "leader: {min: 1, max: 1}", ""}, {0, "leader: {max: 5}", ""}, {0, "leader: {min: -3}", ""},
		{odd, "leader: equal", "processor 1 gave leader = 1, but processor 0 gave 2: all must be equal"},
		{odd, "leader: 1", "processor 0 gave leader = 2, but leader must be 1"},
		{odd, "leader: {max: 1}", "processor 0 gave leader = 2, but leader must be 1 or less"},
		{odd, "leader: {min: 2}", "processor 1 gave leader = 1, but leader must be 2 or more"},
		{odd, "leader: {min: 2, max: 4}", "processor 1 gave leader = 1, but leader must be 2 to 4"},
		{0, "leader: distinct", "processor 1 gave leader = 1, the same as processor 0: all must be distinct"},
	} {
		report := systemtest.RunBoth(t, electing(t, c.how, "results: {"+c.rule+"}"))
		if c.broke == "" {
			require.Equal(t, starloom.VerdictPass, report.Verdict, c.rule)
			continue
		}
		require.Equal(t, starloom.VerdictFail, report.Verdict, c.rule)
		require.Equal(t, []string{starloom.RuleResults, c.broke},
			[]string{report.Violations[0].Rule, report.Violations[0].Message})
	}
	named := systemtest.ImageScenario(t, "named")
	rule := func(name string) *starloom.Rules {
		return &starloom.Rules{Results: &fabric.ResultRules{Of: map[string]fabric.ResultRule{name: {Min: math.MinInt64,
			Max: 9}}}}
	}
	named.Rules = rule("draw")
	require.Equal(t, []string{"slot 1 pops.group[3].nic[0]: processor 3 gave no result draw"},
		systemtest.LossesOf(systemtest.RunBoth(t, named), starloom.RuleResults))
	named.Faults = systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"],
		`schedule: [{kind: dead, targets: ["pops.group[3].nic[0]"], slots: {from: 0}}]`).Faults
	report := systemtest.RunBoth(t, named)
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%v", report.Violations)
	require.Contains(t, strings.Join(report.Notes, "\n"), "the rules finishes and results leave them out")
	named.Rules = rule("drew")
	_, err := starloom.NewMachine(t.Context(), named, starloom.MachineOptions{})
	require.ErrorContains(t, err, `named.wasm gives no result "drew"; did you mean "draw"?`)
	direct := systemtest.ImageScenario(t, "direct")
	direct.Rules = rule("sum")
	_, err = starloom.NewMachine(t.Context(), direct, starloom.MachineOptions{})
	require.ErrorContains(t, err, `direct.wasm names no results; write STARLOOM_RESULTS("sum") in its source`)
	for text, want := range map[string]string{
		"results: {leader: alike}": "a number, equal, distinct or {min: ..., max: ...}", "results: {leader: {most: 3}}": `unknown key "most" in rules.results.leader; allowed: min and max`,
		"results: {leader: {min: 3, max: 1}}": "min 3 above max 1", "results: {}": "{leader: equal}", "results: {a: 1, a: 2}": "twice",
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nrules: {"+text+"}\n"))
		require.ErrorContains(t, err, want, text)
	}
}

// TestResultsThatAreLeft checks that a restart discards a processor's result, that a comparing rule needs two
// results, and that the report counts the judged results.
func TestResultsThatAreLeft(t *testing.T) {
	const once, alone, all = 11, `"bus.nic[0]", "bus.nic[2]"`, `"bus.nic[*]"`
	restart := "{kind: restart, targets: [\"bus.nic[2]\"], slots: {list: [2]}}"
	for _, c := range []struct {
		how                        int
		rule, fault, broke, judged string
	}{
		{once, "leader: equal", "", "", "leader equal: 3 processors judged"},
		{0, "leader: equal", restart, "", "leader equal: 3 processors judged"},
		{once, "leader: equal", restart, "processor 2 gave no result leader", "leader equal: 3 processors judged"},
		{0, "leader: equal", "{kind: dead, targets: [\"bus.nic[2]\"], slots: {from: 2}}", "", "leader equal: 2 processors judged"},
		{0, "leader: distinct", "{kind: dead, targets: [" + alone + "], slots: {from: 2}}",
			"processor 1 is the only processor with a judged result leader, but distinct compares the results of at least " +
				"two", "leader distinct: 1 processor judged"},
		{0, "leader: equal", "{kind: dead, targets: [" + alone + "], slots: {from: 2}}",
			"processor 1 is the only processor with a judged result leader, but equal compares the results of at least " +
				"two", "leader equal: 1 processor judged"},
		{0, "leader: 1", "{kind: dead, targets: [" + alone + "], slots: {from: 2}}", "", "leader 1: 1 processor judged"},
		{0, "leader: 1", "{kind: dead, targets: [" + all + "], slots: {from: 2}}",
			"processor 0 was killed by a fault, as all others were: no result leader was judged", "leader 1: 0 processors judged"},
	} {
		s := electing(t, c.how, "results: {"+c.rule+"}")
		if c.fault != "" {
			s.Faults = systemtest.FaultScenario(t, systemtest.FaultFabrics["bus"], "schedule: ["+c.fault+"]").Faults
		}
		report := systemtest.RunBoth(t, s)
		require.Equal(t, c.judged, report.Aside.Known.Limits[starloom.RuleResults], c)
		if c.broke == "" {
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%v: %v", c, report.Violations)
			continue
		}
		require.Equal(t, []string{starloom.RuleResults}, systemtest.Broken(report), c)
		require.Equal(t, c.broke, report.Violations[0].Message)
	}
}

// TestDeadlineSaysWhatItJudged: and one that has judged nothing has checked nothing.
func TestDeadlineSaysWhatItJudged(t *testing.T) {
	const nothing = "only the rules of every run were checked"
	s := electing(t, 0, "deadline_slots: 10")
	report := systemtest.RunBoth(t, s)
	require.Equal(t, "10 slots: 2 frames judged, each from its queueing on; no_loss would report a lost frame",
		report.Aside.Known.Limits[starloom.RuleDeadline])
	require.NotContains(t, strings.Join(report.Notes, "\n"), nothing)
	silent := systemtest.ImageScenario(t, "named") // which sends nothing
	silent.Workload, silent.Rules = starloom.Workload{Permutation: starloom.Permutation{Kind: starloom.PermutationRandom}},
		&starloom.Rules{DeadlineSlots: 10}
	report = systemtest.RunBoth(t, silent)
	require.Equal(t, "10 slots: 0 frames judged, each from its queueing on; no_loss would report a lost frame",
		report.Aside.Known.Limits[starloom.RuleDeadline])
	for deadline, rules := range map[string]string{"of no frame": "{deadline_slots: 10}",
		"beside another rule": "{deadline_slots: 10, no_loss: true}", "none": "{}"} {
		s, err := starloom.ParseScenario("silent.yaml", fmt.Appendf(nil,
			"starloom: 1\nfabric: {pops: {groups: 2, group_size: 1}}\nfirmware: {image: %s}\nrules: %s\n",
			systemtest.Image(t, "named"), rules))
		require.NoError(t, err)
		report = systemtest.RunBoth(t, s)
		require.Zero(t, report.Frames.Sent)
		require.Equal(t, deadline != "beside another rule", strings.Contains(strings.Join(report.Notes, "\n"), nothing), "a deadline %s", deadline)
	}
	direct := systemtest.ImageScenario(t, "direct")
	direct.Rules = &starloom.Rules{ExactlyOnce: true, DeadlineSlots: 10}
	report = systemtest.RunBoth(t, direct)
	require.Equal(t, "10 slots: 4 packets of the workload judged, no other frames", report.Aside.Known.Limits[starloom.RuleDeadline])
}

// TestCollisionFreeOfNoSlot: slots of a step that do not come are said to have been judged by nothing.
func TestCollisionFreeOfNoSlot(t *testing.T) {
	const says = "collision_free judged no slot: the run ended after 4 slots, before the %s of the 9 slots of each step"
	for slots, note := range map[string]string{"[4]": "", "[5]": fmt.Sprintf(says, "5th"), "[9, 6]": fmt.Sprintf(says, "9th, 6th"), "[1]": ""} {
		report := systemtest.RunBoth(t, electing(t, 0, "collision_free: {period: 9, slots: "+slots+"}"))
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		notes := strings.Join(report.Notes, "\n")
		require.Equal(t, note != "", strings.Contains(notes, "only the rules of every run were checked"), slots)
		require.Contains(t, notes, note)
		require.Equal(t, note != "", strings.Contains(notes, "collision_free"), notes)
	}
}
