package scenario

import (
	"encoding/json"
	"errors"
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

	"starloom"
	"starloom/fabric"
	"starloom/fabric/pops"
	"starloom/internal/config"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
	"starloom/traces/input/strict"
)

// busFabric is a scenario of gossip on a bus network, busSensors one of sensors.
func busFabric(keys string) string {
	return "starloom: 1\nfabric: {bus: {" + keys + "}}\nfirmware: {program: bus/two-phase}\n"
}

func busSensors(keys string) string {
	return "starloom: 1\nfabric: {bus: {" + keys + "}}\nfirmware: {program: bus/sensors}\n"
}

var badScenarios = slices.Concat([]badScenario{
	// The file as a whole.
	{Name: "empty file", Text: "", Schema: false},
	{Name: "only a comment", Text: "# nothing\n", Schema: false},
	{Name: "only null", Text: "~\n", Schema: true},
	{Name: "a list", Text: "- starloom: 1\n", Schema: true},
	{Name: "a text", Text: "starloom\n", Schema: true},
	{Name: "second document", Text: systemtest.Small + "---\n" + systemtest.Small, Schema: false},
	{Name: "broken second document", Text: systemtest.Small + "---\na: [\n", Schema: false},
	{Name: "unclosed bracket", Text: "starloom: 1\nfabric: {pops: [\n", Schema: false},
	{Name: "tab", Text: "starloom: 1\n\tname: x\n", Schema: false},
	{Name: "not UTF-8", Text: "starloom: 1\nname: a\xff\n", Schema: false},
	{Name: "unknown anchor", Text: systemtest.Small + "name: *x\n", Schema: false},

	// Keys.
	{Name: "unknown key", Text: systemtest.Small + "sed: 1\n", Schema: true},
	{Name: "unknown key, far from any", Text: systemtest.Small + "zzzzzz: 1\n", Schema: true},
	{Name: "unknown nested key", Text: "starloom: 1\nfabric: {pops: {groups: 2, groupsize: 2}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "merge key", Text: systemtest.Small + "link: {<<: {phit_bits: 8}}\n", Schema: false},
	{Name: "tag on a map", Text: systemtest.Small + "link: !foo {phit_bits: 8}\n", Schema: false},
	{Name: "tag on a map of YAML's kind", Text: systemtest.Small + "link: !!foo {phit_bits: 8}\n", Schema: false},
	{Name: "tag on the scenario", Text: "!mine\n" + systemtest.Small, Schema: false},
	{Name: "tag on a list", Text: strings.Replace(systemtest.Small, "starloom: 1", "starloom: 1\nworkload: {permutation: !set [1, 0, 3, 2]}", 1), Schema: false},
	{Name: "tag on a key", Text: systemtest.Small + "!k seed: 1\n", Schema: false},
	{Name: "tag after an alias", Text: systemtest.Small + "link: &a !foo {phit_bits: 8}\nnic: *a\n", Schema: false},
	{Name: "list as key", Text: systemtest.Small + "[a]: 1\n", Schema: false},
	{Name: "duplicate key", Text: systemtest.Small + "seed: 1\nname: x\nseed: 2\n", Schema: false},
	{Name: "duplicate nested key", Text: systemtest.Small + "link: {phit_bits: 8, phit_bits: 9}\n", Schema: false},
	{Name: "other cpu model", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: fast}}\n", Schema: true},
	{Name: "other cpu keys", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {cores: 2}}\n", Schema: true},
	{Name: "clock without model", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {clock_ratio: 2}}\n", Schema: false},
	{Name: "other class", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {teleport: 1}}}\n", Schema: true},
	{Name: "free branches", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {branch: 0}}}\n", Schema: false},
	{Name: "custom without costs", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: custom}}\n", Schema: false},
	{Name: "negative cost", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {load: -1}}}\n", Schema: true},
	{Name: "half a cost", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {load: 1.5}}}\n", Schema: true},
	{Name: "cost too large", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {call: 1000001}}}\n", Schema: true},
	{Name: "misspelt class", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, cost: {laod: 3}}}\n", Schema: true},
	{Name: "trap before the budget", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 100, trap_cycles: 99}}\n", Schema: false},
	{Name: "trap too late", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, clock_ratio: 2, trap_cycles: 3000000000}}\n", Schema: false},
	{Name: "key in pcapng", Text: systemtest.Small + "traces: {pcapng: {snaplen: 4}}\n", Schema: true},

	// Version, name, seed.
	{Name: "missing version", Text: "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "version 2", Text: strings.Replace(systemtest.Small, "starloom: 1", "starloom: 2", 1), Schema: true},
	{Name: "version as text", Text: strings.Replace(systemtest.Small, "starloom: 1", `starloom: "1"`, 1), Schema: true},
	{Name: "name is a number", Text: systemtest.Small + "name: 16\n", Schema: true},
	{Name: "name empty", Text: systemtest.Small + "name: \"\"\n", Schema: true},
	{Name: "name with a control character", Text: systemtest.Small + "name: \"a\\u0007b\"\n", Schema: false},
	{Name: "name too long", Text: systemtest.Small + "name: " + strings.Repeat("x", 201) + "\n", Schema: true},
	{Name: "seed negative", Text: systemtest.Small + "seed: -1\n", Schema: true},
	{Name: "seed above 64 bits", Text: systemtest.Small + "seed: 18446744073709551616\n", Schema: true},
	{Name: "seed a fraction", Text: systemtest.Small + "seed: 2.5\n", Schema: true},
	{Name: "seed empty", Text: systemtest.Small + "seed:\n", Schema: true},

	// Fabric.
	{Name: "missing fabric", Text: "starloom: 1\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "no fabric in fabric", Text: "starloom: 1\nfabric: {}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "two fabrics", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}, crossbar: {ports: 10}}\nfirmware: {program: pops/random}\n", Schema: true},
	// Buses.
	{Name: "bus without vertices", Text: busFabric("length: 4"), Schema: true},
	{Name: "bus of one vertex", Text: busFabric("vertices: 1, length: 4"), Schema: true},
	{Name: "bus of no vertices", Text: busFabric("vertices: -3, length: 4"), Schema: true},
	{Name: "bus of too many vertices", Text: busFabric("vertices: 65535, length: 4"), Schema: true},
	{Name: "bus of vertices beyond an integer", Text: busFabric("vertices: 18446744073709551616, length: 4"), Schema: true},
	{Name: "bus of length 1", Text: busFabric("vertices: 4, length: 1"), Schema: true},
	{Name: "bus of length 0", Text: busFabric("vertices: 4, length: 0"), Schema: true},
	{Name: "bus of negative length", Text: busFabric("vertices: 4, length: -4"), Schema: true},
	{Name: "bus of a length beyond an integer", Text: busFabric("vertices: 4, length: 18446744073709551616"), Schema: true},
	{Name: "bus program without a length", Text: busFabric("vertices: 4"), Schema: false},
	{Name: "bus program with buses", Text: busFabric("vertices: 4, length: 3, buses: [[0, 1]]"), Schema: false},
	{Name: "bus with an unknown arbiter", Text: busFabric("vertices: 4, length: 3, arbiter: roundrobin"), Schema: true},
	{Name: "bus program with turns", Text: busFabric("vertices: 4, length: 3, arbiter: tdma"), Schema: false},
	{Name: "sensors without buses", Text: busSensors("vertices: 4"), Schema: false},
	{Name: "no bus at all", Text: busSensors("vertices: 4, buses: []"), Schema: true},
	{Name: "bus of a single vertex", Text: busSensors("vertices: 4, buses: [[0, 1], [2]]"), Schema: false},
	{Name: "bus without a vertex", Text: busSensors("vertices: 4, buses: [[], [0, 1]]"), Schema: false},
	{Name: "bus with a vertex that there is not", Text: busSensors("vertices: 4, buses: [[0, 1], [2, 4]]"), Schema: false},
	{Name: "bus with a negative vertex", Text: busSensors("vertices: 4, buses: [[0, -1]]"), Schema: false},
	{Name: "bus with a vertex twice", Text: busSensors("vertices: 4, buses: [[0, 1], [3, 2, 3]]"), Schema: false},
	{Name: "bus that is no list", Text: busSensors("vertices: 4, buses: [0, 1]"), Schema: true},
	{Name: "bus program of another fabric", Text: "starloom: 1\nfabric: {bus: {vertices: 4, buses: [[0, 1]]}}\nfirmware: {program: pops/random}\n", Schema: false},

	{Name: "unknown fabric", Text: "starloom: 1\nfabric: {pop: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "pops empty", Text: "starloom: 1\nfabric: {pops: }\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "missing group_size", Text: "starloom: 1\nfabric: {pops: {groups: 2}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "0 groups", Text: "starloom: 1\nfabric: {pops: {groups: 0, group_size: 2}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "group_size 0", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 0}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "65534 groups", Text: "starloom: 1\nfabric: {pops: {groups: 65534, group_size: 1}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "more than 2^32-2 processors", Text: "starloom: 1\nfabric: {pops: {groups: 65536, group_size: 65536}}\nfirmware: {program: pops/random}\n", Schema: true},
	{Name: "groups far too large", Text: "starloom: 1\nfabric: {pops: {groups: 99999999999999999999999, group_size: 1}}\nfirmware: {program: pops/random}\n", Schema: true},

	// Link and NIC.
	{Name: "phit_bits 65", Text: systemtest.Small + "link: {phit_bits: 65}\n", Schema: true},
	{Name: "phit_bits 0", Text: systemtest.Small + "link: {phit_bits: 0}\n", Schema: true},
	{Name: "phit_bits a fraction", Text: systemtest.Small + "link: {phit_bits: 2.5}\n", Schema: true},
	{Name: "phit_bits quoted", Text: systemtest.Small + "link: {phit_bits: \"0x10\"}\n", Schema: true},
	{Name: "phit_bits tagged", Text: systemtest.Small + "link: {phit_bits: !!int \"16\"}\n", Schema: false},
	{Name: "phit_bits octal or not", Text: systemtest.Small + "link: {phit_bits: 010}\n", Schema: false},
	{Name: "phit_bits with underscore", Text: systemtest.Small + "link: {phit_bits: 1_0}\n", Schema: false},
	{Name: "phit_bits true", Text: systemtest.Small + "link: {phit_bits: true}\n", Schema: true},
	{Name: "phit_bits a list", Text: systemtest.Small + "link: {phit_bits: [8]}\n", Schema: true},
	{Name: "link a number", Text: systemtest.Small + "link: 8\n", Schema: true},
	{Name: "guard_cycles 0", Text: systemtest.Small + "link: {guard_cycles: 0}\n", Schema: true},
	{Name: "guard_cycles negative", Text: systemtest.Small + "link: {guard_cycles: -1}\n", Schema: true},
	{Name: "propagation_cycles too large", Text: systemtest.Small + "link: {propagation_cycles: 4097}\n", Schema: true},
	{Name: "payload_bytes too large", Text: systemtest.Small + "nic: {payload_bytes: 65505}\n", Schema: true},
	{Name: "rx_frames 0", Text: systemtest.Small + "nic: {rx_frames: 0}\n", Schema: true},
	{Name: "tx_frames 256", Text: systemtest.Small + "nic: {tx_frames: 256}\n", Schema: true},

	// Firmware.
	{Name: "missing firmware", Text: "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\n", Schema: false},
	{Name: "neither program nor image", Text: strings.Replace(systemtest.Small, "program: pops/random", "mode: banked", 1), Schema: true},
	{Name: "program and image", Text: strings.Replace(systemtest.Small, "program: pops/random", "program: pops/random, image: a.wasm", 1), Schema: true},
	{Name: "unknown program", Text: strings.Replace(systemtest.Small, "pops/random", "pops/randon", 1), Schema: true},
	{Name: "unknown schedule", Text: strings.Replace(systemtest.Small, "program: pops/random", "image: router.wasm, schedule: sorted", 1), Schema: true},
	{Name: "unknown mode", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, mode: bankd", 1), Schema: true},
	{Name: "parameter too large", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, params: {p: 2147483648}", 1), Schema: true},
	{Name: "parameter a fraction", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, params: {p: 0.5}", 1), Schema: true},
	{Name: "parameter twice", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, params: {p: 1, p: 2}", 1), Schema: false},
	{Name: "parameter without a name", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, params: {\"a b\": 1}", 1), Schema: true},
	{Name: "too many parameters", Text: strings.Replace(systemtest.Small, "pops/random",
		"pops/random, params: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1, m: 1, n: 1, o: 1, p: 1, q: 1}", 1), Schema: true},
	{Name: "params a list", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, params: [1]", 1), Schema: true},
	{Name: "budget too large", Text: strings.Replace(systemtest.Small, "pops/random", "pops/random, cpu: {budget_cycles: 1048577}", 1), Schema: true},

	// Eisenstein-Jacobi networks.
	{Name: "ej: one residue", Text: "starloom: 1\nfabric: {ej: {a: 0, b: 1, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: three residues", Text: "starloom: 1\nfabric: {ej: {a: 1, b: 1, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: four residues", Text: "starloom: 1\nfabric: {ej: {a: 0, b: 2, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: a above b", Text: "starloom: 1\nfabric: {ej: {a: 4, b: 3, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: negative a", Text: "starloom: 1\nfabric: {ej: {a: -1, b: 3, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: b too large", Text: "starloom: 1\nfabric: {ej: {a: 0, b: 70000, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: too many residues", Text: "starloom: 1\nfabric: {ej: {a: 60000, b: 60000, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: no dimension", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 0}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: too many dimensions", Text: "starloom: 1\nfabric: {ej: {a: 1, b: 2, dimensions: 13}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: too many processors", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 6}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: unknown duplex", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, duplex: quarter}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: negative packets per link", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, packets_per_link: -1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: credits without depth", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: {resync_slots: 2}}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: credits at once", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: {depth: 2, round_trip_slots: 1}}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: credits in words", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: two}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: a list of credits", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: [2]}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: no credits", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: 0}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n", Schema: true},
	{Name: "ej: not a successor", Text: "starloom: 1\nfabric: {ej: {a: 2, b: 4, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: source outside", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 37}}\n", Schema: false},
	{Name: "ej: reading 2", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all, params: {reading: 2}}\nworkload: {all_to_all: {}}\n", Schema: false},
	{Name: "ej: rotate 2", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c2, params: {rotate: 2}}\nworkload: {all_to_all: {}}\n", Schema: false},
	{Name: "ej: another workload", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "ej: links too narrow for a phase", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, packets_per_link: 1}}\nfirmware: {program: ej/all-to-all}\nworkload: {all_to_all: {}}\n", Schema: false},
	{Name: "ej: payload too small", Text: "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}\nnic: {payload_bytes: 12}\n", Schema: false},

	// Workload.
	{Name: "unknown permutation", Text: systemtest.Small + "workload: {permutation: randem}\n", Schema: true},
	{Name: "permutation a number", Text: systemtest.Small + "workload: {permutation: 3}\n", Schema: true},
	{Name: "permutation too short", Text: systemtest.Small + "workload:\n  permutation: [1, 0, 2]\n", Schema: false},
	{Name: "permutation too long", Text: systemtest.Small + "workload:\n  permutation: [1, 0, 2, 3, 4]\n", Schema: false},
	{Name: "permutation with a double", Text: systemtest.Small + "workload:\n  permutation: [1, 0, 2, 1]\n", Schema: true},
	{Name: "permutation out of range", Text: systemtest.Small + "workload:\n  permutation: [1, 0, 2, 4]\n", Schema: false},
	{Name: "permutation with a negative", Text: systemtest.Small + "workload:\n  permutation: [1, 0, 2, -3]\n", Schema: true},
	{Name: "permutation with a text", Text: systemtest.Small + "workload:\n  permutation: [1, 0, 2, x]\n", Schema: true},
	{Name: "permutation contains itself", Text: systemtest.Small + "workload:\n  permutation: &p [0, 1, 2, *p]\n", Schema: false},
	{Name: "file and permutation", Text: systemtest.Small + "workload: {permutation: random, file: good.csv}\n", Schema: true},
	{Name: "file missing", Text: systemtest.Small + "workload: {file: none.csv}\n", Schema: false},
	{Name: "file for a network without a processor 4", Text: "starloom: 1\nfabric: {bus: {vertices: 4, buses: [[0, 1], [2, 4]]}}\nfirmware: {image: a.wasm}\nworkload: {file: word.csv}\n", Schema: false},
	{Name: "file is a folder", Text: systemtest.Small + "workload: {file: folder}\n", Schema: false},
	{Name: "file with a double", Text: systemtest.Small + "workload: {file: double.csv}\n", Schema: false},
	{Name: "file with a word", Text: systemtest.Small + "workload: {file: word.csv}\n", Schema: false},
	{Name: "file too short", Text: systemtest.Small + "workload: {file: short.csv}\n", Schema: false},
	{Name: "file too large", Text: systemtest.Small + "workload: {file: large.csv}\n", Schema: false},
	{Name: "unknown workload", Text: systemtest.Small + "workload: {all_to_one: {}}\n", Schema: true},
	{Name: "workload of another fabric", Text: systemtest.Small + "workload: {all_to_all: {}}\n", Schema: false},

	// Rules, stop, traces.
	{Name: "collision_free without slots", Text: systemtest.Small + "rules: {collision_free: {period: 5}}\n", Schema: true},
	{Name: "collision_free with no slot", Text: systemtest.Small + "rules: {collision_free: {period: 5, slots: []}}\n", Schema: true},
	{Name: "collision_free slot 0", Text: systemtest.Small + "rules: {collision_free: {period: 5, slots: [0]}}\n", Schema: true},
	{Name: "collision_free slot outside", Text: systemtest.Small + "rules: {collision_free: {period: 5, slots: [3, 6]}}\n", Schema: false},
	{Name: "collision_free slot twice", Text: systemtest.Small + "rules: {collision_free: {period: 5, slots: [3, 3]}}\n", Schema: true},
	{Name: "program without its workload", Text: strings.Replace(systemtest.Small, "pops/random", "pops/one-to-all", 1), Schema: false},
	{Name: "program with another workload", Text: strings.Replace(systemtest.Small, "pops/random", "pops/offline",
		1) + "workload: {one_to_all: {source: 0}}\n", Schema: false},
	{Name: "image with a workload of other networks", Text: strings.Replace(systemtest.Small, "program: pops/random", "image: r.wasm",
		1) + "workload: {gossip: {}}\n", Schema: false},
	{Name: "packets_per_processor_max 255", Text: systemtest.Small + "rules: {packets_per_processor_max: 255}\n", Schema: true},
	{Name: "packets_per_processor_max 0", Text: systemtest.Small + "rules: {packets_per_processor_max: 0}\n", Schema: true},
	{Name: "exactly_once yes", Text: systemtest.Small + "rules: {exactly_once: yes}\n", Schema: false},
	{Name: "exactly_once 1", Text: systemtest.Small + "rules: {exactly_once: 1}\n", Schema: true},
	{Name: "no_loss 1", Text: systemtest.Small + "rules: {no_loss: 1}\n", Schema: true},
	{Name: "deadline of 0 slots", Text: systemtest.Small + "rules: {deadline_slots: 0}\n", Schema: true},
	{Name: "deadline after too many", Text: systemtest.Small + "rules: {deadline_slots: 4294967295}\n", Schema: true},
	{Name: "stop after 0 slots", Text: systemtest.Small + "stop: {slots: 0}\n", Schema: true},
	{Name: "stop after too many", Text: systemtest.Small + "stop: {slots: 4294967295}\n", Schema: true},
	{Name: "signals a text", Text: systemtest.Small + "traces: {vcd: {signals: \"**\"}}\n", Schema: true},
	{Name: "signals empty", Text: systemtest.Small + "traces: {vcd: {signals: []}}\n", Schema: true},
	{Name: "signals with an empty glob", Text: systemtest.Small + "traces: {vcd: {signals: [\"**\", \"\"]}}\n", Schema: true},
	{Name: "window ends before it starts", Text: systemtest.Small + "traces: {vcd: {from: 9, to: 8}}\n", Schema: false},
	{Name: "unknown trigger", Text: systemtest.Small + "traces: {vcd: {trigger: last}}\n", Schema: true},
	{Name: "before without a trigger", Text: systemtest.Small + "traces: {vcd: {before: 9}}\n", Schema: true},
	{Name: "vcd empty", Text: systemtest.Small + "traces: {vcd: }\n", Schema: true},

	// Faults.
	{Name: "unknown fault", Text: systemtest.Small + "faults: {schedule: [{kind: sleepy}]}\n", Schema: true},
	{Name: "random buffers", Text: systemtest.Small + "faults: {random: {kind: buffers, rate: 0.1}}\n", Schema: true},
	{Name: "rate above 1", Text: systemtest.Small + "faults: {random: {kind: dead, rate: 1.5}}\n", Schema: true},
	{Name: "rate below 0", Text: systemtest.Small + "faults: {random: {kind: dead, rate: -0.1}}\n", Schema: true},
	{Name: "rate that is not a number", Text: systemtest.Small + "faults: {random: {kind: dead, rate: often}}\n", Schema: true},
	{Name: "no rate", Text: systemtest.Small + "faults: {random: {kind: dead}}\n", Schema: true},
	{Name: "rate and rates", Text: systemtest.Small + "faults: {random: {kind: dead, rate: 0.1, rates: [0.1]}}\n", Schema: true},
	{Name: "no rates", Text: systemtest.Small + "faults: {random: {kind: dead, rates: []}}\n", Schema: true},
	{Name: "rates above 1", Text: systemtest.Small + "faults: {random: {kind: dead, rates: [0.5, 2]}}\n", Schema: true},
	{Name: "rates twice", Text: systemtest.Small + "faults: {random: {kind: dead, rates: [0.5, 0.5]}}\n", Schema: true},
	{Name: "rates that fall", Text: systemtest.Small + "faults: {random: {kind: dead, rates: [0.5, 0.1]}}\n", Schema: false},
	{Name: "probability above 1", Text: systemtest.Small + "faults: {schedule: [{kind: drop, probability: 2}]}\n", Schema: true},
	{Name: "negative slot of a fault", Text: systemtest.Small + "faults: {schedule: [{kind: drop, slots: {from: -1}}]}\n", Schema: true},
	{Name: "last slot before the first", Text: systemtest.Small + "faults: {schedule: [{kind: drop, slots: {from: 9, to: 3}}]}\n", Schema: false},
	{Name: "list and range of slots", Text: systemtest.Small + "faults: {schedule: [{kind: drop, slots: {list: [1], from: 3}}]}\n", Schema: false},
	{Name: "broken glob of a fault", Text: systemtest.Small + "faults: {schedule: [{kind: drop, targets: ['a[']}]}\n", Schema: false},
	{Name: "no targets", Text: systemtest.Small + "faults: {schedule: [{kind: drop, targets: []}]}\n", Schema: true},
	{Name: "stuck by chance", Text: systemtest.Small + "faults: {schedule: [{kind: stuck, probability: 0.5}]}\n", Schema: false},
	{Name: "buffers without a depth", Text: systemtest.Small + "faults: {schedule: [{kind: buffers}]}\n", Schema: false},
	{Name: "buffers in some slots", Text: systemtest.Small + "faults: {schedule: [{kind: buffers, rx_frames: 1, slots: {from: 3}}]}\n", Schema: false},
	{Name: "depth of another fault", Text: systemtest.Small + "faults: {schedule: [{kind: dead, rx_frames: 1}]}\n", Schema: false},
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
		require.False(t, names[bad.Name], "two cases are called %q", bad.Name)
		names[bad.Name] = true
		s, err := starloom.ParseScenario(filepath.Join(folder, "bad.yaml"), []byte(bad.Text))
		var input *starloom.InputError
		require.ErrorAs(t, err, &input, bad.Name)
		require.Nil(t, s, bad.Name)
		assert.NotEmpty(t, input.Reason, bad.Name)
		assert.NotEmpty(t, input.Remedy, bad.Name)
		fmt.Fprintf(&out, "%s\n    %s\n", bad.Name, strings.NewReplacer(folder+string(filepath.Separator), "", "\n", "\n    ").Replace(err.Error()))
	}
	systemtest.Golden(t, "testdata/scenarios/bad.golden", out.String())
}

