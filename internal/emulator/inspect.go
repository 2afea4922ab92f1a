package emulator

import (
	"fmt"

	"starloom/nic"
)

// Processor is what the registers of one processor's NIC and its firmware's probes were
// when it was read: after the handlers of the last boundary, or, before the first step,
// after reset. It is a copy; nothing can be changed through it.
type Processor struct {
	Number int    // 0 to Scenario.Processors()-1
	Path   string // as in traces and violations

	Done      bool // its firmware has nothing more to do
	Faulty    bool // it trapped, gave up, broke the ABI, or said so itself
	Sleeping  bool // its handler is not called until a frame or its slot comes
	Delivered bool // the network told it that the packet that started here has arrived
	Held      int  // packets that it says it holds, 0 to 255
	RxFrames  int  // frames in the RX FIFO that the handler has not taken
	TxFrames  int  // frames in the TX FIFO: one leaves in each slot
	RxPort    int  // port that it hears in the next slot, -1 for none, nic.PortAll for all

	// RxStatus is what the receiver said of the last slot. Firmware can overwrite it with
	// what is not a status.
	RxStatus nic.Status
	// RxStatuses are those of each port where a NIC receives at all of them; RxStatus is of port 0.
	RxStatuses []nic.Status

	Probes map[string]uint64 // values of sl_probe by name, nil for firmware without
}

// Processor reads the registers of a processor, 0 to Scenario.Processors()-1. It is an
// error if there is no such processor, or the machine is closed.
func (m *Machine) Processor(number int) (Processor, error) {
	if m.closed {
		return Processor{}, fmt.Errorf("processor %d: the machine is closed", number)
	}
	if n := m.Shape.Processors(); number < 0 || number >= n {
		return Processor{}, fmt.Errorf("processor %d: the machine has the processors 0 to %d", number, n-1)
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
