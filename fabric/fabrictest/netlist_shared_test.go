package fabrictest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/firmware"
	"starloom/hw"
	"starloom/traces/pcapng/pcapngtest"
)

const (
	sensors       = "buses: [[3, 1, 0, 2], [0, 1], [2, 3, 0]]}}\nfirmware: {program: bus/sensors, params: {period: 4, spread: 2, readings: 8}}\nrules: {}\nstop: {slots: 120}"
	crossbarLoads = "}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: {rate: 0.3, warm_up: 20, measure: 60, drain: 60}}"
	crossbarFlies = "}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {sessions: 2}}\nstop: {slots: 400}"
)

// mirroredShared holds runs on networks whose NICs share and request media.
var mirroredShared = map[string]string{
	"bus, none":               "fabric: {bus: {vertices: 4, " + sensors,
	"bus, length":             "fabric: {bus: {vertices: 4, length: 2, " + sensors,
	"bus, fixed":              "fabric: {bus: {vertices: 4, arbiter: fixed, " + sensors,
	"bus, round robin":        "fabric: {bus: {vertices: 4, arbiter: round_robin, " + sensors,
	"bus, matrix":             "fabric: {bus: {vertices: 4, arbiter: matrix, " + sensors,
	"bus, tdma":               "fabric: {bus: {vertices: 4, arbiter: tdma, " + sensors,
	"bus, weights":            "fabric: {bus: {vertices: 4, arbiter: weighted_round_robin, weights: [1, 3, 2], " + sensors,
	"bus, lottery":            "fabric: {bus: {vertices: 4, arbiter: lottery, weights: [1, 3, 2], " + sensors,
	"crossbar, weights":       "fabric: {crossbar: {ports: 8, arbiter: weighted_round_robin, weights: [4, 1, 2, 1, 3]" + crossbarLoads,
	"crossbar, lottery":       "fabric: {crossbar: {ports: 8, arbiter: lottery, weights: [4, 1, 2, 1, 3]" + crossbarLoads,
	"buses of a gossip":       wiredScenarios["buses"],
	"buses with faults":       wiredScenarios["busy, faulted"],
	"crossbar, head":          "fabric: {crossbar: {ports: 8" + crossbarFlies,
	"crossbar, traffic":       "fabric: {crossbar: {ports: 8, arbiter: matrix" + crossbarLoads,
	"crossbar, list":          "fabric: {crossbar: {ports: 8, matching: list, arbiter: round_robin, cap: 3}}\nfirmware: {program: gossip/fsa, params: {scheduling: 2}}\nworkload: {gossip: {sessions: 2}}\nstop: {slots: 400}",
	"crossbar, cap":           "fabric: {crossbar: {ports: 8, cap: 2, cap_arbiter: round_robin" + crossbarFlies,
	"crossbar, queue":         "fabric: {crossbar: {ports: 8, arbiter: round_robin, queue_frames: 3}}\nfirmware: {program: scatter/sync}\nnic: {payload_bytes: 16, rx_frames: 6, tx_frames: 2}\nworkload: {scatter: {origin: 3}}\nstop: {slots: 200}",
	"crossbar, turns":         "fabric: {crossbar: {ports: 8}}\nfirmware: {program: scatter/async, params: {order: 2}}\nnic: {payload_bytes: 16, rx_frames: 1, tx_frames: 2}\nworkload: {scatter: {origin: 3}}\nstop: {slots: 200}",
	"crossbar, ALOHA":         "fabric: {crossbar: {ports: 8, medium: aloha" + crossbarFlies,
	"crossbar, ALOHA, faults": "fabric: {crossbar: {ports: 5, medium: aloha" + crossbarFlies + "\nfaults: {random: {kind: bit_flip, rate: 0.05}}",
}

// busArbiters returns the arbiters of buses, and "" for none.
func busArbiters() []string {
	return append([]string{contend.ArbiterNone}, hw.ArbitersFor(hw.ForBuses)...)
}

// TestNetlistOfShared compares networks of buses and crossbars with their netlists: report, digest and capture in
// both engines.
func TestNetlistOfShared(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mirroredShared)) {
		t.Run(name, func(t *testing.T) {
			Reflected(t, func(t testing.TB, mirror func(fabric.Network) fabric.Network) *starloom.Scenario {
				s := parsed(t, mirroredShared[name])
				s.Fabric = starloom.Fabric{Custom: mirror(builtIn(s))}
				return s
			})
		})
	}
}

