package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// messageFiles are inputs with one mistake each, and correct ones.
var messageFiles = map[string]string{
	"good.yaml":  "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: {rate: 0.1, warm_up: 10, measure: 100}}\n",
	"mesh.yaml":  "starloom: 1\nfabric: {netlist: {mesh: {k: [2, 2]}, router: {}, routes: long}}\nworkload: {traffic: {rate: 0.1}}\n",
	"none.yaml":  "starloom: 1\nfabric: {netlist: {mesh: {k: [2, 2]}, router: {}, routes: none}}\nworkload: {traffic: {rate: 0.1}}\n",
	"map.yml":    "model: link\nparameters: {PHIT_BITS: 64, DELAY_CYCLES: 1}\ntop: no\nsources: [no.sv]\nclock: clk_i\npins: {}\n",
	"sweep.yaml": "scenario: good.yaml\naxes: {load: {key: workload.traffic.rate, values: [0.1, 0.2]}}\n",
	"unset.yaml": "scenario: good.yaml\naxes: {network: {settings: {crossbar: {seed: 2}, " +
		"mesh: {firmware: null, fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}}}}}\n",
	"tab.yaml":       "starloom: 1\nfabric:\n\tcrossbar: {ports: 4}\n",
	"space.yaml":     "starloom:1\nfabric: {crossbar: {ports: 4}}\n",
	"second.yaml":    "starloom: 1\nseed:7\nfabric: {crossbar: {ports: 4}}\n",
	"alone.yaml":     "starloom:1\n",
	"flow.yaml":      "starloom: 1\nfabric: {crossbar: {ports:4}}\n",
	"octal.yaml":     "starloom: 1\nseed: 08\nfabric: {crossbar: {ports: 4}}\n",
	"merge.yaml":     "starloom: 1\nfabric: {crossbar: {ports: 4}}\nlink: &l {phit_bits: 8}\nnic: {<<: *l}\n",
	"anchor.yaml":    "x: &x 3\nstarloom: 1\nseed: *x\nfabric: {crossbar: {ports: 4}}\n",
	"semicolons.csv": "source;destination;size;created\n0;1;1;0\n",
	"bad.csv":        "source,destination,size,created\n0,x,1,0\n0,1,y,0\n0,1,1\n0,9,1,0\n",
	"far.csv":        "source,destination,size,created\n0,9,1,0\n8,1,1,0\n",
	"plot.csv":       "a;b\n1;2\n",
	"binary.yaml":    "\x7fELF\x02\x01\x01\x00",
	"short.csv":      "a,b\n1\n2,3\n4,5,6\n",
}

