package programs

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/fabric/referees"
	"starloom/fabric/studies"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// TestKnownRoutesTakeTheirSlots runs the deterministic programs on all small
// networks: no collision in any slot, every packet once, and exactly the slots of
// the formulas: 1 or 2*ceil(d/g) off-line, as many for every stage of the sorting
// network, 1 for one-to-all.
func TestKnownRoutesTakeTheirSlots(t *testing.T) {
	limit := 6
	if *systemtest.Full {
		limit = 30
	}
	for d := 1; d <= limit; d++ {
		for g := 1; g <= limit; g++ {
			p, err := pops.New(g, d)
			require.NoError(t, err)
			for name, slots := range map[string]int{
				"pops/offline": pops.OfflineSlots(p), "pops/sort": pops.SortSlots(p), "pops/one-to-all": 1,
			} {
				if name == "pops/sort" && d*g > 100 {
					continue // the other two cover the rest
				}
				for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
					if engine == starloom.EngineCycle && d*g > 36 {
						continue
					}
					report := systemtest.Finish(t, systemtest.ProgramScenario(name, d, g), starloom.MachineOptions{Engine: engine})
					require.EqualValues(t, slots, report.Slots, "%s on POPS(%d,%d)", name, d, g)
					require.Equal(t, d*g, report.Metrics.Get("delivered"))
				}
			}
		}
	}
}

// TestCorrectedRoutingDeliversAll runs the corrected randomised router where the
// published one has gaps: d > g, d < g, d no multiple of g.
func TestCorrectedRoutingDeliversAll(t *testing.T) {
	for _, size := range [][2]int{{8, 2}, {16, 4}, {32, 2}, {8, 16}, {8, 32}, {5, 3}, {3, 5}, {7, 1},
		{1, 8}, {4, 4}, {9, 4}} {
		for seed := range uint64(5) {
			s := systemtest.ProgramScenario("pops/random-corrected", size[0], size[1])
			s.Seed, s.Stop.Slots = seed, 20000
			slot := systemtest.Finish(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
			cycle := systemtest.Finish(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
			require.Equal(t, slot.Digest, cycle.Digest)
		}
	}
}

// TestPublishedRoutingLosesPackets shows the error of the published rule for d > g: packets collide in slot 5 after
// they have been acknowledged.
func TestPublishedRoutingLosesPackets(t *testing.T) {
	s := systemtest.ProgramScenario("pops/random", 16, 4)
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	report := m.Report()
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	rules := map[string]bool{}
	for _, v := range report.Violations {
		rules[v.Rule] = true
		if v.Rule == starloom.RuleCollisionFree {
			require.EqualValues(t, 4, v.Slot%5, "only slot 5 of a step is wrong")
		}
	}
	require.True(t, rules[starloom.RuleCollisionFree] && rules[starloom.RuleExactlyOnce])
	require.Positive(t, report.Metrics.Get("lost"))
	require.Equal(t, 64, report.Metrics.Get("delivered").(int)+report.Metrics.Get("lost").(int))
}

// TestPublishedRoutingSaysWhereItIsRight checks that a user of the published routing learns its limits, with any
// verdict.
func TestPublishedRoutingSaysWhereItIsRight(t *testing.T) {
	for _, c := range []struct {
		program string
		d, g    int
		want    string
	}{
		{"pops/random", 4, 4, ""}, {"pops/random-corrected", 2, 4, ""},
		{"pops/random", 2, 8, "here d = 2 and g = 8, fewer processors than groups: "}, {"pops/random", 8, 2, "here d = 8 and g = 2, more processors than groups: "},
		{"pops/random", 7, 8, "here d = 7 and g = 8, fewer processors than groups: "},
	} {
		report, err := starloom.Run(t.Context(), systemtest.ProgramScenario(c.program, c.d, c.g), starloom.RunOptions{})
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, report.Notes)
			continue
		}
		require.NotEmpty(t, report.Notes) // a run that never ends has one more, of its limit
		require.Contains(t, report.Notes[0], c.want)
		require.Contains(t, report.Notes[0], "; pops/random-corrected routes any d and g")
	}
}

// TestLongAdversaryDefeatsTwoHops builds the permutation that a two-hops firmware
// cannot route, and runs it: some packet has not arrived after T slots. The slow
// reference, pops.RouteTwoHops, must agree on every packet.
func TestLongAdversaryDefeatsTwoHops(t *testing.T) {
	for _, c := range []struct{ groups, slots int }{{16, 8}, {32, 10}, {64, 12}, {128, 14}} {
		if testing.Short() && c.groups > 32 {
			continue
		}
		for choice := range int64(4) {
			if c.groups > 32 && choice > 0 && !*systemtest.Full { // every choice on small networks, one on large ones
				continue
			}
			t.Run(fmt.Sprintf("g=%d/choice=%d", c.groups, choice), func(t *testing.T) {
				s := systemtest.ProgramScenario("pops/two-hops", c.groups, c.groups)
				s.Firmware.Params = map[string]int64{"choice": choice}
				s.Workload = starloom.Workload{Adversary: &starloom.Adversary{Slots: c.slots}}
				s.Stop.Slots = uint32(c.slots)
				m := systemtest.Machine(t, s, starloom.MachineOptions{})
				require.NoError(t, m.Run(context.Background(), nil))
				report := m.Report()
				require.Equal(t, starloom.VerdictFail, report.Verdict)
				require.Less(t, report.Metrics.Get("delivered").(int), c.groups*c.groups)

				instance := inside.Machine(m).Shards[0].Instances[0].(firmware.Caller)
				table := pops.NewChoiceTable(*s.Fabric.POPS, c.slots, func(packet, slot int) int {
					group, err := instance.Call("choice", uint32(packet), uint32(slot-1), uint32(c.groups), uint32(c.groups))
					require.NoError(t, err)
					return int(group)
				})
				arrivals, err := pops.RouteTwoHops(*s.Fabric.POPS, table,
					referees.PacketsOf(inside.Machine(m).Referee).Destination, c.slots)
				require.NoError(t, err)
				for packet, slot := range arrivals {
					require.Equal(t, slot > 0, referees.PacketsOf(inside.Machine(m).Referee).Arrived[referees.PacketsOf(inside.Machine(m).Referee).Destination[packet]] > 0, "packet %d", packet)
				}
			})
		}
	}
}

