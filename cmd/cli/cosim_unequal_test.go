package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unequalLinks replaces links with latencies of 1 and 3 cycles by RTL.
const unequalLinks = `starloom: 1
fabric:
  netlist:
    nodes: {"p[0..3]": processor, "hub[0..1]": star}
    links:
      - ["p[0..1]:0", "hub[0]"]
      - ["p[2..3]:0", "hub[1]"]
      - {endpoints: ["p[1]:1", "p[2]:1"], latency: 3}
firmware: {program: netlist/next-hop}
rtl: [{replace: "netlist.**"}]
`

// TestLongCheckOfAnotherMachine checks a program that uses the first element's parameters for all elements, in RTL
// and models alike: its check fails, since models are also compared with the machine without RTL.
func TestLongCheckOfAnotherMachine(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": unequalLinks})
	source, err := filepath.Abs("../../internal/rtl/replace.go")
	require.NoError(t, err)
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	const right, wrong = "groups := alike(site, elements)", "groups := [][]int{elements}"
	require.Equal(t, 1, strings.Count(string(text), right))
	mutant, overlay, program := filepath.Join(dir, "replace.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant")
	require.NoError(t, os.WriteFile(mutant, []byte(strings.Replace(string(text), right, wrong+"\n\t_ = alike", 1)), 0o644))
	require.NoError(t, os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, source, mutant), 0o644))
	build := exec.Command("go", "build", "-ldflags=-w", "-overlay", overlay, "-o", program, "../starloom")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	check := exec.Command(program, "cosim", "check", "s.yaml")
	check.Dir = dir
	out, err = check.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, statusFault, check.ProcessState.ExitCode(), string(out))
	require.Contains(t, string(out), "netlist.link[0].forth.fibre: in cycle 9 its rail1_o differs from link {DELAY_CYCLES: 1, PHIT_BITS: 64}")
}

// TestCheckOfUnequalLinks checks that machine, which has two kinds of links and one of each other part.
func TestCheckOfUnequalLinks(t *testing.T) {
	r := starloomIn(t, folder(t, map[string]string{"s.yaml": strings.Replace(unequalLinks, `netlist.**"`, `netlist.**", twin: link, backend: icarus`, 1)}),
		"cosim", "check", "s.yaml", "--json", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stderr, "pass: no difference found in 4 components of s")
	require.Equal(t, 2, strings.Count(r.stdout, `"top": "link"`)-1, r.stdout)
}
