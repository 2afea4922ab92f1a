package fabric

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

// rtlTransmitters are transmitters of which some are RTL.
type rtlTransmitters struct {
	*nic.Serialisers
	machine *rtlMachine
	parts   []*rtlPart
	places  []rtlPlace // by processor

	// By processor. length is what the model's transmitter shows: bytes of the frame
	// while the RTL is busy with it.
	loaded, length []uint16
}

// Ports of serialiser.
const (
	txLoad, txFrame, txLength, txPort    = 1, 2, 3, 4
	txOut1, txOut0, txOutPort, txOutBusy = 0, 1, 2, 3
)

func (m *rtlMachine) newTransmitters(model *nic.Serialisers, frameMax int, parts []RTLPart) (*rtlTransmitters, error) {
	n := m.shape.Processors()
	t := &rtlTransmitters{Serialisers: model, machine: m, loaded: make([]uint16, n), length: make([]uint16, n)}
	phit := m.timing.PhitBits
	for _, p := range parts {
		part, err := m.add(p, m.transmitterPath, true,
			[]rtlPort{
				{name: "reset", bits: 1}, {name: "load_i", bits: 1}, {name: "frame_i", bits: 8 * frameMax}, {name: "length_i", bits: 16},
				{name: "port_i", bits: 16},
			},
			[]rtlPort{{name: "rail1_o", bits: phit}, {name: "rail0_o", bits: phit}, {name: "port_o", bits: 16}, {name: "busy_o", bits: 1}})
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part)
	}
	t.places = placeOf(t.parts, n)
	return t, nil
}

// load is the load input of a transmitter that is RTL; false: it is model.
func (t *rtlTransmitters) load(processor int, frame []byte, port uint16) bool {
	place := t.places[processor]
	if place.part == nil {
		return false
	}
	p, k := place.part, place.k
	p.set(txLoad, k, 1)
	p.setFrame(txFrame, k, 0, frame)
	p.set(txLength, k, uint64(len(frame)))
	p.set(txPort, k, uint64(port))
	t.loaded[processor] = uint16(len(frame))
	return true
}

// idle shows the reset state.
func (t *rtlTransmitters) idle() {
	clear(t.loaded)
	t.show()
}

// show takes port select and length from the RTL's new registers.
func (t *rtlTransmitters) show() {
	for _, p := range t.parts {
		for k, processor := range p.Elements {
			port := uint16(p.read(txOutPort, k))
			if int(port) >= t.machine.shape.Ports && port != hw.PortAll && port != hw.PortNone {
				t.machine.fail(p.at(k), false, fmt.Errorf("output port_o is %d, the transmitter has %d ports", port, t.machine.shape.Ports))
				port = hw.PortNone
			}
			t.Ports().Value[processor] = port
			t.length[processor] = 0
			if p.read(txOutBusy, k) != 0 {
				t.length[processor] = t.loaded[processor]
			}
		}
	}
}

// Drive shows the light of the model's registers, and of the RTL's.
func (t *rtlTransmitters) Drive(s hw.Shard) {
	t.Serialisers.Drive(s)
	for _, p := range t.parts {
		for k, processor := range p.Elements {
			t.Light().Put(s.Index, uint32(processor), p.read(txOut1, k), p.read(txOut0, k))
		}
	}
}

// Latch gives the RTL its clock edge; only that of a slot's last cycle loads.
func (t *rtlTransmitters) Latch(s hw.Shard) {
	t.Serialisers.Latch(s)
	last := t.machine.lastCycle()
	for _, p := range t.parts {
		p.edge()
		if last {
			for k := range p.Elements {
				p.set(txLoad, k, 0)
			}
		}
	}
	t.show()
}

// Probes yields the model's signals, with the RTL's in place of those that it has.
func (t *rtlTransmitters) Probes(yield func(hw.Probe)) {
	own := map[string]hw.Probe{}
	for _, p := range t.parts {
		for _, processor := range p.Elements {
			path := t.machine.transmitterPath(processor) + ".length"
			own[path] = hw.NewProbe(path, 16, t.length, processor)
		}
	}
	t.Serialisers.Probes(instead(own, yield))
}

// instead yields other probes for the paths that are in a table.
func instead(own map[string]hw.Probe, yield func(hw.Probe)) func(hw.Probe) {
	return func(p hw.Probe) {
		if other, ok := own[p.Path]; ok {
			other.States = p.States
			p = other
		}
		yield(p)
	}
}

// rtlReceivers are receivers of which some are RTL.
type rtlReceivers struct {
	*nic.Deserialisers
	machine *rtlMachine
	parts   []*rtlPart
	places  []rtlPlace // by processor
	far     *hw.Light
	frame   []byte

	// What the model's receiver shows, by processor.
	state []uint8
	bits  []uint32
}

// Ports of deserialiser.
const (
	rxEndSlot, rxPort, rxRail1, rxRail0                      = 1, 2, 3, 4
	rxOutState, rxOutBits, rxOutStatus, rxOutLen, rxOutFrame = 0, 1, 2, 3, 4
)

