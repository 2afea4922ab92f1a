//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// plantedInCI are those that CI looks for, with one seed each: two that any inputs show, and one
// each of what takes a counter to its end, a full one, a quiet time and many cycles after a reset.
var plantedInCI = []string{
	"take-with-give", "reset-of-one-pair", "credits-wrap-12-bits", "lost-words-wrap-16-bits", "late-after-the-dark", "choice-after-16383-cycles",
}

// Of plantedSeeds seeds, plantedFound have to find each bug.
const plantedSeeds, plantedFound = 10, 9

// TestLongPlantedBugs: `cosim check` with defaults finds each bug that was planted in small RTL, in
// less than a minute, and nothing in the same RTL without it. The maps in last were written before
// the phases of package lockstep, and not run until these were done.
func TestLongPlantedBugs(t *testing.T) {
	maps, err := filepath.Glob("testdata/planted/*/*.yml")
	require.NoError(t, err)
	require.Len(t, maps, 30)
	bug := regexp.MustCompile(`Bug: \d+`)
	for _, path := range maps {
		name := strings.TrimSuffix(filepath.Base(path), ".yml")
		seeds := 1
		if *full {
			seeds = plantedSeeds
		} else if !isAmong(name, plantedInCI) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			missed, slowest := []int{}, time.Duration(0)
			for seed := range seeds {
				start := time.Now()
				r := starloomIn(t, ".", "cosim", "check", path, "--seed", fmt.Sprint(seed))
				require.Contains(t, []int{statusPass, statusFail}, r.status, r.stderr)
				took := time.Since(start)
				slowest = max(slowest, took)
				if r.status != statusFail || took >= time.Minute {
					missed = append(missed, seed)
				}
			}
			t.Logf("found with %d of %d seeds, not with %d; the slowest took %.1f s", seeds-len(missed), seeds, missed, slowest.Seconds())
			require.GreaterOrEqual(t, (seeds-len(missed))*plantedSeeds, seeds*plantedFound)

			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Len(t, bug.FindAll(text, -1), 1)
			sources, err := filepath.Abs("testdata/planted")
			require.NoError(t, err)
			right := bug.ReplaceAll(text, []byte("Bug: 0"))
			dir := folder(t, map[string]string{"right.yml": strings.Replace(string(right), "../", sources+"/", 1)})
			r := starloomIn(t, dir, "cosim", "check", "right.yml")
			require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
		})
	}
}

// provedInCI are those that `cosim prove` refutes in CI.
var provedInCI = []string{"reset-of-one-pair", "late-after-the-dark"}

// undecidedInProof are the bugs that a proof may leave undecided in a minute: they take thousands of cycles after a reset.
var undecidedInProof = []string{
	"choice-after-16383-cycles", "credits-wrap-14-bits", "lost-words-wrap-16-bits", "pause-at-a-late-value", "turn-of-no-port", "value-after-40000-steps",
}

// TestLongPlantedBugsProved: `cosim prove` refutes planted bugs in less than a minute, and calls none equal.
func TestLongPlantedBugsProved(t *testing.T) {
	maps, err := filepath.Glob("testdata/planted/*/*.yml")
	require.NoError(t, err)
	for _, path := range maps {
		name := strings.TrimSuffix(filepath.Base(path), ".yml")
		if !*full && !isAmong(name, provedInCI) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			file, start := filepath.Join(t.TempDir(), "r.json"), time.Now()
			r := starloomIn(t, ".", "cosim", "prove", path, "--json", file)
			var report struct {
				Verdict string `json:"verdict"`
				FoundBy string `json:"found_by"`
				Reason  string `json:"reason"`
				Depth   int    `json:"depth_cycles"`
				Case    struct {
					Divergence struct{ Cycle int }
				}
			}
			data, err := os.ReadFile(file)
			require.NoError(t, err, r.stderr)
			require.NoError(t, json.Unmarshal(data, &report))
			t.Logf("%s in %.1f s: %s%s, cycle %d, no difference up to %d", report.Verdict, time.Since(start).Seconds(), report.FoundBy, report.Reason,
				report.Case.Divergence.Cycle, report.Depth)
			if isAmong(name, undecidedInProof) {
				require.Contains(t, []string{"differs", "undecided"}, report.Verdict)
				return
			}
			require.Equal(t, statusFail, r.status, r.stdout)
			require.Equal(t, "differs", report.Verdict)
			require.Less(t, time.Since(start), time.Minute)
		})
	}
}

func isAmong(name string, all []string) bool {
	for _, other := range all {
		if name == other {
			return true
		}
	}
	return false
}