// TestMessages checks that common mistakes are named, with the correction.
func TestMessages(t *testing.T) {
	dir := folder(t, messageFiles)
	pattern := func(word string) []string {
		return []string{"run", "good.yaml", "--set", "workload.traffic.pattern=" + word}
	}
	file := func(name string) []string {
		return []string{"run", "good.yaml", "--set", "workload={traffic: {file: " + name + "}}"}
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"run", "binary.yaml"}, "binary.yaml: a binary file, not a text; give the path of a YAML file\n"},
		{[]string{"run", "tab.yaml"}, "tab.yaml:3:1: not YAML: a tab in the indentation; indent with spaces\n"},
		{[]string{"run", "space.yaml"}, "space.yaml:1:1: not YAML: a colon without a space after it; write `starloom: 1`\n"},
		{[]string{"run", "second.yaml"}, "second.yaml:2:1: not YAML: a colon without a space after it; write `seed: 7`\n"},
		{[]string{"run", "alone.yaml"}, "alone.yaml:1:1: a colon without a space after it; write `starloom: 1`\n"},
		{[]string{"run", "flow.yaml"}, "flow.yaml:2:21: \"ports:4\" in fabric.crossbar is a colon without a space after it; write `ports: 4`\n"},
		{[]string{"run", "octal.yaml"}, "octal.yaml:2:7: seed is 08, which YAML readers interpret differently; write it in plain decimal digits: 8\n"},
		{[]string{"run", "merge.yaml"}, "merge.yaml:4:7: << in nic is a merge key of YAML, which is not supported; write the keys themselves"},
		{[]string{"run", "anchor.yaml"}, `anchor.yaml:1:1: unknown key "x" in the scenario; an anchor needs no key of its own: write &x before the value where it stands first`},
		{[]string{"run", "map.yml"}, "map.yml: this is a pin map, not a scenario; run it: starloom cosim check map.yml\n"},
		{[]string{"sweep", "map.yml", "--out", "out"}, "map.yml: this is a pin map, not a sweep; run it: starloom cosim check map.yml\n"},
		{[]string{"run", "sweep.yaml"}, "sweep.yaml: this is a sweep, not a scenario; run it: starloom sweep sweep.yaml --out DIR\n"},
		{[]string{"cosim", "check", "sweep.yaml"}, "sweep.yaml: this is a sweep, not a pin map; run it: starloom sweep sweep.yaml --out DIR\n"},
		{[]string{"sweep", "good.yaml", "--out", "out"}, "good.yaml: this is a scenario, not a sweep; run it: starloom run good.yaml\n"},
		{[]string{"cosim", "prove", "map.yml", "--time", "60"}, "--time: \"60\" cannot be used; write 60s, or another unit: ms, m, h\n"},
		{[]string{"cosim", "prove", "map.yml", "--time", "soon"}, "--time: \"soon\" cannot be used; write a number with its unit: 90s, 5m\n"},
		{pattern("bitcomp"), "bitcomp of BookSim is called bit_complement here: write pattern: bit_complement\n"},
		{pattern("bitrev"), "bitrev of BookSim is called bit_reverse here: write pattern: bit_reverse\n"},
		{pattern("randperm"), "randperm of BookSim is called permutation here: write pattern: permutation\n"},
		{pattern("neighbor"), "neighbor of BookSim is called neighbour here: write pattern: neighbour\n"},
		{pattern("diagonal"), "diagonal of BookSim is not supported: write its packets into a file, and use arrivals: file\n"},
		{pattern("tornadoes"), `did you mean "tornado"?`},
		{[]string{"run", "mesh.yaml"}, "mesh.yaml:2:59: fabric.netlist.routes is the text \"long\"; write shortest or dor or dim_order or dateline or minimal or anynet or dest_tag or nca\n"},
		{[]string{"run", "none.yaml"}, "routes: none is only for networks without routers: packets need routes through routers; delete it, or write routes: shortest\n"},
		{file("semicolons.csv"), "semicolons.csv:1:1: the columns are separated by semicolons (;); separate them with commas\n"},
		{[]string{"plot", "plot.csv", "--x", "a", "--y", "b", "-o", "p.svg"}, "plot.csv:1:1: the columns are separated by semicolons (;); separate them with commas\n"},
		{file("bad.csv"), "bad.csv:2:1: destination is \"x\"; allowed: 0 to 2147483647\nbad.csv:3:1: size is \"y\"; allowed: 1 to 255\n" +
			"bad.csv:4:1: the row has 3 fields, but the header row has 4; write one row for each packet, with as many fields " +
			"as the " +
			"header row\n"},
		{file("far.csv"), "far.csv:2:1: a packet goes from 0 to 9; processors are 0 to 3\nfar.csv:3:1: a packet goes from 8 to 1; processors are 0 to 3\n"},
		{[]string{"plot", "short.csv", "--x", "a", "--y", "b", "-o", "p.svg"}, "short.csv:2:1: the row has 1 fields, but the header row has 2; give a CSV file with a header, " +
			"such as results.csv of a sweep\nshort.csv:4:1: the row has 3 fields, but the header row has 2"},
	} {
		r := starloomIn(t, dir, c.args...)
		require.Equal(t, statusInput, r.status, "%v: %s", c.args, r.stderr)
		require.Contains(t, r.stderr, c.says, "%v", c.args)
	}
	for pattern, noted := range map[string]bool{"tornado": true, "neighbour": true, "uniform": false} {
		for network, dimensions := range map[string]int{"mesh: {k: [2, 2]}": 2, "torus: {k: [5]}": 1, "ring: {n: 5}": 1} {
			r := starloomIn(t, dir, "run", "good.yaml", "--set", "firmware=null", "--set", "fabric={netlist: {"+network+", router: {}}}",
				"--set", "workload.traffic.pattern="+pattern)
			require.Equal(t, statusPass, r.status, r.stderr)
			require.Equal(t, noted && dimensions == 2, strings.Contains(r.stdout, "pattern: "+pattern+" applies to the numbers of processors, but BookSim's pattern "+
				"applies to each dimension; for BookSim's destinations, add the sides"), "%s on %s: %s", pattern, network, r.stdout)
		}
	}
	r := starloomIn(t, dir, "run", "good.yaml", "--set", "firmware=null", "--set", "fabric={netlist: {mesh: {k: [2, 2]}, router: {}}}",
		"--set", "workload.traffic.pattern=tornado", "--set", "workload.traffic.dimensions=[2, 2]")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.NotContains(t, r.stdout, "BookSim")
	r = starloomIn(t, dir, "sweep", "unset.yaml", "--out", "unset")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "2 points, 2 runs; 0 failed")
}

