package rtl

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/twin"
	"starloom/internal/systemtest"
)

// TestRecordedInputsCheckRTL runs the RTL of a scenario beside its models, on the inputs
// of a run: foreign RTL and our own agree, and a mistake is found in the part that has it.
func TestRecordedInputsCheckRTL(t *testing.T) {
	s, err := starloom.LoadScenario("examples/rtl/pops-4x4.yaml")
	require.NoError(t, err)
	run, err := starloom.RecordRTL(context.Background(), s)
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	require.Len(t, run.Parts, 16+4+16+16, "couplers, links of a group, transmitters, receivers")
	for _, i := range []int{0, 15, 16, 19} { // the first and the last of each kind of foreign RTL; the command checks all
		part := run.Parts[i]
		require.Greater(t, part.Stimulus.Cycles(), 10, part.Path)
		report, err := starloom.CosimCheck(context.Background(), part.Map,
			starloom.CheckOptions{Options: lockstep.Options{Stimulus: part.Stimulus}})
		require.NoError(t, err)
		require.Nil(t, report.Divergence, part.Path)
	}

	mutants := twin.Mutants(starloom.Twins())
	upsideDown := slices.IndexFunc(mutants, func(m twin.Mutant) bool { return m.Twin.Name == "deserialiser" && m.Name == "frame upside down" })
	dir := t.TempDir()
	files, err := mutants[upsideDown].WriteSources(dir)
	require.NoError(t, err)
	part := run.Parts[slices.IndexFunc(run.Parts, func(p starloom.RTLPartRun) bool { return p.Path == "pops.group[3].nic[3].rx" })]
	wrong, err := starloom.TwinMap("deserialiser", part.Map.Parameters, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, wrong.Close()) }()
	wrong.Source.Files, wrong.Source.IncludeDirs = files, []string{dir}
	wrong.Backend = cosim.BackendIcarus // compiles nothing, but a trial of shrinking is a process
	report, err := starloom.CosimCheck(context.Background(), wrong,
		starloom.CheckOptions{Options: lockstep.Options{Stimulus: part.Stimulus, NoShrink: true}})
	require.NoError(t, err)
	require.NotNil(t, report.Divergence)
	require.Equal(t, "frame_o", report.Divergence.Signal)
	require.True(t, report.Divergence.Found.Directed)
}

// TestRecordRTLRefuses checks that refusals name the mistake of the scenario.
func TestRecordRTLRefuses(t *testing.T) {
	_, err := starloom.RecordRTL(context.Background(), systemtest.Routing(2, 2))
	var input *starloom.InputError
	require.ErrorAs(t, err, &input)
	require.Contains(t, input.Reason, "no RTL")
}
