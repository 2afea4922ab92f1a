package traffic

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/traffic"
	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// carriedPacket is a packet of a run: its row of the file of packets, in slots. none: it was not sent, or has not
// arrived.
type carriedPacket struct{ source, destination, size, created, sent, arrived, hops int }

const carriedNone = -1

// carry runs a scenario and returns its packets, source by source in the order in which they were created.
func carry(t *testing.T, text string) (*starloom.Report, []carriedPacket) {
	s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\n"+text))
	require.NoError(t, err)
	return carryScenario(t, s)
}

func carryScenario(t *testing.T, s *starloom.Scenario) (*starloom.Report, []carriedPacket) {
	m := systemtest.Machine(t, s, systemtest.With(starloom.MachineOptions{}, emulator.Options{Packets: true}))
	require.NoError(t, m.Run(t.Context(), nil))
	var file bytes.Buffer
	require.NoError(t, inside.Machine(m).Referee.(*traffic.Referee).WritePackets(&file))
	report := m.Report()
	rows, err := csv.NewReader(&file).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "id,source,destination,size,created,sent,received,hops,measured", strings.Join(rows[0], ","))
	cycles := m.Timing().SlotCycles()
	number := func(text string) int {
		if text == "" {
			return carriedNone
		}
		value, err := strconv.Atoi(text)
		require.NoError(t, err)
		return value
	}
	slot := func(text string) int {
		if text == "" {
			return carriedNone
		}
		return number(text) / cycles
	}
	var packets []carriedPacket
	for _, r := range rows[1:] {
		packets = append(packets,
			carriedPacket{number(r[1]), number(r[2]), number(r[3]), slot(r[4]), slot(r[5]), slot(r[6]), number(r[7])})
	}
	slices.SortStableFunc(packets, func(a, b carriedPacket) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.created, b.created))
	})
	return report, packets
}

// TestTrafficOnPOPSTurnByTurn: each frame of each packet leaves in the slot of its turn, which follows from the
// packets alone: the first one for the group of its destination that no packet before it has.
func TestTrafficOnPOPSTurnByTurn(t *testing.T) {
	for _, c := range []struct {
		d, g, queue int
		traffic     string
	}{
		{4, 4, 64, "rate: 0.15"},
		{3, 5, 64, "rate: 0.1, self: true, size: [1, {frames: 3, weight: 2}]"},
		{8, 2, 64, "rate: 0.2, arrivals: bursty, burst: 3, pattern: bit_reverse"},
		{1, 70, 64, "rate: 0.4"}, // more groups than the listening table has slots
		{2, 129, 16, "rate: 0.01, pattern: tornado"},
		{2, 3, 1, "rate: 0.3"}, // one packet waits here, the others where they are offered
		{3, 3, 64, "rate: 0.02, size: 20"},
	} {
		text := fmt.Sprintf("fabric: {pops: {groups: %d, group_size: %d}}\nfirmware: {program: pops/traffic, params: {queue: %d}}\n"+
			"workload: {traffic: {%s, warm_up: 0, measure: 700, drain: 100, overload: true}}\n", c.g, c.d, c.queue, c.traffic)
		report, packets := carry(t, text)
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.Greater(t, len(packets), 50)
		arrived, period, end := 0, c.d*c.g, int(report.Slots)
		free, over := map[[2]int]int{}, map[int]int{} // when a source may send to a group, and its last frame
		for _, p := range packets {
			from, to := p.source/c.d, p.destination/c.d
			turn := p.source%c.d*c.g + (to-from+c.g)%c.g
			first := max(p.created, free[[2]int{p.source, to}])
			if c.queue == 1 {
				first = max(first, over[p.source])
			}
			first += ((turn-first)%period + period) % period
			last := first + (p.size-1)*period
			free[[2]int{p.source, to}], over[p.source] = last+1, last+1
			if first < end {
				require.Equal(t, first, p.sent, "%+v: %+v", c, p)
			}
			if last < end-1 {
				require.Equal(t, last, p.arrived, "%+v: %+v", c, p)
				arrived++
			}
		}
		require.Greater(t, arrived, 20)
	}
}

