//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim/prove"
)

// held is RTL for arbiter_fixed, and wanting the same without the holder's right.
const (
	held = `module held(input clk, input rst_n, input [3:0] req, output reg [3:0] gnt);
    always @(posedge clk or negedge rst_n)
        if (!rst_n) gnt <= 0;
        else if (!(gnt & req)) gnt <= req & -req;
endmodule
`
	heldMap = `model: arbiter_fixed
parameters: {REQUESTERS: 4}
top: held
sources: [held.v]
clock: clk
reset: {pin: rst_n, active: low}
pins: {request: req, grant: gnt}
absent: [index]
`
)

// TestLongProve follows a user: a proof, its page, the cache, a folder that repeats it, a proof after a check.
func TestLongProve(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := folder(t, map[string]string{"held.v": held, "held.yml": heldMap})
	cached := func() bool {
		r := starloomIn(t, dir, "cosim", "prove", "held.yml", "--json", "p.json", "--html", "p.html")
		require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
		require.Equal(t, strings.Contains(r.stdout, "in an earlier run"), strings.Contains(contents(t, dir, "p.html"), "in an earlier run"))
		var report struct {
			Cached bool
			Tools  []string
		}
		require.NoError(t, json.Unmarshal([]byte(contents(t, dir, "p.json")), &report))
		require.Contains(t, strings.Join(report.Tools, " "), "Yosys")
		return report.Cached
	}
	require.False(t, cached())
	require.True(t, cached())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "held.v"), []byte("// a remark\n"+held), 0o644))
	require.True(t, cached(), "the same logic")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "held.v"), []byte(strings.Replace(held, "req & -req", "req & (~req + 1)", 1)), 0o644))
	cached() // whether this is the same graph is Yosys' business

	page := read(contents(t, dir, "p.html"))
	for _, part := range []string{"Proved equal", "not compared: index_o", "mistakes planted in the twin", "X and undriven nets may have any value", "Yosys", "starloom cosim prove held.yml"} {
		require.Contains(t, page, part)
	}

	r := starloomIn(t, dir, "cosim", "prove", "held.yml", "--folder", "proof")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.NotContains(t, r.stdout, "in an earlier run", "a folder has what decides it")
	run := contents(t, dir, "proof/run.sh")
	require.Contains(t, run, "#   Yosys")
	said, err := exec.Command("sh", filepath.Join(dir, "proof", "run.sh")).CombinedOutput()
	require.NoError(t, err, string(said))
	require.Regexp(t, "Status = 1|outputs proved", string(said))
	wrong := strings.NewReplacer("\nproved '", "\nrefuted '", "; lcorr; scorr; scorr -F 2", "").Replace(run)
	require.NotEqual(t, run, wrong)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "proof", "wrong.sh"), []byte(wrong), 0o644))
	said, err = exec.Command("sh", filepath.Join(dir, "proof", "wrong.sh")).CombinedOutput()
	require.Error(t, err, string(said))

	r = starloomIn(t, dir, "cosim", "check", "held.yml", "--cycles", "1000", "--explore", "0", "--prove", "--html", "c.html")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "equal: 1 of 2 outputs")
	for _, part := range []string{"No difference found", "Proved equal", "not compared: index_o"} {
		require.Contains(t, read(contents(t, dir, "c.html")), part)
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "held.v"), []byte(strings.Replace(held, "else if (!(gnt & req))", "else", 1)), 0o644))
	r = starloomIn(t, dir, "cosim", "prove", "held.yml", "--html", "d.html")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	for _, part := range []string{"The RTL differs from its model in cycle", "Waveform", "cosim prove held.yml --vcd", "cosim check held.yml --stimulus"} {
		require.Contains(t, read(contents(t, dir, "d.html")), part)
	}
}

func contents(t *testing.T, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// What to do about a proof that has decided nothing: more time if engines have tried, fewer cycles if some are known.
func TestUndecidedSaysWhatNext(t *testing.T) {
	o := &proveFlags{limit: 5 * time.Minute}
	look := "to look for a difference: starloom cosim check m.yml"
	require.Equal(t, look, o.undecided(&prove.Report{}, "m.yml"), "it was refused: time does not help")
	require.Equal(t, "with more time: starloom cosim prove m.yml --time 50m0s\n"+look, o.undecided(&prove.Report{Took: time.Second}, "m.yml"))
	require.Equal(t, "with more time: starloom cosim prove m.yml --time 50m0s\nfor these cycles alone: starloom cosim prove m.yml --cycles 12\n"+look,
		o.undecided(&prove.Report{Took: time.Second, Depth: 12}, "m.yml"))
}
