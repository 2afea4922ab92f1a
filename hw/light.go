package hw

import "fmt"

// Light is a bank of optical wires of up to 64 bits each. The wires are dual-rail: a one lights rail 1, a zero rail
// 0, and a dark bit neither. A bit with both rails lit is a code violation, caused by two senders with different
// bits.
//
// Each driving shard lists its lit wires, so only lit wires cost time. A Light is stateless: its driver drives it
// again in every cycle, and no saved state contains it.
//
// Only the driver may call Clear and Put, in its own phase.
type Light struct {
	bank  Bank
	path  string
	width int

	Rail1, Rail0 []uint64 // one element per wire

	// lit[driver*readers+reader] lists the wires lit by shard driver for shard reader.
	lit     [][]uint32
	shards  int
	readers int
	owner   []uint16 // by unit: shard that drives the unit's wires
	reader  []uint16 // by unit: shard that drives its wires
}

// NewLight returns a dark bank of wires. signal names the wire within its element, bits is the phit width, 1..64, and
// shards cover bank.Units.
//
// readerUnit[i] is the unit that reads wire i in Latch. If readerUnit is nil, the driving unit reads.
func NewLight(bank Bank, signal string, bits int, shards []Shard, readerUnit []uint32) (*Light, error) {
	if err := bank.Check(); err != nil {
		return nil, err
	}
	path := Join(bank.Path(), signal)
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if bits < 1 || bits > 64 {
		return nil, fmt.Errorf("%s: %d bits; allowed: 1 to 64", path, bits)
	}
	if err := CheckShards(shards, bank.Units); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l := &Light{
		bank: bank, path: path, width: bits,
		Rail1: make([]uint64, bank.Size()), Rail0: make([]uint64, bank.Size()),
		shards: len(shards), readers: 1, owner: ShardOfUnit(shards),
	}
	l.lit = make([][]uint32, l.shards)
	if readerUnit != nil {
		if err := l.Route(readerUnit); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Route sets the reader units (see NewLight) before any wire is lit, for readers that are built after the light.
func (l *Light) Route(readerUnit []uint32) error {
	if len(readerUnit) != l.bank.Size() {
		return fmt.Errorf("%s: %d reader units for %d wires", l.path, len(readerUnit), l.bank.Size())
	}
	l.reader = make([]uint16, l.bank.Size())
	for wire, unit := range readerUnit {
		if int(unit) >= len(l.owner) {
			return fmt.Errorf("%s: wire %d is read by unit %d of %d", l.path, wire, unit, len(l.owner))
		}
		l.reader[wire] = l.owner[unit]
	}
	l.readers = l.shards
	l.lit = make([][]uint32, l.shards*l.readers)
	return nil
}

func (l *Light) Path() string { return l.path }

// Bank returns the bank, which contains the names of the elements.
func (l *Light) Bank() Bank { return l.bank }

// Bits returns the phit width.
func (l *Light) Bits() int { return l.width }

// Shards returns the number of shards that NewLight was given.
func (l *Light) Shards() int { return l.shards }

// Owner returns the shard that drives a wire.
func (l *Light) Owner(wire uint32) int { return int(l.owner[int(wire)/l.bank.PerUnit]) }

// Routed reports whether the bank has reader units. If not, Lit has a single reader, 0.
func (l *Light) Routed() bool { return l.reader != nil }

// Reader returns the shard that reads a wire.
func (l *Light) Reader(wire uint32) int {
	if l.reader != nil {
		return int(l.reader[wire])
	}
	return l.Owner(wire)
}

// Clear darkens the wires that the driver's shard lit in the previous cycle.
func (l *Light) Clear(driver int) {
	for reader := range l.readers {
		list := &l.lit[driver*l.readers+reader]
		darken(l.Rail1, l.Rail0, *list)
		*list = (*list)[:0]
	}
}

func darken(rail1, rail0 []uint64, wires []uint32) {
	for _, wire := range wires {
		rail1[wire] = 0
		rail0[wire] = 0
	}
}

// Put adds light to a wire of the driver's shard and returns the bits with both rails lit.
func (l *Light) Put(driver int, wire uint32, rail1, rail0 uint64) uint64 {
	old1, old0 := l.Rail1[wire], l.Rail0[wire]
	if old1|old0 == 0 {
		if rail1|rail0 == 0 {
			return 0
		}
		list := driver * l.readers
		if l.reader != nil {
			list += int(l.reader[wire])
		}
		l.lit[list] = append(l.lit[list], wire)
	}
	rail1 |= old1
	rail0 |= old0
	l.Rail1[wire] = rail1
	l.Rail0[wire] = rail0
	return rail1 & rail0
}

// Lay is Put for light on a dark wire.
func (l *Light) Lay(driver int, wire uint32, rail1, rail0 uint64) {
	list := driver * l.readers
	if l.reader != nil {
		list += int(l.reader[wire])
	}
	l.lit[list] = append(l.lit[list], wire)
	l.Rail1[wire], l.Rail0[wire] = rail1, rail0
}

// Lit returns the wires that the driver's shard lit for the reader's shard, without duplicates and unordered. Without
// reader units, reader is 0.
func (l *Light) Lit(driver, reader int) []uint32 { return l.lit[driver*l.readers+reader] }

// Dark reports whether no wire is lit.
func (l *Light) Dark() bool {
	for i := range l.lit {
		if len(l.lit[i]) > 0 {
			return false
		}
	}
	return true
}

// Of returns one rail of a wire: FieldRail1 or FieldRail0.
func (l *Light) Of(field string, wire int) Line { return Line{l, field, wire, l.width} }

func (l *Light) Probes(yield func(Probe)) {
	signal := l.path[len(l.bank.Path()):]
	for i := range l.bank.Size() {
		element := l.bank.Element(i) + signal
		yield(NewProbe(element+".rail1", l.width, l.Rail1, i))
		yield(NewProbe(element+".rail0", l.width, l.Rail0, i))
	}
}

// Special values of a port select, which are port_all and port_none in the register map, and the maximum number of
// ports.
const (
	PortAll  = 0xFFFE // the transmitter sends to every port
	PortNone = 0xFFFF // the transmitter is not connected
	PortsMax = 0xFFFE // maximum number of ports of a transmitter, indexes 0..0xFFFD
)

// PortSelect is a bank of registered wires with the selected port of each transmitter. The register's owner writes
// Value between Settle and the end of Latch, never during Drive and Settle.
type PortSelect struct {
	path  string
	Value []uint16 // port index, PortAll or PortNone
}

// NewPortSelect returns a bank with all transmitters at PortNone.
func NewPortSelect(bank Bank, signal string) *PortSelect {
	p := &PortSelect{path: Join(bank.Path(), signal), Value: make([]uint16, bank.Size())}
	for i := range p.Value {
		p.Value[i] = PortNone
	}
	return p
}

func (p *PortSelect) Path() string { return p.path }

// Of returns the line of a transmitter.
func (p *PortSelect) Of(transmitter int) Line { return Line{p, "", transmitter, 16} }

// Gather connects banks of different shapes: input p of unit u reads wire Wires[u*Inputs+p]. At most one input reads
// each wire.
type Gather struct {
	Inputs int      // inputs per unit, at least 1
	Wires  []uint32 // wires of all inputs, Inputs per unit
}

// Wire returns the wire of an input.
func (g Gather) Wire(unit, input int) uint32 { return g.Wires[unit*g.Inputs+input] }

// Readers returns, for NewLight, the unit that reads each of the wires. It returns an error unless every wire is read
// exactly once.
func (g Gather) Readers(wires int) ([]uint32, error) {
	if g.Inputs < 1 || len(g.Wires)%g.Inputs != 0 || len(g.Wires) != wires {
		return nil, fmt.Errorf("%d wires in units of %d inputs, but there are %d wires", len(g.Wires), g.Inputs, wires)
	}
	readers := make([]uint32, wires)
	read := make([]bool, wires)
	for i, wire := range g.Wires {
		if int(wire) >= wires || read[wire] {
			return nil, fmt.Errorf("input %d of unit %d reads wire %d of %d, which does not exist or is already read",
				i%g.Inputs, i/g.Inputs, wire, wires)
		}
		readers[wire], read[wire] = uint32(i/g.Inputs), true
	}
	return readers, nil
}
