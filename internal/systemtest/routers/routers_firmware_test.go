package routers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"
)

// frameRows are the rows that a run writes for --packets, by columns, in the order of id.
func frameRows(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) (*starloom.Report, [][]string) {
	t.Helper()
	var log bytes.Buffer
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o, Packets: starloom.Writer(&log)})
	require.NoError(t, err)
	var rows [][]string
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n")[1:] {
		rows = append(rows, strings.Split(line, ","))
	}
	require.True(t, slices.IsSortedFunc(rows, func(a, b []string) int { return slices.Compare(arrival(a), arrival(b)) }), "by arrival, then source")
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(fmt.Sprintf("%9s", a[0]), fmt.Sprintf("%9s", b[0])) })
	return report, rows
}

// arrival is when the packet of a row has come, and from where; after all others if it has not.
func arrival(row []string) []uint64 {
	cycle, err := strconv.ParseUint(row[6], 10, 64)
	if err != nil {
		return []uint64{fabric.NotYet}
	}
	source, _ := strconv.ParseUint(row[1], 10, 32)
	return []uint64{cycle, source}
}

const burstMesh = "mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4}, streaming: {tick: %d, eject: %s, flit_bits: %d}"

// TestFirmwareTicks: of frames that are queued at the start it does not matter how often handlers run, nor how many
// workers there are, and hardware without firmware gives every one the same cycles.
func TestFirmwareTicks(t *testing.T) {
	image := systemtest.Image(t, "burst")
	flits := func(report *starloom.Report, figure string) float64 {
		return report.Metrics.Get(figure).(float64) * float64(report.Cycles)
	}
	for _, bits := range []int{64, 512} {
		var first [][]string
		var most float64 // flits of the most loaded channel
		for _, tick := range []int{1, 7, 64} {
			s := systemtest.RoutedScenario(t, fmt.Sprintf(burstMesh, tick, "sink", bits),
				"nic: {payload_bytes: 40, tx_frames: 255, rx_frames: 255}\nrules: {}\nstop: {slots: 100000}\nfirmware: {image: "+image+"}")
			report, rows := frameRows(t, s, starloom.MachineOptions{Workers: 1 + tick%2})
			require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
			require.Len(t, rows, 16*200)
			require.EqualValues(t, 16*200, report.Frames.Delivered)
			require.EqualValues(t, 16*200, report.Frames.Sent)
			if first == nil {
				first, most = rows, flits(report, "load.max")
			}
			require.Equal(t, first, rows, tick)
			require.InDelta(t, most, flits(report, "load.max"), 1e-6)
			crossed := 0 // one channel fewer than routers
			for _, row := range rows {
				size, _ := strconv.Atoi(row[3])
				hops, _ := strconv.Atoi(row[7])
				crossed += size * (hops - 1)
			}
			require.InDelta(t, crossed, 48*flits(report, "load.mean"), 1e-6)
		}
		var file strings.Builder
		file.WriteString("source,destination,size,created\n")
		for _, row := range first {
			require.Equal(t, "0", row[4])
			file.WriteString(strings.Join(row[1:5], ",") + "\n")
		}
		bare := routerBare(t, "mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4}", file.String())
		report, rows := frameRows(t, bare, starloom.MachineOptions{})
		require.Equal(t, first, rows)
		require.InDelta(t, most, flits(report, "load.max"), 1e-6)
	}
}

