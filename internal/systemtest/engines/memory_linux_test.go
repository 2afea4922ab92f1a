package engines

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"starloom"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// memoryEnvironment asks the child process of TestLongMemoryEstimates for a run: of this engine or runtime
// and the scenario in this file.
const memoryEnvironment = "STARLOOM_TEST_MEMORY"

// memoryFactor is how far an estimate may be above the peak.
const memoryFactor = 1.25

// memoryBelow is how far a peak may be above its estimate: when memory is collected differs from run to run.
const memoryBelow = 1.05

const (
	memorySmallest = "\nnic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}"
	memoryDeep     = "\nnic: {payload_bytes: 64, rx_frames: 16, tx_frames: 16}"
	memoryMetering = "cpu: {model: rv32-inorder, budget_cycles: 600}"
	memoryOneToAll = "\nworkload: {one_to_all: {source: 0}}"
	memoryAllToAll = "\nworkload: {all_to_all: {}}"
	memoryGossip   = "\nworkload: {gossip: {orders: %s}}\nstop: {slots: 30}"
)

// memoryRuns take 50 to 500 MiB. They are made when they are wanted: the child processes must not have them.
func memoryRuns() []string {
	return []string{
		memoryPOPS("slot", 512, 512, "program: pops/random", ""),
		memoryPOPS("slot", 512, 512, "program: pops/random", memorySmallest),
		memoryPOPS("slot", 512, 512, "program: pops/random", memoryDeep),
		memoryPOPS("slot", 1024, 1024, "program: pops/random", ""),
		memoryPOPS("slot", 512, 512, "program: pops/offline", ""),
		memoryPOPS("slot", 512, 512, "program: pops/one-to-all", memoryOneToAll),
		memoryPOPS("slot", 512, 512, "program: pops/random, "+memoryMetering, ""),
		memoryPOPS("slot", 64, 64, "program: pops/random, mode: isolated", ""),
		memoryPOPS("cycle", 512, 512, "program: pops/random", ""),
		memoryCrossbar("slot", 2048, "program: gossip/fsa", "pipelined"),
		memoryCrossbar("slot", 4000, "program: gossip/fsa", "pipelined"),
		memoryCrossbar("slot", 4000, "program: gossip/fsa", "shared-random"),
		memoryCrossbar("slot", 1000, "program: gossip/fsa, mode: isolated", "pipelined"),
		memoryCrossbar("cycle", 3000, "program: gossip/fsa", "pipelined"),
		memoryBus("slot", 20000, "two-phase"),
		memoryBus("slot", 20000, "naive"),
		memoryBus("cycle", 10000, "improved"),
		memoryEJ("slot", 3, 4, 4, "improved", memoryOneToAll),
		memoryEJ("slot", 3, 4, 4, "previous", memoryOneToAll),
		memoryEJ("slot", 2, 3, 4, "improved", memoryOneToAll),
		memoryEJ("slot", 1, 2, 8, "improved", memoryOneToAll),
		memoryEJ("slot", 1, 2, 4, "all-to-all-c2", memoryAllToAll),
		memoryEJ("cycle", 3, 4, 3, "improved", memoryOneToAll),
		memoryEJ("slot", 2, 3, 3, "all-to-all-c2", memoryAllToAll), // frames of 4,576 bytes
		memoryRun("cycle", "crossbar: {ports: 600}", "program: gossip/fsa", "\nworkload: {gossip: {}}\nnic: {payload_bytes: 65504}"),
		memoryPOPS("native", 512, 512, "program: pops/random", ""),
		memoryEJ("slot", 1, 2, 4, "improved, mode: isolated", memoryOneToAll),
		memoryBus("slot", 3000, "improved, mode: isolated"),
		memorySensors("slot", 60000, 100000, 2, "fixed"),
		memorySensors("cycle", 20000, 100000, 4, "matrix"),
		memorySensors("slot", 60000, 1, 60000, "round_robin"),
		memoryPOPS("slot", 512, 512, "program: pops/random", memoryFaults("drop, rate: 0.001")),
		memoryPOPS("slot", 512, 512, "program: pops/random", "\nstop: {slots: 60}"+memoryPlan(50, "pops.group[%d].nic[*]")),
		memoryPOPS("cycle", 512, 512, "program: pops/random", memoryFaults("bit_flip, rate: 0.001")),
		memoryCrossbar("slot", 2000, "program: gossip/fsa", "pipelined") + memoryPlan(250, "*.nic[%d]"),
		memoryEJ("slot", 1, 2, 7, "improved", memoryOneToAll+memoryFaults("restart, rate: 0.001")),
		memoryBus("cycle", 10000, "improved") + memoryFaults("clock_pause, rate: 0.0001"),
		memoryTraffic("slot", "crossbar: {ports: 60000}", "rate: 0.5"),
		memoryTraffic("slot", "crossbar: {ports: 60000, output: queue, queue_frames: 12}", "rate: 1, size: 3"),
		memoryTraffic("cycle", "crossbar: {ports: 3000}", "rate: 0.1"),
		memoryTraffic("slot", "bus: {vertices: 3, buses: [[0, 1, 2]], arbiter: fixed}", "rate: 0.2"),
		memoryTraffic("slot", "pops: {groups: 64, group_size: 2048}", "rate: 0.01"), // a listening table of 64 slots
		memoryTraffic("cycle", "pops: {groups: 32, group_size: 1024}", "rate: 0.01"),
		memoryTraffic("slot", "ej: {a: 6, b: 7, dimensions: 2}", "rate: 0.5"),
		memoryTraffic("cycle", "ej: {a: 5, b: 6, dimensions: 2}", "rate: 0.1"),
		memoryBare("mesh: {k: [64, 64]}, router: {vcs: 8, depth: 32}", "rate: 0.02, measure: 100"),
		memoryBare("torus: {k: [41, 41]}, router: {vcs: 2, depth: 4}", "rate: 0.01, measure: 10000"),
		memoryBare("mesh: {k: [8, 8]}, router: {vcs: 4, depth: 8}", "rate: 0.2, measure: 50000"),
	}
}

