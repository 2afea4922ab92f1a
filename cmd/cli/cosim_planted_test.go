//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// plantedInCI are the bugs that CI looks for, with one seed each: two that any inputs show, and one each for a
// counter at its end, a full buffer, a quiet time, and many cycles after a reset.
var plantedInCI = []string{
	"take-with-give", "reset-of-one-pair", "credits-wrap-12-bits", "lost-words-wrap-16-bits", "late-after-the-dark", "choice-after-16383-cycles",
}

// Each bug must be found with plantedFound of plantedSeeds seeds.
const plantedSeeds, plantedFound = 10, 9

// TestLongPlantedBugs checks that `cosim check` with defaults finds each bug planted in small RTL in less than a
// minute, and nothing in the same RTL without it. The maps in last were written before the phases of package lockstep
// and first run after these were finished.
func TestLongPlantedBugs(t *testing.T) {
	maps, err := filepath.Glob("testdata/planted/*/*.yml")
	require.NoError(t, err)
	require.Len(t, maps, 33)
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

// provedInCI are the bugs that `cosim prove` refutes in CI.
var provedInCI = []string{"reset-of-one-pair", "late-after-the-dark"}

// undecidedInProof are bugs that a proof may leave undecided in a minute, since they need thousands of cycles after a
// reset.
var undecidedInProof = []string{
	"choice-after-16383-cycles", "credits-wrap-14-bits", "lost-words-wrap-16-bits", "pause-at-a-late-value", "turn-of-no-port", "value-after-40000-steps",
}

// planted has the parts of a proof's report that these tests read.
type planted struct {
	Verdict string `json:"verdict"`
	FoundBy string `json:"found_by"`
	Reason  string `json:"reason"`
	Depth   int    `json:"depth_cycles"`
	Case    struct{ Divergence differing }
}

type differing struct {
	Signal, Model, RTL string
	Cycle              int
}

// TestLongPlantedBugsProved checks that `cosim prove` refutes planted bugs in less than a minute, calls none equal,
// and writes cases that reproduce.
func TestLongPlantedBugsProved(t *testing.T) {
	maps, err := filepath.Glob("testdata/planted/*/*.yml")
	require.NoError(t, err)
	for _, path := range maps {
		name := strings.TrimSuffix(filepath.Base(path), ".yml")
		if !*full && !isAmong(name, provedInCI) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir, start := t.TempDir(), time.Now()
			r := starloomIn(t, ".", "cosim", "prove", path, "--json", dir+"/r.json", "--vcd", dir+"/case.vcd", "--save", dir+"/case.csv", "--folder", dir+"/proof")
			var report planted
			require.NoError(t, json.Unmarshal([]byte(contents(t, dir, "r.json")), &report), r.stderr)
			t.Logf("%s in %.1f s: %s%s, cycle %d, no difference up to %d", report.Verdict, time.Since(start).Seconds(), report.FoundBy, report.Reason,
				report.Case.Divergence.Cycle, report.Depth)
			if isAmong(name, undecidedInProof) {
				require.Contains(t, []string{"differs", "undecided"}, report.Verdict)
				return
			}
			require.Equal(t, statusFail, r.status, r.stdout)
			require.Equal(t, "differs", report.Verdict)
			require.Less(t, time.Since(start), time.Minute)
			requireRepeated(t, dir, r.stdout, &report)
			if *full && report.FoundBy != "random inputs" { // TestLongProve repeats a small proof in CI
				requireRefutedAgain(t, ".", r.stdout)
			}
		})
	}
}

// requireRepeated requires that the folder and the printed command of a proof reproduce its difference.
func requireRepeated(t *testing.T, dir, said string, report *planted) {
	require.Contains(t, contents(t, dir, "case.vcd"), "lockstep")
	require.Contains(t, said, fmt.Sprintf("waveform: %s/case.vcd; look at it with: gtkwave %s/case.gtkw\n", dir, dir))
	require.Contains(t, contents(t, dir, "case.gtkw"), "case.vcd")
	require.Equal(t, contents(t, dir, "case.csv"), contents(t, dir, "proof/case.csv"))
	require.Contains(t, contents(t, dir, "proof/verdict.txt"), "differs: found by "+report.FoundBy)

	command := regexp.MustCompile(`run them again with: starloom (.*)`).FindStringSubmatch(said)
	require.NotNil(t, command, said)
	r := starloomIn(t, ".", append(strings.Fields(command[1]), "--json", dir+"/again.json")...)
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	var again struct{ Divergence differing }
	require.NoError(t, json.Unmarshal([]byte(contents(t, dir, "again.json")), &again))
	require.Equal(t, report.Case.Divergence, again.Divergence)

	repeat := "\nto repeat it: sh " + dir + "/proof/run.sh\n"
	if report.FoundBy == "random inputs" { // random inputs have refuted the proof, not an engine
		repeat = "\nto repeat it: starloom " + command[1][:strings.Index(command[1], "--stimulus")] + "--stimulus " + dir + "/proof/case.csv"
	}
	require.Contains(t, said, repeat)
}

// requireRefutedAgain requires that the printed script of a proof refutes it again.
func requireRefutedAgain(t *testing.T, in, said string) {
	command := regexp.MustCompile(`\nto repeat it: sh (.*)\n`).FindStringSubmatch(said)
	require.NotNil(t, command, said)
	c := exec.Command("sh", command[1])
	c.Dir = in
	repeated, err := c.CombinedOutput()
	require.NoError(t, err, string(repeated))
	require.Contains(t, string(repeated), "Status = 0 ")
}

func isAmong(name string, all []string) bool {
	for _, other := range all {
		if name == other {
			return true
		}
	}
	return false
}
