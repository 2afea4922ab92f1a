package fabrictest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
)

// builtIn is the network of a scenario from a file.
func builtIn(s *starloom.Scenario) fabric.Network {
	switch {
	case s.Fabric.POPS != nil:
		return *s.Fabric.POPS
	case s.Fabric.EJ != nil:
		return *s.Fabric.EJ
	case s.Fabric.Crossbar != nil:
		return *s.Fabric.Crossbar
	}
	return *s.Fabric.Bus
}

func parsed(t testing.TB, text string) *starloom.Scenario {
	s, err := starloom.ParseScenario("netlist.yaml", []byte("starloom: 1\nname: netlist\n"+text+"\n"))
	require.NoError(t, err)
	return s
}

// mirrored are runs on networks of links and of stars.
var mirrored = map[string]string{
	"offline":       "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/offline}",
	"one to all":    "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 7}}",
	"random":        "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/random}\nstop: {slots: 200}",
	"corrected":     "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/random-corrected}",
	"sort":          "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/sort}",
	"two hops":      "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/two-hops}\nstop: {slots: 300}",
	"traffic":       "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/traffic}\nworkload: {traffic: {rate: 0.1, warm_up: 20, measure: 60, drain: 60}}",
	"half":          "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}",
	"full":          "fabric: {ej: {a: 3, b: 4, dimensions: 1, duplex: full}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 5}}",
	"misprinted":    "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/misprinted}\nworkload: {one_to_all: {source: 0}}",
	"star faults":   wiredScenarios["star faults"],
	"link faults":   wiredScenarios["link faults"],
	"half, crowded": wiredScenarios["all to all"],
}

// TestNetlistOf: a network of links or stars is what its netlist is: the same report, digest and capture in both engines.
func TestNetlistOf(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mirrored)) {
		t.Run(name, func(t *testing.T) {
			Reflected(t, func(t testing.TB, mirror func(fabric.Network) fabric.Network) *starloom.Scenario {
				s := parsed(t, mirrored[name])
				s.Fabric = starloom.Fabric{Custom: mirror(builtIn(s))}
				return s
			})
		})
	}
	t.Run("all permutations", func(t *testing.T) {
		var texts []string
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, reflected := range []bool{false, true} {
				s := parsed(t, "fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/offline}\nworkload: {permutation: all}")
				n, err := fabric.Network(*s.Fabric.POPS), error(nil)
				if reflected {
					n, err = Mirror(n)
					require.NoError(t, err)
				}
				s.Fabric = starloom.Fabric{Custom: n}
				o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}}
				report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 1}, o)
				require.NoError(t, err)
				var b bytes.Buffer
				require.NoError(t, report.WriteJSON(&b))
				texts = append(texts, strings.Replace(b.String(), `"engine": "cycle"`, `"engine": "slot"`, 1))
			}
		}
		require.Contains(t, texts[0], `"runs": 720`)
		require.Equal(t, slices.Repeat(texts[:1], 4), texts)
	})
}

// drawnPOPS is POPS(2,2) as a user draws it.
const drawnPOPS = `fabric:
  netlist:
    name: pops
    access: one
    words: [2, 2]
    nodes:
      "group[0..1].nic[0..1]": processor
      "group[0..1].coupler[0..1]": star
    links:            # port p of a transmitter leads to group p, that of a receiver hears group p
      - {endpoints: ["group[0].nic[0..1]:0", "group[0].coupler[0]"], oneway: true}
      - {endpoints: ["group[0].nic[0..1]:1", "group[0].coupler[1]"], oneway: true}
      - {endpoints: ["group[1].nic[0..1]:0", "group[1].coupler[0]"], oneway: true}
      - {endpoints: ["group[1].nic[0..1]:1", "group[1].coupler[1]"], oneway: true}
      - {endpoints: ["group[0].coupler[0]", "group[0].nic[0..1]:0"], oneway: true}
      - {endpoints: ["group[1].coupler[0]", "group[0].nic[0..1]:1"], oneway: true}
      - {endpoints: ["group[0].coupler[1]", "group[1].nic[0..1]:0"], oneway: true}
      - {endpoints: ["group[1].coupler[1]", "group[1].nic[0..1]:1"], oneway: true}
`

// TestNetlistDrawn: POPS(2,2) drawn by hand gives the digest and the capture of the built-in one, whatever firmware
// does on it. So the reader is not compared with itself.
func TestNetlistDrawn(t *testing.T) {
	for _, program := range []string{"random", "random-corrected", "two-hops"} {
		image, err := os.ReadFile(filepath.Join("..", "..", "firmware", "images", "pops", program+".wasm"))
		require.NoError(t, err)
		var digests []string
		var captures [][]byte
		for _, network := range []string{drawnPOPS, "fabric: {pops: {groups: 2, group_size: 2}}\n"} {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				s := parsed(t, network+"firmware: {image: x.wasm}\nworkload: {permutation: [3, 2, 0, 1]}\nrules: {exactly_once: true}\nstop: {slots: 200}")
				s.Firmware.ImageBytes = image
				var capture bytes.Buffer
				o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}, PCAPNG: starloom.Writer(&capture)}
				report, err := starloom.Run(t.Context(), s, o)
				require.NoError(t, err)
				require.Positive(t, report.Frames.Delivered)
				digests = append(digests, report.Digest)
				captures = append(captures, bytes.ReplaceAll(capture.Bytes(), []byte(s.Hash()), make([]byte, 64)))
			}
		}
		require.Equal(t, slices.Repeat(digests[:1], 4), digests)
		for _, capture := range captures[1:] {
			require.True(t, bytes.Equal(captures[0], capture), program)
		}
	}
}

