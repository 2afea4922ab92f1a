package starloom

import (
	"context"
	"io"

	"starloom/fabric"
	"starloom/internal/emulator"
	"starloom/internal/record"
	"starloom/nic"
)

// Engines. Both produce the same frames, metrics and digest. EngineAuto selects EngineCycle for a waveform, otherwise
// EngineSlot.
const (
	EngineAuto  = emulator.EngineAuto  // the fastest engine that supports the requested outputs
	EngineCycle = emulator.EngineCycle // every phit in its cycle
	EngineSlot  = emulator.EngineSlot  // whole frames, slot by slot
)

// MachineOptions control the execution of a machine. They never change a result.
type MachineOptions struct {
	Engine   string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers  int    // number of threads; 0 selects one, or all cores for large machines; always one with RTL
	BankSize int    // number of processors per bank, rounded up to whole units of the network; 0 selects it by size
	Runtime  string // "compiler" (also ""), "interpreter", or "native" for the Go version of a built-in program

	// RunTable records senders and receivers in each slot, for Machine.RunTable.
	RunTable bool

	more emulator.Options // further options for tests of this package
}

func (o MachineOptions) own() emulator.Options {
	own := o.more
	own.Engine, own.Workers, own.BankSize, own.Runtime, own.RunTable = o.Engine, o.Workers,
		o.BankSize, o.Runtime, o.RunTable
	return own
}

// Machine is one emulated network: processors with their firmware, NICs and the fabric. It is built from a scenario
// and steps slot by slot.
//
//	m, err := starloom.NewMachine(ctx, scenario, starloom.MachineOptions{})
//	defer m.Close()
//	for !m.Ended() {
//		err := m.Step()
//	}
//	report := m.Report()
//
// Results of a run are a function of scenario and seed: only Step, Run, Reset and Restore change the state of a
// machine.
//
//	when                           permitted calls
//	between steps                  all
//	while recording                all but Reset and Restore; Save does not save the recording
//	in functions of Watch and Run  readers: Report, Violations, Processor, Signal, Signals, Slots, ...
//	after the end of the run       all; Step and Run do nothing; Record, and Save of an interrupted run, are errors
//	after a failed Restore         Reset, Close and readers
//	after Close                    Report and methods that return a number
//
// All other calls return an error; they do not panic. One goroutine may use a machine at a time; different machines
// are independent.
type Machine struct{ own *emulator.Machine }

// NewMachine builds a machine. Errors of the scenario and its firmware are *InputErrors. If ctx ends while NewMachine
// waits for the firmware or a tool, it returns the error of ctx; the machine may outlive ctx. Lists, maps and
// networks from Go in the scenario must not change while the machine is in use. The caller closes the machine.
func NewMachine(ctx context.Context, s *Scenario, o MachineOptions) (*Machine, error) {
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	if c.Bare() {
		return nil, c.Source.Refuse("fabric."+c.Network.Kind(), "routers without firmware form no machine of processors",
			"run the scenario, or write firmware: {...}")
	}
	own, err := emulator.New(ctx, c, o.own())
	if err != nil {
		return nil, err
	}
	return &Machine{own}, nil
}

// Step runs the next slot and the boundary in its last cycle (deliver, handlers, send), up to the edge that ends the
// slot. The first Step begins with the boundary of slot 0. After the end of the run Step does nothing. Step blocks
// forever if a handler never returns; Run has a context.
//
// An error comes from a recording, which then ends, or from Watch. The step is complete, and the next Step continues.
// Failing firmware is not an error; see Violations.
func (m *Machine) Step() error { return m.own.Step() }

// Run steps until the run finishes, reaches its slot limit, or ctx ends. The run has then ended, and another Run does
// nothing. each, unless nil, is called at every boundary, after the handlers; it may call every reader permitted
// between steps. Run returns an error from each after the edge that ends the boundary, and the next Run or Step
// continues from there. If ctx ends while handlers run, the handlers are stopped, their boundary does not count, and
// the run has ended. This is not an error; the report notes it.
func (m *Machine) Run(ctx context.Context, each func() error) error { return m.own.Run(ctx, each) }

// Slots returns the number of slots that have crossed the fabric, which is also the number of the next slot.
func (m *Machine) Slots() uint32 { return m.own.Slots() }

// Finished reports whether all processors are done and all queues are empty or, for firmware that need not detect its
// end, whether the workload has arrived.
func (m *Machine) Finished() bool { return m.own.Finished() }

// Ended reports whether the run has finished, reached its slot limit, was interrupted, or was ended by RTL.
func (m *Machine) Ended() bool { return m.own.Ended() }

// Engine returns the engine that executes the machine, EngineCycle or EngineSlot.
func (m *Machine) Engine() string { return m.own.Engine() }

// Timing returns the timing of a slot: its length and the position of its frames, in cycles.
func (m *Machine) Timing() nic.Timing { return m.own.Timing() }

// RunTable returns the actions of each processor in each step so far. It returns nil without MachineOptions.RunTable,
// or if the network has no run-table for this workload.
func (m *Machine) RunTable() fabric.RunTable { return m.own.RunTable() }

// Report summarises the run as if it ended now: unfinished processors violate the rule finishes. Unlike Violations,
// Report reads every processor. After Close it returns the report created by Close.
func (m *Machine) Report() *Report { return m.own.Report() }

// Violations returns the first ViolationsMax violations so far and the first violation of every rule. It does not
// judge the rules about the end of a run.
func (m *Machine) Violations() []Violation { return m.own.Violations() }

// Processor returns the registers of a processor, 0 to Scenario.Processors()-1. It returns an error for another
// number or a closed machine.
func (m *Machine) Processor(number int) (Processor, error) { return m.own.Processor(number) }

