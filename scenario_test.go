package starloom

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/pops"
	"starloom/internal/config"
	"starloom/internal/inside"
	"starloom/internal/strict"
	"starloom/nic"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// golden compares got with the file testdata/name, or rewrites it under -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -run %s -update writes it", t.Name())
	require.Equal(t, string(want), got, "if this is meant: go test -run %s -update", t.Name())
}

// small is a good scenario that cases append to; it ends at line 3.
const small = `starloom: 1
fabric: {pops: {groups: 2, group_size: 2}}
firmware: {program: pops/random}
`

// badScenario is a scenario that must be refused. schema says that the JSON
// Schema refuses it too.
type badScenario struct {
	name, text string
	schema     bool
}

// busFabric is a scenario of gossip on a bus network, busSensors one of sensors.
func busFabric(keys string) string {
	return "starloom: 1\nfabric: {bus: {" + keys + "}}\nfirmware: {program: bus/two-phase}\n"
}

func busSensors(keys string) string {
	return "starloom: 1\nfabric: {bus: {" + keys + "}}\nfirmware: {program: bus/sensors}\n"
}

var badScenarios = slices.Concat([]badScenario{
	// The file as a whole.
	{"empty file", "", false},
	{"only a comment", "# nothing\n", false},
	{"only null", "~\n", true},
	{"a list", "- starloom: 1\n", true},
	{"a text", "starloom\n", true},
	{"second document", small + "---\n" + small, false},
	{"broken second document", small + "---\na: [\n", false},
	{"unclosed bracket", "starloom: 1\nfabric: {pops: [\n", false},
	{"tab", "starloom: 1\n\tname: x\n", false},
	{"not UTF-8", "starloom: 1\nname: a\xff\n", false},
	{"unknown anchor", small + "name: *x\n", false},

	// Keys.
	{"unknown key", small + "sed: 1\n", true},
	{"unknown key, far from any", small + "zzzzzz: 1\n", true},
	{"unknown nested key", "starloom: 1\nfabric: {pops: {groups: 2, groupsize: 2}}\nfirmware: {program: pops/random}\n", true},
	{"merge key", small + "link: {<<: {phit_bits: 8}}\n", false},
	{"tag on a map", small + "link: !foo {phit_bits: 8}\n", false},
	{"tag on a map of YAML's kind", small + "link: !!foo {phit_bits: 8}\n", false},
	{"tag on the scenario", "!mine\n" + small, false},
	{"tag on a list", strings.Replace(small, "starloom: 1", "starloom: 1\nworkload: {permutation: !set [1, 0, 3, 2]}", 1), false},
	{"tag on a key", small + "!k seed: 1\n", false},
	{"tag after an alias", small + "link: &a !foo {phit_bits: 8}\nnic: *a\n", false},
	{"list as key", small + "[a]: 1\n", false},
	{"duplicate key", small + "seed: 1\nname: x\nseed: 2\n", false},
	{"duplicate nested key", small + "link: {phit_bits: 8, phit_bits: 9}\n", false},
	{"other cpu model", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: fast}}\n", true},
	{"other cpu keys", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {cores: 2}}\n", true},
	{"clock without model", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {clock_ratio: 2}}\n", false},
	{"other class", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {teleport: 1}}}\n", true},
	{"free branches", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {branch: 0}}}\n", false},
	{"custom without costs", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: custom}}\n", false},
	{"negative cost", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {load: -1}}}\n", true},
	{"half a cost", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {load: 1.5}}}\n", true},
	{"cost too large", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {call: 1000001}}}\n", true},
	{"misspelt class", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {laod: 3}}}\n", true},
	{"trap before the budget", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 100, trap_cycles: 99}}\n", false},
	{"trap too late", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, clock_ratio: 2, trap_cycles: 3000000000}}\n", false},
	{"key in pcapng", small + "traces: {pcapng: {snaplen: 4}}\n", true},

	// Version, name, seed.
	{"missing version", "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\n", true},
	{"version 2", strings.Replace(small, "starloom: 1", "starloom: 2", 1), true},
	{"version as text", strings.Replace(small, "starloom: 1", `starloom: "1"`, 1), true},
	{"name is a number", small + "name: 16\n", true},
	{"name empty", small + "name: \"\"\n", true},
	{"name with a control character", small + "name: \"a\\u0007b\"\n", false},
	{"name too long", small + "name: " + strings.Repeat("x", 201) + "\n", true},
	{"seed negative", small + "seed: -1\n", true},
	{"seed above 64 bits", small + "seed: 18446744073709551616\n", true},
	{"seed a fraction", small + "seed: 2.5\n", true},
	{"seed empty", small + "seed:\n", true},

	// Fabric.
	{"missing fabric", "starloom: 1\nfirmware: {program: pops/random}\n", true},
	{"no fabric in fabric", "starloom: 1\nfabric: {}\nfirmware: {program: pops/random}\n", true},
	{"two fabrics", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}, crossbar: {ports: 10}}\nfirmware: {program: pops/random}\n", true},
	// Buses.
	{"bus without vertices", busFabric("length: 4"), true},
	{"bus of one vertex", busFabric("vertices: 1, length: 4"), true},
	{"bus of no vertices", busFabric("vertices: -3, length: 4"), true},
	{"bus of too many vertices", busFabric("vertices: 65535, length: 4"), true},
	{"bus of vertices beyond an integer", busFabric("vertices: 18446744073709551616, length: 4"), true},
	{"bus of length 1", busFabric("vertices: 4, length: 1"), true},
	{"bus of length 0", busFabric("vertices: 4, length: 0"), true},
	{"bus of negative length", busFabric("vertices: 4, length: -4"), true},
	{"bus of a length beyond an integer", busFabric("vertices: 4, length: 18446744073709551616"), true},
	{"bus program without a length", busFabric("vertices: 4"), false},
	{"bus program with buses", busFabric("vertices: 4, length: 3, buses: [[0, 1]]"), false},
	{"bus with an unknown arbiter", busFabric("vertices: 4, length: 3, arbiter: roundrobin"), true},
	{"bus program with turns", busFabric("vertices: 4, length: 3, arbiter: tdma"), false},
	{"sensors without buses", busSensors("vertices: 4"), false},
	{"no bus at all", busSensors("vertices: 4, buses: []"), true},
	{"bus of a single vertex", busSensors("vertices: 4, buses: [[0, 1], [2]]"), false},
	{"bus without a vertex", busSensors("vertices: 4, buses: [[], [0, 1]]"), false},
	{"bus with a vertex that there is not", busSensors("vertices: 4, buses: [[0, 1], [2, 4]]"), false},
	{"bus with a negative vertex", busSensors("vertices: 4, buses: [[0, -1]]"), false},
	{"bus with a vertex twice", busSensors("vertices: 4, buses: [[0, 1], [3, 2, 3]]"), false},
	{"bus that is no list", busSensors("vertices: 4, buses: [0, 1]"), true},
	{"bus program of another fabric", "starloom: 1\nfabric: {bus: {vertices: 4, buses: [[0, 1]]}}\nfirmware: {program: pops/random}\n", false},

	{"unknown fabric", "starloom: 1\nfabric: {pop: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\n", true},
	{"pops empty", "starloom: 1\nfabric: {pops: }\nfirmware: {program: pops/random}\n", true},
	{"missing group_size", "starloom: 1\nfabric: {pops: {groups: 2}}\nfirmware: {program: pops/random}\n", true},
	{"0 groups", "starloom: 1\nfabric: {pops: {groups: 0, group_size: 2}}\nfirmware: {program: pops/random}\n", true},
	{"group_size 0", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 0}}\nfirmware: {program: pops/random}\n", true},
	{"65534 groups", "starloom: 1\nfabric: {pops: {groups: 65534, group_size: 1}}\nfirmware: {program: pops/random}\n", true},
	{"more than 2^32-2 processors", "starloom: 1\nfabric: {pops: {groups: 65536, group_size: 65536}}\nfirmware: {program: pops/random}\n", true},
	{"groups far too large", "starloom: 1\nfabric: {pops: {groups: 99999999999999999999999, group_size: 1}}\nfirmware: {program: pops/random}\n", true},

	// Link and NIC.
	{"phit_bits 65", small + "link: {phit_bits: 65}\n", true},
	{"phit_bits 0", small + "link: {phit_bits: 0}\n", true},
	{"phit_bits a fraction", small + "link: {phit_bits: 2.5}\n", true},
	{"phit_bits quoted", small + "link: {phit_bits: \"0x10\"}\n", true},
	{"phit_bits tagged", small + "link: {phit_bits: !!int \"16\"}\n", false},
	{"phit_bits octal or not", small + "link: {phit_bits: 010}\n", false},
	{"phit_bits with underscore", small + "link: {phit_bits: 1_0}\n", false},
	{"phit_bits true", small + "link: {phit_bits: true}\n", true},
	{"phit_bits a list", small + "link: {phit_bits: [8]}\n", true},
	{"link a number", small + "link: 8\n", true},
	{"guard_cycles 0", small + "link: {guard_cycles: 0}\n", true},
	{"guard_cycles negative", small + "link: {guard_cycles: -1}\n", true},
	{"propagation_cycles too large", small + "link: {propagation_cycles: 4097}\n", true},
	{"payload_bytes too large", small + "nic: {payload_bytes: 65505}\n", true},
	{"rx_frames 0", small + "nic: {rx_frames: 0}\n", true},
	{"tx_frames 256", small + "nic: {tx_frames: 256}\n", true},

	// Firmware.
	{"missing firmware", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\n", false},
	{"neither program nor image", strings.Replace(small, "program: pops/random", "mode: banked", 1), true},
	{"program and image", strings.Replace(small, "program: pops/random", "program: pops/random, image: a.wasm", 1), true},
	{"unknown program", strings.Replace(small, "pops/random", "pops/randon", 1), true},
	{"unknown schedule", strings.Replace(small, "program: pops/random", "image: router.wasm, schedule: sorted", 1), true},
	{"unknown mode", strings.Replace(small, "pops/random", "pops/random, mode: bankd", 1), true},
	{"parameter too large", strings.Replace(small, "pops/random", "pops/random, params: {p: 2147483648}", 1), true},
	{"parameter a fraction", strings.Replace(small, "pops/random", "pops/random, params: {p: 0.5}", 1), true},
	{"parameter twice", strings.Replace(small, "pops/random", "pops/random, params: {p: 1, p: 2}", 1), false},
	{"parameter without a name", strings.Replace(small, "pops/random", "pops/random, params: {\"a b\": 1}", 1), true},
	{"too many parameters", strings.Replace(small, "pops/random", "pops/random, params: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1, m: 1, n: 1, o: 1, p: 1, q: 1}", 1), true},
	{"params a list", strings.Replace(small, "pops/random", "pops/random, params: [1]", 1), true},
	{"budget too large", strings.Replace(small, "pops/random", "pops/random, cpu: {budget_cycles: 1048577}", 1), true},

	// Eisenstein-Jacobi networks.
	{"ej: one residue", "starloom: 1\nfabric: {ej: {a: 0, b: 1, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: three residues", "starloom: 1\nfabric: {ej: {a: 1, b: 1, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: four residues", "starloom: 1\nfabric: {ej: {a: 0, b: 2, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: a above b", "starloom: 1\nfabric: {ej: {a: 4, b: 3, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: negative a", "starloom: 1\nfabric: {ej: {a: -1, b: 3, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: b too large", "starloom: 1\nfabric: {ej: {a: 0, b: 70000, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: too many residues", "starloom: 1\nfabric: {ej: {a: 60000, b: 60000, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: no dimension", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 0}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: too many dimensions", "starloom: 1\nfabric: {ej: {a: 1, b: 2, dimensions: 13}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: too many processors", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 6}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: unknown duplex", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, duplex: quarter}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: negative packets per link", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, packets_per_link: -1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: credits without depth", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: {resync_slots: 2}}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: credits at once", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: {depth: 2, round_trip_slots: 1}}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: credits in words", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: two}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: a list of credits", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: [2]}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: no credits", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: 0}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", true},
	{"ej: not a successor", "starloom: 1\nfabric: {ej: {a: 2, b: 4, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: source outside", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 37}}\n", false},
	{"ej: reading 2", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all, params: {reading: 2}}\nworkload: {all_to_all: {}}\n", false},
	{"ej: rotate 2", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c2, params: {rotate: 2}}\nworkload: {all_to_all: {}}\n", false},
	{"ej: another workload", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {one_to_all: {source: 0}}\n", false},
	{"ej: links too narrow for a phase", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, packets_per_link: 1}}\nfirmware: {program: ej/all-to-all}\nworkload: {all_to_all: {}}\n", false},
	{"ej: payload too small", "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}\nnic: {payload_bytes: 12}\n", false},

	// Workload.
	{"unknown permutation", small + "workload: {permutation: randem}\n", true},
	{"permutation a number", small + "workload: {permutation: 3}\n", true},
	{"permutation too short", small + "workload:\n  permutation: [1, 0, 2]\n", false},
	{"permutation too long", small + "workload:\n  permutation: [1, 0, 2, 3, 4]\n", false},
	{"permutation with a double", small + "workload:\n  permutation: [1, 0, 2, 1]\n", true},
	{"permutation out of range", small + "workload:\n  permutation: [1, 0, 2, 4]\n", false},
	{"permutation with a negative", small + "workload:\n  permutation: [1, 0, 2, -3]\n", true},
	{"permutation with a text", small + "workload:\n  permutation: [1, 0, 2, x]\n", true},
	{"permutation contains itself", small + "workload:\n  permutation: &p [0, 1, 2, *p]\n", false},
	{"file and permutation", small + "workload: {permutation: random, file: good.csv}\n", true},
	{"file missing", small + "workload: {file: none.csv}\n", false},
	{"file for a network without a processor 4", "starloom: 1\nfabric: {bus: {vertices: 4, buses: [[0, 1], [2, 4]]}}\nfirmware: {image: a.wasm}\nworkload: {file: word.csv}\n", false},
	{"file is a folder", small + "workload: {file: folder}\n", false},
	{"file with a double", small + "workload: {file: double.csv}\n", false},
	{"file with a word", small + "workload: {file: word.csv}\n", false},
	{"file too short", small + "workload: {file: short.csv}\n", false},
	{"file too large", small + "workload: {file: large.csv}\n", false},
	{"unknown workload", small + "workload: {all_to_one: {}}\n", true},
	{"workload of another fabric", small + "workload: {all_to_all: {}}\n", false},

	// Rules, stop, traces.
	{"collision_free without slots", small + "rules: {collision_free: {period: 5}}\n", true},
	{"collision_free with no slot", small + "rules: {collision_free: {period: 5, slots: []}}\n", true},
	{"collision_free slot 0", small + "rules: {collision_free: {period: 5, slots: [0]}}\n", true},
	{"collision_free slot outside", small + "rules: {collision_free: {period: 5, slots: [3, 6]}}\n", false},
	{"collision_free slot twice", small + "rules: {collision_free: {period: 5, slots: [3, 3]}}\n", true},
	{"program without its workload", strings.Replace(small, "pops/random", "pops/one-to-all", 1), false},
	{"program with another workload", strings.Replace(small, "pops/random", "pops/offline", 1) + "workload: {one_to_all: {source: 0}}\n", false},
	{"image with a workload of other networks", strings.Replace(small, "program: pops/random", "image: r.wasm", 1) + "workload: {gossip: {}}\n", false},
	{"packets_per_processor_max 255", small + "rules: {packets_per_processor_max: 255}\n", true},
	{"packets_per_processor_max 0", small + "rules: {packets_per_processor_max: 0}\n", true},
	{"exactly_once yes", small + "rules: {exactly_once: yes}\n", false},
	{"exactly_once 1", small + "rules: {exactly_once: 1}\n", true},
	{"no_loss 1", small + "rules: {no_loss: 1}\n", true},
	{"deadline of 0 slots", small + "rules: {deadline_slots: 0}\n", true},
	{"deadline after too many", small + "rules: {deadline_slots: 4294967295}\n", true},
	{"stop after 0 slots", small + "stop: {slots: 0}\n", true},
	{"stop after too many", small + "stop: {slots: 4294967295}\n", true},
	{"signals a text", small + "traces: {vcd: {signals: \"**\"}}\n", true},
	{"signals empty", small + "traces: {vcd: {signals: []}}\n", true},
	{"signals with an empty glob", small + "traces: {vcd: {signals: [\"**\", \"\"]}}\n", true},
	{"window ends before it starts", small + "traces: {vcd: {from: 9, to: 8}}\n", false},
	{"unknown trigger", small + "traces: {vcd: {trigger: last}}\n", true},
	{"before without a trigger", small + "traces: {vcd: {before: 9}}\n", true},
	{"vcd empty", small + "traces: {vcd: }\n", true},

	// Faults.
	{"unknown fault", small + "faults: {schedule: [{kind: sleepy}]}\n", true},
	{"random buffers", small + "faults: {random: {kind: buffers, rate: 0.1}}\n", true},
	{"rate above 1", small + "faults: {random: {kind: dead, rate: 1.5}}\n", true},
	{"rate below 0", small + "faults: {random: {kind: dead, rate: -0.1}}\n", true},
	{"rate that is not a number", small + "faults: {random: {kind: dead, rate: often}}\n", true},
	{"no rate", small + "faults: {random: {kind: dead}}\n", true},
	{"rate and rates", small + "faults: {random: {kind: dead, rate: 0.1, rates: [0.1]}}\n", true},
	{"no rates", small + "faults: {random: {kind: dead, rates: []}}\n", true},
	{"rates above 1", small + "faults: {random: {kind: dead, rates: [0.5, 2]}}\n", true},
	{"rates twice", small + "faults: {random: {kind: dead, rates: [0.5, 0.5]}}\n", true},
	{"rates that fall", small + "faults: {random: {kind: dead, rates: [0.5, 0.1]}}\n", false},
	{"probability above 1", small + "faults: {schedule: [{kind: drop, probability: 2}]}\n", true},
	{"negative slot of a fault", small + "faults: {schedule: [{kind: drop, slots: {from: -1}}]}\n", true},
	{"last slot before the first", small + "faults: {schedule: [{kind: drop, slots: {from: 9, to: 3}}]}\n", false},
	{"list and range of slots", small + "faults: {schedule: [{kind: drop, slots: {list: [1], from: 3}}]}\n", false},
	{"broken glob of a fault", small + "faults: {schedule: [{kind: drop, targets: ['a[']}]}\n", false},
	{"no targets", small + "faults: {schedule: [{kind: drop, targets: []}]}\n", true},
	{"stuck by chance", small + "faults: {schedule: [{kind: stuck, probability: 0.5}]}\n", false},
	{"buffers without a depth", small + "faults: {schedule: [{kind: buffers}]}\n", false},
	{"buffers in some slots", small + "faults: {schedule: [{kind: buffers, rx_frames: 1, slots: {from: 3}}]}\n", false},
	{"depth of another fault", small + "faults: {schedule: [{kind: dead, rx_frames: 1}]}\n", false},
}, badTraffic)

