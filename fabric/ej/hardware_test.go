package ej

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/ej/eisenstein"
)

// TestWiring: for every alpha a frame arrives at the opposite port of the neighbour, on the medium
// that is named after the link between the two nodes.
func TestWiring(t *testing.T) {
	networks := []Network{{A: 1, B: 2, Dimensions: 3}, {A: 2, B: 2, Dimensions: 2}, {A: 0, B: 3, Dimensions: 2}}
	for b := 1; b <= 7; b++ {
		for a := 0; a <= b; a++ {
			if e := (Network{A: a, B: b, Dimensions: 1}); e.Check() == nil {
				networks = append(networks, e)
			}
		}
	}
	require.Len(t, networks, 3+35-3)
	for _, e := range networks {
		torus, names := e.torus(), e.Names()
		hears := e.hears(torus)
		_, err := hears.Readers(e.nodes() * e.ports())
		require.NoError(t, err)
		sender := map[uint32]uint32{} // by medium
		from, to := e.ends(torus)
		for i, medium := range to {
			require.NotContains(t, sender, medium)
			sender[medium] = from[i]
		}
		require.Len(t, sender, e.nodes()*e.ports())
		for node := range e.nodes() {
			for port := range e.ports() {
				medium := hears.Wire(node, port)
				neighbour := torus.Neighbour(node, port/6+1, port%6)
				require.EqualValues(t, neighbour*e.ports()+opposite(port), sender[medium], "%+v", e)
				require.Equal(t, int(medium), names.HeardOn(node, uint16(port)))
				require.Equal(t, int(medium), names.SentOn(neighbour, uint16(opposite(port)), 0))
				owner, direction, way := node, port%6, "in" // the light comes to the link's owner
				if direction >= 3 {
					owner, direction, way = neighbour, direction-3, "out"
				}
				require.Equal(t, fmt.Sprintf("ej.node[%d].dim[%d].link[%s].%s", owner, port/6+1, eisenstein.Directions[direction], way), names.Medium(int(medium)))
				require.True(t, strings.HasSuffix(names.Port(node, uint16(port)), fmt.Sprintf("dim[%d].port[%s]", port/6+1, eisenstein.Directions[port%6])))
			}
		}
	}
}
