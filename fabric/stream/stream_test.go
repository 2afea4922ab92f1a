package stream

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// TestFlow requires one order per class, for all its channels.
func TestFlow(t *testing.T) {
	p := &hw.Packets{FirstVC: []uint8{0, 1, 2, 3, 4, 5}}
	s := &Stream{network: &hw.FedNetwork{RouterNetwork: &hw.RouterNetwork{Packets: p}}}
	s.routers = &fabric.Routers{Config: hw.RouterConfig{VCs: 6, Classes: 2}}
	for packet, vc := range p.FirstVC {
		require.Equal(t, uint32(2*7+vc/3), s.flow(7, uint32(packet)))
	}
	p.FirstVC = nil
	require.EqualValues(t, 7, s.flow(7, 0))
}
