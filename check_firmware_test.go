package starloom

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/pops"
)

// checkScenario is a scenario for images that carry no packets.
func checkScenario(t testing.TB, image string) *Scenario {
	s := imageScenario(t, image)
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 2}
	s.Rules = &Rules{}
	return s
}

func checked(t testing.TB, s *Scenario) (check *FirmwareCheck, text string) {
	var b, form bytes.Buffer
	check, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{JSON: Writer(&form)})
	require.NoError(t, err)
	require.NoError(t, check.WriteText(&b))
	var back FirmwareCheck
	require.NoError(t, json.Unmarshal(form.Bytes(), &back))
	require.Equal(t, *check, back)
	return check, b.String()
}

// TestCheckPasses: built-in programs differ nowhere and keep to their own.
func TestCheckPasses(t *testing.T) {
	for _, program := range []string{"pops/random", "pops/sort", "pops/random metered"} {
		s := DefaultScenario()
		s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
		metered := false
		s.Firmware.Program, metered = strings.CutSuffix(program, " metered")
		if metered {
			s.Firmware.CPU = CPU{Model: "unit", ClockRatio: 1, BudgetCycles: 4096}
		}
		check, text := checked(t, s)
		require.Equal(t, VerdictPass, check.Verdict, text)
		require.Empty(t, check.Writes)
		require.Empty(t, check.NotCompared)
		require.Len(t, check.Runs, 7)
		require.True(t, check.Watched.Whole)
		modes := map[string]int{}
		for _, run := range check.Runs {
			require.True(t, run.Same)
			require.Equal(t, check.Runs[0].Digest, run.Digest)
			modes[run.Mode+run.Runtime+run.Engine]++
		}
		require.Len(t, modes, 5)
		require.Contains(t, text, "no difference found between 7 runs")
	}
}

// TestCheckExplainsADifference follows a static variable: what is sent differs first, one
// slot before anybody hears it, and the variable is named.
func TestCheckExplainsADifference(t *testing.T) {
	check, text := checked(t, checkScenario(t, "shares_a_variable"))
	require.Equal(t, VerdictFail, check.Verdict)
	require.Equal(t, ModeIsolated, check.Runs[0].Mode)
	for _, run := range check.Runs {
		require.Equal(t, run.Mode == ModeIsolated, run.Same, run.text())
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
	require.False(t, check.Writes[0].harms())
}

// TestCheckFindsForeignWrites: no result depends on this one.
func TestCheckFindsForeignWrites(t *testing.T) {
	check, text := checked(t, checkScenario(t, "writes_next_door"))
	require.Equal(t, VerdictFail, check.Verdict)
	require.Nil(t, check.Difference)
	require.Len(t, check.Writes, 1)
	w := check.Writes[0]
	require.EqualValues(t, 3, w.Slot)
	require.Equal(t, 1, w.Processor)
	require.Equal(t, 2, *w.Neighbour)
	require.Equal(t, "record", w.Column)
	require.Equal(t, "ad0b", w.After)
	require.Contains(t, text, "foreign write: slot 3: pops.group[0].nic[1]")
}

// TestCheckNamesGrowthAndGlobals: what a bank shares beside its memory's contents.
func TestCheckNamesGrowthAndGlobals(t *testing.T) {
	check, text := checked(t, checkScenario(t, "grows"))
	require.Positive(t, check.Writes[0].Grown, text)
	check, text = checked(t, checkScenario(t, "counts"))
	require.NotEmpty(t, check.Writes, text)
	require.NotEmpty(t, check.Writes[0].Global, text)
}

// TestCheckEndsAHandler: without an end to it nothing could be compared.
func TestCheckEndsAHandler(t *testing.T) {
	check, _ := checked(t, checkScenario(t, "never_returns"))
	require.Equal(t, VerdictFail, check.Verdict)
	require.Empty(t, check.Runs)
	require.Len(t, check.Faults, 1)
	require.Contains(t, check.Faults[0], "slot 2: pops.group[1].nic[1]: processor 3: the firmware trapped in starloom_slot at never_returns.c:15:")
	require.Contains(t, check.Faults[0], "it has not returned after ")
}

func TestCheckRefusesManyRuns(t *testing.T) {
	s := checkScenario(t, "writes_next_door")
	s.Workload.Permutation.Kind = PermutationAll
	_, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{})
	var input *InputError
	require.ErrorAs(t, err, &input)
	require.Equal(t, "workload.permutation", input.Place)
}
