package fabric

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"starloom/hw"
)

// Wiring is who drives and who hears each medium of a passive network, as index slices: the one
// description of which both engines can be made. Entry processor*Shape.Ports+port is a port.
type Wiring struct {
	Sends []uint32 // by port: the medium that it leads to, NoMedium for none
	Hears []uint32 // by port: the medium that it hears, NoMedium for none
	// Opposite is, by medium, the one that carries the other direction of the same half-duplex
	// link: frames on both meet. Nil: none does.
	Opposite []uint32

	sendRows, hearRows []uint32 // by processor: where a row begins that is the same as its own; nil: its own
}

// NoMedium is where a port leads that leads nowhere, or that hears nothing.
const NoMedium = hw.NoCoupler

// NewWiring returns one in which no port leads anywhere.
func NewWiring(ports int) *Wiring {
	w := &Wiring{Sends: make([]uint32, ports), Hears: make([]uint32, ports)}
	for _, table := range [][]uint32{w.Sends, w.Hears} {
		hw.AdviseHuge(table)
		for i := range table {
			table[i] = NoMedium
		}
	}
	return w
}

// Share finds processors whose ports lead to the same media, or hear the same: one row of a table stands for all of
// them, and those that a slot asks for fit a cache. Once called, nothing may change.
func (w *Wiring) Share(ports int) {
	w.sendRows, w.hearRows = sharedRows(w.Sends, ports), sharedRows(w.Hears, ports)
}

// sharedRows are the rows of a table that stand for those that are the same, nil if there are few.
func sharedRows(table []uint32, ports int) (rows []uint32) {
	if ports == 0 || len(table) == 0 {
		return nil
	}
	seed, first, different := maphash.MakeSeed(), map[uint64]uint32{}, 0
	rows = make([]uint32, len(table)/ports)
	for i := range rows {
		row := table[i*ports : (i+1)*ports]
		key := maphash.Bytes(seed, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), len(row)*4))
		at, ok := first[key]
		if !ok || !slices.Equal(table[at:int(at)+ports], row) {
			at = uint32(i * ports)
			first[key] = at
			if different++; different > len(rows)/2 {
				return nil
			}
		}
		rows[i] = at
	}
	return rows
}

// SendRow is where the row of a processor begins in Sends.
func (w *Wiring) SendRow(processor, ports int) int { return rowAt(w.sendRows, processor, ports) }

// HearRow is where the row of a processor begins in Hears.
func (w *Wiring) HearRow(processor, ports int) int { return rowAt(w.hearRows, processor, ports) }

func rowAt(rows []uint32, processor, ports int) int {
	if rows == nil {
		return processor * ports
	}
	return int(rows[processor])
}

// Listeners are the ports that hear each medium, in ascending order.
type Listeners struct {
	first []uint32 // by medium, and the end of the last one
	ports []uint32
}

// Of are those of a medium.
func (l *Listeners) Of(medium uint32) []uint32 { return l.ports[l.first[medium]:l.first[medium+1]] }

// Listeners returns those of all media.
func (w *Wiring) Listeners(media int) Listeners {
	l := Listeners{make([]uint32, media+1), nil}
	for _, medium := range w.Hears {
		if medium != NoMedium {
			l.first[medium+1]++
		}
	}
	for medium := range media {
		l.first[medium+1] += l.first[medium]
	}
	l.ports = make([]uint32, l.first[media])
	at := slices.Clone(l.first)
	for port, medium := range w.Hears {
		if medium != NoMedium {
			l.ports[at[medium]] = uint32(port)
			at[medium]++
		}
	}
	return l
}

// wiredBy is a discipline that says where each port leads.
type wiredBy interface{ wiredBy() *Wiring }