func TestLoadScenarioMissing(t *testing.T) {
	_, err := starloom.LoadScenario("testdata/scenarios/none.yaml")
	var input *starloom.InputError
	require.ErrorAs(t, err, &input)
	assert.Equal(t, "testdata/scenarios/none.yaml: cannot be read: no such file or directory; "+
		"give the path of a scenario; `starloom schema` prints its keys", err.Error())
	_, err = starloom.LoadScenario("testdata")
	require.ErrorAs(t, err, &input)
}

func TestScenarioDefaults(t *testing.T) {
	s, err := starloom.ParseScenario("folder/small.yaml", []byte(systemtest.Small))
	require.NoError(t, err)
	want := starloom.DefaultScenario()
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
	s, err := starloom.LoadScenario("testdata/scenarios/everything.yaml")
	require.NoError(t, err)
	assert.Equal(t, "all of it", s.Name)
	assert.Equal(t, uint64(math.MaxUint64), s.Seed)
	assert.Equal(t, &pops.Network{Groups: 2, GroupSize: 3}, s.Fabric.POPS)
	assert.Equal(t, starloom.Link{PhitBits: 16, PropagationCycles: 0, GuardCycles: 4096}, s.Link)
	assert.Equal(t, starloom.NIC{PayloadBytes: 1024, RXFrames: 255, TXFrames: 1}, s.NIC)
	assert.Equal(t, starloom.Firmware{
		Image: "router.wasm", Params: map[string]int64{"retries": -2147483648, "limit_2": 2147483647},
		Mode: starloom.ModeIsolated, CPU: starloom.CPU{BudgetCycles: 16},
	}, s.Firmware)
	assert.Equal(t, "testdata/scenarios/router.wasm", inside.Decided(s).ImagePath)
	assert.Equal(t, starloom.Permutation{Kind: starloom.PermutationList,
		List: []uint32{5, 4, 3, 2, 1, 0}}, s.Workload.Permutation)
	assert.Equal(t, &starloom.Rules{
		CollisionFree:          &starloom.CollisionFree{Period: 5, Slots: []int{3, 4, 5}},
		PacketsPerProcessorMax: 3, ExactlyOnce: true,
	}, s.Rules)
	assert.Equal(t, starloom.Stop{Slots: 4294967294}, s.Stop)
	assert.Equal(t, starloom.Traces{VCD: &starloom.VCDTrace{
		Signals: []string{"pops.group[0].**", "**.status"}, From: 10, To: 20, Trigger: starloom.TriggerFirstViolation, Before: 5, After: 6,
	}, PCAPNG: &starloom.PCAPNGTrace{}}, s.Traces)
	assert.Equal(t, "testdata/scenarios/everything.yaml:10:14", s.Place("link.phit_bits"))
	assert.Equal(t, "testdata/scenarios/everything.yaml:7:5", s.Place("fabric.pops.nothing"), "the nearest that is written")
}

