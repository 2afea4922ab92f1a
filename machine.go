package starloom

import (
	"context"
	"io"

	"starloom/fabric"
	"starloom/internal/emulator"
	"starloom/internal/record"
	"starloom/nic"
)

// The engines. Both give the same frames, metrics and digest; EngineAuto takes
// EngineCycle when a waveform is wanted, EngineSlot otherwise.
const (
	EngineAuto  = emulator.EngineAuto  // the fastest engine that shows what is wanted
	EngineCycle = emulator.EngineCycle // every phit in its cycle
	EngineSlot  = emulator.EngineSlot  // whole frames, slot by slot
)

// MachineOptions say how a machine is executed. None of them changes a result.
type MachineOptions struct {
	Engine   string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers  int    // threads; 0: one, or all cores for large machines; one with RTL
	BankSize int    // processors per bank, rounded up to whole units of the network; 0: by size
	Runtime  string // "compiler" (also ""), "interpreter", or "native" for the Go form of a built-in program

	// RunTable keeps who sent to whom in each slot: Machine.RunTable.
	RunTable bool

	more emulator.Options // what only tests of this package set
}

func (o MachineOptions) own() emulator.Options {
	own := o.more
	own.Engine, own.Workers, own.BankSize, own.Runtime, own.RunTable = o.Engine, o.Workers, o.BankSize, o.Runtime, o.RunTable
	return own
}

// Machine is one emulated network: processors with their firmware, NICs and the
// fabric. It is built from a scenario and steps slot by slot.
//
//	m, err := starloom.NewMachine(ctx, scenario, starloom.MachineOptions{})
//	defer m.Close()
//	for !m.Ended() {
//		err := m.Step()
//	}
//	report := m.Report()
//
// What a run finds is a function of scenario and seed: nothing here can change the state
// of a machine but Step, Run, Reset and Restore.
//
//	when                           what may be called
//	between steps                  everything
//	in a recording                 everything but Reset and Restore; Save does not save the recording
//	from Watch's or Run's function what reads: Report, Violations, Processor, Signal, Signals, Slots, ...
//	after the run has ended        everything; Step and Run do nothing, Record, and Save of an interrupted run, are errors
//	after a Restore that failed    Reset, Close, and what reads
//	after Close                    Report and what returns a number; all else is an error
//
// Everything else is an error that says so, not a panic. One goroutine may use a machine
// at a time; different machines are independent.
type Machine struct{ own *emulator.Machine }

// NewMachine builds a machine. Errors of the scenario, its firmware included, are
// *InputError. When ctx ends while the firmware or a tool makes it wait, the error
// is that of ctx; the machine itself may outlive ctx. What the scenario refers to (lists,
// maps, a network from Go) must not be changed while the machine is used. The caller
// closes the machine.
func NewMachine(ctx context.Context, s *Scenario, o MachineOptions) (*Machine, error) {
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	if c.Bare() {
		return nil, c.Source.Refuse("fabric."+c.Network.Kind(), "without firmware routers make no machine of processors",
			"run the scenario, or write firmware: {...}")
	}
	own, err := emulator.New(ctx, c, o.own())
	if err != nil {
		return nil, err
	}
	return &Machine{own}, nil
}

// Step lets the next slot cross the fabric and runs the boundary in its last cycle -
// deliver, handlers, send - up to the edge that ends it. The first one runs the boundary
// of slot 0 before. It does nothing when the run has ended: finished or at its limit of
// slots, stop.slots. A handler that never returns keeps it forever; Run has a context.
//
// An error is one of a recording, which is over then, or of Watch: the step was made, and
// the next one goes on. Firmware that fails is not an error; see Violations.
func (m *Machine) Step() error { return m.own.Step() }

// Run steps until the run has finished, its limit of slots is reached or ctx ends; then
// it has ended, and another Run does nothing. each, if not nil, is called at every
// boundary, after the handlers; it may read whatever can be read between steps. An error of it
// is returned after the edge that ends the boundary, and the next Run or Step goes on from
// there. When ctx ends while handlers run, they are stopped, their boundary does not count,
// and the run has ended: that is not an error; the report says so.
func (m *Machine) Run(ctx context.Context, each func() error) error { return m.own.Run(ctx, each) }

