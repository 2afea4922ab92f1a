package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// TestFirmwareCheck checks the three outcomes by exit status.
func TestFirmwareCheck(t *testing.T) {
	r := starloomIn(t, ".", "firmware", "check", "pops/random", "../../examples/pops-4x4-figure3.yaml", "--json", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stderr, "PASS  check of pops/random in pops-4x4-figure3, seed 1\n")
	var check starloom.FirmwareCheck
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &check))
	require.Equal(t, starloom.VerdictPass, check.Verdict)

	dir := folder(t, map[string]string{"small.yaml": smallScenario})
	built := starloomIn(t, ".", "firmware", "build", "../../testdata/firmware/writes_next_door.c", "-o", dir+"/next.wasm")
	require.Equal(t, statusPass, built.status, built.stderr)
	r = starloomIn(t, dir, "firmware", "check", "next.wasm", "small.yaml")
	require.Equal(t, statusFail, r.status, r.stderr)
	require.Contains(t, r.stdout, "FAIL  check of next.wasm in small")

	// The printed command reproduces a finding.
	built = starloomIn(t, ".", "firmware", "build", "../../testdata/firmware/trusts_a_payload.c", "-o", dir+"/trusts.wasm")
	require.Equal(t, statusPass, built.status, built.stderr)
	r = starloomIn(t, dir, "firmware", "check", "trusts.wasm", "small.yaml", "--fuzz", "500", "--reproduce", "found")
	require.Equal(t, statusFail, r.status, r.stderr)
	again := regexp.MustCompile(`again: starloom (.*)`).FindStringSubmatch(r.stdout)
	require.NotNil(t, again, r.stdout)
	r = starloomIn(t, dir, strings.Fields(again[1])...)
	require.Equal(t, statusFail, r.status, r.stderr)
	require.Contains(t, r.stdout, "trusts_a_payload.c:21:")

	r = starloomIn(t, dir, "firmware", "check", "next.wasm", "small.yaml", "--fuzz", "0", "--reproduce", "found")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--reproduce: no handler is called on arbitrary input")

	r = starloomIn(t, dir, "firmware", "check", "none.wasm", "small.yaml")
	require.Equal(t, statusInput, r.status)
	require.True(t, strings.HasPrefix(r.stderr, "none.wasm: the firmware image cannot be read: "), r.stderr)
}

// TestFloatSelect checks that an image whose float selections wazero 1.12.0 compiles wrongly has the interpreter's
// digest in every runtime and passes its check.
func TestFloatSelect(t *testing.T) {
	const name, digest = "float_select_4", "dd8c208274c0546217be79767b632049"
	scenario, err := os.ReadFile("testdata/firmware/" + name + ".yaml")
	require.NoError(t, err)
	dir := folder(t, map[string]string{name + ".yaml": string(scenario)})
	built := starloomIn(t, ".", "firmware", "build", "testdata/firmware/"+name+".c", "-o", filepath.Join(dir, name+".wasm"))
	require.Equal(t, statusPass, built.status, built.stderr)
	for _, runtime := range []string{"compiler", "interpreter"} {
		r := starloomIn(t, dir, "run", name+".yaml", "--runtime", runtime)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, digest, runtime)
	}
	r := starloomIn(t, dir, "firmware", "check", name+".wasm", name+".yaml")
	require.Equal(t, statusPass, r.status, r.stdout)
}
