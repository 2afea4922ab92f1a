package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPictures checks that each kind goes to its own file, or one kind to standard output, and that other requests
// are refused with a remedy and write nothing.
func TestPictures(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	before := list(t, dir)
	for args, says := range map[string]string{
		"--svg het=a.svg":                      `--svg: "het=a.svg" cannot be used; did you mean "heat"? write KIND=F.svg, KIND being topology, heat, latency or timeline`,
		"--svg heat":                           "name a file: --svg heat=heat.svg",
		"--svg heat=":                          "name a file: --svg heat=heat.svg",
		"--svg =a.svg":                         "write KIND=F.svg",
		"--svg heat=a.png":                     "give a path that ends in .svg",
		"--svg heat=a.svg --svg heat=b.svg":    "give each kind once: already given: --svg heat=a.svg",
		"--svg heat=a.svg,latency=b.svg":       "give the option once for each kind: --svg heat=a.svg --svg latency=b.svg",
		"--svg heat=a.svg --svg latency=a.svg": "--svg latency: output a.svg: two outputs have this path: give each its own",
		"--svg heat=a.svg --csv a.svg":         "two outputs have this path",
		"--svg heat=no/a.svg":                  "--svg heat: output no/a.svg: the folder no: no such file or directory: make the folder first",
		"--svg heat=- --svg latency=-":         "--svg latency: standard output already receives the output of --svg heat; give --svg latency a file",
		"--svg heat=a.svg --seeds 1..3":        "--svg heat: a picture shows one run, and --seeds asks for many; run one of them alone with --seed N",
		"--svg topology=a.svg --set workload.permutation=all --set fabric.pops.groups=1": "--svg topology: a picture shows one run, and permutation: all makes many",
	} {
		r := starloomIn(t, dir, append([]string{"run", "s.yaml"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, r.status, args)
		require.Contains(t, r.stderr, says, args)
		require.Equal(t, before, list(t, dir), args)
	}
	r := starloomIn(t, dir, "run", "s.yaml", "--svg", "heat=-", "--svg", "timeline=t.svg", "--svg", "topology=top.svg", "--svg", "latency=l.svg")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.True(t, strings.HasPrefix(r.stdout, "<svg ") && strings.HasSuffix(r.stdout, "</svg>\n"), r.stdout)
	require.Contains(t, r.stderr, "timeline  t.svg")
	for _, name := range []string{"t.svg", "top.svg", "l.svg"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Contains(t, string(text), "<title>")
	}
}
