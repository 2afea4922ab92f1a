package fabric

import (
	"errors"
	"fmt"
	"strings"

	"starloom/hw"
	"starloom/nic"
)

// rtlDatapath is RTL in place of all hardware of a POPS network. It takes the place
// of the fibre in the kernel, whose far end is the only light that it shows.
type rtlDatapath struct {
	*hw.Fibre
	*rtlPart
	couplers *hw.StarCouplers // for their flags
	far      *hw.Light
	frame    []byte
	frameMax int
	seen     []uint32 // per coupler: 1 + the first cycle of the slot in which its far end shows both rails, 0 for none
}

// Ports of pops_slot.
const (
	slotLoad, slotFrame, slotLength, slotPort, slotHear                                                  = 1, 2, 3, 4, 5
	slotOutLast, slotOutStatus, slotOutLength, slotOutFrame, slotOutViolated, slotOutRail1, slotOutRail0 = 0, 1, 2, 3, 4, 5, 6
)

func (m *rtlMachine) newDatapath(model *hw.Fibre, couplers *hw.StarCouplers, far *hw.Light, frameMax int, device RTLDevice) (*rtlDatapath, error) {
	n, c, phit := m.shape.Processors(), m.shape.Media, m.timing.PhitBits
	part, err := m.add(RTLPart{Device: device, Elements: []int{0}}, func(int) string { return strings.SplitN(m.names.Unit(), ".", 2)[0] }, true,
		[]rtlPort{
			{name: "reset", bits: 1}, {name: "load_i", bits: n}, {name: "frame_i", bits: n * 8 * frameMax}, {name: "length_i", bits: 16 * n},
			{name: "port_i", bits: 16 * n}, {name: "hear_i", bits: 16 * n},
		},
		[]rtlPort{
			{name: "last_o", bits: 1}, {name: "status_o", bits: 3 * n}, {name: "heard_length_o", bits: 16 * n}, {name: "heard_o", bits: n * 8 * frameMax},
			{name: "violation_o", bits: c}, {name: "rail1_o", bits: c * phit}, {name: "rail0_o", bits: c * phit},
		})
	if err != nil {
		return nil, err
	}
	return &rtlDatapath{Fibre: model, rtlPart: part, couplers: couplers, far: far, frame: make([]byte, frameMax), frameMax: frameMax,
		seen: make([]uint32, c)}, nil
}

// Path names the component by what it stands for in the kernel.
func (d *rtlDatapath) Path() string { return d.Fibre.Path() }

// Inputs and Outputs: nothing is combinational from outside.

func (d *rtlDatapath) Inputs() []hw.Wire  { return nil }
func (d *rtlDatapath) Outputs() []hw.Wire { return nil }

// Drives is the light at the far end.
func (d *rtlDatapath) Drives() []hw.Wire { return []hw.Wire{d.far} }

// Latches nothing.
func (d *rtlDatapath) Latches() []hw.Wire { return nil }

// State visits nothing: the device's own is visited with those of the others.
func (d *rtlDatapath) State(*hw.StateVisitor) {}

// Reset does nothing: the device is reset with the others.
func (d *rtlDatapath) Reset() {}

// Drive shows the light at the far end of the links, and in a slot's last cycle which
// couplers were violated in the slot.
func (d *rtlDatapath) Drive(s hw.Shard) {
	last := d.machine.lastCycle()
	if last && d.read(slotOutLast, 0) == 0 {
		d.machine.fail(d.at(0), false, errLastCycle)
	}
	phit := d.machine.timing.PhitBits
	d.far.Clear(s.Index)
	for c := range d.machine.shape.Media {
		both := d.far.Put(s.Index, uint32(c), d.get(slotOutRail1, 0, c*phit, phit), d.get(slotOutRail0, 0, c*phit, phit))
		if both != 0 && d.seen[c] == 0 {
			d.seen[c] = uint32(d.machine.kernel.Cycle()%uint64(d.machine.timing.SlotCycles())) + 1
		}
		if last && d.get(slotOutViolated, 0, c, 1) != 0 {
			d.couplers.Show(s.Index, uint32(c), 0, 0, true)
		}
	}
}

// met returns the cycle of the slot in which the light of a coupler met: the far end of the
// link, which is all that can be seen, shows it so much later. It is the last cycle if the
// RTL tells of a violation that no light has shown.
func (d *rtlDatapath) met(coupler int, last uint32) uint32 {
	if delay := uint32(d.machine.timing.PropagationCycles); d.seen[coupler] > delay {
		return d.seen[coupler] - 1 - delay
	}
	return last
}

// Settle does nothing.
func (d *rtlDatapath) Settle(hw.Shard) {}

// Latch is a clock edge; that of a slot's last cycle loads.
func (d *rtlDatapath) Latch(hw.Shard) {
	d.edge()
	if d.machine.lastCycle() {
		clear(d.seen)
		for processor := range d.machine.shape.Processors() {
			d.put(slotLoad, 0, processor, 1, 0)
		}
	}
}

var errLastCycle = errors.New("output last_o is 0 in the last cycle of a slot: the RTL's slots have another length")

func (d *rtlDatapath) load(processor int, frame []byte, port uint16) {
	d.put(slotLoad, 0, processor, 1, 1)
	d.setFrame(slotFrame, 0, 8*d.frameMax*processor, frame)
	d.put(slotLength, 0, 16*processor, 16, uint64(len(frame)))
	d.put(slotPort, 0, 16*processor, 16, uint64(port))
}

func (d *rtlDatapath) listen(processor int, port uint16) {
	d.put(slotHear, 0, 16*processor, 16, uint64(port))
}

func (d *rtlDatapath) status(processor int) (nic.Status, nic.Frame) {
	status := nic.Status(d.get(slotOutStatus, 0, 3*processor, 3))
	length := int(d.get(slotOutLength, 0, 16*processor, 16))
	frame, err := d.machine.heard(status, length, d.frame, func(frame []byte) { d.readFrame(slotOutFrame, 0, 8*d.frameMax*processor, frame) })
	if err != nil {
		d.machine.fail(d.machine.receiverPath(processor), false, fmt.Errorf("in the datapath: %w", err))
		return nic.StatusIdle, nil
	}
	return status, frame
}

// idle hears nothing.
func (d *rtlDatapath) idle() {
	clear(d.seen)
	for processor := range d.machine.shape.Processors() {
		d.listen(processor, hw.PortNone)
	}
}

// visible reports whether a signal can be seen from outside of the datapath.
func (d *rtlDatapath) visible(path string) bool { return strings.Contains(path, ".fibre.") }
