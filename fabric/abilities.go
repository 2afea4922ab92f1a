package fabric

import (
	"fmt"

	"starloom/cosim/twin"
)

// What only some networks can is an interface of its own, which a network has or has not; the
// functions beside them are what a machine asks. Studied is one more, beside what a Study is.

// Adaptable is a network of which a scenario may leave something open: the program says
// what it wants there; for an image, program is "", and schedule the one that it takes, if any.
type Adaptable interface {
	Network
	Adapt(program, schedule string, params map[string]int64) Network
}

// Settled is a network some of whose keys a scenario and its program may leave open.
type Settled interface {
	Network
	// Settled is what Adapt has returned with every key decided, and the keys that the program has
	// decided.
	Settled() (n Network, program []string)
}

// Weighed is a network with workloads that take much memory of their own.
type Weighed interface {
	Network
	// WorkloadBytes estimates what a workload takes: what the network and its
	// referee keep, and the ROMs of all processors if p is a program that takes them.
	WorkloadBytes(w *Workload, p *Program) (kept, roms uint64)
}

// Sized is a network that there is larger and smaller, and otherwise the same.
type Sized interface {
	Network
	// Resized is the network so many steps larger, or smaller if steps is negative; nil if it has no such size.
	// Whether there can be a network of that size, Check says.
	Resized(steps int) Network
}

// Resized is a network so many steps larger, nil if it has no such size.
func Resized(n Network, steps int) Network {
	if s, ok := n.(Sized); ok {
		return s.Resized(steps)
	}
	return nil
}

// Wired is a network that says what its media join.
type Wired interface {
	Network
	// MediumText is a sentence without its full stop.
	MediumText() string
}

// MediumText says what the media of a network join, "" if it does not say.
func MediumText(n Network) string {
	if w, ok := n.(Wired); ok {
		return w.MediumText()
	}
	return ""
}

// Sure is a network that knows rules that no run on it can break, whatever is sent.
type Sure interface {
	Network
	// Holds says why no run can break a rule, "" if one may.
	Holds(rule string) (why string)
}

// Holds says why no run on a network can break a rule, "" if one may, or if the network does not say.
func Holds(n Network, rule string) (why string) {
	if s, ok := n.(Sure); ok {
		return s.Holds(rule)
	}
	return ""
}

// NeverMeet says why frames never meet on the media of a network, "" if they may, or if it does not say.
func NeverMeet(n Network) string { return Holds(n, RuleCollisionFree) }

// Idle is a rule that no run on a network can break.
type Idle struct {
	Rule, Why string
	Delete    func() // turns it off
}

// Unbreakable lists those of the rules that no run on a network can break.
func (r *Rules) Unbreakable(n Network) (all []Idle) {
	for _, k := range []struct {
		rule    string
		checked bool
		off     func()
	}{
		{RuleCollisionFree, r.CollisionFree != nil, func() { r.CollisionFree = nil }},
		{RuleOneBus, r.OneBus, func() { r.OneBus = false }},
		{RuleBusLength, r.BusLength, func() { r.BusLength = false }},
		{RuleInOrder, r.InOrder, func() { r.InOrder = false }},
	} {
		if !k.checked {
			continue
		}
		if why := Holds(n, k.rule); why != "" {
			all = append(all, Idle{k.rule, why, k.off})
		}
	}
	return all
}

// Scaled is a size that doubles with each step, and halves with each step down: 0 where less than 1 would be left.
func Scaled(size, steps int) int {
	if steps >= 0 {
		return size << min(steps, 32)
	}
	return size >> min(-steps, 63)
}

// Selective is a network that has some of its programs in some of its shapes only.
type Selective interface {
	Network
	// Refuses says why the network does not have a program of its own, and what helps; "" of others.
	Refuses(program string) (why, remedy string)
}

