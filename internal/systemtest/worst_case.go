package systemtest

// RoutedMesh is a mesh of routers.
const RoutedMesh = "fabric: {netlist: {mesh: {k: [3, 3]}, router: {}}}\n"

// DrawnRing is a ring of four processors, and a star that joins two of them.
const DrawnRing = `fabric: {netlist: {nodes: {"p[0..3]": processor, hub: star}, links: [
    ["p[0..2]:0", "p[1..3]:1"], ["p[3]:0", "p[0]:1"], ["p[0]:2", hub], ["p[2]:2", hub]]}}
`

// NetworksOfPrograms holds a small network and workload for each built-in program.
var NetworksOfPrograms = map[string]string{
	"bus/improved":          "fabric: {bus: {vertices: 21, length: 4}}\n",
	"bus/naive":             "fabric: {bus: {vertices: 21, length: 4}}\n",
	"bus/traffic":           "fabric: {bus: {vertices: 6, buses: [[0, 1, 2, 3, 4, 5]], arbiter: round_robin}}\nworkload: {traffic: {rate: 0.1, warm_up: 0, measure: 200}}\n",
	"bus/stop-and-wait":     "fabric: {bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: round_robin}}\n",
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
	"netlist/gossip":        DrawnRing + "workload: {gossip: {}}\n",
	"netlist/traffic":       DrawnRing + "workload: {traffic: {rate: 0.02, warm_up: 0, measure: 200}}\n",
	"netlist/flood":         DrawnRing + "workload: {one_to_all: {source: 0}}\n",
	"netlist/reliable":      DrawnRing,
	"netlist/next-hop":      DrawnRing,
	"netlist/direct":        RoutedMesh,
	"netlist/unicast":       RoutedMesh + "workload: {one_to_all: {source: 0}}\n",
	"netlist/exchange":      RoutedMesh + "workload: {all_to_all: {}}\n",
	"netlist/request-reply": RoutedMesh + "workload: {all_to_all: {}}\n",
	"pops/traffic":          "fabric: {pops: {groups: 4, group_size: 4}}\nworkload: {traffic: {rate: 0.15, warm_up: 0, measure: 200}}\n",
	"pops/two-hops":         "fabric: {pops: {groups: 4, group_size: 4}}\n",
	"scatter/async":         "fabric: {crossbar: {ports: 16, queue_frames: 2}}\nworkload: {scatter: {origin: 0}}\n",
	"scatter/sync":          "fabric: {crossbar: {ports: 16, queue_frames: 2}}\nworkload: {scatter: {origin: 0}}\n",
}
