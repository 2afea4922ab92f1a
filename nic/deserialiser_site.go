package nic

import (
	"fmt"
	"slices"

	"starloom/hw"
)

type deserialiserSite struct {
	ask    []func() bool // functions that read status, length and frame from the RTL; nil for a model
	status []Status      // status from the RTL
	length []int         // length in bytes of the frame from the RTL; the model's register holds the frame
}

// Site describes the ports of a receiver. EndSlot is end_slot_i, and Listen is port_i in the same cycle. Illegal
// ports select nothing.
func (d *Deserialisers) Site() *hw.Site {
	if d.site == nil {
		cells := d.bank.Size()
		d.site = &deserialiserSite{
			ask:    make([]func() bool, cells),
			status: make([]Status, cells),
			length: make([]int, cells),
		}
	}
	return &hw.Site{
		Twin: "deserialiser", What: "receivers",
		Parameters: hw.Same(map[string]int{
			"PHIT_BITS": d.phitBits, "FRAME_BYTES_MAX": d.frameMax, "PORTS": d.hears.Inputs,
		}),
		Elements: d.bank.Size(), Path: d.bank.Element, Whole: d.bank.WholeOf(), Clocked: true,
		Ports:   slices.Concat(d.slotPorts(), d.railPorts(), d.statePorts(), d.framePorts()),
		Replace: func(cell int, ask func() bool) { d.site.ask[cell] = ask },
	}
}

func (d *Deserialisers) slotPorts() []hw.Port {
	shard := func(cell int) int { return int(d.owner[cell]) }
	portBits := 16
	if d.hears.Inputs > hw.PortsMax {
		portBits = 32
	}
	return []hw.Port{
		{
			Name: "end_slot_i", Bits: 1, Input: true, Outside: true,
			Get: hw.GetValue(func(cell int) uint64 { return oneIf(d.ends[shard(cell)]) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				if value != 0 {
					d.EndSlot(shard(cell))
				}
				return nil
			}),
		}, {
			Name: "port_i", Bits: portBits, Input: true, Outside: true,
			Get: hw.GetValue(func(cell int) uint64 {
				port := d.port[cell]
				if port != NoInput && d.missed(cell/d.bank.PerUnit, cell) {
					port = NoInput
				}
				return uint64(port) & (1<<portBits - 1)
			}),
			Put: hw.PutValue(func(cell int, value uint64) error {
				port := uint32(value)
				if int(port) >= d.inputs(cell) {
					port = NoInput
				}
				if d.ends[shard(cell)] {
					d.Listen(cell, port)
				}
				return nil
			}),
		},
	}
}

func (d *Deserialisers) statePorts() []hw.Port {
	return []hw.Port{{
		Name: "state_o", Bits: 3, Watched: true, Shows: "state",
		Get: hw.GetValue(func(cell int) uint64 { return uint64(d.state[cell]) }),
		Put: hw.PutValue(func(cell int, state uint64) error {
			if state >= uint64(receiverStates) {
				return fmt.Errorf("output state_o is %d, but a receiver has states 0 to %d", state, receiverStates-1)
			}
			d.state[cell] = uint8(state)
			return nil
		}),
	}, {
		Name: "bits_o", Bits: 16, Watched: true, Shows: "bits",
		Get: hw.GetValue(func(cell int) uint64 { return uint64(d.bits[cell]) }),
		Put: hw.PutValue(func(cell int, bits uint64) error {
			if bits > uint64(8*d.frameMax) {
				return fmt.Errorf("output bits_o is %d, but the longest frame has %d bits", bits, 8*d.frameMax)
			}
			d.bits[cell] = uint32(bits)
			return nil
		}),
	}}
}

func (d *Deserialisers) framePorts() []hw.Port {
	x := d.site
	return []hw.Port{{
		Name: "status_o", Bits: 3, Polled: true,
		Get: hw.GetValue(func(cell int) uint64 { return uint64(d.Status(cell)) }),
		Put: hw.PutValue(func(cell int, value uint64) error {
			x.status[cell] = Status(value)
			if status := x.status[cell]; status > StatusCRC {
				x.status[cell] = StatusIdle
				return fmt.Errorf("the receive status is %d, but a receiver has 0 to %d", status, StatusCRC)
			}
			return nil
		}),
	}, {
		Name: "length_o", Bits: 16, Polled: true,
		Get: hw.GetValue(func(cell int) uint64 { return uint64(len(d.whole(cell))) }),
		Put: hw.PutValue(func(cell int, value uint64) error {
			x.length[cell] = int(value)
			return nil
		}),
	}, {
		Name: "frame_o", Bits: 8 * d.frameMax, Polled: true,
		Get: hw.GetPins(func(cell int, to hw.Pins) {
			to.Clear()
			to.SetBytes(0, d.whole(cell))
		}),
		Put: hw.PutPins(d.judge),
	}}
}

func (d *Deserialisers) railPorts() []hw.Port {
	if d.taps == nil {
		return hw.LightPorts("rail1_i", "rail0_i", d.in, true, d.hears.Inputs, func(cell, lane int) uint32 {
			return d.hears.Wire(cell/d.bank.PerUnit, lane)
		})
	}
	ports := hw.LightPorts("rail1_i", "rail0_i", d.in, true, d.hears.Inputs,
		func(cell, lane int) uint32 { return d.taps.Bus[cell][lane] })
	for k, rail := range [][]uint64{d.in.Rail1, d.in.Rail0} {
		ports[k].From = func(cell int) hw.Expression {
			var lanes []hw.Expression
			for _, bus := range d.taps.Bus[cell] {
				lanes = append(lanes, hw.Carried(d.in.Of([]string{hw.FieldRail1, hw.FieldRail0}[k], int(bus))))
			}
			return hw.Together(append(lanes, hw.Constant((d.hears.Inputs-len(lanes))*d.phitBits, 0))...)
		}
		ports[k].Get = hw.GetPins(func(cell int, to hw.Pins) {
			to.Clear()
			for lane, bus := range d.taps.Bus[cell] {
				to.SetBits(lane*d.phitBits, d.phitBits, rail[bus])
			}
		})
	}
	return ports
}

func (d *Deserialisers) whole(cell int) Frame {
	if d.Status(cell) != StatusOK {
		return nil
	}
	return d.Frame(cell)
}

// judge checks the status, length and frame that RTL reports, because firmware and reports rely on whole frames.
func (d *Deserialisers) judge(cell int, from hw.Pins) error {
	x := d.site
	if x.status[cell] != StatusOK {
		return nil
	}
	x.status[cell] = StatusIdle
	length := x.length[cell]
	if length > d.frameMax {
		return fmt.Errorf("a frame of %d bytes was heard, but the longest frame has %d", length, d.frameMax)
	}
	frame := d.frames[cell*d.stride:][:length]
	from.GetBytes(0, frame)
	if _, err := Parse(frame); err != nil {
		return fmt.Errorf("the receive status is ok, but the frame is wrong: %w", err)
	}
	x.status[cell] = StatusOK
	return nil
}
