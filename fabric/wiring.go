package fabric

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"starloom/hw"
)

// Wiring lists, for both engines, the ports that drive and hear each medium of a passive network. The entry of a port
// is processor*Shape.Ports+port.
type Wiring struct {
	Sends []uint32 // by port: the medium driven by the port, or NoMedium
	Hears []uint32 // by port: the medium heard by the port, or NoMedium
	// Opposite is, by medium, the other direction of its half-duplex link; frames in both directions collide.
	// Opposite is nil without half-duplex links.
	Opposite []uint32

	sendRows, hearRows []uint32 // by processor: start of a row with equal contents; nil if rows are not shared
}

// NoMedium marks a port without a medium.
const NoMedium = hw.NoCoupler

// NewWiring returns a wiring whose ports have no medium.
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

// Share merges equal rows of processors, so that the rows in use fit into a cache. Do not change the wiring
// afterwards.
func (w *Wiring) Share(ports int) {
	w.sendRows, w.hearRows = sharedRows(w.Sends, ports), sharedRows(w.Hears, ports)
}

// sharedRows returns, for each row of a table, the start of an equal row, or nil if few rows are equal.
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

// SendRow returns the start of a processor's row in Sends.
func (w *Wiring) SendRow(processor, ports int) int { return rowAt(w.sendRows, processor, ports) }

// HearRow returns the start of a processor's row in Hears.
func (w *Wiring) HearRow(processor, ports int) int { return rowAt(w.hearRows, processor, ports) }

func rowAt(rows []uint32, processor, ports int) int {
	if rows == nil {
		return processor * ports
	}
	return int(rows[processor])
}

// Listeners lists the ports at each medium in ascending order.
type Listeners struct {
	first []uint32 // by medium: index of its first port; the last element is the end of the last medium's ports
	ports []uint32
}

// Of returns the listeners of a medium.
func (l *Listeners) Of(medium uint32) []uint32 { return l.ports[l.first[medium]:l.first[medium+1]] }

// Listeners returns the listeners of all media.
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

// Wired returns the discipline's Wiring, or nil if every unit has the same wiring.
func (s Shape) Wired() *Wiring {
	if d, ok := s.Chosen().(interface{ wiredBy() *Wiring }); ok {
		return d.wiredBy()
	}
	return nil
}
