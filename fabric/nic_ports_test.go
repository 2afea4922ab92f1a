package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// TestNICPorts checks the numbering of nodes: port 0 of all processors, then port 1 of processors with one. A missing
// port means the last one.
func TestNICPorts(t *testing.T) {
	n := NewNICPorts([]uint16{1, 3, 2})
	want := [][2]int{{0, 0}, {1, 0}, {2, 0}, {1, 1}, {2, 1}, {1, 2}}
	for node, at := range want {
		processor, port := n.At(node)
		require.Equal(t, at, [2]int{processor, port})
		require.Equal(t, node, n.Node(processor, port))
	}
	require.Equal(t, []int{0, 4, 5}, []int{n.Node(0, 2), n.Node(2, 7), n.Node(1, 2)})
	require.Equal(t, []int{1, 3, 2}, []int{n.Ports(0), n.Ports(1), n.Ports(2)})
	n = nil
	require.Equal(t, []int{7, 1}, []int{n.Node(7, 3), n.Ports(7)})
}

// TestLeaves checks classes: the port with several ports, the low bits of the tag with one. The rest of the tag
// selects a VC.
func TestLeaves(t *testing.T) {
	r := &Routers{Config: hw.RouterConfig{VCs: 6, Classes: 2}, NIC: NewNICPorts([]uint16{1, 3})}
	for _, c := range []struct {
		processor, port int
		tag             uint16
		to              int
		turn, tag3      hw.VCRange
	}{
		{0, 0, 0, 0, hw.VCRange{Low: 0, High: 2}, hw.VCRange{Low: 0, High: 0}},
		{0, 0, 5, 1, hw.VCRange{Low: 3, High: 5}, hw.VCRange{Low: 5, High: 5}}, // class 1, and 2 is left
		{0, 0, 9, 1, hw.VCRange{Low: 3, High: 5}, hw.VCRange{Low: 4, High: 4}}, // 4 is left
		{1, 0, 5, 0, hw.VCRange{Low: 0, High: 2}, hw.VCRange{Low: 2, High: 2}},
		{1, 1, 5, 1, hw.VCRange{Low: 3, High: 5}, hw.VCRange{Low: 5, High: 5}},
		{1, 2, 4, 2, hw.VCRange{Low: 0, High: 2}, hw.VCRange{Low: 1, High: 1}}, // three ports, two classes
	} {
		to, class, left := r.Leaves(c.processor, c.port, c.tag)
		require.Equal(t, c.to, to)
		r.ByTag = false
		require.Equal(t, c.turn, r.VCs(class, left))
		r.ByTag = true
		require.Equal(t, c.tag3, r.VCs(class, left))
	}
}

// TestChosen requires that frames are restricted to some virtual channels only with classes or ByTag.
func TestChosen(t *testing.T) {
	for classes := range 3 {
		for _, byTag := range []bool{false, true} {
			r := &Routers{Config: hw.RouterConfig{VCs: 2, Classes: classes}, ByTag: byTag}
			require.Equal(t, byTag || classes == 2, r.Chosen())
		}
	}
}