// The same permutation as a list, as lines, with a header and with CRLF.
func TestPermutationForms(t *testing.T) {
	folder := t.TempDir()
	parse := func(workload string) (*starloom.Scenario, error) {
		return starloom.ParseScenario(filepath.Join(folder, "s.yaml"), []byte(systemtest.Small+"workload: "+workload+"\n"))
	}
	list, err := parse("{permutation: [1, 0, 0x3, 0o2]}")
	require.NoError(t, err)
	require.Equal(t, []uint32{1, 0, 3, 2}, list.Workload.Permutation.List)
	for _, text := range []string{"1\n0\n3\n2\n", "1\n0\n3\n2", "destination\n1\n0\n3\n2\n\n", "to\r\n1\r\n0\r\n3\r\n2\r\n",
		" 1\n 0\n 3\n 2\n", "\uFEFF1\r\n0\r\n3\r\n2\r\n", "\uFEFFto\n1\n0\n3\n2\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "perm.csv"), []byte(text), 0o644))
		file, err := parse("{file: perm.csv}")
		require.NoError(t, err, "%q", text)
		assert.Equal(t, list.Workload.Permutation, file.Workload.Permutation, "%q", text)
		assert.Equal(t, list.Hash(), file.Hash(), "%q", text)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "perm.csv"), []byte("to\n1\n0\n3\n3\n"), 0o644))
	_, err = parse("{file: perm.csv}")
	require.ErrorContains(t, err, "perm.csv:5:1: not a permutation: destination 3 is given twice, by entries 2 and 3, and 2 is missing")
}

