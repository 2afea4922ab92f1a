package programs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/systemtest"
)

// TestWorstCasesOfRuns: in runs of all built-in programs no handler costs more than its worst case:
// of start handlers mostly as proved; of slot handlers where loops without a proved bound turn no more
// often than such ones do here, those of starloom.h over the frames of a FIFO and the words of a frame.
func TestWorstCasesOfRuns(t *testing.T) {
	const model, sdkTurns, turns = "rv32-inorder", 5, 25
	reached, near := 0, 0
	for _, program := range firmware.Programs() {
		view, err := firmware.View(t.Context(), program, model, nil, nil, firmware.Shown{})
		require.NoError(t, err)
		given := wasm.Turns{}
		for _, f := range view.Static.Functions {
			for _, l := range f.Loops {
				switch place := l.Place.String(); {
				case l.Turns == 0 && strings.HasPrefix(place, "sdk/starloom.h:"):
					given[place] = sdkTurns
				case l.Turns == 0:
					given[place] = turns
				}
			}
		}
		view, err = firmware.View(t.Context(), program, model, nil, given, firmware.Shown{})
		require.NoError(t, err)
		s, err := starloom.ParseScenario("worst.yaml", []byte("starloom: 1\nfirmware: {program: "+program+", cpu: {model: "+model+"}}\nstop: {slots: 200}\n"+systemtest.NetworksOfPrograms[program]))
		require.NoError(t, err, program)
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err, program)
		require.NotZero(t, report.Frames.Delivered)
		compared := 0
		for _, h := range view.Static.Handlers {
			cycles := map[string]*starloom.HandlerCycles{"starloom_start": report.Firmware.StartCycles, "starloom_slot": report.Firmware.Cycles}[h.Name]
			if cycles == nil {
				continue
			}
			compared++
			require.NotNil(t, h.WorstCase, "%s: %s: %v", program, h.Name, h.Unbounded)
			require.NotZero(t, cycles.Max)
			require.LessOrEqual(t, cycles.Max, *h.WorstCase, "%s: %s", program, h.Name)
			if cycles.Max == *h.WorstCase {
				require.False(t, h.Given)
				reached++
			}
			if cycles.Max > *h.WorstCase/5 {
				near++
			}
		}
		require.Equal(t, 2, compared)
	}
	t.Logf("%d handlers cost as much as is proved, %d more than a fifth of it", reached, near)
	require.Greater(t, reached, 10)
	require.Greater(t, near, 20)
}
