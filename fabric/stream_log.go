package fabric

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"starloom/hw"
)

// latencies are those of the frames that have come, in cycles: how many had each.
type latencies struct {
	whole, network map[uint64]uint64
	hops           uint64
}

func (l *latencies) note(whole, network uint32, hops uint16) {
	if l.whole == nil {
		l.whole, l.network = map[uint64]uint64{}, map[uint64]uint64{}
	}
	l.whole[uint64(whole)]++
	l.network[uint64(network)]++
	l.hops += uint64(hops)
}

// state visits them.
func (l *latencies) state(v *hw.StateVisitor) {
	hw.StateScalar(v, "hops", &l.hops)
	l.visit(v, "latency", &l.whole)
	l.visit(v, "network_latency", &l.network)
}

func (l *latencies) visit(v *hw.StateVisitor, name string, counts *map[uint64]uint64) {
	values := slices.Sorted(maps.Keys(*counts))
	var times []uint64
	for _, value := range values {
		times = append(times, (*counts)[value])
	}
	hw.StateList(v, name+".cycles", &values)
	hw.StateList(v, name+".times", &times)
	v.AfterRestore(func() {
		*counts = map[uint64]uint64{}
		for i := range min(len(values), len(times)) {
			(*counts)[values[i]] = times[i]
		}
	})
}

// Latencies are the cycles from the queueing of each frame that has come, and from its sending, to its arrival: how many
// frames had each; and the routers that all of them have passed.
func (s *Stream) Latencies() (whole, network map[uint64]uint64, hops uint64) {
	return s.latencies.whole, s.latencies.network, s.latencies.hops
}

// Loads are those of channels between routers.
func (s *Stream) Loads() *ChannelLoads { return s.loads }

// Network is the hardware of routers.
func (s *Stream) Network() *hw.RouterNetwork { return s.network.RouterNetwork }

// frameLog has a row for each frame that has come.
type frameLog struct{ rows []PacketRow }

func (s *Stream) row(packet uint32) PacketRow {
	row := PacketRowOf(s.network.Packets, packet)
	row.ID, row.Measured = s.serial[packet], true
	row.Source, row.Destination = s.ends(packet)
	return row
}

func (l *frameLog) add(s *Stream, packet uint32) { l.rows = append(l.rows, s.row(packet)) }

// WritePackets writes a row for each frame, as the run of bare packets does: those that have come in order of arrival, then
// source; the others last, in order of creation.
func (s *Stream) WritePackets(to io.Writer) error {
	s.network.CountHops()
	rows := slices.Clone(s.log.rows)
	for packet, size := range s.network.Packets.Size {
		if size > 0 {
			rows = append(rows, s.row(uint32(packet)))
		}
	}
	slices.SortFunc(rows, func(a, b PacketRow) int {
		if a.Received == NotYet && b.Received == NotYet {
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(cmp.Compare(a.Received, b.Received), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	})
	return WritePackets(to, slices.Values(rows))
}
