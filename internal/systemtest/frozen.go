package systemtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// Frozen lists scenarios whose outputs must survive every change of the code's structure: all programs, odd sizes and
// timings, RTL, and the firmware that breaks each rule. A commit that rewrites testdata/frozen (-update) lists the
// changed outputs with reasons.
//
// An image without .wasm is testdata/firmware/<image>.c.
var Frozen = map[string]string{
	"random":              "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}",
	"random-odd-timing":   "fabric: {pops: {groups: 5, group_size: 5}}\nfirmware: {program: pops/random, cpu: {budget_cycles: 3}}\nlink: {phit_bits: 7, propagation_cycles: 3, guard_cycles: 2}\nseed: 8",
	"random-small":        "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/random}\nnic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}\nseed: 3",
	"random-large-frames": "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nnic: {payload_bytes: 1024, rx_frames: 255, tx_frames: 9}",
	"random-loses":        "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random}\nlink: {phit_bits: 8}\nseed: 8",
	"random-isolated":     "fabric: {pops: {groups: 6, group_size: 2}}\nfirmware: {program: pops/random, mode: isolated}\nstop: {slots: 40}",
	"random-cut":          "fabric: {pops: {groups: 9, group_size: 9}}\nfirmware: {program: pops/random}\nstop: {slots: 7}",
	"random-trigger":      "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random}\nlink: {phit_bits: 8}\nseed: 8\ntraces: {vcd: {signals: [pops.slot, '**.violation', '**.rx_status'], trigger: first_violation, before: 2, after: 5}}",
	"corrected":           "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random-corrected}",
	"corrected-square":    "fabric: {pops: {groups: 5, group_size: 5}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: reverse}",
	"corrected-one-group": "fabric: {pops: {groups: 1, group_size: 5}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: identity}",
	"offline":             "fabric: {pops: {groups: 3, group_size: 5}}\nfirmware: {program: pops/offline}",
	"offline-wide":        "fabric: {pops: {groups: 7, group_size: 2}}\nfirmware: {program: pops/offline}\nlink: {phit_bits: 3, propagation_cycles: 0, guard_cycles: 1}",
	"sort":                "fabric: {pops: {groups: 4, group_size: 3}}\nfirmware: {program: pops/sort}",
	"sort-list":           "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/sort}\nworkload: {permutation: [4, 0, 5, 1, 3, 2]}",
	"one-to-all":          "fabric: {pops: {groups: 4, group_size: 3}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 5}}",
	"two-hops":            "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/two-hops}",
	"adversary":           "fabric: {pops: {groups: 8, group_size: 8}}\nfirmware: {program: pops/two-hops}\nworkload: {adversary: {slots: 2}}",
	"all":                 "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: all}",
	"all-fails":           "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/random}\nworkload: {permutation: all}",

	"own-sleeps":             BrokenScenario("sleeps", 4, 1, ""),
	"own-talks":              BrokenScenario("talks", 4, 1, ""),
	"own-babbles":            BrokenScenario("babbles", 4, 1, ""),
	"own-deaf":               BrokenScenario("deaf", 4, 1, ""),
	"breaks-collision-free":  BrokenScenario("collides", 2, 2, "collision_free: {period: 5, slots: [3, 4, 5]}"),
	"breaks-held":            BrokenScenario("hoards", 4, 1, "packets_per_processor_max: 3"),
	"breaks-once-twice":      BrokenScenario("duplicates", 4, 1, "exactly_once: true"),
	"breaks-once-elsewhere":  BrokenScenario("misroutes", 4, 1, "exactly_once: true"),
	"breaks-once-lost":       BrokenScenario("loses", 4, 1, "exactly_once: true"),
	"breaks-finishes":        BrokenScenario("never_done", 4, 1, ""),
	"breaks-finishes-sends":  BrokenScenario("sends_on", 4, 1, ""),
	"breaks-finishes-faulty": BrokenScenario("pretends", 4, 1, ""),
	"breaks-fail":            BrokenScenario("gives_up", 4, 1, ""),
	"breaks-send-port":       BrokenScenario("sends_to_no_port", 4, 1, ""),
	"breaks-send-size":       BrokenScenario("sends_too_much", 4, 1, ""),
	"breaks-send-kind":       BrokenScenario("sends_no_kind", 4, 1, ""),
	"breaks-send-lie":        BrokenScenario("lies", 4, 1, ""),
	"breaks-listen":          BrokenScenario("listens_to_no_port", 4, 1, ""),
	"breaks-trap":            BrokenScenario("traps", 4, 1, ""),

	"rtl-parts":  "fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/random-corrected}\nrtl: [{replace: 'pops.**'}]",
	"rtl-all":    "fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/random-corrected}\nrtl: [{replace: pops, backend: icarus}]",
	"rtl-timing": "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/random-corrected, cpu: {budget_cycles: 2}}\nlink: {phit_bits: 9, propagation_cycles: 2, guard_cycles: 3}\nrtl: [{replace: 'pops.**', backend: icarus}]",
}

// BrokenScenario runs a test image on POPS.
func BrokenScenario(image string, groups, groupSize int, rules string) string {
	return fmt.Sprintf("fabric: {pops: {groups: %d, group_size: %d}}\nfirmware: {image: %s}\nworkload: {permutation: reverse}\nstop: {slots: 20}\nrules: {%s}", groups, groupSize, image, rules)
}

// AllFrozen returns the frozen scenarios by name.
func AllFrozen() map[string]string {
	all := maps.Clone(Frozen)
	maps.Copy(all, FrozenFabrics)
	return all
}

// FrozenScenario parses one of the frozen scenarios.
func FrozenScenario(t *testing.T, name string) *starloom.Scenario {
	path := filepath.Join(t.TempDir(), name+".yaml")
	text := "starloom: 1\nname: " + name + "\n" + AllFrozen()[name] + "\n"
	if _, image, own := strings.Cut(text, "image: "); own {
		image, _, _ = strings.Cut(image, "}")
		text = strings.Replace(text, "image: "+image, "image: "+Image(t, image), 1)
	}
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	s, err := starloom.LoadScenario(path)
	require.NoError(t, err)
	return s
}
