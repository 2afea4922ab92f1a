package emulator

import (
	"errors"
	"fmt"
	"slices"

	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Signal is a view of one signal of a machine: a register or wire of the hardware, a NIC register, a firmware value
// (sl_probe), or the slot number. It is read-only and must not be read while another goroutine steps the machine.
//
// In a function of Watch, its value equals the waveform's value in this cycle. Between steps, hardware registers have
// the value of the next cycle, and wires the value of the last cycle. Signals of NIC and firmware have the values
// left by the handlers.
type Signal struct {
	Path   string   // as in waveforms
	Bits   int      // width, 1 to 64
	States []string // names of the values 0, 1, ... of an enumeration, nil for a number

	machine *Machine
	probe   hw.Probe
}

// Value returns the current value, 0 once the machine is closed.
func (s *Signal) Value() uint64 {
	if s.machine.closed {
		return 0
	}
	return s.probe.Value()
}

// Signal returns the signal with the given waveform path. It searches all signals, so call it only once per signal.
// For an unknown path it returns an *InputError.
func (m *Machine) Signal(path string) (*Signal, error) {
	found, err := m.find(func(p string) bool { return p == path }, path)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Signals returns the signals whose paths match one of the patterns, in the order of waveforms. Without patterns, it
// returns all signals. In a pattern, * stands for a part of a name, ** for any number of names, [2..5] for a range.
// The slot engine has no hardware signals. Signals returns an *InputError for an invalid pattern, or without a match.
func (m *Machine) Signals(patterns ...string) ([]*Signal, error) {
	compiled := make([]*hw.Pattern, len(patterns))
	for i, pattern := range patterns {
		var err error
		if compiled[i], err = hw.CompilePattern(pattern); err != nil {
			return nil, input.Mistake(fmt.Sprintf("%q", pattern), err.Error(), "correct the pattern")
		}
	}
	match := func(path string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(compiled, func(p *hw.Pattern) bool { return p.Match(path) })
	}
	return m.find(match, patterns...)
}

func (m *Machine) find(wanted func(path string) bool, names ...string) (found []*Signal, err error) {
	if m.closed {
		return nil, errors.New("signals: the machine is closed")
	}
	take := func(p hw.Probe) {
		if wanted(p.Path) {
			found = append(found, &Signal{Path: p.Path, Bits: p.Bits, States: p.States, machine: m, probe: p})
		}
	}
	take(m.SlotProbe())
	m.FirmwareProbes(func(p hw.Probe, _ vcd.Form) { take(p) })
	m.VariableProbes(func(p hw.Probe, _ vcd.Form) { take(p) })
	if m.Hardware != nil {
		plant.Signals(m.Hardware, take)
	}
	if len(found) == 0 {
		if m.Hardware == nil {
			return nil, input.Mistake("signals",
				fmt.Sprintf("the slot engine has no hardware signals, and no other signal matches %q", names),
				"build the machine with EngineCycle")
		}
		return nil, input.Mistake("signals", fmt.Sprintf("no signal matches %q", names), m.SignalExamples())
	}
	return found, nil
}

// SignalExamples lists examples of signal paths for error messages.
func (m *Machine) SignalExamples() string {
	tx, status := m.Names.Processor(0)+".tx", m.Names.Processor(0)
	if m.Shape.NIC().AllPorts {
		tx, status = hw.Index(tx, 0), m.Names.Port(0, 0)
	}
	if m.Shape.PortLabels != nil {
		tx = status + ".tx"
	}
	return fmt.Sprintf("signals are, for example, %s.light.rail1, %s.violation, %s.rx_status; "+
		"* stands for a part of a name, ** for any number of names, [2..5] for a range",
		tx, m.Names.Medium(0), status)
}

// Watch calls watch in every cycle from the next step on, between Settle and Latch, when wires and registers show the
// same cycle. watch may read signals and call any reader permitted between steps; calls that change the machine return
// an error. Step or Run returns the first error of watch in a step, and the slot is completed without further calls. A
// nil watch ends watching. Watch requires EngineCycle and also simulates dark cycles. It does not change results.
func (m *Machine) Watch(watch func(cycle uint64) error) error {
	if err := m.enterWhole("watching"); err != nil {
		return err
	}
	defer m.Leave()
	if m.Hardware == nil {
		return &input.Error{Place: "Watch", Reason: "the slot engine has no cycles",
			Remedy: "build the machine with MachineOptions.Engine EngineCycle"}
	}
	m.watch = watch
	m.setWatch()
	return nil
}

// SlotProbe returns a probe of the number of the crossing slot or, between slots, of the next slot.
func (m *Machine) SlotProbe() hw.Probe { return hw.ProbeOf(m.Network.Kind()+".slot", 32, &m.slot) }

// statusStates names the values of rx_status in a waveform. The last state stands for invalid values written by
// firmware.
var statusStates = append(slices.Clone(nic.StatusNames), "overwritten")

// FirmwareProbes yields the NIC registers and sl_probe values of every processor, valid at slot boundaries.
func (m *Machine) FirmwareProbes(yield func(p hw.Probe, form vcd.Form)) {
	if m.rxPorts == nil {
		m.rxPorts = slices.Repeat([]uint16{nic.PortNone}, m.Shape.Processors())
	}
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			bank, values := instance.Bank(), instance.Probes()
			for cell := range bank.Cells {
				path, r := m.Names.Processor(bank.First+cell), &bank.Registers[cell]
				for lane := range m.Shape.Lanes() {
					at := path
					if m.Shape.NIC().AllPorts {
						at = m.Names.Port(bank.First+cell, uint16(lane))
					}
					status := hw.ProbeOf(at+".rx_status", 3, &bank.RxStatus[lane*bank.Cells+cell])
					status.States = statusStates
					yield(status, vcd.Form{})
				}
				yield(hw.NewProbe(path+".rx_port", 16, m.rxPorts, bank.First+cell), vcd.Form{})
				yield(hw.ProbeOf(path+".held", 8, &r.Held), vcd.Form{Decimal: true})
				yield(hw.ProbeOf(path+".flags", 8, &r.Flags), vcd.Form{Flags: nic.FlagNames})
				for k, name := range m.Image.probes {
					yield(hw.NewProbe(path+".firmware."+name, 64, values, cell*len(m.Image.probes)+k), vcd.Form{})
				}
			}
		}
	}
}

