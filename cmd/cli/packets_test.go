package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const packetsScenario = `starloom: 1
fabric: {crossbar: {ports: 3}}
firmware: {program: crossbar/traffic}
workload: {traffic: {file: offered.csv}}
`

// Slots have 7 cycles. Both packets of cycle 0 are for output 2, which serves input 0 first. The packet of cycle 3 is
// offered in slot 1 and has two frames.
const (
	packetsOffered = "src,dest,size,ctime\n0,2,1,0\n1,2,1,0\n0,1,2,3\n2,2,1,14\n"
	packetsCarried = "id,source,destination,size,created,sent,received,hops,measured\n" +
		"0,0,2,1,0,1,5,1,1\n1,1,2,1,0,8,12,1,1\n2,0,1,2,3,8,19,1,1\n3,2,2,1,14,15,19,1,1\n"
)

// TestPackets compares four packets on both engines with results computed by hand, and reads the output again.
func TestPackets(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": packetsScenario, "offered.csv": packetsOffered,
		"again.yaml": strings.Replace(packetsScenario, "offered.csv", "carried.csv", 1)})
	for _, engine := range []string{"slot", "cycle"} {
		r := starloomIn(t, dir, "run", "s.yaml", "--engine", engine, "--packets", "carried.csv")
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, "packets  carried.csv\n")
		for _, line := range []string{"latency.mean          9.5\n", "latency.max           16\n", "latency_slots.mean    1.5\n", "network_latency.max   11\n", "source_queue.max      1\n", "accepted              0.444444  packets per processor and slot\n"} {
			require.Contains(t, r.stdout, line)
		}
		text, err := os.ReadFile(filepath.Join(dir, "carried.csv"))
		require.NoError(t, err)
		require.Equal(t, packetsCarried, string(text))
	}
	r := starloomIn(t, dir, "run", "again.yaml", "--packets", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Equal(t, packetsCarried, r.stdout)

	before := list(t, dir)
	for args, says := range map[string]string{
		"s.yaml --packets p.csv --seeds 1..3":                  "--packets: a file of packets shows one run, and --seeds asks for many",
		"s.yaml --packets offered.csv":                         "--packets: offered.csv is an input of the run",
		"s.yaml --set workload.traffic.file=no.csv":            "no.csv: cannot be read: no such file or directory; give a CSV file with columns source,",
		"s.yaml --set workload.traffic.rate=0.5":               "rate is given, but arrivals: file reads it from the file",
		"s.yaml --set fabric.crossbar.ports=2 --packets p.csv": "offered.csv:2:1: a packet goes from 0 to 2; processors are 0 to 1",
	} {
		r := starloomIn(t, dir, append([]string{"run"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, r.status, args)
		require.Contains(t, r.stderr, says, args)
		require.Equal(t, before, list(t, dir), args)
	}
}
