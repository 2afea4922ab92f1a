package fabric

import (
	"bufio"
	"io"
	"iter"
	"math"
	"strconv"

	"starloom/hw"
)

// PacketRow is a row of a file of packets, with cycles from the start of the run.
type PacketRow struct {
	ID                      uint64
	Source, Destination     uint32
	Size, Hops              uint16 // frames or flits; hops so far
	Created, Sent, Received uint64 // NotYet for what has not happened
	Measured                bool
}

// NotYet is the cycle of what has not happened.
const NotYet = math.MaxUint64

// PacketRowOf is the row of a packet of routers, with its number as its ID.
func PacketRowOf(p *hw.Packets, i uint32) PacketRow {
	at := func(cycle uint32) uint64 {
		if cycle == hw.PacketPending {
			return NotYet
		}
		return uint64(cycle)
	}
	return PacketRow{ID: uint64(i), Source: p.Source[i], Destination: p.Destination[i], Size: p.Size[i], Hops: p.Hops[i],
		Created: at(p.Created[i]), Sent: at(p.Sent[i]), Received: at(p.Received[i])}
}

// WritePackets writes a file of packets: CSV with a header.
func WritePackets(to io.Writer, rows iter.Seq[PacketRow]) error {
	w := bufio.NewWriter(to)
	_, _ = w.WriteString("id,source,destination,size,created,sent,received,hops,measured\n") // Flush has the error
	var line []byte
	for r := range rows {
		line = strconv.AppendUint(line[:0], r.ID, 10)
		for _, n := range [...]uint64{uint64(r.Source), uint64(r.Destination), uint64(r.Size), r.Created, r.Sent, r.Received, uint64(r.Hops)} {
			if line = append(line, ','); n != NotYet {
				line = strconv.AppendUint(line, n, 10)
			}
		}
		measured := ",0\n"
		if r.Measured {
			measured = ",1\n"
		}
		_, _ = w.Write(append(line, measured...))
	}
	return w.Flush()
}
