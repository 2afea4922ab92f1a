package firmware

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm"
)

var update = flag.Bool("update", false, "rebuild the images of the built-in programs, and the tables of ABI.md")

// TestImages rebuilds every built-in program and compares it with the committed image, byte for byte, if the compiler
// has the version named in the image; for other versions ABI and names must agree.
func TestImages(t *testing.T) {
	sources, err := filepath.Glob("programs/*/*.c")
	require.NoError(t, err)
	require.Len(t, sources, len(Programs()), "every program has a source and an image")
	for _, name := range Programs() {
		t.Run(name, func(t *testing.T) {
			source, image := "programs/"+name+".c", "images/"+name+".wasm"
			rebuilt := filepath.Join(t.TempDir(), "image.wasm")
			if *update {
				rebuilt = image
			}
			var warnings bytes.Buffer
			require.NoError(t, Build(context.Background(), BuildOptions{Source: source, Output: rebuilt, Warnings: &warnings}))
			require.Empty(t, warnings.String())
			got, err := os.ReadFile(rebuilt)
			require.NoError(t, err)
			want, err := os.ReadFile(image)
			require.NoError(t, err)
			if producer := clangVersion(t); bytes.Contains(want, producer) {
				require.True(t, bytes.Equal(want, got), "%s has drifted from %s; run go test ./firmware -run Images -update", image, source)
				return
			}
			have, err := Inspect(t.Context(), rebuilt)
			require.NoError(t, err)
			committed, err := Inspect(t.Context(), image)
			require.NoError(t, err)
			require.Equal(t, committed.Params, have.Params)
			require.Equal(t, committed.Probes, have.Probes)
			require.Equal(t, committed.RecordBytes, have.RecordBytes)
		})
	}
}

// TestShim rebuilds the entry points of programs for RISC-V.
func TestShim(t *testing.T) {
	const image = "rv32/shim/shim.wasm"
	rebuilt := filepath.Join(t.TempDir(), "shim.wasm")
	if *update {
		rebuilt = image
	}
	require.NoError(t, Build(context.Background(), BuildOptions{Source: "rv32/shim/shim.c", Output: rebuilt}))
	got, err := os.ReadFile(rebuilt)
	require.NoError(t, err)
	want, err := os.ReadFile(image)
	require.NoError(t, err)
	if bytes.Contains(want, clangVersion(t)) {
		require.True(t, bytes.Equal(want, got), "%s has drifted; run go test ./firmware -run Shim -update", image)
	}
}

// clangVersion is the compiler's name as clang writes it into an image.
func clangVersion(t *testing.T) []byte {
	out, err := exec.Command("clang", "--version").Output()
	require.NoError(t, err, "install the packages clang and lld")
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return line
}

// TestLaps: the copies of all built-in programs know when a cell's turn begins.
func TestLaps(t *testing.T) {
	for _, name := range Programs() {
		image, err := ProgramImage(name)
		require.NoError(t, err)
		copied, err := wasm.Rewrite(image)
		require.NoError(t, err)
		require.True(t, copied.Laps, name)
	}
}