// Each bad input is refused with place, reason and remedy; the golden file holds
// the messages, so that a change of wording is seen and read.
func TestBadScenarios(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder"), 0o755))
	for name, text := range map[string]string{
		"double.csv": "destination\n1\n0\n1\n3\n",
		"word.csv":   "1\n0\ntwo\n3\n",
		"short.csv":  "1\n0\n2\n",
		"large.csv":  strings.Repeat("0\n", 1000),

		"packets.csv": "source,destination,size,created\n0,1,1,7\n5,6,1,3\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	var out strings.Builder
	names := map[string]bool{}
	for _, bad := range badScenarios {
		require.False(t, names[bad.name], "two cases are called %q", bad.name)
		names[bad.name] = true
		s, err := ParseScenario(filepath.Join(folder, "bad.yaml"), []byte(bad.text))
		var input *InputError
		require.ErrorAs(t, err, &input, bad.name)
		require.Nil(t, s, bad.name)
		assert.NotEmpty(t, input.Reason, bad.name)
		assert.NotEmpty(t, input.Remedy, bad.name)
		fmt.Fprintf(&out, "%s\n    %s\n", bad.name, strings.NewReplacer(folder+string(filepath.Separator), "", "\n", "\n    ").Replace(err.Error()))
	}
	golden(t, "testdata/scenarios/bad.golden", out.String())
}

func TestLoadScenarioMissing(t *testing.T) {
	_, err := LoadScenario("testdata/scenarios/none.yaml")
	var input *InputError
	require.ErrorAs(t, err, &input)
	assert.Equal(t, "testdata/scenarios/none.yaml: cannot be read: no such file or directory; "+
		"give the path of a scenario; `starloom schema` prints what one may say", err.Error())
	_, err = LoadScenario("testdata")
	require.ErrorAs(t, err, &input)
}

func TestScenarioDefaults(t *testing.T) {
	s, err := ParseScenario("folder/small.yaml", []byte(small))
	require.NoError(t, err)
	want := DefaultScenario()
	want.Name = "small"
	want.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
	want.Firmware.Program = "pops/random"
	assert.Equal(t, want.Hash(), s.Hash())
	assert.Equal(t, want.Link, s.Link)
	assert.Equal(t, want.NIC, s.NIC)
	assert.Equal(t, want.Stop, s.Stop)
	assert.Equal(t, want.Workload, s.Workload)
	assert.Equal(t, want.Firmware, s.Firmware)
	assert.Equal(t, uint64(1), s.Seed)
	require.NoError(t, want.Check())
}

func TestScenarioEverything(t *testing.T) {
	s, err := LoadScenario("testdata/scenarios/everything.yaml")
	require.NoError(t, err)
	assert.Equal(t, "all of it", s.Name)
	assert.Equal(t, uint64(math.MaxUint64), s.Seed)
	assert.Equal(t, &pops.Network{Groups: 2, GroupSize: 3}, s.Fabric.POPS)
	assert.Equal(t, Link{PhitBits: 16, PropagationCycles: 0, GuardCycles: 4096}, s.Link)
	assert.Equal(t, NIC{PayloadBytes: 1024, RXFrames: 255, TXFrames: 1}, s.NIC)
	assert.Equal(t, Firmware{
		Image: "router.wasm", Params: map[string]int64{"retries": -2147483648, "limit_2": 2147483647},
		Mode: ModeIsolated, CPU: CPU{BudgetCycles: 16},
	}, s.Firmware)
	assert.Equal(t, "testdata/scenarios/router.wasm", inside.Decided(s).ImagePath)
	assert.Equal(t, Permutation{Kind: PermutationList, List: []uint32{5, 4, 3, 2, 1, 0}}, s.Workload.Permutation)
	assert.Equal(t, &Rules{
		CollisionFree:          &CollisionFree{Period: 5, Slots: []int{3, 4, 5}},
		PacketsPerProcessorMax: 3, ExactlyOnce: true,
	}, s.Rules)
	assert.Equal(t, Stop{Slots: 4294967294}, s.Stop)
	assert.Equal(t, Traces{VCD: &VCDTrace{
		Signals: []string{"pops.group[0].**", "**.status"}, From: 10, To: 20, Trigger: TriggerFirstViolation, Before: 5, After: 6,
	}, PCAPNG: &PCAPNGTrace{}}, s.Traces)
	assert.Equal(t, "testdata/scenarios/everything.yaml:10:14", s.Place("link.phit_bits"))
	assert.Equal(t, "testdata/scenarios/everything.yaml:7:5", s.Place("fabric.pops.nothing"), "the nearest that is written")
}

// The same permutation as a list, as lines, with a header and with CRLF.
func TestPermutationForms(t *testing.T) {
	folder := t.TempDir()
	parse := func(workload string) (*Scenario, error) {
		return ParseScenario(filepath.Join(folder, "s.yaml"), []byte(small+"workload: "+workload+"\n"))
	}
	list, err := parse("{permutation: [1, 0, 0x3, 0o2]}")
	require.NoError(t, err)
	require.Equal(t, []uint32{1, 0, 3, 2}, list.Workload.Permutation.List)
	for _, text := range []string{"1\n0\n3\n2\n", "1\n0\n3\n2", "destination\n1\n0\n3\n2\n\n", "to\r\n1\r\n0\r\n3\r\n2\r\n", " 1\n 0\n 3\n 2\n", "\uFEFF1\r\n0\r\n3\r\n2\r\n", "\uFEFFto\n1\n0\n3\n2\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "perm.csv"), []byte(text), 0o644))
		file, err := parse("{file: perm.csv}")
		require.NoError(t, err, "%q", text)
		assert.Equal(t, list.Workload.Permutation, file.Workload.Permutation, "%q", text)
		assert.Equal(t, list.Hash(), file.Hash(), "%q", text)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "perm.csv"), []byte("to\n1\n0\n3\n3\n"), 0o644))
	_, err = parse("{file: perm.csv}")
	require.ErrorContains(t, err, "perm.csv:5:1: no permutation: destination 3 is given twice, by entries 2 and 3, and 2 is missing")
}

