package fabrictest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/picture"
)

// reportText returns a scenario's report as in a file.
func reportText(t testing.TB, s *starloom.Scenario, engine string) string {
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
	require.NoError(t, err)
	report.Provenance = nil // it names the file
	var b bytes.Buffer
	require.NoError(t, report.WriteJSON(&b))
	return b.String()
}

// rtlNodes has RTL in the place of nodes of each kind, or, without that, is what the key rtl is given for.
const rtlNodes = `fabric:
  netlist:
    kinds: {hub: {kind: star, rtl: {twin: star_coupler, backend: icarus}}}
    nodes:
      "p[0..2]": {kind: processor, rtl: {twin: deserialiser, backend: icarus}}
      s: hub
      r: {kind: star, rtl: {backend: icarus}}
    links: [["p[0..2]:0", s], ["p[0..2]:1", r]]
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
`

// TestNetlistNodeRTL requires that RTL on a node equals an entry of the list rtl with the node's path, with a pass
// from the RTL; maps are found relative to the naming file.
func TestNetlistNodeRTL(t *testing.T) {
	nodes := parsed(t, rtlNodes)
	bare := strings.NewReplacer(", rtl: {twin: star_coupler, backend: icarus}", "", ", rtl: {twin: deserialiser, backend: icarus}", "", ", rtl: {backend: icarus}", "").Replace(rtlNodes)
	require.NotContains(t, bare, "rtl")
	list := parsed(t, bare+`rtl:
- {replace: "netlist.p[0..2].**", twin: deserialiser, backend: icarus}
- {replace: netlist.s, twin: star_coupler, backend: icarus}
- {replace: "netlist.r.**", backend: icarus}
`)
	require.Equal(t, nodes.Hash(), list.Hash())
	text := reportText(t, nodes, starloom.EngineCycle)
	require.Equal(t, reportText(t, list, starloom.EngineCycle), text)
	for _, path := range []string{"netlist.p[2].port[1].rx", "netlist.s", "netlist.r", "netlist.r.fibre"} {
		require.Contains(t, text, `"path": "`+path+`"`)
	}
	require.NotContains(t, text, `"netlist.s.fibre"`)
	require.Equal(t, "netlist.yaml:7:41", nodes.Place("rtl[0].twin"))

	folder := t.TempDir()
	for name, content := range map[string]string{
		"s.yaml":           "starloom: 1\nfabric: {netlist: {file: drawn/n.yaml}}\nfirmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 0}}\n",
		"drawn/n.yaml":     "nodes: {\"p[0..1]\": processor, s: {kind: star, rtl: {map: or/map.yml}}}\nlinks: [[\"p[0..1]\", s]]\n",
		"drawn/or/map.yml": "model: star_coupler\ntop: none\nsources: [none.v]\npins: {}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	s, err := starloom.LoadScenario(filepath.Join(folder, "s.yaml"))
	require.NoError(t, err)
	require.Len(t, s.RTL, 1)
	require.Equal(t, starloom.RTL{Replace: "netlist.s.**", Map: "drawn/or/map.yml"}, s.RTL[0])
	require.Equal(t, filepath.Join(folder, "drawn/n.yaml")+":1:52", s.Place("rtl[0].map"))
	_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, filepath.Join(folder, "drawn/or/map.yml"))
}

// alignedNodes has links of different latency to passive media. With the latencies added up, the same network needs
// no align.
const alignedNodes = `fabric:
  netlist:
    access: ACCESS
    words: [4]
    nodes: {"p[0..3]": processor, s: {kind: KIND, align: true}, b: {kind: bus, align: true}}
    links:
      - {endpoints: ["p[0]:0", s], latency: 3}
      - {endpoints: ["p[1]:0", s], latency: 7}
      - {endpoints: ["p[2..3]:0", s], latency: 0, oneway: true}
      - {endpoints: [s, "p[2..3]:0"], latency: 1, oneway: true}
      - {endpoints: ["p[0..1]:1", b], latency: 2}
      - {endpoints: ["p[2..3]:1", b], latency: 1, oneway: true}
      - {endpoints: [b, "p[2..3]:1"], latency: 5, oneway: true}
`

const paddedNodes = `fabric:
  netlist:
    access: ACCESS
    words: [4]
    nodes: {"p[0..3]": processor, s: KIND, b: bus}
    links:
      - {endpoints: ["p[0..3]:0", s], latency: 14}
      - {endpoints: ["p[0..3]:1", b], latency: 7}
`

