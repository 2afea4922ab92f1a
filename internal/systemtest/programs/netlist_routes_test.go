package programs

import (
	"fmt"
	"testing"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestRoutesByACrossbar: packets leave by the port that routes name, be it that of a crossbar or of a star, in both
// engines.
func TestRoutesByACrossbar(t *testing.T) {
	for _, by := range [][3]uint16{{1, 0, 0}, {0, 1, 1}, {0, 0, 0}, {1, 1, 1}} {
		s, err := starloom.ParseScenario("routes.yaml", fmt.Appendf(nil, `starloom: 1
fabric:
  netlist:
    nodes: {"p[0..2]": processor, x: crossbar, s: star}
    links: [["p[0..2]", x], ["p[0..2]", s]]
    routes: {"p[0]": {"p[2]": %d}, "p[1]": {"p[0]": %d}, "p[2]": {"p[1]": %d}}
firmware: {program: netlist/next-hop}
workload: {permutation: [2, 0, 1]}
stop: {slots: 10}
`, by[0], by[1], by[2]))
		require.NoError(t, err)
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			m, sent := systemtest.Captured(t, s, starloom.MachineOptions{Engine: engine}), map[int]uint16{}
			require.NoError(t, m.Run(t.Context(), func() error {
				for i := range inside.Machine(m).Shards {
					for _, f := range inside.Machine(m).Shards[i].Ledger.Sent {
						if _, before := sent[f.Processor]; !before { // frames that meet on the star come to no one
							sent[f.Processor] = f.Port
						}
					}
				}
				return nil
			}))
			require.Equal(t, map[int]uint16{0: by[0], 1: by[1], 2: by[2]}, sent, "%s %v", engine, by)
			if by[0]+by[1]+by[2] < 2 {
				require.Equal(t, starloom.VerdictPass, m.Report().Verdict, "%s %v", engine, by)
			}
		}
	}
}
