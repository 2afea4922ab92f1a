package check

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/systemtest"
)

// TestCheckPasses: built-in programs differ nowhere and keep to their own, whether their handlers
// cost something or not. With a budget, what they cost may change what they do.
func TestCheckPasses(t *testing.T) {
	for _, c := range []struct {
		program string
		cpu     starloom.CPU
		runs    int
	}{
		{"pops/random", starloom.CPU{}, 8},
		{"pops/sort", starloom.CPU{}, 8},
		{"pops/random", starloom.CPU{Model: "rv32-inorder", ClockRatio: 3}, 8},
		{"pops/random", starloom.CPU{Model: "unit", ClockRatio: 1, BudgetCycles: 4096}, 7},
	} {
		s := starloom.DefaultScenario()
		s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
		s.Firmware.Program, s.Firmware.CPU = c.program, c.cpu
		check, text := systemtest.Checked(t, s)
		require.Equal(t, starloom.VerdictPass, check.Verdict, text)
		require.Empty(t, check.Writes)
		require.Len(t, check.NotCompared, 8-c.runs)
		require.Len(t, check.Runs, c.runs)
		require.True(t, check.Watched.Whole)
		ways := map[string]int{}
		for _, run := range check.Runs {
			require.True(t, run.Same)
			require.Equal(t, check.Runs[0].Digest, run.Digest)
			ways[fmt.Sprint(run.Mode, run.Runtime, run.Engine, run.Metered)]++
		}
		require.Len(t, ways, c.runs-2)
		require.Contains(t, text, fmt.Sprintf("no difference found between %d runs", c.runs))
	}
}

// TestCheckComparesFaults: what handlers say when they trap, give up or break an assertion is the
// same in all ways to execute them, metered or not, whether the image has names or none.
func TestCheckComparesFaults(t *testing.T) {
	for _, image := range []string{"traps", "gives_up", "asserts"} {
		binary, err := os.ReadFile(systemtest.Image(t, image))
		require.NoError(t, err)
		nameless := bytes.Replace(binary, []byte("\x04name"), []byte("\x04none"), 1)
		require.NotEqual(t, binary, nameless)
		for names, bytes := range map[string][]byte{"names": binary, "no names": nameless} {
			s := systemtest.CheckScenario(t, image)
			s.Firmware.ImageBytes = bytes
			check, text := systemtest.Checked(t, s)
			require.Nil(t, check.Difference, "%s, %s: %s", image, names, text)
			require.Equal(t, starloom.VerdictFail, check.Runs[0].Verdict, "the handlers have failed")
			require.Equal(t, starloom.VerdictFail, check.Verdict, "and so has the check")
			require.True(t, check.Runs[4].Metered)

			reports := [2]starloom.Report{}
			for i, cpu := range []starloom.CPU{{}, {Model: "unit"}} {
				s.Firmware.CPU = cpu
				m := systemtest.Machine(t, s, starloom.MachineOptions{})
				require.NoError(t, m.Run(t.Context(), nil))
				reports[i] = *m.Report()
			}
			require.NotNil(t, reports[1].Firmware.Cycles)
			reports[1].Firmware.CPU, reports[1].Firmware.Cycles, reports[1].Firmware.StartCycles = "", nil, nil
			require.Equal(t, systemtest.ReportBytes(t, &reports[0]), systemtest.ReportBytes(t, &reports[1]))
		}
	}
}

