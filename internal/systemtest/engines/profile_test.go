package engines

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/internal/systemtest"
)

// slowScenario runs firmware on which processor 2 is slow in slot 3.
func slowScenario(t *testing.T, turns int64) *starloom.Scenario {
	return slowScenarioOf(t, turns, "testdata/firmware/slow.c")
}

func slowScenarioOf(t *testing.T, turns int64, source string) *starloom.Scenario {
	image := filepath.Join(t.TempDir(), "slow.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image, Debug: true}))
	s := systemtest.ImageScenario(t, "asserts")
	s.Firmware.Image, s.Firmware.CPU, s.Firmware.Params, s.Rules = image, starloom.CPU{Model: "unit",
		ClockRatio: 2}, map[string]int64{"turns": turns}, &starloom.Rules{}
	return s
}

// profiled runs a scenario with a profile.
func profiled(t *testing.T, s *starloom.Scenario, o starloom.MachineOptions) (report *starloom.Report, folded string) {
	var profile bytes.Buffer
	report, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{MachineOptions: o, Profile: starloom.Writer(&profile)})
	require.NoError(t, err)
	return report, profile.String()
}

// TestProfileOfLongestCall: the stack of the longest call leads to the line that is slow, its costs
// add up to what the call has cost in the run, and a turn of a loop costs the same each time.
func TestProfileOfLongestCall(t *testing.T) {
	costs := map[int64]uint64{} // of the slow line, by turns
	for _, turns := range []int64{1000, 2000, 3000} {
		report, _ := profiled(t, slowScenario(t, turns), starloom.MachineOptions{})
		worst := report.Firmware.Cycles.Worst
		require.Equal(t, starloom.WorstCall{Processor: 2, Path: "pops.group[2].nic[0]", Slot: 3, Profile: worst.Profile}, *worst)
		p := worst.Profile
		require.Equal(t, report.Firmware.Cycles.Max, (p.Cost+1)/2, "two instructions a cycle")
		var texts []string
		for _, l := range p.Stack {
			texts = append(texts, l.String())
		}
		require.Equal(t, []string{"find at slow.c:16", "look_up at slow.c:24", "on_slot at slow.c:53"}, texts[:3])
		require.Equal(t, p.Cost, p.Stack[len(p.Stack)-1].Cost, "all of it in the handler")
		require.Equal(t, "find at slow.c:16", p.Lines[0].String())
		costs[turns] = p.Lines[0].Cost
	}
	require.Equal(t, costs[2000]-costs[1000], costs[3000]-costs[2000])
	require.Greater(t, costs[2000]-costs[1000], uint64(1000*5))
}

// TestProfileOfCodeWithoutALine checks that code of line 0 in a checked build counts as the preceding line's.
func TestProfileOfCodeWithoutALine(t *testing.T) {
	text, err := os.ReadFile("testdata/firmware/slow.c")
	require.NoError(t, err)
	without := strings.Replace(string(text), "found += table[k % 64];\n",
		"{ found += table[k % 64];\n#line 0\n found ^= table[(k + 1) % 64] * k; }\n#line 17\n", 1)
	source := filepath.Join(t.TempDir(), "slow.c")
	require.NoError(t, os.WriteFile(source, []byte(without), 0o644))
	cost := func(source string) uint64 {
		report, _ := profiled(t, slowScenarioOf(t, 1000, source), starloom.MachineOptions{})
		p := report.Firmware.Cycles.Worst.Profile
		require.Equal(t, "find at slow.c:16", p.Lines[0].String())
		for _, l := range p.Lines {
			require.Contains(t, l.String(), ":", "a line without a number")
		}
		return p.Lines[0].Cost
	}
	require.Greater(t, cost(source), cost("testdata/firmware/slow.c")+1000*3)
}

// TestProfileIsBounded: of a call that costs more than is profiled, the first part is; of calls inside each
// other only some are told apart, and no cost is lost.
func TestProfileIsBounded(t *testing.T) {
	report, _ := profiled(t, slowScenario(t, 2_000_000), starloom.MachineOptions{})
	p := report.Firmware.Cycles.Worst.Profile
	require.True(t, p.Cut)
	require.InDelta(t, firmware.ProfileCostMax, p.Cost, 100)
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	require.Contains(t, text.String(), "of the first part of the call, up to a cost of 100000")

	s := slowScenario(t, 10)
	s.Firmware.Params["deep"] = 200
	report, _ = profiled(t, s, starloom.MachineOptions{})
	p = report.Firmware.Cycles.Worst.Profile
	require.False(t, p.Cut)
	require.Equal(t, report.Firmware.Cycles.Max, (p.Cost+1)/2)
	require.Equal(t, "dig", p.Stack[0].Function)
	require.Len(t, p.Stack, 65, "64 calls, and on_slot, which is inlined")
}

