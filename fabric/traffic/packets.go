package traffic

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
)

// WritePackets writes all packets that were created so far, in order of arrival, then source; those that have not
// arrived are last, in order of creation.
func (r *Referee) WritePackets(to io.Writer) error {
	rows := append([]logged(nil), r.log.rows...)
	for i := range r.flights {
		f := &r.flights[i]
		for source := f.first; source < f.first+len(f.of); source++ {
			f.each(source, func(x *flight) {
				if x.arrived != delivered {
					before := r.draws.before(uint32(source), x.number)
					rows = append(rows, logged{uint32(source), x.number, x.destination, x.created, before, x.sent, never, x.hops, x.size})
				}
			})
			rows = r.queued(rows, uint32(source))
		}
	}
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
	w := bufio.NewWriter(to)
	_, _ = w.WriteString("id,source,destination,size,created,sent,received,hops,measured\n") // Flush has the error
	var line []byte
	for _, i := range id {
		line = r.row(line[:0], i, &rows[i])
		_, _ = w.Write(line)
	}
	return w.Flush()
}

// queued appends the packets of a source that were created, and not offered.
func (r *Referee) queued(rows []logged, source uint32) []logged {
	number, at := r.next[source], r.due[source]
	if r.shown[source] != 0 {
		number++
		at = r.draws.Next(source, number, at)
	}
	for ; number < r.created[source]; number++ {
		destination, size := r.draws.Packet(source, number)
		rows = append(rows, logged{source, number, destination, at, r.draws.before(source, number), never, never, 0, size})
		at = r.draws.Next(source, number+1, at)
	}
	return rows
}

// row appends the row of a packet.
func (r *Referee) row(line []byte, id int, x *logged) []byte {
	f := &r.figures
	number := func(n uint64) { line = append(strconv.AppendUint(line, n, 10), ',') }
	at := func(slot uint32, cycle uint64) {
		if slot == never {
			line = append(line, ',')
			return
		}
		number(uint64(slot)*f.slotCycles + cycle)
	}
	for _, n := range []uint64{uint64(id), uint64(x.source), uint64(x.destination), uint64(x.size)} {
		number(n)
	}
	number(uint64(x.created)*f.slotCycles - uint64(x.before))
	at(x.sent, f.toFirst)
	at(x.arrived, f.toLast)
	number(uint64(x.hops))
	if f.measures(x.created) {
		return append(line, "1\n"...)
	}
	return append(line, "0\n"...)
}
