package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func fed(t *testing.T, dir, text string, args ...string) result {
	t.Helper()
	command := exec.Command(binary, args...)
	command.Dir, command.Stdin = dir, strings.NewReader(text)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// TestSet checks in every command that --set acts like the key in the file.
func TestSet(t *testing.T) {
	dir := folder(t, map[string]string{
		"s.yaml":    smallScenario,
		"edit.yaml": strings.Replace(smallScenario, "groups: 4", "groups: 5", 1) + "name: s\nworkload: {permutation: reverse}\nrtl: [{replace: '**.coupler[0]'}]\n",
	})
	set := []string{"--set", "fabric.pops.groups=5", "--set", "workload.permutation=reverse", "--set", "rtl[0].replace=**.coupler[0]"}
	with := func(args ...string) []string { return append(args, set...) }
	want := starloomIn(t, dir, "run", "edit.yaml")
	require.Equal(t, statusPass, want.status, want.stderr)
	require.Contains(t, want.stdout, "starloom cosim check edit.yaml")
	again := func(words string) result { // the command in the report has all settings
		return result{stdout: strings.ReplaceAll(want.stdout, "edit.yaml", words)}
	}
	const words = " --set fabric.pops.groups=5 --set workload.permutation=reverse --set 'rtl[0].replace=**.coupler[0]'"
	require.Equal(t, again("s.yaml"+words), starloomIn(t, dir, with("run", "s.yaml")...))
	require.Equal(t, again("- --set name=s"+words), fed(t, dir, smallScenario, with("run", "-", "--set", "name=s")...))

	image, check := "../../firmware/images/pops/random.wasm", []string{"--fuzz", "0", "--set"}
	data, err := os.ReadFile(image)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "i.wasm"), data, 0o644))
	want = starloomIn(t, dir, append([]string{"firmware", "check", "i.wasm", "edit.yaml"}, append(check, "rtl=x")...)...)
	require.Contains(t, want.stderr, `--set rtl=x: rtl is the text "x"`)
	want = starloomIn(t, dir, append([]string{"firmware", "check", "i.wasm", "edit.yaml"}, append(check, "seed=2")...)...)
	require.Equal(t, want, starloomIn(t, dir, with(append([]string{"firmware", "check", "i.wasm", "s.yaml"}, append(check, "seed=2")...)...)...))
	want = starloomIn(t, dir, "cosim", "check", "edit.yaml")
	require.Equal(t, statusPass, want.status, want.stderr)
	require.Equal(t, want, starloomIn(t, dir, with("cosim", "check", "s.yaml")...))
	require.Equal(t, want, fed(t, dir, smallScenario, with("cosim", "check", "-", "--set", "name=s")...))

	show := starloomIn(t, dir, with("scenario", "show", "s.yaml")...)
	require.Equal(t, statusPass, show.status, show.stderr)
	require.Regexp(t, `(?m)^fabric\.pops\.groups +5 +--set$`, show.stdout)
	require.Regexp(t, `(?m)^rtl\[0\]\.replace +\S+ +--set$`, show.stdout)
	require.Regexp(t, `(?m)^fabric\.pops\.group_size +4 +s\.yaml:2:40$`, show.stdout)
}

// TestSetRefuses checks that bad settings are refused with the option as their place, and that nothing is written.
func TestSetRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "m.yml": "model: link\n"})
	for _, c := range []struct{ args, want string }{
		{"run s.yaml --json j --set seed", "--set seed: not a key with a value; write --set KEY=VALUE: --set nic.rx_frames=64"},
		{"run s.yaml --json j --set =3", "--set =3: not a key with a value; write --set KEY=VALUE"},
		{"run s.yaml --json j --set fabric.pops.groups=x", `--set fabric.pops.groups=x: fabric.pops.groups is the text "x"; write an integer: 1 to 65533`},
		{"run s.yaml --json j --set fabric.pops.group=3", `--set fabric.pops.group=3: unknown key "group" in fabric.pops; did you mean "groups"?`},
		{"run s.yaml --json j --set seed=1 --set seed=2", "--set seed=2: seed has another value already; give a key once"},
		{"run s.yaml --json j --set fabric.crossbar.ports=4", "s.yaml:3:21: the program pops/random is for another fabric"},
		{"scenario show s.yaml --json j --set stop.slots=0", "--set stop.slots=0: stop.slots is 0; allowed: 1 to 4294967294"},
		{"firmware check pops/random s.yaml --json j --set nic.rx_frames=256", "--set nic.rx_frames=256: nic.rx_frames is 256; allowed: 1 to 255"},
		{"cosim check s.yaml --json j --set rtl[1].twin=link", "--set rtl[1].twin=link: rtl[1] is beyond the end of the list; the next entry is rtl[0]"},
		{"cosim check m.yml --json j --set seed=1", "--set: this option sets keys of a scenario; give a scenario, or change the pin map"},
	} {
		r := starloomIn(t, dir, strings.Fields(c.args)...)
		require.Equal(t, statusInput, r.status, c.args)
		require.Empty(t, r.stdout, c.args)
		require.True(t, strings.HasPrefix(r.stderr, c.want), "%s: %s", c.args, r.stderr)
		require.Equal(t, []string{"m.yml", "s.yaml"}, list(t, dir), c.args)
	}
	r := starloomIn(t, dir, "run", "s.yaml", "--set", "")
	require.Equal(t, "--set: its value is empty; give a value, or delete the option\n", r.stderr)
}

// TestStandardInput checks that paths of a scenario from standard input are relative to the working folder, that
// errors name the line, and that the repeating command reads it again.
func TestStandardInput(t *testing.T) {
	dir := folder(t, map[string]string{"perm.csv": strings.Repeat("0\n", 16)})
	r := fed(t, dir, smallScenario+"seed: -1\n", "run", "-")
	require.Equal(t, statusInput, r.status)
	require.True(t, strings.HasPrefix(r.stderr, "standard input:4:7: seed is -1; allowed:"), r.stderr)
	r = fed(t, dir, smallScenario+"workload: {file: perm.csv}\n", "scenario", "show", "-")
	require.True(t, strings.HasPrefix(r.stderr, "perm.csv:2:1: not a permutation"), r.stderr)
	r = fed(t, dir, "", "run", "-")
	require.True(t, strings.HasPrefix(r.stderr, "standard input:1:1: the scenario is empty"), r.stderr)
	r = fed(t, dir, "x: 1", "cosim", "check", "-")
	require.True(t, strings.HasPrefix(r.stderr, `standard input:1:1: unknown key "x" in the scenario`), r.stderr)
	r = fed(t, dir, strings.Replace(smallScenario, "pops/random", "image", 1), "run", "-", "--json", "-")
	require.Equal(t, statusInput, r.status)

	r = fed(t, dir, smallScenario, "run", "-", "--json", "-", "--vcd", "out.vcd")
	require.Equal(t, statusPass, r.status, r.stderr)
	var report struct{ Scenario string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	require.Equal(t, "scenario", report.Scenario)
}
