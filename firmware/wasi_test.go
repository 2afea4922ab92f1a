package firmware

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm"
	"starloom/nic"
)

// runtimeBank is an instance of firmware with a language runtime, for one processor.
func runtimeBank(t *testing.T, runtime string, meter *wasm.Meter, processor int, seed uint64, end int32) Instance {
	t.Helper()
	binary, err := os.ReadFile(build(t, "testdata/runtime.c"))
	require.NoError(t, err)
	image, err := newHost(t, runtime).load("runtime.c", binary, meter)
	require.NoError(t, err)
	require.True(t, image.Runtime)
	c := config(1)
	c.First, c.Processors, c.Seed, c.Params[0] = processor, 4, seed, end
	in, err := image.NewInstance(c)
	require.NoError(t, err)
	in.Start()
	return in
}

// TestRuntimeImports: the time is the slot, random numbers depend on seed, processor and slot, output goes to the log
// line by line, and no other imports exist.
func TestRuntimeImports(t *testing.T) {
	var before []uint64
	for _, runtime := range Runtimes {
		in := runtimeBank(t, runtime, nil, 2, 7, 0)
		in.Slot([]uint32{0}, 0)
		in.Slot([]uint32{0}, 5)
		probes := append([]uint64(nil), in.Probes()...)
		require.EqualValues(t, 0, probes[0], "no arguments, no environment")
		require.EqualValues(t, 6*wasiSlotNanoseconds, probes[1])
		require.NotEqual(t, probes[2], probes[3], "two draws of a slot")
		require.EqualValues(t, wasiBadFD, probes[4])
		events := in.TakeEvents()
		require.Len(t, events, 4)
		require.Equal(t, "one line", events[2].Text)
		require.Equal(t, "and another", events[3].Text)
		if before != nil {
			require.Equal(t, before, probes)
		}
		before = probes

		memory, globals := append([]byte(nil), in.Memory()...), in.Globals()
		in.Slot([]uint32{0}, 6)
		next := append([]uint64(nil), in.Probes()...)
		require.NotEqual(t, before[2], next[2], "another slot")
		require.NoError(t, in.SetState(memory, globals))
		in.Slot([]uint32{0}, 6)
		require.Equal(t, next, in.Probes(), "nothing is kept outside of the state")
	}
	for _, other := range []Instance{runtimeBank(t, "compiler", nil, 3, 7, 0), runtimeBank(t, "compiler", nil, 2, 8, 0)} {
		other.Slot([]uint32{0}, 5)
		require.NotEqual(t, before[2], other.Probes()[2])
	}
}

// TestRuntimeEnds: an exit or a wait is a trap with a reason.
func TestRuntimeEnds(t *testing.T) {
	for end, want := range map[int32]string{1: "proc_exit: the firmware's runtime exits with status 3", 2: "poll_oneoff: the handler waits"} {
		in := runtimeBank(t, "compiler", nil, 0, 7, end)
		in.Slot([]uint32{0}, 0)
		events := in.TakeEvents()
		require.Len(t, events, 3)
		require.Equal(t, EventTrap, events[2].Kind)
		require.Contains(t, events[2].Text, want)
		require.NotZero(t, in.Bank().Registers[0].Flags&nic.FlagFaulty)
	}
}

// TestRuntimePanics: a trap contains the runtime's message of that call, metered or not.
func TestRuntimePanics(t *testing.T) {
	for _, meter := range []*wasm.Meter{nil, CountingMeter(nil)} {
		for end, want := range map[int32]string{3: "panic: index 7 out of range (unreachable)", 4: "unreachable"} {
			in := runtimeBank(t, "compiler", meter, 0, 7, end)
			for slot := range uint32(end - 2) {
				in.Slot([]uint32{0}, slot)
			}
			events := in.TakeEvents()
			traps := slices.DeleteFunc(events, func(e Event) bool { return e.Kind != EventTrap })
			require.Len(t, traps, 1)
			require.Equal(t, want, traps[0].Text)
		}
	}
}

// TestRuntimeServesOne: an image with a runtime serves one processor per instance.
func TestRuntimeServesOne(t *testing.T) {
	_, err := bank(t, "runtime.c", 2)
	require.ErrorIs(t, err, ErrOneProcessor)
}
