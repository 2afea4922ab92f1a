package firmware

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm"
)

// TestWorstCasesOfPrograms runs the built-in programs: no handler costs more than its worst case.
func TestWorstCasesOfPrograms(t *testing.T) {
	const model = "rv32-inorder"
	costs, _ := wasm.Model(model)
	compared := 0
	for _, program := range Programs() {
		view, err := View(t.Context(), program, model, nil, nil, Shown{})
		require.NoError(t, err)
		worst := map[string]*uint64{}
		for _, h := range view.Static.Handlers {
			worst[h.Name] = h.WorstCase
			require.Equal(t, h.WorstCase == nil, len(h.Unbounded) > 0)
		}
		binary, err := ProgramImage(program)
		require.NoError(t, err)
		image, err := newHost(t, "interpreter").LoadMetered(program, binary, &wasm.Meter{Costs: costs, Limit: LimitDefault})
		require.NoError(t, err)
		in, err := image.NewInstance(config(4))
		if err != nil {
			continue // it needs a network of its own
		}
		check := func(name string) {
			for _, cost := range in.Costs() {
				if bound := worst[name]; bound != nil {
					require.LessOrEqual(t, uint64(cost), *bound, "%s: %s", program, name)
					compared++
				}
			}
		}
		in.Start()
		check(exportStart)
		for slot := range uint32(3) {
			in.Slot(all(in), slot)
			check(exportSlot)
		}
	}
	require.Greater(t, compared, 20)
}

func TestOverview(t *testing.T) {
	text := func(model string, shown Shown) string {
		view, err := View(t.Context(), "pops/random", model, nil, nil, shown)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, view.WriteText(&b))
		return b.String()
	}
	short := text("unit", Shown{})
	for _, line := range []string{"functions ", "memory             1 page of 64 KiB\n", "globals            __stack_pointer: mutable i32\n", "  starloom_abi     1\n", "the loop at sdk/starloom.h:"} {
		require.Contains(t, short, line)
	}
	require.Less(t, strings.Count(short, "\n"), 25, "a summary")
	require.NotEqual(t, short, text("microcoded", Shown{}))
	long := text("unit", Shown{Functions: true, Blocks: true})
	require.True(t, strings.HasPrefix(long, short[:200]))
	for _, part := range []string{"any number of turns of at most ", "starloom_slot 0  ", "sdk/starloom.h:"} {
		require.Contains(t, long, part)
	}

	view, err := View(t.Context(), "pops/random", "unit", nil, nil, Shown{})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, view.WriteJSON(&b))
	var again Overview
	require.NoError(t, json.Unmarshal(b.Bytes(), &again))
	require.Equal(t, view.Static, again.Static)
	unit, _ := wasm.Model("unit")
	require.Equal(t, unit.ByName(), again.Costs)
	require.Len(t, again.Costs, len(wasm.ClassNames()))
	slot := slices.IndexFunc(again.Static.Handlers, func(h wasm.Handler) bool { return h.Name == exportSlot })
	require.Nil(t, again.Static.Handlers[slot].WorstCase)
	require.NotEmpty(t, again.Static.Handlers[slot].Unbounded)

	_, err = View(t.Context(), "pops/random", "arm", nil, nil, Shown{})
	require.ErrorContains(t, err, "use unit, rv32-inorder, microcoded")
	_, err = View(t.Context(), "none.wasm", "unit", nil, nil, Shown{})
	require.Error(t, err)
}