// memoryRunsFull take longer, and up to 9 GiB.
func memoryRunsFull() []string {
	return []string{
		memoryPOPS("slot", 1024, 256, "program: pops/random", ""),
		memoryPOPS("slot", 256, 256, "program: pops/sort, "+memoryMetering, ""),
		memoryPOPS("slot", 128, 128, "program: pops/random, mode: isolated", ""),
		memoryPOPS("cycle", 256, 1024, "program: pops/random", ""),
		memoryEJ("cycle", 1, 2, 6, "improved", memoryOneToAll),
		memoryEJ("slot", 6, 7, 2, "all-to-all-c1", memoryAllToAll),
		memoryEJ("slot", 1, 2, 5, "all-to-all-c2", memoryAllToAll), // frames of 12,440 bytes
		memoryPOPS("native", 512, 512, "program: pops/random", "\nnic: {payload_bytes: 8192}"),
		memoryPOPS("slot", 512, 512, "program: pops/random", "\nnic: {payload_bytes: 8192}"),
		memoryEJ("slot", 3, 4, 4, "improved", memoryOneToAll+memoryFaults("drop, rate: 0.001")),
		memoryEJ("cycle", 1, 2, 7, "improved", memoryOneToAll+memoryFaults("restart, rate: 0.001")),
		memoryEJ("slot", 3, 4, 5, "improved", memoryOneToAll),
		memoryEJ("slot", 1, 2, 9, "improved", memoryOneToAll),
		memoryEJ("slot", 1, 2, 10, "improved", memoryOneToAll),
	}
}

func memoryRun(engine, fabric, firmware, more string) string {
	return fmt.Sprintf("%s|starloom: 1\nfabric: {%s}\nfirmware: {%s}%s\n", engine, fabric, firmware, more)
}

func memoryPOPS(engine string, groups, size int, firmware, more string) string {
	return memoryRun(engine, fmt.Sprintf("pops: {groups: %d, group_size: %d}", groups, size), firmware, more)
}

func memoryCrossbar(engine string, ports int, firmware, orders string) string {
	return memoryRun(engine, fmt.Sprintf("crossbar: {ports: %d}", ports), firmware, fmt.Sprintf(memoryGossip, orders))
}

func memoryTraffic(engine, network, workload string) string {
	program, _, _ := strings.Cut(network, ":")
	return memoryRun(engine, network, "program: "+program+"/traffic", "\nworkload: {traffic: {warm_up: 0, measure: 50, drain: 0, "+workload+"}}")
}

func memoryBare(netlist, workload string) string {
	return fmt.Sprintf("bare|starloom: 1\nfabric: {netlist: {%s}}\nworkload: {traffic: {warm_up: 0, %s}}\n", netlist, workload)
}

func memoryBus(engine string, vertices int, program string) string {
	return memoryRun(engine, fmt.Sprintf("bus: {vertices: %d, length: 4}", vertices), "program: bus/"+program, "")
}

func memoryEJ(engine string, a, b, dimensions int, program, workload string) string {
	return memoryRun(engine, fmt.Sprintf("ej: {a: %d, b: %d, dimensions: %d}", a, b, dimensions), "program: ej/"+program, workload)
}