// Slots returns the number of slots that have crossed the fabric, which is also the number
// of the next one.
func (m *Machine) Slots() uint32 { return m.own.Slots() }

// Finished reports whether all processors are done and nothing is left to send, or, where the
// firmware need not know, whether the workload has arrived.
func (m *Machine) Finished() bool { return m.own.Finished() }

// Ended reports whether the run goes no further: it has finished, has reached its limit of
// slots, was interrupted, or was ended by RTL.
func (m *Machine) Ended() bool { return m.own.Ended() }

// Engine returns the engine that executes the machine, EngineCycle or EngineSlot.
func (m *Machine) Engine() string { return m.own.Engine() }

// Timing returns the shape of a slot, in cycles: its length and where its frames are.
func (m *Machine) Timing() nic.Timing { return m.own.Timing() }

// RunTable returns who did what in each step so far, nil if MachineOptions.RunTable did not ask
// for it or the network has none for this workload.
func (m *Machine) RunTable() fabric.RunTable { return m.own.RunTable() }

// Report sums up the run so far, as if it ended here: while it goes on, processors that
// are not done break the rule finishes. It looks at every processor; Violations does not.
// Of a machine that is closed it is the report of that moment.
func (m *Machine) Report() *Report { return m.own.Report() }

// Violations returns what has broken a rule so far, without what only the end of a run
// can tell: the first ViolationsMax, and the first of every rule.
func (m *Machine) Violations() []Violation { return m.own.Violations() }

// Processor reads the registers of a processor, 0 to Scenario.Processors()-1. It is an
// error if there is no such processor, or the machine is closed.
func (m *Machine) Processor(number int) (Processor, error) { return m.own.Processor(number) }

// Signal finds a signal by its path, as waveforms show it. It goes through all of them:
// find once, read often. The error is an *InputError if there is none.
func (m *Machine) Signal(path string) (*Signal, error) { return signalOf(m.own.Signal(path)) }

// Signals finds all signals whose paths match one of the patterns: * stands for a part of
// a name, ** for any number of names, [2..5] for a range. Without a pattern it returns all.
// The order is that of waveforms. The slot engine has no signals of hardware. Errors of
// patterns, and that nothing matches, are *InputError.
func (m *Machine) Signals(patterns ...string) ([]*Signal, error) {
	found, err := m.own.Signals(patterns...)
	if err != nil {
		return nil, err
	}
	signals := make([]*Signal, len(found))
	for i, s := range found {
		signals[i], _ = signalOf(s, nil)
	}
	return signals, nil
}

// Watch has f called in every cycle from the next step on, between Settle and Latch, when
// wires and registers show the same cycle. f may read signals and what else can be read
// between steps; it must not step, save or change the machine (that is an error). The
// first error of f within a step is returned by it, or by Run; the slot that crosses is
// completed, without further calls. nil ends it. Like a waveform, it needs EngineCycle,
// and makes the machine look at dark cycles, too. It changes no result.
func (m *Machine) Watch(f func(cycle uint64) error) error { return m.own.Watch(f) }

// Save writes the whole state of the machine between two steps, after a Latch: registers,
// buffers, light in flight, firmware memory, RTL, counters and digest. Run to the end
// equals save, build again, restore and run on. Of RTL with a clock, only that of the
// backend wasm can be saved. A recording is not saved, and goes on; a machine that restores
// the state begins its own.
func (m *Machine) Save(w io.Writer) error { return m.own.Save(w) }

// Restore reads what Save wrote into a machine that was built from the same
// scenario with the same engine, bank size and firmware mode. When it returns an
// error, the machine must be Reset before it is used again. In a recording it is refused,
// and nothing has happened: what is written cannot jump in time.
func (m *Machine) Restore(r io.Reader) error { return m.own.Restore(r) }

// Reset takes the machine back to before slot 0, with a new seed. It fails if the
// workload cannot be built again, and in a recording.
func (m *Machine) Reset(seed uint64) error { return m.own.Reset(seed) }

// Close releases the firmware, the workers and the RTL. A recording that is not closed is
// dropped, and that is an error. Closed again, it does nothing.
func (m *Machine) Close() error { return m.own.Close() }