func TestScenarioHash(t *testing.T) {
	hash := func(text string) string {
		s, err := starloom.ParseScenario("s.yaml", []byte(text))
		require.NoError(t, err)
		return s.Hash()
	}
	base := hash(systemtest.Small)
	assert.Len(t, base, 64)
	same := map[string]string{
		"comment":   "# comment\n" + systemtest.Small,
		"order":     "firmware: {program: pops/random}\nstarloom: 1\nfabric: {pops: {group_size: 2, groups: 2}}\n",
		"defaults":  systemtest.Small + "seed: 1\nlink: {phit_bits: 64}\nname: s\n",
		"mode":      strings.Replace(systemtest.Small, "pops/random", "pops/random, mode: isolated", 1),
		"traces":    systemtest.Small + "traces: {vcd: {from: 3}, pcapng: {}}\n",
		"hex":       systemtest.Small + "link: {phit_bits: 0x40}\n",
		"anchors":   strings.Replace(systemtest.Small, "groups: 2, group_size: 2", "groups: &n 2, group_size: *n", 1),
		"empty map": systemtest.Small + "workload: {}\n",
	}
	for name, text := range same {
		assert.Equal(t, base, hash(text), name)
	}
	seen := map[string]string{base: "base"}
	for name, text := range map[string]string{
		"seed": systemtest.Small + "seed: 2\n", "size": strings.Replace(systemtest.Small, "groups: 2", "groups: 3", 1),
		"phit": systemtest.Small + "link: {phit_bits: 63}\n", "payload": systemtest.Small + "nic: {payload_bytes: 15}\n",
		"params": strings.Replace(systemtest.Small, "pops/random", "pops/random, params: {p: 1}", 1), "stop": systemtest.Small + "stop: {slots: 1}\n",
		"permutation": systemtest.Small + "workload: {permutation: identity}\n", "list": systemtest.Small + "workload: {permutation: [0, 1, 2, 3]}\n",
		"rules": systemtest.Small + "rules: {exactly_once: true}\n", "budget": strings.Replace(systemtest.Small, "pops/random",
			"pops/random, cpu: {budget_cycles: 1}", 1),
		"name": systemtest.Small + "name: t\n", "no rules": systemtest.Small + "rules: {}\n",
	} {
		h := hash(text)
		assert.Empty(t, seen[h], "%s has the same hash", name)
		seen[h] = name
	}
}

