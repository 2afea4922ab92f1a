package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewProject creates a project in C and in C++ and follows its README: it builds and runs, and its handlers pass
// their native unit tests under AddressSanitizer. For projects in other languages see package languages.
func TestNewProject(t *testing.T) {
	for _, language := range []string{"c", "cpp"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			made := starloomIn(t, dir, "firmware", "new", "--language", language, "two-slots")
			require.Zero(t, made.status, made.stderr)
			require.Equal(t, "made two-slots: cd two-slots && make test\n", made.stdout)
			project := filepath.Join(dir, "two-slots")
			before := list(t, project)
			out := makeIn(t, project, 0, "test")
			require.Contains(t, out, "PASS  two-slots")
			require.NotContains(t, out, "warning")
			if language == "cpp" {
				makeIn(t, project, 0, "clean")
				require.Equal(t, before, list(t, project))
				return
			}

			// The unit tests find a broken handler, and the sanitizer a write beyond the state.
			source := filepath.Join(project, "two-slots.c")
			text, err := os.ReadFile(source)
			require.NoError(t, err)
			breaks := func(from, to, want string) {
				broken := replaceOnce(t, string(text), from, to)
				require.NoError(t, os.WriteFile(source, []byte(broken), 0o666))
				require.Contains(t, makeIn(t, project, 2, "native"), want)
			}
			breaks("SL_KIND_ACK &&", "SL_KIND_DATA &&", "Assertion")
			breaks("sl_listen(nic, turn);", "sl_listen(nic, turn); *(volatile uint32_t *)(nic->record + 16) = 7;", "use-after-poison")
		})
	}
}

// TestLongNewNetlistProject creates a project that draws its network and follows its README: it builds, runs and
// passes the firmware checks. A changed drawing applies to the next image, and an image refuses another network.
func TestLongNewNetlistProject(t *testing.T) {
	dir := t.TempDir()
	made := starloomIn(t, dir, "firmware", "new", "--fabric", "netlist", "chords")
	require.Zero(t, made.status, made.stderr)
	project := filepath.Join(dir, "chords")
	before := list(t, project)
	out := makeIn(t, project, 0, "test")
	require.Equal(t, 2, strings.Count(out, "PASS  chords"), out)
	require.Contains(t, out, "PASS  check of chords.wasm in chords")
	require.NotContains(t, out, "warning")

	drawing := filepath.Join(project, "chords.yaml")
	text, err := os.ReadFile(drawing)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(drawing, []byte(replaceOnce(t, string(text), "latency: 4}", "latency: 5}")), 0o666))
	other := starloomIn(t, project, "run", "chords.yaml")
	require.Equal(t, 1, other.status)
	require.Contains(t, other.stdout, "code 1000")
	require.Contains(t, makeIn(t, project, 0, "run"), "PASS  chords")
	for _, network := range []string{ // for any drawing
		"nodes: {'p[0..4]': processor, hub: star}, links: [['p[0..2]', hub], ['p[2..3]:1', 'p[3..4]:0']]",
		"nodes: {'p[0..4]': processor, b: {kind: bus, arbiter: matrix}, x: crossbar, s: star}, links: [['p[0..2]', b], ['p[2..4]', x], ['p[0..4]', s]]",
		"access: switch, nodes: {'p[0..4]': processor, 'b[0..1]': {kind: bus, arbiter: fixed}}, links: [['p[0..2]', 'b[0]'], ['p[2..4]', 'b[1]']]",
		"access: one, nodes: {'p[0..3]': processor, s: star}, links: [['p[0..2]', s], ['p[2]', 'p[3]']]",
		"ring: {n: 5, credits: 1}",
	} {
		head, rest, _ := strings.Cut(string(text), "fabric:")
		_, rest, _ = strings.Cut(rest, "firmware:")
		require.NoError(t, os.WriteFile(drawing, []byte(head+"fabric: {netlist: {"+network+"}}\nfirmware:"+rest), 0o666))
		require.Contains(t, makeIn(t, project, 0, "run"), "PASS  chords", network)
	}
	makeIn(t, project, 0, "clean")
	require.Equal(t, before, list(t, project))
}

func makeIn(t *testing.T, project string, status int, target string) string {
	t.Helper()
	command := exec.Command("make", "STARLOOM="+binary, target)
	command.Dir = project
	out, _ := command.CombinedOutput()
	require.Equal(t, status, command.ProcessState.ExitCode(), "%s", out)
	return string(out)
}

func replaceOnce(t *testing.T, text, from, to string) string {
	t.Helper()
	require.Contains(t, text, from)
	return strings.Replace(text, from, to, 1)
}
