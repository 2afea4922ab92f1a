package netlist

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeader: the names in the firmware header have the numbers of the netlist; names that are
// equal in C are rejected.
func TestHeader(t *testing.T) {
	n, err := read(t, "nodes: {\"row[1].p[0..1]\": {kind: processor, ports: [east, +x]}, hub: star}\nlinks: [[\"row[1].p[0]:east\", \"row[1].p[1]:east\"], [\"row[1].p[0..1]:+x\", hub]]")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, n.WriteHeader(&b))
	for _, line := range []string{"NET_PROCESSORS 2", "NET_PORTS 2", "NET_MEDIA 3", "NET_ROW1_P1 1", "NET_ROW1_P1_EAST 0", "NET_ROW1_P1_PLUS_X 1", "NET_HUB 0"} {
		require.Contains(t, b.String(), "#define "+line+"\n")
	}
	n, err = read(t, "nodes: {\"p[1]\": processor, p1: processor}\nlinks: [[\"p[1]\", p1]]")
	require.NoError(t, err)
	require.ErrorContains(t, n.WriteHeader(&b), "p[1] and p1 are both NET_P1 in C; rename one")
}

// TestShapesOfMedia: stars, buses and crossbars are distinguished in C and in Graphviz.
func TestShapesOfMedia(t *testing.T) {
	n, err := read(t, `nodes: {"p[0..1]": processor, s: star, b: {kind: bus, arbiter: fixed}, x: crossbar}`+"\nlinks: [['p[0..1]', s], ['p[0..1]', b], ['p[0..1]', x]]")
	require.NoError(t, err)
	var header, dot strings.Builder
	require.NoError(t, n.WriteHeader(&header))
	require.Contains(t, header.String(), "#define NET_S 0\n#define NET_B 1\n#define NET_X 2\n")
	require.NoError(t, n.WriteDOT(&dot))
	for _, shape := range []string{`"s" [shape=circle]`, `"b" [shape=hexagon]`, `"x" [shape=diamond]`} {
		require.Contains(t, dot.String(), shape)
	}
}
