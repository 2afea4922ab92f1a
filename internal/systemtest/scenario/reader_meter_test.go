package scenario

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// readingCost is what an input has cost.
type readingCost struct {
	text  string
	bytes uint64
	time  time.Duration
	err   error
}

// measureReading reads a scenario. Nothing else runs: the bytes are those of the process.
func measureReading(text string) (c readingCost) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	allocated := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	c.text = text
	before, start := allocated(), systemtest.ProcessorTime()
	_, c.err = starloom.ParseScenario("testdata/scenarios/meter.yaml", []byte(text))
	c.time, c.bytes = systemtest.ProcessorTime()-start, allocated()-before
	return c
}

// require fails for a reading that has cost too much.
func (c *readingCost) require(t *testing.T) {
	t.Helper()
	said := fmt.Sprintf("%d MB for\n%.2000s\n%.200s", c.bytes>>20, c.text, fmt.Sprint(c.err))
	require.LessOrEqual(t, c.bytes, uint64(systemtest.ReaderBytesMax), said)
	require.Less(t, c.time, systemtest.ReaderSlack*systemtest.ReaderSecondsMax*time.Second, said)
}

// TestReaderOfWorstScenarios: the worst inputs that were found, each of less than 64 KB, and those of testdata/reader.
func TestReaderOfWorstScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/reader/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 10)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.LessOrEqual(t, len(data), systemtest.ScenarioTextMax)
			c := measureReading(string(data))
			c.require(t)
			t.Logf("%d MB, %v: %.200s", c.bytes>>20, c.time, fmt.Sprint(c.err))
		})
	}
}

// TestReaderOfLargeNumbers: scenarios whose numbers, ranges and lists are drawn large, from a seed.
func TestReaderOfLargeNumbers(t *testing.T) {
	drawLargeNumbers(t, 0, 120)
}

// TestLongReaderOfLargeNumbers is the same for more seeds.
func TestLongReaderOfLargeNumbers(t *testing.T) {
	to := uint64(600)
	if *systemtest.Full {
		to = 20000
	}
	drawLargeNumbers(t, 120, to)
}

func drawLargeNumbers(t *testing.T, from, to uint64) {
	seeds := readerSeeds(t)
	var costs []readingCost
	for seed := from; seed < to; seed++ {
		c := measureReading(enlarge(rand.New(rand.NewPCG(seed, 13)), seeds))
		c.require(t)
		costs = append(costs, c)
	}
	slices.SortFunc(costs, func(a, b readingCost) int { return cmp.Compare(b.bytes, a.bytes) })
	t.Logf("most memory: %d MB for\n%.300s", costs[0].bytes>>20, costs[0].text)
	slices.SortFunc(costs, func(a, b readingCost) int { return cmp.Compare(b.time, a.time) })
	t.Logf("most time: %v for\n%.300s", costs[0].time, costs[0].text)
}

// FuzzReaderMeter checks that reading a scenario of 64 KB stays within the meter's bounds.
func FuzzReaderMeter(f *testing.F) {
	for _, seed := range readerSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= systemtest.ScenarioTextMax {
			c := measureReading(text)
			c.require(t)
		}
	})
}