// TestNetlistAligned requires that align makes frames of a slot meet at a star or bus and leave it together: digest,
// cycles and capture equal those of media with the longest latencies, in both engines, also with collisions.
func TestNetlistAligned(t *testing.T) {
	for _, access := range []string{"all", "switch", "one"} {
		kind := map[string]string{"all": "star", "switch": "bus", "one": "star"}[access]
		keys := fmt.Sprintf("firmware: {image: x.wasm, params: {all_ports: %d, to_all: %d}}\nlink: {propagation_cycles: 2}\nstop: {slots: 40}\n",
			wordOf(access == "all"), wordOf(access != "switch"))
		fill := strings.NewReplacer("ACCESS", access, "KIND", kind).Replace
		image, err := Flood{Fabric: parsed(t, fill(paddedNodes)+keys).Fabric}.image(t.Context())
		require.NoError(t, err)
		requireSameRuns(t, image, keys, fill(alignedNodes), fill(paddedNodes))
	}
}

func wordOf(set bool) int {
	if set {
		return 1
	}
	return 0
}

// TestNetlistPicture requires that a picture shows crossbars and buses as nodes, latencies and frames per medium; it
// names unused media.
func TestNetlistPicture(t *testing.T) {
	s := parsed(t, `fabric:
  netlist:
    nodes: {"p[0..3]": processor, s: star, b: bus}
    links: [["p[0..3]:0", s], ["p[0..3]:1", b], {endpoints: ["p[0]:2", "p[1]:2"], latency: 7}]
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 2}}
`)
	var svg bytes.Buffer
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{SVG: starloom.Pictures{Topology: starloom.Writer(&svg)}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	for _, want := range []string{">s, 4 frames<", ">b, 4 frames<", ">7<", ">star<", ">bus<", ">latency in cycles<", "netlist.link[0].forth: 1 frame; netlist.link[0].back: 1 frame"} {
		require.Contains(t, svg.String(), want)
	}
	s = parsed(t, "fabric: {netlist: {nodes: {\"p[0..3]\": processor, x: crossbar}, links: [[\"p[0..3]:0\", x], [\"p[0]:1\", \"p[1]:1\"]]}}\nfirmware: {image: x.wasm}\nstop: {slots: 30}\n")
	s.Firmware.ImageBytes, err = Flood{Fabric: s.Fabric}.image(t.Context())
	require.NoError(t, err)
	svg.Reset()
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{SVG: starloom.Pictures{Topology: starloom.Writer(&svg)}})
	require.NoError(t, err)
	require.Contains(t, svg.String(), ">crossbar<")
	require.Regexp(t, `>x, \d+ frames<`, svg.String())
	require.NotContains(t, svg.String(), "netlist.x.output[0]: ")
}

// TestNetlistPictureBothWays requires a line without an arrow for a processor that sends to a crossbar and hears it,
// and names longer than a number.
func TestNetlistPictureBothWays(t *testing.T) {
	s := parsed(t, "fabric: {netlist: {nodes: {'f[0..1].p[0..1]': processor, 'f[0..1].q': processor, 'f[0..1].s': star, x: crossbar}, links: [\n"+
		"['f[0..1].p[0..1]', 'f[0..1].q', 'f[0..1].s'], ['f[0..1].q', x]]}}\nfirmware: {program: netlist/gossip}\nworkload: {gossip: {}}\n")
	drawn := picture.TopologyOf(s.Fabric.Netlist, "x", nil, nil)
	require.Len(t, drawn.Links, 8)
	for _, l := range drawn.Links {
		require.False(t, l.OneWay)
	}
	for _, n := range drawn.Nodes {
		require.NotEmpty(t, n.Label)
	}
}

// TestNetlistGossipLimit requires that gossip on links ends within the program's slots, also on networks with the
// longest paths.
func TestNetlistGossipLimit(t *testing.T) {
	for text, processors := range map[string]uint32{
		"tree: {arity: 1, levels: 15}": 15,
		`nodes: {"p[0..14]": processor}, links: [{endpoints: ["p[0..13]:1", "p[1..14]:0"], oneway: true}, {endpoints: ["p[14]:1", "p[0]:0"], oneway: true}]`: 15,
		"mesh: {k: [7, 3]}": 21,
	} {
		s := parsed(t, "fabric: {netlist: {"+text+"}}\nfirmware: {program: netlist/gossip}\nworkload: {all_to_all: {}}\n")
		require.Equal(t, 2*processors+2, s.Stop.Slots)
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict, text)
	}
	s := parsed(t, "fabric: {netlist: {ring: {n: 9, duplex: half}}}\nfirmware: {program: netlist/gossip}\nworkload: {all_to_all: {}}\n")
	require.Equal(t, uint32(2*9*9+2), s.Stop.Slots)
}

