package fabric

import "starloom/cosim/twin"

// Network is a fabric: sizes, numbering, names, programs, and the hardware that carries
// frames. It stands under `fabric:` in a scenario, as a
// pointer to a struct whose tags give its keys, or is given to Scenario.Fabric.Custom from Go, or to
// starloom.Networks, so that scenarios may name it, too. Its methods are called when a machine is built,
// never per processor or slot.
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
	Build(p Plant) error
	// Abilities are what only some networks can.
	Abilities() Abilities
}

// Abilities are what only some networks can. What is nil, empty or false a network cannot: one that runs by its wiring alone can
// nothing of it. A network around another one takes that one's, and replaces what is its own: Adapt, Settled and Resized, too, whose
// networks it wraps, as a network of another type counts for nothing.
type Abilities struct {
	// Adapt is the network with what a scenario leaves open as its program wants it. For an image program is "", and schedule
	// the one that it takes, if any.
	Adapt func(program, schedule string, params map[string]int64) Network
	// Settled is what Adapt has returned with every key decided, and the keys that the program has decided.
	Settled func() (n Network, program []string)
	// Refuses says why the network does not have a program of its own, and what helps; "" of others.
	Refuses func(program string) (why, remedy string)
	// Resized is the network so many steps larger, or smaller if steps is negative; nil if it has no such size. Whether there can
	// be a network of that size, Check says.
	Resized func(steps int) Network
	// Settle makes what takes long: it comes before a run, and may be called again. Errors are *input.Errors.
	Settle func() error
	// CheckFIFOs refuses FIFOs of so many frames for each port, if there are fewer places than the network promises its senders.
	CheckFIFOs func(rxFrames int) error
	Holds      func(rule string) (why string) // why no run can break a rule, whatever is sent; "" if one may

	Schedules Schedules
	// ROM are the tables that firmware reads, for a workload and a program, or an image if p is nil; nil for none.
	ROM       func(w *Workload, p *Program) (ROM, error)
	Reflexive bool // packets of traffic may go to their own source, unless a workload says otherwise

	Slot      SlotEngine
	Server    func(c *Config) (Server, error) // of the discipline Mixed
	Blocks    Blocks                          // whether a frame to a port has to wait, since a medium is taken
	Opposites func() []uint32                 // Wiring.Opposite
	Credits   CreditPlan                      // both engines keep the books
	Routers   *Routers                        // of processors that are at routers; without firmware they send bare packets
	Twins     Twins

	Memory      Memory
	Description Description
}

// Schedules are plans of what firmware does in every slot.
type Schedules struct {
	Names []string // values of firmware.schedule, for images that take one
	// Plan is the one of a name, for the workload that the referee has loaded.
	Plan func(name string, r Referee) (Schedule, error)
}

// SlotEngine is a slot engine faster than the one that follows from wiring.
type SlotEngine struct {
	Transport func(c *Config) (Transport, error)
	Parks     bool // what Transport makes is a Stillness
}

// Blocks reports whether a processor's frame to a port has to wait.
type Blocks func(processor int, port uint16, slot uint32) bool

// Twins are models that RTL is attached to by a pin map, or their Verilog, if there is some.
type Twins struct {
	// Whole is the network, NICs and media at once, and those of its parameters that say how large it is.
	Whole func() (*twin.Twin, twin.Parameters)
	Parts []twin.Twin // the network's own components, by the names that their sites give
}

// Memory is an estimate, in bytes.
type Memory struct {
	// Workload is what the network and its referee keep of a workload, and the ROMs of all processors if p takes them.
	Workload func(w *Workload, p *Program) (kept, roms uint64)
	Slot     func(w *Workload) uint64 // what the referee keeps of a slot
	// Queue are the payloads of the longest frames in a FIFO of a NIC that uses all ports at once, by their place there,
	// the head first; nil if that is not known.
	Queue func(c *Config) (payloads []int)
}

// Description is what people are told and shown of a network.
type Description struct {
	Medium   string                       // what media join: a sentence without its full stop
	Meanings string                       // what figures of runs and studies mean, for ReadMeanings
	Keys     string                       // of the shortest scenario; "": those that must be there
	Example  func(program string) Example // a small scenario; of "" it names the program to begin with
	Studies  []Study
	Plane    func() Plane          // where processors are, of a network of links
	Sketch   func() (Sketch, bool) // where somebody would draw processors and media; false: too many
	// Routers are the places of routers, in the place of processors, and of links, in that of media; false: too many.
	Routers func() (Sketch, bool)
}

// Study repeats published figures: a *studies.Study.
type Study interface{ IsStudy() }

// Example is a small scenario of a program.
type Example struct {
	Program string   // of Example("")
	Set     []string // keys and values, as --set has them: fabric.ring.nodes=8; a workload only if it has more than it must
	Expect  string   // how its run ends, as --expect has it; "" for pass
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
