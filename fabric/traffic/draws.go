package traffic

import (
	"starloom/fabric"
	"starloom/hw"
)

// Draws are the packets of all sources: a function of specification, seed and source. Packet k of a source is that with
// number k; when it is created follows from when the one before it was.
type Draws struct {
	arrivals arrivals
	pattern  pattern
	sizes    []uint64 // of 2^32: a draw below entry i has the frames of entry i
	frames   []uint8
	stream   hw.Stream

	// Of a file, in place of all that: the rows of source i are rows[first[i]:first[i+1]].
	rows  []row
	first []uint32
}

type row struct {
	at          uint32 // the slot in which it is offered at the earliest
	before      uint32 // cycles from its creation to the beginning of that slot
	destination uint32
	size        uint8
}

// NewDraws are those of a run with a seed. A slot has so many cycles: files count in these.
func NewDraws(s *Spec, processors int, seed uint64, slotCycles int) *Draws {
	d := &Draws{stream: hw.NewStream(seed, hw.PurposeTraffic)}
	if s.Arrivals == fabric.ArrivalsFile {
		d.sort(s.Rows, processors, uint64(slotCycles))
		return d
	}
	d.arrivals = newArrivals(s, d.stream)
	d.pattern = newPattern(s, processors, seed, d.stream)
	all, sum := 0.0, 0.0
	for _, size := range s.Size {
		all += size.Share()
	}
	for _, size := range s.Size {
		sum += size.Share()
		d.sizes, d.frames = append(d.sizes, share(sum/all)), append(d.frames, uint8(size.Frames))
	}
	return d
}

func (d *Draws) sort(rows []fabric.TrafficRow, processors int, slotCycles uint64) {
	d.first = make([]uint32, processors+1)
	for i := range rows {
		d.first[rows[i].Source+1]++
	}
	for i := range processors {
		d.first[i+1] += d.first[i]
	}
	d.rows = make([]row, len(rows))
	place := append([]uint32(nil), d.first...)
	for i := range rows { // which are in order of time
		r := &rows[i]
		at := begins(r, slotCycles)
		d.rows[place[r.Source]] = row{uint32(min(at, never)), uint32(at*slotCycles - r.Created), r.Destination, r.Size}
		place[r.Source]++
	}
}

func begins(r *fabric.TrafficRow, slotCycles uint64) uint64 {
	return (r.Created + slotCycles - 1) / slotCycles
}

// First is when a source creates its packet 0, never for a source that creates none.
func (d *Draws) First(source uint32) uint32 {
	switch {
	case d.first != nil:
		return d.row(source, 0).at
	case d.pattern.silent(source):
		return never
	}
	return d.arrivals.first(source)
}

// Next is when a source creates a packet, 1 or a later one, of which the one before was created in slot at.
func (d *Draws) Next(source, number, at uint32) uint32 {
	if d.first != nil {
		return d.row(source, number).at
	}
	return d.arrivals.next(source, number, at)
}

// Packet is where a packet goes, and how many frames it has.
func (d *Draws) Packet(source, number uint32) (destination uint32, size uint8) {
	if d.first != nil {
		r := d.row(source, number)
		return r.destination, r.size
	}
	size = d.frames[0]
	if len(d.sizes) > 1 {
		drawn := uint64(d.stream.Draw(source, number, drawSize))
		k := 0
		for k < len(d.sizes)-1 && drawn >= d.sizes[k] {
			k++
		}
		size = d.frames[k]
	}
	return d.pattern.destination(source, number), size
}

// before is how many cycles before its slot a packet was created.
func (d *Draws) before(source, number uint32) uint32 {
	if d.first == nil {
		return 0
	}
	return d.row(source, number).before
}

// row is that of a packet. A number that the file does not have is one of a state that is none of this run's.
func (d *Draws) row(source, number uint32) row {
	if number >= d.first[source+1]-d.first[source] {
		return row{at: never, size: 1}
	}
	return d.rows[d.first[source]+number]
}
