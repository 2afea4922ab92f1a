package fabric

import "starloom/cosim/twin"

// Network is a fabric: sizes, numbering, names, programs and hardware. A network is a pointer to a struct with tagged
// keys, which a scenario sets under `fabric:`. Go code passes a network to Scenario.Fabric.Custom, or to
// starloom.Networks for scenarios. The methods are called only while a machine is built.
type Network interface {
	// Kind returns the network's key in a scenario, which is also the head of all paths.
	Kind() string
	// Check validates the sizes. An *input.Error names a key of the scenario; other errors concern the key of the
	// fabric.
	Check() error
	Shape() Shape
	Names() Names
	// Programs returns the built-in programs for this network.
	Programs() []Program
	// Referee returns a referee for the workload of a program, or of an image if p is nil.
	Referee(w *Workload, p *Program) Referee
	// MemoryBytes estimates the peak memory in bytes for the transport of frames, without processors, NICs and
	// firmware.
	MemoryBytes(c *Config) uint64
	// Build adds the media of the cycle engine between the transmitters and receivers of a plant.
	Build(p Plant) error
	// Abilities returns the optional functions and data.
	Abilities() Abilities
}

// Abilities are optional functions and data; missing abilities are nil, empty or false. A network defined only by its
// wiring has none. A wrapper copies the inner network's abilities and replaces fields. The wrapper must also wrap the
// results of Adapt, Settled and Resized, because results of another type are ignored.
type Abilities struct {
	// Adapt returns the network after the program has set open keys. For an image, program is "", and schedule is the
	// name of the schedule, "" for none.
	Adapt func(program, schedule string, params map[string]int64) Network
	// Settled returns the result of Adapt with a value for every key, and the names of the keys decided by the
	// program.
	Settled func() (n Network, program []string)
	// Refuses returns the reason why the network cannot run one of its built-in programs, and the remedy. For other
	// programs, Refuses returns "".
	Refuses func(program string) (why, remedy string)
	// Resized returns the network enlarged by steps (reduced if steps is negative), or nil if the network cannot have
	// that size. The result may fail Check.
	Resized func(steps int) Network
	// Settle makes the lengthy preparations for a run. It may be called several times. Its errors are *input.Errors.
	Settle func() error
	// CheckFIFOs returns an error if rxFrames, the size of an RX FIFO in frames per port, is less than the network
	// promises to senders.
	CheckFIFOs func(rxFrames int) error
	Holds      func(rule string) (why string) // reason why no run can break a rule, "" if a run may break the rule

	Schedules Schedules
	// ROM returns the tables of firmware for a workload and a program, or for an image if p is nil. It may return
	// nil.
	ROM       func(w *Workload, p *Program) (ROM, error)
	Reflexive bool // packets of traffic may return to their source, unless the workload overrides this

	Slot      SlotEngine
	Server    func(c *Config) (Server, error) // server of media for the discipline Mixed
	Blocks    Blocks                          // reports whether a frame to a port must wait for a taken medium
	Opposites func() []uint32                 // returns Wiring.Opposite
	Credits   CreditPlan                      // limits on frames in flight, enforced by both engines
	Routers   *Routers                        // routers of the processors; without firmware the routers carry bare packets
	Twins     Twins

	Memory      Memory
	Description Description
}

// Schedules are slot-by-slot plans of firmware.
type Schedules struct {
	Names []string // values of firmware.schedule, for images with schedules
	// Plan returns the named schedule for the referee's workload.
	Plan func(name string, r Referee) (Schedule, error)
}

// SlotEngine is a faster replacement for the slot engine of package wired.
type SlotEngine struct {
	Transport func(c *Config) (Transport, error)
	Parks     bool // Transport returns a Stillness
}

// Blocks reports whether a processor's frame to a port must wait in a slot.
type Blocks func(processor int, port uint16, slot uint32) bool

// Twins are models for pin maps, with optional Verilog.
type Twins struct {
	// Whole returns the twin of the whole network, NICs and media, and the twin's size parameters.
	Whole func() (*twin.Twin, twin.Parameters)
	Parts []twin.Twin // components of the network; their names are those of their sites
}

// Memory contains estimates in bytes.
type Memory struct {
	// Workload returns the memory in bytes of network and referee for a workload, and of the ROMs of all processors
	// if p has ROMs.
	Workload func(w *Workload, p *Program) (kept, roms uint64)
	Slot     func(w *Workload) uint64 // memory of the referee per slot
	// Queue returns the payloads, in bytes, of the longest frames in a NIC's FIFO when all ports are in use, head
	// first, or nil if unknown.
	Queue func(c *Config) (payloads []int)
}

// Description holds texts and pictures for people.
type Description struct {
	Medium   string                       // sentence about the media, without full stop
	Meanings string                       // meanings of figures of runs and studies, for ReadMeanings
	Keys     string                       // keys of the shortest scenario, "" for the required keys
	Example  func(program string) Example // small scenario of a program; for "", of the program recommended to beginners
	Studies  []Study
	Plane    func() Plane          // positions of processors in a network of links
	Sketch   func() (Sketch, bool) // positions of processors and media; false if the picture would be too large
	// Routers returns the positions of routers instead of processors, and of links instead of media. It returns false
	// if the picture would be too large.
	Routers func() (Sketch, bool)
}

// Study reproduces published figures. It is a *studies.Study.
type Study interface{ IsStudy() }

// Example is a small scenario of a program.
type Example struct {
	Program string // set by Example("")
	// keys and values in the form of --set: fabric.ring.nodes=8; contains a workload only if it is larger than the
	// minimum
	Set    []string
	Expect string // outcome of the run in the form of --expect; "" for pass
}

// ProgramNamed returns the named program of a network, nil if it has none.
func ProgramNamed(n Network, name string) *Program {
	programs := n.Programs()
	for i := range programs {
		if programs[i].Name == name {
			return &programs[i]
		}
	}
	return nil
}