// TestStandardInputEverywhere checks that every command that reads a file accepts - for standard input, whose paths
// are relative to the working folder.
func TestStandardInputEverywhere(t *testing.T) {
	dir := folder(t, messageFiles)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "net.yaml"), []byte("nodes: {a: processor, b: processor}\nlinks: [[a, b]]\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "table.csv"), []byte("a,b\n1,2\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "w.vcd"),
		[]byte("$timescale 1 ns $end\n$var wire 1 ! q $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n"), 0o666))
	image, err := os.ReadFile("../../firmware/images/pops/random.wasm")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "random.wasm"), image, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pops.yaml"),
		[]byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/two-hops}\n"), 0o666))
	for _, c := range []struct {
		from string
		args []string
		want int
		says string
	}{
		{"good.yaml", []string{"run", "-"}, statusPass, "PASS"},
		{"good.yaml", []string{"estimate", "-"}, statusPass, ""},
		{"good.yaml", []string{"scenario", "show", "-"}, statusPass, "standard input:2:"},
		{"sweep.yaml", []string{"sweep", "-", "--out", "out"}, statusPass, "2 points, 2 runs; 0 failed"},
		{"table.csv", []string{"plot", "-", "--x", "a", "--y", "b", "-o", "-"}, statusPass, "<svg"},
		{"net.yaml", []string{"netlist", "show", "-"}, statusPass, "2 processors"},
		{"net.yaml", []string{"netlist", "header", "-"}, statusPass, "STARLOOM_NET_H"},
		{"w.vcd", []string{"trace", "info", "-"}, statusPass, "q"},
		{"map.yml", []string{"cosim", "check", "-"}, statusInput, "no.sv"},
		{"map.yml", []string{"cosim", "prove", "-"}, statusInput, "no.sv"},
		{"good.yaml", []string{"cosim", "check", "-"}, statusInput, "standard input:1:1: the scenario has no RTL to check"},
		{"random.wasm", []string{"run", "pops.yaml", "--firmware", "-"}, statusPass, "firmware                   -, sha256 "},
		{"random.wasm", []string{"firmware", "check", "-", "pops.yaml", "--fuzz", "0"}, statusPass, "PASS  check of - in pops"},
		{"random.wasm", []string{"firmware", "inspect", "-"}, statusPass, "image              -\nsize "},
		{"pops.yaml", []string{"run", "-", "--firmware", "-"}, statusInput, "it has no bytes left for the image"},
		{"map.yml", []string{"run", "-"}, statusInput, "standard input: this is a pin map, not a scenario; run it: starloom cosim check -\n"},
	} {
		in, err := os.Open(filepath.Join(dir, c.from))
		require.NoError(t, err)
		r := starloomWith(t, dir, func(command *exec.Cmd) { command.Stdin = in }, c.args...)
		require.NoError(t, in.Close())
		require.Equal(t, c.want, r.status, "%v: %s", c.args, r.stderr)
		require.Contains(t, r.stdout+r.stderr, c.says, "%v", c.args)
	}
}

// TestNoHome checks that RTL is built in a temporary folder without a home directory, which is reported once.
func TestNoHome(t *testing.T) {
	dir, temporary := folder(t, messageFiles), t.TempDir()
	r := starloomWith(t, dir, func(command *exec.Cmd) {
		command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
			return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_CACHE_HOME=") || strings.HasPrefix(v, "TMPDIR=")
		}), "TMPDIR="+temporary)
	}, "cosim", "check", "map.yml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "HOME is not set: compiled RTL is kept in "+temporary+"/starloom-")
	require.Equal(t, 1, strings.Count(r.stderr, "HOME is not set"))
	require.Contains(t, r.stderr, "no.sv", "and the check goes on")
	require.NotContains(t, starloomIn(t, dir, "cosim", "check", "map.yml").stderr, "HOME")
}