func (m *rtlMachine) newReceivers(model *nic.Deserialisers, far *hw.Light, frameMax int, parts []RTLPart) (*rtlReceivers, error) {
	n := m.shape.Processors()
	r := &rtlReceivers{Deserialisers: model, machine: m, far: far, frame: make([]byte, frameMax), state: make([]uint8, n), bits: make([]uint32, n)}
	rails := m.shape.Ports * m.timing.PhitBits
	for _, p := range parts {
		part, err := m.add(p, m.receiverPath, true,
			[]rtlPort{
				{name: "reset", bits: 1}, {name: "end_slot_i", bits: 1}, {name: "port_i", bits: 16},
				{name: "rail1_i", bits: rails}, {name: "rail0_i", bits: rails},
			},
			[]rtlPort{
				{name: "state_o", bits: 3}, {name: "bits_o", bits: 16}, {name: "status_o", bits: 3}, {name: "length_o", bits: 16},
				{name: "frame_o", bits: 8 * frameMax},
			})
		if err != nil {
			return nil, err
		}
		r.parts = append(r.parts, part)
	}
	r.places = placeOf(r.parts, n)
	return r, nil
}

// listen is the port input of a receiver that is RTL; false: it is model. A port that it
// does not have is none.
func (r *rtlReceivers) listen(processor int, port uint16) bool {
	place := r.places[processor]
	if place.part == nil {
		return false
	}
	place.part.set(rxPort, place.k, uint64(port))
	return true
}

// status is what a receiver that is RTL shows in the last cycle of a slot; ok is false
// for one that is model. The frame is good until the next call.
func (r *rtlReceivers) status(processor int) (status nic.Status, frame nic.Frame, ok bool) {
	place := r.places[processor]
	if place.part == nil {
		return 0, nil, false
	}
	p, k := place.part, place.k
	status = nic.Status(p.read(rxOutStatus, k))
	frame, err := p.machine.heard(status, int(p.read(rxOutLen, k)), r.frame, func(frame []byte) { p.readFrame(rxOutFrame, k, 0, frame) })
	if err != nil {
		p.machine.fail(p.at(k), false, err)
		return nic.StatusIdle, nil, true
	}
	return status, frame, true
}

// heard judges what RTL says it has heard: firmware and reports see whole frames only.
func (m *rtlMachine) heard(status nic.Status, length int, buffer []byte, read func(frame []byte)) (nic.Frame, error) {
	switch {
	case m.fault != nil:
		return nil, m.fault.Err
	case status == nic.StatusIdle, status == nic.StatusCollision, status == nic.StatusCRC:
		return nil, nil
	case status != nic.StatusOK:
		return nil, fmt.Errorf("the receive status is %d, a receiver has 0 to 3", status)
	case length > len(buffer):
		return nil, fmt.Errorf("a frame of %d bytes was heard, the longest one has %d", length, len(buffer))
	}
	read(buffer[:length])
	if m.fault != nil {
		return nil, m.fault.Err
	}
	frame, err := nic.Parse(buffer[:length])
	if err != nil {
		return nil, fmt.Errorf("the receive status is ok, but it was no %w", err)
	}
	return frame, nil
}

// idle shows the reset state, in which nothing is heard.
func (r *rtlReceivers) idle() {
	for _, p := range r.parts {
		for k := range p.Elements {
			p.set(rxPort, k, hw.PortNone)
		}
	}
	r.show()
}

// Latch takes the phits of this cycle; that of a slot's last cycle ends it.
func (r *rtlReceivers) Latch(s hw.Shard) {
	r.Deserialisers.Latch(s)
	last := uint64(0)
	if r.machine.lastCycle() {
		last = 1
	}
	for _, p := range r.parts {
		for k := range p.Elements {
			p.set(rxEndSlot, k, last)
		}
		r.light(p)
		p.edge()
	}
	r.show()
}

// light puts the light that leads to a receiver's group on its inputs.
func (r *rtlReceivers) light(p *rtlPart) {
	g, phit := r.machine.shape.Ports, r.machine.timing.PhitBits
	for k, processor := range p.Elements {
		for port := range g {
			medium := r.machine.media.Hears.Medium(processor, port)
			p.put(rxRail1, k, port*phit, phit, r.far.Rail1[medium])
			p.put(rxRail0, k, port*phit, phit, r.far.Rail0[medium])
		}
	}
}

// show takes state and bits from the RTL's new registers.
func (r *rtlReceivers) show() {
	for _, p := range r.parts {
		for k, processor := range p.Elements {
			r.state[processor] = uint8(p.read(rxOutState, k))
			r.bits[processor] = uint32(p.read(rxOutBits, k))
		}
	}
}

// Probes yields the model's signals, with the RTL's in place of those that it has.
func (r *rtlReceivers) Probes(yield func(hw.Probe)) {
	own := map[string]hw.Probe{}
	for _, p := range r.parts {
		for _, processor := range p.Elements {
			path := r.machine.receiverPath(processor)
			own[path+".state"] = hw.NewProbe(path+".state", 3, r.state, processor)
			own[path+".bits"] = hw.NewProbe(path+".bits", 32, r.bits, processor)
		}
	}
	r.Deserialisers.Probes(instead(own, yield))
}
