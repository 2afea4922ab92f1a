package routers

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	estimates "starloom/internal/estimate"
	"starloom/internal/systemtest"
)

// routerScenario parses a scenario of routers with the packets of a file.
func routerScenario(t *testing.T, netlist, packets string, more ...string) *starloom.Scenario {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "packets.csv"), []byte(packets), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ring.txt"), []byte(ringOfRouters), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "graph5.txt"), []byte(graph5), 0o644))
	text := "starloom: 1\nname: routers\nfabric: {netlist: {" + netlist + "}}\nworkload: {traffic: {file: packets.csv}}\n" + strings.Join(more, "\n")
	s, err := starloom.ParseScenario(filepath.Join(dir, "routers.yaml"), []byte(text))
	require.NoError(t, err)
	return s
}

const ringOfRouters = "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 node 2 router 3\nrouter 3 node 3 router 4\nrouter 4 node 4 router 0\n"

func logOfBookSim(t *testing.T, name string) string {
	f, err := os.Open("hw/testdata/booksim/" + name + ".csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// TestRoutersFromScenarios: the logs of BookSim come out of scenarios, every row of them, on any number of workers, by
// arrival and source.
func TestRoutersFromScenarios(t *testing.T) {
	for name, netlist := range map[string]string{
		"mesh44_u20": "mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4, routing_delay: 1, credit_delay: 0, allocator: islip}",
		"m44_la":     "mesh: {k: [4, 4]}, router: {routing_delay: 0, credit_delay: 2}",
		"m44_p5":     "mesh: {k: [4, 4]}, router: {}",
		"m44_mix":    "mesh: {k: [4, 4]}, router: {allocator: separable_input_first, vc_allocator: islip, sw_allocator: islip}",
		"fly":        "fly: {k: [16]}, router: {vcs: 4, depth: 8, routing_delay: 0, credit_delay: 2, allocator: separable_input_first}",
	} {
		logged := logOfBookSim(t, name)
		s := routerScenario(t, netlist, logged)
		var first *starloom.Report
		for workers := 1; workers <= 2; workers++ {
			var packets bytes.Buffer
			report, err := starloom.Run(context.Background(), s, starloom.RunOptions{
				MachineOptions: starloom.MachineOptions{Workers: workers}, Packets: starloom.Writer(&packets)})
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict)
			require.Equal(t, rowsByID(t, logged), rowsByID(t, packets.String()), name)
			requireByArrival(t, packets.String())
			if first == nil {
				first = report
			}
			require.Equal(t, first, report)
		}
	}
}

// TestLongRoutersAsRTL: the same with all routers, or some of them, in Verilog; all logs under -full.
func TestLongRoutersAsRTL(t *testing.T) {
	const mesh = "mesh: {k: [4, 4]}, router: "
	for _, c := range []struct {
		log, netlist, replace string
		always                bool
	}{
		{"mesh44_u20", mesh + "{}", "netlist.router[*]", true},
		{"m44_la", mesh + "{routing_delay: 0, credit_delay: 2}", "netlist.router[*]", true},
		{"m44_la", mesh + "{routing_delay: 0, credit_delay: 2}", "netlist.router[4..15]", true},
		{"m44_p5", mesh + "{}", "netlist.router[*]", false},
		{"m44_mix", mesh + "{}", "netlist.router[*]", false},
		{"fly", "fly: {k: [16]}, router: {vcs: 4, depth: 8, routing_delay: 0, credit_delay: 2, allocator: separable_input_first}", "netlist.router[*]", false},
	} {
		if !c.always && !*systemtest.Full {
			continue
		}
		logged := logOfBookSim(t, c.log)
		s := routerScenario(t, c.netlist, logged, "rtl: [{replace: '"+c.replace+"'}]")
		var packets bytes.Buffer
		report, err := starloom.Run(context.Background(), s, starloom.RunOptions{Packets: starloom.Writer(&packets)})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		require.NotEmpty(t, report.RTL)
		require.Equal(t, rowsByID(t, logged), rowsByID(t, packets.String()), "%+v", c)
	}
	for replace, says := range map[string]string{"netlist.router[1?]": "components are, for example, netlist.router[0]", "ring.*": "no component matches"} {
		file := filepath.Join(t.TempDir(), "refused.yaml")
		_, err := parsedAndRun(file, "starloom: 1\nfabric: {netlist: {mesh: {k: [4, 4]}, router: {}}}\nworkload: {traffic: {rate: 0.1}}\nrtl: [{replace: '"+replace+"'}]\n")
		require.ErrorContains(t, err, says)
	}
}

func parsedAndRun(file, text string) (*starloom.Report, error) {
	s, err := starloom.ParseScenario(file, []byte(text))
	if err != nil {
		return nil, err
	}
	return starloom.Run(context.Background(), s, starloom.RunOptions{})
}

// rowsByID are the first eight columns of the packets, by the first.
func rowsByID(t *testing.T, text string) map[string][8]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	all := map[string][8]string{}
	for _, row := range rows[1:] {
		all[row[0]] = [8]string(row[:8])
	}
	require.Len(t, all, len(rows)-1)
	return all
}