// TestLongTrafficOnPOPSLaw: of uniform traffic a packet waits (d*g-1)/(2(1-d*r)) slots for its turn, on average, if it
// may go to its source: each of g queues of a source is a channel of time division multiplexing that has every (d*g)th
// slot.
func TestLongTrafficOnPOPSLaw(t *testing.T) {
	const seeds = 30
	for _, c := range []struct {
		d, g int
		rate float64
		self bool
	}{{4, 4, 0.15, true}, {2, 8, 0.3, true}, {8, 2, 0.05, true}, {4, 4, 0.15, false}} {
		var mean, square float64
		s, err := starloom.ParseScenario("law.yaml", []byte(fmt.Sprintf("starloom: 1\nfabric: {pops: {groups: %d, group_size: %d}}\nfirmware: {program: pops/traffic}\n"+
			"workload: {traffic: {rate: %v, self: %v, warm_up: 500, measure: 3000}}\n", c.g, c.d, c.rate, c.self)))
		require.NoError(t, err)
		m := systemtest.Machine(t, s, starloom.MachineOptions{})
		for seed := range uint64(seeds) {
			require.NoError(t, m.Reset(1000+seed))
			require.NoError(t, m.Run(t.Context(), nil))
			value, ok := m.Report().Metrics.Get("latency_slots.mean").(float64)
			require.True(t, ok)
			mean += value / seeds
			square += value * value / seeds
		}
		n, r := float64(c.d*c.g), c.rate
		law := 1 + (n-1)/(2*(1-float64(c.d)*r))
		if !c.self { // less goes to its own group
			own, other := float64(c.d-1)/(n-1), float64(c.d)/(n-1)
			law = 1 + own*(n-1)/(2*(1-n*r*own)) + float64(c.g-1)*other*(n-1)/(2*(1-n*r*other))
		}
		error := math.Sqrt((square - mean*mean) / (seeds - 1))
		t.Logf("%+v: latency %.3f, law %.3f, standard error %.3f", c, mean, law, error)
		require.InDelta(t, law, mean, 3*error, "%+v", c)
		require.Less(t, error, law/50)
	}
}

// TestLongTrafficOnEJWithoutLoad: from each node to each other one a packet takes as many hops as they are apart, and
// as many slots, for every alpha to 6+6*rho, in one dimension and more.
func TestLongTrafficOnEJWithoutLoad(t *testing.T) {
	networks := [][3]int{{1, 2, 2}, {0, 3, 2}, {2, 2, 2}, {1, 2, 3}}
	for b := 2; b <= 6; b++ {
		for a := range b + 1 {
			if _, err := eisenstein.New(a, b); err == nil {
				networks = append(networks, [3]int{a, b, 1})
			}
		}
	}
	for _, c := range networks {
		net := carryingTorus(t, c[0], c[1], c[2])
		nodes, quiet := net.Nodes(), c[2]*net.Diameter()+1
		s, err := starloom.ParseScenario("ej.yaml", []byte(fmt.Sprintf("starloom: 1\nfabric: {ej: {a: %d, b: %d, dimensions: %d}}\nfirmware: {program: ej/traffic}\n"+
			"workload: {traffic: {rate: 1}}\n", c[0], c[1], c[2])))
		require.NoError(t, err)
		cycles := uint64(systemtest.Machine(t, s, starloom.MachineOptions{}).Timing().SlotCycles())
		s.Workload.Traffic = &fabric.Traffic{Arrivals: fabric.ArrivalsFile}
		// All nodes send to the same difference at once, so that no two packets are on one link in a slot.
		for k := 1; k < nodes; k++ {
			for source := range nodes {
				s.Workload.Traffic.Rows = append(s.Workload.Traffic.Rows, fabric.TrafficRow{
					Created: uint64((k-1)*quiet) * cycles, Source: uint32(source), Destination: uint32(net.Add(source, k)), Size: 1,
				})
			}
		}
		report, packets := carryScenario(t, s)
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.Len(t, packets, nodes*(nodes-1))
		for _, p := range packets {
			distance := net.Distance(p.source, p.destination)
			require.Equal(t, [3]int{p.created, p.created + distance - 1, distance}, [3]int{p.sent, p.arrived, p.hops}, "%v: %+v", c, p)
		}
	}
}

