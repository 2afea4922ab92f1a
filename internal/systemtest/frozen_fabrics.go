package systemtest

import (
	"fmt"
	"strings"
)

// FrozenFabrics lists further frozen scenarios: every program of every fabric, every arbiter and matching, credits,
// faults of each kind, handlers that overrun their slot, RTL.
var FrozenFabrics = map[string]string{
	// Gossip on a crossbar.
	"gossip-identity":      Gossiping(7, "orders: identity", ""),
	"gossip-pipelined":     Gossiping(10, "orders: pipelined", ""),
	"gossip-shared":        Gossiping(6, "orders: shared-random", ""),
	"gossip-worst":         Gossiping(5, "orders: worst", ""),
	"gossip-sessions":      Gossiping(5, "orders: pipelined, sessions: 3", ""),
	"gossip-alg2":          Gossiping(8, "orders: identity", "params: {scheduling: 2}"),
	"gossip-alg2-sessions": Gossiping(6, "orders: pipelined, sessions: 3", "params: {scheduling: 2}"),
	"gossip-alg2prime":     Gossiping(8, "orders: identity", "params: {scheduling: 3}"),
	"gossip-round-robin":   On("crossbar: {ports: 8, arbiter: round_robin}", Gossiping(8, "orders: pipelined, sessions: 3", "")),
	"gossip-matrix":        On("crossbar: {ports: 8, arbiter: matrix}", Gossiping(8, "orders: pipelined, sessions: 2", "")),
	"gossip-list-turns":    On("crossbar: {ports: 8, arbiter: round_robin, matching: list}", Gossiping(8, "orders: identity", "params: {scheduling: 2}")),
	"gossip-cap":           On("crossbar: {ports: 8, cap: 2}", Gossiping(8, "orders: pipelined", "")),
	"gossip-cap-turns":     On("crossbar: {ports: 8, cap: 2, cap_arbiter: round_robin}", Gossiping(8, "orders: pipelined", "")),
	"gossip-cap-matrix":    On("crossbar: {ports: 8, cap: 3, cap_arbiter: matrix}", Gossiping(8, "orders: pipelined, sessions: 2", "")),
	"gossip-cap-list":      On("crossbar: {ports: 8, cap: 2}", Gossiping(8, "orders: identity", "params: {scheduling: 2}")),
	"gossip-aloha":         On("crossbar: {ports: 5, medium: aloha}", Gossiping(5, "orders: identity", "")),
	"gossip-timing":        Gossiping(4, "orders: pipelined", "") + "\nlink: {phit_bits: 5, propagation_cycles: 2, guard_cycles: 3}",
	"gossip-optimal":       "fabric: {crossbar: {ports: 8}}\nfirmware: {program: gossip/optimal}\nworkload: {gossip: {}}",
	"gossip-optimal-fsa":   Gossiping(8, "orders: optimal", ""),
	"gossip-drops": Gossiping(6, "orders: pipelined",
		"") + "\nstop: {slots: 40}\nfaults: {schedule: [{kind: drop, targets: ['crossbar.output[2]'], slots: {list: [3, 4]}}]}",
	"voting-majority":  "fabric: {crossbar: {ports: 7}}\nfirmware: {program: gossip/voting, params: {adjudicate: 0}}\nworkload: {gossip: {values: random, faulty: [1, 4, 6], fault: two-faced}}",
	"voting-plurality": "fabric: {crossbar: {ports: 7}}\nfirmware: {program: gossip/voting, params: {adjudicate: 1}}\nworkload: {gossip: {values: random, faulty: [1, 4], fault: value}}",
	"voting-median":    "fabric: {crossbar: {ports: 5}}\nfirmware: {program: gossip/voting, params: {adjudicate: 2}}\nworkload: {gossip: {values: random, faulty: [0], fault: value, sessions: 2}}",
	"voting-breaks":    "fabric: {crossbar: {ports: 5}}\nfirmware: {program: gossip/voting, params: {adjudicate: 0}}\nworkload: {gossip: {values: random, faulty: [1, 3, 4], fault: two-faced}}",
	"voting-silent":    "fabric: {crossbar: {ports: 5}}\nfirmware: {program: gossip/voting}\nworkload: {gossip: {values: random, faulty: [2], fault: silent}}\nstop: {slots: 60}",
	"hopfield":         "fabric: {crossbar: {ports: 8}}\nfirmware: {program: gossip/hopfield, params: {neurons: 8, patterns: 3, flips: 4, sweeps: 2}}\nworkload: {gossip: {values: random, sessions: 6}}",
	// Scattering.
	"scatter-sync":          Scattering(16, "sync", "", ""),
	"scatter-sync-one":      Scattering(9, "sync", "", "nic: {rx_frames: 1}"),
	"scatter-sync-queue":    On("crossbar: {ports: 16, queue_frames: 2}", Scattering(16, "sync", "", "")),
	"scatter-async":         Scattering(8, "async", "order: 0", ""),
	"scatter-async-fixed":   Scattering(8, "async", "order: 1", ""),
	"scatter-async-poisson": Scattering(8, "async", "order: 2", "seed: 5"),
	"scatter-faults": Scattering(16, "sync", "", "stop: {slots: 40}\nfaults: {schedule: [{kind: dead, targets: ['crossbar.nic[5]'], slots: {list: [1]}}, {kind: restart, targets: ['crossbar.nic[8]'], slots: {list: [6]}}, "+
		"{kind: buffers, targets: ['crossbar.nic[0..3]'], rx_frames: 1}, {kind: drop, slots: {every: 3}, probability: 0.2}]}"),
	// Buses.
	"bus-two-phase":       "fabric: {bus: {vertices: 17, length: 4}}\nfirmware: {program: bus/two-phase}",
	"bus-two-phase-even":  "fabric: {bus: {vertices: 16, length: 4}}\nfirmware: {program: bus/two-phase}\nlink: {phit_bits: 9, propagation_cycles: 2}",
	"bus-improved":        "fabric: {bus: {vertices: 11, length: 3}}\nfirmware: {program: bus/improved}",
	"bus-naive":           "fabric: {bus: {vertices: 11, length: 3}}\nfirmware: {program: bus/naive}",
	"bus-naive-short":     "fabric: {bus: {vertices: 9, length: 2}}\nfirmware: {program: bus/naive}",
	"sensors-fixed":       Sensing("fixed", ""),
	"sensors-round-robin": Sensing("round_robin", ""),
	"sensors-matrix":      Sensing("matrix", "link: {phit_bits: 6, propagation_cycles: 0, guard_cycles: 2}"),
	"sensors-tdma":        Sensing("tdma", ""),
	"sensors-none":        Sensing("none", "rules: {}"),
	"sensors-lose":        Sensing("fixed", "nic: {tx_frames: 1}"),
	"sensors-faults":      Sensing("fixed", "faults: {schedule: [{kind: stuck, targets: ['bus.bus[0]'], slots: {from: 12, to: 13}}, {kind: clock_pause, targets: ['bus.nic[3]'], slots: {from: 20, to: 29}}]}"),
	// Eisenstein-Jacobi networks.
	"ej-improved":         Broadcasting("a: 3, b: 4, dimensions: 1", "improved", ""),
	"ej-improved-2":       Broadcasting("a: 2, b: 3, dimensions: 2", "improved", ""),
	"ej-previous":         Broadcasting("a: 2, b: 3, dimensions: 2", "previous", ""),
	"ej-misprinted":       Broadcasting("a: 3, b: 4, dimensions: 1", "misprinted", ""),
	"ej-general":          Broadcasting("a: 2, b: 2, dimensions: 2", "general", ""),
	"ej-general-zero":     Broadcasting("a: 0, b: 3, dimensions: 2", "general", "link: {phit_bits: 7, propagation_cycles: 3, guard_cycles: 2}"),
	"ej-full-duplex":      Broadcasting("a: 2, b: 3, dimensions: 1, duplex: full", "improved", ""),
	"ej-credits":          Broadcasting("a: 1, b: 2, dimensions: 2, credits: 1", "improved", ""),
	"ej-all-to-all":       ToAll("a: 1, b: 2, dimensions: 2", "all-to-all", "reading: 0", ""),
	"ej-all-to-all-b":     ToAll("a: 1, b: 2, dimensions: 2", "all-to-all", "reading: 1", ""),
	"ej-c1":               ToAll("a: 1, b: 2, dimensions: 1", "all-to-all-c1", "", ""),
	"ej-c1-credits":       ToAll("a: 1, b: 2, dimensions: 1, credits: 1", "all-to-all-c1", "", "stop: {slots: 100}"),
	"ej-c2":               ToAll("a: 2, b: 3, dimensions: 1", "all-to-all-c2", "", ""),
	"ej-c2-general":       ToAll("a: 0, b: 3, dimensions: 1, duplex: full", "all-to-all-c2", "", ""),
	"ej-packets-per-link": ToAll("a: 1, b: 2, dimensions: 2, packets_per_link: 3", "all-to-all-c2", "", ""),
	"ej-faults": Broadcasting("a: 3, b: 4, dimensions: 1", "improved",
		"stop: {slots: 20}\nfaults: {schedule: [{kind: bit_flip, targets: ['ej.node[0].dim[1].link[+1].out'], slots: {to: 3}}, "+
			"{kind: dead, targets: ['ej.node[36].nic[*]'], slots: {list: [0]}}]}"),
	// Faults on stars, of each kind.
	"faults-each": "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random-corrected}\nstop: {slots: 120}\nfaults:\n  random: {kind: bit_flip, rate: 0.001}\n  schedule:\n" +
		"    - {kind: clock_pause, targets: ['pops.group[1].nic[*]'], slots: {from: 5, to: 9}}\n    - {kind: buffers, targets: ['pops.group[2].nic[0]'], rx_frames: 1}\n" +
		"    - {kind: dead, targets: ['pops.group[0].nic[2]'], slots: {from: 37}}\n    - {kind: restart, targets: ['pops.group[0].nic[3]'], slots: {list: [12]}}\n" +
		"    - {kind: drop, targets: ['pops.group[0].coupler[*]'], slots: {every: 5}, probability: 0.1}\n    - {kind: stuck, targets: ['pops.group[3].coupler[0]'], slots: {from: 3, to: 6}}",
	"faults-only-drops": "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/random}\nstop: {slots: 60}\nfaults: {random: {kind: drop, rate: 0.02}}",
	// Processors that take time.
	"metered":          "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random, cpu: {model: rv32-inorder, budget_cycles: 4000}}",
	"metered-overruns": "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random-corrected, cpu: {model: unit, budget_cycles: 60}}\nstop: {slots: 60}",
	"metered-ratio":    "fabric: {crossbar: {ports: 6}}\nfirmware: {program: gossip/fsa, cpu: {model: microcoded, clock_ratio: 8, budget_cycles: 100}}\nworkload: {gossip: {orders: pipelined}}\nstop: {slots: 80}",
	"metered-traps":    "fabric: {bus: {vertices: 9, length: 3}}\nfirmware: {program: bus/two-phase, cpu: {model: unit, budget_cycles: 50, trap_cycles: 20000}}\nstop: {slots: 30}",
	// Traffic.
	"traffic-crossbar": Offering("crossbar: {ports: 6, arbiter: round_robin}", "rate: 0.5", ""),
	"traffic-sizes": Offering("crossbar: {ports: 5, arbiter: matrix}",
		"rate: 0.15, arrivals: bursty, burst: 4, size: [1, {frames: 3, weight: 2}], self: false", ""),
	"traffic-queue":     Offering("crossbar: {ports: 5, output: queue}", "rate: 0.6, arrivals: periodic", "link: {phit_bits: 9, propagation_cycles: 2}"),
	"traffic-saturated": Offering("crossbar: {ports: 4}", "rate: 1, drain: 20, overload: true", ""),
	"traffic-aloha":     Offering("crossbar: {ports: 5, medium: aloha}", "rate: 0.05, drain: 300", ""),
	"traffic-closed":    Offering("crossbar: {ports: 5, arbiter: round_robin}", "rate: 0.3, closed: 2, size: 2, drain: 300", ""),
	"traffic-cap":       Offering("crossbar: {ports: 6, cap: 2, cap_arbiter: matrix}", "rate: 0.3, pattern: hotspot, hotspots: [{node: 2, share: 0.3}]", ""),
	"traffic-cut-short": Offering("crossbar: {ports: 4}", "rate: 0.2, pattern: tornado", "stop: {slots: 60}"),
	"traffic-faults": Offering("crossbar: {ports: 6}", "rate: 0.2, drain: 40",
		"faults: {schedule: [{kind: dead, targets: ['crossbar.nic[5]'], slots: {list: [30]}}, "+
			"{kind: restart, targets: ['crossbar.nic[2]'], slots: {list: [16]}}, {kind: clock_pause, targets: ['crossbar.nic[1]'], slots: {from: 20, to: 29}}, {kind: drop, slots: {every: 3}, probability: 0.1}]}"),
	"traffic-bus":      Offering("bus: {vertices: 5, buses: [[1, 2, 3, 4, 0]], arbiter: fixed}", "rate: 0.15", ""),
	"traffic-bus-none": Offering("bus: {vertices: 5, buses: [[0, 1, 2, 3, 4]]}", "rate: 0.2", ""),
	"traffic-bus-tdma": Offering("bus: {vertices: 8, buses: [[1, 2, 5, 6], [4, 0, 3, 7]], arbiter: tdma}", "rate: 0.2, pattern: bit_complement", ""),
	"traffic-pops":     Offering("pops: {groups: 3, group_size: 4}", "rate: 0.15, self: true", ""),
	"traffic-pops-sizes": Offering("pops: {groups: 4, group_size: 2}",
		"rate: 0.1, pattern: bit_reverse, size: [1, {frames: 2, weight: 3}]", "link: {phit_bits: 7, propagation_cycles: 2}"),
	"traffic-pops-many": Offering("pops: {groups: 66, group_size: 1}", "rate: 0.1, pattern: neighbour", ""),
	"traffic-ej":        Offering("ej: {a: 3, b: 4, dimensions: 1}", "rate: 0.3", ""),
	"traffic-ej-closed": Offering("ej: {a: 0, b: 3, dimensions: 2}", "rate: 0.2, closed: 2, size: 2", ""),
	"traffic-ej-credits": Offering("ej: {a: 2, b: 2, dimensions: 1, credits: 1}", "rate: 0.4, pattern: tornado",
		"link: {phit_bits: 9, propagation_cycles: 0, guard_cycles: 2}"),
	"traffic-ej-overflow": Offering("ej: {a: 1, b: 2, dimensions: 2}", "rate: 0.9, pattern: hotspot, hotspots: [{node: 24, share: 0.9}], drain: 5", ""),
	// RTL in the loop.
	"rtl-crossbar-arbiters": Gossiping(5, "orders: pipelined", "") + "\nrtl: [{replace: 'crossbar.output[*].arbiter'}]",
	"rtl-crossbar-outputs": On("crossbar: {ports: 4, arbiter: round_robin}",
		Gossiping(4, "orders: identity", "")) + "\nrtl: [{replace: 'crossbar.output[*]', backend: icarus}]",
	"rtl-bus":       Sensing("round_robin", "rtl: [{replace: 'bus.bus[*].arbiter'}]"),
	"rtl-bus-whole": Sensing("fixed", "rtl: [{replace: 'bus.bus[*]', backend: icarus}]"),
	"rtl-ej":        Broadcasting("a: 1, b: 2, dimensions: 1, credits: 2", "improved", "rtl: [{replace: 'ej.**.link[*]'}]"),
}