// readerSeeds are scenarios with every form of a size: those of the tests and examples, and netlists of each kind.
func readerSeeds(t testing.TB) (seeds []string) {
	for _, text := range scenarioSeeds(t) {
		if len(text) < 4<<10 {
			seeds = append(seeds, string(text))
		}
	}
	for _, netlist := range []string{
		"mesh: {k: [4, 4]}", "torus: {k: [3, 3, 3], ports: [x, y]}", "ring: {n: 4, node: q}", "tree: {arity: 2, levels: 3}", "hypercube: {dimensions: 3}",
		"dragonfly: {a: 4, h: 2}", "mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4}", "torus: {k: [4, 4]}, router: {vcs: 2}, routes: dateline",
		"dragonfly: {p: 2, a: 4, h: 2}, router: {vcs: 4, classes: 2}", "fly: {k: [8]}, router: {vcs: 4}", "mesh: {k: [3, 3]}, router: {}, routes: shortest",
		`nodes: {"p[0..3]": processor, s: star}, links: [["p[0..3]", s]]`, `nodes: {"p[0..3]": processor, b: {kind: bus, arbiter: fixed}}, links: [["p[0..3]", b]]`,
		`access: switch, nodes: {"p[0..3]": processor, "b[0..1]": {kind: bus, arbiter: round_robin}}, links: [["p[0..3]:0..1", "b[0..1]"]]`,
		`access: one, nodes: {"p[0..3]": processor, q: processor}, links: [["q:a[0..3]", "p[0..3]"]]`,
		`nodes: {"p[0..3]": processor, x: {kind: crossbar, matching: list, cap: 2}}, links: [["p[0..3]", x]]`,
		`nodes: {"p[0..3]": {kind: processor, ports: [a, b], open: [b]}}, links: [["p[0..2]:a", "p[1..3]:b"]]`,
		`ring: {n: 8}, routes: {default: none, "p[0..6]": {"p[7]": east}, "p[7]": {"p[0..6]": west}}`,
		`nodes: {"r[0..3]": router, "p[0..3]": processor}, links: [["p[0..3]", "r[0..3]"], ["r[0..2]", "r[1..3]"]], router: {vcs: 2}`,
		`nodes: {"row[0..3].p[0..3]": processor, "s[0..3]": star}, links: [["row[0..3].p[0..3]", "s[0..3]"]]`,
	} {
		for _, rest := range []string{"firmware: {program: netlist/next-hop}", "firmware: {image: x.wasm}\nworkload: {traffic: {rate: 0.1}}",
			"workload: {traffic: {pattern: uniform, rate: 0.1, size: [1, 4], warm_up: 10, measure: 100, drain: 10}}"} {
			seeds = append(seeds, "starloom: 1\nfabric: {netlist: {"+netlist+"}}\n"+rest+"\n")
		}
	}
	return seeds
}

var (
	anyNumber = regexp.MustCompile(`[0-9]+`)
	anyEntry  = regexp.MustCompile(`\{[^{}]*\}|\[[^\[\]]*\]|"[^"\n]*"|[a-z_]+: [^,{}\[\]\n]+`)
)

// enlarge changes a scenario: numbers become large, parts are repeated, some under names of their own.
func enlarge(r *rand.Rand, seeds []string) string {
	text := seeds[r.IntN(len(seeds))]
	chance := 0.1 + 0.5*r.Float64()
	text = anyNumber.ReplaceAllStringFunc(text, func(number string) string {
		if number == "1" && strings.HasPrefix(text, "starloom: 1") && r.Float64() > chance/2 || r.Float64() > chance {
			return number
		}
		return strconv.FormatUint(largeNumber(r), 10)
	})
	text = "starloom: 1\n" + strings.TrimPrefix(text[strings.IndexByte(text, '\n')+1:], "starloom: 1\n")
	for range r.IntN(3) {
		at := anyEntry.FindAllStringIndex(text, -1)
		if at == nil {
			break
		}
		part := at[r.IntN(len(at))]
		entry := text[part[0]:part[1]]
		copies, times := entry, 1+int(largeNumber(r)%5000)
		for i := 0; i < times && len(text)+len(copies) < systemtest.ScenarioTextMax-len(entry)-100; i++ {
			copies += ", " + anyNumber.ReplaceAllStringFunc(entry, func(number string) string {
				if r.IntN(2) == 0 {
					return number
				}
				return fmt.Sprint(i)
			})
		}
		text = text[:part[0]] + copies + text[part[1]:]
	}
	return text[:min(len(text), systemtest.ScenarioTextMax)]
}

// largeNumber is small at times, mostly near a power of two or ten.
func largeNumber(r *rand.Rand) uint64 {
	switch r.IntN(5) {
	case 0:
		return uint64(r.IntN(20))
	case 1:
		return uint64(1)<<r.IntN(34) - uint64(r.IntN(2))
	case 2:
		n := uint64(1)
		for range r.IntN(10) {
			n *= 10
		}
		return n * uint64(1+r.IntN(9))
	case 3:
		return uint64(1000 + r.IntN(70000))
	}
	return uint64(r.IntN(300))
}