// TestCheckHasOneVerdict: what fails the run fails its check, and so does a static variable that no
// result depends on. A frame that is lost because the FIFO is full is the SDK's own.
func TestCheckHasOneVerdict(t *testing.T) {
	for _, c := range []struct {
		image   string
		params  map[string]int64
		verdict starloom.Verdict
		text    string
	}{
		{"traps", nil, starloom.VerdictFail, "  the run itself fails: 1 violation\n    firmware_trap: cycle "},
		{"announces", nil, starloom.VerdictFail, " announced the packet of processor 7, but had received no frame with it\n"},
		{"announces", map[string]int64{"by": 1}, starloom.VerdictPass, ""},
		{"writes_next_door", map[string]int64{"restarts": 1}, starloom.VerdictFail,
			"  static variable: slot 0: pops.group[0].nic[0]: its handler writes into starts (writes_next_door.c:12), at address "},
		{"overfills", nil, starloom.VerdictPass, ""},
		{"scratches", nil, starloom.VerdictPass, "  note: slot 1: pops.group[0].nic[0]: its handler writes into scratch (scratches.c:9), at address "},
		{"scratches", map[string]int64{"keeps": 1}, starloom.VerdictFail,
			"  static variable: slot 1: pops.group[0].nic[0]: its handler writes into scratch (scratches.c:9), at address "},
	} {
		s := systemtest.CheckScenario(t, c.image)
		s.Firmware.Params = c.params
		if c.image == "announces" {
			s.Fabric.POPS = &pops.Network{Groups: 8, GroupSize: 1}
			s.Workload.Permutation.Kind = starloom.PermutationReverse
			s.Rules = &starloom.Rules{ExactlyOnce: true}
		}
		check, text := systemtest.Checked(t, s)
		require.Equal(t, c.verdict, check.Verdict, text)
		require.Contains(t, text, c.text)
		require.Nil(t, check.Difference)
		if c.verdict == starloom.VerdictFail {
			require.True(t, check.ViolationsTotal > 0 || strings.Contains(text, "    remedy: keep all of a processor's state "+
				"in its state_t\n"), text)
		}
	}
}

// TestCheckNamesRecursion: where the interpreter ends recursion is a known limit, which the
// difference says; what differs is in the reports only.
func TestCheckNamesRecursion(t *testing.T) {
	check, text := systemtest.Checked(t, systemtest.CheckScenario(t, "recurses"))
	require.Equal(t, starloom.VerdictFail, check.Verdict)
	d := check.Difference
	require.False(t, d.Found)
	require.Equal(t, "interpreter", check.Runs[d.Runs[1]].Runtime)
	require.Equal(t, "violations[0].message", d.Field)
	require.Contains(t, d.First, "stack overflow")
	require.Contains(t, d.Other, "in recurse at recurses.c:")
	require.Contains(t, text, "first difference: the reports differ in violations[0].message (the state of no processor does)\n    "+d.First+"  isolated, compiler")
	require.Contains(t, text, "usual cause: compiler and interpreter differ, usually because of a known limit: the "+
		"firmware has functions that may call themselves (")
	require.Contains(t, text, "remedy: end the recursion earlier, or replace it with a loop\n")
}

// TestCheckExplainsADifference follows a static variable. The first difference is in a sent frame, one slot before
// its reception, and the report names the variable.
func TestCheckExplainsADifference(t *testing.T) {
	check, text := systemtest.Checked(t, systemtest.CheckScenario(t, "shares_a_variable"))
	require.Equal(t, starloom.VerdictFail, check.Verdict)
	require.Equal(t, starloom.ModeIsolated, check.Runs[0].Mode)
	for _, run := range check.Runs {
		require.Equal(t, run.Mode == starloom.ModeIsolated, run.Same, run.Text())
	}
	d := check.Difference
	require.True(t, d.Found)
	require.EqualValues(t, 2, d.Slot)
	require.Equal(t, 0, d.Processor)
	require.Equal(t, "pops.group[0].nic[0]", d.Path)
	require.Equal(t, "sent_frame[0] to port 1", d.Item)
	require.Equal(t, 8, d.Processors, "no processor has counted alone")
	require.Equal(t, "03", d.First[:2], "calls of this handler in the slots 0 to 2")
	require.Equal(t, "11", d.Other[:2], "calls of all eight in two slots, and one")
	require.Contains(t, d.Cause, "count (shares_a_variable.c:9)")
	require.Contains(t, text, "first difference: slot 2: pops.group[0].nic[0]: sent_frame[0] to port 1")
	require.Len(t, check.Writes, 1)
	require.Equal(t, 8*5, check.Writes[0].Count)
	require.False(t, check.Writes[0].Harms())
}