func TestScenarioHash(t *testing.T) {
	hash := func(text string) string {
		s, err := ParseScenario("s.yaml", []byte(text))
		require.NoError(t, err)
		return s.Hash()
	}
	base := hash(small)
	assert.Len(t, base, 64)
	same := map[string]string{
		"comment":   "# comment\n" + small,
		"order":     "firmware: {program: pops/random}\nstarloom: 1\nfabric: {pops: {group_size: 2, groups: 2}}\n",
		"defaults":  small + "seed: 1\nlink: {phit_bits: 64}\nname: s\n",
		"mode":      strings.Replace(small, "pops/random", "pops/random, mode: isolated", 1),
		"traces":    small + "traces: {vcd: {from: 3}, pcapng: {}}\n",
		"hex":       small + "link: {phit_bits: 0x40}\n",
		"anchors":   strings.Replace(small, "groups: 2, group_size: 2", "groups: &n 2, group_size: *n", 1),
		"empty map": small + "workload: {}\n",
	}
	for name, text := range same {
		assert.Equal(t, base, hash(text), name)
	}
	seen := map[string]string{base: "base"}
	for name, text := range map[string]string{
		"seed": small + "seed: 2\n", "size": strings.Replace(small, "groups: 2", "groups: 3", 1),
		"phit": small + "link: {phit_bits: 63}\n", "payload": small + "nic: {payload_bytes: 15}\n",
		"params": strings.Replace(small, "pops/random", "pops/random, params: {p: 1}", 1), "stop": small + "stop: {slots: 1}\n",
		"permutation": small + "workload: {permutation: identity}\n", "list": small + "workload: {permutation: [0, 1, 2, 3]}\n",
		"rules": small + "rules: {exactly_once: true}\n", "budget": strings.Replace(small, "pops/random", "pops/random, cpu: {budget_cycles: 1}", 1),
		"name": small + "name: t\n", "no rules": small + "rules: {}\n",
	} {
		h := hash(text)
		assert.Empty(t, seen[h], "%s has the same hash", name)
		seen[h] = name
	}
}