// Refused says why a network does not have a program of this or another fabric, and what helps: remedy, if it does not say.
func Refused(n Network, program, remedy string) (why, helps string) {
	if s, ok := n.(Selective); ok {
		if why, helps := s.Refuses(program); why != "" {
			return "the program " + program + " " + why, helps
		}
	}
	return "the program " + program + " is for another fabric", remedy
}

// Counting is a network whose referee may keep something of each slot, so that a run takes the more the longer it is.
type Counting interface {
	Network
	// SlotBytes is about what it keeps of a slot.
	SlotBytes(w *Workload) uint64
}

// SlotBytes is about what a network's referee keeps of a slot.
func SlotBytes(n Network, w *Workload) uint64 {
	if c, ok := n.(Counting); ok {
		return c.SlotBytes(w)
	}
	return 0
}

// Queued is a network that knows how far its programs fill the FIFOs of a NIC that sends and receives at all
// ports at once.
type Queued interface {
	Network
	// QueueBytes are the payloads of the longest frames in a FIFO, by their place there, the head first;
	// nil if that is not known.
	QueueBytes(c *Config) (payloads []int)
}

// Parkable is a network whose transport of the slot engine may be a Stillness.
type Parkable interface {
	Network
	Parks() bool
}

// Fast is a network with a transport of the slot engine of its own, faster than the one that
// follows from its wiring.
type Fast interface {
	Network
	SlotTransport(c *Config) (Transport, error)
}

// Scheduler is a network that can plan what firmware does in every slot.
type Scheduler interface {
	Network
	// Schedules are the names of the schedules: values of the scenario's key firmware.schedule,
	// for images that take one.
	Schedules() []string
	// Schedule plans what firmware that takes a schedule does, for the workload that
	// the referee has loaded. name is one of Schedules.
	Schedule(name string, r Referee) (Schedule, error)
}

// SchedulesOf are the names of a network's schedules, nil for none.
func SchedulesOf(n Network) []string {
	if s, ok := n.(Scheduler); ok {
		return s.Schedules()
	}
	return nil
}

// ScheduleOf plans a schedule of a network.
func ScheduleOf(n Network, name string, r Referee) (Schedule, error) {
	if s, ok := n.(Scheduler); ok {
		return s.Schedule(name, r)
	}
	return nil, fmt.Errorf("%s has no schedule %q", n.Kind(), name)
}

// WithROM is a network with tables that firmware reads by index.
type WithROM interface {
	Network
	// ROM are the tables for a workload and a program, or an image if p is nil; nil for none.
	ROM(w *Workload, p *Program) (ROM, error)
}

// ROMOf are the tables of a network, nil for none.
func ROMOf(n Network, w *Workload, p *Program) (ROM, error) {
	if t, ok := n.(WithROM); ok {
		return t.ROM(w, p)
	}
	return nil, nil
}

// Twinned is a network of which there is Verilog.
type Twinned interface {
	Network
	// Twin is the whole network in Verilog, NICs and media at once, and those of its
	// parameters that say how large this one is.
	Twin() (*twin.Twin, twin.Parameters)
}

// TwinOf is the Verilog of a whole network, nil for none.
func TwinOf(n Network) (*twin.Twin, twin.Parameters) {
	if t, ok := n.(Twinned); ok {
		return t.Twin()
	}
	return nil, nil
}

// PartsTwinned is a network with components of its own that RTL may stand for.
type PartsTwinned interface {
	Network
	// PartTwins are the models of its components, by the names that their sites give: RTL is attached to
	// a model by a pin map, or is its Verilog, if there is some.
	PartTwins() []twin.Twin
}

// TwinsOf are the models that a network brings: of all of it, and of its own components.
func TwinsOf(n Network) (twins []twin.Twin) {
	if whole, _ := TwinOf(n); whole != nil {
		twins = append(twins, *whole)
	}
	if p, ok := n.(PartsTwinned); ok {
		twins = append(twins, p.PartTwins()...)
	}
	return twins
}

