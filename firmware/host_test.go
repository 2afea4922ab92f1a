package firmware

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
	"starloom/nic"
)

func newHost(t testing.TB, runtime string) *Host {
	host, err := NewHost(context.Background(), runtime)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close()) })
	return host
}

func config(cells int) nic.BankConfig {
	return nic.BankConfig{
		Cells: cells, Processors: cells, Groups: cells, GroupSize: 1, Ports: cells,
		PayloadBytes: 8, RxFrames: 2, TxFrames: 2, Seed: 7,
	}
}

// TestBuildRefuses checks that an image that breaks the ABI is never written,
// and that the error says what is wrong and what to do.
func TestBuildRefuses(t *testing.T) {
	for source, want := range map[string]string{
		"no_exports.c":      "does not export starloom_abi; use STARLOOM_FIRMWARE of starloom.h",
		"wrong_abi.c":       "built for ABI version 99, this Starloom has version 1; build the image anew",
		"wrong_signature.c": "exports starloom_slot as (i64) -> (), the ABI has 3 i32 parameters and 0 results",
		"unknown_import.c":  "imports the function env.open_file, which the ABI does not know; allowed are starloom.log, starloom.probe, starloom.fail and starloom.deliver",
		"bad_param.c":       "parameter \"retries\": write name=default",
		"syntax_error.c":    "does not compile",
		"missing.c":         "no such file",
	} {
		t.Run(source, func(t *testing.T) {
			output := filepath.Join(t.TempDir(), "out.wasm")
			err := Build(context.Background(), BuildOptions{Source: filepath.Join("testdata", source), Output: output})
			require.ErrorContains(t, err, want)
			entries, err := os.ReadDir(filepath.Dir(output))
			require.NoError(t, err)
			require.Empty(t, entries, "nothing may be left behind")
		})
	}
}

func TestBuildNeedsTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Build(context.Background(), BuildOptions{Source: "testdata/draws.c", Output: filepath.Join(t.TempDir(), "out.wasm")})
	require.ErrorContains(t, err, "install the packages clang and lld")
}

func TestLoadRefusesBrokenModules(t *testing.T) {
	host := newHost(t, "compiler")
	good, err := ProgramImage("pops/random")
	require.NoError(t, err)
	for name, wasm := range map[string][]byte{
		"empty":     nil,
		"text":      []byte("int main(void) { return 0; }"),
		"truncated": good[:len(good)/2],
		"header":    good[:8],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := host.Load(name, wasm)
			require.Error(t, err)
		})
	}
}

func FuzzLoad(f *testing.F) {
	good, err := ProgramImage("pops/random")
	require.NoError(f, err)
	f.Add(good, 100, byte(0))
	host, err := NewHost(context.Background(), "interpreter")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, wasm []byte, at int, value byte) {
		if len(wasm) > 0 {
			wasm = append([]byte(nil), wasm...)
			wasm[uint(at)%uint(len(wasm))] = value
		}
		if img, err := host.Load("fuzz", wasm); err == nil {
			_, _ = img.NewInstance(config(4))
		}
	})
}

func TestWildBankIsRefused(t *testing.T) {
	path := build(t, "testdata/wild_bank.c")
	wasm, err := os.ReadFile(path)
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("wild", wasm)
	require.NoError(t, err)
	_, err = image.NewInstance(config(4))
	require.ErrorContains(t, err, "outside the memory")
}

func build(t testing.TB, source string) string {
	output := filepath.Join(t.TempDir(), "image.wasm")
	require.NoError(t, Build(context.Background(), BuildOptions{Source: source, Output: output}))
	return output
}

// TestDrawsAgree holds sl_random in the sandbox to hw.Stream, in both runtimes.
func TestDrawsAgree(t *testing.T) {
	wasm, err := os.ReadFile(build(t, "testdata/draws.c"))
	require.NoError(t, err)
	for _, runtime := range Runtimes {
		image, err := newHost(t, runtime).Load("draws", wasm)
		require.NoError(t, err)
		stream := hw.NewStream(12345, hw.PurposeFirmware)
		c := config(50)
		c.First, c.Processors, c.Seed = 1000, 2000, uint64(stream)
		in, err := image.NewInstance(c)
		require.NoError(t, err)
		in.Start()
		for _, slot := range []uint32{0, 1, 77, 1 << 31} {
			in.Slot(slot)
			for cell := range c.Cells {
				processor := uint32(c.First + cell)
				require.EqualValues(t, stream.Draw(processor, slot, 0), in.Probes()[2*cell])
				require.EqualValues(t, hw.Below(stream.Draw(processor, slot, 1), 1000), in.Probes()[2*cell+1])
			}
		}
	}
}

// TestSlotAllocatesNothing holds the steady state of a bank.
func TestSlotAllocatesNothing(t *testing.T) {
	wasm, err := ProgramImage("pops/random")
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("pops/random", wasm)
	require.NoError(t, err)
	in, err := image.NewInstance(config(64))
	require.NoError(t, err)
	in.Start()
	slot := uint32(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		in.Slot(slot)
		slot++
	}))
}

// TestResetRestoresEverything runs, resets and runs again.
func TestResetRestoresEverything(t *testing.T) {
	wasm, err := ProgramImage("pops/random")
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("pops/random", wasm)
	require.NoError(t, err)
	in, err := image.NewInstance(config(16))
	require.NoError(t, err)
	run := func() []byte {
		in.Start()
		for slot := range uint32(7) {
			in.Slot(slot)
		}
		return append([]byte(nil), in.Memory()...)
	}
	first := run()
	in.Reset(7)
	require.Equal(t, first, run())
}
