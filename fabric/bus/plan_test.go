package bus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/bus/gossip"
	"starloom/fabric/contend"
	"starloom/traces/input"
)

// TestPlanOfSteps: a set of vertices is one bus for all its senders; buses are numbered by first
// use, and the ports of a vertex are its buses in that order.
func TestPlanOfSteps(t *testing.T) {
	p := PlanSteps(5, []gossip.Step{
		{{Sender: 3, Receivers: []int{1}}, {Sender: 2, Receivers: []int{0}}},
		{{Sender: 1, Receivers: []int{3, 0}}},
		{{Sender: 1, Receivers: []int{3}}, {Sender: 0, Receivers: []int{2}}},
		{{Sender: 0, Receivers: []int{3, 1}}},
	})
	require.Equal(t, [][]int{{1, 3}, {0, 2}, {0, 1, 3}}, p.Buses)
	require.Equal(t, [][]int{{0, 1}, {2}, {0, 1}, {2}}, p.Steps)
	require.Equal(t, []int{2, 2, 1, 2, 0}, []int{p.Ports(0), p.Ports(1), p.Ports(2), p.Ports(3), p.Ports(4)})
	require.Equal(t, 1, p.Port(3, 2))
	require.Equal(t, 0, p.Port(0, 1))
	require.Equal(t, -1, p.Port(0, 0))
	require.Equal(t, -1, p.Port(4, 2))
}

// TestOnlyUsedBuses: in gossip a vertex has at most as many buses as there are steps, and every bus
// is used by all of its vertices at once.
func TestOnlyUsedBuses(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {37, 4}, {100, 3}, {160, 16}, {1000, 5}} {
		n, l := size[0], size[1]
		b := Network{Vertices: n, Length: l}.adapt("bus/two-phase", "", nil).(Network)
		require.NoError(t, b.Check())
		p, used := b.Plan(), map[int]bool{}
		require.Len(t, p.Steps, gossip.Length(n, l))
		for t, step := range gossip.TwoPhase(n, l) {
			for i, bus := range step {
				used[p.Steps[t][i]] = len(bus.Receivers)+1 == len(p.Buses[p.Steps[t][i]])
			}
		}
		require.Len(t, used, len(p.Buses))
		for bus, whole := range used {
			require.True(t, whole, "bus %d", bus)
		}
		require.LessOrEqual(t, b.Shape().Ports, len(p.Steps))
		require.Equal(t, len(p.Buses), b.Shape().Media)
	}
}

func TestNames(t *testing.T) {
	b := Network{Vertices: 5, Buses: [][]int{{4, 0, 1}, {1, 2}}}.adapt("", "", nil).(Network)
	require.NoError(t, b.Check())
	names := b.Names()
	require.Equal(t, "bus.nic[4]", names.Processor(4))
	require.Equal(t, "bus.bus[0].tap[2]", names.Port(1, 0))
	require.Equal(t, "bus.bus[1].tap[0]", names.Port(1, 1))
	require.Equal(t, "bus.nic[3].port[0]", names.Port(3, 0), "it has no tap")
	require.Equal(t, "bus.bus[1]", names.Medium(1))
	require.Equal(t, "bus.bus[1].wire", names.Link(1))
	require.Equal(t, 1, names.HeardOn(1, 1))
	require.Equal(t, 0, names.SentOn(4, 0, 2))
	require.Equal(t, 3, b.switched().Most, "the largest of buses")
	b.Length = 2
	require.Equal(t, 2, b.switched().Most)
}

// TestLengthIsALimit: above the number of vertices nothing reaches it, below that of a bus's taps
// not all of its vertices may be there at once.
func TestLengthIsALimit(t *testing.T) {
	long := Network{Vertices: 5, Length: 1<<31 - 1}.adapt("bus/two-phase", "", nil).(Network)
	require.NoError(t, long.Check())
	require.Len(t, long.Plan().Steps, gossip.Length(5, 5))
	require.EqualValues(t, 5, long.Shape().Words[1])
	short := Network{Vertices: 5, Length: 2, Buses: [][]int{{0, 1, 2, 3, 4}}}.adapt("", "", nil).(Network)
	require.NoError(t, short.Check())
	require.EqualValues(t, 2, short.Shape().Words[1])
}

// TestCheck: networks built in Go are rejected with the key of the wrong value.
func TestCheck(t *testing.T) {
	pair := [][]int{{0, 1}}
	for _, c := range []struct {
		program string
		network Network
		key     string
	}{
		{"", Network{Vertices: 1, Buses: pair}, "vertices"},
		{"", Network{Vertices: VerticesMax + 1, Buses: pair}, "vertices"},
		{"", Network{Vertices: -1 << 63, Buses: pair}, "vertices"},
		{"", Network{Vertices: 4, Length: 1, Buses: pair}, "length"},
		{"", Network{Vertices: 4, Length: -2, Buses: pair}, "length"},
		{"", Network{Vertices: 4, Buses: pair, ArbiterKeys: contend.ArbiterKeys{Arbiter: "raffle"}}, "arbiter"},
		{"", Network{Vertices: 4}, "buses"},
		{"", Network{Vertices: 4, Buses: make([][]int, BusesMax+1)}, "buses"},
		{"", Network{Vertices: 4, Buses: [][]int{{0, 1}, {3}}}, "buses[1]"},
		{"", Network{Vertices: 4, Buses: [][]int{{0, 1}, {3, 0, 4}}}, "buses[1][2]"},
		{"", Network{Vertices: 4, Buses: [][]int{{0, 1, 0}}}, "buses[0][2]"},
		{"bus/naive", Network{Vertices: 4}, "length"},
		{"bus/naive", Network{Vertices: 4, Length: 2, Buses: pair}, "buses"},
		{"bus/naive", Network{Vertices: 4, Length: 2, ArbiterKeys: contend.ArbiterKeys{Arbiter: "tdma"}}, "arbiter"},
	} {
		var refused *input.Error
		require.ErrorAs(t, c.network.adapt(c.program, "", nil).Check(), &refused, "%+v", c)
		require.Equal(t, "fabric.bus."+c.key, refused.Place)
		require.NotEmpty(t, refused.Reason)
		require.NotEmpty(t, refused.Remedy)
	}
}
