package engines

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// TestABIAlone runs an image that was written from firmware/ABI.md in WebAssembly text, in
// every way to run one.
func TestABIAlone(t *testing.T) {
	image := filepath.Join(t.TempDir(), "direct.wasm")
	out, err := exec.Command("wasm-as", "firmware/testdata/direct.wat", "-o", image).CombinedOutput()
	require.NoError(t, err, "%s (package binaryen)", out)
	want := ""
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, frames := range []int{1, 3} {
				s := systemtest.ProgramScenario("", 1, 5)
				s.Firmware.Image, s.Firmware.Mode = image, mode
				s.Workload.Permutation.Kind = starloom.PermutationReverse
				s.Rules = &starloom.Rules{ExactlyOnce: true}
				s.NIC.RXFrames, s.NIC.TXFrames = frames, frames
				report := systemtest.Finish(t, s, starloom.MachineOptions{Engine: engine, BankSize: 2})
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
	s := systemtest.ProgramScenario("", 1, 5)
	s.Firmware.Image = image
	_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, "built for ABI version 2, but this Starloom has version 3; build the image again "+
		"with its starloom.h (sl_group, ")
	require.ErrorContains(t, err, "are in starloom_pops.h)")
}

// TestMemoryOfStates: states whose size depends on the shape count, once it is known.
func TestMemoryOfStates(t *testing.T) {
	image := filepath.Join(t.TempDir(), "shape.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "firmware/testdata/shape_state.c", Output: image}))
	memory := func(more int64) uint64 {
		s := systemtest.ProgramScenario("", 2, 3)
		s.Firmware.Image, s.Firmware.Params, s.Stop.Slots = image, map[string]int64{"more": more}, 4
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Run(t.Context(), nil))
		return inside.Machine(m).MemoryBytes()
	}
	require.InDelta(t, 6<<19+6<<19/10, memory(1000+1<<19)-memory(1000), 1, "a tenth is to spare")

	s := systemtest.ProgramScenario("", 1, 5000)
	s.Firmware.Image, s.Firmware.Params = image, map[string]int64{"more": 1<<20 - 1<<16}
	_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{BankSize: 5000})
	require.ErrorContains(t, err, "no room for a bank of 5000 processors")
	require.ErrorContains(t, err, "use smaller banks with --bank, or mode: isolated")
}

// TestLongFrames: payloads of up to 65,504 bytes cross both engines whole, and one that does
// not fit into a FIFO harms nothing.
func TestLongFrames(t *testing.T) {
	image := filepath.Join(t.TempDir(), "long.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/long_frames.c", Output: image}))
	for _, bytes := range []int{1024, 1025, 65497, 65504} {
		want := ""
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
				s := systemtest.ProgramScenario("", 1, 2)
				s.Firmware.Image, s.Firmware.Mode, s.Firmware.Params = image, mode, map[string]int64{"bytes": int64(bytes)}
				s.Rules = &starloom.Rules{}
				s.NIC = starloom.NIC{PayloadBytes: bytes, RXFrames: 1, TXFrames: 1}
				report := systemtest.Finish(t, s, starloom.MachineOptions{Engine: engine})
				require.EqualValues(t, 6, report.Frames.Delivered)
				require.EqualValues(t, 6, report.Frames.Overflow, "the second one of each slot")
				if want == "" {
					want = report.Digest
				}
				require.Equal(t, want, report.Digest)
			}
		}
	}
	s := systemtest.ProgramScenario("pops/random", 2, 2)
	s.RTL, s.NIC.PayloadBytes = []starloom.RTL{{Replace: "**.tx", Twin: "serialiser"}}, 1025
	require.ErrorContains(t, s.Check(), "payload_bytes is 1025; with rtl at most 1024 are possible")
}

// TestLongFramesCostOthersNothing: the data of an image is not larger for them.
func TestLongFramesCostOthersNothing(t *testing.T) {
	s := systemtest.ProgramScenario("pops/random", 2, 2)
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	defer m.Close()
	require.LessOrEqual(t, inside.Machine(m).Image.DataBytes, uint64(4096))
}

// TestPlaceInTheBankIsNamed: firmware check tells firmware that takes nic->cell for the processor's number so.
func TestPlaceInTheBankIsNamed(t *testing.T) {
	source := filepath.Join(t.TempDir(), "cells.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t turn; } state_t;
static void on_start(sl_nic *nic, state_t *s) { s->turn = nic->cell; }
static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) {}
    if (sl_slot(nic) == s->turn) sl_send_packet(nic, 0, SL_ANY, (sl_packet){sl_self(nic), 0});
    if (sl_slot(nic) == 12) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	s := systemtest.Routing(3, 3)
	s.Firmware.Program, s.Firmware.Image, s.Rules = "", strings.TrimSuffix(source, ".c")+".wasm", &starloom.Rules{}
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: s.Firmware.Image}))
	check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, check.WriteText(&text))
	require.Equal(t, starloom.VerdictFail, check.Verdict)
	require.Contains(t, text.String(), "a handler may use its position in the bank (nic->cell) or an address, which another "+
		"layout of the bank changes")
	require.Contains(t, text.String(), "use sl_self(nic) as the number of a processor; ")
}