// Offering returns a scenario of traffic on a network.
func Offering(network, workload, more string) string {
	program, _, _ := strings.Cut(network, ":")
	return "fabric: {" + network + "}\nfirmware: {program: " + program + "/traffic}\nworkload: {traffic: {warm_up: 10, measure: 60, " + workload + "}}\n" + more
}

// Gossiping returns a gossip scenario with a number of ports, a workload, and parameters.
func Gossiping(ports int, workload, params string) string {
	return On(fmt.Sprintf("crossbar: {ports: %d}", ports), "fabric: {}\nfirmware: {program: gossip/fsa, "+params+"}\nworkload: {gossip: {"+workload+"}}")
}

// On replaces the network of a scenario.
func On(network, scenario string) string {
	_, rest, _ := strings.Cut(scenario, "\n")
	return "fabric: {" + network + "}\n" + rest
}

// Scattering returns a scenario of random scattering.
func Scattering(ports int, program, params, more string) string {
	return fmt.Sprintf("fabric: {crossbar: {ports: %d}}\nfirmware: {program: scatter/%s, params: {%s}}\nworkload: {scatter: {origin: 0}}\n%s", ports, program, params, more)
}

// Sensing returns a scenario of sensors on buses with an arbiter.
func Sensing(arbiter, more string) string {
	return "fabric: {bus: {vertices: 6, buses: [[1, 2, 3, 4, 5, 0]], arbiter: " + arbiter + "}}\n" +
		"firmware: {program: bus/sensors, params: {period: 4, spread: 2, readings: 8}}\nstop: {slots: 120}\n" + more
}

// Broadcasting returns a broadcast on an Eisenstein-Jacobi network.
func Broadcasting(network, program, more string) string {
	return "fabric: {ej: {" + network + "}}\nfirmware: {program: ej/" + program + "}\nworkload: {one_to_all: {source: 0}}\n" + more
}

// ToAll returns an all-to-all broadcast on an Eisenstein-Jacobi network.
func ToAll(network, program, params, more string) string {
	return "fabric: {ej: {" + network + "}}\nfirmware: {program: ej/" + program + ", params: {" + params + "}}\nworkload: {all_to_all: {}}\n" + more
}
