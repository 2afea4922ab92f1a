package nic

import (
	"bytes"
	"fmt"

	"starloom/hw"
)

// deserialiserSite is what receivers have beside their registers when RTL stands for some
// of them.
type deserialiserSite struct {
	replaced []bool
	status   []Status // what the RTL says...
	length   []int    // ...bytes of its frame...
	judged   []bool   // ...and whether the frame in the register is that one
	frame    []byte
}

// Site says what the ports of a receiver are. EndSlot is end_slot_i, Listen port_i in that
// cycle: to nothing for what is not a port.
func (d *Deserialisers) Site() *hw.Site {
	if d.site == nil {
		cells := d.bank.Size()
		d.site = &deserialiserSite{
			replaced: make([]bool, cells), status: make([]Status, cells), length: make([]int, cells), judged: make([]bool, cells),
			frame: make([]byte, d.frameMax),
		}
	}
	x := d.site
	shard := func(cell int) int { return int(d.owner[cell/d.bank.PerUnit]) }
	ports := []hw.Port{
		{
			Name: "end_slot_i", Bits: 1, Input: true,
			Get: func(cell int, to hw.Pins) { to.Set(oneIf(d.ends[shard(cell)])) },
			Put: func(cell int, from hw.Pins) error {
				if from.Value() != 0 {
					d.EndSlot(shard(cell))
				}
				return nil
			},
		}, {
			Name: "port_i", Bits: 16, Input: true,
			Get: func(cell int, to hw.Pins) { to.Set(uint64(d.port[cell])) },
			Put: func(cell int, from hw.Pins) error {
				port := uint16(from.Value())
				if int(port) >= d.hears.Inputs {
					port = hw.PortNone
				}
				if d.ends[shard(cell)] {
					d.Listen(cell, port)
				}
				return nil
			},
		},
	}
	ports = append(ports, hw.LightPorts("rail1_i", "rail0_i", d.in, true, d.hears.Inputs, func(cell, lane int) uint32 {
		return d.hears.Wire(cell/d.bank.PerUnit, lane)
	})...)
	ports = append(ports, hw.Port{
		Name: "state_o", Bits: 3,
		Get: func(cell int, to hw.Pins) { to.Set(uint64(d.state[cell])) },
		Put: func(cell int, from hw.Pins) error {
			state := from.Value()
			if state >= uint64(receiverStates) {
				return fmt.Errorf("output state_o is %d, a receiver has 0 to %d", state, receiverStates-1)
			}
			d.state[cell] = uint8(state)
			return nil
		},
	}, hw.Port{
		Name: "bits_o", Bits: 16,
		Get: func(cell int, to hw.Pins) { to.Set(uint64(d.bits[cell])) },
		Put: func(cell int, from hw.Pins) error {
			bits := from.Value()
			if bits > uint64(8*d.frameMax) {
				return fmt.Errorf("output bits_o is %d, the longest frame has %d", bits, 8*d.frameMax)
			}
			d.bits[cell] = uint32(bits)
			return nil
		},
	}, hw.Port{
		Name: "status_o", Bits: 3,
		Get: func(cell int, to hw.Pins) { to.Set(uint64(d.Status(cell))) },
		Put: func(cell int, from hw.Pins) error {
			status := Status(from.Value())
			if status > StatusCRC {
				x.status[cell] = StatusIdle
				return fmt.Errorf("the receive status is %d, a receiver has 0 to %d", status, StatusCRC)
			}
			x.judged[cell] = x.judged[cell] && status == StatusOK
			x.status[cell] = status
			return nil
		},
	}, hw.Port{
		Name: "length_o", Bits: 16,
		Get: func(cell int, to hw.Pins) { to.Set(uint64(len(d.whole(cell)))) },
		Put: func(cell int, from hw.Pins) error {
			length := int(from.Value())
			x.judged[cell] = x.judged[cell] && length == x.length[cell]
			x.length[cell] = length
			return nil
		},
	}, hw.Port{
		Name: "frame_o", Bits: 8 * d.frameMax,
		Get: func(cell int, to hw.Pins) {
			to.Clear()
			to.SetBytes(0, d.whole(cell))
		},
		Put: d.judge,
	})
	return &hw.Site{
		Twin: "deserialiser", What: "receivers",
		Parameters: hw.Same(map[string]int{"PHIT_BITS": d.phitBits, "FRAME_BYTES_MAX": d.frameMax, "PORTS": d.hears.Inputs}),
		Elements:   d.bank.Size(), Path: d.bank.Element, Whole: whole(d.bank), Clocked: true, Ports: ports,
		Replace: func(cell int) { x.replaced[cell] = true },
	}
}

// whole is the frame that a receiver shows, nil for none.
func (d *Deserialisers) whole(cell int) Frame {
	if d.Status(cell) != StatusOK {
		return nil
	}
	return d.Frame(cell)
}

// judge takes the frame that RTL shows with status and length: firmware and reports see
// whole frames only.
func (d *Deserialisers) judge(cell int, from hw.Pins) error {
	x := d.site
	if x.status[cell] != StatusOK {
		return nil
	}
	fail := func(format string, a ...any) error {
		x.status[cell] = StatusIdle
		return fmt.Errorf(format, a...)
	}
	length := x.length[cell]
	if length > d.frameMax {
		return fail("a frame of %d bytes was heard, the longest one has %d", length, d.frameMax)
	}
	frame, own := x.frame[:length], d.frames[cell*d.stride:][:length]
	from.GetBytes(0, frame)
	if x.judged[cell] && bytes.Equal(frame, own) {
		return nil
	}
	if _, err := Parse(frame); err != nil {
		return fail("the receive status is ok, but it was no %w", err)
	}
	copy(own, frame)
	x.judged[cell] = true
	return nil
}
