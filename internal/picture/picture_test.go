package picture_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/crossbar"
	"starloom/fabric/ej"
	"starloom/fabric/pops"
	"starloom/hw"
	"starloom/internal/picture"
)

// drawn is a picture, which is XML, the same each time, and small.
func drawn(t *testing.T, p interface{ SVG() ([]byte, error) }) string {
	svg, err := p.SVG()
	require.NoError(t, err)
	again, err := p.SVG()
	require.NoError(t, err)
	require.Equal(t, string(svg), string(again))
	elements := 0
	for decoder := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	require.LessOrEqual(t, elements, 3000)
	return string(svg)
}

// TestLatency: bars count what takes so long, quantiles at one place are one line, and a long tail is left out and
// counted.
func TestLatency(t *testing.T) {
	svg := drawn(t, picture.PacketLatency("net", "slots", "From here to there", [][2]uint64{{1, 999_000}, {2, 1000}, {400, 3}}, 7))
	for _, want := range []string{"<title>net</title>", ">net: latency of packets<", "median, 95 %, 99 %: 1", "Not " +
		"drawn: 7 packets in flight when the run ended, or lost.",
		"Not drawn: 3 packets with longer latencies, up to 400 slots."} {
		require.Contains(t, svg, want)
	}
	require.Contains(t, drawn(t, picture.PacketLatency("net", "slots", "From here to there", nil, 0)), "No packets have arrived.")
	require.Contains(t, drawn(t, picture.PacketLatency("net", "slots", "From here to "+
		"there", [][2]uint64{{100, 1}, {1000, 1}}, 0)), "A bar covers 20 slots.")
}

// TestTopologyCrossing: a coupler of POPS(d,g) has one group that sends and one that hears, by its number; on a
// crossbar all send to all. Of large networks a part is drawn, which is closed: what it sends on is heard in it.
func TestTopologyCrossing(t *testing.T) {
	top := picture.TopologyOf(&pops.Network{Groups: 3, GroupSize: 2}, "net", []picture.Violation{
		{Slot: 4, Rule: "collision_free", Path: "pops.group[1].coupler[2]"}, {Slot: 5, Rule: "firmware_trap", Path: "pops.group[2].nic[1]"},
	}, []picture.Violation{{Slot: 2, Rule: "stuck", Path: "pops.group[0].coupler[1].fibre"}, {Slot: 3, Rule: "dead", Path: "pops.group[2].nic[0]"}})
	require.Equal(t, []string{"pops.group[0]", "pops.group[1]", "pops.group[2]"}, top.Rows)
	require.Len(t, top.Columns, 9)
	for row := range 3 {
		for column := range 9 {
			require.Equal(t, column/3 == row, top.Sends[row][column])
			require.Equal(t, column%3 == row, top.Hears[row][column])
		}
	}
	text := drawn(t, top)
	for _, want := range []string{"pops.group[1].coupler[2]: collision_free in slot 4", "pops.group[2]: firmware_trap " +
		"in slot 5", "A row combines 2 processors.", ">a rule was broken<",
		"pops.group[0].coupler[1]: the fault stuck struck first in slot 2", "pops.group[2]: the fault dead struck first in slot 3", ">a fault struck here first<"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "pops.group[0]: the fault", "a coupler is not within its group")
	top = picture.TopologyOf(&pops.Network{Groups: 1024, GroupSize: 1024}, "net", nil, nil)
	require.Len(t, top.Rows, 8)
	require.Len(t, top.Columns, 64)
	require.Contains(t, drawn(t, top), "The picture shows 8 of 1024 groups and 64 of 1048576 couplers.")
	top = picture.TopologyOf(crossbar.Network{Ports: 5}, "net", nil, nil)
	for row := range 5 {
		for column := range 5 {
			require.True(t, top.Sends[row][column])
			require.Equal(t, row == column, top.Hears[row][column])
		}
	}
}

// TestTopologyPlane checks that each node of an Eisenstein-Jacobi network has six links, that links that leave the
// plane name the node at their other end, and that a large plane is reduced to the nodes around node 0.
func TestTopologyPlane(t *testing.T) {
	net := ej.Network{A: 3, B: 4, Dimensions: 1}
	top := picture.TopologyOf(net, "net", nil, nil)
	require.Len(t, top.Nodes, 37)
	require.NotContains(t, drawn(t, top), "a fault struck")
	struck := picture.TopologyOf(net, "net", nil, []picture.Violation{{Slot: 1, Rule: "drop", Path: net.Names().Link(0)}, {Rule: "dead", Path: net.Names().Processor(7)}})
	for _, want := range []string{"the fault drop struck first in slot 1", net.Names().Processor(7) + ": the fault dead struck first in slot 0", ">a fault struck here first<"} {
		require.Contains(t, drawn(t, struck), want)
	}
	ends := map[int]int{}
	for _, l := range top.Links {
		require.False(t, l.To >= 0 && l.OneWay, "%+v", l)
		ends[l.From]++
		if l.To >= 0 {
			ends[l.To]++
		} else {
			require.GreaterOrEqual(t, l.Number, 0)
		}
	}
	for node := range 37 {
		require.Equal(t, 6, ends[node])
	}
	top = picture.TopologyOf(ej.Network{A: 3, B: 4, Dimensions: 4}, "net", nil, nil)
	require.Len(t, top.Nodes, 37)
	require.Contains(t, drawn(t, top), "the network has 1874161 processors")
	top = picture.TopologyOf(ej.Network{A: 100, B: 101, Dimensions: 1}, "net", nil, nil)
	require.Len(t, top.Nodes, 385)
	require.Contains(t, drawn(t, top), "The picture shows 385 of the 30301 processors of this plane")
}

// TestHeatOfNothing: a run without frames has a picture, too.
func TestHeatOfNothing(t *testing.T) {
	c := picture.Look(&pops.Network{Groups: 2, GroupSize: 2}, 1, 0, true)
	for slot := range uint32(3) {
		c.Boundary(slot)
	}
	require.Contains(t, drawn(t, c.Heat("idle")), "No frames met.")
	require.Contains(t, drawn(t, picture.Look(&pops.Network{Groups: 2, GroupSize: 2}, 1, 0, true).Heat("no slot")), "frames in a slot")
}

// pair are two routers, joined both ways.
type pair struct{ fabric.Network }

func (pair) Abilities() fabric.Abilities {
	return fabric.Abilities{
		Routers: &fabric.Routers{Graph: hw.RouterGraph{Ports: []int{1, 1},
			Links: []hw.RouterLink{{From: 0, To: 1}, {From: 1, To: 0}}}},
		Description: fabric.Description{Routers: func() (fabric.Sketch, bool) {
			return fabric.Sketch{Processors: []fabric.Spot{{}, {Place: fabric.Place{X: 1}}}}, true
		}},
	}
}

// TestRoutersAreCalledSo: who cannot see a picture of routers is told that they are some.
func TestRoutersAreCalledSo(t *testing.T) {
	require.Contains(t, drawn(t, picture.RoutersOf(pair{}, "net", []float64{0.5, 0.25}, nil)), "2 routers, 2 links, one for each direction.")
}