// drawnBus is a network of three buses as a user draws it.
const drawnBus = `fabric:
  netlist:
    name: bus
    access: switch
    words: [5, LENGTH, 3, ASKS]
    nodes:
      "nic[0..4]": processor
      "bus[0..2]": {kind: bus, arbiter: ARBITER}
    links:            # those of the highest priority first
      - ["nic[3]:0", "bus[0]"]
      - ["nic[1]:0", "bus[0]"]
      - ["nic[0]:0", "bus[0]"]
      - ["nic[4]:0", "bus[0]"]
      - ["nic[2]:0", "bus[1]"]
      - ["nic[0]:1", "bus[1]"]
      - ["nic[2]:1", "nic[4]:1", "nic[1]:1", "bus[2]"]
`

// TestNetlistDrawnBus compares drawn buses with built-in ones: digest and capture, with several images.
func TestNetlistDrawnBus(t *testing.T) {
	source, err := os.ReadFile("testdata/bus.c")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "taps.c") // the ROM of a netlist numbers buses differently
	require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(source, []byte("sl_bus_of(nic, port)"), []byte("port")), 0o600))
	image := filepath.Join(t.TempDir(), "taps.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: path, Output: image}))
	taps, err := os.ReadFile(image)
	require.NoError(t, err)
	for _, arbiter := range busArbiters() {
		drawn := strings.ReplaceAll(strings.ReplaceAll(drawnBus, "ARBITER", arbiter), "LENGTH", "4")
		asks := "1"
		if arbiter == "none" {
			asks = "0"
		}
		requireSameRuns(t, taps, "firmware: {image: x.wasm, params: {one_bus: 1}}\nnic: {payload_bytes: 16, rx_frames: 2, tx_frames: 3}\nrules: {one_bus: true}\nstop: {slots: 100}",
			strings.ReplaceAll(drawn, "ASKS", asks), "fabric: {bus: {vertices: 5, arbiter: "+arbiter+", buses: [[3, 1, 0, 4], [2, 0], [2, 4, 1]]}}\n")
	}
}

// randomShared returns a random netlist with shared media: buses and crossbars of every kind beside stars and links,
// buses of NICs with one switch, or one crossbar.
func randomShared(draw *rand.Rand) string {
	processors := 2 + draw.IntN(7)
	one := func(words ...string) string { return words[draw.IntN(len(words))] }
	var b strings.Builder
	fmt.Fprintf(&b, "fabric:\n  netlist:\n    apart: true\n")
	switch draw.IntN(6) {
	case 0: // one switch
		arbiter, buses := one(busArbiters()...), 1+draw.IntN(4)
		fmt.Fprintf(&b, "    access: switch\n    nodes: {\"p[0..%d]\": processor, \"s[0..%d]\": {kind: bus, arbiter: %s}}\n    links:\n", processors-1, buses-1, arbiter)
		for p := range processors {
			fmt.Fprintf(&b, "      - [\"p[%d]\", \"s[%d]\"]\n", p, p%buses)
		}
		for bus := range buses {
			for _, p := range draw.Perm(processors)[:draw.IntN(processors)] {
				if p%buses != bus && (p > 0 || bus < processors) {
					fmt.Fprintf(&b, "      - [\"p[%d]\", \"s[%d]\"]\n", p, bus)
				}
			}
			if bus >= processors {
				fmt.Fprintf(&b, "      - [\"p[0]\", \"s[%d]\"]\n", bus)
			}
		}
		return b.String()
	case 1: // one crossbar
		fmt.Fprintf(&b, "    nodes: {\"p[0..%d]\": processor, x: {kind: crossbar, %s}}\n    links: [{endpoints: [\"p[0..%d]\", x], latency: %d}]\n", processors-1,
			one("arbiter: fixed", "arbiter: none", "arbiter: matrix", "arbiter: weighted_round_robin, weights: [2, 3]", "arbiter: lottery, weights: [2]", "output: queue, arbiter: round_robin", "output: queue, queue_frames: 2", "cap: 2, cap_arbiter: matrix"),
			processors-1, 1+draw.IntN(3))
		return b.String()
	}
	kinds := make([]string, 1+draw.IntN(4))
	fmt.Fprintf(&b, "    access: mixed\n    nodes:\n      \"p[0..%d]\": processor\n", processors-1)
	for s := range kinds {
		passive := []string{"star", aligned, "{kind: bus}", "{kind: bus, align: true}"}
		kind := one(append(passive, "{kind: bus, arbiter: fixed}", "{kind: bus, arbiter: round_robin}", "{kind: bus, arbiter: matrix}", "{kind: bus, arbiter: tdma}",
			"{kind: bus, arbiter: weighted_round_robin, weights: [3]}", "{kind: bus, arbiter: lottery}", "{kind: crossbar, arbiter: lottery}",
			"crossbar", "{kind: crossbar, arbiter: round_robin}", "{kind: crossbar, arbiter: matrix}", "{kind: crossbar, cap: 1}")...)
		if s == 0 && slices.Contains(passive, kind) {
			kind = "{kind: crossbar, cap: 2, cap_arbiter: round_robin}"
		}
		kinds[s] = kind
		fmt.Fprintf(&b, "      \"s[%d]\": %s\n", s, kind)
	}
	if draw.IntN(2) == 0 {
		fmt.Fprintf(&b, "      x: crossbar\n    links:\n      - [\"p[0..%d]:0\", x]\n", processors-1)
	} else {
		fmt.Fprintf(&b, "      y: {kind: bus, arbiter: fixed}\n    links:\n      - [\"p[0..%d]:0\", y]\n", processors-1)
	}
	var links strings.Builder
	randomLinks(&links, draw, processors, kinds, "mixed")
	b.WriteString(portAfter.ReplaceAllStringFunc(links.String(), func(end string) string { // port 0 is at x or y
		var p, port int
		if _, err := fmt.Sscanf(end, "\"p[%d]:%d\"", &p, &port); err != nil {
			panic(err)
		}
		return fmt.Sprintf("\"p[%d]:%d\"", p, port+1)
	}))
	return b.String()
}

