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
	// Abilities are functions and data of some networks only.
	Abilities() Abilities
}

// Abilities are functions and data of some networks only: nil, empty or false where a network lacks them, as one driven by its wiring
// alone does. A wrapper takes over the inner network's and sets its own fields. It wraps the results of Adapt, Settled and
// Resized: a network of another type is ignored.
type Abilities struct {
	// Adapt is the network with keys open in the scenario set by its program. For an image program is "", and schedule
	// its schedule, if any.
	Adapt func(program, schedule string, params map[string]int64) Network
	// Settled is the result of Adapt with every key decided, and the keys decided by the program.
	Settled func() (n Network, program []string)
	// Refuses says why the network does not have a program of its own, and what helps; "" of others.
	Refuses func(program string) (why, remedy string)
	// Resized is the network so many steps larger, or smaller if steps is negative; nil if it has no such size. Whether there can
	// be a network of that size, Check says.
	Resized func(steps int) Network
	// Settle does the long work before a run; it may be called again. Errors are *input.Errors.
	Settle func() error
	// CheckFIFOs refuses FIFOs of so many frames for each port, if there are fewer places than the network promises its senders.
	CheckFIFOs func(rxFrames int) error
	Holds      func(rule string) (why string) // why no run can break a rule, whatever is sent; "" if one may

	Schedules Schedules
	// ROM are the tables of firmware, for a workload and a program, or an image if p is nil; nil for none.
	ROM       func(w *Workload, p *Program) (ROM, error)
	Reflexive bool // packets of traffic may go to their own source, unless a workload says otherwise

	Slot      SlotEngine
	Server    func(c *Config) (Server, error) // of the discipline Mixed
	Blocks    Blocks                          // whether a frame to a port has to wait, since a medium is taken
	Opposites func() []uint32                 // Wiring.Opposite
	Credits   CreditPlan                      // both engines keep the books
	Routers   *Routers                        // of processors at routers; without firmware they send bare packets
	Twins     Twins

	Memory      Memory
	Description Description
}

// Schedules are plans of firmware, slot by slot.
type Schedules struct {
	Names []string // values of firmware.schedule, for images with schedules
	// Plan is the plan of a name, for the workload of the referee.
	Plan func(name string, r Referee) (Schedule, error)
}

// SlotEngine is a slot engine faster than that of package wired.
type SlotEngine struct {
	Transport func(c *Config) (Transport, error)
	Parks     bool // Transport returns a Stillness
}

// Blocks reports whether a processor's frame to a port has to wait.
type Blocks func(processor int, port uint16, slot uint32) bool

// Twins are models for pin maps, or their Verilog, if there is some.
type Twins struct {
	// Whole is the network, NICs and media at once, and its parameters of size.
	Whole func() (*twin.Twin, twin.Parameters)
	Parts []twin.Twin // the network's own components, by the names of their sites
}

// Memory is an estimate, in bytes.
type Memory struct {
	// Workload is the memory of the network and its referee for a workload, and the ROMs of all processors if p takes them.
	Workload func(w *Workload, p *Program) (kept, roms uint64)
	Slot     func(w *Workload) uint64 // of the referee, for a slot
	// Queue are the payloads of the longest frames in a FIFO of a NIC with all ports in use, by their place there,
	// the head first; nil if unknown.
	Queue func(c *Config) (payloads []int)
}

// Description is the text and pictures of a network for people.
type Description struct {
	Medium   string                       // the media, in a sentence without its full stop
	Meanings string                       // meanings of figures of runs and studies, for ReadMeanings
	Keys     string                       // of the shortest scenario; "": the required keys
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