// requireByArrival: packets stand in a file in the order of arrival, those of one cycle by source.
func requireByArrival(t *testing.T, text string) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"source", "received"}, []string{rows[0][1], rows[0][6]})
	last, together := [2]int{}, 0
	for _, row := range rows[1:] {
		at := [2]int{}
		for i, column := range []int{6, 1} {
			at[i], err = strconv.Atoi(row[column])
			require.NoError(t, err)
		}
		require.LessOrEqual(t, slices.Compare(last[:], at[:]), 0, "%v", row)
		if last[0] == at[0] {
			together++
		}
		last = at
	}
	require.Greater(t, together, 100)
}

// TestRoutersDeadlock: in a ring without classes of virtual channels packets wait for each other, and the run says so
// at once.
func TestRoutersDeadlock(t *testing.T) {
	packets := "source,destination,size,created\n0,2,20,0\n1,3,20,0\n2,4,20,0\n3,0,20,0\n4,1,20,0\n"
	report, err := starloom.Run(context.Background(), routerScenario(t, "anynet: ring.txt, router: {vcs: 1}", packets), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, "5 of 5 packets have not arrived, and none of them moves: they wait for each other (deadlock)"+
		"; a ring of 5 channels between routers, in a knot of 10 virtual channels, without movement since cycle "+
		"11", report.Violations[0].Message)
	for i, w := range report.Violations[0].Waits {
		require.Equal(t, fabric.Waiting{Who: fmt.Sprintf("packet %d (%d to %d, sent in cycle 0)", i, i, (i+2)%5),
			Holds: fmt.Sprintf("router %d to %d VC 0", i, (i+1)%5), Path: w.Path, For: fmt.Sprintf("router %d to %d VC 0", (i+1)%5, (i+2)%5)}, w)
	}
	require.Len(t, report.Violations[0].Waits, 5)
	require.Equal(t, report.Violations[0].Path, report.Violations[0].Waits[0].Path)
	require.Contains(t, strings.Join(report.Notes, "\n"), "routes: may deadlock: a cycle of 5 channels: ")
	require.Less(t, report.Cycles, uint64(100))
	report, err = starloom.Run(context.Background(), routerScenario(t, "torus: {k: [5]}, router: {}", packets), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict, "two classes")
}