// randomNetlist draws a netlist of 2 to 12 nodes: processors of any degree, stars, links of every kind.
func randomNetlist(draw *rand.Rand) string {
	processors, stars := 2+draw.IntN(7), draw.IntN(5)
	var b strings.Builder
	access := []string{"all", "one"}[draw.IntN(2)]
	fmt.Fprintf(&b, "fabric:\n  netlist:\n    access: %s\n    apart: true\n    nodes: {\"p[0..%d]\": processor", access, processors-1)
	if stars > 0 {
		fmt.Fprintf(&b, ", \"s[0..%d]\": star", stars-1)
	}
	b.WriteString("}\n    links:\n")
	ports := make([]int, processors)
	port := func(p int) string { ports[p]++; return fmt.Sprintf("\"p[%d]:%d\"", p, ports[p]-1) }
	option := func() string {
		if draw.IntN(3) == 0 {
			return fmt.Sprintf(", latency: %d", 1+draw.IntN(4))
		}
		return ""
	}
	for s := range stars {
		latency, sends, hears := option(), map[int]bool{}, map[int]bool{}
		fmt.Fprintf(&b, "      - {endpoints: [%s, \"s[%d]\"]%s}\n", port(s%processors), s, latency) // who sends and hears
		sends[s%processors], hears[s%processors] = true, true
		for range draw.IntN(4) {
			of, way := draw.IntN(processors), draw.IntN(3)
			switch { // by one port each way
			case sends[of] && hears[of]:
				continue
			case sends[of]:
				way = 1
			case hears[of]:
				way = 0
			}
			p := port(of)
			sends[of], hears[of] = sends[of] || way != 1, hears[of] || way != 0
			switch way {
			case 0:
				fmt.Fprintf(&b, "      - {endpoints: [%s, \"s[%d]\"], oneway: true}\n", p, s)
			case 1:
				fmt.Fprintf(&b, "      - {endpoints: [\"s[%d]\", %s]%s, oneway: true}\n", s, p, latency)
			default:
				fmt.Fprintf(&b, "      - {endpoints: [%s, \"s[%d]\"]%s}\n", p, s, latency)
			}
		}
	}
	for p := range processors { // no one is alone
		more := []string{"", ", oneway: true", ", duplex: half"}[draw.IntN(3)]
		fmt.Fprintf(&b, "      - {endpoints: [%s, %s]%s%s}\n", port(p), port((p+1+draw.IntN(processors-1))%processors), more, option())
	}
	return b.String()
}

// TestRandomNetlists: of netlists that are drawn both engines, any cut, and a run that is saved and restored say the same.
func TestRandomNetlists(t *testing.T) { randomNetlists(t, 40) }

// TestLongRandomNetlists are many of them.
func TestLongRandomNetlists(t *testing.T) {
	if *full {
		randomNetlists(t, 5000)
		return
	}
	randomNetlists(t, 400)
}

func randomNetlists(t *testing.T, count int) {
	draw := rand.New(rand.NewPCG(26, 1))
	for i := range count {
		text := randomNetlist(draw)
		s := parsed(t, text+"firmware: {image: x.wasm}")
		flood := Flood{Fabric: s.Fabric}
		kinds := flood.traffic()
		kind := kinds[draw.IntN(len(kinds))]
		kind.happens = func(*starloom.Report) error { return nil }
		kind.cuts = flood.oddCuts()
		if i%4 > 0 {
			kind.further = nil
		}
		require.NoError(t, flood.agree(t.Context(), &kind), "%d: %s\n%s", i, kind.name, text)
	}
}

// TestNetlistPrograms: the built-in programs carry their workloads on any netlist, in both engines.
func TestNetlistPrograms(t *testing.T) {
	draw := rand.New(rand.NewPCG(26, 2))
	ran := 0
	for ran < 24 {
		text := strings.Replace(randomNetlist(draw), "    apart: true\n", "", 1)
		if _, err := starloom.ParseScenario("n.yaml", []byte("starloom: 1\n"+text+"firmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 1}}\n")); err != nil {
			require.ErrorContains(t, err, "no way leads") // what is drawn may have parts
			continue
		}
		ran++
		for _, work := range []string{"firmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 1}}", fmt.Sprintf("seed: %d\nfirmware: {program: netlist/next-hop}", ran)} {
			if strings.Contains(work, "next-hop") && strings.Contains(text, "access: one") {
				continue
			}
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				report, err := starloom.Run(t.Context(), parsed(t, text+work), starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
				require.NoError(t, err)
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%s: %+v\n%s%s", engine, report.Violations, text, work)
			}
		}
	}
}
