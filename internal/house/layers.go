package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// layers are the packages from the bottom up: a package may import only what stands before it.
// traces and hw stand side by side and know nothing of each other.
var layers = []string{
	"starloom/internal/rounded", "starloom/internal/fingerprint", "starloom/internal/meaning", "starloom/internal/sourcestest",
	"starloom/hw", "starloom/traces/input", "starloom/internal/strict", "starloom/traces", "starloom/traces/internal/tracetest", "starloom/traces/figure",
	"starloom/traces/vcd", "starloom/traces/pcapng", "starloom/traces/pcapng/pcapngtest",
	"starloom/traces/diff", "starloom/traces/decode", "starloom/traces/info",
	"starloom/nic", "starloom/firmware/wasm/binary", "starloom/firmware/wasm", "starloom/firmware",
	"starloom/cosim", "starloom/cosim/internal/cosimtest", "starloom/cosim/condition", "starloom/cosim/twin", "starloom/cosim/pinmap", // know no backend
	"starloom/cosim/coverage", "starloom/cosim/verilator", "starloom/cosim/icarus", "starloom/cosim/flatten",
	"starloom/cosim/lockstep", "starloom/cosim/inloop", "starloom/cosim/prove",
	// Arithmetic: no hardware.
	"starloom/fabric/bus/gossip",
	"starloom/fabric/crossbar/gossip", "starloom/fabric/crossbar/gossip/gossiptest",
	"starloom/fabric/crossbar/scatter", "starloom/fabric/crossbar/scatter/scattertest",
	"starloom/fabric/ej/eisenstein", "starloom/fabric/ej/eisenstein/eisensteintest",
	"starloom/fabric", "starloom/fabric/studies", "starloom/fabric/studytest", "starloom/fabric/referees",
	"starloom/fabric/flow", "starloom/fabric/wired", "starloom/fabric/plant", "starloom/fabric/stream", "starloom/fabric/traffic",
	"starloom/fabric/contend", "starloom/fabric/pops", "starloom/fabric/crossbar", "starloom/fabric/bus", "starloom/fabric/ej", "starloom/fabric/netlist",
	"starloom/internal/maps", "starloom/internal/outcome", "starloom/internal/outputs",
	"starloom/internal/plot", "starloom/internal/picture",
	"starloom/internal/page",
	"starloom/internal/meter", "starloom/internal/config", "starloom/internal/rtl",
	"starloom/internal/emulator", "starloom/internal/record", "starloom/internal/runs", "starloom/internal/inside", "starloom/internal/estimate",
	"starloom/internal/slurm", "starloom/internal/slurm/slurmtest",
	"starloom/internal/sweep/plan", "starloom/internal/sweep/folder", "starloom/internal/sweep", "starloom/internal/check", "starloom/internal/tools",
	"starloom/internal/explain", "starloom/internal/template", "starloom",
	"starloom/examples/languages", "starloom/cmd/cli",
	"starloom/fabric/fabrictest",
	"starloom/fabric/fabrictest/ring", "starloom/fabric/fabrictest/stars", "starloom/fabric/fabrictest/stars/starloom-stars", "starloom/fabric/fabrictest/tuned",
	"starloom/cmd/starloom", "starloom/internal/systemtest",
	"starloom/internal/systemtest/check", "starloom/internal/systemtest/engines", "starloom/internal/systemtest/faults",
	"starloom/internal/systemtest/frozen", "starloom/internal/systemtest/outputs", "starloom/internal/systemtest/programs",
	"starloom/internal/systemtest/routers", "starloom/internal/systemtest/rtl", "starloom/internal/systemtest/rules",
	"starloom/internal/systemtest/scenario", "starloom/internal/systemtest/traffic",
	"starloom/internal/house", "starloom/internal/dist", "starloom/internal/rival",
}

// upwardImports returns the imports that go up, and packages that have no place.
func upwardImports(imports map[string][]string) (up []string) {
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		if strings.HasPrefix(p, "starloom/out/") { // what users have written there, as docs/go-api.md says
			continue
		}
		level := slices.Index(layers, p)
		if level < 0 {
			up = append(up, fmt.Sprintf("%s has no place in the layout: give it one in internal/house/layers.go and in docs/contributing.md", p))
			continue
		}
		for _, imported := range imports[p] {
			below := slices.Index(layers, imported)
			sideBySide := strings.HasPrefix(p, "starloom/traces") && imported == "starloom/hw"
			if below < 0 || below >= level || sideBySide {
				up = append(up, fmt.Sprintf("%s imports %s", p, imported))
			}
		}
	}
	return up
}