// TestFirmwareHeat: the picture of a run with firmware over time is that of the same packets without, which take the
// same cycles.
func TestFirmwareHeat(t *testing.T) {
	const mesh = "mesh: {k: [3, 3]}, router: {}"
	var heat, bare bytes.Buffer
	s := systemtest.RoutedScenario(t, mesh+", streaming: {tick: 1}", "name: same\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{SVG: starloom.Pictures{Heat: starloom.Writer(&heat)}})
	require.NoError(t, err)
	_, rows := frameRows(t, s, starloom.MachineOptions{})
	file := "source,destination,size,created\n"
	for _, row := range rows {
		file += strings.Join(row[1:5], ",") + "\n"
	}
	without := routerBare(t, mesh, file+fmt.Sprintf("0,0,1,%d\n", report.Cycles-1)) // it crosses no channel, and lets the run last as long
	without.Name, without.Stop = "same", starloom.Stop{Slots: uint32(report.Cycles)}
	_, err = starloom.Run(t.Context(), without, starloom.RunOptions{SVG: starloom.Pictures{Heat: starloom.Writer(&bare)}})
	require.NoError(t, err)
	require.Contains(t, heat.String(), "flits per cycle and channel")
	require.Equal(t, bare.String(), heat.String())
}

// TestFirmwareEjects: a sink that waits for places in the RX FIFO is cycle for cycle one that takes everything if there
// are always some; if there are not, nothing is lost, but frames come later.
func TestFirmwareEjects(t *testing.T) {
	image := systemtest.Image(t, "burst")
	run := func(eject string, rx int) (*starloom.Report, [][]string) {
		s := systemtest.RoutedScenario(t, fmt.Sprintf(burstMesh, 16, eject, 64),
			fmt.Sprintf("nic: {payload_bytes: 40, tx_frames: 255, rx_frames: %d}\nrules: {}\nstop: {slots: 100000}\nfirmware: {image: %s}", rx, image))
		return frameRows(t, s, starloom.MachineOptions{})
	}
	_, sink := run("sink", 16)
	_, fifo := run("fifo", 16)
	require.Equal(t, sink, fifo)
	report, few := run("fifo", 2)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.EqualValues(t, 16*200, report.Frames.Delivered)
	require.Zero(t, report.Frames.Overflow)
	require.NotEqual(t, sink, few)
	lossy, _ := run("sink", 2)
	require.NotZero(t, lossy.Frames.Overflow)
	require.EqualValues(t, 16*200, lossy.Frames.Delivered+lossy.Frames.Overflow)
}

// TestFirmwarePrograms: the programs for processors at routers, on all kinds of networks, carry what they are for.
func TestFirmwarePrograms(t *testing.T) {
	for _, netlist := range []string{"mesh: {k: [4, 4]}, router: {}", "torus: {k: [3, 3]}, router: {vcs: 4}",
		"dragonfly: {p: 2, a: 2, h: 1}, router: {}", "fly: {k: [9]}, router: {}, streaming: {tick: 5}"} {
		for program, workload := range map[string]string{
			"direct": "{permutation: random}", "unicast": "{one_to_all: {source: 3}}", "exchange": "{all_to_all: {}}", "gossip": "{gossip: {}}",
			"traffic": "{traffic: {rate: 0.2, warm_up: 10, measure: 200, drain: 1000}}",
		} {
			for _, mode := range []string{"banked", "isolated"} {
				s := systemtest.RoutedScenario(t, netlist, "workload: "+workload+"\nfirmware: {program: netlist/"+program+", mode: "+mode+"}")
				report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
				require.NoError(t, err)
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%s %s %v", netlist, program, report.Violations)
				require.NotZero(t, report.Frames.Delivered)
			}
		}
	}
}

// routerBare are routers with the packets of a file, and no firmware.
func routerBare(t testing.TB, netlist, packets string) *starloom.Scenario {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "packets.csv"), []byte(packets), 0o644))
	s, err := starloom.ParseScenario(filepath.Join(dir, "bare.yaml"),
		[]byte("starloom: 1\nfabric: {netlist: {"+netlist+"}}\nworkload: {traffic: {file: packets.csv}}\n"))
	require.NoError(t, err)
	return s
}

// TestFirmwareRouterNotes checks that reports of runs with firmware also state that the routes are free of deadlocks,
// or are not.
func TestFirmwareRouterNotes(t *testing.T) {
	report, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {}", firmwareLoad), starloom.RunOptions{})
	require.NoError(t, err)
	require.Contains(t, report.Notes[0], "routes: deadlock-free (Dally and Seitz): no cycle among ")
}

// TestTrafficToItself: a processor at a router may send packets to itself, by the router, and those after them come as
// well, also where a source waits for acknowledgements.
func TestTrafficToItself(t *testing.T) {
	for _, closed := range []int{0, 2} {
		s := systemtest.RoutedScenario(t, "mesh: {k: [2, 2]}, router: {}, streaming: {tick: 16}",
			fmt.Sprintf("workload: {traffic: {rate: 0.2, warm_up: 10, measure: 100, drain: 100, closed: %d}}\nfirmware: {program: netlist/traffic}\n", closed))
		var packets bytes.Buffer
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.Writer(&packets)})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		require.EqualValues(t, 0, report.Metrics.Get("pending"), closed)
		require.Regexp(t, `(?m)^\d+,0,0,`, packets.String())
	}
}

// TestTrafficOvertaken: where frames of one packet overtake each other, in several virtual channels, each packet
// arrives once all the same, also in runs that are saved on the way.
func TestTrafficOvertaken(t *testing.T) {
	s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {}, streaming: {tick: 16}",
		"workload: {traffic: {rate: 0.4, size: 3, warm_up: 5, measure: 40, drain: 200}}\nfirmware: {program: netlist/traffic}\n")
	report := savedAtEveryTick(t, s)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.EqualValues(t, 0, report.Metrics.Get("pending"))
}
