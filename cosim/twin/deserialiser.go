package twin

import (
	"strings"

	"starloom/hw"
	"starloom/nic"
)

// deserialiser. Rules of the wires around nic.Deserialisers: end_slot_i is EndSlot,
// and port_i is Listen in that cycle, to nothing for a port_i that is no port.
func deserialiser() Twin {
	return Twin{
		Name: "deserialiser", Sources: []string{"deserialiser.v", "crc16.v"}, Components: []string{"nic.Deserialisers"},
		Sets: []Parameters{
			{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "PORTS": 1}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "PORTS": 4},
			{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 16, "PORTS": 2}, {"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "PORTS": 3},
			{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 19, "PORTS": 2},
		},
		Mutants: []Mistake{
			{"version unchecked", "whole[FRAME_BITS-1 -: 4] == VERSION && ", ""},
			{"last kind refused", "<= KIND_LAST[3:0]", "< KIND_LAST[3:0]"},
			{"CRC ignored", " && crc_next == 16'd0", ""},
			{"collision forgotten", "else if (state_q != VIOLATED) begin", "else begin"},
			{"gap tolerated", "(state_q == RECEIVING && !gap_q)", "state_q == RECEIVING"},
			{"length without the CRC", "20'd128", "20'd112"},
			{"frame upside down", "memory_order[8*k +: 8] =", "memory_order[FRAME_BITS-1-8*k -: 8] ="},
			{"slot does not end", "state_q <= IDLE;\n      port_q <= port_i;", "port_q <= port_i;"},
			{"late light counts for the next slot", "state_q <= IDLE;\n      port_q <= port_i;", "state_q <= light ? DAMAGED : IDLE;\n      port_q <= port_i;"},
			{"not switched after a dark slot", "if (end_slot_i) begin", "if (end_slot_i && state_q != IDLE) begin"},
		},
		Build: func(m *Model, p Parameters) error {
			phit, frameMax, wires := p["PHIT_BITS"], p["FRAME_BYTES_MAX"], p["PORTS"]
			m.ClockAndReset()
			endSlot, port := m.Input("end_slot_i", 1), m.Input("port_i", 16)
			in1, in0 := m.Input("rail1_i", wires*phit), m.Input("rail0_i", wires*phit)
			state, bits := m.Output("state_o", 3), m.Output("bits_o", 16)
			status, length, frame := m.Output("status_o", 3), m.Output("length_o", 16), m.Output("frame_o", 8*frameMax)

			hears := hw.Gather{Inputs: wires, Wires: make([]uint32, wires)}
			for i := range hears.Wires {
				hears.Wires[i] = uint32(i)
			}
			light, err := m.Light(hw.Bank{Name: "fibre", Units: 1, PerUnit: wires}, in1, in0, phit, make([]uint32, wires))
			if err != nil {
				return err
			}
			rx, err := nic.NewDeserialisers(nic.DeserialiserConfig{
				Bank: one("rx"), Clock: m.Kernel().Clock(), Shards: m.Shards(), PhitBits: phit, FrameBytesMax: frameMax,
				In: light, Hears: hears,
			})
			if err != nil {
				return err
			}
			m.Kernel().Add(rx)
			m.Events = []Event{{"rail1_i and rail0_i", "lit together, as in a collision,", phit, func(inputs []uint64) (both uint64) {
				for i := range wires {
					both |= hw.GetBits(in1.Of(inputs), i*phit, phit) & hw.GetBits(in0.Of(inputs), i*phit, phit)
				}
				return both
			}}}
			stateProbe, bitsProbe := probeOf(rx, ".state"), probeOf(rx, ".bits")
			m.Show = func() {
				m.Put(state, stateProbe.Value())
				m.Put(bits, bitsProbe.Value())
				heard := nic.Frame(nil)
				if rx.Status(0) == nic.StatusOK {
					heard = rx.Frame(0)
				}
				m.Put(status, uint64(rx.Status(0)))
				m.Put(length, uint64(len(heard)))
				clear(m.Out(frame))
				PutBytes(m.Out(frame), 0, heard)
			}
			m.Take = func() {
				if m.Get(endSlot) == 0 {
					return
				}
				rx.EndSlot(0)
				if input := m.Get(port); input < uint64(wires) {
					rx.Listen(0, uint16(input))
				} else {
					rx.Listen(0, hw.PortNone)
				}
			}
			traffic := newTraffic(phit, frameMax, wires)
			m.Use = func(random *Random, inputs []uint64) {
				last := traffic.stimulate(random, in1.Of(inputs), in0.Of(inputs))
				inputs[endSlot.Word] = 0
				if last != random.OneIn(4*traffic.slotCycles) {
					inputs[endSlot.Word] = 1
				}
				inputs[port.Word] = uint64(random.Below(wires))
				if random.OneIn(8) {
					inputs[port.Word] = [...]uint64{uint64(wires), hw.PortNone, uint64(random.Uint32())}[random.Below(3)]
				}
			}
			return nil
		},
	}
}

// probeOf finds the one signal of a component whose path ends so.
func probeOf(component hw.Probed, suffix string) (found hw.Probe) {
	component.Probes(func(p hw.Probe) {
		if strings.HasSuffix(p.Path, suffix) {
			found = p
		}
	})
	return found
}