// memorySensors share so many buses of so many vertices each.
func memorySensors(engine string, vertices, buses, each int, arbiter string) string {
	lists := make([]string, buses)
	for i := range lists {
		members := make([]string, each)
		for k := range members {
			members[k] = fmt.Sprint((i + k*(1+i/vertices)) % vertices)
		}
		lists[i] = "[" + strings.Join(members, ", ") + "]"
	}
	return memoryRun(engine, fmt.Sprintf("bus: {vertices: %d, arbiter: %s, buses: [%s]}", vertices, arbiter, strings.Join(lists, ", ")),
		"program: bus/sensors, params: {period: 1000, readings: 3}", "\nstop: {slots: 200}")
}

func memoryFaults(random string) string { return "\nfaults: {random: {kind: " + random + "}}\n" }

// memoryPlan are so many faults, each of other targets.
func memoryPlan(faults int, targets string) string {
	text := "\nfaults:\n  schedule:\n"
	for i := range faults {
		text += fmt.Sprintf("    - {kind: clock_pause, targets: [%q], slots: {list: [%d, %d, %d]}}\n", fmt.Sprintf(targets, i), i%7, 7+i%5, 12+i%3)
	}
	return text
}

// TestLongMemoryEstimates compares what a run is said to take with the most that a process took for it.
func TestLongMemoryEstimates(t *testing.T) {
	if run := os.Getenv(memoryEnvironment); run != "" {
		runForMemory(t, run)
		return
	}
	runs := memoryRuns()
	switch {
	case *systemtest.Full:
		runs = slices.Concat(runs, memoryRunsFull())
	case testing.Short():
		runs = runs[:2]
	}
	for i, run := range runs {
		if !*systemtest.Full && i%4 != 0 {
			continue // with -full all of them
		}
		name := strings.Join(strings.Fields(run), " ")
		t.Run(name[:min(len(name), 200)], func(t *testing.T) {
			engine, scenario, _ := strings.Cut(run, "|")
			file := filepath.Join(t.TempDir(), "s.yaml")
			require.NoError(t, os.WriteFile(file, []byte(scenario), 0o644))
			estimate, peak, written := measureMemory(t, engine+"|"+file)
			// a busy machine collects late: the median of three tells
			if estimate/peak >= memoryFactor || written/estimate >= memoryBelow {
				_, second, writtenSecond := measureMemory(t, engine+"|"+file)
				_, third, writtenThird := measureMemory(t, engine+"|"+file)
				peaks, writtens := []float64{peak, second, third}, []float64{written, writtenSecond, writtenThird}
				slices.Sort(peaks)
				slices.Sort(writtens)
				peak, written = peaks[1], writtens[1]
			}
			t.Logf("estimate %.0f MiB, peak %.0f MiB, %.2f; at least %.0f MiB of it written", estimate/(1<<20), peak/(1<<20), estimate/peak, written/(1<<20))
			require.Less(t, estimate/peak, memoryFactor)
			require.Less(t, written/estimate, memoryBelow)
		})
	}
}

// measureMemory makes a run in a process of its own: what it is said to take, and the most that it took.
//
// Estimates count pages that are written. Where a page that is only read takes memory of its own, written is the peak
// without pages of zeros.
func measureMemory(t *testing.T, run string) (estimate, peak, written float64) {
	child := exec.Command(os.Args[0], "-test.run=^TestLongMemoryEstimates$", "-test.v", "-test.timeout=30m")
	child.Env = append(os.Environ(), memoryEnvironment+"="+run, "GOGC=100")
	text, err := child.CombinedOutput()
	require.NoError(t, err, string(text))
	_, line, _ := bytes.Cut(text, []byte("estimate "))
	_, err = fmt.Sscanf(string(line), "%f peak %f zeros %f", &estimate, &peak, &written)
	require.NoError(t, err, string(text))
	return estimate, peak, peak - written
}

// TestMemoryUnbuilt: what a machine is said to take before it is built is what it says itself.
func TestMemoryUnbuilt(t *testing.T) {
	for _, run := range append(memoryRuns()[:9],
		memoryCrossbar("slot", 300, "program: gossip/fsa", "pipelined"),
		memoryBus("cycle", 500, "improved"), memoryBus("slot", 300, "improved, mode: isolated"), memorySensors("slot", 600, 1000, 2, "fixed"),
		memoryEJ("slot", 1, 2, 8, "improved", memoryOneToAll), memoryEJ("slot", 1, 2, 4, "all-to-all-c2",
			memoryAllToAll), memoryEJ("slot", 2, 3, 3, "all-to-all-c2", memoryAllToAll),
		memoryPOPS("native", 64, 64, "program: pops/random", ""),
		memoryPOPS("slot", 64, 64, "program: pops/random, "+memoryMetering, memoryFaults("drop, rate: 0.001")),
	) {
		engine, scenario, _ := strings.Cut(run, "|")
		s, err := starloom.ParseScenario("", []byte(scenario))
		require.NoError(t, err)
		options := starloom.MachineOptions{Engine: engine, Workers: 2}
		if engine == "native" {
			options.Engine, options.Runtime = starloom.EngineSlot, engine
		}
		c, err := inside.Config(s)
		require.NoError(t, err)
		parts, _, err := emulator.Weigh(t.Context(), c, inside.Executed(&options))
		require.NoError(t, err)
		m, err := starloom.NewMachine(t.Context(), s, options)
		require.NoError(t, err)
		require.InEpsilon(t, inside.Machine(m).MemoryBytes(), parts.Sum(), 0.005, run[:min(len(run), 200)])
		require.NoError(t, m.Close())
	}
}

