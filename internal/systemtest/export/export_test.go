package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/systemtest"
	"starloom/traces/diff"
)

const (
	small = "fabric: {pops: {groups: 2, group_size: 2}}\n" + routing
	cross = "fabric: {crossbar: {ports: 3, arbiter: round_robin}}\n" + gossip
)

// exported runs a scenario and returns the folder of its Verilog.
func exported(t *testing.T, text string) string {
	s := parsed(t, text)
	dir := filepath.Join(t.TempDir(), "verilog")
	report, err := starloom.ExportVerilog(t.Context(), s, dir, "a test")
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Positive(t, report.Signals)
	return dir
}

func build(t *testing.T, dir string, targets ...string) (output string, err error) {
	c := exec.CommandContext(t.Context(), "make", append([]string{"-s", "-C", dir}, targets...)...)
	text, err := c.CombinedOutput()
	return string(text), err
}

// compared compares the waveform of a simulator with that of the run, with nothing but the map.
func compared(t *testing.T, dir, simulator string) *diff.Report {
	var o diff.Options
	require.NoError(t, starloom.LoadDiffMap(filepath.Join(dir, "names.yml"), &o))
	report, err := diff.Files(t.Context(), filepath.Join(dir, "expected.vcd"), filepath.Join(dir, simulator+".vcd"), o)
	require.NoError(t, err)
	return report
}

func requireEqual(t *testing.T, dir, simulator string) {
	text, err := build(t, dir, simulator)
	require.NoError(t, err, text)
	require.Contains(t, text, "PASS: ")
	report := compared(t, dir, simulator)
	require.Equal(t, diff.VerdictEqual, report.Verdict)
	require.Positive(t, report.Compared)
}

// TestIcarus: the waveforms of seven exported machines are the runs' in Icarus, without any option of trace diff.
func TestIcarus(t *testing.T) {
	for name, text := range map[string]string{
		"pops": small, "crossbar": cross, "stars": stars, "mesh": mesh, "ring": drawn,
		"firmware": fed, "mixed": mixed} {
		t.Run(name, func(t *testing.T) { requireEqual(t, exported(t, text), "icarus") })
	}
}

// TestLongSimulators: machines of all exported kinds are the runs' in Icarus, and one (all with -full) in Verilator.
// Verilator and Yosys read them, and Verilator has no warning about a top or its parts.
func TestLongSimulators(t *testing.T) {
	mesh, rings := "[3, 3]", strings.Replace(torus, "[5, 3]", "[3, 3]", 1) // most of the time is Verilator's
	if *systemtest.Full {
		mesh, rings = "[4, 4]", torus
	}
	for name, text := range map[string]string{
		"pops-4x4": "fabric: {pops: {groups: 4, group_size: 4}}\n" + routing,
		"links":    "fabric: {pops: {groups: 2, group_size: 2}}\nlink: {propagation_cycles: 3, phit_bits: 5}\n" + routing,
		"stars":    stars,
		"mixed":    mixed,
		"bus":      "fabric: {bus: {vertices: 6, length: 3, arbiter: round_robin}}\nfirmware: {program: bus/two-phase}\n",
		"priority": "fabric: {crossbar: {ports: 4}}\n" + gossip,
		"lottery":  "fabric: {crossbar: {ports: 3, arbiter: lottery}}\n" + gossip,
		"weighted": "fabric: {crossbar: {ports: 3, arbiter: weighted_round_robin}}\n" + gossip,
		"routers": "fabric: {netlist: {mesh: {k: " + mesh + "}, router: {vcs: 2, depth: 4}}}\n" +
			"workload: {traffic: {rate: 0.2, warm_up: 1, measure: 200}}\n",
		"torus":    rings,
		"sessions": "fabric: {crossbar: {ports: 4}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {sessions: 3}}\n",
	} {
		if !*systemtest.Full && (name == "weighted" || name == "lottery" || name == "torus") { // time of tools
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := exported(t, text)
			requireEqual(t, dir, "icarus")
			if *systemtest.Full || name == "links" || name == "routers" {
				requireEqual(t, dir, "verilator")
			}
			text, err := build(t, dir, "lint")
			require.NoError(t, err, text)
			require.NotContains(t, text, "%Warning")
			top, err := os.ReadFile(filepath.Join(dir, "top.v"))
			require.NoError(t, err)
			require.NotContains(t, string(top), "lint_off")
			c := exec.CommandContext(t.Context(), "yosys", "-q", "-p",
				"read_verilog -sv -DSYNTHESIS "+strings.Join(sources(t, dir), " ")+"; hierarchy -check -top top")
			c.Dir = dir
			said, err := c.CombinedOutput()
			require.NoError(t, err, string(said))
		})
	}
}

