package starloom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/emulator"
)

// ejScenario is a broadcast on a small network.
func ejScenario(t *testing.T, a, b, dimensions int, program, more string, params ...string) *Scenario {
	return ejParsed(t, fmt.Sprintf("a: %d, b: %d, dimensions: %d", a, b, dimensions), program, more, params...)
}

func ejParsed(t *testing.T, network, program, more string, params ...string) *Scenario {
	s, err := ParseScenario("ej.yaml", fmt.Appendf(nil, "starloom: 1\nname: ej\nfabric: {ej: {%s}}\nfirmware: {program: %s, params: {%s}}\n%s",
		network, program, strings.Join(params, ", "), more))
	require.NoError(t, err)
	return s
}

// TestParking: parked processors give the same report as processors with banks, for any
// number of workers, also from a state that was saved in any slot.
func TestParking(t *testing.T) {
	for _, c := range []struct {
		a, b, dimensions int
		program          string
	}{{3, 4, 3, "ej/improved"}, {3, 4, 3, "ej/previous"}, {2, 2, 3, "ej/general"}, {3, 4, 3, "ej/misprinted"}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := ejScenario(t, c.a, c.b, c.dimensions, c.program, "workload: {one_to_all: {source: 5}}\n")
			text := func(m *Machine) string {
				r := *m.Report()
				require.Equal(t, m.own.Parking != nil, r.Firmware.BytesPerProcessor > 0)
				r.Firmware.BytesPerProcessor = 0
				data, err := json.Marshal(&r)
				require.NoError(t, err)
				return string(data)
			}
			run := func(o MachineOptions) string {
				m, err := NewMachine(t.Context(), s, o)
				require.NoError(t, err)
				defer m.Close()
				require.Equal(t, o.more.Parks, m.own.Parking != nil)
				require.NoError(t, m.Run(t.Context(), nil))
				return text(m)
			}
			want := run(MachineOptions{})
			same(t, want, run(MachineOptions{more: emulator.Options{Parks: true}}))
			same(t, want, run(MachineOptions{Workers: 3, BankSize: 5000, more: emulator.Options{Parks: true}}))

			m, err := NewMachine(t.Context(), s, MachineOptions{more: emulator.Options{Parks: true}})
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
			again, err := NewMachine(t.Context(), s, MachineOptions{more: emulator.Options{Parks: true}})
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

// same compares two reports, and shows where they differ first.
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
