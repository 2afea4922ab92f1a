package systemtest

import (
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// FaultFabrics are small machines of every fabric, with different media: one frame or many per slot, with and without
// arbiters and credits, one port or all ports.
var FaultFabrics = map[string]string{
	"pops":      "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}\nstop: {slots: 60}",
	"pops long": "fabric: {pops: {groups: 3, group_size: 2}}\nnic: {payload_bytes: 40}\nlink: {phit_bits: 7, propagation_cycles: 0}\nfirmware: {program: pops/random-corrected}\nstop: {slots: 40}",
	"gossip":    "fabric: {crossbar: {ports: 8}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: identity}}\nstop: {slots: 60}",
	"scatter":   "fabric: {crossbar: {ports: 8}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\nstop: {slots: 40}",
	"aloha":     "fabric: {crossbar: {ports: 6, medium: aloha}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}\nstop: {slots: 80}",
	"bus":       "fabric: {bus: {vertices: 20, length: 4}}\nfirmware: {program: bus/two-phase}\nstop: {slots: 30}",
	"sensors":   "fabric: {bus: {vertices: 8, buses: [[1, 2, 3, 4, 5, 6, 7, 0]], arbiter: fixed}}\nfirmware: {program: bus/sensors, params: {period: 4, spread: 2, readings: 8}}\nstop: {slots: 60}",
	"ej":        "fabric: {ej: {a: 2, b: 3, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}\nstop: {slots: 40}",
	"ej credits": "fabric: {ej: {a: 1, b: 2, dimensions: 2, duplex: full, packets_per_link: 2, credits: {depth: 1, round_trip_slots: 3, resync_slots: 8}}}\n" +
		"firmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}\nstop: {slots: 40}",
}

// FaultKinds are faults that have an effect in each of FaultFabrics.
var FaultKinds = map[string]string{
	"dead":        "schedule: [{kind: dead, slots: {to: 6}, probability: 0.1}]",
	"restart":     "schedule: [{kind: restart, slots: {from: 1, to: 20, every: 3}, probability: 0.3}]",
	"clock_pause": "schedule: [{kind: clock_pause, slots: {to: 20}, probability: 0.5}]",
	"buffers":     "schedule: [{kind: buffers, rx_frames: 1, tx_frames: 1}]",
	"drop":        "schedule: [{kind: drop, probability: 0.2}]",
	"miss":        "schedule: [{kind: miss, probability: 0.2}]",
	"media": "schedule: [{kind: miss, probability: 0.2}, {kind: bit_flip, probability: 0.2}, " +
		"{kind: drop, probability: 0.2}]",
	"bit_flip": "schedule: [{kind: bit_flip, probability: 0.2}]",
	"stuck":    "schedule: [{kind: stuck, slots: {from: 1, to: 6}}]",
	"all":      "schedule: [{kind: dead, slots: {from: 3}, probability: 0.02}, {kind: restart, probability: 0.05}, {kind: clock_pause, probability: 0.1}, {kind: drop, probability: 0.05}, {kind: bit_flip, probability: 0.05}, {kind: miss, probability: 0.05}]\n  random: {kind: bit_flip, rate: 0.02}",
}

// FaultScenario returns a small machine with faults.
func FaultScenario(t testing.TB, machine, faults string) *starloom.Scenario {
	s, err := starloom.ParseScenario("faulty.yaml", []byte("starloom: 1\n"+machine+"\nfaults:\n  "+faults+"\n"))
	require.NoError(t, err)
	return s
}