// Processor is a copy of a processor's NIC registers and probes, taken after the handlers of the last boundary or
// reset.
type Processor struct {
	Number int
	Path   string

	Done      bool // the processor's firmware has no more work
	Faulty    bool // the firmware has trapped, given up, violated the ABI, or set the flag itself
	Sleeping  bool // the handler is not called until a frame arrives or its wake-up slot begins
	Delivered bool // the network has reported the arrival of the processor's own packet
	Held      int  // number of packets that the firmware claims to hold, 0 to 255
	RxFrames  int  // frames in the RX FIFO
	TxFrames  int  // frames in the TX FIFO
	RxPort    int  // port at which the processor listens in the next slot, -1 for none, nic.PortAll for all

	// RxStatus is the receiver's status after the last slot. Firmware can replace it by an invalid value.
	RxStatus nic.Status
	// RxStatuses is the status of every port, for NICs that receive at all ports; RxStatus is then the status of port
	// 0.
	RxStatuses []nic.Status

	Probes map[string]uint64 // values of sl_probe by name, nil for none
}

// Processor reads the registers of a processor. It returns an error for an invalid number or a closed machine.
func (m *Machine) Processor(number int) (Processor, error) {
	if m.closed {
		return Processor{}, fmt.Errorf("processor %d: the machine is closed", number)
	}
	if n := m.Shape.Processors(); number < 0 || number >= n {
		return Processor{}, fmt.Errorf("processor %d does not exist: the machine has processors 0 to %d", number, n-1)
	}
	instance, cell := m.InstanceOf(number)
	bank := instance.Bank()
	r := bank.Registers[cell]
	p := Processor{
		Number: number, Path: m.Names.Processor(number),
		Done: r.Flags&nic.FlagDone != 0, Faulty: r.Flags&nic.FlagFaulty != 0, Sleeping: r.Flags&nic.FlagSleeping != 0,
		Delivered: r.Flags&nic.FlagDelivered != 0,
		Held:      int(r.Held), RxFrames: int(r.RxCount), TxFrames: int(r.TxCount), RxPort: -1,
		RxStatus: nic.Status(bank.RxStatus[cell]),
	}
	all := m.Shape.NIC().AllPorts
	if port := bank.Listen(m.slot)[cell]; m.started && (int(port) < m.Shape.Ports || all && port == nic.PortAll) {
		p.RxPort = int(port)
	}
	for lane := 0; all && lane < m.Shape.Ports; lane++ {
		p.RxStatuses = append(p.RxStatuses, nic.Status(bank.RxStatus[lane*bank.Cells+cell]))
	}
	if names := m.Image.probes; len(names) > 0 {
		p.Probes = make(map[string]uint64, len(names))
		for k, name := range names {
			p.Probes[name] = instance.Probes()[cell*len(names)+k]
		}
	}
	return p, nil
}
