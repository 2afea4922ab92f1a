package starloom

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestABIAlone runs an image that was written from firmware/ABI.md in WebAssembly text, in
// every way to run one.
func TestABIAlone(t *testing.T) {
	image := filepath.Join(t.TempDir(), "direct.wasm")
	out, err := exec.Command("wasm-as", "firmware/testdata/direct.wat", "-o", image).CombinedOutput()
	require.NoError(t, err, "%s (package binaryen)", out)
	want := ""
	for _, engine := range []string{EngineSlot, EngineCycle} {
		for _, mode := range []string{ModeBanked, ModeIsolated} {
			for _, frames := range []int{1, 3} {
				s := programScenario("", 1, 5)
				s.Firmware.Image, s.Firmware.Mode = image, mode
				s.Workload.Permutation.Kind = PermutationReverse
				s.Rules = &Rules{ExactlyOnce: true, CollisionFree: &CollisionFree{Period: 1, Slots: []int{1}}}
				s.NIC.RXFrames, s.NIC.TXFrames = frames, frames
				report := finish(t, s, MachineOptions{Engine: engine, BankSize: 2})
				if want == "" {
					want = report.Digest
				}
				require.Equal(t, want, report.Digest)
				require.EqualValues(t, 5, report.Frames.Delivered)
			}
		}
	}
}

// TestABI2IsRefused: with what to do.
func TestABI2IsRefused(t *testing.T) {
	text, err := os.ReadFile("firmware/testdata/direct.wat")
	require.NoError(t, err)
	source := filepath.Join(t.TempDir(), "old.wat")
	require.NoError(t, os.WriteFile(source, bytes.Replace(text, []byte(`(result i32) (i32.const 3))`), []byte(`(result i32) (i32.const 2))`), 1), 0o644))
	image := filepath.Join(t.TempDir(), "old.wasm")
	require.NoError(t, exec.Command("wasm-as", source, "-o", image).Run())
	s := programScenario("", 1, 5)
	s.Firmware.Image = image
	_, err = NewMachine(t.Context(), s, MachineOptions{})
	require.ErrorContains(t, err, "built for ABI version 2, this Starloom has version 3; build the image again with its starloom.h (sl_group, ")
	require.ErrorContains(t, err, "are in starloom_pops.h)")
}
