package hw

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seen holds the values of all signals of a network for an observer that reads only groups that have moved.
type seen struct {
	signals *RouterSignals
	probes  []Probe
	byPath  map[string]int
	groups  [][]int // probes by group
	values  []uint64
	looks   int // number of groups read
}

func look(n *RouterNetwork) *seen {
	s := &seen{byPath: map[string]int{}}
	node := func(node int) string { return Index("net.p", node) }
	s.signals = n.Signals(node, PacketNumbers{32, func(packet uint32) uint64 { return uint64(packet) }})
	s.signals.Groups(func(group int, p Probe) {
		for len(s.groups) <= group {
			s.groups = append(s.groups, nil)
		}
		s.byPath[p.Path] = len(s.probes)
		s.groups[group] = append(s.groups[group], len(s.probes))
		s.probes = append(s.probes, p)
	})
	s.values = make([]uint64, len(s.probes))
	return s
}

// cycle reads the groups that have moved, and requires that no other signal has changed.
func (s *seen) cycle(t testing.TB, cycle uint64) {
	s.signals.Moved(func(group int) {
		s.looks++
		for _, i := range s.groups[group] {
			s.values[i] = s.probes[i].Value()
		}
	})
	for i := range s.probes {
		p := &s.probes[i]
		if value := p.Value(); value != s.values[i] {
			require.Equal(t, value, s.values[i], "%s in cycle %d", p.Path, cycle)
		} else if value>>p.Bits != 0 {
			require.Fail(t, "too wide", "%s is %d", p.Path, value)
		}
	}
}

func (s *seen) value(path string) uint64 { return s.values[s.byPath[path]] }

// TestRouterSignalsAsBookSim requires that waveforms show every packet as logged by BookSim, also when only moving
// groups are read: its head leaves the source in the cycle after sending and passes as many routers as hops, and its
// tail reaches the sink.
func TestRouterSignalsAsBookSim(t *testing.T) {
	for _, g := range goldens()[:3] {
		packets, logged := readGolden(t, g.name)
		k, n := newTestNetwork(t, g.top, g.config, packets, 5, 2)
		n.Routers.general = g.name == "m44_la"
		s := look(n)
		require.Len(t, s.byPath, len(s.probes))
		sent, received, hops := map[uint64]uint64{}, map[uint64]uint64{}, map[uint64]uint16{}
		cycles := 0
		for !n.Done() {
			k.DriveAndSettle()
			s.cycle(t, k.Cycle())
			for i := range s.probes {
				path, lit := strings.CutSuffix(s.probes[i].Path, ".flit.valid")
				if !lit || s.values[i] == 0 {
					continue
				}
				packet := s.value(path + ".flit.packet")
				require.EqualValues(t, packets.Destination[packet], s.value(path+".flit.destination"))
				switch head, tail := s.value(path+".flit.head"), s.value(path+".flit.tail"); {
				case strings.HasSuffix(path, ".out") && head == 1:
					sent[packet] = k.Cycle() - 1
				case strings.HasSuffix(path, ".in") && tail == 1:
					received[packet] = k.Cycle()
				case strings.Contains(path, ".input[") && head == 1:
					hops[packet]++
				}
			}
			k.Latch()
			cycles++
		}
		for i := range uint64(packets.Count()) {
			require.EqualValues(t, []any{logged.Sent[i], logged.Received[i], logged.Hops[i]},
				[]any{uint32(sent[i]), uint32(received[i]), hops[i]}, "%s: packet %d", g.name, i)
		}
		require.Less(t, s.looks, cycles*len(s.groups))
	}
}

