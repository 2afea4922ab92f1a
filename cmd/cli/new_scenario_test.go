package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
)

// TestLongNewScenario checks for every program of every fabric that the written scenario ends as it states, and also
// lists the derived values.
func TestLongNewScenario(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here := func(args ...string) result {
		var stdout, stderr bytes.Buffer
		status := execute(args, &stdout, &stderr)
		return result{status, stdout.String(), stderr.String()}
	}
	listed := here("new")
	require.Equal(t, statusPass, listed.status, listed.stderr)
	programs := 0
	for line := range strings.Lines(listed.stdout) {
		words := strings.Fields(strings.ReplaceAll(line, ",", ""))
		kind := words[0]
		made := here("new", kind)
		require.Equal(t, statusPass, made.status, made.stderr)
		require.Equal(t, "made "+kind+".yaml: starloom run "+kind+".yaml\n", made.stdout)
		uncommented(t, here, kind+".yaml")
		for _, program := range words[1:] {
			programs++
			file := strings.ReplaceAll(program, "/", "-") + ".yaml"
			r := here("new", kind, "--program", program, "-o", file)
			require.Equal(t, statusPass, r.status, r.stderr)
			_, command, _ := strings.Cut(strings.TrimSpace(r.stdout), ": starloom ")
			run := here(append(strings.Fields(command), "-q")...)
			require.Equal(t, statusPass, run.status, "%s\n%s", command, run.stderr)
			data, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err)
			require.Contains(t, string(data), "'starloom "+command+"'")
			require.Contains(t, string(data), "\n  program: "+program)
			for line := range strings.Lines(string(data)) {
				require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 120, line)
				require.Equal(t, strings.TrimRight(line, " \n"), strings.TrimRight(line, "\n"), "blanks at the end")
			}
		}
	}
	require.Equal(t, 31, programs)
}

// uncommented checks that commented keys show the values in effect: as lines they change no digest.
func uncommented(t *testing.T, here func(args ...string) result, file string) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	keys := regexp.MustCompile(`(?m)^( *)# ((?:  )?)(seed|link|phit_bits|propagation_cycles|guard_cycles|nic|payload_bytes|rx_frames|tx_frames|stop|slots|mode):`)
	require.GreaterOrEqual(t, len(keys.FindAllString(string(data), -1)), 9, string(data))
	require.NoError(t, os.WriteFile("whole.yaml", keys.ReplaceAll(data, []byte("$1$2$3:")), 0o644))
	digest := regexp.MustCompile(`digest +(\w+)`)
	var digests []string
	for _, path := range []string{file, "whole.yaml"} {
		r := here("run", path)
		require.Equal(t, statusPass, r.status, r.stderr)
		digests = append(digests, digest.FindStringSubmatch(r.stdout)[1])
	}
	require.Equal(t, digests[0], digests[1], file)
}

// TestNewScenarioRefuses checks that existing files stay and that unknown names have a remedy.
func TestNewScenarioRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"pops.yaml": "mine", "mine.wasm": "none"})
	for line, want := range map[string]string{
		"new pops":                               "--output: pops.yaml is there already; give another path",
		"new pops -o mine.wasm":                  "--output: mine.wasm is there already; give another path",
		"new pop":                                `starloom new: there is no fabric "pop"; did you mean "pops"? choose one of pops, crossbar, bus, ej`,
		"new pops --program pops/randm -o a":     `--program: pops has no program "pops/randm"; did you mean "pops/random"? it has pops/offline, `,
		"new bus --program pops/random":          `--program: bus has no program "pops/random"; it has bus/`,
		"new crossbar --set fabric.crossbar.x=1": `--set fabric.crossbar.x=1: unknown key "x" in fabric.crossbar; `,
		"new crossbar -o none/a.yaml":            "--output: ",
		"new crossbar bus":                       "accepts at most 1 arg",
	} {
		before := list(t, dir)
		r := starloomIn(t, dir, strings.Fields(line)...)
		require.Equal(t, statusInput, r.status, "%s: %s", line, r.stderr)
		require.Contains(t, r.stderr, want, line)
		require.Empty(t, r.stdout)
		require.Equal(t, before, list(t, dir))
	}
	mine, err := os.ReadFile(filepath.Join(dir, "pops.yaml"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(mine))
	r := starloomIn(t, dir, "new", "pops", "--set", "fabric.pops.groups=9", "--set", "seed=7", "-o", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Regexp(t, `(?m)^    groups: 9 `, r.stdout)
	require.Regexp(t, `(?m)^seed: 7 `, r.stdout)
}

type bare struct{ square }

func (bare) Kind() string               { return "bare" }
func (bare) Programs() []fabric.Program { return nil }

// TestNewScenarioOfOwnNetworks checks networks of cli.Main, with their values or the smallest legal ones.
func TestNewScenarioOfOwnNetworks(t *testing.T) {
	t.Chdir(t.TempDir())
	r := squares(t, "new", "square", "--program", "pops/random")
	require.Equal(t, statusPass, r.status, r.stderr)
	data, err := os.ReadFile("square.yaml")
	require.NoError(t, err)
	require.Contains(t, string(data), "    side: 4 ")
	require.Contains(t, string(data), "groups, and processors of a group")
	r = squares(t, "run", "square.yaml")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, squares(t, "new").stdout, "square")
	o := newFlags{networks: starloom.Networks{bare{}}}
	_, err = o.assign(bare{})
	require.ErrorContains(t, err, "bare: it has no programs: images of your own run here; give one, --set firmware.image=F.wasm")
	o.settings.words = []string{"firmware.image=mine.wasm"}
	_, err = o.assign(bare{square{}})
	require.NoError(t, err)
}