// TestTwoHopsEnginesAgree is the differential test of the class's free
// acknowledgement.
func TestTwoHopsEnginesAgree(t *testing.T) {
	s := systemtest.ProgramScenario("pops/two-hops", 8, 8)
	s.Stop.Slots = 40
	want := ""
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, workers := range []int{1, 2} {
				s.Firmware.Mode = mode
				got := systemtest.Result(t, s, starloom.MachineOptions{Engine: engine, Workers: workers, BankSize: 16})
				if want == "" {
					want = got
				}
				require.Equal(t, want, got)
			}
		}
	}
}

// TestAllPermutations routes every permutation of small networks.
func TestAllPermutations(t *testing.T) {
	for _, c := range []struct {
		program string
		d, g    int
		full    bool
		slots   uint64 // of the worst permutation; 0 where it is random
	}{
		{"pops/offline", 2, 3, false, 2}, {"pops/offline", 3, 2, false, 4}, {"pops/sort", 2, 3, false, 12},
		{"pops/random-corrected", 2, 3, false, 0}, {"pops/random-corrected", 3, 2, false, 0},
		{"pops/offline", 4, 2, false, 4}, {"pops/random-corrected", 4, 2, true, 0}, {"pops/random", 2, 2, false, 0},
		{"pops/offline", 2, 4, false, 2}, {"pops/offline", 3, 3, true, 2}, {"pops/random", 3, 3, true, 0}, {"pops/sort", 3, 3, true, 20},
	} {
		if c.full && !*systemtest.Full {
			continue
		}
		s := systemtest.ProgramScenario(c.program, c.d, c.g)
		s.Workload.Permutation.Kind = starloom.PermutationAll
		s.Stop.Slots = 100000
		var want *starloom.Report
		for _, workers := range []int{1, 2} {
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: workers}}
			report, err := starloom.Run(context.Background(), s, o)
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v: %+v", c, report.Violations)
			if c.slots > 0 {
				require.Equal(t, c.slots, report.Slots, "%+v", c)
			}
			if want == nil {
				want = report
			}
			require.Equal(t, want, report)
			if c.full {
				break
			}
		}
	}
}

// TestAllPermutationsFindsTheFailure plants a firmware that fails on some
// permutations only and asks for the first of them.
func TestAllPermutationsFindsTheFailure(t *testing.T) {
	s := systemtest.ImageScenario(t, "direct") // right for the reverse permutation only
	s.Workload.Permutation.Kind = starloom.PermutationAll
	report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, 24, report.Metrics.Get("permutations"))
	require.Equal(t, 23, report.Metrics.Get("failed"))
	require.Equal(t, []uint32{0, 1, 2, 3}, report.Metrics.Get("failing_permutation"))
	require.Contains(t, report.Violations[0].Message, "permutation [0 1 2 3]: ")
}

// TestPublishedMeans holds the mean number of iterations of the smallest networks
// over 20,000 seeds to four standard errors of the exact means, 3.019 and 4.316.
func TestPublishedMeans(t *testing.T) {
	const runs = 20000
	for _, c := range []struct {
		groups   int
		mean, sd float64
	}{{2, 3.019, 1.7518}, {4, 4.316, 1.1006}} {
		m := systemtest.Machine(t, systemtest.RouterScenario("pops/random", c.groups, c.groups), starloom.MachineOptions{Engine: starloom.EngineSlot})
		sum := 0
		for seed := uint64(1); seed <= runs; seed++ {
			require.NoError(t, m.Reset(seed))
			require.NoError(t, m.Run(context.Background(), nil))
			sum += inside.Machine(m).Steps()
		}
		require.InDelta(t, c.mean, float64(sum)/runs, 4*c.sd/math.Sqrt(runs), "n = %d", c.groups*c.groups)
	}
}

// TestStudyTolerance checks that a tolerance follows from the larger deviation of both sides, and that the row names
// that side. The reference of POPS(256,16) has 300 runs and a smaller deviation than longer samples.
func TestStudyTolerance(t *testing.T) {
	for _, c := range []struct {
		reference, measured, larger float64
		says                        string
	}{
		{1.396, 2.25, 2.25, "tolerance by the measured sd, above the reference's 1.396"},
		{2.25, 1.396, 2.25, "tolerance by the reference's sd 2.250, above the measured"},
	} {
		sample := studies.Sample{Runs: 400, SD: c.measured}
		tolerance, says := sample.Tolerance(c.reference, 300)
		require.InDelta(t, 3.5*c.larger*math.Sqrt(1./400+1./300), tolerance, 1e-12)
		require.Equal(t, c.says, says)
	}
}

// TestLostFixedPoint: a packet for its own processor is routed like all others, and where it is lost the
// report does not say that it was never received.
func TestLostFixedPoint(t *testing.T) {
	s := systemtest.Routing(3, 2)
	s.Seed = 2
	report := systemtest.MachineReport(t, s)
	require.Contains(t, systemtest.ViolationsText(report), "processor 3 lost its packet for itself, which is routed like all others")
	require.NotContains(t, systemtest.ViolationsText(report), "processor 3 never received the packet of processor 3")
}