func carryingTorus(t *testing.T, a, b, dimensions int) *eisenstein.Torus {
	field, err := eisenstein.New(a, b)
	require.NoError(t, err)
	net, err := eisenstein.NewTorus(field, dimensions)
	require.NoError(t, err)
	return net
}

// ejFrame is a frame on its way in ejModel.
type ejFrame struct {
	packet int // in packets
	ack    bool
	last   bool // of its packet
}

// ejModel is what ej/traffic does, in a few words: slot by slot, node by node.
type ejModel struct {
	net     *eisenstein.Torus
	packets []carriedPacket
	closed  int
	queues  [][]ejFrame // by node and port
	arrives [][]ejFrame // by node and port: what the slot brings
	sent    []int       // by packet: slots, as in carriedPacket
	arrived []int
	next    []int  // by node: its packet that is offered, or will be...
	end     []int  // ...up to this one
	shown   []bool // it is offered
	place   []int  // of the next frame of it
	open    []int  // packets that were offered, and are not acknowledged
	acked   []int  // those whose acknowledgement has come in this slot
}

func newEJModel(net *eisenstein.Torus, packets []carriedPacket, closed int) *ejModel {
	nodes, ports := net.Nodes(), 6*net.Dims
	m := &ejModel{net: net, packets: packets, closed: closed, queues: make([][]ejFrame, nodes*ports),
		arrives: make([][]ejFrame, nodes*ports)}
	m.sent, m.arrived = slices.Repeat([]int{carriedNone}, len(packets)), slices.Repeat([]int{carriedNone}, len(packets))
	column := func() []int { return make([]int, nodes) }
	m.next, m.end, m.shown, m.place, m.open, m.acked = column(), column(), make([]bool, nodes),
		column(), column(), column()
	for i, k := 0, 0; i < nodes; i++ {
		m.next[i] = k
		for k < len(packets) && packets[k].source == i {
			k++
		}
		m.end[i] = k
	}
	return m
}

// port is where a frame goes on from a node.
func (m *ejModel) port(node int, f ejFrame) int {
	home := m.packets[f.packet].destination
	if f.ack {
		home = m.packets[f.packet].source
	}
	for k := 1; ; k++ {
		if left := m.net.Field.Subtract(m.net.Coordinate(home, k), m.net.Coordinate(node, k)); left != 0 {
			return 6*(k-1) + m.net.Towards(left)
		}
	}
}

func (m *ejModel) put(node int, f ejFrame) {
	k := node*6*m.net.Dims + m.port(node, f)
	m.queues[k] = append(m.queues[k], f)
}

// receive takes in what the slot before a slot has brought.
func (m *ejModel) receive(node, slot int) {
	ports := 6 * m.net.Dims
	for k := node * ports; k < (node+1)*ports; k++ {
		for _, f := range m.arrives[k] {
			p := &m.packets[f.packet]
			switch {
			case f.ack && p.source == node:
				m.acked[node]++
			case !f.ack && p.destination == node:
				if f.last {
					m.arrived[f.packet] = slot - 1
				}
				if f.last && m.closed > 0 {
					m.put(node, ejFrame{packet: f.packet, ack: true})
				}
			default:
				m.put(node, f)
			}
		}
		m.arrives[k] = m.arrives[k][:0]
	}
}

// offer shows a packet that was created, unless too many are on their way.
func (m *ejModel) offer(node, slot int) {
	k := m.next[node]
	if !m.shown[node] && k < m.end[node] && m.packets[k].created <= slot && (m.closed == 0 || m.open[node] < m.closed) {
		m.shown[node] = true
		m.open[node]++
	}
}

