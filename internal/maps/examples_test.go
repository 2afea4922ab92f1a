//go:build linux

package maps

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/refmodel"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
	"starloom/fabric/pops"
	"starloom/firmware"
)

var update = flag.Bool("update", false, "write the maps of examples/rtl/twins")

// everything has all twins and backends.
func everything() pinmap.Library {
	return pinmap.Library{Twins: append(twin.All(), pops.Twin()),
		Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend()}}
}

// twinMapText returns the map of a twin as a template for users.
func twinMapText(t *testing.T, tw twin.Twin) string {
	model, err := tw.New(tw.Sets[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, model.Close()) }()
	folder := "../../../cosim/rtl"
	var sources, params, lines []string
	for _, name := range tw.Sources {
		from := folder
		if _, err := cosim.RTL.ReadFile("rtl/" + name); err != nil {
			from = "../../../fabric/pops/rtl"
		}
		sources = append(sources, from+"/"+name)
	}
	widest := 0
	for _, p := range model.Ports() {
		widest = max(widest, len(p.Name))
	}
	for _, p := range model.Ports() {
		switch {
		case p.Name == "clock", p.Name == "reset":
			lines = append(lines, fmt.Sprintf("%s: %s", p.Name, p.Name))
			continue
		case len(lines) == 0 || !strings.HasPrefix(lines[len(lines)-1], " ") && lines[len(lines)-1] != "pins:":
			lines = append(lines, "pins:")
		}
		direction := "output"
		if p.Input {
			direction = "input"
		}
		name := fmt.Sprintf("%-*s", widest+1, p.Name+":")
		lines = append(lines, fmt.Sprintf("  %s %-*s # %s, %s", name, widest, p.Name, direction, cosim.BitsText(p.Bits)))
	}
	keys := strings.Split(strings.Trim(tw.Sets[0].Text(), "{}"), ", ")
	for _, key := range keys {
		if name, _, ok := strings.Cut(key, ":"); ok {
			params = append(params, name+": $"+name)
		}
	}
	head := fmt.Sprintf(`# %s: Starloom's own Verilog as foreign RTL. To attach yours, copy this
# and change all from top down. Of a pin of its own name: the model's port, then the RTL's pin.
#   starloom cosim check examples/rtl/twins/%s.yml
model: %s
parameters: %s
top: %s
sources: [%s]
include: [%s]
`, tw.Name, tw.Name, tw.Name, tw.Sets[0].Text(), tw.Name, strings.Join(sources, ", "), folder)
	if len(params) > 0 {
		head += "params: {" + strings.Join(params, ", ") + "}\n"
	}
	return head + strings.Join(lines, "\n") + "\n"
}

// TestTwinMaps checks that examples/rtl/twins has a map for every twin, with all ports.
func TestTwinMaps(t *testing.T) {
	const folder = "../../examples/rtl/twins/"
	if *update {
		require.NoError(t, os.MkdirAll(folder, 0o777))
	}
	for _, tw := range everything().Twins {
		path := folder + tw.Name + ".yml"
		want := twinMapText(t, tw)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o666))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err, "run go test ./internal/maps -run TwinMaps -update")
		require.Equal(t, want, string(got), "run go test ./internal/maps -run TwinMaps -update")
	}
	paths, err := filepath.Glob(folder + "*.yml")
	require.NoError(t, err)
	require.Len(t, paths, len(everything().Twins), "each of a twin that there is")
}

func TestLongTwinMaps(t *testing.T) {
	paths, err := filepath.Glob("../../examples/rtl/twins/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			m, err := LoadPin(path, everything())
			require.NoError(t, err)
			m.Backend = cosim.BackendIcarus
			requirePass(t, m, lockstep.Options{Cycles: 300, NoExplore: true})
		})
	}
}

// TestLongExamples runs every map of examples/rtl, with all points of lists. Only the example with a bug may differ.
func TestLongExamples(t *testing.T) {
	paths, err := filepath.Glob("../../examples/rtl/*.yml")
	require.NoError(t, err)
	require.Greater(t, len(paths), 12)
	for _, path := range paths {
		points, err := LoadPins(path, everything())
		require.NoError(t, err)
		for _, p := range points {
			t.Run(filepath.Base(path)+" "+strings.Join(p.Values, " "), func(t *testing.T) {
				t.Parallel()
				o := lockstep.Options{Cycles: 3000, PowerOn: 1, Explore: 6000}
				if strings.HasSuffix(path, "_bug.yml") {
					r, err := lockstep.Run(t.Context(), p.Map, o)
					require.NoError(t, err)
					require.NotNil(t, r.Divergence)
					require.NoError(t, p.Map.Close())
					return
				}
				requirePass(t, p.Map, o)
			})
		}
	}
}

func requirePass(t *testing.T, m *pinmap.Map, o lockstep.Options) {
	r, err := lockstep.Run(t.Context(), m, o)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Nil(t, r.Divergence, text.String())
	require.Positive(t, r.Compared)
	require.NoError(t, m.Close())
}

// The models in examples/rtl/models agree with their RTL, and a mistake in the RTL is found. The model in Rust needs
// rustc with the target wasm32-unknown-unknown.
func TestExampleModels(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/rtl/models")))
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: at("running_sum.c"),
		Verify: func(image []byte) error { _, err := refmodel.Load(image); return err }}))
	names := []string{"running_sum"}
	rustc := exec.Command("rustc", "--edition", "2021", "--target", "wasm32-unknown-unknown", "--crate-type", "cdylib", "-O",
		"-C", "panic=abort", "-C", "linker=wasm-ld", "-C", "target-feature=+mutable-globals",
		"-C", "link-arg=--export=__stack_pointer", "-o", at("any_grant.wasm"), at("any_grant.rs"))
	if out, err := rustc.CombinedOutput(); err == nil {
		names = append(names, "any_grant")
	} else {
		t.Logf("without the model in Rust: %v: %s", err, out)
	}
	mistakes := map[string][2]string{"running_sum": {"- words[31:24]", "- words[30:24]"},
		"any_grant": {"4'b01??: index = 2", "4'b01??: index = 3"}}
	for _, name := range names {
		for _, wrong := range []bool{false, true} {
			if wrong {
				text, err := os.ReadFile(at(name + ".v"))
				require.NoError(t, err)
				mistaken := strings.Replace(string(text), mistakes[name][0], mistakes[name][1], 1)
				require.NotEqual(t, string(text), mistaken)
				require.NoError(t, os.WriteFile(at(name+".v"), []byte(mistaken), 0o600))
			}
			m, err := LoadPin(at(name+".yml"), everything())
			require.NoError(t, err)
			report, err := lockstep.Run(t.Context(), m, lockstep.Options{Cycles: 5000, PowerOn: 2})
			require.NoError(t, err)
			require.Equal(t, wrong, report.Divergence != nil, name)
			require.NoError(t, m.Close())
		}
	}
}
