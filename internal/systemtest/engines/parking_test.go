package engines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// TestParking: parked processors give the same report as processors with banks, for any
// number of workers, also from a state that was saved in any slot.
func TestParking(t *testing.T) {
	for _, c := range []struct {
		a, b, dimensions int
		program          string
	}{{3, 4, 3, "ej/improved"}, {3, 4, 3, "ej/previous"}, {2, 2, 3, "ej/general"}, {3, 4, 3, "ej/misprinted"}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := systemtest.EjScenario(t, c.a, c.b, c.dimensions, c.program, "workload: {one_to_all: {source: 5}}\n")
			text := func(m *starloom.Machine) string {
				r := *m.Report()
				require.Equal(t, inside.Machine(m).Parking != nil, r.Firmware.BytesPerProcessor > 0)
				r.Firmware.BytesPerProcessor = 0
				data, err := json.Marshal(&r)
				require.NoError(t, err)
				return string(data)
			}
			run := func(o starloom.MachineOptions) string {
				m, err := starloom.NewMachine(t.Context(), s, o)
				require.NoError(t, err)
				defer m.Close()
				require.Equal(t, inside.Options(&o).Parks, inside.Machine(m).Parking != nil)
				require.NoError(t, m.Run(t.Context(), nil))
				return text(m)
			}
			want := run(starloom.MachineOptions{})
			same(t, want, run(systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true})))
			same(t, want,
				run(systemtest.With(starloom.MachineOptions{Workers: 3, BankSize: 5000}, emulator.Options{Parks: true})))

			m, err := starloom.NewMachine(t.Context(), s,
				systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true}))
			require.NoError(t, err)
			defer m.Close()
			var state bytes.Buffer
			for slot := 0; !m.Ended(); slot++ {
				require.NoError(t, m.Step())
				if slot == 4 {
					require.NoError(t, m.Save(&state))
				}
			}
			same(t, want, text(m))
			again, err := starloom.NewMachine(t.Context(), s,
				systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true}))
			require.NoError(t, err)
			defer again.Close()
			require.NoError(t, again.Restore(&state))
			require.NoError(t, again.Run(t.Context(), nil))
			same(t, want, text(again))
			require.NoError(t, again.Reset(s.Seed))
			require.NoError(t, again.Run(t.Context(), nil))
			same(t, want, text(again))
		})
	}
}

// same compares two reports and shows their first difference.
func same(t *testing.T, want, have string) {
	t.Helper()
	if want != have {
		at := 0
		for at < min(len(want), len(have)) && want[at] == have[at] {
			at++
		}
		from := max(0, at-100)
		t.Fatalf("want %.200s\nhave %.200s", want[from:], have[from:])
	}
}