// TestRingOfFourDrawnRouters: of a ring that is drawn with one VC the routes name a cycle of four channels before the
// run, and the run ends with packets in the same four; with two classes of VCs neither.
func TestRingOfFourDrawnRouters(t *testing.T) {
	drawn := `nodes: {"r[0..3]": {kind: router, ports: [east, west, local]}, "p[0..3]": processor},
    links: [["r[0..2]:east", "r[1..3]:west"], ["r[3]:east", "r[0]:west"], ["p[0..3]", "r[0..3]:local"]], `
	packets := "source,destination,size,created\n0,2,20,0\n1,3,20,0\n2,0,20,0\n3,1,20,0\n"
	for _, routes := range []string{"shortest", "{default: shortest, \"r[0]\": {\"p[1]\": \"east:0\"}}"} {
		report, err := starloom.Run(context.Background(), routerScenario(t, drawn+"routes: "+routes+", router: {vcs: 1}", packets), starloom.RunOptions{})
		require.NoError(t, err)
		before, after := strings.Join(report.Notes, "\n"), fmt.Sprint(report.Violations[0].Waits)
		require.Contains(t, before, "may deadlock: a cycle of 4 channels: ")
		for i := range 4 {
			channel := fmt.Sprintf("r[%d]:east to r[%d] VC 0", i, (i+1)%4)
			require.Contains(t, before, "holds "+channel+" and asks for ")
			require.Contains(t, after, "is in "+channel+" and waits for ")
		}
		require.NotContains(t, after, "west")
	}
	report, err := starloom.Run(context.Background(), routerScenario(t, drawn+"routes: dateline, router: {vcs: 2}", packets), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Contains(t, strings.Join(report.Notes, "\n"), "deadlock-free (Dally and Seitz)")
}

// TestRoutersDeadlockEarly: packets that wait for one another end a run while others come and go, long before its
// limit. The loads of channels are those of the packets that have arrived: each flit crosses one channel fewer than it
// passes routers.
func TestRoutersDeadlockEarly(t *testing.T) {
	drawn := `nodes: {"r[0..3]": {kind: router, ports: [east, west, local]}, "p[0..3]": processor, "s[0..1]": {kind: router, ports: [out, local]}, "q[0..1]": processor},
    links: [["r[0..2]:east", "r[1..3]:west"], ["r[3]:east", "r[0]:west"], ["p[0..3]", "r[0..3]:local"], ["s[0]:out", "s[1]:out"], ["q[0..1]", "s[0..1]:local"]],
    router: {vcs: 1}`
	_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {"+drawn+"}}\nworkload: {traffic: {rate: 0.1}}\n"))
	require.ErrorContains(t, err, "no way leads from ")
	drawn = strings.Replace(drawn, "ports: [out, local]", "ports: [out, local, x]", 1)
	drawn = strings.Replace(drawn, "ports: [east, west, local]", "ports: [east, west, local, x]", 1)
	drawn = strings.Replace(drawn, "links: [", `links: [["s[0]:x", "r[0]:x"], `, 1)
	packets := "source,destination,size,created\n0,2,20,0\n1,3,20,0\n2,0,20,0\n3,1,20,0\n"
	for i := range 9000 {
		packets += fmt.Sprintf("4,5,2,%d\n", 10*i)
	}
	var picture bytes.Buffer
	report, err := starloom.Run(context.Background(), routerScenario(t, drawn, packets),
		starloom.RunOptions{SVG: starloom.Pictures{Topology: starloom.Writer(&picture)}})
	require.NoError(t, err)
	require.Equal(t, "deadlock", report.Violations[0].Rule)
	require.Equal(t, uint64(4096), report.Cycles)
	require.Contains(t, report.Violations[0].Message, "some will never arrive although others move")
	load, _ := report.Metrics.Get("load.max").(float64)
	require.Equal(t, float64(2*report.Frames.Delivered)/4096, load)
	require.InDelta(t, load/12, report.Metrics.Get("load.mean"), 1e-12)
	require.Contains(t, fmt.Sprint(report.Metrics.Get("load.most")), "s[0]:out to s[1]")
	require.Contains(t, picture.String(), fmt.Sprintf("s[0]:out to s[1]: %.4f flits per cycle", load))
	require.Contains(t, picture.String(), "r[0]: packets wait for one another")
}

// TestRoutersWait: a packet in a far cycle costs no more than one in the first.
func TestRoutersWait(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "packets.csv"), []byte("source,destination,size,created\n0,8,1,3000000000\n0,0,1,7\n"), 0o644))
	_, err := starloom.ParseScenario(filepath.Join(folder, "routers.yaml"),
		[]byte("starloom: 1\nfabric: {netlist: {mesh: {k: [3, 3]}, router: {}}}\nworkload: {traffic: {file: packets.csv}}\n"))
	require.ErrorContains(t, err, "packets.csv has a packet that is created in cycle 3000000000, but without measure "+
		"only cycles up to 999999999 are measured")
	s := routerScenario(t, "mesh: {k: [3, 3]}, router: {}", "source,destination,size,created\n0,8,1,900000000\n0,0,1,7\n")
	report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Equal(t, uint64(900_000_000+2+5*5+1), report.Cycles)
}