// TestYosys: the script of a folder counts cells, flip-flops, memory bits and depth of each kind of part; a register of
// known width has its flip-flops, and the sums are those of the lines. The constraints name a port of the top.
func TestYosys(t *testing.T) {
	dir := exported(t, "fabric: {netlist: {router: {vcs: 1, depth: 2}, nodes: {r: router, \"p[0..1]\": processor}, "+
		"links: [[\"p[0..1]\", r]]}}\nworkload: {traffic: {rate: 0.2, size: 2, warm_up: 1, measure: 50}}\n")
	text, err := build(t, dir, "yosys")
	require.NoError(t, err, text)
	row := regexp.MustCompile(`(?m)^ *(\d+) +(\d+) +(\d+) +(\d+) +(\d+)  (.*)$`)
	rows, sums := row.FindAllStringSubmatch(text, -1), [4]int{}
	require.Len(t, rows, 7, text)
	for i, fields := range rows {
		var n [5]int
		for k := range n {
			n[k], err = strconv.Atoi(fields[1+k])
			require.NoError(t, err)
		}
		if i == len(rows)-1 {
			require.Equal(t, sums[:], n[:4], text)
			break
		}
		if of, is := strings.CutPrefix(fields[6], "delay_line CYCLES=1 RESET=1 WIDTH="); is {
			width, err := strconv.Atoi(of)
			require.NoError(t, err)
			require.Equal(t, width+1, n[2], text) // and filled_o
			require.Equal(t, 1, n[4], text)       // the gate of reset
		}
		if strings.HasPrefix(fields[6], "vc_router ") {
			require.Equal(t, 1, n[0])
			require.Positive(t, n[3])
		}
		sums[0] += n[0]
		for k := 1; k < len(sums); k++ {
			sums[k] += n[0] * n[k]
		}
	}
	require.Contains(t, text, "\nYosys ")
	for file, part := range map[string]string{"top.sdc": "[get_ports clock]", "top.core": "- vc_router.v"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Contains(t, string(text), part)
	}
}

func sources(t *testing.T, dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "files.f"))
	require.NoError(t, err)
	return strings.Fields(string(text))
}

// TestMutants: mistakes of a top show as a failed testbench or as a difference of waveforms.
func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ text, old, new string }{
		"rails of a receiver swapped": {small, "group_nic_rx_rail1_i[0 +: 128] = {group_coupler_fibre_rail1_o[128 +: 64], " +
			"group_coupler_fibre_rail1_o[0 +: 64]}", "group_nic_rx_rail1_i[0 +: 128] = {group_coupler_fibre_rail1_o[0 +: 64], " +
			"group_coupler_fibre_rail1_o[128 +: 64]}"},
		"a coupler without gates": {small, "(group_nic_tx_port_o[16 +: 16] == 16'h1 || group_nic_tx_port_o[16 +: 16] == " +
			"16'hfffe)", "(1'b1)"},
		"one cycle more on all links": {small, ".DELAY_CYCLES(1)", ".DELAY_CYCLES(2)"},
		"grants not transposed": {cross, "{output_arbiter_grant_o[7], output_arbiter_grant_o[4], output_arbiter_grant_o[1]}",
			"output_arbiter_grant_o[3 +: 3]"},
		"no reset of the arbiters": {cross, ".reset(reset),\n          .request_i(output_arbiter_request_i",
			".reset(1'b0),\n          .request_i(output_arbiter_request_i"},
		"one cycle more on links of routers": {mesh, ".CYCLES(1)", ".CYCLES(2)"},
		"no reset of routers": {mesh,
			".reset(reset),\n        .valid_i(router_valid_i", ".reset(1'b0),\n        .valid_i(router_valid_i"},
		"tables of routers swapped": {mesh,
			".routes_i(router_routes_routes_i[(i0)*", ".routes_i(router_routes_routes_i[(5-i0)*"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := exported(t, m.text)
			path := filepath.Join(dir, "top.v")
			top, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(top), m.old)
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(top), m.old, m.new, 1)), 0o644))
			requireDifferent(t, dir)
		})
	}
}