// portAfter is an end of a link.
var portAfter = regexp.MustCompile(`"p\[[0-9]+\]:[0-9]+"`)

// drawnMixed is a netlist whose processors have a port on a star, one on a bus with an arbiter, one into a crossbar.
const drawnMixed = `fabric:
  netlist:
    nodes:
      "p[0..4]": processor
      hub: star
      wire: {kind: bus, arbiter: round_robin}
      x: {kind: crossbar, arbiter: matrix}
    links:
      - ["p[0..4]:0", hub]
      - {endpoints: ["p[0..4]:1", wire], latency: 3}
      - ["p[0..4]:2", x]
      - {endpoints: ["p[0]:3", "p[4]:3"], duplex: half}
`

// TestNetlistMixed tests NICs with free and requesting lanes: both engines in all divisions, saved, restored and
// captured, with faults and RTL.
func TestNetlistMixed(t *testing.T) {
	rtl := []starloom.RTL{{Replace: "netlist.hub.end", Twin: "star_coupler"}, {Replace: "netlist.wire.arbiter", Twin: "arbiter_round_robin"}, {Replace: "netlist.wire.taps", Twin: "bus_taps"},
		{Replace: "netlist.x.output[2].arbiter", Twin: "arbiter_matrix"}, {Replace: "netlist.x.output[1].filter", Twin: "output_filter"}, {Replace: "netlist.x.input[3]", Twin: "crosspoint"},
		{Replace: "netlist.wire.fibre", Twin: "link"}, {Replace: "netlist.p[2].port[*].tx", Twin: "requester"}, {Replace: "netlist.p[1].port[*].rx", Twin: "deserialiser"}}
	flood := Flood{Fabric: parsed(t, drawnMixed+"firmware: {image: x.wasm}").Fabric, RTL: rtl}
	flood.Run(t)
	t.Run("order", func(t *testing.T) {
		var capture bytes.Buffer
		m, err := flood.machine(t.Context(), floodRun{cut: cut{engine: starloom.EngineSlot}})
		require.NoError(t, err)
		recording, err := m.Record(starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)})
		require.NoError(t, err)
		_, err = finished(t.Context(), m)
		require.NoError(t, errors.Join(err, recording.Close(), m.Close()))
		read, err := pcapngtest.Read(capture.Bytes())
		require.NoError(t, err)
		last, frames := uint64(0), map[uint16]int{}
		for _, packet := range read.Packets {
			require.GreaterOrEqual(t, packet.PseudoHeader.Cycle(), last)
			last = packet.PseudoHeader.Cycle()
			frames[packet.PseudoHeader.Port()]++
		}
		require.Len(t, frames, 4) // by port
	})
}