// TestRoutersOfManySeeds: random packets differ from seed to seed, and one of the seeds alone is as among others.
func TestRoutersOfManySeeds(t *testing.T) {
	text := "starloom: 1\nfabric: {netlist: {torus: {k: [3, 5]}, router: {}}}\nworkload: {traffic: {rate: 0.1, warm_up: 100, measure: 500}}\n"
	s, err := starloom.ParseScenario("torus.yaml", []byte(text))
	require.NoError(t, err)
	var table bytes.Buffer
	all, err := starloom.RunSeeds(context.Background(), s, starloom.Seeds{First: 3, Last: 6},
		starloom.RunOptions{Reports: starloom.ReportFiles{CSV: starloom.Writer(&table)}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, all.Verdict)
	require.Equal(t, 5, strings.Count(table.String(), "\n"))
	s.Seed = 5
	one, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Contains(t, table.String(), one.Digest)
	require.Equal(t, 1, strings.Count(table.String(), one.Digest))
}

// TestRoutersRefuse: what routers do not have is refused, with its place and a reason.
func TestRoutersRefuse(t *testing.T) {
	const head, tail = "starloom: 1\nfabric: {netlist: {", "}}\nworkload: {traffic: {rate: 0.1}}\n"
	for netlist, says := range map[string]string{
		"mesh: {k: [4, 4], duplex: half}, router: {}":       "half-duplex",
		"mesh: {k: [4, 4], ports: [a]}, router: {}":         "delete ports",
		"mesh: {k: [4, 4], latency: 0}, router: {}":         "latency is 0",
		"torus: {k: [5, 5]}, router: {vcs: 1}":              "may deadlock: a cycle of 5 channels",
		"fly: {k: [16]}":                                    "but not the key router",
		"fly: {k: [300]}, router: {}":                       "allowed: 1 to 256",
		"mesh: {k: [2]}, router: {depth: 0x1001}":           "allowed: 1 to 4096",
		"mesh: {k: [2]}, router: {allocator: matrix}":       "islip",
		`mesh: {k: [2]}, router: {}, nodes: {a: processor}`: "both router and nodes",
		"router: {vcs: 2}":                                  "no nodes",
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte(head+netlist+tail))
		var bad *starloom.InputError
		require.ErrorAs(t, err, &bad, netlist)
		assert.ErrorContains(t, err, says, netlist)
	}
	for text, says := range map[string]string{
		"firmware: {program: netlist/flood}\n": "netlist/flood is for netlists without routers; use netlist/unicast",
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte(head+"mesh: {k: [2, 2]}, router: {}"+tail+text))
		assert.ErrorContains(t, err, says)
	}
	_, err := starloom.ParseScenario("s.yaml", []byte(head+"mesh: {k: [2, 2]}, router: {}}}\n"))
	assert.ErrorContains(t, err, "workload has no traffic")
	s, err := starloom.ParseScenario("s.yaml", []byte(head+"mesh: {k: [2, 2]}, router: {}"+tail))
	require.NoError(t, err)
	for says, options := range map[string]starloom.RunOptions{
		"--log": {Record: starloom.RecordOptions{Log: starloom.Writer(io.Discard)}}, "--profile": {Profile: starloom.Writer(io.Discard)},
		"--engine slot": {MachineOptions: starloom.MachineOptions{Engine: starloom.EngineSlot}},
	} {
		_, err := starloom.Run(context.Background(), s, options)
		assert.ErrorContains(t, err, says)
	}
	_, err = starloom.NewMachine(context.Background(), s, starloom.MachineOptions{})
	assert.ErrorContains(t, err, "without firmware form no machine")
}