func requireDifferent(t *testing.T, dir string) {
	text, err := build(t, dir, "icarus")
	if err == nil {
		report := compared(t, dir, "icarus")
		require.Equal(t, diff.VerdictDifferent, report.Verdict)
		return
	}
	require.Contains(t, text, "FAIL: ")
}

// TestMutantsOfRouters: two wires swapped, and a pointer with another start, show in a network of routers.
func TestMutantsOfRouters(t *testing.T) {
	for _, edit := range []struct {
		file string
		edit func(text string) string
	}{
		{"top.v", func(text string) string {
			wire := regexp.MustCompile(`(assign p_in_flit_data_i\[0 .*? = )(.*?)(;(?s:.*?)assign p_in_flit_data_i\[.* = )(.*?);`)
			return wire.ReplaceAllString(text, "$1$4$3$2;")
		}},
		{"vc_router.v", func(text string) string {
			return strings.Replace(text, "vc_accept_q <= {N*N{1'b1}};", "vc_accept_q <= {N{{(N-1){1'b1}}, 1'b0}};", 1)
		}},
		{"packet_source.v", func(text string) string { return strings.Replace(text, "ONE << LAST_VC", "ONE", 1) }},
	} {
		t.Run(edit.file, func(t *testing.T) {
			dir := exported(t, mesh)
			path := filepath.Join(dir, edit.file)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			mutant := edit.edit(string(text))
			require.NotEqual(t, string(text), mutant)
			require.NoError(t, os.WriteFile(path, []byte(mutant), 0o644))
			requireDifferent(t, dir)
		})
	}
}

// TestRefused: hardware without Verilog is refused by name, and no folder appears.
func TestRefused(t *testing.T) {
	for text, reason := range map[string]string{
		"fabric: {crossbar: {ports: 4, cap: 2}}\n" + gossip:         "crossbar.cap.ports has no Verilog",
		"fabric: {crossbar: {ports: 4, matching: list}}\n" + gossip: "crossbar.allocator",
		"fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nfirmware: {program: ej/all-to-all}\n" +
			"workload: {all_to_all: {}}\n": "ej.node.link.light has no Verilog twin",
		wire: "netlist.medium.near has no Verilog",
		strings.Replace(mesh, "vcs: 2", "vcs: 16", 1):                                             "vc_router has at most 64 input VCs",
		strings.Replace(mesh, "depth: 2", "depth: 2, hold_switch: true", 1):                       "vc_router has no hold_switch",
		mesh + "faults: {schedule: [{kind: drop, targets: [\"netlist.router[0].output[0]\"]}]}\n": "faults act between the parts",
		small + "faults: {schedule: [{kind: drop, targets: [\"pops.group[0].coupler[0]\"]}]}\n":   "faults of media act between the parts",
		small + "rtl: [{replace: \"pops.**\"}]\n":                                                 "delete rtl",
	} {
		s, err := starloom.ParseScenario("", []byte("starloom: 1\n"+text))
		require.NoError(t, err, text)
		dir := filepath.Join(t.TempDir(), "verilog")
		_, err = starloom.ExportVerilog(t.Context(), s, dir, "a test")
		var bad *starloom.InputError
		require.ErrorAs(t, err, &bad, text)
		require.ErrorContains(t, err, reason)
		require.NoDirExists(t, dir)
	}
}