// TestCheckFindsForeignWrites: no result depends on these, be they a slot handler's or a start
// handler's that is called again.
func TestCheckFindsForeignWrites(t *testing.T) {
	restart := systemtest.FaultScenario(t, "fabric: {pops: {groups: 4, group_size: 2}}\nfirmware: {program: pops/random}",
		`schedule: [{kind: restart, targets: ["pops.group[0].nic[1]"], slots: {list: [3]}}]`)
	for name, c := range map[string]struct {
		params map[string]int64
		after  string
	}{
		"slot":     {nil, "ad0b"},
		"16 words": {map[string]int64{"words": 16}, strings.Repeat("ad0b0000", 3) + "ad0b"},
		"restart":  {map[string]int64{"restarts": 1}, "ad0b"},
	} {
		s := systemtest.CheckScenario(t, "writes_next_door")
		if s.Firmware.Params = c.params; c.params["restarts"] > 0 {
			s.Faults = restart.Faults
		}
		check, text := systemtest.Checked(t, s)
		require.Equal(t, starloom.VerdictFail, check.Verdict, name)
		require.Nil(t, check.Difference)
		k := slices.IndexFunc(check.Writes, starloom.CheckWrite.Harms)
		require.Equal(t, len(check.Writes)-1, k, text)
		w := check.Writes[k]
		require.EqualValues(t, 3, w.Slot)
		require.Equal(t, 1, w.Processor)
		require.Equal(t, 2, *w.Neighbour)
		require.Equal(t, "record", w.Column)
		require.Equal(t, c.after, w.After)
		require.Equal(t, 1, w.Count, "a call is one, however many bytes it writes")
		require.Contains(t, text, "foreign write: slot 3: pops.group[0].nic[1]")
	}
}

// TestCheckRunsEachWayOnce: a bank has whole groups, so that half of two groups is as small as it
// can be.
func TestCheckRunsEachWayOnce(t *testing.T) {
	s := systemtest.CheckScenario(t, "writes_next_door")
	s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
	check, text := systemtest.Checked(t, s)
	require.Len(t, check.Runs, 7)
	ways := map[string]bool{}
	for i := range check.Runs {
		way := check.Runs[i].Text()
		require.False(t, ways[way], text)
		ways[way] = true
	}
	require.Contains(t, text, "no difference found between 7 runs")
}

// TestCheckFindsGrowth: a handler that takes memory takes it for all processors of a bank, even if
// no result depends on it.
func TestCheckFindsGrowth(t *testing.T) {
	check, text := systemtest.Checked(t, systemtest.CheckScenario(t, "grows"))
	require.Equal(t, starloom.VerdictFail, check.Verdict)
	require.Nil(t, check.Difference)
	require.Len(t, check.Writes, 1)
	require.Positive(t, check.Writes[0].Grown)
	require.Contains(t, text, "memory growth: slot 0: pops.group[0].nic[0]: its handler lets the memory grow by")
}

// TestCheckNamesGlobals: those of WebAssembly are shared by a bank, too.
func TestCheckNamesGlobals(t *testing.T) {
	check, text := systemtest.Checked(t, systemtest.CheckScenario(t, "counts"))
	require.NotEmpty(t, check.Writes, text)
	require.NotEmpty(t, check.Writes[0].Global, text)
}

// TestCheckEndsAHandler: without an end to it nothing could be compared. One that traps is no such
// handler.
func TestCheckEndsAHandler(t *testing.T) {
	check, text := systemtest.Checked(t, systemtest.CheckScenario(t, "never_returns"))
	require.Equal(t, starloom.VerdictFail, check.Verdict)
	require.Empty(t, check.Runs)
	require.Len(t, check.Faults, 1)
	require.Contains(t, check.Faults[0], "slot 2: pops.group[1].nic[1]: its handler traps in on_slot at never_returns.c:15:")
	require.Contains(t, check.Faults[0], "it has not returned after ")
	require.Contains(t, text, "FAIL  check of never_returns.wasm in never_returns, seed 1\n")
}

func TestCheckRefusesManyRuns(t *testing.T) {
	s := systemtest.CheckScenario(t, "writes_next_door")
	s.Workload.Permutation.Kind = starloom.PermutationAll
	_, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{})
	var input *starloom.InputError
	require.ErrorAs(t, err, &input)
	require.Equal(t, "workload.permutation", input.Place)
}