// A scenario that a program builds is held to the same limits.
func TestScenarioCheck(t *testing.T) {
	good := func() *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
		s.Firmware.Program = "pops/random"
		return s
	}
	require.NoError(t, good().Check())
	for name, c := range map[string]struct {
		change func(s *starloom.Scenario)
		want   string
	}{
		"phit": {func(s *starloom.Scenario) { s.Link.PhitBits = 65 },
			"link.phit_bits: link.phit_bits is 65; allowed: 1 to 64 (number of bits that a link carries per cycle)"},
		"negative": {func(s *starloom.Scenario) { s.Link.GuardCycles = -1 },
			"link.guard_cycles: link.guard_cycles is -1; allowed: 1 to 4096 (dark cycles at the end of a slot: at least one, because a receiver's status is valid one cycle after the last phit)"},
		"no guard": {func(s *starloom.Scenario) { s.Link.GuardCycles = 0 },
			"link.guard_cycles: link.guard_cycles is 0; allowed: 1 to 4096 (dark cycles at the end of a slot: at least one, because a receiver's status is valid one cycle after the last phit)"},
		"fabric": {func(s *starloom.Scenario) { s.Fabric.POPS = nil },
			"fabric: the scenario has no fabric; write fabric: {pops: {groups: ..., group_size: ...}} or fabric: {crossbar: {ports: ...}} or fabric: {bus: {vertices: ...}} or fabric: {ej: {a: ..., b: ..., dimensions: ...}} or fabric: {netlist: {mesh: {k: [4, 4]}}}"},
		"size": {func(s *starloom.Scenario) { s.Fabric.POPS.Groups = 0 },
			"fabric.pops.groups: fabric.pops.groups is 0; allowed: 1 to 65533 (number of groups g)"},
		"mode": {func(s *starloom.Scenario) { s.Firmware.Mode = "" },
			`firmware.mode: firmware.mode is ""; allowed: banked, isolated (banked: one instance serves many processors; isolated: one instance per processor; both have the same results)`},
		"version": {func(s *starloom.Scenario) { s.Version = 0 }, "starloom: starloom is 0; allowed is 1 (version of the scenario format; always 1)"},
		"param": {func(s *starloom.Scenario) { s.Firmware.Params = map[string]int64{"p": 1 << 31} },
			"firmware.params.p: firmware.params.p is 2147483648; allowed: -2147483648 to 2147483647"},
		"kind": {func(s *starloom.Scenario) { s.Workload.Permutation.Kind = "" },
			`workload.permutation: workload.permutation is ""; allowed: random, identity, reverse, all or a list`},
		"list": {func(s *starloom.Scenario) { s.Workload.Permutation.List = []uint32{0} },
			"workload.permutation: a list is given for the permutation random; set Kind to list, or delete the list"},
		"double": {func(s *starloom.Scenario) {
			s.Workload.Permutation = starloom.Permutation{Kind: starloom.PermutationList, List: []uint32{0, 1, 2, 2}}
		}, "workload.permutation: not a permutation: destination 2 is given twice, by entries 2 and 3, and 3 is missing; give every processor exactly one packet"},
		"rule": {func(s *starloom.Scenario) { s.Rules = &starloom.Rules{PacketsPerProcessorMax: -1} },
			"rules.packets_per_processor_max: rules.packets_per_processor_max is -1; allowed: 1 to 254 (maximum number of packets held by a processor at the end of a slot)"},
		"stop": {func(s *starloom.Scenario) { s.Stop.Slots = math.MaxUint32 },
			"stop.slots: stop.slots is 4294967295; allowed: 1 to 4294967294 (maximum number of slots; a run that is not done by then fails)"},
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
	assert.EqualValues(t, nic.PhitBitsMax, limit(starloom.Link{}, "phit_bits"))
	assert.EqualValues(t, nic.PropagationCyclesMax, limit(starloom.Link{}, "propagation_cycles"))
	assert.EqualValues(t, nic.GuardCyclesMax, limit(starloom.Link{}, "guard_cycles"))
	assert.EqualValues(t, nic.PayloadBytesMax, limit(starloom.NIC{}, "payload_bytes"))
	assert.EqualValues(t, nic.ComputeCyclesMax, limit(starloom.CPU{}, "budget_cycles"))
	assert.EqualValues(t, nic.Params, config.ParamsMax)
	size := limit(pops.Network{}, "groups")
	assert.LessOrEqual(t, size*size, uint64(math.MaxUint32-1), "processor numbers need 32 bits")
	assert.LessOrEqual(t, size*size-1, uint64(strict.DestinationMax))
}