// A scenario that a program builds is held to the same limits.
func TestScenarioCheck(t *testing.T) {
	good := func() *Scenario {
		s := DefaultScenario()
		s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
		s.Firmware.Program = "pops/random"
		return s
	}
	require.NoError(t, good().Check())
	for name, c := range map[string]struct {
		change func(s *Scenario)
		want   string
	}{
		"phit":     {func(s *Scenario) { s.Link.PhitBits = 65 }, "link.phit_bits: link.phit_bits is 65; allowed are 1 to 64 (bits that a link carries in one cycle)"},
		"negative": {func(s *Scenario) { s.Link.GuardCycles = -1 }, "link.guard_cycles: link.guard_cycles is -1; allowed are 1 to 4096 (dark cycles at the end of a slot: at least one, because a receiver's status stands one cycle after the last phit)"},
		"no guard": {func(s *Scenario) { s.Link.GuardCycles = 0 }, "link.guard_cycles: link.guard_cycles is 0; allowed are 1 to 4096 (dark cycles at the end of a slot: at least one, because a receiver's status stands one cycle after the last phit)"},
		"fabric":   {func(s *Scenario) { s.Fabric.POPS = nil }, "fabric: the scenario has no fabric; write fabric: {pops: {groups: ..., group_size: ...}} or fabric: {crossbar: {ports: ...}} or fabric: {bus: {vertices: ...}} or fabric: {ej: {a: ..., b: ..., dimensions: ...}} or fabric: {netlist: {mesh: {k: [4, 4]}}}"},
		"size":     {func(s *Scenario) { s.Fabric.POPS.Groups = 0 }, "fabric.pops.groups: fabric.pops.groups is 0; allowed are 1 to 65533 (number of groups g)"},
		"mode":     {func(s *Scenario) { s.Firmware.Mode = "" }, `firmware.mode: firmware.mode is ""; allowed are banked, isolated (banked: one instance serves many processors; isolated: one instance for each; the results are the same)`},
		"version":  {func(s *Scenario) { s.Version = 0 }, "starloom: starloom is 0; allowed is 1 (version of the scenario format; always 1)"},
		"param":    {func(s *Scenario) { s.Firmware.Params = map[string]int64{"p": 1 << 31} }, "firmware.params.p: firmware.params.p is 2147483648; allowed are -2147483648 to 2147483647"},
		"kind":     {func(s *Scenario) { s.Workload.Permutation.Kind = "" }, `workload.permutation: workload.permutation is ""; allowed are random, identity, reverse, all or a list`},
		"list":     {func(s *Scenario) { s.Workload.Permutation.List = []uint32{0} }, "workload.permutation: a list is given for the permutation random; set Kind to list, or delete the list"},
		"double": {func(s *Scenario) {
			s.Workload.Permutation = Permutation{Kind: PermutationList, List: []uint32{0, 1, 2, 2}}
		}, "workload.permutation: no permutation: destination 2 is given twice, by entries 2 and 3, and 3 is missing; give every processor exactly one packet"},
		"rule": {func(s *Scenario) { s.Rules = &Rules{PacketsPerProcessorMax: -1} }, "rules.packets_per_processor_max: rules.packets_per_processor_max is -1; allowed are 1 to 254 (packets that a processor may hold at the end of a slot)"},
		"stop": {func(s *Scenario) { s.Stop.Slots = math.MaxUint32 }, "stop.slots: stop.slots is 4294967295; allowed are 1 to 4294967294 (a run that is not done after this many slots fails)"},
	} {
		s := good()
		c.change(s)
		require.EqualError(t, s.Check(), c.want, name)
	}
}

