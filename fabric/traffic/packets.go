package traffic

import (
	"cmp"
	"io"
	"slices"

	"starloom/fabric"
)

// WritePackets writes all packets that were created so far, in order of arrival, then source; those that have not
// arrived are last, in order of creation.
func (r *Referee) WritePackets(to io.Writer) error {
	rows := append([]logged(nil), r.log.rows...)
	r.pending(func(source uint32, x *flight, before uint32) {
		rows = append(rows, logged{source, x.number, x.destination, x.created, before, x.sent, never, x.hops, x.size})
	})
	byCreation := func(a, b logged) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(b.before, a.before), cmp.Compare(a.source, b.source), cmp.Compare(a.number, b.number))
	}
	slices.SortFunc(rows, byCreation)
	id := make([]int, len(rows))
	for i := range id {
		id[i] = i
	}
	slices.SortStableFunc(id, func(a, b int) int {
		x, y := &rows[a], &rows[b]
		if x.arrived == never && y.arrived == never {
			return 0
		}
		return cmp.Or(cmp.Compare(x.arrived, y.arrived), cmp.Compare(x.source, y.source))
	})
	return fabric.WritePackets(to, func(yield func(fabric.PacketRow) bool) {
		for _, i := range id {
			if !yield(r.row(i, &rows[i])) {
				return
			}
		}
	})
}

// pending yields the packets that were created and have neither arrived nor been lost: each as a flight, if it was not offered, too, and by
// how many cycles it was created before its slot.
func (r *Referee) pending(yield func(source uint32, x *flight, before uint32)) {
	for i := range r.flights {
		f := &r.flights[i]
		for source := f.first; source < f.first+len(f.of); source++ {
			f.each(source, func(x *flight) {
				if x.arrived != delivered {
					yield(uint32(source), x, r.draws.before(uint32(source), x.number))
				}
			})
			r.queued(uint32(source), yield)
		}
	}
}

// queued yields the packets of a source that were created, and not offered.
func (r *Referee) queued(source uint32, yield func(source uint32, x *flight, before uint32)) {
	number, at := r.next[source], r.due[source]
	if r.shown[source] != 0 {
		number++
		at = r.draws.Next(source, number, at)
	}
	for ; number < r.created[source]; number++ {
		destination, size := r.draws.Packet(source, number)
		yield(source, &flight{number: number, created: at, sent: never, destination: destination, size: size}, r.draws.before(source, number))
		at = r.draws.Next(source, number+1, at)
	}
}

func (r *Referee) row(id int, x *logged) fabric.PacketRow {
	f := &r.figures
	at := func(slot uint32, cycle uint64) uint64 {
		if slot == never {
			return fabric.NotYet
		}
		return uint64(slot)*f.slotCycles + cycle
	}
	return fabric.PacketRow{ID: uint64(id), Source: x.source, Destination: x.destination, Size: uint16(x.size), Hops: x.hops,
		Created: uint64(x.created)*f.slotCycles - uint64(x.before), Sent: at(x.sent, f.toFirst), Received: at(x.arrived, f.toLast),
		Measured: f.measured(x.created, x.before)}
}
