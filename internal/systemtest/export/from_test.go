package export

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/export"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/internal/verilog"
)

const (
	routing = "firmware: {program: pops/random}\n"
	gossip  = "firmware: {program: gossip/fsa}\nworkload: {gossip: {}}\n"
	stars   = `fabric:
  netlist:
    nodes: {"p[0..3]": processor, "hub[0..1]": star}
    links:
      - ["p[0..1]:0", "hub[0]"]
      - ["p[2..3]:0", "hub[1]"]
      - {endpoints: ["p[1]:1", "p[2]:1"], latency: 3}
firmware: {program: netlist/next-hop}
`
	wire = `fabric:
  netlist:
    nodes: {"p[0..3]": processor, wire: {kind: bus, arbiter: round_robin}}
    links: [["p[0..3]", wire]]
firmware: {program: netlist/next-hop}
`
)

// Networks of routers with bare packets.
const (
	mesh = `fabric: {netlist: {mesh: {k: [3, 2]}, router: {vcs: 2, depth: 2}}}
workload: {traffic: {rate: 0.2, size: [{frames: 1}, {frames: 5}], warm_up: 1, measure: 200}}
`
	torus = `fabric: {netlist: {torus: {k: [5, 3]}, router: {vcs: 4, depth: 3, routing_delay: 0, credit_delay: 2,
  wait_for_tail_credit: true, allocator: separable_input_first}}}
workload: {traffic: {rate: 0.15, size: 3, warm_up: 1, measure: 150}}
`
	drawn = `fabric:
  netlist:
    router: {vcs: 2, depth: 4}
    nodes: {"r[0..3]": router, "p[0..3]": processor, "q": processor}
    links:
      - ["r[0..2]:1", "r[1..3]:2"]
      - {endpoints: ["r[3]:1", "r[0]:2"], latency: 3}
      - ["p[0..3]", "r[0..3]:0"]
      - {endpoints: [q, "r[1]:3"], latency: 2}
    routes: dateline
workload: {traffic: {rate: 0.15, size: 2, warm_up: 1, measure: 150}}
`
)

// fed is a network of routers with firmware: classes of packets, one place in the RX FIFO of each NIC, and handlers
// that hold packets back for most of a tick.
const fed = `fabric: {netlist: {mesh: {k: [2, 2]}, router: {vcs: 4, depth: 1, classes: 2}, streaming: {tick: 570}}}
nic: {tx_frames: 2, rx_frames: 1}
workload: {all_to_all: {}}
firmware: {program: netlist/request-reply, cpu: {model: unit, budget_cycles: 550}}
`

// mixed is a network with ports at routers and ports at stars. IMAGE stands for its firmware.
const mixed = `fabric:
  netlist:
    streaming: {tick: 16}
    nodes: {"r[0..1]": router, "gate[0..1]": processor, "a[0..1]": processor, "b[0..1]": processor, "bus[0..1]": star}
    links: [["r[0]:1", "r[1]:2"], ["gate[0..1]:0", "r[0..1]:0"], ["gate[0..1]:1", "bus[0..1]"], ["a[0..1]", "bus[0]"],
      ["b[0..1]", "bus[1]"]]
nic: {rx_frames: 8, tx_frames: 4}
workload: {permutation: [1, 0, 4, 5, 2, 3]}
firmware: {image: IMAGE}
`

// parsed is a scenario.
func parsed(t *testing.T, text string) *starloom.Scenario {
	if strings.Contains(text, "IMAGE") {
		text = strings.Replace(text, "IMAGE", systemtest.Image(t, "bridges"), 1)
	}
	s, err := starloom.ParseScenario("", []byte("starloom: 1\n"+text))
	require.NoError(t, err)
	return s
}