// scenarioSeeds are scenarios, good and bad.
func scenarioSeeds(t testing.TB) [][]byte {
	seeds := [][]byte{[]byte(systemtest.Small)}
	for _, bad := range badScenarios {
		seeds = append(seeds, []byte(bad.Text))
	}
	for _, path := range goodScenarioFiles(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		seeds = append(seeds, data)
	}
	return seeds
}

// tryScenario parses a text as a scenario: an error names place, reason and remedy, and an accepted scenario passes
// Check again.
func tryScenario(data []byte) error {
	const path = "testdata/scenarios/fuzz.yaml"
	s, err := starloom.ParseScenario(path, data)
	if err != nil {
		return systemtest.Refused("", err)
	}
	if err := s.Check(); err != nil {
		return systemtest.Unexpected(fmt.Errorf("accepted, and then not: %w", err))
	}
	if len(s.Hash()) != 64 {
		return systemtest.Unexpected(errors.New("no hash"))
	}
	return nil
}

// FuzzParseScenario checks that parsing never causes a panic, that an error names place, reason and remedy, and that
// an accepted scenario passes Check again.
func FuzzParseScenario(f *testing.F) {
	for _, text := range scenarioSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) { systemtest.RequireExpected(t, tryScenario(data)) })
}

// An option's value is checked like the file's, and an error names the option.
func TestOverride(t *testing.T) {
	parse := func() *starloom.Scenario {
		s, err := starloom.ParseScenario("s.yaml", []byte(systemtest.Small))
		require.NoError(t, err)
		return s
	}
	seed, slots, none := uint64(7), uint32(9), uint32(0)
	s := parse()
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Seed: &seed, Slots: &slots, Mode: starloom.ModeIsolated, Image: "a.wasm"}))
	assert.Equal(t, seed, s.Seed)
	assert.Equal(t, slots, s.Stop.Slots)
	assert.Equal(t, starloom.ModeIsolated, s.Firmware.Mode)
	assert.Empty(t, s.Firmware.Program)
	absolute, err := filepath.Abs("a.wasm")
	require.NoError(t, err)
	assert.Equal(t, absolute, inside.Decided(s).ImagePath, "relative to the working folder, not to the scenario's")
	assert.Equal(t, inside.Decided(parse()).Rules, *s.Rules, "an image is held to the rules of the program that it replaces")
	assert.Equal(t, 5, inside.Decided(s).Known.SlotsPerStep)

	s = parse()
	s.Rules = &starloom.Rules{ExactlyOnce: true}
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "a.wasm"}))
	assert.Equal(t, starloom.Rules{ExactlyOnce: true}, *s.Rules, "rules of the scenario stay")

	s = parse()
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "pops/offline"}))
	assert.Equal(t, "pops/offline", s.Firmware.Program)
	assert.Nil(t, s.Rules, "its own")
	assert.Empty(t, inside.Decided(s).ImagePath)

	require.ErrorContains(t, parse().Override(t.Context(), starloom.Overrides{Slots: &none}), "--slots: stop.slots is 0; allowed: 1 to ")
	require.ErrorContains(t, parse().Override(t.Context(), starloom.Overrides{Mode: "both"}), `--mode: firmware.mode is "both"; allowed: banked, isolated`)
	s = parse()
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{}))
	assert.Equal(t, parse().Hash(), s.Hash())
}