// TestRoutersExplained checks the rules, RTL and memory that scenario show reports for a run without firmware.
func TestRoutersExplained(t *testing.T) {
	text := "starloom: 1\nfabric: {netlist: {mesh: {k: [4, 4]}, router: {vcs: 3}}}\nworkload: {traffic: {rate: 0.1}}\nrules: {in_order: true}\n" +
		"rtl: [{replace: 'netlist.router[3]'}]\n"
	for _, c := range []struct {
		text, says string
		rules, rtl []string
	}{{text, "RTL ", []string{"finishes", "in_order"}, []string{"netlist.router[3]"}},
		{text[:strings.Index(text, "rtl:")], "a cycle; processors are sources and sinks", []string{"finishes", "deadlock", "in_order"}, nil}} {
		s, err := starloom.ParseScenario("s.yaml", []byte(c.text))
		require.NoError(t, err)
		e, err := s.Explain(context.Background())
		require.NoError(t, err)
		require.Equal(t, c.rules, e.Rules)
		require.Equal(t, c.rtl, e.RTL)
		require.Zero(t, e.Memory.Slot)
		require.Greater(t, e.Memory.Cycle, uint64(1<<20))
		require.Equal(t, 1, e.Slot.Cycles)
		var shown bytes.Buffer
		require.NoError(t, e.WriteText(&shown))
		require.Contains(t, shown.String(), c.says)
		require.NotContains(t, shown.String(), "phits ")
		require.NotContains(t, shown.String(), "NIC ")
	}
	s, err := starloom.ParseScenario("s.yaml", []byte(strings.Replace(text, "router[3]", "router[16]", 1)))
	require.NoError(t, err)
	_, err = s.Explain(context.Background())
	require.ErrorContains(t, err, "no component matches")
}

// TestRoutersEstimated: of runs without firmware it is said what they take, one or many, more for more packets and
// longer buffers.
func TestRoutersEstimated(t *testing.T) {
	estimate := func(router string, measure int, o starloom.EstimateOptions) *starloom.Estimate {
		text := fmt.Sprintf("starloom: 1\nfabric: {netlist: {mesh: {k: [8, 8]}, router: %s}}\nworkload: {traffic: {rate: 0.1, warm_up: 0, measure: %d}}\n", router, measure)
		s, err := starloom.ParseScenario("s.yaml", []byte(text))
		require.NoError(t, err)
		e, err := s.Estimate(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, starloom.EngineCycle, e.Engine)
		require.Equal(t, 64, e.Processors)
		return e
	}
	small := estimate("{}", 100, starloom.EstimateOptions{})
	require.Equal(t, estimates.BasisItself, small.Time.Basis)
	require.Greater(t, estimate("{depth: 2048}", 100, starloom.EstimateOptions{}).MemoryBytes, small.MemoryBytes+64*5*2*2000*8)
	packets := starloom.EstimateOptions{Run: starloom.RunOptions{Packets: starloom.File("p.csv")}}
	most := estimate("{}", 5000, packets)
	require.Greater(t, most.MemoryBytes, estimate("{}", 5000, starloom.EstimateOptions{}).MemoryBytes)
	require.Greater(t, most.MemoryBytes, small.MemoryBytes+64*490*100)
	require.NoFileExists(t, "p.csv")
	firmware := func(more string) uint64 { // with it, routers and the frames that NICs have taken count, too
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {mesh: {k: [8, 8]}, router: "+more+"\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"))
		require.NoError(t, err)
		e, err := s.Estimate(t.Context(), starloom.EstimateOptions{})
		require.NoError(t, err)
		return e.MemoryBytes
	}
	shallow := firmware("{}}}")
	require.Greater(t, firmware("{depth: 2048}}}"), shallow+64*5*2*2000*8)
	require.Greater(t, firmware("{}}}\nnic: {tx_frames: 255}"), shallow+64*250*64)
	many := estimate("{}", 100, starloom.EstimateOptions{Seeds: &starloom.Seeds{First: 1, Last: 5}})
	require.Equal(t, estimates.BasisItself, many.Time.Basis)
}
