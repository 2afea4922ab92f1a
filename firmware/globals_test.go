package firmware

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// globalsImage builds testdata/globals.c like tools of other languages: only the ABI is exported, and strip removes
// names.
func globalsImage(t *testing.T, strip bool) []byte {
	object := filepath.Join(t.TempDir(), "globals.o")
	image := filepath.Join(t.TempDir(), "globals.wasm")
	out, err := exec.Command("clang", "--target=wasm32", "-std=c11", "-O2", "-g", "-ffreestanding", "-mbulk-memory", "-mmutable-globals",
		"-I", "sdk", "-c", "-o", object, "testdata/globals.c").CombinedOutput()
	require.NoError(t, err, string(out))
	args := []string{"--no-entry", "--stack-first", "-z", "stack-size=16384", "-o", image, object}
	if strip {
		args = append(args, "--strip-all")
	}
	out, err = exec.Command("wasm-ld", args...).CombinedOutput()
	require.NoError(t, err, string(out))
	binary, err := os.ReadFile(image)
	require.NoError(t, err)
	return binary
}

// TestGlobalsAreState: Reset and SetState restore globals and memory allocated in a run.
func TestGlobalsAreState(t *testing.T) {
	binary := globalsImage(t, false)
	for _, runtime := range Runtimes {
		image, err := newHost(t, runtime).Load("globals", binary)
		require.NoError(t, err)
		instance := func() Instance {
			in, err := image.NewInstance(config(8))
			require.NoError(t, err)
			return in
		}
		slots := func(in Instance, first, end uint32) [][]uint64 {
			var seen [][]uint64
			for slot := first; slot < end; slot++ {
				in.Slot(all(in), slot)
				seen = append(seen, slices.Clone(in.Probes()))
			}
			return seen
		}
		in := instance()
		in.Start()
		want := slots(in, 0, 6)
		require.Equal(t, []uint64{48, 48<<32 | 48}, want[5][21:23], "calls of the last processor in the last slot")

		for range 2 {
			in.Reset(7)
			in.Start()
			require.Equal(t, want, slots(in, 0, 6))
		}

		in.Reset(7)
		in.Start()
		slots(in, 0, 2)
		memory, globals := slices.Clone(in.Memory()), in.Globals()
		slots(in, 2, 6)
		in.Start() // and more memory
		for _, other := range []Instance{in, instance()} {
			require.NoError(t, other.SetState(memory, globals))
			require.Equal(t, want[2:], slots(other, 2, 6))
		}
		require.Error(t, in.SetState(memory[1:], globals))
		require.Error(t, in.SetState(memory, globals[1:]))
	}
}

// TestTrapGivesStackBack: otherwise traps with half a KiB on the stack would use up its 16 KiB, and healthy
// neighbours would trap. Counters of the language keep their values.
func TestTrapGivesStackBack(t *testing.T) {
	for _, strip := range []bool{false, true} {
		image, err := newHost(t, "compiler").Load("globals", globalsImage(t, strip))
		require.NoError(t, err)
		in, err := image.NewInstance(config(128))
		require.NoError(t, err)
		in.Start()
		for slot := uint32(7); slot < 10; slot++ {
			in.Slot(all(in), slot)
		}
		events := in.TakeEvents()
		require.Len(t, events, 64)
		for _, e := range events {
			require.Equal(t, EventTrap, e.Kind)
			require.Equal(t, 1, e.Cell%2)
			require.Equal(t, "unreachable", e.Text)
			if !strip {
				require.Equal(t, "with_stack", e.Function)
				require.Contains(t, e.Source, "globals.c:26:")
			}
		}
		require.EqualValues(t, 3*128, in.Probes()[3*127])
	}
}