// Reflexive is a network on which packets of traffic may go to their own source, unless a workload says
// otherwise.
type Reflexive interface {
	Network
	Reflexive() bool
}

// Directed is a network some of whose links carry one direction in a slot.
type Directed interface {
	Network
	// Opposites is Wiring.Opposite.
	Opposites() []uint32
}

// Creditor is a network whose ports may have to wait for credits.
type Creditor interface {
	Network
	// CreditPlan says which ports wait, and for how many; both engines keep the books.
	CreditPlan() CreditPlan
}

// Receiving is a network that promises its senders places in the RX FIFOs of NICs.
type Receiving interface {
	Network
	// CheckFIFOs refuses FIFOs of so many frames for each port, if there are fewer places than promised.
	CheckFIFOs(rxFrames int) error
}

// CheckFIFOs refuses FIFOs that have not the places that a network has promised.
func CheckFIFOs(n Network, rxFrames int) error {
	if r, ok := n.(Receiving); ok {
		return r.CheckFIFOs(rxFrames)
	}
	return nil
}

// Blocker is a network whose media may be taken: a frame to a port then waits.
type Blocker interface {
	Network
	Blocks(processor int, port uint16, slot uint32) bool
}

// Planar is a network of links whose processors have places in a plane, for pictures.
type Planar interface {
	Network
	Plane() Plane
}

// Plane is where processors are. Neighbours are at distance 1.
type Plane struct {
	// Place is where a processor is; drawn is false for those of other planes.
	Place func(processor int) (x, y float64, drawn bool)
	// Step is where a port leads to, from its processor; 0, 0 to another plane.
	Step func(port int) (dx, dy float64)
}

// Sketched is a network whose picture shows processors and media where somebody would draw them.
type Sketched interface {
	Network
	// Sketch returns false if there are too many.
	Sketch() (Sketch, bool)
}

// Sketch is where processors and media are in a plane; neighbours are about 1 apart.
type Sketch struct {
	Processors []Spot
	Media      []Spot        // those that are drawn as nodes
	At         []int         // by medium: which of Media it is, -1 for a line between processors
	Latencies  []string      // by medium: cycles, "" for those that all have; nil for none
	Round      map[int]Place // media of lines that lead round to the other side: the way in which they leave
	Lines      []SketchLine  // between nodes of Media, which no port of a processor leads to
}

// SketchLine is a medium between two nodes of Media.
type SketchLine struct {
	Medium, From, To int
	Number           int // of the other end, where the line leads round
}

// Spot is something with a name at a place.
type Spot struct {
	Name  string
	Kind  string    // of a medium that is a node: what it is called
	Shape SpotShape // of such a node
	Path  string    // of a node that stands for several media, whose paths begin with it; else ""
	Place
}

// SpotShape is what a medium looks like.
type SpotShape uint8

// The shapes.
const (
	Round   SpotShape = iota // a disc
	Flat                     // a bar
	Crossed                  // a box with a cross
	Boxed                    // an empty box
)

// Place is a place in a plane.
type Place struct{ X, Y float64 }

// WiringOf returns where each port sends, and what it hears: what the discipline of a network says, else
// its names.
func WiringOf(n Network) *Wiring {
	shape, names := n.Shape(), n.Names()
	if d, ok := shape.Chosen().(wiredBy); ok && d.wiredBy() != nil {
		return d.wiredBy()
	}
	w := NewWiring(shape.Processors() * shape.Ports)
	for processor := range shape.Processors() {
		for port := range shape.PortsOf(processor) {
			at := processor*shape.Ports + port
			w.Sends[at] = uint32(names.SentOn(processor, uint16(port), 0))
			w.Hears[at] = uint32(names.HeardOn(processor, uint16(port)))
		}
	}
	if d, ok := n.(Directed); ok {
		w.Opposite = d.Opposites()
	}
	return w
}

// Serving is a network of the discipline Mixed.
type Serving interface {
	Network
	Server(c *Config) (Server, error)
}