// The tags hold numbers of package nic, which struct tags cannot name.
func TestLimitsAreThoseOfTheNIC(t *testing.T) {
	limit := func(v any, key string) uint64 {
		for _, field := range strict.Fields(typeOf(v)) {
			if field.Key == key {
				return field.Limits.Maximum.Magnitude
			}
		}
		t.Fatalf("no key %s", key)
		return 0
	}
	assert.EqualValues(t, nic.PhitBitsMax, limit(Link{}, "phit_bits"))
	assert.EqualValues(t, nic.PropagationCyclesMax, limit(Link{}, "propagation_cycles"))
	assert.EqualValues(t, nic.GuardCyclesMax, limit(Link{}, "guard_cycles"))
	assert.EqualValues(t, nic.PayloadBytesMax, limit(NIC{}, "payload_bytes"))
	assert.EqualValues(t, nic.ComputeCyclesMax, limit(CPU{}, "budget_cycles"))
	assert.EqualValues(t, nic.Params, config.ParamsMax)
	size := limit(pops.Network{}, "groups")
	assert.LessOrEqual(t, size*size, uint64(math.MaxUint32-1), "processor numbers need 32 bits")
	assert.LessOrEqual(t, size*size-1, uint64(strict.DestinationMax))
}

// scenarioSeeds are scenarios, good and bad.
func scenarioSeeds(t testing.TB) [][]byte {
	seeds := [][]byte{[]byte(small)}
	for _, bad := range badScenarios {
		seeds = append(seeds, []byte(bad.text))
	}
	for _, path := range goodScenarioFiles(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		seeds = append(seeds, data)
	}
	return seeds
}