// TestProfileOfATree: a tree of calls has more stacks than are told apart; they are bounded, no cost is
// lost, and it takes no longer than its costs.
func TestProfileOfATree(t *testing.T) {
	s := slowScenario(t, 10)
	s.Firmware.Params["deep"] = -14
	report, folded := profiled(t, s, starloom.MachineOptions{})
	p := report.Firmware.Cycles.Worst.Profile
	require.Equal(t, report.Firmware.Cycles.Max, (p.Cost+1)/2)
	require.Equal(t, "branch", p.Stack[0].Function)
	require.Less(t, strings.Count(folded, "\n"), 20_000)
	require.Greater(t, strings.Count(folded, "\n"), 1_000)
}

// TestProfileOfBytes: what memory.fill costs for its bytes is that line's, even if it costs nothing else.
func TestProfileOfBytes(t *testing.T) {
	s := slowScenario(t, 10)
	s.Firmware.Params["deep"] = -1
	s.Firmware.CPU = starloom.CPU{Model: starloom.ModelCustom, Cost: map[string]int64{"memory": 0, "memory_byte": 1}}
	report, _ := profiled(t, s, starloom.MachineOptions{})
	p := report.Firmware.Cycles.Worst.Profile
	require.Equal(t, "wipe at slow.c:34", p.Lines[0].String())
	require.InDelta(t, 4010, p.Lines[0].Cost, 10)
}

// TestProfileThatIsNotKnown leaves no file, and says so.
func TestProfileThatIsNotKnown(t *testing.T) {
	s := slowScenario(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "longest.folded")
	report, err := starloom.Run(ctx, s,
		starloom.RunOptions{Profile: starloom.File(path), Progress: func(p starloom.Progress) {
			if p.Repeated {
				cancel()
			}
		}})
	require.NoError(t, err)
	require.Contains(t, report.Notes[len(report.Notes)-1], "the cost profile of the longest call is unknown: ")
	require.NoFileExists(t, path)
	require.Nil(t, report.Firmware.Cycles.Worst.Profile)
	for _, file := range report.Files {
		require.NotEqual(t, path, file.Path)
	}
}

// TestProfileWithoutLines: without debug information a profile names functions.
func TestProfileWithoutLines(t *testing.T) {
	s := slowScenario(t, 1000)
	binary, err := os.ReadFile(s.Firmware.Image)
	require.NoError(t, err)
	s.Firmware.ImageBytes = bytes.ReplaceAll(binary, []byte(".debug_line"), []byte(".nothing___"))
	report, folded := profiled(t, s, starloom.MachineOptions{})
	stack := report.Firmware.Cycles.Worst.Profile.Stack
	require.Equal(t, []string{"find", "look_up"}, []string{stack[0].String(), stack[1].String()})
	require.Contains(t, folded, ";look_up;find ")
}

// TestProfilesAddUp checks that the stacks of the longest call of every POPS program add up to its cost, in all
// modes, bank sizes, runtimes and engines.
func TestProfilesAddUp(t *testing.T) {
	line := regexp.MustCompile(`^[^;]+(;[^;]+)* (\d+)$`)
	for _, program := range []string{"pops/random", "pops/sort", "pops/offline"} {
		s := systemtest.RouterScenario(program, 4, 4)
		s.Firmware.CPU = starloom.CPU{Model: "rv32-inorder", BudgetCycles: 100}
		s.Stop.Slots = 20
		want := ""
		for _, o := range []starloom.MachineOptions{{}, {BankSize: 4, Workers: 2}, {Runtime: "interpreter"},
			{Engine: starloom.EngineCycle}, systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true})} {
			for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
				s.Firmware.Mode = mode
				report, folded := profiled(t, s, o)
				var sum uint64
				for _, text := range strings.Split(strings.TrimSpace(folded), "\n") {
					match := line.FindStringSubmatch(text)
					require.NotNil(t, match, text)
					cost, err := strconv.ParseUint(match[2], 10, 64)
					require.NoError(t, err)
					sum += cost
				}
				worst := report.Firmware.Cycles.Worst
				require.Equal(t, report.Firmware.Cycles.Max, sum, "%s %+v", program, o)
				this := fmt.Sprint(worst.Processor, worst.Slot, worst.Profile.Stack, worst.Profile.Lines, folded)
				require.Equal(t, cmp.Or(want, this), this, "%s %s %+v", program, mode, o)
				want = this
			}
		}
	}
}

// TestProfileOfMissedSlots: a run that has missed slots has the stack of its longest call without
// being asked, and one that has not has none.
func TestProfileOfMissedSlots(t *testing.T) {
	s := systemtest.RouterScenario("pops/random", 4, 4)
	s.Stop.Slots = 20
	for budget, want := range map[int]bool{100: true, 100_000: false} {
		s.Firmware.CPU = starloom.CPU{Model: "unit", BudgetCycles: budget}
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, want, *report.Firmware.Overruns > 0)
		require.Equal(t, want, report.Firmware.Cycles.Worst.Profile != nil)
	}
	s.Firmware.CPU = starloom.CPU{}
	_, err := starloom.Run(t.Context(), s, starloom.RunOptions{Profile: starloom.Writer(&bytes.Buffer{})})
	require.ErrorContains(t, err, "--profile")
}
