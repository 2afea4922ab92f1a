package fabric

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/hw"
	"starloom/nic"
)

// Network is a fabric: sizes, numbering, names, programs, and the hardware that carries
// frames. What only some networks can is in abilities.go. It stands under `fabric:` in a scenario, as a pointer to a struct whose tags
// give its keys, or is given to Scenario.Fabric.Custom from Go. Its methods are called
// when a machine is built, never per processor or slot.
type Network interface {
	// Kind is the key in a scenario and the head of all paths.
	Kind() string
	// Check says what is wrong with the sizes. An *input.Error names a key of the scenario;
	// others say what is wrong with what stands under the fabric's key.
	Check() error
	Shape() Shape
	Names() Names
	// Programs are the built-in programs for this network, by name.
	Programs() []Program
	// Referee follows the workload of a program, or of an image if p is nil.
	Referee(w *Workload, p *Program) Referee
	// MemoryBytes estimates what carries the frames takes at its busiest: without processors,
	// their NICs and their firmware.
	MemoryBytes(c *Config) uint64
	// Build puts the media between the transmitters and receivers of a plant: the
	// network in the cycle engine.
	Build(p *Plant) error
}

// Shape is the size of a network. Processors are numbered unit by unit; a shard, and a
// bank of more than one unit, are whole units.
type Shape struct {
	Units   int
	PerUnit int // processors of a unit
	Ports   int // of each processor's NIC
	// Discipline is how NICs get at their media; nil is OnePort.
	Discipline Discipline
	// PortLabels are the paths of the ports inside their unit, if units are one processor and
	// ports have names: dim[1].port[+rho]. Nil: they have numbers.
	PortLabels []string
	Media      int // where frames meet; each ends in a link to its listeners
	// ArbitrationCycles of a slot are before the first phit of a frame; FramesPerSlot may
	// cross one medium one after the other, 0 for one.
	ArbitrationCycles, FramesPerSlot int
	// Words are what firmware is told of the size (sl_shape).
	Words [nic.ShapeWords]uint32
}

// Processors returns the number of processors.
func (s Shape) Processors() int { return s.Units * s.PerUnit }

// NIC is what banks of processors have to know of the discipline.
func (s Shape) NIC() nic.Discipline { return s.discipline().NIC() }

// discipline is the one that is meant.
func (s Shape) discipline() Discipline {
	if s.Discipline == nil {
		return OnePort{}
	}
	return s.Discipline
}

// nameLanes names the transmitters or receivers of a bank of NICs that have one for each port.
func (s Shape) nameLanes(bank hw.Bank) hw.Bank {
	switch {
	case !s.NIC().AllPorts:
	case s.PortLabels != nil:
		bank.Name, bank.Labels = "port", s.PortLabels
	default:
		bank.Parts = s.Ports
	}
	return bank
}

// Rules are names of the rules that only networks of this discipline can check.
func (s Shape) Rules() []string { return s.discipline().Rules() }

// Lanes returns how many transmitters and receivers a NIC has.
func (s Shape) Lanes() int {
	d := s.NIC()
	return d.Lanes(s.Ports)
}

// Asks reports whether NICs ask before they send.
func (s Shape) Asks() bool { return s.NIC().Asks }

// WholeUnits returns how many units have at least that many processors, at most all.
func (s Shape) WholeUnits(processors int) int {
	return min(s.Units, (processors+s.PerUnit-1)/s.PerUnit)
}

// Shards cuts the network into shards of at least that many processors.
func (s Shape) Shards(processors int) []hw.Shard {
	return hw.Shards(s.Units, max(1, s.WholeUnits(processors)))
}

// UnitsOf returns how many units a bank holds and how many of its cells are in each:
// one unit of all cells if the bank is only a part of one.
func (s Shape) UnitsOf(bank *nic.Bank) (units, cells int) {
	if bank.Cells%s.PerUnit == 0 && bank.First%s.PerUnit == 0 {
		return bank.Cells / s.PerUnit, s.PerUnit
	}
	return 1, bank.Cells
}

// Windows cuts a bank into windows of about that many cells.
func (s Shape) Windows(bank *nic.Bank, cells int) (units, unitCells, width int) {
	units, unitCells = s.UnitsOf(bank)
	return units, unitCells, min(unitCells, max(1, cells/units))
}

// Names are the paths of everything, as waveforms, captures and reports show them.
type Names interface {
	// Unit is the path of the units of processors without their index, e.g. ring.node.
	Unit() string
	Processor(processor int) string
	Port(processor int, port uint16) string
	Medium(medium int) string
	// Link is what leads from a medium to its listeners.
	Link(medium int) string
	// MediumNoun is what a medium is called, of one and of many.
	MediumNoun() (one, many string)
	// SentOn is the medium that a processor's port leads to; nic.PortAll is the port
	// that leads to the processor towards.
	SentOn(processor int, port uint16, towards int) int
	// HeardOn is the medium that a processor hears at a port.
	HeardOn(processor int, port uint16) int
}