// machines are the machines in which expressions and closures are compared. The number of inputs that cannot be
// exported is exact, so a new one shows here, and one less is taken from the number.
var machines = []struct {
	name, text string
	refused    int
	still      string // a port that the firmware never moves
}{
	{"pops-2x3", "fabric: {pops: {groups: 3, group_size: 2}}\n" + routing, 0, ""},
	{"pops-4x4", "fabric: {pops: {groups: 4, group_size: 4}}\n" + routing, 0, ""},
	{"pops-links", "fabric: {pops: {groups: 2, group_size: 2}}\nlink: {propagation_cycles: 3, phit_bits: 5}\n" +
		routing, 0, ""},
	{"ej", "fabric: {ej: {a: 1, b: 2, dimensions: 1}}\n" +
		"firmware: {program: ej/all-to-all}\nworkload: {all_to_all: {}}\n", 84, ""},
	{"stars", stars, 0, ""},
	{"crossbar-priority", "fabric: {crossbar: {ports: 4}}\n" + gossip, 0, "tag_i"},
	{"crossbar-round_robin", "fabric: {crossbar: {ports: 3, arbiter: round_robin}}\n" + gossip, 0, "tag_i"},
	{"crossbar-lottery", "fabric: {crossbar: {ports: 3, arbiter: lottery}}\n" + gossip, 0, "tag_i"},
	{"crossbar-weighted", "fabric: {crossbar: {ports: 3, arbiter: weighted_round_robin}}\n" + gossip, 0, "tag_i"},
	{"crossbar-sessions", "fabric: {crossbar: {ports: 4}}\n" +
		"firmware: {program: gossip/fsa}\nworkload: {gossip: {sessions: 3}}\n", 0, ""},
	{"crossbar-cap", "fabric: {crossbar: {ports: 4, cap: 2}}\n" + gossip, 7, "tag_i"},
	{"crossbar-lists", "fabric: {crossbar: {ports: 4, matching: list}}\n" + gossip, 13, ""},
	{"crossbar-aloha", "fabric: {crossbar: {ports: 4, medium: aloha}}\n" + gossip, 32, ""},
	{"crossbar-queues", "fabric: {crossbar: {ports: 8}}\n" +
		"firmware: {program: scatter/sync}\nworkload: {scatter: {}}\n", 32, ""},
	{"bus", "fabric: {bus: {vertices: 6, length: 3}}\nfirmware: {program: bus/two-phase}\n", 0, ""},
	{"bus-arbiter", "fabric: {bus: {vertices: 6, length: 3, arbiter: round_robin}}\nfirmware: {program: bus/two-phase}\n", 0, ""},
	{"netlist-bus", wire, 9, ""},
	{"mixed", mixed, 0, "phase_i"},
	{"routers-firmware", fed, 0, "phase_i"},
	{"routers-mesh", mesh, 0, "phase_i"},
	{"routers-torus", torus, 0, ""},
	{"routers-drawn", drawn, 0, "phase_i"},
}

// watched builds a machine and compares its inputs in every cycle of a run.
func watched(t *testing.T, text string, seed uint64) (*export.Wiring, *export.Observer) {
	s := parsed(t, fmt.Sprintf("%sseed: %d\n", text, seed))
	c, err := inside.Config(s)
	require.NoError(t, err)
	m, err := emulator.New(t.Context(), c, emulator.Options{Engine: emulator.EngineCycle})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	sites, err := verilog.Sites(m)
	require.NoError(t, err)
	w, err := export.New(sites)
	require.NoError(t, err)
	o := w.Observe()
	require.NoError(t, m.Watch(o.Look))
	require.NoError(t, m.Run(context.Background(), nil))
	return w, o
}

// TestFrom evaluates the expression of every input beside its closure in running machines, in every cycle. An input
// that no run has toggled fails: its expression has not been tried.
func TestFrom(t *testing.T) {
	for _, machine := range machines {
		t.Run(machine.name, func(t *testing.T) {
			toggled, refused, still := map[string]bool{}, 0, map[string]bool{}
			for seed := range uint64(4) {
				w, o := watched(t, machine.text, seed+1)
				require.NotEmpty(t, o.Inputs)
				for _, x := range o.Inputs {
					require.Positive(t, x.Cycles)
					name := x.Path + " " + x.Port
					toggled[name] = toggled[name] || x.Toggled
					if !x.Fixed && x.Port != machine.still {
						still[name] = true
					}
				}
				refused = len(w.Refusals())
			}
			for name, done := range toggled {
				if done {
					delete(still, name)
				}
			}
			require.Empty(t, slices.Sorted(maps.Keys(still)), "inputs that no run has toggled")
			require.Equal(t, machine.refused, refused)
		})
	}
}
