package systemtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/firmware"
)

// ImageFolder is the folder for the images that Image builds. Main removes it.
var ImageFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "starloom-test-") })

// Image builds testdata/firmware/<name>.c once per test run.
func Image(t testing.TB, name string) string {
	folder, err := ImageFolder()
	require.NoError(t, err)
	path := filepath.Join(folder, name+".wasm")
	if _, err := os.Stat(path); err != nil {
		require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{
			Source: filepath.Join("testdata", "firmware", name+".c"), Output: path,
		}))
	}
	return path
}

// ImageScenario runs a test image on POPS(1,4) with the reverse permutation and
// all rules.
func ImageScenario(t testing.TB, name string) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Name = name
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 1}
	s.Firmware.Image = Image(t, name)
	s.Workload.Permutation.Kind = starloom.PermutationReverse
	s.Stop.Slots = 20
	s.Rules = &starloom.Rules{PacketsPerProcessorMax: 3, ExactlyOnce: true}
	return s
}

// NoPackets removes the rules about packets.
func NoPackets(s *starloom.Scenario) { s.Rules = &starloom.Rules{} }

// Trap returns an option that selects the kind of trap in the image traps.
func Trap(how int64) func(s *starloom.Scenario) {
	return func(s *starloom.Scenario) {
		s.Rules = &starloom.Rules{}
		s.Firmware.Params = map[string]int64{"how": how}
	}
}

// LossesOf returns the violations of a rule as slot, path and message.
func LossesOf(report *starloom.Report, rule string) (losses []string) {
	for _, v := range report.Violations {
		if v.Rule == rule {
			losses = append(losses, fmt.Sprintf("slot %d %s: %s", v.Slot, v.Path, v.Message))
		}
	}
	return losses
}

// GoldenPart compares the text between two lines of a file with want. With -update it rewrites that text.
func GoldenPart(t *testing.T, path, first, last, want string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), first)
	require.True(t, ok, first)
	got, after, ok := strings.Cut(rest, last)
	require.True(t, ok, last)
	if *Update {
		require.NoError(t, os.WriteFile(path, []byte(before+first+want+last+after), 0o644))
		return
	}
	require.Equal(t, want, got)
}

// Broken returns the rules that a run has broken, without repetitions.
func Broken(r *starloom.Report) (rules []string) {
	seen := map[string]bool{}
	for _, v := range r.Violations {
		if !seen[v.Rule] {
			rules = append(rules, v.Rule)
		}
		seen[v.Rule] = true
	}
	return rules
}
