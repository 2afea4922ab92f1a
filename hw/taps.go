package hw

// Taps is wiring between transmitters and buses, as data. A bus has taps, of one transmitter
// each, which are numbered in the order of its Members; the ports of a transmitter are its taps,
// in the order of their buses.
type Taps struct {
	Members [][]int    // by bus and tap: the transmitter
	Bus     [][]uint32 // by transmitter and port: the bus...
	Tap     [][]uint16 // ...and which of its taps
	Ports   int        // most of one transmitter
	Longest int        // most taps of one bus
}

// NewTaps wires buses, which must not have a transmitter twice, to transmitters.
func NewTaps(transmitters int, buses [][]int) *Taps {
	t := &Taps{Members: buses, Bus: make([][]uint32, transmitters), Tap: make([][]uint16, transmitters)}
	for bus, members := range buses {
		t.Longest = max(t.Longest, len(members))
		for tap, i := range members {
			t.Bus[i], t.Tap[i] = append(t.Bus[i], uint32(bus)), append(t.Tap[i], uint16(tap))
			t.Ports = max(t.Ports, len(t.Bus[i]))
		}
	}
	return t
}

// Reaches reports whether a port of a transmitter leads to a bus.
func (t *Taps) Reaches(transmitter uint32, port uint16, bus int) bool {
	buses := t.Bus[transmitter]
	return int(port) < len(buses) && int(buses[port]) == bus
}