// TestNetlistCreditsFit requires that credits beyond the FIFO's places are refused with a valid remedy; programs wait
// for credits.
func TestNetlistCreditsFit(t *testing.T) {
	text := "starloom: 1\nfabric: {netlist: {nodes: {a: processor, b: processor}, links: [\n{endpoints: [a, b], credits: 9}]}}\nfirmware: {PROGRAM}\n"
	image := strings.Replace(text, "PROGRAM", "image: x.wasm", 1)
	_, err := starloom.NewMachine(t.Context(), parsed(t, strings.TrimPrefix(image, "starloom: 1\n")), starloom.MachineOptions{})
	require.ErrorContains(t, err, "netlist.yaml:4:1: links into a have 9 credits, but its RX FIFO has room for 4 "+
		"frames: nic.rx_frames is 4 for each of 1 port; write nic: {rx_frames: 9}")
	s := parsed(t, strings.TrimPrefix(image, "starloom: 1\n")+"nic: {rx_frames: 9}\n")
	s.Firmware.ImageBytes, err = Flood{Fabric: s.Fabric}.image(t.Context())
	require.NoError(t, err)
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	program := strings.Replace(text, "PROGRAM", "program: netlist/next-hop", 1)
	s, err = starloom.ParseScenario("n.yaml", []byte(program)) // the program provides the places
	require.NoError(t, err)
	require.Equal(t, 9, s.NIC.RXFrames)
	report, err := starloom.Run(t.Context(), parsed(t, "fabric: {netlist: {ring: {n: 5, credits: {depth: 1, round_trip_slots: 4}}}}\nfirmware: {program: netlist/gossip}\n"+
		"workload: {all_to_all: {}}\n"), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Positive(t, report.Frames.Blocked)
}

// TestNetlistBanksOfOne requires the same traffic from one bank as from a bank per processor, with requesting and
// free lanes.
func TestNetlistBanksOfOne(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		var want string
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			s := parsed(t, "seed: 7\nfabric: {netlist: {nodes: {'p[0..4]': processor, x: {kind: bus, arbiter: matrix}}, links: [\n"+
				"{endpoints: ['p[0..3]:0', 'p[1..4]:1']}, {endpoints: ['p[4]:0', 'p[0]:1']}, ['p[0..4]:2', x]]}}\n"+
				"firmware: {program: netlist/traffic}\nworkload: {traffic: {warm_up: 9, measure: 40, rate: 0.2, drain: 100}}\n")
			s.Firmware.Mode = mode
			m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, err)
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.NoError(t, m.Close())
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%s %s: %v", engine, mode, report.Violations)
			if want == "" {
				want = report.Digest
			}
			require.Equal(t, want, report.Digest, "%s %s", engine, mode)
		}
	}
}

// TestNetlistRunTable checks tables by hand for three processors in a row and three at a star, in both engines. A
// table changes nothing, and records all receptions if no two frames come from one neighbour.
func TestNetlistRunTable(t *testing.T) {
	row := "fabric: {netlist: {nodes: {'p[0..2]': processor}, links: [['p[0]:0', 'p[1]:0'], ['p[1]:1', 'p[2]:0']]}}\n"
	star := "fabric: {netlist: {nodes: {'p[0..2]': processor, hub: star}, links: [['p[0..2]', hub]]}}\n"
	bus := "fabric: {netlist: {nodes: {'p[0..2]': processor, hub: {kind: bus, arbiter: fixed}}, links: [['p[0..2]', hub]]}}\n"
	for text, want := range map[string]string{
		row + "firmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 0}}\n":                       "S1,R1,-\nR0,S0 S2,R2\n-,R1,S1\n",
		star + "firmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 1}}\n":                      "-,R1,R2,S0 S1 S2 R0\n-,S0 S1 S2 R1,R2,R0\n-,R1,S0 S1 S2 R2,R0\n",
		bus + "firmware: {program: netlist/next-hop}\nworkload: {permutation: [1, 0, 2]}\n":                     "",
		"fabric: {netlist: {mesh: {k: [4, 3]}}}\nfirmware: {program: netlist/gossip}\nworkload: {gossip: {}}\n": "",
	} {
		var tables []string
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			var csv, svg bytes.Buffer
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}}
			plain, err := starloom.Run(t.Context(), parsed(t, text), o)
			require.NoError(t, err)
			o.RunTables.CSV, o.RunTables.SVG = starloom.Writer(&csv), starloom.Writer(&svg)
			report, err := starloom.Run(t.Context(), parsed(t, text), o)
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict)
			require.Equal(t, plain.Digest, report.Digest)
			require.EqualValues(t, report.Frames.Delivered, strings.Count(csv.String(), "R"), csv.String())
			require.Equal(t, strings.Count(csv.String(), "R")+1, strings.Count(svg.String(), "<circle"), "one is of the legend")
			require.Equal(t, report.Frames.Blocked > 0, strings.Contains(csv.String(), "~"), csv.String())
			require.Contains(t, svg.String(), fmt.Sprintf("processors, %d slots", report.Slots))
			require.EqualValues(t, report.Slots-1, strings.Count(strings.SplitN(csv.String(), "\n", 2)[0], ","), csv.String())
			tables = append(tables, csv.String())
		}
		require.Equal(t, tables[0], tables[1])
		if want != "" {
			require.Equal(t, want, tables[0], text)
		}
	}
}