// tryScenario parses a text as a scenario: an error names place, reason and remedy, and what is
// accepted passes Check again.
func tryScenario(data []byte) error {
	const path = "testdata/scenarios/fuzz.yaml"
	s, err := ParseScenario(path, data)
	if err != nil {
		return refused("", err)
	}
	if err := s.Check(); err != nil {
		return unexpected(fmt.Errorf("accepted, and then not: %w", err))
	}
	if len(s.Hash()) != 64 {
		return unexpected(errors.New("no hash"))
	}
	return nil
}

// FuzzParseScenario: never a panic; an error always names place, reason and
// remedy; what is accepted passes Check again.
func FuzzParseScenario(f *testing.F) {
	for _, text := range scenarioSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) { requireExpected(t, tryScenario(data)) })
}

// An option's value is checked like the file's, and an error names the option.
func TestOverride(t *testing.T) {
	parse := func() *Scenario {
		s, err := ParseScenario("s.yaml", []byte(small))
		require.NoError(t, err)
		return s
	}
	seed, slots, none := uint64(7), uint32(9), uint32(0)
	s := parse()
	require.NoError(t, s.Override(t.Context(), Overrides{Seed: &seed, Slots: &slots, Mode: ModeIsolated, Image: "a.wasm"}))
	assert.Equal(t, seed, s.Seed)
	assert.Equal(t, slots, s.Stop.Slots)
	assert.Equal(t, ModeIsolated, s.Firmware.Mode)
	assert.Empty(t, s.Firmware.Program)
	absolute, err := filepath.Abs("a.wasm")
	require.NoError(t, err)
	assert.Equal(t, absolute, inside.Decided(s).ImagePath, "relative to the working folder, not to the scenario's")
	assert.Equal(t, inside.Decided(parse()).Rules, *s.Rules, "an image is held to the rules of the program that it replaces")
	assert.Equal(t, 5, inside.Decided(s).Known.SlotsPerStep)

	s = parse()
	s.Rules = &Rules{ExactlyOnce: true}
	require.NoError(t, s.Override(t.Context(), Overrides{Image: "a.wasm"}))
	assert.Equal(t, Rules{ExactlyOnce: true}, *s.Rules, "rules of the scenario stay")

	s = parse()
	require.NoError(t, s.Override(t.Context(), Overrides{Image: "pops/offline"}))
	assert.Equal(t, "pops/offline", s.Firmware.Program)
	assert.Nil(t, s.Rules, "its own")
	assert.Empty(t, inside.Decided(s).ImagePath)

	require.ErrorContains(t, parse().Override(t.Context(), Overrides{Slots: &none}), "--slots: stop.slots is 0; allowed are 1 to ")
	require.ErrorContains(t, parse().Override(t.Context(), Overrides{Mode: "both"}), `--mode: firmware.mode is "both"; allowed are banked, isolated`)
	s = parse()
	require.NoError(t, s.Override(t.Context(), Overrides{}))
	assert.Equal(t, parse().Hash(), s.Hash())
}

