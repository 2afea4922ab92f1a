package starloom

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
	"starloom/firmware/wasm"
)

// routedMesh is a mesh of routers.
const routedMesh = "fabric: {netlist: {mesh: {k: [3, 3]}, router: {}}}\n"

// drawnRing is a ring of four processors, of which two also share a star.
const drawnRing = `fabric: {netlist: {nodes: {"p[0..3]": processor, hub: star}, links: [
    ["p[0..2]:0", "p[1..3]:1"], ["p[3]:0", "p[0]:1"], ["p[0]:2", hub], ["p[2]:2", hub]]}}
`

// networksOfPrograms are small runs of all built-in programs, without their first line and program.
var networksOfPrograms = map[string]string{
	"bus/improved":          "fabric: {bus: {vertices: 21, length: 4}}\n",
	"bus/naive":             "fabric: {bus: {vertices: 21, length: 4}}\n",
	"bus/traffic":           "fabric: {bus: {vertices: 6, buses: [[0, 1, 2, 3, 4, 5]], arbiter: round_robin}}\nworkload: {traffic: {rate: 0.1, warm_up: 0, measure: 200}}\n",
	"bus/two-phase":         "fabric: {bus: {vertices: 21, length: 4}}\n",
	"bus/sensors":           "fabric: {bus: {vertices: 8, buses: [[1, 2, 3, 4, 5, 6, 7, 0]], arbiter: fixed}}\n",
	"crossbar/traffic":      "fabric: {crossbar: {ports: 6}}\nworkload: {traffic: {rate: 0.5, warm_up: 0, measure: 200}}\n",
	"ej/all-to-all":         "fabric: {ej: {a: 2, b: 3, dimensions: 1, duplex: full}}\nworkload: {all_to_all: {}}\n",
	"ej/all-to-all-c1":      "fabric: {ej: {a: 2, b: 3, dimensions: 1}}\nworkload: {all_to_all: {}}\n",
	"ej/all-to-all-c2":      "fabric: {ej: {a: 2, b: 3, dimensions: 1}}\nworkload: {all_to_all: {}}\n",
	"ej/general":            "fabric: {ej: {a: 2, b: 3, dimensions: 2}}\nworkload: {one_to_all: {source: 5}}\n",
	"ej/improved":           "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nworkload: {one_to_all: {source: 5}}\n",
	"ej/misprinted":         "fabric: {ej: {a: 3, b: 4, dimensions: 2}}\nworkload: {one_to_all: {source: 0}}\n",
	"ej/previous":           "fabric: {ej: {a: 3, b: 4, dimensions: 2}}\nworkload: {one_to_all: {source: 0}}\n",
	"ej/traffic":            "fabric: {ej: {a: 3, b: 4, dimensions: 2}}\nworkload: {traffic: {rate: 0.7, warm_up: 0, measure: 200}}\n",
	"gossip/fsa":            "fabric: {crossbar: {ports: 7}}\nworkload: {gossip: {orders: shared-random}}\n",
	"gossip/hopfield":       "fabric: {crossbar: {ports: 12}}\nworkload: {gossip: {values: random, sessions: 2}}\n",
	"gossip/optimal":        "fabric: {crossbar: {ports: 8}}\nworkload: {gossip: {}}\n",
	"gossip/voting":         "fabric: {crossbar: {ports: 7}}\nworkload: {gossip: {values: random}}\n",
	"pops/offline":          "fabric: {pops: {groups: 4, group_size: 8}}\n",
	"pops/one-to-all":       "fabric: {pops: {groups: 4, group_size: 8}}\nworkload: {one_to_all: {source: 3}}\n",
	"pops/random":           "fabric: {pops: {groups: 4, group_size: 8}}\n",
	"pops/random-corrected": "fabric: {pops: {groups: 4, group_size: 8}}\n",
	"pops/sort":             "fabric: {pops: {groups: 4, group_size: 4}}\n",
	"netlist/gossip":        drawnRing + "workload: {gossip: {}}\n",
	"netlist/traffic":       drawnRing + "workload: {traffic: {rate: 0.02, warm_up: 0, measure: 200}}\n",
	"netlist/flood":         drawnRing + "workload: {one_to_all: {source: 0}}\n",
	"netlist/next-hop":      drawnRing,
	"netlist/direct":        routedMesh,
	"netlist/unicast":       routedMesh + "workload: {one_to_all: {source: 0}}\n",
	"netlist/exchange":      routedMesh + "workload: {all_to_all: {}}\n",
	"netlist/request-reply": routedMesh + "workload: {all_to_all: {}}\n",
	"pops/traffic":          "fabric: {pops: {groups: 4, group_size: 4}}\nworkload: {traffic: {rate: 0.15, warm_up: 0, measure: 200}}\n",
	"pops/two-hops":         "fabric: {pops: {groups: 4, group_size: 4}}\n",
	"scatter/async":         "fabric: {crossbar: {ports: 16, queue_frames: 2}}\nworkload: {scatter: {origin: 0}}\n",
	"scatter/sync":          "fabric: {crossbar: {ports: 16, queue_frames: 2}}\nworkload: {scatter: {origin: 0}}\n",
}

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
		s, err := ParseScenario("worst.yaml", []byte("starloom: 1\nfirmware: {program: "+program+", cpu: {model: "+model+"}}\nstop: {slots: 200}\n"+networksOfPrograms[program]))
		require.NoError(t, err, program)
		report, err := Run(t.Context(), s, RunOptions{})
		require.NoError(t, err, program)
		require.NotZero(t, report.Frames.Delivered)
		compared := 0
		for _, h := range view.Static.Handlers {
			cycles := map[string]*HandlerCycles{"starloom_start": report.Firmware.StartCycles, "starloom_slot": report.Firmware.Cycles}[h.Name]
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