// Processor is what the registers of one processor's NIC and its firmware's probes were
// when it was read: after the handlers of the last boundary, or, before the first step,
// after reset. It is a copy; nothing can be changed through it.
//
//	Number int    // 0 to Scenario.Processors()-1
//	Path   string // as in traces and violations
//
//	Done      bool // its firmware has nothing more to do
//	Faulty    bool // it trapped, gave up, broke the ABI, or said so itself
//	Sleeping  bool // its handler is not called until a frame or its slot comes
//	Delivered bool // the network told it that the packet that started here has arrived
//	Held      int  // packets that it says it holds, 0 to 255
//	RxFrames  int  // frames in the RX FIFO that the handler has not taken
//	TxFrames  int  // frames in the TX FIFO: one leaves in each slot
//	RxPort    int  // port that it hears in the next slot, -1 for none, nic.PortAll for all
//
//	// RxStatus is what the receiver said of the last slot. Firmware can overwrite it with what is not a status.
//	RxStatus nic.Status
//	// RxStatuses are those of each port where a NIC receives at all of them; RxStatus is of port 0.
//	RxStatuses []nic.Status
//
//	Probes map[string]uint64 // values of sl_probe by name, nil for firmware without
type Processor = emulator.Processor

// Signal is a view of one signal of a machine: a register or wire of the hardware, a
// register of a NIC, a value that firmware shows (sl_probe), or the number of the slot. It
// can only be read, and not while another goroutine steps the machine.
//
// In a function given to Watch, its value is that which a waveform has in this cycle.
// Between two steps, hardware is after the edge that ended the last slot: registers have
// the value of the next cycle, wires still that of the last; signals of NIC and firmware
// have what the handlers have left.
type Signal struct {
	Path   string   // as in waveforms
	Bits   int      // width, 1 to 64
	States []string // names of the values 0, 1, ... of an enumeration, nil for a number

	own *emulator.Signal
}

func signalOf(s *emulator.Signal, err error) (*Signal, error) {
	if err != nil {
		return nil, err
	}
	return &Signal{s.Path, s.Bits, s.States, s}, nil
}

// Value returns what the signal is now, 0 when the machine is closed.
func (s *Signal) Value() uint64 { return s.own.Value() }

// RecordOptions say what is written while a machine runs. What waveform and capture hold
// is said by the scenario's Traces.
type RecordOptions struct {
	VCD    Output // waveform; FST if the path ends in .fst
	GTKW   Output // save file that arranges it in GTKWave; beside VCD if that is a file
	PCAPNG Output // packet capture
	Lua    Output // dissector for Wireshark and tshark; beside PCAPNG if that is a file
	Log    Output // what firmware logs: a line for each call of sl_log
}

// Recording is what is written while a machine is stepped, from the boundary at which it
// began to that at which it is closed. It changes nothing of what the machine does.
//
//	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
//	for !m.Ended() {
//		err := m.Step()
//	}
//	err = recording.Close()
type Recording struct{ own *record.Recording }

// Record begins to write what the machine does from here on, between two steps. Begun
// before the first Step, the bytes are those that Run writes, but for two things that need
// the whole run twice: places of lost packets, and a trigger at a packet that was lost. Begun
// later, a waveform starts with the first cycle of the next slot; capture and log start
// with the boundary after it.
//
// A machine has one recording at a time. A waveform needs MachineOptions.Engine
// EngineCycle. The error is an *InputError if an output or a setting of the scenario's
// Traces cannot be used.
func (m *Machine) Record(o RecordOptions) (*Recording, error) {
	own, err := record.Alone(m.own, record.Options(o))
	if err != nil {
		return nil, err
	}
	return &Recording{own}, nil
}

// Close ends the recording after the last whole slot: writers get the rest of their bytes,
// and files appear, all or none. When a write has failed before, it returns that error
// again. Closed twice, it returns what it returned first.
func (r *Recording) Close() error { return r.own.Close() }

// Files lists what the recording writes to, in the order of RecordOptions, and, once it is
// closed, why a waveform shows nothing.
func (r *Recording) Files() []OutputFile { return r.own.Files() }
