package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const gossipScenario = `starloom: 1
fabric: {crossbar: {ports: 10}}
firmware: {program: gossip/fsa}
workload: {gossip: {orders: %}}
`

func gossipOf(orders string) string { return strings.ReplaceAll(gossipScenario, "%", orders) }

// publishedTable returns Table 4 of the paper, pipelined gossip of 10 processors, without header, ids and used slots.
func publishedTable(t *testing.T) string {
	file, err := os.Open("../../fabric/crossbar/gossip/testdata/gossip_table_4.csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	var text strings.Builder
	for _, record := range records[1:11] {
		text.WriteString(strings.Join(record[1:], ",") + "\n")
	}
	return text.String()
}

func TestRunTable(t *testing.T) {
	published := publishedTable(t)
	dir := folder(t, map[string]string{"s.yaml": gossipOf("pipelined"), "short.yaml": gossipOf("pipelined") + "stop: {slots: 26}\n"})
	for _, engine := range []string{"slot", "cycle"} {
		r := starloomIn(t, dir, "run", "s.yaml", "--engine", engine, "--run-table", "t.csv")
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, "run-table  t.csv\n")
		text, err := os.ReadFile(filepath.Join(dir, "t.csv"))
		require.NoError(t, err)
		require.Equal(t, published, string(text))
	}

	r := starloomIn(t, dir, "run", "s.yaml", "--run-table", "-")
	require.Equal(t, statusPass, r.status)
	require.Equal(t, published, r.stdout, "the report is on standard error")
	require.Contains(t, r.stderr, "lambda")

	// A run that is cut off also has a table, of its completed steps.
	r = starloomIn(t, dir, "run", "short.yaml", "--run-table", "-")
	require.Equal(t, statusFail, r.status)
	cut := ""
	for line := range strings.Lines(published) {
		cut += line[:strings.LastIndexByte(line, ',')] + "\n"
	}
	require.Equal(t, cut, r.stdout)

	r = starloomIn(t, dir, "run", "s.yaml", "--run-table", "t.svg")
	require.Equal(t, statusPass, r.status, r.stderr)
	picture, err := os.ReadFile(filepath.Join(dir, "t.svg"))
	require.NoError(t, err)
	inReadme, err := os.ReadFile("../../examples/gossip.svg")
	require.NoError(t, err)
	require.Equal(t, string(inReadme), string(picture), "starloom run examples/gossip.yaml --run-table examples/gossip.svg writes it")
	decoder, elements := xml.NewDecoder(bytes.NewReader(picture)), map[string]int{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
	require.Equal(t, 1, elements["svg"])
	require.GreaterOrEqual(t, elements["rect"], 2*90, "sent and received")
}

const broadcastScenario = `starloom: 1
fabric: {ej: {a: 1, b: 2, dimensions: %}}
firmware: {program: ej/improved}
workload: {one_to_all: {source: 3}}
`

// TestRunTableOfABroadcast compares seven nodes on both engines, and the plane, with results computed by hand.
func TestRunTableOfABroadcast(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.ReplaceAll(broadcastScenario, "%", "1"), "large.yaml": strings.ReplaceAll(broadcastScenario, "%", "8")})
	for _, engine := range []string{"slot", "cycle"} {
		r := starloomIn(t, dir, "run", "s.yaml", "--engine", engine, "--run-table", "-")
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Equal(t, "R3\nR3\nR3\nS4 S6 S5 S2 S0 S1\nR3\nR3\nR3\n", r.stdout)
	}
	r := starloomIn(t, dir, "run", "s.yaml", "--run-table", "t.svg")
	require.Equal(t, statusPass, r.status, r.stderr)
	picture, err := os.ReadFile(filepath.Join(dir, "t.svg"))
	require.NoError(t, err)
	require.Contains(t, string(picture), "EJ_{1+2rho}: the broadcast of node 3, diameter 1")
	require.Equal(t, 2*7, strings.Count(string(picture), "<circle"), "discs and rings of nodes")

	r = starloomIn(t, ".", "run", "../../examples/ej-broadcast.yaml", "--run-table", filepath.Join(dir, "plane.svg"))
	require.Equal(t, statusPass, r.status, r.stderr)
	plane, err := os.ReadFile(filepath.Join(dir, "plane.svg"))
	require.NoError(t, err)
	kept, err := os.ReadFile("../../examples/ej-broadcast.svg")
	require.NoError(t, err)
	require.Equal(t, string(kept), string(plane), "starloom run examples/ej-broadcast.yaml --run-table examples/ej-broadcast.svg writes it")

	r = starloomIn(t, dir, "run", "large.yaml", "--run-table", "t.csv")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--run-table: the network has 5764801 nodes; a run-table shows at most 2097152")
}

func TestRunTableRefused(t *testing.T) {
	orders := ""
	for line := range strings.Lines(publishedTable(t)) {
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), ",") {
			if strings.HasPrefix(cell, "S") {
				orders += cell[1:] + ","
			}
		}
		orders = strings.TrimSuffix(orders, ",") + "\n"
	}
	dir := folder(t, map[string]string{
		"s.yaml": gossipOf("pipelined"), "file.yaml": gossipOf("orders.csv"), "orders.csv": orders,
		"ring.yaml": "starloom: 1\nfabric: {netlist: {ring: {n: 4}}}\nfirmware: {program: netlist/traffic}\nworkload: {traffic: {rate: 0.1}}\n",
		"pops.yaml": smallScenario, "all.yaml": smallScenario[:strings.Index(smallScenario, "4")] + "1, group_size: 4}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: all}\n",
	})
	before := list(t, dir)
	for args, says := range map[string]string{
		"s.yaml --run-table t.txt":                  "--run-table: t.txt ends in neither .csv nor .svg; give a path that ends in ",
		"s.yaml --run-table t.csv --seeds 1..3":     "--run-table: a run-table shows one run, and --seeds asks for many; run one of them alone with --seed N",
		"s.yaml --run-table t.svg --seeds 1..3":     "--run-table: a run-table shows one run",
		"s.yaml --run-table no/t.csv":               "--run-table: ",
		"s.yaml --run-table t.csv --csv t.csv":      "two outputs have this path",
		"pops.yaml --run-table t.csv":               "--run-table: pops with the workload permutation has no run-table; run a scenario with workload: {gossip: ",
		"all.yaml --run-table t.csv":                "--run-table: a run-table shows one run, and permutation: all makes many",
		"ring.yaml --run-table t.csv":               "has no run-table; write firmware: {program: netlist/gossip} and workload: {gossip: {}}",
		"file.yaml --run-table orders.csv":          "--run-table: orders.csv is an input of the run",
		"pops.yaml --run-table t.svg --engine slot": "has no run-table",
	} {
		r := starloomIn(t, dir, append([]string{"run"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, r.status, args)
		require.Contains(t, r.stderr, says, args)
		require.Equal(t, before, list(t, dir), args)
	}
	text, err := os.ReadFile(filepath.Join(dir, "orders.csv"))
	require.NoError(t, err)
	require.Equal(t, orders, string(text))
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "file.yaml").status)
}