// begin lets the next frame of the packet that is offered wait for its port, if no other does.
func (m *ejModel) begin(node int) {
	if !m.shown[node] {
		return
	}
	k := m.next[node]
	f := ejFrame{packet: k, last: m.place[node]+1 == m.packets[k].size}
	if len(m.queues[node*6*m.net.Dims+m.port(node, f)]) > 0 {
		return
	}
	m.put(node, f)
	if m.place[node]++; f.last {
		m.next[node], m.place[node], m.shown[node] = k+1, 0, false
	}
}

// send lets the first frame of each queue cross its link.
func (m *ejModel) send(node, slot int) {
	for port := range 6 * m.net.Dims {
		queue := &m.queues[node*6*m.net.Dims+port]
		if len(*queue) == 0 {
			continue
		}
		f := (*queue)[0]
		*queue = (*queue)[1:]
		if p := &m.packets[f.packet]; !f.ack && p.source == node && m.sent[f.packet] < 0 {
			m.sent[f.packet] = slot
		}
		other := m.net.Neighbour(node, port/6+1, port%6)
		k := other*6*m.net.Dims + port/6*6 + eisenstein.Opposite(port%6)
		m.arrives[k] = append(m.arrives[k], f)
	}
}

// run goes through so many slots.
func (m *ejModel) run(slots int) {
	nodes := m.net.Nodes()
	for slot := range slots + 1 {
		for node := range nodes {
			m.offer(node, slot)
			m.receive(node, slot)
			m.begin(node)
		}
		for node := range nodes {
			if slot < slots {
				m.send(node, slot)
			}
			m.open[node] -= m.acked[node]
			m.acked[node] = 0
		}
	}
}

// TestLongTrafficOnEJHopByHop: each packet leaves and arrives in the slots that a model of a few lines gives.
func TestLongTrafficOnEJHopByHop(t *testing.T) {
	for _, c := range []struct {
		a, b, dimensions int
		traffic          string
		closed           int
	}{
		{1, 3, 1, "rate: 1", 0},
		{3, 4, 1, "rate: 1, pattern: tornado", 0},
		{2, 2, 2, "rate: 0.5, size: [1, {frames: 4, weight: 1}]", 0},
		{1, 2, 3, "rate: 0.6", 0},
		{3, 4, 1, "rate: 0.7, closed: 1", 1},
		{0, 4, 2, "rate: 0.8, closed: 3, arrivals: bursty, size: 2", 3},
		{4, 5, 1, "rate: 0.1, pattern: hotspot, hotspots: [{node: 7, share: 0.5}]", 0},
	} {
		report, packets := carry(t, fmt.Sprintf("fabric: {ej: {a: %d, b: %d, dimensions: %d}}\nfirmware: {program: ej/traffic, params: {queue: 512}}\n"+
			"workload: {traffic: {%s, warm_up: 0, measure: 300, drain: 50, overload: true}}\n", c.a, c.b, c.dimensions, c.traffic))
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		model := newEJModel(carryingTorus(t, c.a, c.b, c.dimensions), packets, c.closed)
		model.run(int(report.Slots))
		waited := 0
		for i, p := range packets {
			require.Equal(t, [2]int{model.sent[i], model.arrived[i]}, [2]int{p.sent, p.arrived}, "%+v: packet %d, %+v", c, i, p)
			if p.arrived >= 0 && p.arrived-p.created >= p.hops {
				waited++
			}
		}
		require.Positive(t, waited, "where no packet waits nothing is compared")
	}
}

// TestTrafficOnEJClosed: where a source may have K packets that are not acknowledged, and each takes h hops there and h
// back, it sends K packets in 2h+1 slots: it is offered the next one in the slot after the acknowledgement has come.
func TestTrafficOnEJClosed(t *testing.T) {
	net := carryingTorus(t, 3, 4, 1)
	for _, c := range []struct {
		pattern string
		away    int // destination - source
		closed  int
	}{{"neighbour", 1, 1}, {"neighbour", 1, 2}, {"neighbour", 1, 3}, {"tornado", 18, 1}} {
		hops := net.Distance(0, c.away)
		report, _ := carry(t, fmt.Sprintf("fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/traffic}\n"+
			"workload: {traffic: {pattern: %s, rate: 1, closed: %d, warm_up: 20, measure: %d, drain: 0, overload: true}}\n", c.pattern, c.closed, 50*(2*hops+1)))
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		require.InDelta(t, float64(c.closed)/float64(2*hops+1), report.Metrics.Get("accepted"), 1e-12, "%+v, %d hops", c, hops)
	}
}