// TestBothEnginesRefuse checks that a machine without possible hardware is refused before a run in either engine.
func TestBothEnginesRefuse(t *testing.T) {
	unequal, err := os.ReadFile("testdata/refused/latency_0_and_3.yaml")
	require.NoError(t, err)
	for text, want := range map[string]string{
		string(unequal): "r.yaml:4:3: some links have a latency of 0 cycles, but others of up to 3; give all links 0 cycles, or all at least 1",
		`starloom: 1
fabric: {netlist: {access: one, nodes: {q: processor, r: processor}, links: [["q:a[0..65533]", "r:b[0..65533]"]]}}
firmware: {program: netlist/next-hop}
`: "r.yaml:2:41: q has 65534 ports, but a NIC that uses one at a time has at most 65533; use fewer",
		`starloom: 1
fabric: {netlist: {nodes: {"p[0..65534]": processor, x: {kind: crossbar}}, links: [["p[0..65534]", x]]}}
firmware: {image: a.wasm}
`: "r.yaml:2:54: the crossbar x has 65535 ports; give it at most 65534",
		`starloom: 1
fabric: {crossbar: {ports: 5000, output: queue, queue_frames: 4900}}
firmware: {image: a.wasm}
nic: {payload_bytes: 65504}
link: {phit_bits: 1}
faults: {random: {kind: drop, rate: 0.001}}
`: "r.yaml:5:7: a slot takes 2568384003 cycles; at most 2147483647 are allowed; use more link.phit_bits, a smaller nic.payload_bytes, or a shorter queue",
	} {
		s, err := starloom.ParseScenario("r.yaml", []byte(text))
		if err != nil {
			require.ErrorContains(t, err, want)
			continue
		}
		_, err = s.Estimate(t.Context(), starloom.EstimateOptions{})
		require.ErrorContains(t, err, want)
		for _, engine := range []string{"", starloom.EngineSlot, starloom.EngineCycle} {
			_, err = starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
			require.ErrorContains(t, err, want, engine)
		}
	}
}

// TestBothEnginesHaveManyMedia: more of them than a port register of 16 bits could name.
func TestBothEnginesHaveManyMedia(t *testing.T) {
	s, err := starloom.ParseScenario("r.yaml", []byte(`starloom: 1
fabric: {netlist: {access: one, nodes: {q: processor, r: processor}, links: [["q:a[0..32799]", "r:b[0..32799]"]]}}
firmware: {image: last_port.wasm}
workload: {permutation: reverse}
rules: {exactly_once: true}
`))
	require.NoError(t, err)
	s.Firmware.Image = systemtest.Image(t, "last_port")
	var digests []string
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		report, err := starloom.Run(t.Context(), s,
			starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
		require.EqualValues(t, 2, report.Frames.Delivered)
		digests = append(digests, report.Digest)
	}
	require.Equal(t, digests[0], digests[1])
}

// TestRoutesOfLargeNetworksAreMadeBeforeARun: the reader leaves them alone, and a mistake of theirs is told before the
// first cycle.
func TestRoutesOfLargeNetworksAreMadeBeforeARun(t *testing.T) {
	const large = "starloom: 1\nfabric: {netlist: {mesh: {k: [33, 32]}, router: {}, routes: %s}}\nworkload: {traffic: {rate: 0.001, warm_up: 0, measure: 20}}\n"
	s, err := starloom.ParseScenario("large.yaml", []byte(fmt.Sprintf(large, "shortest")))
	require.NoError(t, err)
	require.Nil(t, fabric.RoutersOf(s.Fabric.Netlist).Routes.Ports)
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Len(t, fabric.RoutersOf(s.Fabric.Netlist).Routes.Ports, 33*32*33*32)
	largest := strings.Replace(fmt.Sprintf(large, "dor"), "[33, 32]", "[128, 128]", 1)
	c := measureReading(largest)
	c.require(t)
	s, err = starloom.ParseScenario("largest.yaml", []byte(largest))
	require.NoError(t, err)
	report, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Nil(t, fabric.RoutersOf(s.Fabric.Netlist).Routes.Ports, "no table of 268 million routes")
	_, err = starloom.ParseScenario("large.yaml", []byte(fmt.Sprintf(large, "dim_order")))
	require.ErrorContains(t, err, "routes: dim_order does not suit this network of routers", "what needs no table is "+
		"told at once")
	s, err = starloom.ParseScenario("large.yaml", []byte(fmt.Sprintf(large, "{'p[0]': {'p[5]': west}}")))
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.ErrorContains(t, err, "large.yaml:2:71: the route from p[0] to p[5] uses a port without a link")
}