// A program's image in its place does what the program does, schedule and rules
// included; one that takes no schedule gets none.
func TestOverrideKeepsTheProgram(t *testing.T) {
	for _, name := range []string{"pops/random", "pops/offline", "pops/sort"} {
		want, err := starloom.Run(t.Context(), systemtest.ProgramScenario(name, 4, 4), starloom.RunOptions{})
		require.NoError(t, err)
		s := systemtest.ProgramScenario(name, 4, 4)
		require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "firmware/images/" + name + ".wasm"}))
		got, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		got.Firmware.Image = name
		require.Equal(t, want, got)
	}
	want, err := starloom.Run(t.Context(), systemtest.ProgramScenario("pops/sort", 4, 4), starloom.RunOptions{})
	require.NoError(t, err)
	s := systemtest.ProgramScenario("pops/random", 4, 4)
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "pops/sort"}))
	got, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Digest, got.Digest)
	require.Equal(t, want.Rules, got.Rules)

	s = systemtest.ProgramScenario("pops/offline", 4, 4)
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "firmware/images/pops/random.wasm"}))
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict, "it collides where off-line routing must not")
	require.Equal(t, starloom.RuleCollisionFree, report.Violations[0].Rule)
}

// TestCreditsInTwoForms: depth alone is the same network, with the same hash, as the long form.
func TestCreditsInTwoForms(t *testing.T) {
	hashes := map[string]string{}
	for _, credits := range []string{"2", "{depth: 2}", "{depth: 2, round_trip_slots: 2, resync_slots: 0}",
		"{depth: 2, round_trip_slots: 3}", "{depth: 2, resync_slots: 100}", "3"} {
		text := "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1, credits: " + credits + "}}\nfirmware: {program: ej/general}\nworkload: {one_to_all: {source: 0}}\n"
		s, err := starloom.ParseScenario("credits.yaml", []byte(text))
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
		s := starloom.DefaultScenario()
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
		fmt.Sprintf(sensors, "period: -3"):   "firmware.params.period is -3; allowed: 1 to 2147483647",
		fmt.Sprintf(sensors, "readings: -1"): "firmware.params.readings is -1; allowed: 0 to 2147483647",
		fmt.Sprintf(sensors, "events: 1001"): "firmware.params.events is 1001; allowed: 0 to 1000",
		"fabric: {crossbar: {ports: 4, cap_arbiter: matrix}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: identity}}":                     "cap_arbiter is matrix, but no cap is given; give cap: 1 or more, or delete cap_arbiter",
		"fabric: {crossbar: {ports: 4, matching: head}}\nfirmware: {program: gossip/fsa, params: {scheduling: 2}}\nworkload: {gossip: {orders: identity}}": "matching is head, but scheduling 2 requests by lists; delete matching, or use matching: list or scheduling: 0",
		"fabric: {ej: {a: 0, b: 3, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}":                                 "take a: 1 and b: 2, or use a program for every alpha",
		"fabric: {ej: {a: 2, b: 5, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}":                                 "a is 2 and b is 5, but ej/improved needs b = a+1; take b: 3, or use a program for every alpha",
		"fabric: {ej: {a: 1, b: 2, dimensions: 6}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}":                                     "sends up to 6250 packets on a link in one step, but a frame holds only 5458; give fewer dimensions, or a smaller alpha",
		"fabric: {ej: {a: 1, b: 2, dimensions: 6}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}":                                     "but a frame holds only 6550; give fewer dimensions, or a smaller alpha, or packets_per_link: 4096 or less",
		"fabric: {pops: {groups: 60000, group_size: 60000}}\nfirmware: {program: pops/random}":                                                             "with 60000 groups, give a group_size of at most 35791",
		"fabric: {pops: {groups: 50000, group_size: 1}}\nfirmware: {program: pops/random}":                                                                 "groups x groups is 2500000000 couplers; at most 2147483647 are possible; give at most 46340 groups",
		"fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/sort}\nnic: {payload_bytes: " +
			"7}": "nic.payload_bytes is 7, but a message of pops/sort has 8 " +
			"bytes; give at least 8",
		"fabric: {bus: {vertices: 4, length: 3}}\nfirmware: {program: bus/two-phase}\nnic: {payload_bytes: " +
			"0}": "nic.payload_bytes is 0, but a message of bus/two-phase has 1 " +
			"byte; give at least 1",
		fmt.Sprintf(sensors, "readings: 1") + "\nnic: {payload_bytes: " +
			"3}": "nic.payload_bytes is 3, " +
			"but a message of bus/sensors has 4 bytes; give at least 4",
		"fabric: {ej: {a: 1, b: 2, dimensions: 2}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}\nnic: {payload_bytes: 59}": "a message of ej/all-to-all-c2 has 60 bytes; give at least 60",
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"\n"))
		if err == nil {
			err = s.Check()
		}
		require.ErrorContains(t, err, says, text)
	}
}