// TestTrafficOnCrossbarClosed: without contention a packet and its acknowledgement take a slot each, and the next
// packet is offered in the one after; but a port sends one frame in a slot, and has to send two for each packet.
func TestTrafficOnCrossbarClosed(t *testing.T) {
	for closed, want := range map[int]float64{1: 1. / 3, 2: 1. / 2, 5: 1. / 2} {
		report, _ := carry(t, fmt.Sprintf("fabric: {crossbar: {ports: 5}}\nfirmware: {program: crossbar/traffic}\n"+
			"workload: {traffic: {pattern: neighbour, rate: 1, closed: %d, warm_up: 60, measure: 600, drain: 0}}\n", closed))
		require.InDelta(t, want, report.Metrics.Get("accepted"), 1e-12, "closed: %d", closed)
	}
}

// TestTrafficRefused: what a network cannot carry is refused with its place and what to do.
func TestTrafficRefused(t *testing.T) {
	const pops, ej = "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/traffic", "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/traffic"
	for text, want := range map[string]string{
		pops + "}\nworkload: {traffic: {rate: 0.1, closed: " +
			"2}}": "4:41: closed is 2, but pops/traffic does not acknowledge packets; delete closed",
		"fabric: {bus: {vertices: 3, buses: [[0, 1, 2]]}}\nfirmware: {program: bus/traffic}\nworkload: {traffic: {rate: 0.1, closed: 2}}": "4:41: closed is 2, but bus/traffic does not acknowledge packets; delete closed",
		ej + "}\nworkload: {traffic: {rate: 0.1, self: " +
			"true}}": "4:39: pattern is uniform, but no link leads from processor 0 to itself; write self: false",
		ej + ", params: {queue: 0}}\nworkload: {traffic: {rate: 0.1}}":        "1 to 512",
		pops + ", params: {queue: 100000}}\nworkload: {traffic: {rate: 0.1}}": "1 to 16384",
		strings.Replace(ej, "dimensions: 1", "dimensions: 1, duplex: half",
			1) + "}\nworkload: {traffic: {rate: 0.1}}": "2:50: duplex is half, and ej/traffic sends in both directions of a " +
			"link; write duplex: full, or delete it",
	} {
		s, err := starloom.ParseScenario("bad.yaml", []byte("starloom: 1\n"+text+"\n"))
		if err == nil {
			_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		}
		require.ErrorContains(t, err, want)
	}
}

// TestTrafficPage: the image of docs/reference/traffic.md carries what crossbar/traffic carries, frame by frame.
func TestTrafficPage(t *testing.T) {
	page, err := os.ReadFile("docs/reference/traffic.md")
	require.NoError(t, err)
	_, code, ok := strings.Cut(string(page), "```c\n")
	require.True(t, ok)
	code, _, _ = strings.Cut(code, "```")
	dir := t.TempDir()
	source, image := filepath.Join(dir, "direct.c"), filepath.Join(dir, "direct.wasm")
	require.NoError(t, os.WriteFile(source, []byte(code), 0o644))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	const network, workload = "fabric: {crossbar: {ports: 5}}\n", "workload: {traffic: {rate: 0.3, size: [1, 2], warm_up: 10, measure: 200}}\n"
	report, packets := carry(t, network+"firmware: {program: crossbar/traffic}\n"+workload)
	own, same := carry(t, network+"firmware: {image: "+image+"}\n"+workload)
	require.Equal(t, packets, same)
	require.Equal(t, report.Digest, own.Digest)
	require.Equal(t, report.Metrics, own.Metrics)
}