// TestRouterSignals compares a packet of two flits with the diagram of Routers; the next router, with one place per
// VC, blocks it.
func TestRouterSignals(t *testing.T) {
	packets := &Packets{}
	packets.Add(0, 1, 2, 0)
	k, n := newTestNetwork(t, mesh(2, 1), RouterConfig{VCs: 2, Depth: 1, RoutingDelay: 1}, packets, 1, 1)
	s := look(n)
	var rows []string
	for !n.Done() {
		k.DriveAndSettle()
		s.cycle(t, k.Cycle())
		in, out := "net.router[0].input[2]", "net.router[0].output[0]"
		rows = append(rows, fmt.Sprintf("%2d  in %d %-7s count %d to %d.%d credit %d  out %d credits %d owned %d credit %d  source credits %d", k.Cycle(),
			s.value(in+".flit.valid"), vcStates[s.value(in+".vc[0].state")], s.value(in+".vc[0].count"), s.value(in+".vc[0].output"),
			s.value(in+".vc[0].output_vc"), s.value(in+".credit.valid"), s.value(out+".flit.valid"), s.value(out+".vc[0].credits"),
			s.value(out+".vc[0].owned"), s.value(out+".credit.valid"), s.value("net.p[0].out.vc[0].credits")))
		k.Latch()
	}
	require.Equal(t, strings.Trim(`
 0  in 0 idle    count 0 to 0.0 credit 0  out 0 credits 1 owned 0 credit 0  source credits 1
 1  in 0 idle    count 0 to 0.0 credit 0  out 0 credits 1 owned 0 credit 0  source credits 0
 2  in 1 routing count 0 to 0.0 credit 0  out 0 credits 1 owned 0 credit 0  source credits 0
 3  in 0 waiting count 1 to 0.0 credit 0  out 0 credits 1 owned 0 credit 0  source credits 0
 4  in 0 active  count 1 to 0.0 credit 0  out 0 credits 1 owned 1 credit 0  source credits 0
 5  in 0 active  count 0 to 0.0 credit 1  out 0 credits 0 owned 1 credit 0  source credits 0
 6  in 0 active  count 0 to 0.0 credit 0  out 1 credits 0 owned 1 credit 0  source credits 0
 7  in 0 active  count 0 to 0.0 credit 0  out 0 credits 0 owned 1 credit 0  source credits 0
 8  in 1 active  count 0 to 0.0 credit 0  out 0 credits 0 owned 1 credit 0  source credits 0
 9  in 0 active  count 1 to 0.0 credit 0  out 0 credits 0 owned 1 credit 0  source credits 0
10  in 0 active  count 1 to 0.0 credit 0  out 0 credits 0 owned 1 credit 0  source credits 0
11  in 0 active  count 1 to 0.0 credit 0  out 0 credits 0 owned 1 credit 1  source credits 0
12  in 0 idle    count 0 to 0.0 credit 1  out 0 credits 0 owned 0 credit 0  source credits 0
13  in 0 idle    count 0 to 0.0 credit 0  out 1 credits 0 owned 0 credit 0  source credits 0
14  in 0 idle    count 0 to 0.0 credit 0  out 0 credits 0 owned 0 credit 0  source credits 1
15  in 0 idle    count 0 to 0.0 credit 0  out 0 credits 0 owned 0 credit 0  source credits 1
16  in 0 idle    count 0 to 0.0 credit 0  out 0 credits 0 owned 0 credit 1  source credits 1
17  in 0 idle    count 0 to 0.0 credit 0  out 0 credits 1 owned 0 credit 0  source credits 1
`, "\n"), strings.Join(rows, "\n"))
}

// TestRouterSignalsAfterAGap requires that an observer sees everything after a gap.
func TestRouterSignalsAfterAGap(t *testing.T) {
	packets, _ := readGolden(t, "m44_p5")
	g := goldens()[2]
	k, n := newTestNetwork(t, g.top, g.config, packets, 16, 1)
	s := look(n)
	for range 30 {
		for range 7 {
			k.DriveAndSettle()
			k.Latch()
		}
		k.DriveAndSettle()
		s.cycle(t, k.Cycle())
		k.Latch()
	}
	require.Equal(t, 30*len(s.groups), s.looks)
}