// Signal finds a signal by its path in waveforms. It searches all signals; call it once per signal. For an unknown
// path the error is an *InputError.
func (m *Machine) Signal(path string) (*Signal, error) { return signalOf(m.own.Signal(path)) }

// Signals returns all signals whose paths match one of the patterns, in the order of waveforms: * stands for a part
// of a name, ** for any number of names, [2..5] for a range. Without patterns it returns all signals. The slot engine
// has no hardware signals. An invalid pattern, or no match, yields an *InputError.
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

// Watch calls watch in every cycle from the next step on, between Settle and Latch, when wires and registers show the
// same cycle. watch may read signals and call every reader permitted between steps; stepping, saving or changing the
// machine is an error. Step or Run returns the first error of watch; the crossing slot is completed without further
// calls. Watch(nil) stops the calls. Like a waveform, Watch requires EngineCycle, and makes the machine evaluate dark
// cycles. It changes no result.
func (m *Machine) Watch(watch func(cycle uint64) error) error { return m.own.Watch(watch) }

// Save writes the whole state of the machine between two steps, after a Latch: registers, buffers, light in flight,
// firmware memory, RTL, counters and digest. A run that is saved, restored in a new machine and continued equals an
// uninterrupted run. Clocked RTL can be saved only with the backend wasm. A recording is not part of the state, and
// continues; a machine that restores the state starts a new recording.
func (m *Machine) Save(w io.Writer) error { return m.own.Save(w) }

// Restore reads a state written by Save into a machine built from the same scenario with the same engine, bank size
// and firmware mode. After an error, Reset the machine before further use. During a recording Restore returns an
// error and changes nothing, because outputs cannot jump in time.
func (m *Machine) Restore(r io.Reader) error { return m.own.Restore(r) }

// Reset returns the machine to the state before slot 0, with a new seed. It returns an error during a recording, or
// if the workload cannot be built again.
func (m *Machine) Reset(seed uint64) error { return m.own.Reset(seed) }

// Close releases the firmware, the workers and the RTL. An open recording is dropped, which is an error. Further
// calls do nothing.
func (m *Machine) Close() error { return m.own.Close() }

// Processor holds the registers of a processor's NIC and the probes of its firmware when they were read: after the
// handlers of the last boundary, or before the first step after reset. It is a copy; changes to it have no effect on
// the machine.
//
//	Number int
//	Path   string
//
//	Done      bool // the processor's firmware has no more work
//	Faulty    bool // the firmware has trapped, given up, violated the ABI, or set the flag itself
//	Sleeping  bool // the handler is not called until a frame arrives or its wake-up slot begins
//	Delivered bool // the network has reported the arrival of the processor's own packet
//	Held      int  // number of packets that the firmware claims to hold, 0 to 255
//	RxFrames  int  // frames in the RX FIFO
//	TxFrames  int  // frames in the TX FIFO
//	RxPort    int  // port at which the processor listens in the next slot, -1 for none, nic.PortAll for all
//
//	// RxStatus is the receiver's status after the last slot. Firmware can replace it by an invalid value.
//	RxStatus nic.Status
//	// RxStatuses is the status of every port, for NICs that receive at all ports; RxStatus is then the status of port
//	// 0.
//	RxStatuses []nic.Status
//
//	Probes map[string]uint64 // values of sl_probe by name, nil for none
type Processor = emulator.Processor

// Signal is a view of one signal of a machine: a register or wire of the hardware, a register of a NIC, a value that
// firmware exports (sl_probe), or the number of the slot. It is read-only, and must not be read while another
// goroutine steps the machine.
//
// In a function passed to Watch, a signal has the same value as a waveform in this cycle. Between two steps, hardware
// is in the state after the edge that ended the last slot: registers have the value of the next cycle, wires the
// value of the last cycle. Signals of NIC and firmware have the values after the handlers.
type Signal struct {
	Path   string   // path as in waveforms
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

// Value returns the current value of the signal, 0 once the machine is closed.
func (s *Signal) Value() uint64 { return s.own.Value() }

// RecordOptions are the outputs of a recording. The scenario's Traces select the content of waveform and capture.
type RecordOptions struct {
	VCD    Output // waveform, as FST if the path ends in .fst
	GTKW   Output // GTKWave save file with the signals in groups; by default beside a VCD file
	PCAPNG Output // packet capture
	Lua    Output // dissector for Wireshark and tshark; by default beside a PCAPNG file
	Log    Output // firmware log: a line for each call of sl_log
}

// Recording writes outputs of a machine between two boundaries: the beginning of the recording and its Close. It does
// not affect the machine.
//
//	recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
//	for !m.Ended() {
//		err := m.Step()
//	}
//	err = recording.Close()
type Recording struct{ own *record.Recording }

// Record starts a recording of the machine between two steps. If it starts before the first Step, the outputs are
// those of Run, except for places of lost packets and a trigger at a lost packet, which require a second run. If it
// starts later, a waveform begins with the first cycle of the next slot; capture and log begin with the boundary
// after that slot.
//
// A machine has one recording at a time. A waveform requires EngineCycle in MachineOptions.Engine. If an output or a
// setting of the scenario's Traces is unusable, the error is an *InputError.
func (m *Machine) Record(o RecordOptions) (*Recording, error) {
	own, err := record.Alone(m.own, record.Options(o))
	if err != nil {
		return nil, err
	}
	return &Recording{own}, nil
}

// Close ends the recording after the last whole slot. Writers receive their remaining bytes; then all files appear,
// or none. Close returns the error of an earlier write. A second Close returns the result of the first.
func (r *Recording) Close() error { return r.own.Close() }

// Files lists the outputs of the recording in the order of RecordOptions. After Close, the entry of an empty waveform
// includes the reason why it is empty.
func (r *Recording) Files() []OutputFile { return r.own.Files() }