// A program's image in its place does what the program does, schedule and rules
// included; one that takes no schedule gets none.
func TestOverrideKeepsTheProgram(t *testing.T) {
	for _, name := range []string{"pops/random", "pops/offline", "pops/sort"} {
		want, err := Run(t.Context(), programScenario(name, 4, 4), RunOptions{})
		require.NoError(t, err)
		s := programScenario(name, 4, 4)
		require.NoError(t, s.Override(t.Context(), Overrides{Image: "firmware/images/" + name + ".wasm"}))
		got, err := Run(t.Context(), s, RunOptions{})
		require.NoError(t, err)
		got.Firmware.Image = name
		require.Equal(t, want, got)
	}
	want, err := Run(t.Context(), programScenario("pops/sort", 4, 4), RunOptions{})
	require.NoError(t, err)
	s := programScenario("pops/random", 4, 4)
	require.NoError(t, s.Override(t.Context(), Overrides{Image: "pops/sort"}))
	got, err := Run(t.Context(), s, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Digest, got.Digest)
	require.Equal(t, want.Rules, got.Rules)

	s = programScenario("pops/offline", 4, 4)
	require.NoError(t, s.Override(t.Context(), Overrides{Image: "firmware/images/pops/random.wasm"}))
	report, err := Run(t.Context(), s, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, VerdictFail, report.Verdict, "it collides where off-line routing must not")
	require.Equal(t, RuleCollisionFree, report.Violations[0].Rule)
}

// TestCreditsInTwoForms: depth alone is the same network, with the same hash, as the long form.
func TestCreditsInTwoForms(t *testing.T) {
	hashes := map[string]string{}
	for _, credits := range []string{"2", "{depth: 2}", "{depth: 2, round_trip_slots: 2, resync_slots: 0}", "{depth: 2, round_trip_slots: 3}", "{depth: 2, resync_slots: 100}", "3"} {
		text := "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: " + credits + "}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n"
		s, err := ParseScenario("credits.yaml", []byte(text))
		require.NoError(t, err, credits)
		data, err := json.Marshal(s.Fabric.EJ.Credits)
		require.NoError(t, err)
		hashes[credits] = s.Hash()
		switch credits {
		case "{depth: 2, round_trip_slots: 3}":
			require.Equal(t, `{"depth":2,"round_trip_slots":3}`, string(data))
		case "{depth: 2, resync_slots: 100}":
			require.Equal(t, `{"depth":2,"resync_slots":100}`, string(data))
		case "3":
			require.Equal(t, "3", string(data))
		default:
			require.Equal(t, "2", string(data))
			require.Equal(t, hashes["2"], s.Hash())
		}
	}
	require.NotEqual(t, hashes["2"], hashes["3"])
	require.NotEqual(t, hashes["2"], hashes["{depth: 2, resync_slots: 100}"])
}

// pointed is a network from Go with parameters that a pointer holds.
type pointed struct {
	fabric.Network
	of *struct{ nodes []int }
}

// TestHashOfNetworksFromGo: what a network from Go holds counts, where it lies in memory does not.
func TestHashOfNetworksFromGo(t *testing.T) {
	hash := func(nodes ...int) string {
		s := DefaultScenario()
		s.Fabric.Custom = pointed{&pops.Network{Groups: 2, GroupSize: 2}, &struct{ nodes []int }{nodes}}
		return s.Hash()
	}
	require.Equal(t, hash(1, 2), hash(1, 2))
	require.NotEqual(t, hash(1, 2), hash(1, 3))
	require.NotEqual(t, hash(1, 2), hash(12))
}