// uneven is a network from Go whose Check returns an error of its own type.
type uneven struct{ *pops.Network }

func (uneven) Check() error { return errors.New("groups is 1000, not a power of two") }

// TestRemedyOfNetworksFromGo: what would help is what the network says, not a guess.
func TestRemedyOfNetworksFromGo(t *testing.T) {
	s := systemtest.Routing(3, 3)
	s.Fabric = starloom.Fabric{Custom: uneven{&pops.Network{Groups: 1000, GroupSize: 1}}}
	require.ErrorContains(t, s.Check(), "groups is 1000, not a power of two; change the keys under fabric.pops")
}

// TestProgramsRefuseSmallPayloads: what a program needs is known when the scenario is read: with one byte
// less it is refused, and with that it runs without an illegal send.
func TestProgramsRefuseSmallPayloads(t *testing.T) {
	for program, rest := range map[string]string{
		"pops/offline": "", "pops/random": "", "pops/random-corrected": "", "pops/sort": "", "pops/two-hops": "",
		"pops/one-to-all": "workload: {one_to_all: {source: 0}}",
	} {
		text := fmt.Sprintf("starloom: 1\nfabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: %s}\n%s\nnic: {payload_bytes: ", program, rest)
		_, err := starloom.ParseScenario("s.yaml", []byte(text+"7}"))
		require.ErrorContains(t, err, "a message of "+program+" has 8 bytes; give at least 8")
		s, err := starloom.ParseScenario("s.yaml", []byte(text+"8}"))
		require.NoError(t, err)
		r, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, r.Verdict, program)
	}
}

// TestRunTableRemedy: who has the workload that others are told to take is not told so.
func TestRunTableRemedy(t *testing.T) {
	s := systemtest.Routing(3, 3)
	s.Firmware.Program, s.Workload = "pops/one-to-all", starloom.Workload{OneToAll: &starloom.OneToAll{Source: 1}}
	_, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{RunTables: starloom.TableFiles{CSV: starloom.Writer(io.Discard)}})
	require.ErrorContains(t, err, "pops with the workload one_to_all has no run-table; delete the option")
}