// runForMemory is the child process: it runs a scenario and prints the estimate.
func runForMemory(t *testing.T, run string) {
	if enabled, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); bytes.Contains(enabled, []byte("[always]")) {
		// Every page that is touched would bring 511 others.
		require.NoError(t, unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0))
	}
	engine, file, _ := strings.Cut(run, "|")
	s, err := starloom.LoadScenario(file)
	require.NoError(t, err)
	options := starloom.MachineOptions{Engine: engine, Workers: 2}
	if engine == "native" {
		options.Engine, options.Runtime = starloom.EngineSlot, engine
	}
	if engine == "bare" {
		_, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: 2}})
		require.NoError(t, err)
		c, err := inside.Config(s)
		require.NoError(t, err)
		tellMemory(t, emulator.BareBytes(c, false))
		return
	}
	m, err := starloom.NewMachine(t.Context(), s, options)
	require.NoError(t, err)
	require.NoError(t, m.Run(t.Context(), nil))
	m.Report()
	tellMemory(t, inside.Machine(m).MemoryBytes())
	require.NoError(t, m.Close())
}

// tellMemory prints the estimate and the memory of this process.
func tellMemory(t *testing.T, estimate uint64) {
	peak, zeros := peakBytes(t), uint64(0)
	if readsTakeMemory(t) {
		zeros = zeroBytes(t)
	}
	fmt.Printf("estimate %d peak %d zeros %d\n", estimate, peak, zeros)
}

// readsTakeMemory reports whether this kernel gives memory to pages that are read and never written, as some of virtual
// machines do: elsewhere all of them share one page of zeros.
func readsTakeMemory(t *testing.T) bool {
	const size = 64 << 20
	before := statusBytes(t, "VmRSS:")
	pages, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	sum := byte(0)
	for at := 0; at < size; at += os.Getpagesize() {
		sum |= pages[at]
	}
	require.Zero(t, sum)
	taken := statusBytes(t, "VmRSS:")
	require.NoError(t, unix.Munmap(pages))
	return taken > before+size/2
}

// zeroBytes is the memory of this process in pages of zeros. Where such pages are not shared, these are pages that
// were only read.
func zeroBytes(t *testing.T) (total uint64) {
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	table, err := os.Open("/proc/self/pagemap")
	require.NoError(t, err)
	defer table.Close()
	memory, err := os.Open("/proc/self/mem")
	require.NoError(t, err)
	defer memory.Close()
	size := uint64(os.Getpagesize())
	page, zeros, entries := make([]byte, size), make([]byte, size), make([]byte, 1<<20)
	for line := range strings.Lines(string(maps)) {
		var first, end, offset, node uint64
		var rights, device string
		if _, err := fmt.Sscanf(line, "%x-%x %s %x %s %d", &first, &end, &rights, &offset, &device, &node); err != nil || rights != "rw-p" || node != 0 {
			continue
		}
		for at := first; at < end; {
			part := entries[:min(uint64(len(entries)), (end-at)/size*8)]
			if _, err := table.ReadAt(part, int64(at/size*8)); err != nil {
				break
			}
			for ; len(part) > 0; part, at = part[8:], at+size {
				if part[7]&0x80 == 0 {
					continue // not in memory
				}
				if _, err := memory.ReadAt(page, int64(at)); err == nil && bytes.Equal(page, zeros) {
					total += size
				}
			}
		}
	}
	return total
}

// peakBytes is the most memory that this process has had. The operating system's account of a child
// that has ended would not do: it begins with what the process had that started it.
func peakBytes(t *testing.T) uint64 { return statusBytes(t, "VmHWM:") }

// statusBytes is what the operating system says of this process.
func statusBytes(t *testing.T, field string) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, line, _ := bytes.Cut(status, []byte(field))
	var kilobytes uint64
	_, err = fmt.Sscan(string(line), &kilobytes)
	require.NoError(t, err)
	return kilobytes << 10
}