// TestNonsenseIsRefused: values that no run can mean, with a remedy that works.
func TestNonsenseIsRefused(t *testing.T) {
	sensors := "fabric: {bus: {vertices: 3, buses: [[1, 2, 0]], arbiter: fixed}}\nfirmware: {program: bus/sensors, params: {%s}}"
	for text, says := range map[string]string{
		fmt.Sprintf(sensors, "period: -3"):   "firmware.params.period is -3; allowed are 1 to 2147483647",
		fmt.Sprintf(sensors, "readings: -1"): "firmware.params.readings is -1; allowed are 0 to 2147483647",
		fmt.Sprintf(sensors, "events: 1001"): "firmware.params.events is 1001; allowed are 0 to 1000",
		"fabric: {crossbar: {ports: 4, cap_arbiter: matrix}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: identity}}":                     "cap_arbiter is matrix, and there is no cap; give cap: 1 or more, or delete cap_arbiter",
		"fabric: {crossbar: {ports: 4, matching: head}}\nfirmware: {program: gossip/fsa, params: {scheduling: 2}}\nworkload: {gossip: {orders: identity}}": "matching is head, and scheduling 2 asks by lists; delete matching, or take matching: list or scheduling: 0",
		"fabric: {ej: {a: 0, b: 3, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}":                                 "take a: 1 and b: 2, or a program for every alpha",
		"fabric: {ej: {a: 2, b: 5, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}":                                 "a is 2 and b 5, and ej/improved is for b = a+1; take b: 3, or a program for every alpha",
		"fabric: {ej: {a: 1, b: 2, dimensions: 6}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}":                                     "sends up to 6250 packets on a link in one step, and a frame takes 5458 of them; give fewer dimensions, or a smaller alpha",
		"fabric: {ej: {a: 1, b: 2, dimensions: 6}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}":                                     "and a frame takes 6550 of them; give fewer dimensions, or a smaller alpha, or packets_per_link: 4096 or less",
		"fabric: {pops: {groups: 60000, group_size: 60000}}\nfirmware: {program: pops/random}":                                                             "with 60000 groups, give a group_size of at most 35791",
		"fabric: {pops: {groups: 50000, group_size: 1}}\nfirmware: {program: pops/random}":                                                                 "groups x groups is 2500000000 couplers, at most 2147483647 are possible; give at most 46340 groups",
		"fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/sort}\nnic: {payload_bytes: 7}":                                              "nic.payload_bytes is 7, and a message of pops/sort has 8 bytes; give at least 8",
		"fabric: {bus: {vertices: 4, length: 3}}\nfirmware: {program: bus/two-phase}\nnic: {payload_bytes: 0}":                                             "nic.payload_bytes is 0, and a message of bus/two-phase has 1 byte; give at least 1",
		fmt.Sprintf(sensors, "readings: 1") + "\nnic: {payload_bytes: 3}":                                                                                  "nic.payload_bytes is 3, and a message of bus/sensors has 4 bytes; give at least 4",
		"fabric: {ej: {a: 1, b: 2, dimensions: 2}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}\nnic: {payload_bytes: 59}":           "a message of ej/all-to-all-c2 has 60 bytes; give at least 60",
	} {
		s, err := ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"\n"))
		if err == nil {
			err = s.Check()
		}
		require.ErrorContains(t, err, says, text)
	}
}

// uneven is a network from Go whose Check says what is wrong in an error of its own.
type uneven struct{ *pops.Network }

func (uneven) Check() error { return errors.New("groups is 1000, not a power of two") }

// TestRemedyOfNetworksFromGo: what would help is what the network says, not a guess.
func TestRemedyOfNetworksFromGo(t *testing.T) {
	s := routing(3, 3)
	s.Fabric = Fabric{Custom: uneven{&pops.Network{Groups: 1000, GroupSize: 1}}}
	require.ErrorContains(t, s.Check(), "groups is 1000, not a power of two; change what stands under fabric.pops")
}

// TestProgramsRefuseSmallPayloads: what a program needs is known when the scenario is read: with one byte
// less it is refused, and with that it runs without an illegal send.
func TestProgramsRefuseSmallPayloads(t *testing.T) {
	for program, rest := range map[string]string{
		"pops/offline": "", "pops/random": "", "pops/random-corrected": "", "pops/sort": "", "pops/two-hops": "",
		"pops/one-to-all": "workload: {one_to_all: {source: 0}}",
	} {
		text := fmt.Sprintf("starloom: 1\nfabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: %s}\n%s\nnic: {payload_bytes: ", program, rest)
		_, err := ParseScenario("s.yaml", []byte(text+"7}"))
		require.ErrorContains(t, err, "a message of "+program+" has 8 bytes; give at least 8")
		s, err := ParseScenario("s.yaml", []byte(text+"8}"))
		require.NoError(t, err)
		r, err := Run(t.Context(), s, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, VerdictPass, r.Verdict, program)
	}
}

// TestRunTableRemedy: who has the workload that others are told to take is not told so.
func TestRunTableRemedy(t *testing.T) {
	s := routing(3, 3)
	s.Firmware.Program, s.Workload = "pops/one-to-all", Workload{OneToAll: &OneToAll{Source: 1}}
	_, err := Run(t.Context(), s, RunOptions{RunTableCSV: Writer(io.Discard)})
	require.ErrorContains(t, err, "pops with the workload one_to_all has no run-table; delete the option")
}