// UnitNames are the paths of processors, which are the same in every network.
type UnitNames struct {
	Path    string // of the units: Names.Unit
	PerUnit int
	Ports   []string // Shape.PortLabels
}

// Unit implements Names.
func (u UnitNames) Unit() string { return u.Path }

// Processor implements Names, e.g. ring.node[3].nic[0].
func (u UnitNames) Processor(processor int) string {
	return fmt.Sprintf("%s[%d].nic[%d]", u.Path, processor/u.PerUnit, processor%u.PerUnit)
}

// Port implements Names.
func (u UnitNames) Port(processor int, port uint16) string {
	if int(port) < len(u.Ports) {
		return fmt.Sprintf("%s[%d].%s", u.Path, processor, u.Ports[port])
	}
	return fmt.Sprintf("%s.port[%d]", u.Processor(processor), port)
}

// Config is what a transport is made for.
type Config struct {
	Timing       nic.Timing
	PayloadBytes int
	Shards       []hw.Shard // in units
	Seed         uint64     // of the first run; Transport.Reset gives others
	Cycle        bool       // MemoryBytes: of the cycle engine...
	Workload     *Workload  // ...what is carried...
	Program      *Program   // ...and by which program, nil for an image
	Faults       *Faults    // nil for none
	// Bank returns a processor's bank and its cell there.
	Bank func(processor int) (bank *nic.Bank, cell int)
}

// FramePayload is the longest payload that a program sends; an image may fill its frames.
func (c *Config) FramePayload() int {
	if p := c.Program; p != nil {
		return min(max(p.Needs.PayloadBytes, p.Needs.PayloadMin), c.PayloadBytes)
	}
	return c.PayloadBytes
}

// RoomBytes is what of the room for a frame, in a FIFO or in a table, takes memory after one with
// such a payload was there: what it uses, and the rest of the last page.
func (c *Config) RoomBytes(payload int) uint64 {
	return uint64(min(nic.FrameStride(max(payload, 8))+os.Getpagesize(), nic.FrameStride(c.PayloadBytes)))
}

// Program is what is known of a built-in program beside its image, on a network of this
// size.
type Program struct {
	Name         string
	SlotsPerStep int      // of the algorithm
	Rules        Rules    // that it must keep, unless the scenario has its own
	Workloads    []string // keys under workload: that it can carry; nil if it takes none
	Schedule     string   // that it takes, "" for none
	Note         string   // what a user must know of it here, "" for nothing
	NoteOnce     string   // the same of gossip in one session
	Needs        Needs    // what it sets where the scenario does not
	Params       []Choice // parameters that have few values
	Native       *firmware.NativeProgram
}

// Needs are values of a scenario that a program needs, unless the file gives others: 0 for the
// usual default.
type Needs struct {
	RxFrames     int    // nic.rx_frames
	TxFrames     int    // nic.tx_frames
	PayloadBytes int    // nic.payload_bytes
	PayloadMin   int    // the smallest nic.payload_bytes that its frames fit in; PayloadBytes if that is more
	Slots        uint32 // stop.slots, of gossip in each session
}

// Choice is a parameter that has only these values.
type Choice struct {
	Name      string
	Values    []int64 // nil: a range
	Low, High int64
}

// Allows reports whether a value is one of them.
func (c *Choice) Allows(value int64) bool {
	if c.Values == nil {
		return c.Low <= value && value <= c.High
	}
	return slices.Contains(c.Values, value)
}

// Allowed says which they are.
func (c *Choice) Allowed() string {
	if c.Values == nil {
		return fmt.Sprintf("%d to %d", c.Low, c.High)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Values), " ", ", "), "[]")
}

// ProgramNamed returns a network's program, nil if it has none of that name.
func ProgramNamed(n Network, name string) *Program {
	programs := n.Programs()
	for i := range programs {
		if programs[i].Name == name {
			return &programs[i]
		}
	}
	return nil
}

// Schedule is what all processors do in all slots of an algorithm whose routes are known
// before it starts. A processor has it as a read-only table; the meaning of a word is
// the network's.
type Schedule interface {
	// Slots returns how many slots the algorithm takes.
	Slots() int
	// Words fills dst, one word per processor, with what to do in a slot, from 0 to
	// Slots() at which the schedule is over. It may keep a stage's plan for the next
	// call, so calls for one schedule must not run in parallel.
	Words(slot int, dst []uint64)
}

// Sparse is a Schedule of which few words change from slot to slot.
type Sparse interface {
	Schedule
	// Changes yields the processors whose word in a slot is another one than in the slot
	// before; before slot 0 all words are 0. Words fills in the same, and leaves the others alone.
	Changes(slot int, yield func(processor int, word uint64))
}

// ROM are tables that do not change while a run goes on; what their words mean is the
// network's. They are written before a run, into the memory of firmware that takes them.
type ROM interface {
	// Words returns how many words each processor has, and how many the machine has for
	// all of them.
	Words() (processor, machine int)
	// Processor fills in the words of one processor, Machine those of the machine, for a
	// run with a seed.
	Processor(processor int, seed uint64, dst []uint32)
	Machine(seed uint64, dst []uint32)
}
