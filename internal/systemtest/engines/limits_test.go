package engines

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// countsForEver takes a different number of turns in each handler, and does not return from that
// of processor 6 in slot 3. It counts them in its state.
const countsForEver = `#include "starloom_pops.h"
typedef struct { volatile uint32_t turns; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; s->turns = 0; }
static void on_slot(sl_nic *nic, state_t *s) {
    s->turns = 0;
    while (s->turns < sl_self(nic) * 5000 || (sl_slot(nic) == 3 && sl_self(nic) == 6)) s->turns++;
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// TestEndlessHandlersEndAtTheSameTurn: what a handler has done when it is ended depends on nothing
// but itself: not on the bank, its place in it, those before it, the engine or the runtime. With
// the limit above what the others take, they never are.
func TestEndlessHandlersEndAtTheSameTurn(t *testing.T) {
	source := filepath.Join(t.TempDir(), "counts.c")
	require.NoError(t, os.WriteFile(source, []byte(countsForEver), 0o644))
	image := strings.TrimSuffix(source, ".c") + ".wasm"
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	var first uint32
	for _, o := range []struct {
		mode string
		starloom.MachineOptions
	}{
		{starloom.ModeIsolated, starloom.MachineOptions{}},
		{starloom.ModeBanked, starloom.MachineOptions{}}, {starloom.ModeBanked,
			starloom.MachineOptions{BankSize: 3, Workers: 2}},
		{starloom.ModeBanked, starloom.MachineOptions{BankSize: 7, Engine: starloom.EngineCycle}}, {starloom.ModeBanked,
			starloom.MachineOptions{Runtime: "interpreter"}}, {starloom.ModeBanked, systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true})},
	} {
		s := systemtest.Routing(4, 4)
		s.Firmware.Program, s.Firmware.Image, s.Rules, s.Firmware.Mode = "", image, &starloom.Rules{}, o.mode
		s.Stop.Slots = 6
		inside.Options(&o.MachineOptions).HandlerTicks = 2
		m := systemtest.Machine(t, s, o.MachineOptions)
		require.NoError(t, m.Run(context.Background(), nil))
		r := m.Report()
		require.Equal(t, starloom.RuleTrap, r.Violations[0].Rule)
		require.EqualValues(t, 16, r.ViolationsTotal, "one that trapped, fifteen that were not done")
		require.EqualValues(t, 3, r.Violations[0].Slot)
		require.Contains(t, r.Violations[0].Message, "after 131072 iterations")
		require.Contains(t, r.Violations[0].Path, "nic[2]")
		if inside.Options(&o.MachineOptions).Parks {
			continue // states are elsewhere
		}
		for i := range inside.Machine(m).Shards {
			for _, instance := range inside.Machine(m).Shards[i].Instances {
				bank := instance.Bank()
				for cell := range bank.Cells {
					turns := binary.LittleEndian.Uint32(bank.State(cell))
					if processor := bank.First + cell; processor != 6 {
						require.EqualValues(t, processor*5000, turns)
					} else if first == 0 {
						first = turns
						require.InDelta(t, 131072, turns, 2)
					} else {
						require.Equal(t, first, turns, "%s %+v", o.mode, o.MachineOptions)
					}
				}
			}
		}
	}
}
